"""The clock of tests: virtual time, in the right order."""

import asyncio
from datetime import timedelta

from batuta.testing.clock import START, FakeClock


async def test_sleeping_moves_both_clocks_by_what_was_asked() -> None:
    clock = FakeClock()
    await clock.sleep(90)
    assert clock.now() - START == timedelta(seconds=90)
    assert clock.monotonic() == 90


async def test_parallel_sleepers_wake_in_order_and_share_the_time() -> None:
    clock = FakeClock()
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic()))

    await asyncio.gather(sleeper("late", 5), sleeper("early", 1), sleeper("middle", 3))
    assert woken == [("early", 1), ("middle", 3), ("late", 5)]


async def test_a_cancelled_sleeper_does_not_hold_up_the_others() -> None:
    clock = FakeClock()
    early = asyncio.create_task(clock.sleep(1))
    await asyncio.sleep(0)
    early.cancel()
    await asyncio.gather(early, clock.sleep(4), return_exceptions=True)
    assert clock.monotonic() == 4


async def test_time_can_pass_without_anybody_sleeping() -> None:
    clock = FakeClock()
    clock.advance(61)
    assert clock.monotonic() == 61
    assert clock.sleeps == []
