"""Phase one of persistence: number the events of a turn and append them, or nothing.

    record(event) -> log.append -> the event with its position
                                -> for `sync_required`, only when its read-model rows are committed too

Concurrent turns share commits in the log, which also bounds how many may wait. A store that is away for a moment is
asked again: the same events under the same ids are stored once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.routing import Persistence
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import RecordingFailedError, StoreUnavailableError
from batuta.kernel.ids import EventId, canonical_id, session_id


class Projected(Protocol):
    """Whoever brings read models up to a position; a `Projector` does."""

    async def ensure(self, session: str, seq: int) -> None:
        """Return when the read models of the session are at this position."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often an absent store is asked again, and how long it is given in between."""

    attempts: int = 4
    first_pause_seconds: float = 0.05


class TurnRecorder:
    """The `Recorder` of one owner of a turn.

    `told` holds the events of the turn that the log has already: a run that is repeated tells them again under the
    same ids, and gets them back as they were stored first.
    """

    def __init__(
        self,
        log: EventLog,
        session: str,
        *,
        fence: int | None = None,
        projector: Projected | None = None,
        told: Iterable[Event] = (),
        patience: Patience = Patience(),  # noqa: B008 - frozen
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._log = log
        self._session_id = session_id(session)
        self._fence = fence
        self._projector = projector
        self._told = {event.event_id: event for event in told}
        self._patience = patience
        self._clock = clock

    async def record(self, event: Event) -> Event:
        """Store one event and return it as stored (with its position)."""
        (stored,) = await self.record_all([event])
        return stored

    async def record_all(self, events: Sequence[Event]) -> list[Event]:
        """Store some events together, in order. Transient ones and those told before are not stored.

        Raises:
            RecordingFailedError: the store stayed away; nobody knows whether the events are stored.
            FencedError, EventRefusedError, ConflictError: as `EventLog.append`.
        """
        news = [event for event in events if self._is_news(event)]
        positions = await self._append(news) if news else {}
        return [self._as_stored(event, positions) for event in events]

    def _is_news(self, event: Event) -> bool:
        return (
            event.persistence is not Persistence.TRANSIENT and EventId(canonical_id(event.event_id)) not in self._told
        )

    async def _append(self, events: Sequence[Event]) -> dict[str, int]:
        appended = await self._append_with_patience(events)
        positions: dict[str, int] = {event.event_id: seq for seq, event in enumerate(events, appended)}
        needed = [positions[event.event_id] for event in events if event.persistence is Persistence.SYNC_REQUIRED]
        if needed and self._projector is not None:
            await self._projector.ensure(self._session_id, needed[-1])
        return positions

    async def _append_with_patience(self, events: Sequence[Event]) -> int:
        pause = self._patience.first_pause_seconds
        for attempt in range(1, self._patience.attempts + 1):
            try:
                return (await self._log.append(self._session_id, events, fence=self._fence)).first_seq
            except StoreUnavailableError as error:
                if attempt == self._patience.attempts:
                    raise RecordingFailedError(
                        f"the log did not take {len(events)} events in {attempt} attempts: {error}"
                    ) from error
            await self._clock.sleep(pause)
            pause *= 2
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _as_stored(self, event: Event, positions: Mapping[str, int]) -> Event:
        earlier = self._told.get(EventId(canonical_id(event.event_id)))
        if earlier is not None:
            return earlier
        seq = positions.get(event.event_id)
        if seq is None:
            return event
        return event.model_copy(update={"sequence_number": seq, "session_id": self._session_id})
