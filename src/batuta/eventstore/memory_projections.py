"""The read models of a log in memory."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from batuta.events.admission import revive
from batuta.events.log import Record
from batuta.eventstore.memory import MemoryEventLog, StoredRow
from batuta.eventstore.projectors import Backlog, DeadLetter
from batuta.eventstore.readmodels import CONSUMER, READ_MODELS, changes_of
from batuta.eventstore.replay import TracePlace
from batuta.kernel.ids import SessionId


class MemoryProjections:
    """A `ProjectionStore` beside a log in memory."""

    def __init__(self, log: MemoryEventLog) -> None:
        self._store = log.store
        self._clock = log.clock
        self._failures: dict[SessionId, int] = {}
        self._retry_at: dict[SessionId, datetime] = {}
        self._dead: list[DeadLetter] = []

    async def due(self, limit: int) -> Sequence[SessionId]:
        """See `ProjectionStore.due`."""
        now = self._clock.now()
        done = self._store.consumers[CONSUMER]
        return [
            owner
            for owner, session in self._store.sessions.items()
            if done.get(owner, 0) < session.head.last_seq and self._retry_at.get(owner, now) <= now
        ][:limit]

    async def behind(self, session_ids: Sequence[SessionId] | None = None) -> Mapping[SessionId, Backlog]:
        """See `ProjectionStore.behind`."""
        due = await self.due(len(self._store.sessions))
        chosen = due if session_ids is None else set(due).intersection(session_ids)
        return {
            owner: Backlog(await self.projected(owner), self._store.sessions[owner].head.last_seq) for owner in chosen
        }

    async def project(self, session_ids: Sequence[SessionId], *, max_events: int, waits: bool = True) -> int:
        """See `ProjectionStore.project`."""
        before = {name: {key: dict(row) for key, row in rows.items()} for name, rows in self._store.tables.items()}
        done = self._store.consumers[CONSUMER]
        cursors = dict(done)
        try:
            return sum(self._project(owner, max_events) for owner in session_ids)
        except Exception:
            self._store.tables.clear()
            self._store.tables.update(before)
            done.clear()
            done.update(cursors)
            raise

    async def projected(self, session_id: SessionId) -> int:
        """See `ProjectionStore.projected`."""
        return self._store.consumers[CONSUMER].get(session_id, 0)

    async def failed(self, session_id: SessionId, *, pause: timedelta) -> int:
        """See `ProjectionStore.failed`."""
        self._failures[session_id] = self._failures.get(session_id, 0) + 1
        self._retry_at[session_id] = self._clock.now() + pause
        return self._failures[session_id]

    async def failures(self, session_id: SessionId) -> int:
        """See `ProjectionStore.failures`."""
        return self._failures.get(session_id, 0)

    async def bury(self, session_id: SessionId, error: str) -> int:
        """See `ProjectionStore.bury`."""
        seq = await self.projected(session_id) + 1
        count = self._failures.get(session_id, 0) + 1
        self._dead.append(
            DeadLetter(session_id=session_id, seq=seq, error=error, failures=count, created_at=self._clock.now())
        )
        self._store.consumers[CONSUMER][session_id] = seq
        self._forgive(session_id)
        return seq

    async def dead_letters(self, limit: int) -> Sequence[DeadLetter]:
        """See `ProjectionStore.dead_letters`."""
        return self._dead[::-1][:limit]

    async def lag(self) -> timedelta:
        """See `ProjectionStore.lag`. Nothing is known of when an event came: behind or not is all there is."""
        return timedelta()

    async def reset(self, session_ids: Sequence[SessionId] | None = None) -> None:
        """See `ProjectionStore.reset`."""
        chosen = set(self._store.sessions if session_ids is None else session_ids) - self._store.erased
        for table in READ_MODELS:
            rows = self._store.tables.get(table, {})
            for key in [key for key, row in rows.items() if row["session_id"] in chosen]:
                del rows[key]
        for owner in chosen:
            self._store.consumers[CONSUMER].pop(owner, None)
            self._forgive(owner)
        self._dead = [letter for letter in self._dead if letter.session_id not in chosen]

    async def rows(self, table: str, session_id: SessionId | None = None) -> Sequence[Mapping[str, Any]]:
        """See `ProjectionStore.rows`."""
        rows = self._store.tables.get(table, {})
        columns = dict.fromkeys(name for row in rows.values() for name in row)
        chosen = [row for _, row in sorted(rows.items()) if session_id is None or row["session_id"] == session_id]
        return [{**columns, **row} for row in chosen]

    async def trace(self, trace_id: str) -> Sequence[TracePlace]:
        """See `TraceIndex.trace`."""
        rows = [row for row in self._store.tables.get("traces", {}).values() if row["trace_id"] == trace_id]
        return sorted(TracePlace(row["session_id"], row["first_seq"], row["last_seq"]) for row in rows)

    def _project(self, owner: SessionId, max_events: int) -> int:
        done = self._store.consumers[CONSUMER]
        rows = self._store.sessions[owner].rows[done.get(owner, 0) :][:max_events]
        for row in rows:
            self._store.apply(changes_of([_record(owner, row)]))
            done[owner] = row.seq
        if rows:
            self._forgive(owner)
        return len(rows)

    def _forgive(self, owner: SessionId) -> None:
        self._failures.pop(owner, None)
        self._retry_at.pop(owner, None)


def _record(owner: SessionId, row: StoredRow) -> Record:
    event = None if row.payload is None else revive(owner, row.seq, row.event_id, row.payload)
    return Record(row.epoch, row.seq, event)
