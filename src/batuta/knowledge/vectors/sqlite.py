"""Vectors of passages in the SQLite file of their index (A-12).

The signs of an owner's vectors are held in memory while nothing changes; their numbers are read for the passages that
are compared exactly. A trigger takes vectors out with their passages, whichever connection removes those.
"""

import asyncio
import json
import sqlite3
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from batuta.knowledge.index import SearchScope
from batuta.knowledge.sqlite_file import IndexFile
from batuta.knowledge.vectors.arithmetic import nearest_by_signs, nearest_exactly, numpy, packed, sign_matrix
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

HELD_MATRICES = 16
SPACE_BITS = 40
"""Where the number of a space begins in the key of a vector's numbers: one key, one look-up."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS embedding_spaces (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL,
    is_active INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0, cost TEXT);
CREATE TABLE IF NOT EXISTS passage_signs (
    space INTEGER NOT NULL, owner INTEGER NOT NULL, passage INTEGER NOT NULL, signs BLOB NOT NULL,
    PRIMARY KEY (space, owner, passage)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS passage_signs_by_passage ON passage_signs (passage);
CREATE TABLE IF NOT EXISTS passage_numbers (id INTEGER PRIMARY KEY, numbers BLOB NOT NULL);
CREATE TRIGGER IF NOT EXISTS vectors_follow_passages AFTER DELETE ON passages BEGIN
    DELETE FROM passage_numbers WHERE id IN (SELECT (space << 40) | passage FROM passage_signs WHERE passage = OLD.id);
    DELETE FROM passage_signs WHERE passage = OLD.id;
END;
"""
_UNEMBEDDED = """FROM passages AS p JOIN documents AS d ON d.id = p.document
    WHERE d.owner IN (SELECT value FROM json_each(?1))
    AND (?2 IS NULL OR d.id IN (SELECT value FROM json_each(?2)))
    AND NOT EXISTS (SELECT 1 FROM passage_signs AS v JOIN embedding_spaces AS s ON s.id = v.space
                    WHERE v.passage = p.id AND s.name = ?3)"""


@dataclass(frozen=True, slots=True)
class _Held:
    version: int
    passages: list[int]
    matrix: Any


class SqliteVectorIndex:
    """Vectors in the file of a `SqlitePassageIndex`, which must have been made before."""

    def __init__(self, path: Path | str, *, exact_limit: int = EXACT_LIMIT, rescored: int = RESCORED) -> None:
        numpy()
        self._file = IndexFile(Path(path), _SCHEMA)
        self._exact_limit, self._rescored = exact_limit, rescored
        self._claimed = asyncio.Lock()
        self._held: OrderedDict[tuple[int, int], _Held] = OrderedDict()

    async def spaces(self) -> list[EmbeddingSpace]:
        """See `VectorIndex`."""

        def read(db: sqlite3.Connection) -> list[EmbeddingSpace]:
            rows = db.execute(
                "SELECT name, dimensions, is_active, tokens, cost FROM embedding_spaces ORDER BY is_active DESC, id"
            )
            return spaces_of(rows)

        return await self._file.read(read)

    async def unembedded(self, space: str, scope: SearchScope, *, limit: int) -> list[UnembeddedPassage]:
        """See `VectorIndex`."""

        def read(db: sqlite3.Connection) -> list[UnembeddedPassage]:
            rows = db.execute(
                f"SELECT p.id, d.owner, p.title, p.headings, p.text {_UNEMBEDDED} ORDER BY p.id LIMIT ?4",
                (*_scope_values(scope), space, limit),
            )
            return unembedded_of(rows)

        return await self._file.read(read)

    async def count_unembedded(self, space: str, scope: SearchScope) -> int:
        """See `VectorIndex`."""
        query = f"SELECT count(*) {_UNEMBEDDED}"
        return await self._file.read(lambda db: int(db.execute(query, (*_scope_values(scope), space)).fetchone()[0]))

    async def add(self, space: str, owner: str, vectors: Sequence[tuple[int, Vector]], spent: SpentOnVectors) -> None:
        """See `VectorIndex`."""
        rows = [(passage, *packed(vector)) for passage, vector in vectors]
        dimensions = len(vectors[0][1]) if vectors else 0

        def write(db: sqlite3.Connection) -> None:
            number = _space_for(db, space, dimensions, spent)
            for passage, signs, numbers in rows:
                known = db.execute(
                    "SELECT o.id FROM passages AS p JOIN documents AS d ON d.id = p.document "
                    "JOIN owners AS o ON o.name = d.owner WHERE p.id = ? AND d.owner = ?",
                    (passage, owner),
                ).fetchone()
                if known is not None:
                    db.execute(
                        "INSERT OR REPLACE INTO passage_signs VALUES (?, ?, ?, ?)", (number, *known, passage, signs)
                    )
                    db.execute(
                        "INSERT OR REPLACE INTO passage_numbers VALUES (?, ?)",
                        (number << SPACE_BITS | passage, numbers),
                    )

        if rows:
            await self._file.write(write)

    async def activate(self, space: str) -> None:
        """See `VectorIndex`."""

        def write(db: sqlite3.Connection) -> None:
            others = "(SELECT id FROM embedding_spaces WHERE name <> ?)"
            db.execute(f"DELETE FROM passage_signs WHERE space IN {others}", (space,))  # noqa: S608
            db.execute(f"DELETE FROM passage_numbers WHERE id >> {SPACE_BITS} IN {others}", (space,))  # noqa: S608
            db.execute("DELETE FROM embedding_spaces WHERE name <> ?", (space,))
            db.execute("UPDATE embedding_spaces SET is_active = 1 WHERE name = ?", (space,))

        await self._file.write(write)

    async def nearest(
        self, space: str, vector: Vector, scope: SearchScope, *, limit: int = NEAREST
    ) -> list[NearPassage]:
        """See `VectorIndex`."""

        def read(db: sqlite3.Connection) -> list[NearPassage]:
            number = db.execute(
                "SELECT id FROM embedding_spaces WHERE name = ? AND dimensions = ?", (space, len(vector))
            ).fetchone()
            if number is None:
                return []
            chosen = self._chosen(db, number[0], vector, scope)
            rows = db.execute(
                "SELECT id - ?1, numbers FROM passage_numbers WHERE id IN (SELECT ?1 + value FROM json_each(?2)) "
                "ORDER BY id",
                (number[0] << SPACE_BITS, json.dumps(chosen)),
            ).fetchall()
            near = nearest_exactly(vector, rows, limit)
            found = db.execute(
                "SELECT id, document, number, heading, body FROM passages WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps([each.passage_id for each in near]),),
            )
            return near_passages(near, found)

        return await self._file.read(read)

    @asynccontextmanager
    async def claim(self) -> AsyncIterator[bool]:
        """See `VectorIndex`. The file has one process."""
        if self._claimed.locked():
            yield False
            return
        async with self._claimed:
            yield True

    async def close(self) -> None:
        """See `VectorIndex`."""
        self._file.close()

    def _chosen(self, db: sqlite3.Connection, space: int, vector: Vector, scope: SearchScope) -> list[int]:
        """The passages to compare exactly: all that are in scope, or those whose signs are nearest."""
        if scope.documents is not None:
            rows = db.execute(
                "SELECT s.passage, s.signs FROM documents AS d JOIN passages AS p ON p.document = d.id "
                "JOIN passage_signs AS s ON s.passage = p.id AND s.space = ?1 "
                "WHERE d.id IN (SELECT value FROM json_each(?2)) AND d.owner IN (SELECT value FROM json_each(?3)) "
                "ORDER BY s.passage",
                (space, json.dumps(sorted(scope.documents)), json.dumps(scope.owners)),
            ).fetchall()
            parts = [_Held(0, [row[0] for row in rows], sign_matrix([row[1] for row in rows]))]
        else:
            owners = db.execute(
                "SELECT id FROM owners WHERE name IN (SELECT value FROM json_each(?)) ORDER BY id",
                (json.dumps(scope.owners),),
            ).fetchall()
            parts = [self._of_owner(db, space, owner) for (owner,) in owners]
        if sum(len(part.passages) for part in parts) <= self._exact_limit:
            return [passage for part in parts for passage in part.passages]
        return [part.passages[row] for part in parts for row in nearest_by_signs(part.matrix, vector, self._rescored)]

    def _of_owner(self, db: sqlite3.Connection, space: int, owner: int) -> _Held:
        """The signs of an owner's vectors, read again whenever any connection has written."""
        version = db.execute("PRAGMA data_version").fetchone()[0]
        held = self._held.get((space, owner))
        if held is None or held.version != version:
            rows = db.execute(
                "SELECT passage, signs FROM passage_signs WHERE space = ? AND owner = ? ORDER BY passage",
                (space, owner),
            ).fetchall()
            held = _Held(version, [row[0] for row in rows], sign_matrix([row[1] for row in rows]))
        self._held[space, owner] = held
        self._held.move_to_end((space, owner))
        while len(self._held) > HELD_MATRICES:
            self._held.popitem(last=False)
        return held


def _space_for(db: sqlite3.Connection, name: str, dimensions: int, spent: SpentOnVectors) -> int:
    """The number of a space, which is made for its first vectors; what those cost is added."""
    db.execute(
        "INSERT INTO embedding_spaces (name, dimensions, cost) VALUES (?, ?, '0') ON CONFLICT (name) DO NOTHING",
        (name, dimensions),
    )
    row = db.execute("SELECT id, dimensions, cost FROM embedding_spaces WHERE name = ?", (name,)).fetchone()
    number, known, cost = row
    same_length(name, known, dimensions)
    total = None if cost is None or spent.cost is None else str(Decimal(cost) + spent.cost)
    db.execute("UPDATE embedding_spaces SET tokens = tokens + ?, cost = ? WHERE id = ?", (spent.tokens, total, number))
    return int(number)


def _scope_values(scope: SearchScope) -> tuple[str, str | None]:
    return json.dumps(scope.owners), None if scope.documents is None else json.dumps(sorted(scope.documents))
