"""Phase one of persistence: number the events of a turn and append them, or nothing.

    record(event) -> log.append -> the event with its position
                                -> for `sync_required`, only when its read-model rows are committed too

Concurrent turns share commits in the log, which also bounds how many may wait. A store that is away for a moment is
asked again: the same events under the same ids are stored once.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.routing import Persistence
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import RecordingFailedError, StoreUnavailableError
from batuta.kernel.ids import canonical_id, session_id
from batuta.kernel.tasks import never_waits


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
        self._told: dict[str, Event] = {event.event_id: event for event in told}
        self._patience = patience
        self._clock = clock

    @property
    def never_waits(self) -> bool:
        """Whether `record` never suspends: the log does not and is never away, and no read model is waited for."""
        return self._projector is None and never_waits(self._log, "append")

    async def record(self, event: Event) -> Event:
        """Store one event and return it as stored (with its position)."""
        if not self._is_news(event):
            return self._earlier(event)
        return event.placed(self._session_id, await self._append((event,)))

    async def record_all(self, events: Sequence[Event]) -> list[Event]:
        """Store some events together, in order. Transient ones and those told before are not stored.

        Raises:
            RecordingFailedError: the store stayed away; nobody knows whether the events are stored.
            FencedError, EventRefusedError, ConflictError: as `EventLog.append`.
        """
        news = [event for event in events if self._is_news(event)]
        positions = itertools.count(await self._append(news) if news else 0)
        return [
            event.placed(self._session_id, next(positions)) if self._is_news(event) else self._earlier(event)
            for event in events
        ]

    def _is_news(self, event: Event) -> bool:
        if event.persistence is Persistence.TRANSIENT:
            return False
        return not self._told or canonical_id(event.event_id) not in self._told

    def _earlier(self, event: Event) -> Event:
        return self._told.get(canonical_id(event.event_id), event)

    async def _append(self, events: Sequence[Event]) -> int:
        """The position of the first, when what has to be visible at once is."""
        try:
            first = (await self._log.append(self._session_id, events, fence=self._fence)).first_seq
        except StoreUnavailableError as error:
            first = await self._ask_again(events, error)
        if self._projector is not None:
            needed = [at for at, event in enumerate(events, first) if event.persistence is Persistence.SYNC_REQUIRED]
            if needed:
                await self._projector.ensure(self._session_id, needed[-1])
        return first

    async def _ask_again(self, events: Sequence[Event], error: StoreUnavailableError) -> int:
        pause = self._patience.first_pause_seconds
        for _ in range(1, self._patience.attempts):
            await self._clock.sleep(pause)
            pause *= 2
            try:
                return (await self._log.append(self._session_id, events, fence=self._fence)).first_seq
            except StoreUnavailableError as again:
                error = again
        raise RecordingFailedError(
            f"the log did not take {len(events)} events in {self._patience.attempts} attempts: {error}"
        ) from error
