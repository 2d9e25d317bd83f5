"""A handle stops a run from outside; the run answers with a `cancelled` error and its task goes on (F-6, F-74)."""

import asyncio

import pytest

from batuta import Cancellation, Context, Pipeline, step
from batuta.events import StepFailed
from batuta.kernel.errors import ErrorCategory
from tests.support.runs import EventList, tasks_left


@step
async def wait(value: int) -> int:
    await asyncio.Event().wait()
    return value


@step
async def double(value: int) -> int:
    return value * 2


async def test_a_stopped_run_returns_an_error_that_gives_the_reason() -> None:
    handle, sink = Cancellation(), EventList()
    run = asyncio.create_task(Pipeline("p", wait).run(1, cancellation=handle, sink=sink))
    await asyncio.sleep(0)
    handle.cancel("the user left")
    handle.cancel("and again")
    error = (await run).error
    assert (error.category, error.message, error.code) == (ErrorCategory.CANCELLED, "the user left", "RUN_CANCELLED")
    assert [event.path for event in sink.of(StepFailed)] == ["p/wait", "p"]
    assert not error.is_retryable


async def test_one_handle_stops_several_runs() -> None:
    handle = Cancellation()
    runs = [asyncio.create_task(wait.run(1, cancellation=handle)) for _ in range(3)]
    await asyncio.sleep(0)
    handle.cancel()
    assert all(result.is_error for result in await asyncio.gather(*runs))
    assert not tasks_left()


async def test_a_run_whose_handle_was_used_before_does_not_begin() -> None:
    handle, sink = Cancellation(), EventList()
    handle.cancel("too late")
    result = await double.run(1, cancellation=handle, sink=sink)
    assert result.error.message == "too late"
    assert not sink.events
    await asyncio.sleep(0)  # and nothing of it hits whoever asked


async def test_a_step_may_stop_its_own_run() -> None:
    @step
    async def enough(value: int, ctx: Context) -> int:
        ctx.cancellation.cancel("enough")
        await asyncio.sleep(0)
        return value

    assert (await Pipeline("p", enough >> double).run(1)).error.message == "enough"


async def test_a_stopped_run_that_never_waits_ends_and_its_caller_is_not_cancelled() -> None:
    @step
    async def enough(value: int, ctx: Context) -> int:
        ctx.cancellation.cancel("enough")
        return value

    assert (await Pipeline("p", enough >> double).run(1)).value == 2
    await asyncio.sleep(0)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_cancelled_task_is_cancelled_even_if_its_handle_was_used_too() -> None:
    """Whoever cancels the task is not answered with a value."""
    handle = Cancellation()
    run = asyncio.create_task(wait.run(1, cancellation=handle))
    await asyncio.sleep(0)
    run.cancel()
    handle.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run


async def test_a_handle_lets_go_of_a_run_that_is_over() -> None:
    handle = Cancellation()
    assert (await double.run(1, cancellation=handle)).value == 2
    handle.cancel()
    await asyncio.sleep(0)
    assert handle.is_requested


async def test_a_step_can_ask_whether_it_should_stop() -> None:
    asked: list[bool] = []

    @step
    async def polite(value: int, ctx: Context) -> int:
        try:
            await asyncio.Event().wait()
        finally:
            asked.append(ctx.cancellation.is_requested)
        return value

    handle = Cancellation()
    run = asyncio.create_task(polite.run(1, cancellation=handle))
    await asyncio.sleep(0)
    handle.cancel()
    await run
    assert asked == [True]
