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


async def test_a_call_whose_turn_comes_soon_waits_for_it() -> None:
    """The steps of a workflow follow each other faster than a limit per second lets through."""

    @tool(kind="external", rate=RateLimit(5, timedelta(seconds=1)))
    async def post() -> str:
        return "posted"

    clock, notes = FakeClock(), Notes()
    limits = ToolLimits(clock=clock)

    with observing(notes):
        waits = [await limits.take(post, "ada") for _ in range(7)]

    assert waits == [0.0] * 7
    assert clock.sleeps == pytest.approx([0.2, 0.2])
    assert [told[2] for told in notes.told if isinstance(told, tuple)] == [False, False]


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
