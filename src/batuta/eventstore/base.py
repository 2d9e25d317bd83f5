"""What the logs of every store do alike: the gate before an append, the alarm about a conflict, the bell behind it,
and how positions of readers and consumers are checked.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any, Self, TypedDict, Unpack

from batuta.events.admission import DEFAULT_LIMITS, Batch, Limits, admit
from batuta.events.envelope import Event
from batuta.events.log import (
    PAGE_SIZE,
    Alarm,
    AlarmListener,
    Appended,
    Doorbell,
    Durability,
    GrowthListener,
    Head,
    Page,
    Stored,
    StoredPage,
    log_alarm,
)
from batuta.events.wire import opened
from batuta.eventstore.doorbells import Bells, PollingDoorbell
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import SequenceConflictError, StaleEpochError, StoreUnavailableError
from batuta.kernel.ids import SessionId
from batuta.kernel.ids import session_id as _session

REFUSAL_SECONDS = 10.0


class LogOptions(TypedDict, total=False):
    """What every log can be given besides its place."""

    limits: Limits
    """What may enter."""
    on_alarm: AlarmListener
    """Called with what must not happen; by default it is written to the program's log."""
    clock: Clock


class Refusals:
    """Whether something could not be stored a moment ago. Reading may work all the while, as on a full disk."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last: float | None = None

    @property
    def is_recent(self) -> bool:
        """Nothing was stored since the last refusal, and that is not long ago."""
        return self._last is not None and self._clock.monotonic() - self._last < REFUSAL_SECONDS

    def note(self) -> None:
        """Something could not be stored just now."""
        self._last = self._clock.monotonic()

    def forget(self) -> None:
        """Something was stored just now."""
        self._last = None


class StoreLog(ABC):
    """An `EventLog` but for how batches are stored and records are found."""

    def __init__(self, *, bells: Bells | None = None, **options: Unpack[LogOptions]) -> None:
        self.limits = options.get("limits", DEFAULT_LIMITS)
        self.clock = options.get("clock", SYSTEM_CLOCK)
        self.bells = bells or Bells()
        self.refusals = Refusals(self.clock)
        self._alarm = options.get("on_alarm", log_alarm)

    async def append(
        self, session_id: str, events: Sequence[Event], *, fence: int | None = None, client_key: str | None = None
    ) -> Appended:
        """See `EventLog.append`."""
        return await self.append_batch(
            admit(session_id, events, fence=fence, client_key=client_key, limits=self.limits)
        )

    async def append_batch(self, batch: Batch) -> Appended:
        """See `EventLog.append_batch`."""
        try:
            appended = await self._store(batch)
        except SequenceConflictError as error:
            self._alarm(Alarm(kind="conflicting_event", session_id=batch.session_id, message=str(error)))
            raise
        except StoreUnavailableError:
            self.refusals.note()
            raise
        self.refusals.forget()
        self.bells.announce(batch, appended)
        return appended

    async def read(self, session_id: str, *, after: int = 0, epoch: int | None = None, limit: int = PAGE_SIZE) -> Page:
        """See `EventLog.read`."""
        return opened(await self.read_stored(session_id, after=after, epoch=epoch, limit=limit))

    @asynccontextmanager
    async def tail(self, session_ids: Collection[str] | None = None) -> AsyncIterator[Doorbell]:
        """See `EventLog.tail`. A bell for all sessions hears this process only."""
        watched = None if session_ids is None else frozenset(_session(text) for text in session_ids)
        with self.bells.hung(watched) as bell:
            yield PollingDoorbell(bell, self.heads)

    def listening(self, listener: GrowthListener) -> AbstractContextManager[None]:
        """See `EventLog.listening`."""
        return self.bells.listening(listener)

    async def __aenter__(self) -> Self:
        """Open the store and check what an acknowledgement is worth there."""
        await self.durability()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """Let go of the store."""
        await self.close()

    @abstractmethod
    async def read_stored(
        self, session_id: str, *, after: int = 0, epoch: int | None = None, limit: int = PAGE_SIZE
    ) -> StoredPage:
        """See `EventLog.read_stored`."""

    @abstractmethod
    async def durability(self) -> Durability:
        """See `EventLog.durability`."""

    @abstractmethod
    async def close(self) -> None:
        """See `EventLog.close`."""

    @abstractmethod
    async def _store(self, batch: Batch) -> Appended:
        """Store a batch, durably, or answer it as before."""

    @abstractmethod
    async def heads(self, session_ids: Collection[str]) -> Mapping[SessionId, int]:
        """See `EventLog.heads`."""


LARGEST = 2**63 - 1
"""The largest position a database can hold."""


def check_range(after: int, limit: int) -> None:
    """Refuse what no reader can mean."""
    if after < 0:
        raise ValueError(f"a position is 0 or more, got {after}")
    if limit < 1:
        raise ValueError(f"a limit is 1 or more, got {limit}")


def check_position(session_id: str, *, epoch: int, after: int, held: int | None) -> None:
    """Whether a reader's position is of this log; `held` is the epoch of what the log holds there, if anything."""
    if after and held != epoch:
        raise StaleEpochError(
            f"session {session_id} holds no position {after} of epoch {epoch}: read it again from the start"
        )


def page_of(session_id: SessionId, rows: Sequence[Any], *, after: int, epoch: int | None) -> StoredPage:
    """A page from what one statement found, so that all of it is of one moment.

    There is at least one row; each begins with the head (epoch, position, fence) and the epoch at the reader's
    position, and ends with a record (epoch, position, event id, content). All of them may be missing.
    """
    head_epoch, last_seq, fence, held = rows[0][:4]
    if epoch is not None:
        check_position(session_id, epoch=epoch, after=after, held=held)
    head = Head() if head_epoch is None else Head(epoch=head_epoch, last_seq=last_seq, fence=fence)
    records = () if rows[0][5] is None else tuple([Stored(*row[4:]) for row in rows])
    return StoredPage(session_id=session_id, records=records, head=head)


def check_advance(consumer: str, session_id: str, *, now: int, after: int, to: int, head: Head) -> None:
    """Whether a consumer that is at `now` may go from `after` to `to`."""
    if not after <= to <= head.last_seq:
        raise ValueError(f"{consumer} cannot be at {to}: that is not between {after} and the head {head.last_seq}")
    if now not in (after, to):
        raise SequenceConflictError(
            f"{consumer} is at {now} of session {session_id}, not at {after}: two of its kind work on it"
        )
