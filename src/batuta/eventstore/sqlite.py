"""The event log in one SQLite file, whose read models follow in the same transactions."""

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Unpack

from batuta.events.admission import Batch
from batuta.events.log import PAGE_SIZE, Appended, Durability, Head, Lag, Page, StoredPage
from batuta.events.wire import opened
from batuta.eventstore import sqlite_append
from batuta.eventstore.base import LARGEST, LogOptions, StoreLog, check_advance, check_range, page_of
from batuta.eventstore.decisions import overlap, sequence_conflict
from batuta.eventstore.sqlite_append import SqliteAppends
from batuta.eventstore.sqlite_database import SYNCHRONOUS, RunAll, SqliteFile
from batuta.kernel.errors import ConfigurationError, FencedError, SequenceConflictError, StoreUnavailableError
from batuta.kernel.ids import SessionId
from batuta.kernel.ids import session_id as _session

_SELECT_PAGE = """
SELECT h.epoch, h.last_seq, h.fence, at.epoch, e.* FROM (SELECT 1)
LEFT JOIN log_heads h ON h.session_id = :owner
LEFT JOIN message_events at ON at.session_id = :owner AND at.seq = :after
LEFT JOIN (
  SELECT epoch, seq, event_id, payload FROM message_events
  WHERE session_id = :owner AND seq > :after ORDER BY seq LIMIT :limit) e
ORDER BY e.seq"""
_SELECT_HEADS = """
SELECT session_id, last_seq FROM log_heads WHERE session_id IN (SELECT value FROM json_each(?)) AND last_seq > 0"""
_SELECT_SESSIONS = "SELECT session_id FROM log_heads WHERE session_id > ? AND last_seq > 0 ORDER BY session_id LIMIT ?"
_MARK_ALL = """
INSERT OR IGNORE INTO dirty_sessions (consumer, session_id, last_seq, marked_at)
SELECT ?, session_id, last_seq, ? FROM log_heads WHERE last_seq > 0"""
_SELECT_BEHIND = """
SELECT d.session_id, coalesce(c.done_seq, 0), max(d.last_seq)
FROM dirty_sessions d LEFT JOIN cursors c ON c.consumer = d.consumer AND c.session_id = d.session_id
WHERE d.consumer = ? GROUP BY d.session_id ORDER BY min(d.marked_at) LIMIT ?"""
_SELECT_CURSOR = "SELECT done_seq FROM cursors WHERE consumer = ? AND session_id = ?"
_UNMARK = "DELETE FROM dirty_sessions WHERE consumer = ? AND session_id = ? AND last_seq <= ?"


class SqliteEventLog(StoreLog):
    """An `EventLog` in a file. Opens at the first use."""

    def __init__(self, path: str | Path, **options: Unpack[LogOptions]) -> None:
        super().__init__(**options)
        self.database = SqliteFile(path)
        self.appends = SqliteAppends()

    async def read(self, session_id: str, *, after: int = 0, epoch: int | None = None, limit: int = PAGE_SIZE) -> Page:
        """See `EventLog.read`."""
        owner = _session(session_id)
        check_range(after, limit)
        return await self.database.read(lambda connection: opened(_page(connection, owner, after, epoch, limit)))

    async def read_stored(
        self, session_id: str, *, after: int = 0, epoch: int | None = None, limit: int = PAGE_SIZE
    ) -> StoredPage:
        """See `EventLog.read_stored`."""
        owner = _session(session_id)
        check_range(after, limit)
        return await self.database.read(lambda connection: _page(connection, owner, after, epoch, limit))

    async def head(self, session_id: str) -> Head:
        """See `EventLog.head`."""
        owner = _session(session_id)
        return (await self.database.look_up(lambda connection: sqlite_append.state_of(connection, owner))).head

    async def raise_fence(self, session_id: str, fence: int) -> None:
        """See `EventLog.raise_fence`."""
        owner = _session(session_id)
        await self.database.write(lambda connection: _change_head(connection, owner, fence=fence))

    async def begin_epoch(self, session_id: str) -> int:
        """See `EventLog.begin_epoch`."""
        owner = _session(session_id)
        return (await self.database.write(lambda connection: _change_head(connection, owner, epochs=1))).epoch

    async def sessions(self, *, after: str | None = None, limit: int = PAGE_SIZE) -> Sequence[SessionId]:
        """See `EventLog.sessions`."""
        behind = "" if after is None else _session(after)
        rows = await self.database.read(
            lambda connection: connection.execute(_SELECT_SESSIONS, (behind, limit)).fetchall()
        )
        return [SessionId(row[0]) for row in rows]

    async def subscribe(self, consumer: str) -> None:
        """See `EventLog.subscribe`."""
        now = sqlite_append.stamp(self.clock.now())
        await self.database.write(lambda connection: _subscribe(connection, consumer, now))

    async def behind(self, consumer: str, *, limit: int = PAGE_SIZE) -> Sequence[Lag]:
        """See `EventLog.behind`."""
        rows = await self.database.read(
            lambda connection: connection.execute(_SELECT_BEHIND, (consumer, limit)).fetchall()
        )
        return [Lag(session_id=SessionId(owner), after=done, last_seq=last) for owner, done, last in rows]

    async def advance(self, consumer: str, session_id: str, *, after: int, to: int) -> None:
        """See `EventLog.advance`."""
        owner = _session(session_id)
        await self.database.write(lambda connection: _advance(connection, consumer, owner, after, to))

    async def durability(self) -> Durability:
        """See `EventLog.durability`."""
        settings = await self.database.write(_settings)
        if settings["journal_mode"] != "wal" or settings["synchronous"] not in ("FULL", "EXTRA"):
            raise ConfigurationError(f"{self.database.path} does not sync every commit: {settings}")
        return Durability(mode="sqlite wal full", rpo_seconds=0.0, verified_at=self.clock.now(), settings=settings)

    async def close(self) -> None:
        """See `EventLog.close`."""
        await self.database.close()

    async def _store(self, batch: Batch) -> Appended:
        """With whatever else is written at the moment; if that fails as a whole, in a transaction of its own.

        A batch that comes again is rare: every one is taken to be new, and only looked for where it is refused.
        """
        try:
            return await self._write(self._append_new, batch)
        except (FencedError, SequenceConflictError):
            return await self._write(self._append_all, batch)

    async def _write(self, append: RunAll, batch: Batch) -> Appended:
        try:
            appended: Appended = await self.database.write_together(append, batch, weight=len(batch.entries))
        except StoreUnavailableError as error:
            if isinstance(error.__cause__, sqlite3.IntegrityError):
                # A place that was taken past this program will not become free by asking again.
                raise sequence_conflict(batch, why=str(error.__cause__)) from error
            raise
        return appended

    def _append_new(self, connection: sqlite3.Connection, batches: Sequence[Batch]) -> Sequence[Appended | Exception]:
        """As `_append_all`, without looking for what the log holds already: its unique index refuses that."""
        if len(batches) > 1 and overlap(batches):
            return self._append_all(connection, batches)
        return self.appends.append_all(connection, batches, are_new=True)

    def _append_all(self, connection: sqlite3.Connection, batches: Sequence[Batch]) -> Sequence[Appended | Exception]:
        """Together, unless one has to see what became of another."""
        if len(batches) > 1 and overlap(batches):
            return [self.appends.append_all(connection, [batch])[0] for batch in batches]
        return self.appends.append_all(connection, batches)

    async def heads(self, session_ids: Collection[str]) -> Mapping[SessionId, int]:
        """See `EventLog.heads`."""
        owners = json.dumps(list(map(_session, session_ids)))
        rows = await self.database.look_up(lambda connection: connection.execute(_SELECT_HEADS, (owners,)).fetchall())
        return {SessionId(owner): last for owner, last in rows}


def _page(connection: sqlite3.Connection, owner: SessionId, after: int, epoch: int | None, limit: int) -> StoredPage:
    wanted = {"owner": owner, "after": min(after, LARGEST), "limit": min(limit, LARGEST)}
    rows = connection.execute(_SELECT_PAGE, wanted).fetchall()
    return page_of(owner, rows, after=after, epoch=epoch)


def _change_head(connection: sqlite3.Connection, owner: SessionId, *, fence: int = 0, epochs: int = 0) -> Head:
    state = sqlite_append.state_of(connection, owner)
    head = Head(epoch=state.head.epoch + epochs, last_seq=state.head.last_seq, fence=max(state.head.fence, fence))
    sqlite_append.put_head(connection, owner, head, state.link)
    return head


def _subscribe(connection: sqlite3.Connection, consumer: str, now: str) -> None:
    added = connection.execute("INSERT OR IGNORE INTO consumers (name) VALUES (?)", (consumer,)).rowcount
    if added:
        connection.execute(_MARK_ALL, (consumer, now))


def _advance(connection: sqlite3.Connection, consumer: str, owner: SessionId, after: int, to: int) -> None:
    row = connection.execute(_SELECT_CURSOR, (consumer, owner)).fetchone()
    head = sqlite_append.state_of(connection, owner).head
    check_advance(consumer, owner, now=row[0] if row else 0, after=after, to=to, head=head)
    sqlite_append.set_cursor(connection, consumer, owner, to)
    connection.execute(_UNMARK, (consumer, owner, to))


def _settings(connection: sqlite3.Connection) -> dict[str, str]:
    (journal,) = connection.execute("PRAGMA journal_mode").fetchone()
    (synchronous,) = connection.execute("PRAGMA synchronous").fetchone()
    return {"journal_mode": journal, "synchronous": SYNCHRONOUS[synchronous]}
