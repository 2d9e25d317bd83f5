"""The worker: leases turns from the queue and runs them; if it dies, another worker goes on.

    lease -> read the log -> conduct (recorded effects come back, new ones are recorded) -> finish | pause | retry

Everything a turn needs to go on elsewhere is in the log before anything outside depends on it. While a turn runs its
lease is kept alive; a lease that is lost, or a stop, ends the run at once. A stop arrives by `StopSignals` where there
are any, and in any case by polling the queue several times a second.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol, Self

from batuta.events.emitter import TurnNaming
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.observers import FanOutSink
from batuta.events.queue import TURN, Lease, Outcome, TurnQueue
from batuta.events.runtime import TurnResumed, TurnStarted
from batuta.events.sink import EventSink, PipelinedRecorder, Recorder
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.events.turn_ends import decision_key, end_in, ends_of_lost_calls, expiry_of, is_expired, undecided_in
from batuta.kernel.clock import SYSTEM_CLOCK
from batuta.kernel.errors import (
    FencedError,
    IdempotencyConflictError,
    RecordingFailedError,
    StoreUnavailableError,
)
from batuta.kernel.ids import new_id
from batuta.kernel.tasks import cancelled
from batuta.orchestration.approvals import allow_remembered
from batuta.orchestration.conducting import TurnRequest
from batuta.orchestration.endings import refuse_what_is_asked, write_end
from batuta.orchestration.lease_guard import LeaseGuard, StopSignals, owners_recorder
from batuta.orchestration.memory import SessionPasts, conversation_before, decisions_in, remembered_calls
from batuta.orchestration.orchestrator import Orchestrator, Turn, TurnOptions
from batuta.pipelines.cancellation import Cancellation
from batuta.pipelines.journal import Journal
from batuta.pipelines.options import RunOptions
from batuta.tools.context import ToolUser

log = logging.getLogger("batuta.worker")

IDLE = timedelta(milliseconds=250)
STOP_LOOK = timedelta(milliseconds=75)
"""How often a worker looks whether one of its turns was stopped: the provider is left within 200 ms."""
RETRY_DELAY = timedelta(seconds=2)
RECOVERY_EVERY = timedelta(seconds=3)
"""At the latest; a worker with short leases looks more often for those that ran out."""
ADMISSION_LOOK = timedelta(seconds=1)
"""How often a worker asks whether a running turn may go on."""
LOOKS_PER_LEASE = 10
"""How long a turn waits for a look after its lease ran out, as a part of the lease. A look is one read of an index."""


class PersistenceFactory(Protocol):
    """Makes the recorder and the journal of each lease."""

    def recorder(self, lease: Lease, history: Sequence[Event]) -> PipelinedRecorder:
        """The recorder of one owner; `history` is what the log holds of the turn already."""
        ...

    def journal(self, lease: Lease, recorder: Recorder, history: Sequence[Event]) -> Journal:
        """The journal of one owner."""
        ...


class TurnStore(PersistenceFactory, Protocol):
    """Log, queue and persistence in one object, such as `batuta.eventstore.teams.TeamStore`."""

    log: EventLog
    queue: TurnQueue


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """How a worker works."""

    owner: str = field(default_factory=new_id)
    """Names this worker in the log; no two that live at once share it."""
    concurrency: int = 8
    lease: timedelta = timedelta(seconds=30)
    drain: timedelta = timedelta(seconds=10)
    """How long a stopping worker lets its turns finish before it gives them back."""
    options: Callable[[Lease], RunOptions | Awaitable[RunOptions]] = field(default=lambda lease: RunOptions())
    """What every run is given besides: tools' invoker, protection, budgets, services."""
    admit: Callable[[Lease], Awaitable[str | None]] | None = None
    """Says why a turn may not run, or not any more; asked before it runs and again while it does."""
    watch: Callable[[Lease, Sequence[Event]], EventSink | None] = field(default=lambda lease, history: None)
    """Who watches a run. What the log holds of the turn already (`history`) is not sent to it again."""


class TurnWorker:
    """Runs turns until it is stopped."""

    def __init__(
        self,
        team: Orchestrator,
        queue: TurnQueue,
        events: EventLog,
        persistence: PersistenceFactory,
        settings: WorkerSettings,
        *,
        signals: StopSignals | None = None,
        live: EventSink | None = None,
    ) -> None:
        self._team = team
        self._queue = queue
        self._log = events
        self._persistence = persistence
        self._settings = settings
        self._signals = signals
        self._live = live
        self._wake = asyncio.Event()
        self._stops = _StopWatch(queue)
        self._pasts = SessionPasts(events)

    @classmethod
    def at(
        cls,
        store: TurnStore,
        team: Orchestrator,
        settings: WorkerSettings | None = None,
        *,
        live: EventSink | None = None,
    ) -> Self:
        """A worker of a team at a store that is log, queue and persistence in one."""
        return cls(team, store.queue, store.log, store, settings or WorkerSettings(), live=live)

    def ring(self) -> None:
        """There may be work: look at once instead of at the next interval."""
        self._wake.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Lease and run turns until `stop` is set; then finish or give back what is running."""
        running: set[asyncio.Task[None]] = set()
        scan = asyncio.create_task(self._scan(stop))
        try:
            while not stop.is_set():
                lease = await self._next() if len(running) < self._settings.concurrency else None
                if lease is None:
                    await self._rest(stop, running)
                    continue
                task = asyncio.create_task(self.run_turn(lease))
                running.add(task)
                task.add_done_callback(running.discard)
                task.add_done_callback(lambda _: self._wake.set())
        finally:
            scan.cancel()
            await self._drain(running)
            with contextlib.suppress(asyncio.CancelledError):
                await scan

    async def run_until_idle(self) -> int:
        """Run everything that may run now, one after the other; how many turns that were.

        That includes turns whose owner's lease has run out, and those that were decided without being resumed.
        """
        count = 0
        await self._recover()
        while (lease := await self._next()) is not None:
            await self.run_turn(lease)
            count += 1
        return count

    async def run_turn(self, lease: Lease) -> None:
        """Run one leased turn to its end, its pause, or the loss of its lease."""
        cancellation = Cancellation()
        guard = LeaseGuard(self._queue, lease, cancellation, self._signals)
        try:
            async with (
                guard,
                self._stops.watching(lease.work.turn_id, cancellation),
                _admitted(self._settings, lease, cancellation),
            ):
                await _given_up_if_cancelled(self._conduct(lease, cancellation, guard), guard)
        except FencedError:
            log.warning("turn %s was taken over by another owner", lease.work.turn_id)
        except (StoreUnavailableError, RecordingFailedError) as error:
            await (self._set_down(lease, error) if _is_of_the_store(error) else self._give_back(lease, error))
        except asyncio.CancelledError:
            with contextlib.suppress(FencedError, StoreUnavailableError):
                await asyncio.shield(self._queue.release(lease))
            raise
        except Exception as error:
            log.exception("turn %s broke", lease.work.turn_id)
            await self._give_back(lease, error)

    async def _conduct(self, lease: Lease, cancellation: Cancellation, guard: LeaseGuard) -> None:
        past = await self._pasts.of_turn(
            str(lease.work.session_id), lease.work.turn_id, is_new=lease.work.resumed_by is None
        )
        history = [event for event in past if event.turn_id == lease.work.turn_id]
        ended = end_in(history)
        if ended is not None:
            await self._queue.finish(lease, _OUTCOMES[ended.status])
            return
        await _stop_if_refused(self._settings, lease, cancellation)
        given = self._settings.options(lease)
        options = await given if isinstance(given, Awaitable) else given
        lead = lease.at - options.get("clock", SYSTEM_CLOCK).now()
        history += await self._expire(lease, history)
        watcher = self._settings.watch(lease, history)
        new_events = None if watcher is None else _NewEvents(watcher, history)
        sinks = [one for one in (self._live, new_events) if one is not None]
        sink = FanOutSink(*sinks) if sinks else None
        async with owners_recorder(self._persistence.recorder(lease, history), guard) as recorder:
            lost = ends_of_lost_calls(history) if lease.work.resumed_by is not None else ()
            begun = [_opening(lease), *lost]
            for event in begun:
                if (waiting := recorder.submit(event, None if sink is None else sink.emit)) is not None:
                    await waiting
            run: RunOptions = {
                **options,
                **_identity(lease),
                "conversation": conversation_before(past, lease.work.turn_id),
                "recorder": recorder,
                "journal": self._persistence.journal(lease, recorder, history),
                "cancellation": cancellation,
                "sink": sink,
            }
            turn = await self._team.conduct(_turn(lease, past, history, lead), **run)
            if guard.is_lost:
                raise FencedError("the lease was lost while the turn ran")
            broken = turn.error.exception if turn.error is not None else None
            if isinstance(broken, (RecordingFailedError, StoreUnavailableError, FencedError)):
                raise broken  # the store broke, not the turn: it is not over, and its next owner repeats it
            if not cancellation.is_requested and await self._is_settled(lease, turn):
                return
            outcome = await self._end(lease, [*history, *begun, *turn.events], recorder, sink)
            await self._queue.finish(lease, outcome, error=_message(turn))

    async def _expire(self, lease: Lease, history: Sequence[Event]) -> list[Event]:
        """Expiry rejects. The decision is written under the key that every decision has, so that only one counts."""
        decided: list[Event] = []
        session = str(lease.work.session_id)
        for asked in (asked for asked in undecided_in(history) if is_expired(asked, lease.at)):
            late = expiry_of(asked)
            try:
                await self._log.append(session, [late], fence=lease.fence, client_key=decision_key(asked.approval_id))
            except IdempotencyConflictError:  # it was decided at the last moment
                decided += [
                    event
                    for event in await self._pasts.of_turn(session, lease.work.turn_id, is_new=False)
                    if isinstance(event, ApprovalResolved) and event.approval_id == asked.approval_id
                ]
            else:
                decided.append(late)
        return decided

    async def _is_settled(self, lease: Lease, turn: Turn) -> bool:
        """Write down how the turn ended, or that it waits; which it does not if it was stopped meanwhile."""
        if turn.waiting_for is not None:
            return await self._queue.pause(lease, waiting_for=turn.waiting_for, wake_at=_expiry(turn))
        await self._queue.finish(lease, _OUTCOMES[turn.status], error=_message(turn))
        return True

    async def _end(self, lease: Lease, history: Sequence[Event], recorder: Recorder, sink: EventSink | None) -> Outcome:
        """End a turn that was stopped: its run wrote how it ended, or had no chance to. Open requests are closed."""
        refused = await refuse_what_is_asked(self._log, lease, history)
        if sink is not None:
            for refusal in refused:
                sink.emit(refusal)
        ended = end_in(history)
        if ended is None:
            await write_end(lease, [*history, *refused], recorder, sink)
        return _OUTCOMES["cancelled" if ended is None else ended.status]

    async def _set_down(self, lease: Lease, error: Exception) -> None:
        """Give it back because the store takes nothing just now: no turn is to die of that, however long it lasts."""
        log.warning("turn %s waits for the store: %s", lease.work.turn_id, error)
        with contextlib.suppress(FencedError, StoreUnavailableError):
            await self._queue.release(lease, delay=RETRY_DELAY)

    async def _give_back(self, lease: Lease, error: Exception) -> None:
        with contextlib.suppress(FencedError, StoreUnavailableError):
            await self._queue.retry(lease, str(error), delay=RETRY_DELAY)

    async def _next(self) -> Lease | None:
        try:
            return await self._queue.lease(self._settings.owner, length=self._settings.lease, kinds=(TURN,))
        except StoreUnavailableError as error:
            log.warning("the queue cannot be reached: %s", error)
            return None

    async def _rest(self, stop: asyncio.Event, running: set[asyncio.Task[None]]) -> None:
        """Until the bell rings, a turn ends, the worker is stopped, or it is time to look again."""
        self._wake.clear()
        waits = [asyncio.create_task(self._wake.wait()), asyncio.create_task(stop.wait())]
        await asyncio.wait(waits, timeout=IDLE.total_seconds(), return_when=asyncio.FIRST_COMPLETED)
        await cancelled(waits)

    async def _scan(self, stop: asyncio.Event) -> None:
        """At the start and every so often: queue again what lost its owner."""
        while not stop.is_set():
            await self._recover()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(RECOVERY_EVERY, self._settings.lease / LOOKS_PER_LEASE).total_seconds()):
                    await stop.wait()

    async def _recover(self) -> None:
        """Queue again what lost its owner. A turn that lost too many is dead; its user and the log learn of it."""
        try:
            recovered = await self._queue.recover()
        except StoreUnavailableError as error:
            log.warning("the recovery scan failed: %s", error)
            return
        for turn_id in recovered.dead:
            log.error("turn %s is dead: it lost its owner too often; `batuta turns retry` tries it again", turn_id)
        if recovered.requeued or recovered.dead:
            log.info("recovered %d turns, %d are dead", len(recovered.requeued), len(recovered.dead))
            self._wake.set()

    async def _drain(self, running: set[asyncio.Task[None]]) -> None:
        tasks = set(running)
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=self._settings.drain.total_seconds())
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _stop_if_refused(settings: WorkerSettings, lease: Lease, cancellation: Cancellation) -> None:
    """Stop a turn whose user may not have it done any more."""
    reason = None if settings.admit is None else await settings.admit(lease)
    if reason is not None:
        log.warning("turn %s is stopped: %s", lease.work.turn_id, reason)
        cancellation.cancel(reason)


@contextlib.asynccontextmanager
async def _admitted(settings: WorkerSettings, lease: Lease, cancellation: Cancellation) -> AsyncIterator[None]:
    """Ask again and again within the block."""

    async def ask() -> None:
        while not cancellation.is_requested:
            await asyncio.sleep(ADMISSION_LOOK.total_seconds())
            with contextlib.suppress(StoreUnavailableError):  # the next look tells
                await _stop_if_refused(settings, lease, cancellation)

    asking = asyncio.create_task(ask())
    try:
        yield
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


class _StopWatch:
    """Polls the queue for stopped turns, for all turns of a worker at once: signals may get lost."""

    def __init__(self, queue: TurnQueue) -> None:
        self._queue = queue
        self._turns: dict[str, Cancellation] = {}
        self._looking: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def watching(self, turn_id: str, cancellation: Cancellation) -> AsyncIterator[None]:
        """Stop the run if that is wanted within the block."""
        self._turns[turn_id] = cancellation
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
        try:
            yield
        finally:
            del self._turns[turn_id]
            if not self._turns and self._looking is not None:
                looking, self._looking = self._looking, None
                await cancelled([looking])

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(STOP_LOOK.total_seconds())
            with contextlib.suppress(StoreUnavailableError):
                for turn_id in await self._queue.stopped(tuple(self._turns)):
                    if turn_id in self._turns:
                        self._turns[turn_id].cancel()


class _NewEvents(FanOutSink):
    """Gives a watcher what the log does not hold yet: a run that is repeated emits the rest again."""

    def __init__(self, watcher: EventSink, history: Sequence[Event]) -> None:
        super().__init__(watcher)
        self._known = frozenset(event.event_id for event in history)

    def emit(self, event: Event) -> None:
        """Hand on what is new."""
        if event.event_id not in self._known:
            super().emit(event)


async def _given_up_if_cancelled(work: Coroutine[Any, Any, None], guard: LeaseGuard) -> None:
    """A worker that is stopped leaves its turns as they are: nothing of the stopping is emitted."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        guard.give_up()
        await cancelled([task])
        raise


def _is_of_the_store(error: Exception) -> bool:
    """Whether it is the store that is away, and not something of this turn that it cannot take."""
    return isinstance(error, StoreUnavailableError) or isinstance(error.__cause__, StoreUnavailableError)


_OUTCOMES: Mapping[str, Outcome] = {"success": "completed", "failed": "failed", "cancelled": "cancelled"}


def _turn(lease: Lease, past: Sequence[Event], history: Sequence[Event], lead: timedelta) -> TurnOptions:
    """The turn as it stands: its request, and what was decided meanwhile."""
    payload = lease.work.payload
    return TurnOptions(
        request=TurnRequest(
            text=str(payload["text"]),
            target_agent_id=payload.get("target_agent_id"),
            bypass_routing=bool(payload.get("bypass_routing", True)),
        ),
        is_confirmed=True,
        decided=decisions_in(history),
        policies=(allow_remembered(remembered_calls(past)),),
        store_lead=lead,
    )


def _identity(lease: Lease) -> RunOptions:
    """The run belongs to its turn, and names everything the same whenever it is repeated."""
    work, stamp = lease.work, lease.work.stamp
    return RunOptions(
        session_id=work.session_id,
        turn_id=work.turn_id,
        correlation_id=stamp.correlation_id,
        trace_id=stamp.trace_id,
        user=ToolUser(id=work.user_id, roles=frozenset(work.payload.get("roles", ()))),
        naming=TurnNaming(work.turn_id),
    )


def _opening(lease: Lease) -> Event:
    """What the log says first about this owner."""
    facts: dict[str, Any] = {
        **lease.work.stamp.envelope(),
        "owner": lease.owner,
        "attempt": lease.work.attempts,
        "user_id": lease.work.user_id,
    }
    if lease.work.resumed_by is None:
        return TurnStarted(**facts)
    return TurnResumed(**facts, reason=lease.work.resumed_by)


def _message(turn: Turn) -> str:
    return turn.error.full_message if turn.error is not None else ""


def _expiry(turn: Turn) -> datetime | None:
    """When a paused turn stops waiting."""
    asked = [e for e in turn.events if isinstance(e, ApprovalRequested) and e.approval_id == turn.waiting_for]
    return asked[-1].expires_at if asked else None
