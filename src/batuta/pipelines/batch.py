"""Many inputs through one step: bounded in flight, in order or as completed, errors as values."""

import asyncio
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Sized
from dataclasses import dataclass
from typing import Any, TypeVar

from batuta.pipelines.result import StepResult

T = TypeVar("T")

Start = Callable[[T], Awaitable[StepResult[Any]]]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch is; `total` is `None` while the number of inputs is not known."""

    done: int
    failed: int
    total: int | None


class Meter:
    """Counts results and tells whoever wants to know."""

    def __init__(self, inputs: object, tell: Callable[[Progress], None] | None) -> None:
        self._total = len(inputs) if isinstance(inputs, Sized) else None
        self._tell = tell
        self._done = 0
        self._failed = 0

    def count(self, result: StepResult[Any]) -> StepResult[Any]:
        """Count one result."""
        self._done += 1
        self._failed += result.is_error
        if self._tell is not None:
            self._tell(Progress(self._done, self._failed, self._total))
        return result


async def in_order(inputs: AsyncIterator[T], start: Start[T], limit: int) -> AsyncIterator[StepResult[Any]]:
    """Results in the order of their inputs; a slow one holds back at most `limit` finished ones behind it."""
    slots = asyncio.Semaphore(limit)
    waiting: deque[asyncio.Task[StepResult[Any]]] = deque()
    try:
        async for value in inputs:
            waiting.append(asyncio.create_task(_with_slot(slots, start, value)))
            while len(waiting) >= 2 * limit or (waiting and waiting[0].done()):
                yield await waiting.popleft()
        while waiting:
            yield await waiting.popleft()
    finally:
        await _stop(waiting)


async def as_completed(inputs: AsyncIterator[T], start: Start[T], limit: int) -> AsyncIterator[StepResult[Any]]:
    """Results as soon as they are there."""
    running: set[asyncio.Task[StepResult[Any]]] = set()
    try:
        async for value in inputs:
            running.add(asyncio.ensure_future(start(value)))
            if len(running) >= limit:
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
        for next_done in asyncio.as_completed(running):
            yield await next_done
    finally:
        await _stop(running)


async def each(inputs: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    """The items of either kind of iterable."""
    if isinstance(inputs, AsyncIterable):
        async for value in inputs:
            yield value
    else:
        for value in inputs:
            yield value


async def _with_slot(slots: asyncio.Semaphore, start: Start[T], value: T) -> StepResult[Any]:
    async with slots:
        return await start(value)


async def _stop(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel what still runs and wait for it: nothing outlives the batch."""
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
