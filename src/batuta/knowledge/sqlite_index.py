"""An index of passages in one SQLite file: FTS5 over stems, each owner with words of its own (P-35).

A stem is indexed with its owner's number before it (`12xhotel`), so that another owner's passages are not filtered out
of a list: they are never in it. How many passages of an owner have a stem is kept as they come and go; counting them
at every search would cost more than the search. Of a question's terms the rarest choose the candidates, all of them
rank (`scoring`).
"""

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path

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
from batuta.knowledge.query import Roots, Term
from batuta.knowledge.scoring import Statistics, Stems
from batuta.knowledge.sqlite_file import IndexFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, title TEXT NOT NULL, revision TEXT NOT NULL,
    passages INTEGER NOT NULL, content TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS documents_by_owner ON documents (owner, name);
CREATE TABLE IF NOT EXISTS passages (
    id INTEGER PRIMARY KEY, document TEXT NOT NULL REFERENCES documents (id), number INTEGER NOT NULL,
    heading TEXT NOT NULL, body TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    title TEXT NOT NULL, headings TEXT NOT NULL, place TEXT NOT NULL, language TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS passages_by_document ON passages (document, number);
CREATE TABLE IF NOT EXISTS owners (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, passages INTEGER NOT NULL DEFAULT 0,
    bodies INTEGER NOT NULL DEFAULT 0, headings INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS stem_counts (
    owner INTEGER NOT NULL, stem TEXT NOT NULL, passages INTEGER NOT NULL, PRIMARY KEY (owner, stem)) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS passage_words USING fts5(
    heading, body, content='', tokenize="unicode61 remove_diacritics 0");
INSERT INTO passage_words (passage_words, rank) VALUES ('rank', 'bm25(2.0, 1.0)');
"""
_IN_SCOPE = """d.owner IN (SELECT value FROM json_each(?))
    AND (? IS NULL OR d.id IN (SELECT value FROM json_each(?)))"""
_CONTENT = f"SELECT d.content FROM documents AS d WHERE {_IN_SCOPE} AND d.id = ?"  # noqa: S608
_ENTRIES = f"""SELECT id, owner, name, title, revision, passages FROM documents AS d
    WHERE {_IN_SCOPE} ORDER BY name, id"""  # noqa: S608
_KIN = """SELECT stem FROM stem_counts WHERE owner = ?1 AND stem > ?2 AND stem < ?3"""
_BEGINNINGS = """SELECT stem FROM stem_counts WHERE owner = ? AND stem IN (SELECT value FROM json_each(?))"""
_COLUMNS = "document, number, heading, body, first, last, title, headings, place, language, text"


class SqlitePassageIndex:
    """Passages in a file."""

    def __init__(self, path: Path | str) -> None:
        self._file = IndexFile(Path(path), _SCHEMA)

    async def put(self, document: IndexedDocument) -> None:
        """See `PassageIndex`."""
        rows = await asyncio.to_thread(passage_rows, document)

        def write(db: sqlite3.Connection) -> None:
            known = db.execute("SELECT owner FROM documents WHERE id = ?", (document.document_id,)).fetchone()
            if known is not None and known[0] != document.owner:
                raise ValueError("this id belongs to another owner's document")
            _forget(db, [document.document_id])
            _add(db, document, rows)

        await self._file.write(write)

    async def remove(self, scope: SearchScope) -> int:
        """See `PassageIndex`. The words leave the file too, not only the list of what is found."""
        values = _in_scope(scope)

        def write(db: sqlite3.Connection) -> int:
            ids = [row[0] for row in db.execute(f"SELECT d.id FROM documents AS d WHERE {_IN_SCOPE}", values)]  # noqa: S608
            _forget(db, ids)
            return len(ids)

        count = await self._file.write(write)
        if scope.documents is None:
            await self._file.write(_scrub)
            await self._file.empty_log()
        return count

    async def find(self, terms: Sequence[Term], scope: SearchScope, *, limit: int = CANDIDATES) -> Candidates:
        """See `PassageIndex`."""

        def read(db: sqlite3.Connection) -> Candidates:
            owners = _owner_numbers(db, scope)
            statistics = _statistics(db, terms, owners)
            choosing = choosing_terms(terms, statistics)
            if not choosing:
                return Candidates(statistics=statistics, passages=())
            chosen, values = _chosen(scope)
            rows = db.execute(
                "SELECT w.rowid, p.document, p.number, p.heading, p.body FROM passage_words AS w "  # noqa: S608
                f"JOIN passages AS p ON p.id = w.rowid WHERE passage_words MATCH ?{chosen} ORDER BY rank LIMIT ?",
                (" OR ".join(_match(term, owners) for term in choosing), *values, limit),
            )
            return Candidates(statistics=statistics, passages=candidates_of(rows))

        return await self._file.read(read)

    async def kin(self, roots: Roots, scope: SearchScope) -> list[str]:
        """See `PassageIndex`."""

        def read(db: sqlite3.Connection) -> list[str]:
            beginnings, found = _json(roots.beginnings), set[str]()
            for owner in _owner_numbers(db, scope):
                found.update(row[0] for row in db.execute(_BEGINNINGS, (owner, beginnings)))
                for first, last in roots.ranges:
                    found.update(row[0] for row in db.execute(_KIN, (owner, first, last)))
            return sorted(found)

        return await self._file.read(read)

    async def passages(self, passage_ids: Collection[int], scope: SearchScope) -> list[StoredPassage]:
        """See `PassageIndex`."""
        values = _in_scope(scope)

        def read(db: sqlite3.Connection) -> list[StoredPassage]:
            rows = db.execute(
                f"SELECT {STORED_COLUMNS} FROM passages AS p JOIN documents AS d ON d.id = p.document "  # noqa: S608
                f"WHERE {_IN_SCOPE} AND p.id IN (SELECT value FROM json_each(?))",
                (*values, json.dumps(list(passage_ids))),
            )
            return stored_passages_of(rows)

        return await self._file.read(read)

    async def content(self, document_id: str, scope: SearchScope) -> DocumentText | None:
        """See `PassageIndex`."""
        values = _in_scope(scope)

        def read(db: sqlite3.Connection) -> str | None:
            row = db.execute(_CONTENT, (*values, document_id))
            found = row.fetchone()
            return None if found is None else str(found[0])

        stored = await self._file.read(read)
        return None if stored is None else from_json(json.loads(stored))

    async def entries(self, scope: SearchScope) -> list[DocumentEntry]:
        """See `PassageIndex`."""
        values = _in_scope(scope)
        return await self._file.read(lambda db: entries_of(db.execute(_ENTRIES, values)))

    async def close(self) -> None:
        """See `PassageIndex`."""
        self._file.close()


def _owner_numbers(db: sqlite3.Connection, scope: SearchScope) -> list[int]:
    rows = db.execute("SELECT id FROM owners WHERE name IN (SELECT value FROM json_each(?))", (_json(scope.owners),))
    return [row[0] for row in rows]


def _statistics(db: sqlite3.Connection, terms: Sequence[Term], owners: Sequence[int]) -> Statistics:
    """Of everything the owners have: choosing files for a question does not change what its words are worth."""
    passages, bodies, headings = db.execute(
        "SELECT total(passages), total(bodies), total(headings) FROM owners "
        "WHERE id IN (SELECT value FROM json_each(?))",
        (_json(owners),),
    ).fetchone()
    asked = _json(sorted({stem for term in terms for stem in term.all_stems}))
    known = Counter[str]()
    for owner in owners:
        rows = db.execute(
            "SELECT stem, passages FROM stem_counts WHERE owner = ? AND stem IN (SELECT value FROM json_each(?))",
            (owner, asked),
        )
        for stem, count in rows:
            known[stem] += count
    counts = tuple(sum(known[stem] for stem in term.all_stems) for term in terms)
    return Statistics(
        passages=int(passages),
        mean_body=bodies / passages if passages else 0.0,
        mean_heading=headings / passages if passages else 0.0,
        counts=tuple(min(int(passages), int(count)) for count in counts),
    )


def _match(term: Term, owners: Sequence[int]) -> str:
    """A term in the query language: stems are letters and digits, and quoted all the same."""
    return " OR ".join(f'"{owner}x{stem}"' for owner in owners for stem in sorted(term.all_stems))


def _chosen(scope: SearchScope) -> tuple[str, tuple[str, ...]]:
    if scope.documents is None:
        return "", ()
    return " AND p.document IN (SELECT value FROM json_each(?))", (_json(sorted(scope.documents)),)


def _in_scope(scope: SearchScope) -> tuple[str, str | None, str | None]:
    """The values of `_IN_SCOPE`."""
    chosen = None if scope.documents is None else _json(sorted(scope.documents))
    return _json(scope.owners), chosen, chosen


def _add(db: sqlite3.Connection, document: IndexedDocument, rows: Sequence[PassageRow]) -> None:
    db.execute("INSERT INTO owners (name) VALUES (?) ON CONFLICT (name) DO NOTHING", (document.owner,))
    owner = db.execute("SELECT id FROM owners WHERE name = ?", (document.owner,)).fetchone()[0]
    facts = (document.document_id, document.owner, document.name, document.content.title, document.revision)
    content = json.dumps(to_json(document.content), ensure_ascii=False)
    db.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?)", (*facts, len(rows), content))
    words = []
    for row in rows:
        place = _json(asdict(row.place))
        values = (row.start, row.end, row.title, _json(row.headings), place, row.language, row.text)
        number = db.execute(
            f"INSERT INTO passages ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            (document.document_id, row.number, row.stems.heading, row.stems.body, *values),
        ).lastrowid
        words.append((number, _marked(row.stems.heading, owner), _marked(row.stems.body, owner)))
    db.executemany("INSERT INTO passage_words (rowid, heading, body) VALUES (?, ?, ?)", words)
    _count(db, owner, [row.stems for row in rows], 1)


def _forget(db: sqlite3.Connection, document_ids: Sequence[str]) -> None:
    for document_id in document_ids:
        owner = db.execute(
            "SELECT o.id FROM owners AS o JOIN documents AS d ON d.owner = o.name WHERE d.id = ?", (document_id,)
        ).fetchone()
        if owner is None:
            continue
        rows = db.execute("SELECT id, heading, body FROM passages WHERE document = ?", (document_id,)).fetchall()
        db.executemany(
            "INSERT INTO passage_words (passage_words, rowid, heading, body) VALUES ('delete', ?, ?, ?)",
            [(i, _marked(heading, owner[0]), _marked(body, owner[0])) for i, heading, body in rows],
        )
        _count(db, owner[0], [Stems(heading=heading, body=body) for _, heading, body in rows], -1)
        db.execute("DELETE FROM passages WHERE document = ?", (document_id,))
        db.execute("DELETE FROM documents WHERE id = ?", (document_id,))


def _marked(stems: str, owner: int) -> str:
    return " ".join(f"{owner}x{stem}" for stem in stems.split())


def _count(db: sqlite3.Connection, owner: int, passages: Sequence[Stems], sign: int) -> None:
    """Add (1) or take away (-1) what these passages hold."""
    totals = (
        sign * len(passages),
        sign * sum(p.body_length for p in passages),
        sign * sum(p.heading_length for p in passages),
    )
    db.execute(
        "UPDATE owners SET passages = passages + ?, bodies = bodies + ?, headings = headings + ? WHERE id = ?",
        (*totals, owner),
    )
    counts = Counter(stem for passage in passages for stem in passage.distinct)
    db.executemany(
        "INSERT INTO stem_counts VALUES (?1, ?2, ?3) ON CONFLICT (owner, stem) DO UPDATE SET passages = passages + ?3",
        [(owner, stem, sign * count) for stem, count in sorted(counts.items())],
    )
    if sign < 0:
        db.execute("DELETE FROM stem_counts WHERE owner = ? AND passages <= 0", (owner,))


def _scrub(db: sqlite3.Connection) -> None:
    """Write the index anew: a deleted word stays in its old segments until they are merged."""
    db.execute("INSERT INTO passage_words (passage_words) VALUES ('optimize')")


def _json(value: object) -> str:
    return json.dumps(value)
