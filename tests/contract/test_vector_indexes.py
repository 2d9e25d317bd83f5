"""Every vector index passes the same suite and gives the same ranking (A-12, P-35)."""

import random
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from batuta.knowledge.postgres_index import PostgresPassageIndex
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.knowledge.vectors.arithmetic import packed
from batuta.knowledge.vectors.contract import VectorIndex
from batuta.knowledge.vectors.postgres import PostgresVectorIndex
from batuta.knowledge.vectors.sqlite import SqliteVectorIndex
from batuta.testing.knowledge import ADA, a_document
from batuta.testing.vectors import SPACE, VectorIndexConformance, embed_all, vector_of

FEW = 20
"""Above so many passages the signs choose, in the tests of that."""


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


@pytest.fixture
async def embedded_vectors(embedded: SqlitePassageIndex, tmp_path: Path) -> AsyncIterator[SqliteVectorIndex]:
    vectors = SqliteVectorIndex(tmp_path / "knowledge.sqlite3", exact_limit=FEW, rescored=FEW)
    yield vectors
    await vectors.close()


@pytest.fixture
async def distributed_vectors(platform_url: str) -> AsyncIterator[PostgresVectorIndex]:
    vectors = PostgresVectorIndex(platform_url, exact_limit=FEW, rescored=FEW)
    yield vectors
    await vectors.close()


class TestSqliteVectorIndex(VectorIndexConformance):
    @pytest.fixture
    def index(self, embedded: SqlitePassageIndex) -> SqlitePassageIndex:
        return embedded

    @pytest.fixture
    def vectors(self, embedded_vectors: SqliteVectorIndex) -> SqliteVectorIndex:
        return embedded_vectors


class TestPostgresVectorIndex(VectorIndexConformance):
    @pytest.fixture
    def index(self, distributed: PostgresPassageIndex) -> PostgresPassageIndex:
        return distributed

    @pytest.fixture
    def vectors(self, distributed_vectors: PostgresVectorIndex) -> PostgresVectorIndex:
        return distributed_vectors


async def test_both_stores_find_the_same_nearest(
    embedded: SqlitePassageIndex,
    distributed: PostgresPassageIndex,
    embedded_vectors: SqliteVectorIndex,
    distributed_vectors: PostgresVectorIndex,
) -> None:
    """Twice as many passages as are compared exactly, so that the signs choose in both."""
    chance = random.Random(5)
    words = ["hotel", "vuelo", "factura", "contrato", "invoice", "refund", "travel", "delivery", "penalty", "pedido"]
    for number in range(3 * FEW):
        document = a_document(f"d{number}", " ".join(chance.choices(words, k=6)))
        await embedded.put(document)
        await distributed.put(document)
    await embed_all(embedded_vectors, ADA)
    await embed_all(distributed_vectors, ADA)
    for _ in range(10):
        asked = vector_of(" ".join(chance.choices(words, k=2)))
        one = await embedded_vectors.nearest(SPACE, asked, ADA)
        other = await distributed_vectors.nearest(SPACE, asked, ADA)
        assert [(e.candidate.document_id, e.similarity) for e in one] == [
            (e.candidate.document_id, e.similarity) for e in other
        ]
        assert len(one) == FEW


async def test_erased_vectors_leave_the_file(
    embedded: SqlitePassageIndex, embedded_vectors: VectorIndex, tmp_path: Path
) -> None:
    """Erased: neither the numbers nor the signs of an erased passage can be read from the file."""
    await embedded.put(a_document("a", "The codeword is zanzibarquux."))
    [passage] = await embedded_vectors.unembedded(SPACE, ADA, limit=9)
    await embed_all(embedded_vectors, ADA)
    numbers = packed(vector_of(passage.text))[1]
    await embedded.remove(ADA)
    await embedded.close()
    await embedded_vectors.close()
    with sqlite3.connect(tmp_path / "knowledge.sqlite3") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert database.execute("SELECT count(*) FROM passage_signs").fetchone() == (0,)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert numbers[:64] not in kept


async def test_is06_a_statement_that_names_no_owner_sees_no_vector(
    distributed: PostgresPassageIndex, distributed_vectors: PostgresVectorIndex, platform_url: str
) -> None:
    """IS-06: the database itself keeps owners apart."""
    await distributed.put(a_document("a", "The codeword is zanzibarquux."))
    await embed_all(distributed_vectors, ADA)
    connection = await asyncpg.connect(platform_url)
    try:
        for owners, seen in (("", 0), ("ben", 0), ("ada", 1)):
            async with connection.transaction():
                await connection.execute("SELECT set_config('batuta.knowledge_owners', $1, true)", owners)
                assert await connection.fetchval("SELECT count(*) FROM knowledge_vectors") == seen
    finally:
        await connection.close()
