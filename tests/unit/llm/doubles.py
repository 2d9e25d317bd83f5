"""Models that tests plug in where a provider would be."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from decimal import Decimal

from batuta.kernel.messages import Answer, ContentBlock, Delta, Message, TextBlock
from batuta.kernel.usage import Usage
from batuta.llm.model import ModelRequest, ModelSettings
from batuta.resilience.circuit_breaker import BreakerChange
from batuta.resilience.rate_limiter import Throttled
from batuta.resilience.retry import Retry


def answer(text: str = "Hello, world", *, usage: Usage | None = None, cost: Decimal | None = None) -> Answer:
    return Answer(content=(TextBlock(text=text),), model="m", provider="test", usage=usage, cost=cost)


def answer_of(*blocks: ContentBlock) -> Answer:
    return Answer(content=blocks, model="m", provider="test")


def request(text: str = "hi", **settings: object) -> ModelRequest:
    return ModelRequest(messages=(Message.user(text),), settings=ModelSettings(**settings))  # type: ignore[arg-type]


@dataclass
class PlayedModel:
    """Plays one line per call: an answer, an error, or the pieces of a stream that may end in an error.

    A piece that is a number is a real wait of so many seconds.
    """

    lines: list[Answer | BaseException | list[Delta | Answer | BaseException | float]]
    provider: str = "test"
    name: str = "m"
    requests: list[ModelRequest] = field(default_factory=list)
    open_streams: int = 0
    is_closed: bool = False

    async def generate(self, request: ModelRequest) -> Answer:
        last: Answer | None = None
        async for item in self.stream(request):
            last = item if isinstance(item, Answer) else last
        assert last is not None
        return last

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        self.requests.append(request)
        line = self.lines.pop(0)
        self.open_streams += 1
        try:
            for piece in line if isinstance(line, list) else self._pieces(line):
                if isinstance(piece, BaseException):
                    raise piece
                if isinstance(piece, (Answer, Delta)):
                    yield piece
                else:
                    await asyncio.sleep(piece)
        finally:
            self.open_streams -= 1

    async def aclose(self) -> None:
        self.is_closed = True

    def _pieces(self, line: Answer | BaseException) -> list[Delta | Answer | BaseException | float]:
        if isinstance(line, BaseException):
            return [line]
        return [*(Delta("text", word) for word in line.text.split(" ")), line]


@dataclass
class Noted:
    """An observer that keeps what it was told."""

    retries: list[Retry] = field(default_factory=list)
    settled: list[tuple[int, bool]] = field(default_factory=list)
    changes: list[BreakerChange] = field(default_factory=list)
    throttled: list[Throttled] = field(default_factory=list)
    degradations: list[str] = field(default_factory=list)

    async def retry_attempted(self, retry: Retry) -> None:
        self.retries.append(retry)

    async def retry_settled(self, retry: Retry, *, is_successful: bool) -> None:
        self.settled.append((retry.attempt, is_successful))

    async def breaker_changed(self, change: BreakerChange) -> None:
        self.changes.append(change)

    async def limiter_throttled(self, throttled: Throttled) -> None:
        self.throttled.append(throttled)

    async def degraded(self, key: str, error: BaseException) -> None:
        self.degradations.append(key)
