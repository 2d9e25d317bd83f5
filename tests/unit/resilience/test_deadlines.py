"""One timer for all the waits of a stream (F-74)."""

import asyncio
import time
import weakref
from contextvars import ContextVar
from functools import partial

import pytest

from batuta.resilience.deadlines import Deadline, StreamDeadline, within
from batuta.testing import FakeClock


async def test_a_wait_past_the_limit_is_cut_short() -> None:
    deadline = StreamDeadline(0.02)
    with pytest.raises(TimeoutError, match=r"0\.02 s"), deadline:
        await asyncio.sleep(5)
    assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr] # a test runs in a task


async def test_the_limit_holds_for_all_waits_together() -> None:
    deadline, waits = StreamDeadline(0.1), 0
    with pytest.raises(TimeoutError):  # noqa: PT012 - how often it went well is part of the claim
        while True:
            with deadline:
                await asyncio.sleep(0.03)
            waits += 1
    assert waits <= 3


async def test_time_between_two_waits_counts_but_cuts_nothing_else_short() -> None:
    deadline = StreamDeadline(0.01)
    await asyncio.sleep(0.05)
    with deadline:
        taken = await _at_once("what is there already")
    assert taken == "what is there already"
    with pytest.raises(TimeoutError), deadline:
        await asyncio.sleep(5)


async def test_a_cancellation_from_outside_stays_one() -> None:
    async def wait() -> None:
        with StreamDeadline(5):
            await asyncio.sleep(5)

    task = asyncio.create_task(wait())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_cancellation_that_comes_together_with_the_limit_is_not_lost() -> None:
    async def wait() -> None:
        deadline = StreamDeadline(0.01)
        with deadline:
            await asyncio.sleep(5)

    task = asyncio.create_task(wait())
    asyncio.get_running_loop().call_later(0.005, _hold_up_and_cancel, task)
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_the_wait_itself_raises_passes() -> None:
    with pytest.raises(LookupError), StreamDeadline(5):
        raise LookupError


async def test_a_stream_that_is_over_leaves_nothing_behind() -> None:
    deadline = StreamDeadline(0.01)
    with deadline:
        await _at_once("one")
    deadline.stop()
    await asyncio.sleep(0.05)
    with deadline:
        await asyncio.sleep(0.02)


async def _at_once(value: str) -> str:
    return value


def _hold_up_and_cancel(task: asyncio.Task[None]) -> None:
    """Block the loop until the limit has passed, so that both come in the same turn of it."""
    time.sleep(0.02)
    task.cancel()


async def test_a_timer_that_is_not_needed_any_more_keeps_nothing_alive() -> None:
    """A loop keeps cancelled timers for a while; the run that one was made in is free as soon as it is over."""
    runs: list[weakref.ref[object]] = []

    async def limited() -> None:
        run = FakeClock()
        _run.set(run)
        runs.append(weakref.ref(run))
        await within(Deadline.after(60), partial(asyncio.sleep, 0), what="nap")
        StreamDeadline(60).stop()

    before = asyncio.get_running_loop().call_later(30, print)  # a loop drops the timers that come first at once
    await asyncio.create_task(limited())
    await asyncio.sleep(0)
    assert [run() for run in runs] == [None]
    before.cancel()


_run: ContextVar[object] = ContextVar("run")
