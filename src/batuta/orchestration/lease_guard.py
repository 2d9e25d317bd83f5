"""Owning a turn while it runs: its lease is kept alive, and nothing is recorded once it is lost."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable
from typing import NoReturn, Protocol

from batuta.events.envelope import Event
from batuta.events.queue import Lease, TurnQueue
from batuta.events.sink import OnStored, PipelinedRecorder
from batuta.kernel.errors import BatutaError, FencedError, StoreUnavailableError
from batuta.kernel.tasks import await_shielded
from batuta.pipelines.cancellation import Cancellation


class StopSignals(Protocol):
    """Hints that a turn was stopped; the queue has the last word."""

    async def wait(self, turn_id: str) -> None:
        """Return when this turn was asked to stop."""
        ...


class LeaseGuard:
    """Keeps a lease alive while a turn runs, and stops the run when it is lost or the turn is stopped."""

    def __init__(self, queue: TurnQueue, lease: Lease, cancellation: Cancellation, signals: StopSignals | None) -> None:
        self._queue = queue
        self._lease = lease
        self._cancellation = cancellation
        self._signals = signals
        self._tasks: list[asyncio.Task[None]] = []
        self._is_lost = False
        self._time = asyncio.get_running_loop().time
        self._renewed(self._time())

    @property
    def is_lost(self) -> bool:
        """True if the lease was taken over, given up, or has run out: a process that was frozen learns it here, before
        it does anything more.
        """
        return self._is_lost or self._time() > self._expires

    def give_up(self) -> None:
        """Another owner goes on with the turn."""
        self._is_lost = True

    async def __aenter__(self) -> None:
        if self._lease.work.is_cancelled:
            self._cancellation.cancel()
        self._tasks.append(asyncio.create_task(self._beat()))
        if self._signals is not None:
            self._tasks.append(asyncio.create_task(self._listen(self._signals)))

    async def __aexit__(self, *_: object) -> None:
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _beat(self) -> None:
        pause = self._lease.length.total_seconds() / 3
        while True:
            await asyncio.sleep(pause)
            sent = self._time()
            try:
                if await self._queue.heartbeat(self._lease):
                    self._cancellation.cancel()
                self._renewed(sent)
            except FencedError:
                self.give_up()
                self._cancellation.cancel("another worker took this turn over")
                return
            except StoreUnavailableError:
                continue  # the lease outlives a missed beat or two

    async def _listen(self, signals: StopSignals) -> None:
        await signals.wait(self._lease.work.turn_id)
        self._cancellation.cancel()

    def _renewed(self, at: float) -> None:
        self._expires = at + self._lease.length.total_seconds()


class OwnersRecorder:
    """Records while the lease is held: an owner that lost it stops at the next event, or at the next barrier if it has
    nothing to emit. It must not even record that it stopped: the turn goes on.
    """

    def __init__(self, recorder: PipelinedRecorder, guard: LeaseGuard) -> None:
        self._recorder = recorder
        self._guard = guard

    def submit(self, event: Event, on_stored: OnStored | None = None) -> Awaitable[None] | None:
        if self._guard.is_lost:
            self._refuse()
        return self._recorder.submit(event, on_stored)

    async def barrier(self) -> None:
        await self._recorder.barrier()
        if self._guard.is_lost:
            self._refuse()

    async def record(self, event: Event) -> Event:
        if self._guard.is_lost:
            self._refuse()
        return await self._recorder.record(event)

    def _refuse(self) -> NoReturn:
        # For good: a heartbeat that comes through late must not let it record that the turn failed here.
        self._guard.give_up()
        raise FencedError("the lease of this turn is over; another owner goes on with it")


@contextlib.asynccontextmanager
async def owners_recorder(recorder: PipelinedRecorder, guard: LeaseGuard) -> AsyncIterator[OwnersRecorder]:
    """The recorder of an owner; after the block nothing of this owner is on its way to the log any more."""
    try:
        yield OwnersRecorder(recorder, guard)
    finally:
        with contextlib.suppress(BatutaError):
            await await_shielded(recorder.barrier())
