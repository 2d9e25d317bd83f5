"""The event log in PostgreSQL: one function call per group of appends, on one connection."""

from collections.abc import Collection, Mapping, Sequence
from typing import Unpack

import asyncpg

from batuta.events.admission import Batch
from batuta.events.log import PAGE_SIZE, Appended, Durability, Head, Lag, StoredPage
from batuta.eventstore.base import LARGEST, LogOptions, StoreLog, check_advance, check_range, page_of
from batuta.eventstore.decisions import overlap, sequence_conflict
from batuta.eventstore.grouping import GroupCommit
from batuta.eventstore.postgres_append import Executor, append_all
from batuta.eventstore.postgres_database import DURABLE, SYNCHRONOUS, PostgresPool
from batuta.kernel.errors import ConfigurationError, StoreUnavailableError
from batuta.kernel.failpoints import failpoint
from batuta.kernel.ids import SessionId
from batuta.kernel.ids import session_id as _session

_SELECT_HEAD = "SELECT epoch, last_seq, fence FROM log_heads WHERE session_id = $1"
_SELECT_EVENTS = """
SELECT epoch, seq, event_id, payload FROM message_events WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3"""
_SELECT_PAGE = f"""
SELECT h.epoch, h.last_seq, h.fence, at.epoch, e.* FROM (SELECT 1) AS always
LEFT JOIN log_heads h ON h.session_id = $1
LEFT JOIN message_events at ON at.session_id = $1 AND at.seq = $2
LEFT JOIN ({_SELECT_EVENTS}) e ON true
ORDER BY e.seq"""  # noqa: S608 - a statement of ours in another
_CHANGE_HEAD = """
INSERT INTO log_heads (session_id, epoch, last_seq, fence, link)
VALUES ($1, 1 + $2, 0, $3, decode(repeat('00', 32), 'hex'))
ON CONFLICT (session_id) DO UPDATE SET
  epoch = log_heads.epoch + $2, fence = greatest(log_heads.fence, $3)
RETURNING epoch"""
_SELECT_SESSIONS = """
SELECT session_id FROM log_heads WHERE session_id > $1 AND last_seq > 0 ORDER BY session_id LIMIT $2"""
_ADD_CONSUMER = "INSERT INTO consumers (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING name"
_MARK_ALL = """
INSERT INTO dirty_sessions (consumer, session_id, last_seq, marked_at)
SELECT $1, session_id, last_seq, clock_timestamp() FROM log_heads WHERE last_seq > 0 ON CONFLICT DO NOTHING"""
_SELECT_BEHIND = """
SELECT d.session_id, coalesce(max(c.done_seq), 0) AS done, max(d.last_seq) AS last
FROM dirty_sessions d LEFT JOIN cursors c ON c.consumer = d.consumer AND c.session_id = d.session_id
WHERE d.consumer = $1 GROUP BY d.session_id ORDER BY min(d.marked_at) LIMIT $2"""
_LOCK_CURSOR = "SELECT done_seq FROM cursors WHERE consumer = $1 AND session_id = $2 FOR UPDATE"
_MAKE_CURSOR = "INSERT INTO cursors (consumer, session_id, done_seq) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING"
_SET_CURSOR = "UPDATE cursors SET done_seq = $3 WHERE consumer = $1 AND session_id = $2"
_UNMARK = "DELETE FROM dirty_sessions WHERE consumer = $1 AND session_id = $2 AND last_seq <= $3"
_SELECT_HEADS = "SELECT session_id, last_seq FROM log_heads WHERE session_id = ANY($1) AND last_seq > 0"


WRITERS = 2
"""One group is put together while the other is committed."""


class PostgresEventLog(StoreLog):
    """An `EventLog` in PostgreSQL. Opens at the first use; the schema comes from `migrations.migrate`."""

    def __init__(self, database: str | PostgresPool, **options: Unpack[LogOptions]) -> None:
        super().__init__(**options)
        self.database = PostgresPool(database) if isinstance(database, str) else database
        self._group: GroupCommit[Batch, Appended] = GroupCommit(
            self._commit,
            weight=lambda batch: len(batch.entries),
            key=lambda batch: batch.session_id,
            workers=WRITERS,
        )

    async def read_stored(
        self, session_id: str, *, after: int = 0, epoch: int | None = None, limit: int = PAGE_SIZE
    ) -> StoredPage:
        """See `EventLog.read_stored`."""
        owner = _session(session_id)
        check_range(after, limit)
        async with self.database.connection() as connection:
            rows = await connection.fetch(_SELECT_PAGE, owner, min(after, LARGEST), min(limit, LARGEST))
        return page_of(owner, rows, after=after, epoch=epoch)

    async def rows(self, session_id: SessionId, *, after: int, limit: int) -> list[tuple[int, int, str, str | None]]:
        """Records as they are kept: epoch, position, event id, content."""
        async with self.database.connection() as connection:
            found = await connection.fetch(_SELECT_EVENTS, session_id, min(after, LARGEST), min(limit, LARGEST))
        return [(row["epoch"], row["seq"], row["event_id"], row["payload"]) for row in found]

    async def head(self, session_id: str) -> Head:
        """See `EventLog.head`."""
        async with self.database.connection() as connection:
            return await _head(connection, _session(session_id))

    async def raise_fence(self, session_id: str, fence: int) -> None:
        """See `EventLog.raise_fence`."""
        async with self.database.connection() as connection:
            await connection.execute(_CHANGE_HEAD, _session(session_id), 0, fence)

    async def begin_epoch(self, session_id: str) -> int:
        """See `EventLog.begin_epoch`."""
        async with self.database.connection() as connection:
            epoch: int = await connection.fetchval(_CHANGE_HEAD, _session(session_id), 1, 0)
            return epoch

    async def sessions(self, *, after: str | None = None, limit: int = PAGE_SIZE) -> Sequence[SessionId]:
        """See `EventLog.sessions`."""
        behind = "" if after is None else _session(after)
        async with self.database.connection() as connection:
            return [SessionId(row[0]) for row in await connection.fetch(_SELECT_SESSIONS, behind, limit)]

    async def subscribe(self, consumer: str) -> None:
        """See `EventLog.subscribe`."""
        async with self.database.transaction() as connection:
            # No append may see the table without the consumer and yet commit after the sessions were marked.
            await connection.execute("LOCK TABLE log_heads IN SHARE MODE")
            if await connection.fetchval(_ADD_CONSUMER, consumer):
                await connection.execute(_MARK_ALL, consumer)

    async def behind(self, consumer: str, *, limit: int = PAGE_SIZE) -> Sequence[Lag]:
        """See `EventLog.behind`."""
        async with self.database.connection() as connection:
            rows = await connection.fetch(_SELECT_BEHIND, consumer, limit)
        return [Lag(session_id=SessionId(owner), after=done, last_seq=last) for owner, done, last in rows]

    async def advance(self, consumer: str, session_id: str, *, after: int, to: int) -> None:
        """See `EventLog.advance`."""
        owner = _session(session_id)
        async with self.database.transaction() as connection:
            await connection.execute(_MAKE_CURSOR, consumer, owner)
            now = await connection.fetchval(_LOCK_CURSOR, consumer, owner)
            check_advance(consumer, owner, now=now, after=after, to=to, head=await _head(connection, owner))
            await connection.execute(_SET_CURSOR, consumer, owner, to)
            await connection.execute(_UNMARK, consumer, owner, to)

    async def durability(self) -> Durability:
        """See `EventLog.durability`."""
        settings = await self.database.settings()
        is_durable = all(settings[name] == value for name, value in DURABLE.items())
        if not is_durable or settings["synchronous_commit"] not in SYNCHRONOUS:
            raise ConfigurationError(f"PostgreSQL acknowledges commits that a power cut may lose: {settings}")
        return Durability(mode="postgres synchronous", rpo_seconds=0.0, verified_at=self.clock.now(), settings=settings)

    async def close(self) -> None:
        """See `EventLog.close`."""
        await self._group.close()
        await self.database.close()

    async def _store(self, batch: Batch) -> Appended:
        return await self._group.submit(batch)

    async def _commit(self, batches: Sequence[Batch]) -> Sequence[Appended | BaseException]:
        """All in one transaction; if that fails as a whole, each in its own, so that one cannot harm the others."""
        if len(batches) > 1 and overlap(batches):
            return [(await self._commit([batch]))[0] for batch in batches]
        try:
            return await self._commit_together(batches)
        except StoreUnavailableError as error:
            if not isinstance(error.__cause__, asyncpg.LockNotAvailableError):
                raise
            if len(batches) == 1:
                return [error]
        except asyncpg.UniqueViolationError as error:
            if len(batches) == 1:
                return [_caused_by(sequence_conflict(batches[0], why=str(error)), error)]
        except asyncpg.PostgresError as error:
            if len(batches) == 1:
                return [_caused_by(StoreUnavailableError(f"PostgreSQL refused a batch: {error}"), error)]
        return [(await self._commit([batch]))[0] for batch in batches]

    async def _commit_together(self, batches: Sequence[Batch]) -> Sequence[Appended | BaseException]:
        async with self.database.writer() as connection:
            failpoint("log.append.before_commit")
            answers = await append_all(connection, batches)
        failpoint("log.append.after_commit")
        return answers

    async def heads(self, session_ids: Collection[str]) -> Mapping[SessionId, int]:
        """See `EventLog.heads`."""
        async with self.database.connection() as connection:
            rows = await connection.fetch(_SELECT_HEADS, list(map(_session, session_ids)))
        return {SessionId(owner): last for owner, last in rows}


async def _head(connection: Executor, owner: SessionId) -> Head:
    row = await connection.fetchrow(_SELECT_HEAD, owner)
    return Head(epoch=row["epoch"], last_seq=row["last_seq"], fence=row["fence"]) if row else Head()


def _caused_by(ours: Exception, error: Exception) -> Exception:
    ours.__cause__ = error
    return ours
