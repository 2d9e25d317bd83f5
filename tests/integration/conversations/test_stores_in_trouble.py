"""Conversation stores whose medium fails, and what is left after a restart (F-62)."""

import asyncio
from pathlib import Path

import asyncpg
import pytest

from batuta.conversations.stores.postgres import PostgresConversationStore
from batuta.conversations.stores.sqlite import SqliteConversationStore
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.messages import Message
from batuta.testing.conversations import EVERY_KIND, LATER, a_record
from tests.support.servers import PostgresServer


async def test_a_file_holds_everything_after_it_was_closed(tmp_path: Path) -> None:
    record = a_record()
    store = SqliteConversationStore(tmp_path / "c.db")
    await store.create(record)
    await store.append(record.conversation_id, EVERY_KIND, after=0, at=LATER)
    store.close()

    again = SqliteConversationStore(tmp_path / "c.db")
    stored = await again.load(record.conversation_id)
    again.close()

    assert stored is not None
    assert stored.messages == EVERY_KIND


async def test_two_stores_on_one_file_see_each_others_writes(tmp_path: Path) -> None:
    """As two processes would."""
    first, second = SqliteConversationStore(tmp_path / "c.db"), SqliteConversationStore(tmp_path / "c.db")
    record = a_record()
    await first.create(record)

    outcomes = await asyncio.gather(
        *(store.append(record.conversation_id, [Message.user("x")], after=0, at=LATER) for store in (first, second)),
        return_exceptions=True,
    )

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["ConflictError", "NoneType"]
    first.close()
    second.close()


def test_a_file_that_cannot_be_opened_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "c.db").write_bytes(b"this is no database" * 100)

    with pytest.raises(StoreUnavailableError, match="cannot be opened"):
        SqliteConversationStore(tmp_path / "c.db")
    with pytest.raises(StoreUnavailableError):
        SqliteConversationStore(tmp_path / "missing" / "c.db")


async def test_a_closed_file_store_is_unavailable(tmp_path: Path) -> None:
    store = SqliteConversationStore(tmp_path / "c.db")
    store.close()

    with pytest.raises(StoreUnavailableError):
        await store.find("ada")


async def test_a_server_that_dies_is_unavailable_and_keeps_what_it_acknowledged(
    private_postgres: PostgresServer,
) -> None:
    url = private_postgres.url(private_postgres.create_database())
    record = a_record()
    async with asyncpg.create_pool(url, min_size=1, max_size=2, timeout=60) as pool:
        store = PostgresConversationStore(pool)
        await store.create_schema()
        await store.create(record)
        await store.append(record.conversation_id, EVERY_KIND, after=0, at=LATER)

        private_postgres.kill()
        with pytest.raises(StoreUnavailableError):
            await store.load(record.conversation_id)

        private_postgres.ensure_running()
        stored = await store.load(record.conversation_id)

    assert stored is not None
    assert stored.messages == EVERY_KIND


async def test_making_the_tables_twice_at_once_is_no_error(postgres_url: str) -> None:
    async with asyncpg.create_pool(postgres_url, min_size=1, max_size=4) as pool:
        store = PostgresConversationStore(pool)

        await asyncio.gather(*(store.create_schema() for _ in range(4)))

        assert await store.find("ada") == []
