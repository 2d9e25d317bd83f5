"""Holds on to the HTTP responses of an SDK that does not close the one of a stream that is left or takes too long.

Works with any SDK that sends through an aiohttp session of ours: the session tells of each response.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Self

_COLLECTOR: ContextVar[list[Any] | None] = ContextVar("batuta_responses", default=None)


def trace_config(aiohttp: Any) -> Any:
    """What a session needs to tell the watch of its responses."""
    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(_collect)
    return trace


async def _collect(session: Any, context: Any, params: Any) -> None:
    collected = _COLLECTOR.get()
    if collected is not None:
        collected.append(params.response)


class ResponseWatch:
    """Closes the responses collected within, at its end or when the time is up, which raises `TimeoutError`.

    One timer for a whole stream: a scope around each of its events would cost more than the event.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._responses: list[Any] = []
        self._is_late = False

    @asynccontextmanager
    async def opening(self) -> AsyncIterator[None]:
        """Take charge of the responses begun within. Raises `TimeoutError` if none begins in time."""
        token = _COLLECTOR.set(self._responses)
        try:
            async with asyncio.timeout(self._seconds):
                yield
        finally:
            _COLLECTOR.reset(token)

    async def __aenter__(self) -> Self:
        """Start the timer."""
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._expire)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close what is still open."""
        self._timer.cancel()
        self._close()
        if self._is_late and isinstance(error, Exception):
            raise TimeoutError(f"no complete answer within {self._seconds:g} s") from error

    def _expire(self) -> None:
        self._is_late = True
        self._close()

    def _close(self) -> None:
        for response in self._responses:
            response.close()
