"""The read models in the database of the log. Projectors of several processes share the work by locking cursors."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import asyncpg

from batuta.events.admission import revive
from batuta.events.log import Record
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_append import Executor
from batuta.eventstore.projectors import Backlog, DeadLetter
from batuta.eventstore.readmodels import CONSUMER, READ_MODELS, changes_of, in_waves
from batuta.eventstore.replay import TracePlace
from batuta.eventstore.statements import dollar, grouped, upsert
from batuta.kernel.failpoints import failpoint
from batuta.kernel.ids import SessionId
from batuta.kernel.postgres import execute_many

_SELECT_DUE = """
SELECT d.session_id FROM dirty_sessions d
LEFT JOIN cursors c ON c.consumer = d.consumer AND c.session_id = d.session_id
WHERE d.consumer = $1 AND (c.retry_at IS NULL OR c.retry_at <= clock_timestamp())
GROUP BY d.session_id ORDER BY min(d.marked_at) LIMIT $2"""
_SELECT_BEHIND = """
SELECT d.session_id, coalesce(max(c.done_seq), 0), max(d.last_seq) FROM dirty_sessions d
LEFT JOIN cursors c ON c.consumer = d.consumer AND c.session_id = d.session_id
WHERE d.consumer = $1 AND (c.retry_at IS NULL OR c.retry_at <= clock_timestamp())
  AND ($2::text[] IS NULL OR d.session_id = ANY ($2))
GROUP BY d.session_id ORDER BY min(d.marked_at)"""
_MAKE_CURSORS = """
INSERT INTO cursors (consumer, session_id, done_seq)
SELECT $1, wanted.id, 0 FROM unnest($2::text[]) AS wanted (id)
WHERE NOT EXISTS (SELECT 1 FROM cursors c WHERE c.consumer = $1 AND c.session_id = wanted.id)
ORDER BY wanted.id ON CONFLICT DO NOTHING RETURNING session_id"""
_LOCK_CURSORS = """
SELECT session_id, done_seq, failures FROM cursors WHERE consumer = $1 AND session_id = ANY ($2)
ORDER BY session_id FOR UPDATE {}"""
_SELECT_EVENTS = """
SELECT s.id AS session_id, e.epoch, e.seq, e.event_id, e.payload
FROM unnest($1::text[], $2::bigint[]) AS s (id, done)
CROSS JOIN LATERAL (
  SELECT epoch, seq, event_id, payload FROM message_events
  WHERE session_id = s.id AND seq > s.done ORDER BY seq LIMIT $3) e"""
_MOVE_CURSORS = """
WITH n AS (SELECT * FROM unnest($2::text[], $3::bigint[]) AS n (id, done)), moved AS (
  UPDATE cursors c SET done_seq = n.done, failures = 0, retry_at = NULL FROM n
  WHERE c.consumer = $1 AND c.session_id = n.id)
DELETE FROM dirty_sessions d USING n WHERE d.consumer = $1 AND d.session_id = n.id AND d.last_seq <= n.done"""
_SELECT_CURSOR = "SELECT done_seq, failures FROM cursors WHERE consumer = $1 AND session_id = $2"
_FAIL = """
INSERT INTO cursors (consumer, session_id, done_seq, failures, retry_at)
VALUES ($1, $2, 0, 1, clock_timestamp() + $3::interval)
ON CONFLICT (consumer, session_id) DO UPDATE SET failures = cursors.failures + 1, retry_at = excluded.retry_at
RETURNING failures"""
_BURY = """
INSERT INTO dead_letters (consumer, session_id, seq, error, failures, created_at)
SELECT $1, $2, $3, $4, $5, clock_timestamp()
ON CONFLICT (consumer, session_id, seq) DO UPDATE SET error = excluded.error, failures = excluded.failures"""
_SELECT_DEAD = """
SELECT session_id, seq, error, failures, created_at FROM dead_letters WHERE consumer = $1
ORDER BY created_at DESC LIMIT $2"""
_LAG = "SELECT clock_timestamp() - min(marked_at) FROM dirty_sessions WHERE consumer = $1"
_MARK = """
INSERT INTO dirty_sessions (consumer, session_id, last_seq, marked_at)
SELECT $1, session_id, last_seq, clock_timestamp() FROM log_heads
WHERE last_seq > 0 AND ($2::text[] IS NULL OR session_id = ANY ($2)) AND {} ON CONFLICT DO NOTHING"""
_NOT_ERASED = "session_id NOT IN (SELECT session_id FROM session_owners WHERE erased_at IS NOT NULL)"
_SELECT_TRACE = "SELECT session_id, first_seq, last_seq FROM traces WHERE trace_id = $1 ORDER BY session_id"


class PostgresProjections:
    """A `ProjectionStore` in the database of a log."""

    def __init__(self, log: PostgresEventLog) -> None:
        self._database = log.database

    async def due(self, limit: int) -> Sequence[SessionId]:
        """See `ProjectionStore.due`."""
        async with self._database.connection() as connection:
            return [SessionId(row[0]) for row in await connection.fetch(_SELECT_DUE, CONSUMER, limit)]

    async def behind(self, session_ids: Sequence[SessionId] | None = None) -> Mapping[SessionId, Backlog]:
        """See `ProjectionStore.behind`."""
        owners = None if session_ids is None else list(session_ids)
        async with self._database.connection() as connection:
            rows = await connection.fetch(_SELECT_BEHIND, CONSUMER, owners)
        return {SessionId(owner): Backlog(done, last) for owner, done, last in rows}

    async def project(self, session_ids: Sequence[SessionId], *, max_events: int, waits: bool = True) -> int:
        """See `ProjectionStore.project`."""
        owners = list(session_ids)
        others = "" if waits else "SKIP LOCKED"
        async with self._database.transaction() as connection:
            cursors = await connection.fetch(_LOCK_CURSORS.format(others), CONSUMER, owners)
            if len(cursors) < len(owners):  # some are new, or another projector is at them
                made = await connection.fetch(_MAKE_CURSORS, CONSUMER, owners)
                if made or waits:
                    cursors = await connection.fetch(_LOCK_CURSORS.format(others), CONSUMER, owners)
            locked = {cursor["session_id"]: cursor["done_seq"] for cursor in cursors}
            if not locked:
                return 0
            rows = await connection.fetch(_SELECT_EVENTS, list(locked), list(locked.values()), max_events)
            await _apply(connection, rows)
            done = locked | {row["session_id"]: row["seq"] for row in rows}
            failpoint("projector.before_cursor")
            await connection.execute(_MOVE_CURSORS, CONSUMER, list(done), list(done.values()))
            failpoint("projector.before_commit")
        failpoint("projector.after_commit")
        return len(rows)

    async def projected(self, session_id: SessionId) -> int:
        """See `ProjectionStore.projected`."""
        return (await self._cursor(session_id))[0]

    async def failed(self, session_id: SessionId, *, pause: timedelta) -> int:
        """See `ProjectionStore.failed`."""
        async with self._database.connection() as connection:
            return int(await connection.fetchval(_FAIL, CONSUMER, session_id, pause))

    async def failures(self, session_id: SessionId) -> int:
        """See `ProjectionStore.failures`."""
        return (await self._cursor(session_id))[1]

    async def bury(self, session_id: SessionId, error: str) -> int:
        """See `ProjectionStore.bury`."""
        async with self._database.transaction() as connection:
            await connection.execute(_MAKE_CURSORS, CONSUMER, [session_id])
            (cursor,) = await connection.fetch(_LOCK_CURSORS.format(""), CONSUMER, [session_id])
            seq = int(cursor["done_seq"]) + 1
            await connection.execute(
                _BURY, CONSUMER, session_id, seq, error.replace("\x00", ""), cursor["failures"] + 1
            )
            await connection.execute(_MOVE_CURSORS, CONSUMER, [session_id], [seq])
        return seq

    async def dead_letters(self, limit: int) -> Sequence[DeadLetter]:
        """See `ProjectionStore.dead_letters`."""
        async with self._database.connection() as connection:
            return [DeadLetter(**row) for row in await connection.fetch(_SELECT_DEAD, CONSUMER, limit)]

    async def lag(self) -> timedelta:
        """See `ProjectionStore.lag`."""
        async with self._database.connection() as connection:
            return await connection.fetchval(_LAG, CONSUMER) or timedelta()

    async def reset(self, session_ids: Sequence[SessionId] | None = None) -> None:
        """See `ProjectionStore.reset`."""
        owners = None if session_ids is None else list(session_ids)
        chosen = f"($1::text[] IS NULL OR session_id = ANY ($1)) AND {_NOT_ERASED}"
        async with self._database.transaction() as connection:
            # No projector may commit rows between the deletes: they would be kept, and counted again.
            await connection.execute("LOCK TABLE cursors IN EXCLUSIVE MODE")
            for table in READ_MODELS:
                await connection.execute(f"DELETE FROM {table} WHERE {chosen}", owners)  # noqa: S608 - our names
            for table in ("cursors", "dead_letters", "dirty_sessions"):
                delete = f"DELETE FROM {table} WHERE {chosen} AND consumer = $2"  # noqa: S608 - our names
                await connection.execute(delete, owners, CONSUMER)
            await connection.execute(_MARK.format(_NOT_ERASED), CONSUMER, owners)

    async def rows(self, table: str, session_id: SessionId | None = None) -> Sequence[Mapping[str, Any]]:
        """See `ProjectionStore.rows`."""
        if table not in READ_MODELS:
            raise ValueError(f"{table!r} is no read model; there are {', '.join(READ_MODELS)}")
        query = f"SELECT * FROM {table} WHERE $1::text IS NULL OR session_id = $1 ORDER BY 1, 2"  # noqa: S608
        async with self._database.connection() as connection:
            return [dict(row) for row in await connection.fetch(query, session_id)]

    async def trace(self, trace_id: str) -> Sequence[TracePlace]:
        """See `TraceIndex.trace`."""
        async with self._database.connection() as connection:
            return [TracePlace(*row) for row in await connection.fetch(_SELECT_TRACE, trace_id)]

    async def _cursor(self, owner: SessionId) -> tuple[int, int]:
        async with self._database.connection() as connection:
            row = await connection.fetchrow(_SELECT_CURSOR, CONSUMER, owner)
        return (0, 0) if row is None else (row["done_seq"], row["failures"])


async def _apply(connection: Executor, rows: Sequence[asyncpg.Record]) -> None:
    records = []
    for row in rows:
        owner, seq, payload = row["session_id"], row["seq"], row["payload"]
        event = None if payload is None else revive(owner, seq, row["event_id"], payload)
        records.append(Record(row["epoch"], seq, event))
    for wave in in_waves(changes_of(records)):
        for shape, arguments in grouped(wave).items():
            await execute_many(connection, upsert(shape, dollar), arguments)
