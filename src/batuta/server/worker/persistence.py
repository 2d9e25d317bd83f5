"""What a worker process needs of the platform: a desk to write at, and ears for those who want a turn stopped."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from batuta.events.envelope import Event
from batuta.events.log import Appended, EventLog, Grown
from batuta.events.queue import Lease
from batuta.events.sink import Recorder
from batuta.eventstore.journal import DurableJournal
from batuta.eventstore.projectors import Projector
from batuta.eventstore.recorder import TurnRecorder
from batuta.pipelines.journal import Journal
from batuta.server.live.notifications import Bus, News


class LogDesk:
    """A `Desk` at the event log: recorder and journal of one owner of a turn."""

    def __init__(self, log: EventLog, projector: Projector) -> None:
        self._log = log
        self._projector = projector

    def recorder(self, lease: Lease, told: Sequence[Event]) -> Recorder:
        """The recorder of one owner."""
        return TurnRecorder(
            self._log, str(lease.work.session_id), fence=lease.fence, projector=self._projector, told=told
        )

    def journal(self, lease: Lease, recorder: Recorder, told: Sequence[Event]) -> Journal:
        """The journal of one owner."""
        return DurableJournal(self._log, recorder, lease.work.stamp, events=told)


class StopBell:
    """`StopSignals` over the bus."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Event]] = {}

    def take(self, news: News) -> None:
        """Hear of turns that somebody wants stopped."""
        if news.kind == "stop":
            for turn_id in news.ids:
                for event in self._waiting.get(turn_id, ()):
                    event.set()

    async def wait(self, turn_id: str) -> None:
        """Return when somebody wants this turn stopped."""
        with self._hung(turn_id) as event:
            await event.wait()

    @contextmanager
    def _hung(self, turn_id: str) -> Iterator[asyncio.Event]:
        event = asyncio.Event()
        self._waiting.setdefault(turn_id, set()).add(event)
        try:
            yield event
        finally:
            self._waiting[turn_id].discard(event)
            if not self._waiting[turn_id]:
                del self._waiting[turn_id]


async def ring_on_growth(log: EventLog, bus: Bus) -> None:
    """Tell everybody which sessions grew by what this process stored, until cancelled: what grew together, together."""
    grown: dict[str, Appended | None] = {}
    has_grown = asyncio.Event()

    def note(growth: Grown) -> None:
        is_known = grown.get(growth.session_id, growth.appended) is not None
        grown[growth.session_id] = growth.appended if is_known else None
        if not has_grown.is_set():
            has_grown.set()

    with log.listening(note):
        while True:
            await has_grown.wait()
            has_grown.clear()
            at = {session_id: last.position for session_id, last in grown.items() if last is not None}
            bus.publish(News(kind="grown", ids=frozenset(grown), at=at))
            grown.clear()
