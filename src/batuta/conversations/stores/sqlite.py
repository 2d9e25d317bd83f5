"""Conversations in a SQLite file. One connection, used by one thread at a time."""

import asyncio
import json
import sqlite3
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from batuta.conversations.conversation import KeptBookmark
from batuta.conversations.stores.store import ConversationRecord, StoredConversation
from batuta.conversations.tokens import estimate_message
from batuta.kernel.errors import (
    ConflictError,
    StoreUnavailableError,
    TooManyConversationsError,
    UnknownConversationError,
)
from batuta.kernel.messages import Message
from batuta.kernel.sqlite import open_file, transaction

T = TypeVar("T")

SECONDS_TO_WAIT_FOR_LOCK = 5.0

SCHEMA = """
CREATE TABLE IF NOT EXISTS conversation_conversations (
    conversation_id TEXT PRIMARY KEY,
    user_id TEXT,
    title TEXT NOT NULL,
    system_prompt TEXT NOT NULL,
    metadata TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_activity_at TEXT NOT NULL,
    archived_at TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS conversation_conversations_of_user
    ON conversation_conversations (user_id, last_activity_at);
CREATE TABLE IF NOT EXISTS conversation_messages (
    conversation_id TEXT NOT NULL REFERENCES conversation_conversations ON DELETE CASCADE,
    position INTEGER NOT NULL,
    role TEXT NOT NULL,
    message TEXT NOT NULL,
    token_count INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS conversation_bookmarks (
    conversation_id TEXT NOT NULL REFERENCES conversation_conversations ON DELETE CASCADE,
    kind TEXT NOT NULL,
    first_position INTEGER NOT NULL,
    end_position INTEGER NOT NULL,
    text TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (conversation_id, kind, first_position, end_position)
) STRICT, WITHOUT ROWID;
"""

_RECORD = """
SELECT c.*, count(m.position) AS message_count, coalesce(sum(m.token_count), 0) AS token_count
FROM conversation_conversations c LEFT JOIN conversation_messages m USING (conversation_id)
"""


class SqliteConversationStore:
    """Keeps conversations in a file, durable when a call returns. Close it when done."""

    def __init__(self, path: str | Path) -> None:
        self._lock = threading.Lock()
        try:
            self._connection = _opened(path)
        except sqlite3.Error as error:
            raise StoreUnavailableError(f"the conversation store {path} cannot be opened: {error}") from error

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    async def create(self, record: ConversationRecord, *, max_active: int | None = None) -> None:
        """Keep a new conversation."""
        await self._write(lambda connection: _create(connection, record, max_active))

    async def append(self, conversation_id: str, messages: Sequence[Message], *, after: int, at: datetime) -> None:
        """Add messages."""
        await self._write(lambda connection: _append(connection, conversation_id, messages, after, at))

    async def add_bookmark(self, conversation_id: str, bookmark: KeptBookmark) -> None:
        """Keep a bookmark."""
        row = (conversation_id, bookmark.kind, bookmark.first, bookmark.end, bookmark.text, _text(bookmark.created_at))

        def add(connection: sqlite3.Connection) -> None:
            _require_known(connection, conversation_id)
            connection.execute("INSERT OR REPLACE INTO conversation_bookmarks VALUES (?, ?, ?, ?, ?, ?)", row)

        await self._write(add)

    async def load(self, conversation_id: str) -> StoredConversation | None:
        """The whole conversation."""
        return await self._write(lambda connection: _load(connection, conversation_id))

    async def rename(self, conversation_id: str, title: str) -> None:
        """Give it another title."""
        await self._update("title", title, conversation_id)

    async def archive(self, conversation_id: str, at: datetime | None) -> None:
        """Archive it or take it back."""
        await self._update("archived_at", None if at is None else _text(at), conversation_id)

    async def archive_idle(self, *, since: datetime, at: datetime) -> int:
        """Archive what has been idle."""
        statement = """UPDATE conversation_conversations SET archived_at = ?
            WHERE archived_at IS NULL AND last_activity_at < ?"""
        return await self._write(lambda connection: connection.execute(statement, (_text(at), _text(since))).rowcount)

    async def find(
        self, user_id: str | None, *, is_archived: bool = False, limit: int = 50, offset: int = 0
    ) -> list[ConversationRecord]:
        """A user's conversations."""
        statement = f"""{_RECORD} WHERE c.user_id IS ? AND (c.archived_at IS NOT NULL) = ? GROUP BY c.conversation_id
            ORDER BY c.last_activity_at DESC, c.conversation_id DESC LIMIT ? OFFSET ?"""
        values = (user_id, is_archived, limit, offset)
        return await self._write(
            lambda connection: [_record(row) for row in connection.execute(statement, values)],
        )

    async def delete(self, conversation_id: str) -> None:
        """Forget it."""
        statement = "DELETE FROM conversation_conversations WHERE conversation_id = ?"
        await self._write(lambda connection: connection.execute(statement, (conversation_id,)))

    async def _update(self, column: str, value: str | None, conversation_id: str) -> None:
        statement = f"UPDATE conversation_conversations SET {column} = ? WHERE conversation_id = ?"  # noqa: S608 - ours

        def update(connection: sqlite3.Connection) -> None:
            if connection.execute(statement, (value, conversation_id)).rowcount == 0:
                raise UnknownConversationError(f"there is no conversation {conversation_id}")

        await self._write(update)

    async def _write(self, act: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.to_thread(self._in_transaction, act)

    def _in_transaction(self, act: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with self._lock, transaction(self._connection):
                return act(self._connection)
        except sqlite3.Error as error:
            raise StoreUnavailableError(f"the conversation store failed: {error}") from error


def _opened(path: str | Path) -> sqlite3.Connection:
    connection = open_file(path, timeout_seconds=SECONDS_TO_WAIT_FOR_LOCK)
    connection.row_factory = sqlite3.Row
    connection.executescript(SCHEMA)
    return connection


def _create(connection: sqlite3.Connection, record: ConversationRecord, max_active: int | None) -> None:
    if _is_known(connection, record.conversation_id):
        raise ConflictError(f"there is a conversation {record.conversation_id} already")
    counted = "SELECT count(*) FROM conversation_conversations WHERE user_id IS ? AND archived_at IS NULL"
    active = connection.execute(counted, (record.user_id,)).fetchone()[0]
    if max_active is not None and active >= max_active:
        raise TooManyConversationsError(f"{active} conversations are active, at most {max_active} may be")
    connection.execute(
        "INSERT INTO conversation_conversations VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            record.conversation_id,
            record.user_id,
            record.title,
            record.system_prompt,
            json.dumps(record.metadata),
            _text(record.created_at),
            _text(record.last_activity_at),
            None if record.archived_at is None else _text(record.archived_at),
        ),
    )


def _append(
    connection: sqlite3.Connection, conversation_id: str, messages: Sequence[Message], after: int, at: datetime
) -> None:
    _require_known(connection, conversation_id)
    counted = "SELECT count(*) FROM conversation_messages WHERE conversation_id = ?"
    count = connection.execute(counted, (conversation_id,)).fetchone()[0]
    if count != after:
        raise ConflictError(f"the conversation has {count} messages, not {after}; load it again")
    connection.executemany(
        "INSERT INTO conversation_messages VALUES (?, ?, ?, ?, ?)",
        [
            (conversation_id, position, message.role, message.model_dump_json(), estimate_message(message))
            for position, message in enumerate(messages, after)
        ],
    )
    touched = "UPDATE conversation_conversations SET last_activity_at = ?, archived_at = NULL WHERE conversation_id = ?"
    connection.execute(touched, (_text(at), conversation_id))


def _load(connection: sqlite3.Connection, conversation_id: str) -> StoredConversation | None:
    found = connection.execute(f"{_RECORD} WHERE c.conversation_id = ? GROUP BY 1", (conversation_id,)).fetchone()
    if found is None:
        return None
    said = "SELECT message FROM conversation_messages WHERE conversation_id = ? ORDER BY position"
    marked = (
        "SELECT * FROM conversation_bookmarks WHERE conversation_id = ? ORDER BY first_position, end_position, kind"
    )
    return StoredConversation(
        record=_record(found),
        messages=tuple(Message.model_validate_json(row[0]) for row in connection.execute(said, (conversation_id,))),
        bookmarks=tuple(_bookmark(row) for row in connection.execute(marked, (conversation_id,))),
    )


def _is_known(connection: sqlite3.Connection, conversation_id: str) -> bool:
    statement = "SELECT 1 FROM conversation_conversations WHERE conversation_id = ?"
    return connection.execute(statement, (conversation_id,)).fetchone() is not None


def _require_known(connection: sqlite3.Connection, conversation_id: str) -> None:
    if not _is_known(connection, conversation_id):
        raise UnknownConversationError(f"there is no conversation {conversation_id}")


def _record(row: sqlite3.Row) -> ConversationRecord:
    facts: dict[str, Any] = dict(row)
    for name in ("created_at", "last_activity_at", "archived_at"):
        facts[name] = None if facts[name] is None else _time(facts[name])
    facts["metadata"] = json.loads(facts["metadata"])
    return ConversationRecord(**facts)


def _bookmark(row: sqlite3.Row) -> KeptBookmark:
    return KeptBookmark(
        kind=row["kind"],
        first=row["first_position"],
        end=row["end_position"],
        text=row["text"],
        created_at=_time(row["created_at"]),
    )


def _text(time: datetime) -> str:
    """Times as text that sorts as they do."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
