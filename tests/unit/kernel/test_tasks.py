"""Work that must end, ends; work side by side fails together, and a cancellation is never swallowed."""

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any

import pytest

from batuta.kernel.tasks import all_or_first_failure, await_shielded, never_waits
from tests.support.runs import tasks_left


async def turns(count: int, then: list[str] | None = None) -> int:
    for _ in range(count):
        await asyncio.sleep(0)
    if then is not None:
        then.append("done")
    return count


async def failing(error: Exception, after: int = 0) -> int:
    await turns(after)
    raise error


async def test_the_result_of_what_runs_to_its_end_is_returned() -> None:
    assert await await_shielded(turns(3)) == 3


async def test_what_it_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="broken"):
        await await_shielded(failing(ValueError("broken"), after=2))


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_a_cancelled_waiter_waits_for_the_end_and_is_then_cancelled(times: int) -> None:
    done: list[str] = []
    waiter = asyncio.create_task(await_shielded(turns(6, done)))
    for _ in range(times):
        await asyncio.sleep(0)
        waiter.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    assert done == ["done"]
    assert not tasks_left()


async def test_a_cancelled_waiter_does_not_lose_the_failure_of_the_work_to_the_log() -> None:
    waiter = asyncio.create_task(await_shielded(failing(ValueError("late"), after=3)))
    await asyncio.sleep(0)
    waiter.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiter


async def test_work_that_cancels_itself_is_cancelled_for_the_waiter_too() -> None:
    async def give_up() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await await_shielded(give_up())


async def test_all_results_come_in_the_order_of_the_work() -> None:
    assert await all_or_first_failure([turns(3), turns(1), turns(2)]) == [3, 1, 2]


async def test_the_first_failure_cancels_the_others_and_is_raised_as_it_is() -> None:
    done: list[str] = []
    work: list[Coroutine[Any, Any, int]] = [turns(9, done), failing(KeyError("first"), after=2), turns(9, done)]
    with pytest.raises(KeyError, match="first"):
        await all_or_first_failure(work)
    assert not done
    assert not tasks_left()


async def test_two_failures_at_once_are_no_lost_task_exceptions() -> None:
    lost: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: lost.append(context))
    with pytest.raises(KeyError, match="first"):
        await all_or_first_failure([failing(KeyError("first")), failing(KeyError("second"))])
    gc.collect()
    assert not lost


async def test_a_failure_while_being_stopped_does_not_hide_the_cancellation() -> None:
    """F-3: a cancellation escapes, whatever a branch makes of it."""

    async def turns_cancellation_into_an_error() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            message = "clean-up failed"
            raise RuntimeError(message)

    waiter = asyncio.create_task(all_or_first_failure([turns_cancellation_into_an_error()]))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiter.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiter


class InMemory:
    never_waits = True

    async def record(self) -> None: ...


class Slower(InMemory):
    async def record(self) -> None:
        await asyncio.sleep(0)


class Renamed(InMemory):
    """Inherits the method, and so the promise."""


@pytest.mark.parametrize(
    ("subject", "expected"), [(InMemory(), True), (Renamed(), True), (Slower(), False), (None, False)]
)
def test_a_promise_is_about_the_method_it_stands_beside(subject: object, expected: bool) -> None:
    """A subclass that waits after all is guarded, without having to know of the promise."""
    assert never_waits(subject, "record") is expected
