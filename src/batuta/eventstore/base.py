"""What the logs of every store do alike: the gate before an append, the alarm about a conflict, the bell behind it."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Self, TypedDict, Unpack

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
    Page,
    StoredPage,
    log_alarm,
)
from batuta.events.stored import opened
from batuta.eventstore.doorbells import Bells, PollingDoorbell
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import SequenceConflictError
from batuta.kernel.ids import SessionId
from batuta.kernel.ids import session_id as _session


class LogOptions(TypedDict, total=False):
    """What every log can be given besides its place."""

    limits: Limits
    """What may enter."""
    on_alarm: AlarmListener
    """Called with what must not happen; by default it is written to the program's log."""
    clock: Clock


class StoreLog(ABC):
    """An `EventLog` but for how batches are stored and records are found."""

    def __init__(self, *, bells: Bells | None = None, **options: Unpack[LogOptions]) -> None:
        self.limits = options.get("limits", DEFAULT_LIMITS)
        self.clock = options.get("clock", SYSTEM_CLOCK)
        self.bells = bells or Bells()
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
        self.bells.tell(batch, appended)
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
