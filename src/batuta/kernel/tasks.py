"""Small helpers around asyncio tasks."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar, cast

from batuta.kernel.errors import Suspended

T = TypeVar("T")


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Await something to its end even if this task is cancelled meanwhile; the cancellation is raised after it."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            if not task.done() or not task.cancelled():
                cancelled = error
        except Exception:
            break
    if cancelled is not None:
        if not task.cancelled():
            task.exception()  # seen, so that asyncio does not report it as lost
        raise cancelled
    return task.result()


async def all_or_first_failure(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Every result in order, or the first failure as it is, with the others cancelled.

    One that suspends lets the others finish first, so that nothing is torn off in the middle of an effect.
    """
    owner = asyncio.current_task()
    assert owner is not None
    requests = owner.cancelling()
    suspensions: list[Suspended] = []

    async def guarded(one: Coroutine[Any, Any, T]) -> T | None:
        try:
            return await one
        except Suspended as suspended:
            suspensions.append(suspended)
            return None

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(guarded(one)) for one in work]
    except BaseExceptionGroup as failures:
        if owner.cancelling() > requests:  # a task that fails while it is stopped does not hide who stopped it
            raise asyncio.CancelledError from failures.exceptions[0]
        raise failures.exceptions[0] from None
    if suspensions:
        raise suspensions[0]
    return [cast("T", task.result()) for task in tasks]
