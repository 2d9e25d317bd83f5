"""Owners of turns that die at a chosen event: what a kill leaves in the log, without a process to kill.

    MortalPersistence(log, kill_at=7, how="unsaved")     # dies at the seventh event it would store

Of its effects only those that happen before the death happen at all: whatever begins after it is refused.
"""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.queue import Lease
from batuta.events.runtime import EffectAbandoned, EffectRecorded
from batuta.events.sink import OnStored, Recorder
from batuta.eventstore.journal import DurableJournal
from batuta.eventstore.recorder import FlushPolicy, TurnRecorder
from batuta.pipelines.journal import Journal

Death = Literal["before", "after", "unsaved"]
"""What is in the log when a worker dies at an event: all that came before it, the event too, or only what the run
waited for.
"""
DEATHS: tuple[Death, ...] = ("before", "after", "unsaved")
ONLY_AT_BARRIERS = FlushPolicy(linger=timedelta(hours=1), batch_events=1_000_000, most_waiting_events=1_000)


class Killed(BaseException):
    """The process died here."""


@dataclass(slots=True)
class MortalPersistence:
    """The recorders and journals of owners of turns, until one dies."""

    log: EventLog
    kill_at: int | None = None
    how: Death = "before"
    written: int = 0
    repeated: list[str] = field(default_factory=list)
    """Effects that were in the log already and happened all the same."""

    lease: Lease | None = None
    """That of the newest owner: the next one takes it over."""

    def recorder(self, lease: Lease, history: Sequence[Event]) -> "MortalRecorder":
        """The recorder of one owner."""
        self.lease = lease
        return self.mortal(str(lease.work.session_id), history, fence=lease.fence)

    def mortal(self, session_id: str, history: Sequence[Event], *, fence: int | None = None) -> "MortalRecorder":
        """A recorder that dies at its time; what the log holds already is not counted again."""
        inner = TurnRecorder(self.log, session_id, fence=fence, history=history, flushing=ONLY_AT_BARRIERS)
        return MortalRecorder(inner, {event.event_id for event in history}, _recorded_in(history), self)

    def journal(self, lease: Lease, recorder: Recorder, history: Sequence[Event]) -> Journal:
        """The journal of one owner."""
        stamp = lease.work.stamp
        return DurableJournal(self.log, recorder, stamp, events=history)


def _recorded_in(history: Sequence[Event]) -> set[str]:
    """The effects that happened and were not undone since."""
    recorded: set[str] = set()
    for event in history:
        if isinstance(event, EffectRecorded):
            recorded.add(event.key)
        elif isinstance(event, EffectAbandoned):
            recorded.discard(event.key)
    return recorded


@dataclass(slots=True)
class MortalRecorder:
    """Stores what it is given until it dies; then it refuses everything."""

    inner: TurnRecorder
    known: set[str]
    recorded: set[str]
    """The keys of effects whose outcome was in the log when this owner took the turn up."""
    owner: MortalPersistence
    is_dead: bool = False

    def submit(self, event: Event, on_stored: OnStored | None = None) -> Awaitable[None] | None:
        """Take an event, or die of it."""
        if self.is_dead:
            raise Killed
        is_known = event.event_id in self.known
        if isinstance(event, EffectRecorded) and event.key in self.recorded:
            self.owner.repeated.append(event.key)
        self.owner.written += not is_known and not event.is_transient
        if is_known or event.is_transient or self.owner.written != self.owner.kill_at:
            return self.inner.submit(event, on_stored)
        if self.owner.how == "unsaved":
            self.is_dead = True
            raise Killed
        if self.owner.how == "after":
            self.inner.submit(event)
        return self._die()

    async def barrier(self) -> None:
        """Wait until everything is stored."""
        if self.is_dead:
            raise Killed
        await self.inner.barrier()

    async def record(self, event: Event) -> Event:
        """Store one event."""
        stored: list[Event] = []
        if (dying := self.submit(event, stored.append)) is not None:
            await dying
        await self.barrier()
        return stored[0]

    async def _die(self) -> None:
        self.is_dead = True
        await self.inner.barrier()
        raise Killed
