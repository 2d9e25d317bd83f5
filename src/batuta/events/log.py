"""The event log: one contract for every store that keeps sessions.

    append(session, events, fence, client_key) -> where they are
    read(session, after) -> a page of records, in order; read_stored: the same without reading what they hold
    tail() -> a doorbell: a hint that there may be something to read; listening: what this process appended, as it does
    behind(consumer), advance(consumer, session) -> how far a consumer has read the log

Every session has positions 1, 2, 3 … without holes. An *epoch* tells the lives of a session apart: it rises when
positions that a reader may have seen were lost (an older backup came back, a cache forgot its tail), so that a
reader who holds a position of a lost life has to start afresh instead of being given something else.

A backend is right when it passes `batuta.testing.eventlog`.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, runtime_checkable

from batuta.kernel.ids import SessionId

if TYPE_CHECKING:  # what only knows positions does not load the catalogue of events
    from batuta.events.admission import Batch, Limits
    from batuta.events.envelope import Event

FIRST_EPOCH = 1
PAGE_SIZE = 500

log = logging.getLogger("batuta.eventlog")


class Position(NamedTuple):
    """A place in a session. `seq` 0 is before the first event."""

    epoch: int
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where a session stands. One that was never written to is at epoch 1, sequence 0, fence 0."""

    epoch: int = FIRST_EPOCH
    last_seq: int = 0
    fence: int = 0

    @property
    def position(self) -> Position:
        """The place of the last event."""
        return Position(self.epoch, self.last_seq)


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """Where a batch is: `count` events from `first_seq` on, all in one epoch."""

    epoch: int
    first_seq: int
    count: int
    is_new: bool = field(default=False, compare=False)
    """Whether the log says that it stored the batch just now; the answer to one that came again is not new."""

    @property
    def last_seq(self) -> int:
        """The position of its last event."""
        return self.first_seq + self.count - 1

    @property
    def position(self) -> Position:
        """The place of its last event."""
        return Position(self.epoch, self.last_seq)


class Grown(NamedTuple):
    """A session that a log of this process has appended to: where, and what, if that is known."""

    session_id: SessionId
    appended: Appended | None = None
    """None if the log cannot say; then the caller has to look."""
    events: tuple["Event", ...] = ()
    """As they were given, in order; without their positions."""
    payloads: tuple[str, ...] = ()
    """The JSON of each as it is kept."""


GrowthListener = Callable[[Grown], None]


class Record(NamedTuple):
    """One place of a session and what it holds: nothing, once its owner's data was erased."""

    epoch: int
    seq: int
    event: "Event | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some records in order, and where the session stood when they were read."""

    records: tuple[Record, ...]
    head: Head

    @property
    def events(self) -> tuple["Event", ...]:
        """What the records hold, without what was erased."""
        return tuple(record.event for record in self.records if record.event is not None)

    @property
    def is_last(self) -> bool:
        """Whether nothing came after it when it was read."""
        return not self.records or self.records[-1].seq >= self.head.last_seq


class Stored(NamedTuple):
    """One place of a session as it is kept: which event is there, and its JSON until its owner's data is erased."""

    epoch: int
    seq: int
    event_id: str
    payload: str | bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """Some records of a session in order, as they are kept. `batuta.events.wire` reads them."""

    session_id: SessionId
    records: tuple[Stored, ...]
    head: Head

    @property
    def is_last(self) -> bool:
        """Whether nothing came after it when it was read."""
        return not self.records or self.records[-1].seq >= self.head.last_seq


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """A session that a consumer has not worked through: it is done up to `after`, the log goes to `last_seq`."""

    session_id: SessionId
    after: int
    last_seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Durability:
    """What an acknowledgement of this log survives, as read back from the store itself."""

    mode: str
    rpo_seconds: float | None
    """Seconds of acknowledged work that a power cut may cost; `None` means everything."""
    verified_at: datetime
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """Something that must not happen did: two events for one place, a log that went back, a foreign row."""

    kind: str
    session_id: str
    message: str
    facts: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


AlarmListener = Callable[[Alarm], None]


def log_alarm(alarm: Alarm) -> None:
    """Report an alarm where operators look."""
    log.critical("%s in session %s: %s %s", alarm.kind, alarm.session_id, alarm.message, dict(alarm.facts))


@runtime_checkable
class Doorbell(Protocol):
    """Rings when sessions may have new events. It may ring for nothing, and it may fail to ring: also look by time."""

    async def wait(self, timeout: float) -> frozenset[SessionId]:  # noqa: ASYNC109 - an empty answer, not an error
        """The sessions it rang for since the last call; empty if it did not ring within `timeout` seconds."""
        ...


@runtime_checkable
class EventLog(Protocol):
    """Keeps the events of sessions. Everything it acknowledges is durable, in order, and stays as it was.

    Ids are taken in any case. Any operation may raise `StoreUnavailableError`: then it is unknown whether it took
    effect, and sending it again is harmless and answers the same (`begin_epoch` may answer with one epoch more).
    """

    limits: "Limits"
    """What may enter; `admit` applies it."""

    async def append(
        self, session_id: str, events: Sequence["Event"], *, fence: int | None = None, client_key: str | None = None
    ) -> Appended:
        """Give the events the next positions of the session and store them: all of them, durably, or none.

        `fence` is the token of the turn's owner; without one the events do not belong to an owner's work (a person's
        message, a decision). A token higher than the session has seen is remembered.

        The same events (by id) again are not stored again: the answer is the first one, also for an owner who lost
        the session meanwhile. The same holds for the same `client_key`: its content counts, not ids and times.

        Raises:
            FencedError: another owner holds the session with a higher token; this goes before any conflict.
            IdempotencyConflictError: the client key stands for other content.
            SequenceConflictError: an event id stands for another event, or known events come in another order or
                mixed with new ones. Also an alarm.
            EventRefusedError: nothing to store, transient, of another session, or beyond JSON; and its kinds
                `UnknownEventTypeError`, `UnattributedEventError`, `EventTooLargeError`.
        """
        ...

    async def append_batch(self, batch: "Batch") -> Appended:
        """As `append`, for events that were admitted before (`batuta.events.admission.admit`). Raises as `append`,
        except that nothing is refused any more.
        """
        ...

    async def read(self, session_id: str, *, after: int = 0, epoch: int | None = None, limit: int = PAGE_SIZE) -> Page:
        """The records that follow position `after`, at most `limit`, each with its `sequence_number`.

        With `epoch`, `after` is a position that a client saw, and it is checked.

        Raises:
            StaleEpochError: the log does not hold the position of that epoch: the client has to start afresh.
            UndecodableEventError: a record of this session cannot be read; those before it and after it can.
            ValueError: a negative position or a limit below 1.
        """
        ...

    async def read_stored(
        self, session_id: str, *, after: int = 0, epoch: int | None = None, limit: int = PAGE_SIZE
    ) -> StoredPage:
        """As `read`, without reading what the records hold: for callers that need few of them, or none as events.

        Raises as `read`, except that nothing is found to be unreadable here.
        """
        ...

    async def head(self, session_id: str) -> Head:
        """Where the session stands."""
        ...

    async def heads(self, session_ids: Collection[str]) -> Mapping[SessionId, int]:
        """The last position of each of these sessions that holds anything, in one look."""
        ...

    async def raise_fence(self, session_id: str, fence: int) -> None:
        """From now on refuse owners with a lower token. A token that is lower than the present one changes nothing."""
        ...

    async def begin_epoch(self, session_id: str) -> int:
        """Start a new epoch and return it: positions seen beyond the present head are void from now on."""
        ...

    def tail(self, session_ids: Collection[str] | None = None) -> AbstractAsyncContextManager[Doorbell]:
        """A doorbell for these sessions, or for all of them."""
        ...

    def listening(self, listener: GrowthListener) -> AbstractContextManager[None]:
        """Hear within the block what this process appends: each time once it is durable, before its caller is answered.

        A hint as the doorbell is: what other processes append is not heard, nor what an append stored whose caller went
        away. A listener is quick; what it raises is logged and affects no other.
        """
        ...

    async def sessions(self, *, after: str | None = None, limit: int = PAGE_SIZE) -> Sequence[SessionId]:
        """The ids of sessions that hold events, ordered, beginning behind `after`."""
        ...

    async def subscribe(self, consumer: str) -> None:
        """Keep track of how far this consumer is, beginning with the first event of every session."""
        ...

    async def behind(self, consumer: str, *, limit: int = PAGE_SIZE) -> Sequence[Lag]:
        """Sessions that a subscribed consumer has not worked through."""
        ...

    async def advance(self, consumer: str, session_id: str, *, after: int, to: int) -> None:
        """The consumer, who was at `after`, is now done up to `to`. The same call again changes nothing.

        Raises:
            SequenceConflictError: it is neither at `after` nor at `to`: two of its kind work on the session.
            ValueError: `to` is not between `after` and the head.
        """
        ...

    async def durability(self) -> Durability:
        """What an acknowledgement survives, read back from the store.

        Raises:
            ConfigurationError: less than the log was configured for.
        """
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of everything. Harmless if repeated."""
        ...

    async def __aenter__(self) -> Self:
        """Open it now; otherwise the first operation does."""
        ...

    async def __aexit__(self, *exc_info: object) -> None:
        """Close it."""
        ...
