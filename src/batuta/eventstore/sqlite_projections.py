"""The read models in the SQLite file of the log. Most are written with the events; this is for what was left behind."""

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from batuta.events.admission import revive
from batuta.events.log import Record
from batuta.eventstore import sqlite_append
from batuta.eventstore.projectors import Backlog, DeadLetter
from batuta.eventstore.readmodels import CONSUMER, READ_MODELS, changes_of
from batuta.eventstore.replay import TracePlace
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_append import SqliteAppends, changes_of_news, stamp
from batuta.kernel.ids import SessionId

_SELECT_DUE = """
SELECT d.session_id FROM dirty_sessions d
LEFT JOIN cursors c ON c.consumer = d.consumer AND c.session_id = d.session_id
WHERE d.consumer = ? AND (c.retry_at IS NULL OR c.retry_at <= ?)
GROUP BY d.session_id ORDER BY min(d.marked_at) LIMIT ?"""
_SELECT_BEHIND = """
SELECT d.session_id, coalesce(max(c.done_seq), 0), max(h.last_seq) FROM dirty_sessions d
JOIN log_heads h ON h.session_id = d.session_id
LEFT JOIN cursors c ON c.consumer = d.consumer AND c.session_id = d.session_id
WHERE d.consumer = ? AND (c.retry_at IS NULL OR c.retry_at <= ?) AND {}
GROUP BY d.session_id ORDER BY min(d.marked_at)"""
_SELECT_CURSOR = "SELECT done_seq, failures FROM cursors WHERE consumer = ? AND session_id = ?"
_SELECT_EVENTS = """
SELECT epoch, seq, event_id, payload FROM message_events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?"""
_MOVE_CURSOR = """
INSERT INTO cursors (consumer, session_id, done_seq) VALUES (?, ?, ?)
ON CONFLICT (consumer, session_id) DO UPDATE SET done_seq = excluded.done_seq, failures = 0, retry_at = NULL"""
_FAIL = """
INSERT INTO cursors (consumer, session_id, done_seq, failures, retry_at) VALUES (?, ?, 0, 1, ?)
ON CONFLICT (consumer, session_id) DO UPDATE SET failures = cursors.failures + 1, retry_at = excluded.retry_at
RETURNING failures"""
_UNMARK = """
DELETE FROM dirty_sessions WHERE consumer = ? AND session_id = ?
  AND NOT EXISTS (SELECT 1 FROM log_heads h WHERE h.session_id = dirty_sessions.session_id AND h.last_seq > ?)"""
_MARK = """
INSERT OR IGNORE INTO dirty_sessions (consumer, session_id, last_seq, marked_at)
SELECT ?, session_id, last_seq, ? FROM log_heads WHERE last_seq > 0 AND {}"""
_BURY = """
INSERT OR REPLACE INTO dead_letters (consumer, session_id, seq, error, failures, created_at)
VALUES (?, ?, ?, ?, ?, ?)"""
_SELECT_DEAD = """
SELECT session_id, seq, error, failures, created_at FROM dead_letters WHERE consumer = ?
ORDER BY created_at DESC LIMIT ?"""
_SELECT_TRACE = "SELECT session_id, first_seq, last_seq FROM traces WHERE trace_id = ? ORDER BY session_id"
_OLDEST = "SELECT min(marked_at) FROM dirty_sessions WHERE consumer = ?"


class SqliteProjections:
    """A `ProjectionStore` in the file of a log."""

    def __init__(self, log: SqliteEventLog) -> None:
        self._database = log.database
        self._appends = log.appends
        self._clock = log.clock

    async def due(self, limit: int) -> Sequence[SessionId]:
        """See `ProjectionStore.due`."""
        now = stamp(self._clock.now())
        rows = await self._database.look_up(
            lambda connection: connection.execute(_SELECT_DUE, (CONSUMER, now, limit)).fetchall()
        )
        return [SessionId(row[0]) for row in rows]

    async def behind(self, session_ids: Sequence[SessionId] | None = None) -> Mapping[SessionId, Backlog]:
        """See `ProjectionStore.behind`."""
        now = stamp(self._clock.now())
        chosen = "1" if session_ids is None else f"d.session_id IN ({','.join('?' * len(session_ids))})"
        query, arguments = _SELECT_BEHIND.format(chosen), (CONSUMER, now, *(session_ids or ()))
        rows = await self._database.read(lambda connection: connection.execute(query, arguments).fetchall())
        return {SessionId(owner): Backlog(done, last) for owner, done, last in rows}

    async def project(self, session_ids: Sequence[SessionId], *, max_events: int, waits: bool = True) -> int:
        """See `ProjectionStore.project`."""
        appends = self._appends
        return await self._database.write(
            lambda connection: sum(_project(connection, appends, owner, max_events) for owner in session_ids), weight=64
        )

    async def projected(self, session_id: SessionId) -> int:
        """See `ProjectionStore.projected`."""
        return (await self._database.look_up(lambda connection: _cursor(connection, session_id)))[0]

    async def failed(self, session_id: SessionId, *, pause: timedelta) -> int:
        """See `ProjectionStore.failed`."""
        arguments = (CONSUMER, session_id, stamp(self._clock.now() + pause))
        (count,) = await self._database.write(lambda connection: connection.execute(_FAIL, arguments).fetchone())
        return int(count)

    async def failures(self, session_id: SessionId) -> int:
        """See `ProjectionStore.failures`."""
        return (await self._database.look_up(lambda connection: _cursor(connection, session_id)))[1]

    async def bury(self, session_id: SessionId, error: str) -> int:
        """See `ProjectionStore.bury`."""
        now = stamp(self._clock.now())
        return await self._database.write(lambda connection: _bury(connection, session_id, error, now))

    async def dead_letters(self, limit: int) -> Sequence[DeadLetter]:
        """See `ProjectionStore.dead_letters`."""
        rows = await self._database.read(
            lambda connection: connection.execute(_SELECT_DEAD, (CONSUMER, limit)).fetchall()
        )
        return [
            DeadLetter(session_id=owner, seq=seq, error=error, failures=count, created_at=datetime.fromisoformat(at))
            for owner, seq, error, count, at in rows
        ]

    async def lag(self) -> timedelta:
        """See `ProjectionStore.lag`."""
        (oldest,) = await self._database.read(lambda connection: connection.execute(_OLDEST, (CONSUMER,)).fetchone())
        return timedelta() if oldest is None else max(timedelta(), datetime.now(UTC) - datetime.fromisoformat(oldest))

    async def reset(self, session_ids: Sequence[SessionId] | None = None) -> None:
        """See `ProjectionStore.reset`."""
        now = stamp(self._clock.now())
        await self._database.write(lambda connection: _reset(connection, session_ids, now))

    async def rows(self, table: str, session_id: SessionId | None = None) -> Sequence[Mapping[str, Any]]:
        """See `ProjectionStore.rows`."""
        return await self._database.read(lambda connection: _rows(connection, table, session_id))

    async def trace(self, trace_id: str) -> Sequence[TracePlace]:
        """See `TraceIndex.trace`."""
        rows = await self._database.read(lambda connection: connection.execute(_SELECT_TRACE, (trace_id,)).fetchall())
        return [TracePlace(*row) for row in rows]


def _cursor(connection: sqlite3.Connection, owner: SessionId) -> tuple[int, int]:
    row = connection.execute(_SELECT_CURSOR, (CONSUMER, owner)).fetchone()
    return (0, 0) if row is None else (row[0], row[1])


def _project(connection: sqlite3.Connection, appends: SqliteAppends, owner: SessionId, max_events: int) -> int:
    state = sqlite_append.state_of(connection, owner)
    count = state.last_seq - state.projected
    if count <= max_events and (known := appends.lacking(owner, state)):
        changes = changes_of_news(known)
    else:
        rows = connection.execute(_SELECT_EVENTS, (owner, state.projected, max_events)).fetchall()
        changes, count = changes_of([_record(owner, *row) for row in rows]), len(rows)
    sqlite_append.apply(connection, changes)
    _move(connection, owner, state.projected + count)
    return count


def _record(owner: SessionId, epoch: int, seq: int, event_id: str, payload: str | None) -> Record:
    return Record(epoch, seq, None if payload is None else revive(owner, seq, event_id, payload))


def _move(connection: sqlite3.Connection, owner: SessionId, to: int) -> None:
    connection.execute(_MOVE_CURSOR, (CONSUMER, owner, to))
    connection.execute(_UNMARK, (CONSUMER, owner, to))


def _bury(connection: sqlite3.Connection, owner: SessionId, error: str, now: str) -> int:
    done, failures = _cursor(connection, owner)
    connection.execute(_BURY, (CONSUMER, owner, done + 1, error, failures + 1, now))
    _move(connection, owner, done + 1)
    return done + 1


def _reset(connection: sqlite3.Connection, owners: Sequence[SessionId] | None, now: str) -> None:
    chosen = "1" if owners is None else f"session_id IN ({','.join('?' * len(owners))})"
    chosen += " AND session_id NOT IN (SELECT session_id FROM session_owners WHERE erased_at IS NOT NULL)"
    arguments = tuple(owners or ())
    for table in READ_MODELS:
        connection.execute(f"DELETE FROM {table} WHERE {chosen}", arguments)  # noqa: S608 - our names, marks only
    for table in ("cursors", "dead_letters", "dirty_sessions"):
        delete = f"DELETE FROM {table} WHERE consumer = ? AND {chosen}"  # noqa: S608 - as above
        connection.execute(delete, (CONSUMER, *arguments))
    connection.execute(_MARK.format(chosen), (CONSUMER, now, *arguments))


def _rows(connection: sqlite3.Connection, table: str, owner: SessionId | None) -> list[dict[str, Any]]:
    if table not in READ_MODELS:
        raise ValueError(f"{table!r} is no read model; there are {', '.join(READ_MODELS)}")
    query = f"SELECT * FROM {table} WHERE ? IS NULL OR session_id = ? ORDER BY 1, 2"  # noqa: S608 - a known name
    cursor = connection.execute(query, (owner, owner))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]
