"""The queue of turns and jobs: one contract for every store that keeps work.

    accept -> queued -> lease -> running -> finish | retry | pause | release
                 ^                                |       |
                 +--------- backoff --------------+       +--- resume (a decision came)

A turn belongs to a session: turns of one session run one at a time, in the order they were accepted, and a paused one
holds back those behind it. A job has no session. Work is owned by lease and fencing token; an owner that lost its
lease is refused. What dies with its owner is found by `recover` and given to another.

A backend is right when it passes `batuta.testing.turns`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal, Protocol, runtime_checkable

from batuta.events.emitter import Stamp
from batuta.events.envelope import Event
from batuta.events.log import Appended
from batuta.kernel.ids import new_id

TURN = "turn"
MAX_ATTEMPTS = 5
LEASE = timedelta(seconds=30)


class WorkStatus(StrEnum):
    """Where a piece of work stands. The last four are final."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    DEAD = "dead"


UNFINISHED = frozenset({WorkStatus.QUEUED, WorkStatus.RUNNING, WorkStatus.PAUSED})

Outcome = Literal["completed", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWork:
    """Something to be done."""

    turn_id: str = field(default_factory=new_id)
    session_id: str | None = None
    kind: str = TURN
    payload: Mapping[str, Any] = field(default_factory=dict)
    """JSON that the worker gets."""
    user_id: str | None = None
    tenant_id: str | None = None
    priority: int = 0
    """Higher goes first, among different sessions."""
    delay: timedelta = timedelta()
    max_attempts: int = MAX_ATTEMPTS
    """How many owners may be lost in a row that made no progress."""
    context: Mapping[str, str] = field(default_factory=dict)
    """Where the request came from (`correlation_id`, `trace_id`, …). The worker gets it; the same work sent again in
    another context is still the same work."""

    @property
    def stamp(self) -> Stamp:
        """What all events of this work will share: see `Work.stamp`."""
        return _stamp(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A piece of work as it stands now."""

    turn_id: str
    session_id: str | None
    kind: str
    payload: Mapping[str, Any]
    user_id: str | None
    tenant_id: str | None
    priority: int
    status: WorkStatus
    attempts: int
    """How often it was begun."""
    max_attempts: int
    not_before: datetime
    waiting_for: str | None = None
    """What a paused turn waits for: an approval's id."""
    resumed_by: str | None = None
    """Why it was queued again: `recovered`, `decided` or `retried`; nothing if it never was."""
    error: str | None = None
    is_cancelled: bool = False
    context: Mapping[str, str] = field(default_factory=dict)
    """Where the request that was accepted first came from."""
    fence: int = 0
    """The token of its last owner: as long as it is the same, no other owner has had it."""

    @property
    def stamp(self) -> Stamp:
        """What all events of this work share: the context its request came in, or its own id."""
        return _stamp(self)


def _stamp(work: NewWork | Work) -> Stamp:
    return Stamp(
        correlation_id=work.context.get("correlation_id") or work.turn_id,
        trace_id=work.context.get("trace_id"),
        session_id=work.session_id,
        turn_id=work.turn_id,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The answer to `accept`: the same for the same work sent twice."""

    work: Work
    appended: Appended | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to do a piece of work until it expires; `fence` goes with everything its owner writes."""

    work: Work
    owner: str
    fence: int
    length: timedelta
    at: datetime
    """When it was taken or renewed, by the store's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a turn ends that is stopped while no worker runs it, based on a position read before."""

    work: Work
    """The turn as it stood then. If an owner has had it since, there is more to tell, and this does not count."""
    events: Mapping[str, Sequence[Event]]
    """The last events, in order, by the client key of each part; a part whose key is known stays as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What a recovery scan found."""

    requeued: tuple[str, ...] = ()
    """Turns whose owner was lost, or whose time to wake came, or whose decision was taken."""
    dead: tuple[str, ...] = ()
    """Turns whose owner was lost once too often."""


@runtime_checkable
class TurnQueue(Protocol):
    """Keeps work. Nothing accepted is lost, nothing is owned by two, turns of a session keep their order.

    Any operation may raise `StoreUnavailableError`: then it is unknown whether it took effect, and sending it again
    is harmless.
    """

    async def accept(self, work: NewWork, events: Sequence[Event] = (), *, client_key: str | None = None) -> Accepted:
        """Queue the work and append the events to its session: both, durably, in one step, or neither.

        The same `turn_id`, or the same `client_key` in the same session with the same content, is answered as before.

        Raises:
            IdempotencyConflictError: the key or id stands for other work.
            EventRefusedError and its kinds: as for `EventLog.append`.
            ValueError: events without a session, a payload that is no JSON, or a kind the queue was not made for.
        """
        ...

    async def lease(
        self, owner: str, *, length: timedelta = LEASE, kinds: Collection[str] | None = None
    ) -> Lease | None:
        """The next piece of work that may run now, owned from now on; nothing if there is none.

        Raises the fence of its session, so that an earlier owner can append nothing more.
        """
        ...

    async def heartbeat(self, lease: Lease) -> bool:
        """Keep the lease for another length. Whether the work was cancelled meanwhile.

        Raises:
            FencedError: another owner has it, or none any more.
        """
        ...

    async def finish(self, lease: Lease, outcome: Outcome, events: Sequence[Event] = (), *, error: str = "") -> None:
        """The work is over: its last events and its end are stored in one step. The same call again is harmless.

        Raises:
            FencedError: the owner lost it; nothing of this was stored.
        """
        ...

    async def retry(self, lease: Lease, error: str, *, delay: timedelta) -> WorkStatus:
        """Give it back to be tried again after `delay`; after its last attempt it is `dead` instead.

        That a turn is dead, its error and its end (`complete`, failed) are stored in one step, unless it wrote its own.

        Raises:
            FencedError: the owner lost it.
        """
        ...

    async def release(self, lease: Lease, *, delay: timedelta = timedelta()) -> None:
        """Give it back unharmed, as at shutdown: the attempt does not count. It is not begun again before `delay`.

        Raises:
            FencedError: the owner lost it.
        """
        ...

    async def pause(
        self, lease: Lease, *, waiting_for: str, events: Sequence[Event] = (), wake_at: datetime | None = None
    ) -> bool:
        """Let go of everything until `resume`, or until `wake_at`: its events and its rest are stored in one step.

        Whether it rests. What was stopped meanwhile does not: nothing was stored, and its owner still has to end it.

        Raises:
            FencedError: the owner lost it; nothing of this was stored.
        """
        ...

    async def resume(self, turn_id: str, *, waiting_for: str) -> bool:
        """Queue a paused turn again, once: whether this call did it. One that waits for something else stays."""
        ...

    async def cancel(self, turn_id: str, ending: Ending | None = None) -> WorkStatus | None:
        """Stop it: waiting work ends at once, the owner of running work learns it by `stopped` and by its heartbeat.

        No worker writes the end of a waiting turn: its `ending` and its new status are stored in one step. One that
        had an owner since the ending was written stays as it is: look again, and write another.

        Its status from now on, or `None` if there is no such work.
        """
        ...

    async def stopped(self, turn_ids: Collection[str]) -> frozenset[str]:
        """Those of these for which a stop was requested: a cheap look, which many owners take often."""
        ...

    async def recover(self) -> Recovered:
        """Queue again what lost its owner, was decided without being resumed, or has slept long enough.

        What lost its owner at its last attempt is dead, and its end is written as by `retry`.
        """
        ...

    async def now(self) -> datetime:
        """The time by the store's clock: what several processes decide by time goes by this one, not by theirs."""
        ...

    async def get(self, turn_id: str) -> Work | None:
        """A piece of work as it stands."""
        ...

    async def find(self, statuses: Collection[WorkStatus], *, limit: int) -> Sequence[Work]:
        """The newest pieces in these statuses."""
        ...

    async def depth(self) -> Mapping[WorkStatus, int]:
        """How many pieces are in each status."""
        ...

    async def revive(self, turn_id: str) -> bool:
        """Queue a dead one again with fresh attempts: whether it was dead."""
        ...
