"""The audit of the log in an SQLite file."""

import logging
import sqlite3
from collections.abc import Sequence

from batuta.eventstore import sqlite_append
from batuta.eventstore.audit import ChainHead, ChainRow, Erased
from batuta.eventstore.erasure import COUNTED, STATEMENTS
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.kernel.ids import SessionId
from batuta.kernel.sqlite import overwriting

_logger = logging.getLogger("batuta.eventstore")

_SELECT_CHAIN = """
SELECT seq, epoch, event_id, type, payload, salt, digest, link FROM message_events
WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?"""
_ASSIGN = "INSERT OR IGNORE INTO session_owners (session_id, user_id, tenant_id) VALUES (?, ?, ?)"
_MARK = """
UPDATE session_owners SET erased_at = :now WHERE user_id = :subject AND erased_at IS NULL RETURNING session_id"""
_MARK_ONE = """
INSERT INTO session_owners (session_id, user_id, erased_at) VALUES (:subject, '', :now)
ON CONFLICT (session_id) DO UPDATE SET erased_at = :now WHERE session_owners.erased_at IS NULL
RETURNING session_id"""


class SqliteAudit:
    """An `AuditStore` in the file of a log."""

    def __init__(self, log: SqliteEventLog) -> None:
        self._database = log.database
        self._clock = log.clock

    async def chain(self, session_id: SessionId, *, after: int, limit: int) -> Sequence[ChainRow]:
        """See `AuditStore.chain`."""
        rows = await self._database.read(
            lambda connection: connection.execute(_SELECT_CHAIN, (session_id, after, limit)).fetchall()
        )
        return [ChainRow(*row) for row in rows]

    async def chain_head(self, session_id: SessionId) -> ChainHead:
        """See `AuditStore.chain_head`."""
        state = await self._database.read(lambda connection: sqlite_append.state_of(connection, session_id))
        return ChainHead(state.head, state.link)

    async def assign(self, session_id: SessionId, user_id: str, *, tenant_id: str | None = None) -> None:
        """See `AuditStore.assign`."""
        await self._database.write(lambda connection: connection.execute(_ASSIGN, (session_id, user_id, tenant_id)))

    async def erase(self, user_id: str) -> Erased:
        """See `AuditStore.erase`. Then the file is compacted: what was deleted could still be read in it.

        Raises `StoreUnavailableError` if a reader keeps it from being compacted: erasing again does that, too.
        """
        now = sqlite_append.stamp(self._clock.now())
        erased = await self._database.write(lambda connection: _erase(connection, _MARK, user_id, now))
        await self._database.compact()
        return erased

    async def erase_session(self, session_id: SessionId) -> Erased:
        """See `AuditStore.erase_session`. What is deleted is overwritten in the file; nothing else is rewritten."""
        now = sqlite_append.stamp(self._clock.now())
        erased = await self._database.write(lambda connection: _overwrite(connection, session_id, now))
        if not await self._database.empty_write_ahead_log():
            _logger.warning(
                "%s: an erased session stays in the write-ahead log until its last reader is done", self._database.path
            )
        return erased


def _overwrite(connection: sqlite3.Connection, session_id: SessionId, now: str) -> Erased:
    with overwriting(connection.execute):
        return _erase(connection, _MARK_ONE, session_id, now)


def _erase(connection: sqlite3.Connection, mark: str, subject: str, now: str) -> Erased:
    rows = connection.execute(mark, {"now": now, "subject": subject}).fetchall()
    chosen = tuple(sorted(SessionId(row[0]) for row in rows))
    where = f"session_id IN ({','.join('?' * len(chosen))})"
    counts = [connection.execute(text.format(chosen=where), chosen).rowcount for text in STATEMENTS]
    return Erased(sessions=chosen, events=counts[COUNTED])
