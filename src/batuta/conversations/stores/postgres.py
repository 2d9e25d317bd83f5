"""Conversations in PostgreSQL. The pool is the caller's: `asyncpg.create_pool(dsn)`."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from batuta.conversations.conversation import KeptBookmark
from batuta.conversations.stores.store import ConversationRecord, StoredConversation
from batuta.conversations.tokens import estimate_message
from batuta.kernel.errors import (
    ConflictError,
    MissingExtraError,
    StoreUnavailableError,
    TooManyConversationsError,
    UnknownConversationError,
)
from batuta.kernel.messages import Message
from batuta.kernel.postgres import execute_many

try:
    import asyncpg
except ImportError as error:
    raise MissingExtraError("postgres", needed_for="conversations in PostgreSQL") from error

SCHEMA = """
CREATE TABLE IF NOT EXISTS conversation_conversations (
    conversation_id text PRIMARY KEY,
    user_id text,
    title text NOT NULL,
    system_prompt text NOT NULL,
    metadata json NOT NULL,
    created_at timestamptz NOT NULL,
    last_activity_at timestamptz NOT NULL,
    archived_at timestamptz
);
CREATE INDEX IF NOT EXISTS conversation_conversations_of_user
    ON conversation_conversations (user_id, last_activity_at);
CREATE TABLE IF NOT EXISTS conversation_messages (
    conversation_id text NOT NULL REFERENCES conversation_conversations ON DELETE CASCADE,
    position integer NOT NULL,
    role text NOT NULL,
    message json NOT NULL,
    token_count integer NOT NULL,
    PRIMARY KEY (conversation_id, position)
);
CREATE TABLE IF NOT EXISTS conversation_bookmarks (
    conversation_id text NOT NULL REFERENCES conversation_conversations ON DELETE CASCADE,
    kind text NOT NULL,
    first_position integer NOT NULL,
    end_position integer NOT NULL,
    text text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (conversation_id, kind, first_position, end_position)
);
"""

_RECORD = """
SELECT c.*, m.message_count, m.token_count FROM conversation_conversations c
CROSS JOIN LATERAL (
    SELECT count(*) AS message_count, coalesce(sum(token_count), 0) AS token_count
    FROM conversation_messages WHERE conversation_id = c.conversation_id
) m
"""
_UNAVAILABLE = (OSError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.OperatorInterventionError)


class PostgresConversationStore:
    """Keeps conversations in PostgreSQL. Call `create_schema` once, or let migrations do it."""

    def __init__(self, pool: "asyncpg.Pool[Any]") -> None:
        self._pool = pool

    async def create_schema(self) -> None:
        """Make the tables that are not there yet."""
        async with self._transaction() as connection:
            await connection.execute("SELECT pg_advisory_xact_lock(hashtext('batuta.conversations'))")
            await connection.execute(SCHEMA)

    async def create(self, record: ConversationRecord, *, max_active: int | None = None) -> None:
        """Keep a new conversation."""
        async with self._transaction() as connection:
            if max_active is not None:
                await _require_room(connection, record.user_id, max_active)
            statement = """INSERT INTO conversation_conversations VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                ON CONFLICT DO NOTHING RETURNING 1"""
            created = await connection.fetchval(
                statement,
                record.conversation_id,
                record.user_id,
                record.title,
                record.system_prompt,
                json.dumps(record.metadata),
                record.created_at,
                record.last_activity_at,
                record.archived_at,
            )
            if created is None:
                raise ConflictError(f"there is a conversation {record.conversation_id} already")

    async def append(self, conversation_id: str, messages: Sequence[Message], *, after: int, at: datetime) -> None:
        """Add messages. The conversation's row is held meanwhile, so writers follow one another."""
        async with self._transaction() as connection:
            touched = """UPDATE conversation_conversations SET last_activity_at = $2, archived_at = NULL
                WHERE conversation_id = $1 RETURNING 1"""
            _require_known(await connection.fetchval(touched, conversation_id, at), conversation_id)
            counted = "SELECT count(*) FROM conversation_messages WHERE conversation_id = $1"
            count = await connection.fetchval(counted, conversation_id)
            if count != after:
                raise ConflictError(f"the conversation has {count} messages, not {after}; load it again")
            rows = [
                (conversation_id, position, message.role, message.model_dump_json(), estimate_message(message))
                for position, message in enumerate(messages, after)
            ]
            await execute_many(connection, "INSERT INTO conversation_messages VALUES ($1, $2, $3, $4, $5)", rows)

    async def add_bookmark(self, conversation_id: str, bookmark: KeptBookmark) -> None:
        """Keep a bookmark."""
        statement = """INSERT INTO conversation_bookmarks VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (conversation_id, kind, first_position, end_position)
            DO UPDATE SET text = excluded.text, created_at = excluded.created_at"""
        values = (bookmark.kind, bookmark.first, bookmark.end, bookmark.text, bookmark.created_at)
        async with self._transaction() as connection:
            try:
                await connection.execute(statement, conversation_id, *values)
            except asyncpg.ForeignKeyViolationError:
                raise UnknownConversationError(f"there is no conversation {conversation_id}") from None

    async def load(self, conversation_id: str) -> StoredConversation | None:
        """The whole conversation, as it was at one moment."""
        async with self._transaction("repeatable_read") as connection:
            found = await connection.fetchrow(f"{_RECORD} WHERE c.conversation_id = $1", conversation_id)
            if found is None:
                return None
            said = "SELECT message FROM conversation_messages WHERE conversation_id = $1 ORDER BY position"
            marked = """SELECT * FROM conversation_bookmarks WHERE conversation_id = $1
                ORDER BY first_position, end_position, kind"""
            return StoredConversation(
                record=_record(found),
                messages=tuple(
                    Message.model_validate_json(row[0]) for row in await connection.fetch(said, conversation_id)
                ),
                bookmarks=tuple(_bookmark(row) for row in await connection.fetch(marked, conversation_id)),
            )

    async def rename(self, conversation_id: str, title: str) -> None:
        """Give it another title."""
        await self._update("title", title, conversation_id)

    async def archive(self, conversation_id: str, at: datetime | None) -> None:
        """Archive it or take it back."""
        await self._update("archived_at", at, conversation_id)

    async def archive_idle(self, *, since: datetime, at: datetime) -> int:
        """Archive what has been idle."""
        statement = """WITH idle AS (
                UPDATE conversation_conversations SET archived_at = $1
                WHERE archived_at IS NULL AND last_activity_at < $2 RETURNING 1
            ) SELECT count(*) FROM idle"""
        async with self._transaction() as connection:
            return int(await connection.fetchval(statement, at, since))

    async def find(
        self, user_id: str | None, *, is_archived: bool = False, limit: int = 50, offset: int = 0
    ) -> list[ConversationRecord]:
        """A user's conversations."""
        statement = f"""{_RECORD} WHERE c.user_id IS NOT DISTINCT FROM $1 AND (c.archived_at IS NOT NULL) = $2
            ORDER BY c.last_activity_at DESC, c.conversation_id COLLATE "C" DESC LIMIT $3 OFFSET $4"""
        async with self._transaction() as connection:
            return [_record(row) for row in await connection.fetch(statement, user_id, is_archived, limit, offset)]

    async def delete(self, conversation_id: str) -> None:
        """Forget it."""
        async with self._transaction() as connection:
            statement = "DELETE FROM conversation_conversations WHERE conversation_id = $1"
            await connection.execute(statement, conversation_id)

    async def _update(self, column: str, value: object, conversation_id: str) -> None:
        statement = f"UPDATE conversation_conversations SET {column} = $2 WHERE conversation_id = $1 RETURNING 1"  # noqa: S608 - ours
        async with self._transaction() as connection:
            _require_known(await connection.fetchval(statement, conversation_id, value), conversation_id)

    @asynccontextmanager
    async def _transaction(self, isolation: Any = "read_committed") -> AsyncIterator[Any]:
        try:
            async with self._pool.acquire() as connection, connection.transaction(isolation=isolation):
                yield connection
        except _UNAVAILABLE as error:
            raise StoreUnavailableError(f"the conversation store cannot be reached: {error}") from error


async def _require_room(connection: Any, user_id: str | None, max_active: int) -> None:
    """Creations for one user wait for each other, so that two cannot take the last place."""
    await connection.execute("SELECT pg_advisory_xact_lock(hashtext('batuta.conversations.' || $1))", user_id or "")
    counted = """SELECT count(*) FROM conversation_conversations
        WHERE user_id IS NOT DISTINCT FROM $1 AND archived_at IS NULL"""
    active = await connection.fetchval(counted, user_id)
    if active >= max_active:
        raise TooManyConversationsError(f"{active} conversations are active, at most {max_active} may be")


def _require_known(found: object, conversation_id: str) -> None:
    if found is None:
        raise UnknownConversationError(f"there is no conversation {conversation_id}")


def _record(row: Any) -> ConversationRecord:
    return ConversationRecord(**{**dict(row), "metadata": json.loads(row["metadata"])})


def _bookmark(row: Any) -> KeptBookmark:
    return KeptBookmark(
        kind=row["kind"],
        first=row["first_position"],
        end=row["end_position"],
        text=row["text"],
        created_at=row["created_at"],
    )
