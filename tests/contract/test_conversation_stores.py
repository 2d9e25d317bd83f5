"""Every conversation store passes the same suite (F-62)."""

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from batuta.conversations.stores.memory import MemoryConversationStore
from batuta.conversations.stores.postgres import PostgresConversationStore
from batuta.conversations.stores.sqlite import SqliteConversationStore
from batuta.testing.conversations import ConversationStoreConformance


class TestMemoryConversationStore(ConversationStoreConformance):
    @pytest.fixture
    def store(self) -> MemoryConversationStore:
        return MemoryConversationStore()


class TestSqliteConversationStore(ConversationStoreConformance):
    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[SqliteConversationStore]:
        store = SqliteConversationStore(tmp_path / "conversations.db")
        yield store
        store.close()


class TestPostgresConversationStore(ConversationStoreConformance):
    @pytest.fixture
    async def store(self, postgres_url: str) -> AsyncIterator[PostgresConversationStore]:
        async with asyncpg.create_pool(postgres_url, min_size=1, max_size=4) as pool:
            store = PostgresConversationStore(pool)
            await store.create_schema()
            yield store
