"""What the provider saw: every request with how it was answered and when the client left."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from batuta.simulator.answers import Json, Provider

SECRET_HEADERS = frozenset({"authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie"})
KEPT = 1000


@dataclass(kw_only=True)
class Exchange:
    """One request and its fate; times are seconds of the simulator's clock.

    ``disconnected_at`` is set when the client left before the response was complete. ``problems`` are the rules of
    the provider that the request broke.
    """

    number: int
    provider: Provider
    path: str
    headers: dict[str, str]
    body: Json
    received_at: float
    model: str = ""
    streaming: bool = False
    problems: list[str] = field(default_factory=list)
    fault: str | None = None
    status: int | None = None
    events_sent: int = 0
    finished_at: float | None = None
    disconnected_at: float | None = None

    @property
    def is_open(self) -> bool:
        return self.finished_at is None

    def to_json(self) -> Json:
        return {**vars(self), "is_open": self.is_open}


class Ledger:
    """The exchanges of a run, the newest ``KEPT`` of them."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._exchanges: deque[Exchange] = deque(maxlen=KEPT)
        self._open: dict[int, Exchange] = {}
        self._count = 0
        self._changed = asyncio.Event()

    @property
    def exchanges(self) -> list[Exchange]:
        return list(self._exchanges)

    @property
    def open_requests(self) -> int:
        return len(self._open)

    @property
    def open_streams(self) -> int:
        return sum(exchange.streaming for exchange in self._open.values())

    def open(self, *, provider: Provider, path: str, headers: dict[str, str], body: Json) -> Exchange:
        self._count += 1
        exchange = Exchange(
            number=self._count,
            provider=provider,
            path=path,
            headers=_without_secrets(headers),
            body=body,
            received_at=self._clock(),
        )
        self._exchanges.append(exchange)
        self._open[exchange.number] = exchange
        self.tell()
        return exchange

    def sent(self, exchange: Exchange, ends_event: bool) -> None:
        exchange.events_sent += ends_event
        self.tell()

    def client_left(self, exchange: Exchange) -> None:
        exchange.disconnected_at = self._clock()

    def close(self, exchange: Exchange) -> None:
        exchange.finished_at = self._clock()
        self._open.pop(exchange.number, None)
        self.tell()

    def clear(self) -> None:
        self._exchanges.clear()

    def tell(self) -> None:
        """Wake those who wait for a change."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait_until(self, holds: Callable[[], object], within: float) -> None:
        """Wait until the condition holds; it is looked at whenever an exchange changes.

        Raises:
            TimeoutError: it did not within that many seconds.
        """
        async with asyncio.timeout(within):
            while not holds():
                await self._changed.wait()


def _without_secrets(headers: dict[str, str]) -> dict[str, str]:
    return {name.lower(): "***" if name.lower() in SECRET_HEADERS else value for name, value in headers.items()}
