"""The worker of jobs: a lane of its own on the queue, so that a thousand files do not delay a chat (P-36).

    lease -> handler, with progress -> finish | retry later | give back

A handler can be run again after a kill at any point: it leaves nothing half done that a second run would double.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from batuta.events.queue import Lease, TurnQueue, WorkStatus
from batuta.kernel.errors import FencedError, LogicalError, StoreUnavailableError
from batuta.kernel.ids import new_id
from batuta.server.jobs.service import Jobs

log = logging.getLogger("batuta.jobs")

IDLE = timedelta(milliseconds=400)
REPAIR_EVERY = timedelta(seconds=5)
STALE = timedelta(seconds=15)
RETRY_DELAY = timedelta(seconds=2)
BEATS_PER_LEASE = 4
SHOWN_EVERY = timedelta(milliseconds=250)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRun:
    """One attempt at a job, as its handler sees it."""

    job_id: str
    subject_id: str
    user_id: str
    attempt: int
    progress: Callable[[int, int], Awaitable[None]]
    """Tells how much is done, of how much."""


JobHandler = Callable[[JobRun], Awaitable[None]]
"""Does a job. A `LogicalError` ends it as failed, with its words; any other error is tried again."""


Chore = Callable[[], Awaitable[object]]
"""Looks every few seconds after what processes that died left half done."""


async def no_wait() -> None:
    """Nothing is more urgent."""


class _Progress:
    """Writes how far a job is, a few times a second: one that is done before that needs no word about it."""

    def __init__(self, write: Callable[[int, int], Awaitable[None]], give_way: Callable[[], Awaitable[None]]) -> None:
        self._write = write
        self._give_way = give_way
        self._latest = (0, 0)
        self._writing: asyncio.Task[None] | None = None

    async def __call__(self, done: int, total: int) -> None:
        self._latest = (done, total)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._later())
        await self._give_way()

    async def _later(self) -> None:
        await asyncio.sleep(SHOWN_EVERY.total_seconds())
        with contextlib.suppress(StoreUnavailableError):  # the job itself says what is wrong
            await self._write(*self._latest)

    async def close(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.gather(self._writing, return_exceptions=True)


@dataclass(slots=True)
class JobWorker:
    """Runs jobs until it is stopped."""

    queue: TurnQueue
    jobs: Jobs
    handlers: Mapping[str, JobHandler]
    chores: Sequence[Chore] = ()
    give_way: Callable[[], Awaitable[None]] = no_wait
    """Waits for what is more urgent: asked before a job and between its steps."""
    concurrency: int = 2
    lease: timedelta = timedelta(seconds=30)
    owner: str = field(default_factory=lambda: f"jobs-{new_id()}")
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """There may be work."""
        self._wake.set()

    async def run(self) -> None:
        """Run jobs until cancelled; what is running then is given back to another worker."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._repair())
            for _ in range(self.concurrency):
                group.create_task(self._lane())

    async def run_until_idle(self) -> int:
        """Run everything that may run now: how many jobs that were."""
        count = 0
        while (leased := await self._next()) is not None:
            await self._work(leased)
            count += 1
        return count

    async def _lane(self) -> None:
        while True:
            leased = await self._next()
            if leased is not None:
                await self._work(leased)
                continue
            self._wake.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(IDLE.total_seconds()):
                    await self._wake.wait()

    async def _next(self) -> Lease | None:
        await self.give_way()
        try:
            return await self.queue.lease(self.owner, length=self.lease, kinds=tuple(self.handlers))
        except StoreUnavailableError as error:
            log.warning("the queue cannot be reached: %s", error)
            return None

    async def _work(self, lease: Lease) -> None:
        try:
            await self._attempt(lease)
        except FencedError:
            log.warning("job %s was taken over by another worker", lease.work.turn_id)
        except StoreUnavailableError as error:
            log.warning("job %s waits for the store: %s", lease.work.turn_id, error)
            with contextlib.suppress(FencedError, StoreUnavailableError):  # else its lease runs out
                await self.queue.release(lease, delay=RETRY_DELAY)
        except asyncio.CancelledError:
            with contextlib.suppress(FencedError, StoreUnavailableError):
                await asyncio.shield(self.queue.release(lease))
            raise

    async def _attempt(self, lease: Lease) -> None:
        work = lease.work
        progress = _Progress(lambda done, total: self.jobs.progress(work.turn_id, done, total), self.give_way)
        run = JobRun(
            job_id=work.turn_id,
            subject_id=str(work.payload.get("subject_id", "")),
            user_id=work.user_id or "",
            attempt=work.attempts,
            progress=progress,
        )
        doing = asyncio.ensure_future(self.handlers[work.kind](run))
        try:
            is_stopped = await self._kept_alive(lease, doing)
        finally:
            await progress.close()
        try:
            await doing
        except asyncio.CancelledError:
            if not is_stopped:
                raise
            await self.queue.finish(lease, "cancelled")
            await self.jobs.end(work.turn_id, "cancelled")
        except LogicalError as error:
            await self.queue.finish(lease, "failed", error=str(error))
            await self.jobs.end(work.turn_id, "failed", str(error))
        except StoreUnavailableError:
            raise
        except Exception as error:
            log.exception("job %s broke", work.turn_id)
            # Only its kind: what an exception quotes may be the content of a file.
            if await self.queue.retry(lease, type(error).__name__, delay=RETRY_DELAY) is WorkStatus.DEAD:
                await self.jobs.end(work.turn_id, "failed", "It broke several times. Try again later.")
        else:
            await self.queue.finish(lease, "completed")
            await self.jobs.end(work.turn_id, "completed")

    async def _kept_alive(self, lease: Lease, doing: "asyncio.Future[None]") -> bool:
        """Renew the lease until the work ends; whether it was stopped."""
        seconds = self.lease.total_seconds() / BEATS_PER_LEASE
        try:
            while True:
                done, _ = await asyncio.wait([doing], timeout=seconds)
                if done:
                    return False
                if await self.queue.heartbeat(lease):
                    doing.cancel()
                    await asyncio.wait([doing])
                    return True
        except BaseException:
            doing.cancel()
            raise

    async def _repair(self) -> None:
        while True:
            try:
                await self.queue.recover()
                if await self.jobs.repair(older_than=STALE):
                    self._wake.set()
                for chore in self.chores:
                    await chore()
            except StoreUnavailableError as error:
                log.warning("the repair of jobs failed: %s", error)
            await asyncio.sleep(REPAIR_EVERY.total_seconds())
