"""Phase two of persistence: read models follow the log, each session in order, each event once.

    run: sessions that are due -> project them in one transaction with their cursors
                               -> if that fails, one by one; a failing session is tried again later
                               -> after five failures its next event becomes a dead letter and the session goes on

One session that fails delays no other. A store applies changes and keeps cursors; the course of action is here.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

from batuta.events.log import Alarm, AlarmListener, log_alarm
from batuta.eventstore.replay import TraceIndex
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.ids import SessionId, session_id

log = logging.getLogger("batuta.eventstore")

MAX_FAILURES = 5
EVENTS_AT_ONCE = 1_000
SESSIONS_AT_ONCE = 64
POLL_SECONDS = 0.2
SHORTEST_PAUSE, LONGEST_PAUSE = timedelta(milliseconds=100), timedelta(seconds=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """An event that the read models could not take."""

    session_id: str
    seq: int
    error: str
    failures: int
    created_at: datetime


class Backlog(NamedTuple):
    """How far the read models of a session are, and how far its log is."""

    done: int
    last: int


class ProjectionStore(TraceIndex, Protocol):
    """What a store does for its read models."""

    async def due(self, limit: int) -> Sequence[SessionId]:
        """Sessions that are behind and not resting after a failure."""
        ...

    async def behind(self, session_ids: Sequence[SessionId] | None = None) -> Mapping[SessionId, Backlog]:
        """All sessions that are behind and not resting, of these if they are given."""
        ...

    async def project(self, session_ids: Sequence[SessionId], *, max_events: int, waits: bool = True) -> int:
        """Apply the next events of these sessions with their cursors, all in one transaction. How many.

        Sessions that another projector is at are waited for, or else left to it.
        """
        ...

    async def projected(self, session_id: SessionId) -> int:
        """How far the read models of a session are."""
        ...

    async def failed(self, session_id: SessionId, *, pause: timedelta) -> int:
        """Count a failure and let the session rest, by the store's own clock. How many there were in a row."""
        ...

    async def failures(self, session_id: SessionId) -> int:
        """How many failures in a row the session has."""
        ...

    async def bury(self, session_id: SessionId, error: str) -> int:
        """Make the next event of the session a dead letter and pass it. Its position."""
        ...

    async def dead_letters(self, limit: int) -> Sequence[DeadLetter]:
        """What was buried, newest first."""
        ...

    async def lag(self) -> timedelta:
        """How long the oldest event waits that no read model has."""
        ...

    async def reset(self, session_ids: Sequence[SessionId] | None = None) -> None:
        """Empty the read models, of these sessions or all, and begin again with the first event."""
        ...

    async def rows(self, table: str, session_id: SessionId | None = None) -> Sequence[Mapping[str, Any]]:
        """The rows of a read model, by key."""
        ...


class Projector:
    """Keeps the read models of one store up to date. Several may work on one store."""

    def __init__(
        self,
        store: ProjectionStore,
        *,
        clock: Clock = SYSTEM_CLOCK,
        on_alarm: AlarmListener = log_alarm,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._store = store
        self._clock = clock
        self._alarm = on_alarm
        self._poll_seconds = poll_seconds

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            try:
                is_idle = await self.run_once() == 0
            except StoreUnavailableError as error:
                log.warning("projector: %s", error)
                is_idle = True
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise asyncio.CancelledError  # Python 3.11's `wait_for` returns instead if what it waits for is done
            if is_idle:
                await self._clock.sleep(self._poll_seconds)

    async def run_once(self) -> int:
        """Project what is due now. How many events."""
        due = await self._store.due(SESSIONS_AT_ONCE)
        return await self._project_together(due, waits=False) if due else 0

    async def catch_up(self) -> int:
        """Project what the log holds now; what is appended meanwhile does not keep it going. How many events."""
        backlog = await self._store.behind()
        owners, total = list(backlog), 0
        for first in range(0, len(owners), SESSIONS_AT_ONCE):
            goals = {owner: backlog[owner].last for owner in owners[first : first + SESSIONS_AT_ONCE]}
            total += await self._reach(goals)
        return total

    async def _reach(self, goals: Mapping[SessionId, int]) -> int:
        """Bring sessions up to a position each; those that fail, and those another projector works on, are left."""
        left, total = list(goals), 0
        while left and (done := await self._project_together(left, waits=len(left) == 1)):
            total += done
            backlog = await self._store.behind(left)
            left = [owner for owner in left if owner in backlog and backlog[owner].done < goals[owner]]
        return total

    async def ensure(self, session: str, seq: int) -> None:
        """Bring the read models of a session up to a position, now. What they cannot take is buried on the way.

        Raises `StoreUnavailableError` if the store does not hold that position (yet).
        """
        owner = session_id(session)
        while await self._store.projected(owner) < seq:
            passed = await self._project_one(owner)
            if not passed and not await self._store.failures(owner) and await self._store.projected(owner) < seq:
                raise StoreUnavailableError(f"the read models have no event of session {owner} at position {seq}")

    async def lag(self) -> timedelta:
        """How long the oldest event waits that no read model has."""
        return await self._store.lag()

    async def rebuild(self, session_ids: Sequence[str] | None = None) -> int:
        """Empty the read models and make them anew from what the log holds now. How many events."""
        owners = None if session_ids is None else [session_id(text) for text in session_ids]
        await self._store.reset(owners)
        return await self.catch_up()

    async def _project_together(self, owners: Sequence[SessionId], *, waits: bool) -> int:
        try:
            return await self._store.project(owners, max_events=EVENTS_AT_ONCE, waits=waits)
        except StoreUnavailableError:
            raise
        except Exception as error:
            log.warning("projector: %d sessions one by one after %s", len(owners), error)
            return sum([await self._project_one(owner) for owner in owners])

    async def _project_one(self, owner: SessionId) -> int:
        # After a failure one event at a time, so that the one to blame is the next one.
        at_once = 1 if await self._store.failures(owner) else EVENTS_AT_ONCE
        try:
            return await self._store.project([owner], max_events=at_once)
        except StoreUnavailableError:
            raise
        except Exception as error:
            return await self._give_in(owner, error)

    async def _give_in(self, owner: SessionId, error: Exception) -> int:
        """Count the failure; the last one buries the event. How many events were passed."""
        failures = await self._store.failures(owner) + 1
        if failures < MAX_FAILURES:
            pause = min(SHORTEST_PAUSE * 2**failures, LONGEST_PAUSE)
            await self._store.failed(owner, pause=pause)
            return 0
        reason = f"{type(error).__name__}: {error}"
        seq = await self._store.bury(owner, reason)
        self._alarm(
            Alarm(kind="dead_letter", session_id=owner, message=f"position {seq} is not in the read models: {reason}")
        )
        return 1
