"""Phase one of persistence: number the events of a turn and append them, or nothing.

    submit(event) -> waits here, in order -> log.append_batch -> `on_stored` with its position
    barrier()     -> returns when everything submitted before it is durable
                     (for `sync_required`: and its read-model rows are committed)

The run goes on while its events are stored. They are appended in the order of emission, one batch after the other,
so what a crash leaves in the log is a prefix of the run's events. A batch goes out when a caller waits at a barrier,
when it is large enough, or when its first event has waited long enough to be worth showing.

Concurrent turns share commits in the log. A store that is away for a moment is asked again: the same batch under the
same ids is stored once. If it stays away, this owner can store nothing more and its turn is given back.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import NamedTuple, Protocol

from batuta.events.admission import Admitted, Batch, admit_one
from batuta.events.envelope import Event
from batuta.events.log import Appended, EventLog
from batuta.events.sink import OnStored
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import BatutaError, RecordingFailedError, StoreUnavailableError
from batuta.kernel.ids import canonical_id, session_id
from batuta.kernel.tasks import never_waits


class Projected(Protocol):
    """Brings read models up to a position; a `Projector` does."""

    async def ensure(self, session: str, seq: int) -> None:
        """Return when the read models of the session are at this position."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often an absent store is asked again, and how long it is given in between."""

    attempts: int = 4
    first_pause_seconds: float = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class FlushPolicy:
    """When events go to the log although no barrier waits for them, and how many may be pending (S-7)."""

    linger: timedelta = timedelta(milliseconds=10)
    batch_events: int = 64
    most_waiting_events: int = 256
    most_waiting_bytes: int = 4_194_304


class _Submitted(NamedTuple):
    event: Event
    entry: Admitted | None
    """Its stored form; nothing for an event that is shown in its turn but not stored."""
    on_stored: OnStored | None


class TurnRecorder:
    """The `PipelinedRecorder` of one owner of a turn.

    `history` holds the events of the turn that the log has already: a repeated run emits them again under the
    same ids, and gets them back as they were stored first.
    """

    never_waits = False
    """Whether the log stores at once, so that no cancellation can reach what is recorded here."""

    def __init__(
        self,
        log: EventLog,
        session: str,
        *,
        fence: int | None = None,
        projector: Projected | None = None,
        history: Iterable[Event] = (),
        patience: Patience = Patience(),  # noqa: B008 - frozen
        flushing: FlushPolicy = FlushPolicy(),  # noqa: B008 - frozen
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._log = log
        self._session_id = session_id(session)
        self._fence = fence
        self._projector = projector
        self._history: dict[str, Event] = {event.event_id: event for event in history}
        self._patience = patience
        self._flushing = flushing
        self._clock = clock
        self.never_waits = projector is None and never_waits(log, "append_batch")
        self._queue: deque[_Submitted] = deque()
        self._queued_bytes = 0
        self._submitted = 0
        self._settled = 0
        """How many of those submitted are durable, or were not to be stored, and have been shown."""
        self._waiters: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._failure: BatutaError | None = None

    def submit(self, event: Event, on_stored: OnStored | None = None) -> Awaitable[None] | None:
        """See `PipelinedRecorder.submit`. Raises at once what the log would refuse (`EventRefusedError`)."""
        if self._failure is not None:
            raise self._failure
        submitted = self._prepared(event, on_stored)
        if submitted.entry is None and self._submitted == self._settled:
            _show(submitted)
            return None
        self._queue.append(submitted)
        self._submitted += 1
        waiting, flushing = self._submitted - self._settled, self._flushing
        if waiting >= flushing.most_waiting_events or self._queued_bytes >= flushing.most_waiting_bytes:
            return self.barrier()
        if self._task is None:
            if waiting >= flushing.batch_events:
                self._start()
            elif self._timer is None:
                seconds = flushing.linger.total_seconds()
                self._timer = asyncio.get_running_loop().call_later(seconds, self._start)
        return None

    async def barrier(self) -> None:
        """See `PipelinedRecorder.barrier`.

        Raises:
            RecordingFailedError: the store stayed away; whether the last batch is stored is unknown.
            FencedError, ConflictError: as `EventLog.append`.
        """
        if self._failure is None and self._settled < self._submitted:
            if self.never_waits:
                await self._drain()
            else:
                durable = asyncio.get_running_loop().create_future()
                self._waiters.append((self._submitted, durable))
                if self._task is None:
                    self._start()
                await durable
        if self._failure is not None:
            raise self._failure

    async def record(self, event: Event) -> Event:
        """Store one event and return it as stored (with its position)."""
        stored: list[Event] = []
        self.submit(event, stored.append)
        await self.barrier()
        return stored[0]

    def _prepared(self, event: Event, on_stored: OnStored | None) -> _Submitted:
        if event.is_transient:
            return _Submitted(event, None, on_stored)
        if self._history and (earlier := self._history.get(canonical_id(event.event_id))) is not None:
            return _Submitted(earlier, None, on_stored)
        admitted, entry = admit_one(self._session_id, event, self._log.limits)
        self._queued_bytes += len(entry.payload)
        return _Submitted(admitted, entry, on_stored)

    def _start(self) -> None:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._drain(), name="batuta-recorder")

    async def _drain(self) -> None:
        """Store batches until no barrier waits and what is left is small enough to wait for more."""
        try:
            self._cancel_timer()
            while self._queue:
                await self._store(self._next_batch())
                if not self._waiters and not self.never_waits and len(self._queue) < self._flushing.batch_events:
                    break
        except BatutaError as error:
            self._fail(error)
        except Exception as error:
            failure = RecordingFailedError(f"the log did not take events of session {self._session_id}: {error}")
            failure.__cause__ = error
            self._fail(failure)
        except BaseException:
            self._fail(RecordingFailedError(f"the recorder of session {self._session_id} was shut down"))
            raise
        finally:
            self._task = None
        if self._queue:
            self._timer = asyncio.get_running_loop().call_later(self._flushing.linger.total_seconds(), self._start)

    def _next_batch(self) -> list[_Submitted]:
        """What goes together now, in order. One id twice makes two batches: the log says whether that is a conflict."""
        batch: list[_Submitted] = []
        ids: set[str] = set()
        for submitted in islice(self._queue, self._flushing.most_waiting_events):
            if (entry := submitted.entry) is not None:
                if entry.event_id in ids:
                    break
                ids.add(entry.event_id)
                self._queued_bytes -= len(entry.payload)
            batch.append(submitted)
        for _ in batch:
            self._queue.popleft()
        return batch

    async def _store(self, batch: list[_Submitted]) -> None:
        """Append a batch, and when it is durable show its events and let go those who waited for it."""
        stored = [one for one in batch if one.entry is not None]
        seq = 0
        if stored:
            events = tuple([one.event for one in stored])
            entries = tuple([one.entry for one in stored if one.entry is not None])
            appended = await self._append(Batch(self._session_id, events, entries, self._fence))
            seq = appended.first_seq
            # Events that must not be seen before their rows in the read models wait for these.
            needed = [at for at, event in enumerate(events, seq) if event.is_sync_required]
            if needed and self._projector is not None:
                await self._projector.ensure(self._session_id, needed[-1])
        for one in batch:
            if one.entry is None:
                _show(one)
                continue
            if one.on_stored is not None:
                one.on_stored(one.event.placed(self._session_id, seq))
            seq += 1
        self._settled += len(batch)
        while self._waiters and self._waiters[0][0] <= self._settled:
            _, waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)

    async def _append(self, batch: Batch) -> Appended:
        pause = self._patience.first_pause_seconds
        for attempt in range(1, self._patience.attempts + 1):
            try:
                return await self._log.append_batch(batch)
            except StoreUnavailableError as error:
                if attempt == self._patience.attempts:
                    raise RecordingFailedError(
                        f"the log did not take {len(batch.entries)} events in {attempt} attempts: {error}"
                    ) from error
            await self._clock.sleep(pause)
            pause *= 2
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _fail(self, failure: BatutaError) -> None:
        """From now on this owner stores nothing: what was emitted after the failed batch would leave a hole."""
        self._failure = failure
        self._queue.clear()
        self._cancel_timer()
        while self._waiters:
            _, waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)  # it looks at the failure itself

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _show(submitted: _Submitted) -> None:
    if submitted.on_stored is not None:
        submitted.on_stored(submitted.event)
