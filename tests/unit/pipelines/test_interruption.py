"""Cancellation or a deadline at every await point: no task left, rollbacks done, events balanced (F-3, F-9, F-74)."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batuta import Cancellation, MemoryJournal, Pipeline, StepResult, step
from batuta.kernel.errors import DeadlineExceededError, ErrorCategory, RunCancelledError
from tests.support.loops import run_in_virtual_time
from tests.support.runs import EventList, SlowRecorder, tasks_left, unbalanced
from tests.unit.pipelines.shop import ANSWER, TRANSACTIONAL, World, order_pipeline


async def turns_of_a_whole_run(**options: Any) -> int:
    """How many turns of the loop an undisturbed run takes."""
    run = asyncio.create_task(order_pipeline(World()).run(1, **options))
    count = 0
    while not run.done():
        await asyncio.sleep(0)
        count += 1
    assert run.result().value == ANSWER
    return count


def check_what_is_left(world: World, *events: list[Any], is_success: bool) -> None:
    assert not tasks_left()
    for told in events:
        assert not unbalanced(told)
    if is_success:
        assert world.done == list(TRANSACTIONAL)
        assert not world.undone
    else:
        assert world.undone[: len(world.finished)] == world.finished[::-1], "what was finished is undone, in reverse"


async def interrupted(turns: list[int], recorder: SlowRecorder | None, *, by_handle: bool) -> None:
    """Cancel after some turns, and again while it winds up."""
    world, sink, handle = World(), EventList(), Cancellation()
    run = asyncio.create_task(order_pipeline(world).run(1, sink=sink, recorder=recorder, cancellation=handle))
    for count in turns:
        for _ in range(count):
            await asyncio.sleep(0)
        if by_handle:
            handle.cancel("enough")
        else:
            run.cancel()
    result: StepResult[int] | None = None
    try:
        result = await run
    except asyncio.CancelledError:
        assert not by_handle
    else:
        assert not by_handle or run.cancelling() == 0
    is_success = result is not None and not result.is_error
    if result is not None and result.is_error:
        assert isinstance(result.error.exception, RunCancelledError)
        assert result.error.category is ErrorCategory.CANCELLED
    check_what_is_left(world, sink.events, recorder.events if recorder else [], is_success=is_success)


@settings(max_examples=300, deadline=None)
@given(turns=st.lists(st.integers(0, 40), min_size=1, max_size=3), is_recorded=st.booleans(), by_handle=st.booleans())
def test_a_run_cancelled_anywhere_leaves_nothing_behind(turns: list[int], is_recorded: bool, by_handle: bool) -> None:
    """Also when it is cancelled again while it rolls back, and while its events are being recorded."""
    asyncio.run(interrupted(turns, SlowRecorder(1) if is_recorded else None, by_handle=by_handle))


@pytest.mark.parametrize("by_handle", [False, True])
async def test_a_run_cancelled_at_each_turn_of_the_loop_leaves_nothing_behind(by_handle: bool) -> None:
    for turns in range(await turns_of_a_whole_run() + 2):
        await interrupted([turns], None, by_handle=by_handle)


@pytest.mark.parametrize("point", range(1, 12))
@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_deadline_at_each_await_point_leaves_nothing_behind(point: int, is_recorded: bool) -> None:
    async def story() -> None:
        world, sink = World(hangs_at=point), EventList()
        recorder = SlowRecorder() if is_recorded else None
        result = await order_pipeline(world).run(1, timeout=10, sink=sink, recorder=recorder)
        is_background = not result.is_error
        if result.is_error:
            assert isinstance(result.error.exception, DeadlineExceededError)
        assert asyncio.get_running_loop().time() == pytest.approx(30 if is_background else 10, abs=0.1)
        check_what_is_left(world, sink.events, recorder.events if recorder else [], is_success=not result.is_error)
        assert not result.is_error or not world.done, "what was cut off is looked up, and undone if it took place"

    run_in_virtual_time(story())


def test_the_deadlines_above_reach_every_await_point() -> None:
    world = World()
    asyncio.run(order_pipeline(world).run(1))
    assert world.points == 11


@pytest.mark.parametrize("point", range(1, 18))
def test_a_rollback_that_hangs_is_given_up_and_the_others_run(point: int) -> None:
    """F-9: in good time, one after the other."""

    async def story() -> None:
        world, sink = World(hangs_at=point), EventList()

        async def fail_in_the_end(value: int) -> int:
            message = "no"
            raise ValueError(message)

        pipeline = Pipeline("broken", order_pipeline(world) >> step(fail_in_the_end))
        await pipeline.run(1, timeout=100, sink=sink)
        assert not tasks_left()
        assert not unbalanced(sink.events)
        assert len([name for name in world.finished if name not in world.undone]) <= 1

    run_in_virtual_time(story())


async def run_twice(turns: int, *, can_reconcile: bool) -> tuple[World, StepResult[int]]:
    """Interrupt a run with a journal after some turns, then run it again with the same one."""
    world, journal = World(), MemoryJournal()
    pipeline = order_pipeline(world, can_reconcile=can_reconcile)
    run = asyncio.create_task(pipeline.run(1, journal=journal))
    for _ in range(turns):
        await asyncio.sleep(0)
    run.cancel()
    await asyncio.gather(run, return_exceptions=True)
    return world, await pipeline.run(1, journal=journal)


async def test_a_run_interrupted_anywhere_and_run_again_repeats_no_recorded_effect() -> None:
    """Issue 2, journal seam: the world refuses to be changed twice, and the outcome is that of one run."""
    whole = await turns_of_a_whole_run(journal=MemoryJournal())
    for turns in range(whole + 2):
        world, result = await run_twice(turns, can_reconcile=True)
        assert result.value == ANSWER
        assert sorted(world.done) == sorted(TRANSACTIONAL)


async def test_a_run_that_was_finished_is_answered_from_the_journal_alone() -> None:
    world, result = await run_twice(10_000, can_reconcile=True)
    assert result.value == ANSWER
    assert world.calls == {"reserve": 1, "book": 1, "mark": 1, "notify": 1}


async def test_a_write_whose_outcome_is_unknown_is_not_repeated() -> None:
    """Without a way to find out, the run fails and says what to do; it never acts twice."""
    whole = await turns_of_a_whole_run(journal=MemoryJournal())
    unknown = 0
    for turns in range(whole + 2):
        world, result = await run_twice(turns, can_reconcile=False)
        if result.is_error:
            unknown += 1
            assert result.error.code == "UNKNOWN_OUTCOME"
            assert "is not repeated" in result.error.message
        else:
            assert sorted(world.done) == sorted(TRANSACTIONAL)
    assert 0 < unknown < whole
