"""Every passage index passes the same suite and gives the same ranking (P-35)."""

import random
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from batuta.knowledge.postgres_index import PostgresPassageIndex
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.testing.knowledge import ADA, PassageIndexConformance, a_document, found_by

WORDS = "hotel vuelo factura contrato almacén invoice contract refund travel delivery penalty garantía pedido"
SUBJECTS = WORDS.split()


@pytest.fixture
async def embedded(tmp_path: Path) -> AsyncIterator[SqlitePassageIndex]:
    index = SqlitePassageIndex(tmp_path / "knowledge.sqlite3")
    yield index
    await index.close()


@pytest.fixture
async def distributed(postgres_url: str) -> AsyncIterator[PostgresPassageIndex]:
    async with asyncpg.create_pool(postgres_url, min_size=1, max_size=4) as pool:
        index = PostgresPassageIndex(pool)
        await index.create_schema()
        yield index


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
