"""The turn queue, whatever the store: each operation is a rule applied to a row in a transaction."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property

from batuta.events.admission import Batch, Limits, admit
from batuta.events.envelope import Event
from batuta.events.queue import LEASE, Accepted, Ending, Lease, NewWork, Outcome, Recovered, Work, WorkStatus
from batuta.events.tools import ApprovalResolved
from batuta.events.turn_ends import end_of_dead_turn, has_attempts_left
from batuta.eventstore import work_rules as rules
from batuta.eventstore.base import Refusals
from batuta.eventstore.work_rules import Row, ServedUsers
from batuta.kernel.errors import FencedError, LogicalError, StoreUnavailableError
from batuta.kernel.ids import canonical_id

Rule = Callable[[Row, datetime], Row | None]


class RuledTurnQueue(ABC):
    """Everything about a queue but how rows are read and written."""

    limits: Limits
    refusals: Refusals
    kinds: Collection[str] | None = None
    """The kinds of work it takes and gives out; without them, every one."""

    @cached_property
    def served(self) -> ServedUsers:
        """Whose work this process took up last."""
        return ServedUsers()

    async def accept(self, work: NewWork, events: Sequence[Event] = (), *, client_key: str | None = None) -> Accepted:
        """See `TurnQueue.accept`."""
        if self.kinds is not None and work.kind not in self.kinds:
            raise ValueError(f"this queue takes no work of the kind {work.kind!r}, only: {', '.join(self.kinds)}")
        batches = self._batches(work.session_id, events, client_key=client_key)
        try:
            accepted = await self._accept(work, events, batches[0] if batches else None, client_key)
        except StoreUnavailableError:
            self.refusals.note()
            raise
        self.refusals.forget()
        return accepted

    async def heartbeat(self, lease: Lease) -> bool:
        """See `TurnQueue.heartbeat`."""
        row = await self._owned(lease, lambda row, now: rules.kept(row, now, lease))
        return bool(row["is_cancelled"])

    async def finish(self, lease: Lease, outcome: Outcome, events: Sequence[Event] = (), *, error: str = "") -> None:
        """See `TurnQueue.finish`."""
        batches = self._batches(lease.work.session_id, events, fence=lease.fence)
        await self._owned(lease, lambda row, now: rules.finished(row, now, lease, outcome, error), batches)

    async def retry(self, lease: Lease, error: str, *, delay: timedelta) -> WorkStatus:
        """See `TurnQueue.retry`."""
        is_last, batches = lease.work.attempts >= lease.work.max_attempts, []
        if is_last:
            history = await self._history_of(lease.work)
            is_last = not has_attempts_left(lease.work, history)
            batches = self._last_words(lease.work, history, error) if is_last else []
        row = await self._owned(lease, lambda row, now: rules.retried(row, now, lease, error, delay, is_last), batches)
        return WorkStatus(row["status"])

    async def release(self, lease: Lease, *, delay: timedelta = timedelta()) -> None:
        """See `TurnQueue.release`."""
        await self._owned(lease, lambda row, now: rules.released(row, now, lease, delay))

    async def pause(
        self, lease: Lease, *, waiting_for: str, events: Sequence[Event] = (), wake_at: datetime | None = None
    ) -> bool:
        """See `TurnQueue.pause`."""
        batches = self._batches(lease.work.session_id, events, fence=lease.fence)
        row = await self._owned(lease, lambda row, now: rules.paused(row, now, lease, waiting_for, wake_at), batches)
        if row["status"] != WorkStatus.PAUSED:
            return False
        # The decision may have come before the pause, when there was nothing to resume yet.
        if await self._is_decided(lease.work, waiting_for):
            await self.resume(lease.work.turn_id, waiting_for=waiting_for)
        return True

    async def resume(self, turn_id: str, *, waiting_for: str) -> bool:
        """See `TurnQueue.resume`."""
        changed = await self._change(turn_id, lambda row, now: rules.resumed(row, now, waiting_for))
        return changed is not None and changed[1]

    async def cancel(self, turn_id: str, ending: Ending | None = None) -> WorkStatus | None:
        """See `TurnQueue.cancel`."""
        batches = [] if ending is None else self._batches_of(ending)
        changed = await self._change(turn_id, lambda row, now: rules.cancelled(row, now, ending), batches)
        return None if changed is None else WorkStatus(changed[0]["status"])

    async def recover(self) -> Recovered:
        """See `TurnQueue.recover`."""
        if not await self._is_any_to_recover():
            return Recovered(requeued=(), dead=())
        dead: list[str] = []
        spared: list[str] = []
        for work in await self._lost_often():
            history = await self._history_of(work)
            is_spared = has_attempts_left(work, history)
            if await (self._spare(work) if is_spared else self._give_up(work, history)):
                (spared if is_spared else dead).append(work.turn_id)
        return Recovered(requeued=(*spared, *await self._requeue()), dead=tuple(dead))

    async def revive(self, turn_id: str) -> bool:
        """See `TurnQueue.revive`."""
        changed = await self._change(turn_id, rules.revived)
        return changed is not None and changed[1]

    @abstractmethod
    async def lease(
        self, owner: str, *, length: timedelta = LEASE, kinds: Collection[str] | None = None
    ) -> Lease | None:
        """See `TurnQueue.lease`."""

    @abstractmethod
    async def get(self, turn_id: str) -> Work | None:
        """See `TurnQueue.get`."""

    @abstractmethod
    async def stopped(self, turn_ids: Collection[str]) -> frozenset[str]:
        """See `TurnQueue.stopped`."""

    @abstractmethod
    async def find(self, statuses: Collection[WorkStatus], *, limit: int) -> Sequence[Work]:
        """See `TurnQueue.find`."""

    @abstractmethod
    async def depth(self) -> Mapping[WorkStatus, int]:
        """See `TurnQueue.depth`."""

    @abstractmethod
    async def _accept(
        self, work: NewWork, events: Sequence[Event], batch: Batch | None, client_key: str | None
    ) -> Accepted:
        """Insert the row and append the batch in one transaction, or answer as before."""

    @abstractmethod
    async def _change(self, turn_id: str, rule: Rule, batches: Sequence[Batch] = ()) -> tuple[Row, bool] | None:
        """Apply a rule, and append the batches if the rule moves the work on (`is_move`), in one transaction.

        A batch whose client key stands for something already is left out; any other refusal leaves the row as it is.
        The row afterwards and whether it changed; `None` if there is no such row.
        """

    @abstractmethod
    async def _is_any_to_recover(self) -> bool:
        """Whether something lost its owner, was decided, or has slept long enough. Most looks find nothing."""

    @abstractmethod
    async def _lost_often(self) -> Sequence[Work]:
        """What lost its owner and has no attempts left but those that it gets for progress."""

    @abstractmethod
    async def _requeue(self) -> tuple[str, ...]:
        """Queue again what lost its owner and has attempts left, was decided, or has slept long enough."""

    @abstractmethod
    async def _history(self, session_id: str, turn_id: str) -> Sequence[Event]:
        """The events of a turn so far."""

    async def _is_decided(self, work: Work, approval_id: str) -> bool:
        """Whether the log holds a decision: read models may come later, or not at all."""
        if work.session_id is None:
            return False
        history = await self._history(work.session_id, work.turn_id)
        return any(isinstance(event, ApprovalResolved) and event.approval_id == approval_id for event in history)

    def _wanted(self, kinds: Collection[str] | None) -> Collection[str] | None:
        """Those of the requested kinds that it gives out."""
        if self.kinds is None or kinds is None:
            return self.kinds if kinds is None else kinds
        return [kind for kind in kinds if kind in self.kinds]

    async def _spare(self, work: Work) -> bool:
        changed = await self._change(work.turn_id, lambda row, now: rules.spared(row, now, work))
        return changed is not None and changed[1]

    async def _give_up(self, work: Work, history: Sequence[Event]) -> bool:
        error = (
            f"its owner was lost at attempt {work.attempts}: at most {work.max_attempts} in a row may get no further"
        )
        batches = self._last_words(work, history, error)
        changed = await self._change(work.turn_id, lambda row, now: rules.given_up(row, now, work, error), batches)
        return changed is not None and changed[1]

    async def _history_of(self, work: Work) -> Sequence[Event]:
        if work.session_id is None:
            return ()
        try:
            return await self._history(work.session_id, work.turn_id)
        except LogicalError:  # a log that cannot be read may be what the turn died of; it ends all the same
            return ()

    def _last_words(self, work: Work, history: Sequence[Event], error: str) -> list[Batch]:
        """What is written with the death of a turn; once for each life it had."""
        if work.session_id is None:
            return []
        end = end_of_dead_turn(history, work, error)
        return self._batches(work.session_id, end, client_key=f"dead/{work.turn_id}/{work.fence}")

    async def _owned(self, lease: Lease, rule: Rule, batches: Sequence[Batch] = ()) -> Row:
        changed = await self._change(lease.work.turn_id, rule, batches)
        if changed is None:
            raise FencedError(f"turn {lease.work.turn_id} is not in the queue any more")
        return changed[0]

    def _batches_of(self, ending: Ending) -> list[Batch]:
        session = ending.work.session_id
        return [b for key, events in ending.events.items() for b in self._batches(session, events, client_key=key)]

    def _batches(
        self,
        session_id: str | None,
        events: Sequence[Event],
        *,
        fence: int | None = None,
        client_key: str | None = None,
    ) -> list[Batch]:
        """One, or none if there is nothing to tell."""
        if not events:
            return []
        if session_id is None:
            raise ValueError("events belong to a session: give the work one")
        return [admit(session_id, events, fence=fence, client_key=client_key, limits=self.limits)]


def lease_of(row: Row, now: datetime, *, owner: str, fence: int, length: timedelta) -> tuple[Row, Lease]:
    """The columns that change when a row gets an owner, and the lease the owner gets."""
    changes = rules.leased(row, now, owner=owner, fence=fence, length=length)
    work = rules.work_of({**row, **changes})
    return changes, Lease(work=work, owner=owner, fence=fence, length=length, at=now)


def canonical(turn_id: str) -> str:
    """A turn id as it is kept."""
    return canonical_id(turn_id)
