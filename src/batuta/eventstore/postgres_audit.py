"""The audit of the log in PostgreSQL."""

from collections.abc import Sequence

from batuta.events.log import Head
from batuta.eventstore.audit import ChainHead, ChainRow, Erased
from batuta.eventstore.chain import GENESIS
from batuta.eventstore.erasure import COUNTED, STATEMENTS
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_append import Executor
from batuta.kernel.ids import SessionId

_SELECT_CHAIN = """
SELECT seq, epoch, event_id, type, payload, salt, digest, link FROM message_events
WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3"""
_SELECT_HEAD = "SELECT epoch, last_seq, fence, link FROM log_heads WHERE session_id = $1"
_ASSIGN = """
INSERT INTO session_owners (session_id, user_id, tenant_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"""
_MARK = """
UPDATE session_owners SET erased_at = clock_timestamp() WHERE user_id = $1 AND erased_at IS NULL
RETURNING session_id"""
_MARK_ONE = """
INSERT INTO session_owners (session_id, user_id, erased_at) VALUES ($1, '', clock_timestamp())
ON CONFLICT (session_id) DO UPDATE SET erased_at = clock_timestamp() WHERE session_owners.erased_at IS NULL
RETURNING session_id"""


class PostgresAudit:
    """An `AuditStore` in the database of a log."""

    def __init__(self, log: PostgresEventLog) -> None:
        self._database = log.database

    async def chain(self, session_id: SessionId, *, after: int, limit: int) -> Sequence[ChainRow]:
        """See `AuditStore.chain`."""
        async with self._database.connection() as connection:
            return [ChainRow(*row) for row in await connection.fetch(_SELECT_CHAIN, session_id, after, limit)]

    async def chain_head(self, session_id: SessionId) -> ChainHead:
        """See `AuditStore.chain_head`."""
        async with self._database.connection() as connection:
            row = await connection.fetchrow(_SELECT_HEAD, session_id)
        if row is None:
            return ChainHead(Head(), GENESIS)
        return ChainHead(Head(epoch=row["epoch"], last_seq=row["last_seq"], fence=row["fence"]), row["link"])

    async def assign(self, session_id: SessionId, user_id: str, *, tenant_id: str | None = None) -> None:
        """See `AuditStore.assign`."""
        async with self._database.connection() as connection:
            await connection.execute(_ASSIGN, session_id, user_id, tenant_id)

    async def erase(self, user_id: str) -> Erased:
        """See `AuditStore.erase`."""
        return await self._erase(_MARK, user_id)

    async def erase_session(self, session_id: SessionId) -> Erased:
        """See `AuditStore.erase_session`."""
        return await self._erase(_MARK_ONE, session_id)

    async def _erase(self, mark: str, subject: str) -> Erased:
        async with self._database.transaction() as connection:
            chosen = sorted(SessionId(row["session_id"]) for row in await connection.fetch(mark, subject))
            count = await _take_away(connection, chosen)
        return Erased(sessions=tuple(chosen), events=count)

    async def _erase_again(self, sessions: Sequence[SessionId]) -> int:
        """Take away what came to erased sessions since. How many events."""
        async with self._database.transaction() as connection:
            return await _take_away(connection, sessions)


async def _take_away(connection: Executor, sessions: Sequence[SessionId]) -> int:
    where = "session_id = ANY ($1)"
    done = [await connection.execute(text.format(chosen=where), list(sessions)) for text in STATEMENTS]
    return int(done[COUNTED].split()[-1])
