# ruff: noqa: SLF001 - each operation of a store is put at the end of a line
"""A store at the other end of a simulated line: log, queue and read models of each process, on one store in memory.

Every operation happens at once over there and takes its way there and back: `SimulatedLoop.outside`.
"""

import asyncio
import copy
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, TypeVar, cast

from batuta.events.admission import Batch
from batuta.events.log import Appended
from batuta.eventstore.doorbells import Bells
from batuta.eventstore.memory import MemoryEventLog, MemoryStore
from batuta.eventstore.memory_projections import MemoryProjections
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.kernel.errors import StoreUnavailableError
from batuta.testing.simulation.loop import SimulatedLoop

T = TypeVar("T")
Method = Callable[..., Coroutine[Any, Any, T]]


class WitnessedStore(MemoryStore):
    """A store that remembers with which fence each event came in."""

    def __init__(self) -> None:
        super().__init__()
        self.fences: dict[str, int] = {}

    def of_another_process(self) -> "WitnessedStore":
        """The same rows, with bells that ring in one process only."""
        view = copy.copy(self)
        view.bells = Bells()
        return view

    def append(self, batch: Batch) -> Appended:
        """Store a batch, and note whose it was: without a fence it counts as the newest owner's."""
        highest = self.session(batch.session_id).head.fence
        appended = super().append(batch)
        if appended.is_new:
            self.fences |= dict.fromkeys((e.event_id for e in batch.entries), batch.fence or highest)
        return appended


def _distant(method: Method[T]) -> Method[T]:
    """A method that never waits, made one whose caller does."""

    @wraps(method)
    async def call(self: Any, *args: Any, **options: Any) -> T:
        loop = cast("SimulatedLoop", asyncio.get_running_loop())
        return await loop.outside(lambda: _at_once(method(self, *args, **options)), StoreUnavailableError)

    return call


def _at_once(work: Coroutine[Any, Any, T]) -> T:
    try:
        work.send(None)
    except StopIteration as end:
        return cast("T", end.value)
    work.close()
    raise AssertionError("an operation of a store in memory waited for something")


class DistantMemoryLog(MemoryEventLog):
    """The log of one process."""

    never_waits = False
    _store = _distant(MemoryEventLog._store)
    read_stored = _distant(MemoryEventLog.read_stored)
    head = _distant(MemoryEventLog.head)
    heads = _distant(MemoryEventLog.heads)
    sessions = _distant(MemoryEventLog.sessions)


class DistantMemoryQueue(MemoryTurnQueue):
    """The queue of one process."""

    lease = _distant(MemoryTurnQueue.lease)
    get = _distant(MemoryTurnQueue.get)
    stopped = _distant(MemoryTurnQueue.stopped)
    find = _distant(MemoryTurnQueue.find)
    depth = _distant(MemoryTurnQueue.depth)
    _accept = _distant(MemoryTurnQueue._accept)
    _change = _distant(MemoryTurnQueue._change)
    _requeue = _distant(MemoryTurnQueue._requeue)
    _lost_often = _distant(MemoryTurnQueue._lost_often)


class DistantMemoryProjections(MemoryProjections):
    """The read models as one process reaches them."""

    due = _distant(MemoryProjections.due)
    project = _distant(MemoryProjections.project)
    projected = _distant(MemoryProjections.projected)
