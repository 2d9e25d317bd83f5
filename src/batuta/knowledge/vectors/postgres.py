"""Vectors of passages in PostgreSQL, in plain tables: no extension is needed (A-12).

Signs are compared by the database, numbers by the process that asks, in the same way as in `sqlite`, so that both give
the same ranking. Numbers are kept out of line: comparing signs reads none of them. Every transaction declares the
owners of its scope, and row-level security shows it no others.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from batuta.kernel.postgres import execute_many
from batuta.knowledge.index import SearchScope
from batuta.knowledge.postgres_owners import POOL_SIZE, OwnerConnections
from batuta.knowledge.vectors.arithmetic import nearest_exactly, numpy, packed
from batuta.knowledge.vectors.contract import (
    EXACT_LIMIT,
    NEAREST,
    RESCORED,
    EmbeddingSpace,
    NearPassage,
    SpentOnVectors,
    UnembeddedPassage,
    near_passages,
    same_length,
    spaces_of,
    unembedded_of,
)
from batuta.llm.embedding import Vector

CLAIM = 7_311_842_006
"""The number of the lock under which missing vectors are made."""

_UNEMBEDDED = """FROM knowledge_passages AS p
    WHERE p.owner = ANY($1) AND ($2::text[] IS NULL OR p.document = ANY($2))
    AND NOT EXISTS (SELECT 1 FROM knowledge_vectors AS v JOIN knowledge_spaces AS s ON s.id = v.space
                    WHERE v.passage = p.id AND v.owner = p.owner AND s.name = $3)"""
_OWN = """SELECT v.passage, v.owner, v.signs FROM knowledge_vectors AS v
    WHERE v.space = $1 AND v.owner = ANY($2)
    AND ($3::text[] IS NULL OR v.passage IN (SELECT id FROM knowledge_passages WHERE document = ANY($3)))"""
_BY_SIGNS = f"""WITH own AS MATERIALIZED ({_OWN}), ranked AS (
        SELECT passage, row_number() OVER (PARTITION BY owner ORDER BY bit_count(signs # $4), passage) AS place
        FROM own)
    SELECT passage FROM ranked WHERE place <= $5"""  # noqa: S608


class PostgresVectorIndex:
    """Vectors in the database of a `PostgresPassageIndex`. It connects when it is first used."""

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = POOL_SIZE,
        exact_limit: int = EXACT_LIMIT,
        rescored: int = RESCORED,
    ) -> None:
        numpy()
        self._connections = OwnerConnections(url, pool_size=pool_size)
        self._exact_limit, self._rescored = exact_limit, rescored

    async def spaces(self) -> list[EmbeddingSpace]:
        """See `VectorIndex`."""
        async with self._connections.within(()) as db:
            rows = await db.fetch(
                "SELECT name, dimensions, is_active, tokens, cost FROM knowledge_spaces ORDER BY is_active DESC, id"
            )
        return spaces_of(rows)

    async def unembedded(self, space: str, scope: SearchScope, *, limit: int) -> list[UnembeddedPassage]:
        """See `VectorIndex`."""
        async with self._connections.within(scope.owners) as db:
            rows = await db.fetch(
                f"SELECT p.id, p.owner, p.title, p.headings, p.text {_UNEMBEDDED} ORDER BY p.id LIMIT $4",
                *_scope_values(scope),
                space,
                limit,
            )
        return unembedded_of(rows)

    async def count_unembedded(self, space: str, scope: SearchScope) -> int:
        """See `VectorIndex`."""
        async with self._connections.within(scope.owners) as db:
            count: int = await db.fetchval(f"SELECT count(*) {_UNEMBEDDED}", *_scope_values(scope), space)
        return count

    async def add(self, space: str, owner: str, vectors: Sequence[tuple[int, Vector]], spent: SpentOnVectors) -> None:
        """See `VectorIndex`."""
        if not vectors:
            return
        dimensions = len(vectors[0][1])
        rows = [(passage, *packed(vector)) for passage, vector in vectors]
        async with self._connections.within((owner,)) as db:
            number = await _space_for(db, space, dimensions, spent)
            # Locked, so that a passage erased at this moment takes its vector along.
            alive = await db.fetch(
                "SELECT id FROM knowledge_passages WHERE id = ANY($1) AND owner = $2 FOR KEY SHARE",
                [row[0] for row in rows],
                owner,
            )
            known = {row["id"] for row in alive}
            await execute_many(
                db,
                "INSERT INTO knowledge_vectors VALUES ($1, $2, $3, $4, $5) ON CONFLICT (space, owner, passage) "
                "DO UPDATE SET signs = excluded.signs, numbers = excluded.numbers",
                [
                    (number, owner, passage, _bits(signs, dimensions), numbers)
                    for passage, signs, numbers in rows
                    if passage in known
                ],
            )

    async def activate(self, space: str) -> None:
        """See `VectorIndex`. Vectors of every owner go with their space."""
        async with self._connections.within(()) as db:
            await db.execute("DELETE FROM knowledge_spaces WHERE name <> $1", space)
            await db.execute("UPDATE knowledge_spaces SET is_active = true WHERE name = $1", space)

    async def nearest(
        self, space: str, vector: Vector, scope: SearchScope, *, limit: int = NEAREST
    ) -> list[NearPassage]:
        """See `VectorIndex`."""
        async with self._connections.within(scope.owners) as db:
            number = await db.fetchval(
                "SELECT id FROM knowledge_spaces WHERE name = $1 AND dimensions = $2", space, len(vector)
            )
            if number is None:
                return []
            own = (number, *_scope_values(scope))
            count: int = await db.fetchval(f"SELECT count(*) FROM ({_OWN}) AS own", *own)  # noqa: S608
            if count <= self._exact_limit:
                chosen = await db.fetch(f"SELECT passage FROM ({_OWN}) AS own", *own)  # noqa: S608
            else:
                signs = _bits(packed(vector)[0], len(vector))
                chosen = await db.fetch(_BY_SIGNS, *own, signs, self._rescored)
            rows = await db.fetch(
                "SELECT passage, numbers FROM knowledge_vectors WHERE space = $1 AND owner = ANY($2) "
                "AND passage = ANY($3) ORDER BY passage",
                number,
                list(scope.owners),
                [row["passage"] for row in chosen],
            )
            near = nearest_exactly(vector, [(row["passage"], row["numbers"]) for row in rows], limit)
            found = await db.fetch(
                "SELECT id, document, number, heading, body FROM knowledge_passages WHERE id = ANY($1)",
                [each.passage_id for each in near],
            )
        return near_passages(near, found)

    @asynccontextmanager
    async def claim(self) -> AsyncIterator[bool]:
        """See `VectorIndex`. The lock is the connection's: it ends with its process."""
        async with (await self._connections.opened()).acquire() as db:
            is_ours: bool = await db.fetchval("SELECT pg_try_advisory_lock($1)", CLAIM)
            try:
                yield is_ours
            finally:
                if is_ours:
                    await db.execute("SELECT pg_advisory_unlock($1)", CLAIM)

    async def close(self) -> None:
        """See `VectorIndex`."""
        await self._connections.close()


async def _space_for(db: Any, name: str, dimensions: int, spent: SpentOnVectors) -> int:
    """The number of a space, which is made for its first vectors; what those cost is added."""
    await db.execute(
        "INSERT INTO knowledge_spaces (name, dimensions) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        name,
        dimensions,
    )
    row = await db.fetchrow(
        "UPDATE knowledge_spaces SET tokens = tokens + $2, cost = cost + $3::numeric WHERE name = $1 "
        "RETURNING id, dimensions",
        name,
        spent.tokens,
        spent.cost,
    )
    same_length(name, row["dimensions"], dimensions)
    number: int = row["id"]
    return number


def _bits(signs: bytes, dimensions: int) -> asyncpg.BitString:
    return asyncpg.BitString.frombytes(signs, bitlength=dimensions)


def _scope_values(scope: SearchScope) -> tuple[list[str], list[str] | None]:
    return list(scope.owners), None if scope.documents is None else sorted(scope.documents)
