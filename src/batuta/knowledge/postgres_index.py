"""An index of passages in PostgreSQL: a GIN index over stems, each owner with words of its own (P-35).

The same tables, words and figures as `sqlite_index`, so that both give the same ranking. Changes of one owner's
documents come one after the other: they count stems in the same rows.

Every transaction declares the owners of its scope, and row-level security shows it no others: a statement that forgets
to ask for an owner finds nothing. The search itself is a function of the database that holds to the same rule, since
row-level security would keep it from using the index of words.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

import asyncpg

from batuta.kernel.postgres import execute_many
from batuta.knowledge.document import DocumentText, from_json, to_json
from batuta.knowledge.index import (
    CANDIDATES,
    STORED_COLUMNS,
    Candidates,
    DocumentEntry,
    IndexedDocument,
    PassageRow,
    SearchScope,
    StoredPassage,
    candidates_of,
    choosing_terms,
    entries_of,
    passage_rows,
    stored_passages_of,
)
from batuta.knowledge.postgres_owners import POOL_SIZE, OwnerConnections
from batuta.knowledge.query import Roots, Term
from batuta.knowledge.scoring import Statistics, Stems

MAX_POSITION = 16_000
MAX_POSITIONS = 200
"""Of one word in one passage: what PostgreSQL keeps."""
_KIN = """
WITH o AS MATERIALIZED (SELECT id FROM knowledge_owners WHERE name = ANY($1))
SELECT c.stem FROM o CROSS JOIN unnest($2::text[], $3::text[]) AS r (first, last)
    JOIN knowledge_stem_counts AS c ON c.owner = o.id AND c.stem > r.first AND c.stem < r.last
UNION SELECT c.stem FROM o JOIN knowledge_stem_counts AS c ON c.owner = o.id AND c.stem = ANY($4)
"""


class PostgresPassageIndex:
    """Passages in PostgreSQL. It connects when it is first used; the tables are made by a migration."""

    def __init__(self, url: str, *, pool_size: int = POOL_SIZE) -> None:
        self._connections = OwnerConnections(url, pool_size=pool_size)

    async def put(self, document: IndexedDocument) -> None:
        """See `PassageIndex`."""
        rows = passage_rows(document)
        async with self._connections.within((document.owner,)) as db:
            owner = await _locked_owner(db, document.owner)
            await _forget(db, owner, [document.document_id])
            try:
                await _add(db, owner, document, rows)
            except asyncpg.UniqueViolationError as error:  # of a row that this transaction does not see
                raise ValueError("this id belongs to another owner's document") from error

    async def remove(self, scope: SearchScope) -> int:
        """See `PassageIndex`."""
        count = 0
        async with self._connections.within(scope.owners) as db:
            for name in sorted(set(scope.owners)):
                owner = await _locked_owner(db, name)
                found = await db.fetch(
                    "SELECT id FROM knowledge_documents WHERE owner = $1 AND ($2::text[] IS NULL OR id = ANY($2))",
                    name,
                    None if scope.documents is None else sorted(scope.documents),
                )
                await _forget(db, owner, [row["id"] for row in found])
                count += len(found)
        return count

    async def find(self, terms: Sequence[Term], scope: SearchScope, *, limit: int = CANDIDATES) -> Candidates:
        """See `PassageIndex`."""
        async with self._connections.within(scope.owners, is_reading=True) as db:
            owners = await db.fetch("SELECT * FROM knowledge_owners WHERE name = ANY($1)", list(scope.owners))
            statistics = await _statistics(db, terms, owners)
            choosing = choosing_terms(terms, statistics)
            if not choosing:
                return Candidates(statistics=statistics, passages=())
            query = " | ".join(
                f"'{owner['id']}x{stem}'" for term in choosing for owner in owners for stem in sorted(term.all_stems)
            )
            rows = await db.fetch(
                "SELECT id, document, number, heading, body FROM knowledge_find($1::tsquery, $2, $3, $4)",
                query,
                list(scope.owners),
                None if scope.documents is None else sorted(scope.documents),
                limit,
            )
        return Candidates(statistics=statistics, passages=candidates_of(rows))

    async def kin(self, roots: Roots, scope: SearchScope) -> list[str]:
        """See `PassageIndex`."""
        async with self._connections.within(scope.owners, is_reading=True) as db:
            rows = await db.fetch(
                _KIN,
                list(scope.owners),
                [first for first, _ in roots.ranges],
                [last for _, last in roots.ranges],
                list(roots.beginnings),
            )
        return sorted(row["stem"] for row in rows)

    async def passages(self, passage_ids: Collection[int], scope: SearchScope) -> list[StoredPassage]:
        """See `PassageIndex`."""
        async with self._connections.within(scope.owners, is_reading=True) as db:
            rows = await db.fetch(
                f"SELECT {STORED_COLUMNS} FROM knowledge_passages AS p "  # noqa: S608
                "JOIN knowledge_documents AS d ON d.id = p.document "
                "WHERE p.id = ANY($1) AND d.owner = ANY($2) AND ($3::text[] IS NULL OR d.id = ANY($3))",
                list(passage_ids),
                list(scope.owners),
                None if scope.documents is None else sorted(scope.documents),
            )
        return stored_passages_of(rows)

    async def content(self, document_id: str, scope: SearchScope) -> DocumentText | None:
        """See `PassageIndex`."""
        if scope.documents is not None and document_id not in scope.documents:
            return None
        query = "SELECT content FROM knowledge_documents WHERE id = $1 AND owner = ANY($2)"
        async with self._connections.within(scope.owners, is_reading=True) as db:
            stored = await db.fetchval(query, document_id, list(scope.owners))
        return None if stored is None else from_json(json.loads(stored))

    async def entries(self, scope: SearchScope) -> list[DocumentEntry]:
        """See `PassageIndex`."""
        async with self._connections.within(scope.owners, is_reading=True) as db:
            rows = await db.fetch(
                "SELECT id, owner, name, title, revision, passages FROM knowledge_documents "
                'WHERE owner = ANY($1) AND ($2::text[] IS NULL OR id = ANY($2)) ORDER BY name COLLATE "C", id',
                list(scope.owners),
                None if scope.documents is None else sorted(scope.documents),
            )
        return entries_of(rows)

    async def close(self) -> None:
        """See `PassageIndex`."""
        await self._connections.close()


async def _locked_owner(db: Any, name: str) -> int:
    """An owner's number; its documents change in one transaction at a time."""
    await db.execute("INSERT INTO knowledge_owners (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", name)
    number: int = await db.fetchval("SELECT id FROM knowledge_owners WHERE name = $1 FOR UPDATE", name)
    return number


async def _statistics(db: Any, terms: Sequence[Term], owners: Sequence[Any]) -> Statistics:
    passages = sum(owner["passages"] for owner in owners)
    stems = sorted({stem for term in terms for stem in term.all_stems})
    rows = await db.fetch(
        "SELECT stem, sum(passages)::bigint AS passages FROM knowledge_stem_counts "
        "WHERE owner = ANY($1) AND stem = ANY($2) GROUP BY stem",
        [owner["id"] for owner in owners],
        stems,
    )
    counts = {row["stem"]: row["passages"] for row in rows}
    return Statistics(
        passages=passages,
        mean_body=sum(owner["bodies"] for owner in owners) / passages if passages else 0.0,
        mean_heading=sum(owner["headings"] for owner in owners) / passages if passages else 0.0,
        counts=tuple(min(passages, sum(counts.get(stem, 0) for stem in term.all_stems)) for term in terms),
    )


async def _add(db: Any, owner: int, document: IndexedDocument, rows: Sequence[PassageRow]) -> None:
    content = json.dumps(to_json(document.content), ensure_ascii=False)
    facts = (document.document_id, document.owner, document.name, document.content.title, document.revision)
    await db.execute("INSERT INTO knowledge_documents VALUES ($1, $2, $3, $4, $5, $6, $7)", *facts, len(rows), content)
    await execute_many(
        db,
        "INSERT INTO knowledge_passages (document, owner, number, heading, body, first, last, title, headings, place, "
        "language, text, words) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::text::tsvector)",
        [
            (
                *(document.document_id, document.owner, row.number, row.stems.heading, row.stems.body),
                *(row.start, row.end, row.title, json.dumps(row.headings), json.dumps(asdict(row.place))),
                *(row.language, row.text, _vector(row.stems, owner)),
            )
            for row in rows
        ],
    )
    await _count(db, owner, [row.stems for row in rows], 1)


async def _forget(db: Any, owner: int, document_ids: Sequence[str]) -> None:
    rows = await db.fetch("SELECT heading, body FROM knowledge_passages WHERE document = ANY($1)", list(document_ids))
    if rows:
        await _count(db, owner, [Stems(heading=row["heading"], body=row["body"]) for row in rows], -1)
    await db.execute("DELETE FROM knowledge_documents WHERE id = ANY($1)", list(document_ids))


async def _count(db: Any, owner: int, passages: Sequence[Stems], sign: int) -> None:
    """Add (1) or take away (-1) what these passages hold."""
    await db.execute(
        "UPDATE knowledge_owners SET passages = passages + $2, bodies = bodies + $3, headings = headings + $4 "
        "WHERE id = $1",
        owner,
        sign * len(passages),
        sign * sum(passage.body_length for passage in passages),
        sign * sum(passage.heading_length for passage in passages),
    )
    counts = Counter(stem for passage in passages for stem in passage.distinct)
    stems = sorted(counts)
    await db.execute(
        "INSERT INTO knowledge_stem_counts AS known SELECT $1, stem, count FROM unnest($2::text[], $3::bigint[]) "
        "AS new (stem, count) ON CONFLICT (owner, stem) DO UPDATE SET passages = known.passages + excluded.passages",
        owner,
        stems,
        [sign * counts[stem] for stem in stems],
    )
    if sign < 0:
        await db.execute("DELETE FROM knowledge_stem_counts WHERE owner = $1 AND passages <= 0", owner)


def _vector(stems: Stems, owner: int) -> str:
    """The words of a passage with their positions: headings weigh more (A)."""
    positions: dict[str, list[str]] = defaultdict(list)
    heading, body = stems.heading.split(), stems.body.split()
    for at, stem in enumerate(heading, 1):
        positions[stem].append(f"{min(at, MAX_POSITION)}A")
    for at, stem in enumerate(body, len(heading) + 1):
        if len(positions[stem]) < MAX_POSITIONS and at <= MAX_POSITION:
            positions[stem].append(str(at))
    return " ".join(f"'{owner}x{stem}'" + (f":{','.join(at)}" if at else "") for stem, at in positions.items())
