"""Limits tell whoever listens to the run what they do (F-72, F-73)."""

from datetime import timedelta

import pytest

from batuta.resilience.circuit_breaker import BreakerChange
from batuta.resilience.observer import observing
from batuta.resilience.rate_limiter import Throttled
from batuta.resilience.retry import Retry
from batuta.testing.clock import FakeClock
from batuta.tools import RateLimit, ToolLimits, tool


class Notes:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    async def retry_attempted(self, retry: Retry) -> None:
        self.told.append(retry)

    async def retry_settled(self, retry: Retry, *, is_successful: bool) -> None:
        self.told.append((retry, is_successful))

    async def breaker_changed(self, change: BreakerChange) -> None:
        self.told.append((change.key, change.previous, change.current))

    async def limiter_throttled(self, throttled: Throttled) -> None:
        self.told.append((throttled.key, throttled.wait_seconds, throttled.refused))

    async def degraded(self, key: str, error: BaseException) -> None:
        self.told.append((key, error))


@tool(kind="external", rate=RateLimit(1, timedelta(seconds=10)))
async def search() -> str:
    return "found"


async def test_a_call_beyond_the_rate_is_told() -> None:
    limits, notes = ToolLimits(clock=FakeClock()), Notes()

    with observing(notes):
        waits = [await limits.take(search, "ada") for _ in range(2)]

    assert waits == [0.0, 10.0]
    assert notes.told == [("tool:search:ada", 10.0, True)]


async def test_a_breaker_that_opens_is_told() -> None:
    limits, notes = ToolLimits(clock=FakeClock()), Notes()

    async def refused() -> None:
        raise ConnectionError

    with observing(notes):
        for _ in range(5):
            with pytest.raises(ConnectionError):
                await limits.guarded(search, refused)

    assert notes.told == [("tool:search", "closed", "open")]


async def test_a_tool_without_a_limit_is_not_held_up() -> None:
    @tool
    async def free() -> str:
        return "free"

    limits = ToolLimits(clock=FakeClock())

    assert await limits.take(free, None) == 0.0
    async with limits.slot(free), limits.slot(free):
        pass
