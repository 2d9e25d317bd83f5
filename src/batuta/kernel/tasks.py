"""Small helpers around asyncio tasks."""

import asyncio
from collections.abc import Coroutine, Iterable
from functools import lru_cache
from typing import Any, TypeVar, cast

from batuta.kernel.errors import Suspended

T = TypeVar("T")


async def await_shielded(work: Coroutine[Any, Any, T]) -> T:
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


def promises(subject: object, promise: str, *, of: str) -> bool:
    """Whether `subject` makes a promise about its method `of`.

    It has to stand in the class that defines that method: a subclass with its own has to promise anew.
    """
    kind: Any = type(subject)  # any class has a hash, which mypy does not believe of `type[object]`
    return _stands_beside(kind, promise, of) and bool(getattr(subject, promise))


@lru_cache(maxsize=256)
def _stands_beside(kind: type, promise: str, of: str) -> bool:
    """Whether the class that defines a method makes a promise, too. Every run asks this of its sink and its journal."""
    return promise in next((vars(base) for base in kind.__mro__ if of in vars(base)), ())


def never_waits(subject: object, method: str) -> bool:
    """Whether a coroutine method promises never to suspend: no cancellation can reach it, so nothing guards it."""
    return promises(subject, "never_waits", of=method)


async def all_or_first_failure(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Every result in order, or the first failure as it is, with the others cancelled.

    One that suspends lets the others finish first, so that nothing is torn off in the middle of an effect.

    Not a `TaskGroup`: that counts its own abort as a cancellation of this task and, on Python 3.11, never takes it
    back, so that a deadline around it is no longer recognised; and it hides a cancellation behind a task that fails
    because of it.
    """
    suspensions: list[Suspended] = []

    async def guarded(one: Coroutine[Any, Any, T]) -> T | None:
        try:
            return await one
        except Suspended as suspended:
            suspensions.append(suspended)
            return None

    tasks = [asyncio.create_task(guarded(one)) for one in work]
    if not tasks:
        return []
    done: set[asyncio.Task[T | None]] = set()
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        if len(done) < len(tasks):
            await await_shielded(cancelled(tasks))
    ended = (task for task in tasks if task in done and not task.cancelled())
    failures = [failure for task in ended if (failure := task.exception()) is not None]  # each is looked at
    if failures:
        raise failures[0]
    if suspensions:
        raise suspensions[0]
    return [cast("T", task.result()) for task in tasks]


async def cancelled(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until they have ended, however they do."""
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
