"""Many inputs through one step: bounded in flight, in order or as completed, errors as values."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable, Sized
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from batuta.kernel.errors import Suspended
from batuta.kernel.tasks import await_shielded, cancelled
from batuta.pipelines.result import StepResult

T = TypeVar("T")

Start = Callable[[int, T], Awaitable[StepResult[Any]]]
"""Runs one input, given its number, from 1."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch is; `total` is `None` while the number of inputs is not known."""

    done: int
    failed: int
    total: int | None


class Meter:
    """Counts results and reports progress."""

    def __init__(self, inputs: object, announce: Callable[[Progress], None] | None) -> None:
        self._total = len(inputs) if isinstance(inputs, Sized) else None
        self._announce = announce
        self._done = 0
        self._failed = 0

    def count(self, result: StepResult[Any]) -> StepResult[Any]:
        """Count one result."""
        self._done += 1
        self._failed += result.is_error
        if self._announce is not None:
            self._announce(Progress(self._done, self._failed, self._total))
        return result


async def results(
    inputs: Iterable[T] | AsyncIterable[T], start: Start[T], limit: int, *, ordered: bool
) -> AsyncGenerator[StepResult[Any], None]:
    """What comes of every input, in their order or as soon as it is there.

    At most `limit` run at once, and as many again wait to be taken: a slow consumer slows the batch.
    """
    ready: asyncio.Queue[asyncio.Task[StepResult[Any]] | None] = asyncio.Queue()
    room = asyncio.Semaphore(2 * limit)
    begun: set[asyncio.Task[StepResult[Any]]] = set()
    feeder = asyncio.create_task(_feed(_Feed(inputs, start, limit, ordered), begun, ready, room))
    try:
        while (task := await ready.get()) is not None:
            yield await task
            begun.discard(task)
            room.release()
        await feeder
    except Suspended:  # those under way finish first, so that nothing is torn off in the middle of an effect
        feeder.cancel()
        await await_shielded(asyncio.wait([feeder, *begun]))
        raise
    finally:
        await await_shielded(cancelled([feeder, *begun]))


@dataclass(frozen=True, slots=True)
class _Feed(Generic[T]):
    inputs: Iterable[T] | AsyncIterable[T]
    start: Start[T]
    limit: int
    is_ordered: bool


async def _feed(
    feed: _Feed[T],
    begun: set[asyncio.Task[StepResult[Any]]],
    ready: "asyncio.Queue[asyncio.Task[StepResult[Any]] | None]",
    room: asyncio.Semaphore,
) -> None:
    """Begin one run for every input as soon as there is room, and say at last that there are no more."""
    slots = asyncio.Semaphore(feed.limit)
    number = 0
    try:
        async with aclosing(_each(feed.inputs)) as values:
            async for value in values:
                number += 1
                await room.acquire()
                await slots.acquire()
                task = asyncio.ensure_future(feed.start(number, value))
                begun.add(task)
                task.add_done_callback(lambda _: slots.release())
                if feed.is_ordered:
                    ready.put_nowait(task)
                else:
                    task.add_done_callback(ready.put_nowait)
    finally:
        running = [task for task in begun if not task.done()]
        if running and not feed.is_ordered:
            await asyncio.wait(running)
        ready.put_nowait(None)


async def _each(inputs: Iterable[T] | AsyncIterable[T]) -> AsyncGenerator[T, None]:
    """The items of either kind of iterable."""
    if isinstance(inputs, AsyncIterable):
        async for value in inputs:
            yield value
    else:
        for value in inputs:
            yield value
