"""Every passage index passes the same suite and gives the same ranking (P-35)."""

import random
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from batuta.knowledge.postgres_index import PostgresPassageIndex
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.server.database.upgrade import migrate_server
from batuta.testing.knowledge import ADA, PassageIndexConformance, a_document, found_by
from tests.support.servers import APP_ROLE, PostgresServer

WORDS = "hotel vuelo factura contrato almacén invoice contract refund travel delivery penalty garantía pedido"
SUBJECTS = WORDS.split()


@pytest.fixture
async def embedded(tmp_path: Path) -> AsyncIterator[SqlitePassageIndex]:
    index = SqlitePassageIndex(tmp_path / "knowledge.sqlite3")
    yield index
    await index.close()


@pytest.fixture
async def distributed(platform_url: str) -> AsyncIterator[PostgresPassageIndex]:
    """Under the role that row-level security holds for."""
    index = PostgresPassageIndex(platform_url)
    yield index
    await index.close()


class TestSqlitePassageIndex(PassageIndexConformance):
    @pytest.fixture
    def index(self, embedded: SqlitePassageIndex) -> SqlitePassageIndex:
        return embedded


class TestPostgresPassageIndex(PassageIndexConformance):
    @pytest.fixture
    def index(self, distributed: PostgresPassageIndex) -> PostgresPassageIndex:
        return distributed


async def test_both_stores_rank_alike(embedded: SqlitePassageIndex, distributed: PostgresPassageIndex) -> None:
    chance = random.Random(7)
    for number in range(60):
        words = " ".join(chance.choices(SUBJECTS, k=30))
        document = a_document(f"d{number}", words, title=chance.choice(SUBJECTS))
        await embedded.put(document)
        await distributed.put(document)
    for _ in range(25):
        question = " ".join(chance.choices(SUBJECTS, k=3))
        one, other = await found_by(embedded, question), await found_by(distributed, question)
        assert [(e.passage.document_id, e.score) for e in one] == [(e.passage.document_id, e.score) for e in other]


async def test_erased_words_leave_the_file(embedded: SqlitePassageIndex, tmp_path: Path) -> None:
    await embedded.put(a_document("a", "The codeword is zanzibarquux.", "Nothing else."))
    await embedded.put(a_document("b", "Something that stays.", owner="ben"))
    await embedded.remove(ADA)
    await embedded.close()
    with sqlite3.connect(tmp_path / "knowledge.sqlite3") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"zanzibarquux" not in kept
    assert b"stay" in kept


async def test_is06_a_statement_that_names_no_owner_sees_nothing(
    distributed: PostgresPassageIndex, platform_url: str
) -> None:
    """IS-06: the database itself keeps owners apart, whatever a query forgets."""
    await distributed.put(a_document("a", "The codeword is zanzibarquux."))
    await distributed.put(a_document("b", "Something of Ben.", owner="ben"))
    connection = await asyncpg.connect(platform_url)
    try:
        for owners, seen in (("", 0), ("ada", 1), ("ada\nben", 2), ("ada,ben", 0)):
            async with connection.transaction():
                await connection.execute("SELECT set_config('batuta.knowledge_owners', $1, true)", owners)
                for table in ("knowledge_documents", "knowledge_passages", "knowledge_owners"):
                    assert await connection.fetchval(f"SELECT count(*) FROM {table}") == seen
    finally:
        await connection.close()


async def test_is06_a_search_uses_the_index_and_only_for_owners_that_were_declared(
    distributed: PostgresPassageIndex, platform_url: str
) -> None:
    """IS-06: row-level security keeps a plain query from the index; the function that may use it asks the same."""
    await distributed.put(a_document("a", "The codeword is zanzibarquux."))
    async with connected(platform_url) as connection:
        for owners, found in (("", 0), ("ben", 0), ("ada", 1)):
            async with connection.transaction():
                await connection.execute("SELECT set_config('batuta.knowledge_owners', $1, true)", owners)
                asked = f"'{await owner_number(connection)}xzanzibarquux'"
                rows = await connection.fetch("SELECT * FROM knowledge_find($1::tsquery, '{ada}', NULL, 9)", asked)
                assert len(rows) == found
                scans = "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'knowledge_passages'"
                assert not await connection.fetchval(scans)


async def test_a_search_works_where_the_tables_belong_to_no_superuser(private_postgres: PostgresServer) -> None:
    """As installations should be: one role migrates, another one serves, and neither is exempt from anything."""
    name = private_postgres.create_database()
    for role in ("migrator", APP_ROLE):
        private_postgres.create_role(role)
    private_postgres.execute(f'ALTER DATABASE "{name}" OWNER TO migrator')
    private_postgres.execute("ALTER SCHEMA public OWNER TO migrator", name)
    await migrate_server(private_postgres.url(name, role="migrator"), grant_to=APP_ROLE)
    index = PostgresPassageIndex(private_postgres.url(name, role=APP_ROLE))
    await index.put(a_document("a", "The codeword is zanzibarquux."))
    await index.put(a_document("b", "The codeword is another.", owner="ben"))
    assert [each.passage.document_id for each in await found_by(index, "codeword")] == ["a"]
    await index.close()


async def owner_number(connection: Any) -> int:
    """Of the only owner there is: the first that was made."""
    number: int | None = await connection.fetchval("SELECT id FROM knowledge_owners")
    return number or 1


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def test_erased_words_are_in_no_table(distributed: PostgresPassageIndex, platform_url: str) -> None:
    """Erased: text, stems, counts and places of an erased document."""
    await distributed.put(a_document("a", "The codeword is zanzibarquux.", "Nothing else."))
    await distributed.remove(ADA)
    connection = await asyncpg.connect(platform_url)
    try:
        async with connection.transaction():
            await connection.execute("SELECT set_config('batuta.knowledge_owners', 'ada', true)")
            for table in ("knowledge_documents", "knowledge_passages", "knowledge_stem_counts"):
                assert await connection.fetchval(f"SELECT count(*) FROM {table}") == 0
    finally:
        await connection.close()
