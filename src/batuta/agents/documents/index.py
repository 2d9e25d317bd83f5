"""A full-text index over a folder of Markdown and text files: SQLite FTS5, rebuilt when a file changes.

The index is the library's own copy: searches and citation checks see the same text, and no path from a model is ever
opened.
"""

import math
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from batuta.agents.documents.passages import Passage, passages_of, title_of
from batuta.agents.documents.terms import Term, found_in, terms_of
from batuta.kernel.errors import ConfigurationError
from batuta.llm.offline.words import language_of

SUFFIXES = frozenset({".md", ".markdown", ".txt"})
MAX_FILE_BYTES = 2_000_000
MAX_FILES = 5_000
CANDIDATES = 40
LEAST_RELEVANCE = 0.5
"""The share of a question that a passage must know to be preferred to one in another language."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (file TEXT PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, stamp TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS passages USING fts5(
    title, section, text, file UNINDEXED, first_line UNINDEXED, tokenize = "unicode61 remove_diacritics 2");
"""  # noqa: E501 - one statement a line


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A passage and the share of the question that it knows."""

    passage: Passage
    relevance: float


class DocumentIndex:
    """The documents of one folder. Methods block: call them in a thread."""

    def __init__(self, folder: Path | str, database: Path | str) -> None:
        self._folder = Path(folder)
        self._database = Path(database)
        self._lock = threading.Lock()
        if not self._folder.is_dir():
            raise ConfigurationError(f"there is no folder of documents at {self._folder}")
        self._database.parent.mkdir(parents=True, exist_ok=True)

    def search(self, question: str, limit: int = 5) -> list[Found]:
        """The passages that know most of a question, those in its language first."""
        terms = terms_of(question)
        if not terms:
            return []
        with closing(self._open()) as database:
            candidates = self._candidates(database, terms)
            weights = self._weights(database, terms)
        total = sum(weights) or 1.0
        shares = [(passage, _known(passage, terms, weights) / total) for passage in candidates]
        found = [Found(passage=passage, relevance=round(share, 3)) for passage, share in shares]
        return _preferred(sorted(found, key=lambda each: -each.relevance), question)[:limit]

    def titles(self) -> dict[str, str]:
        """Titles by file."""
        with closing(self._open()) as database:
            return dict(database.execute("SELECT file, title FROM documents ORDER BY file"))

    def text(self, file: str) -> str | None:
        """The text of a document, or `None` if there is no such document."""
        with closing(self._open()) as database:
            row = database.execute("SELECT text FROM documents WHERE file = ?", (file,)).fetchone()
        return None if row is None else str(row[0])

    def _open(self) -> sqlite3.Connection:
        """A connection to an index that is up to date."""
        database = sqlite3.connect(self._database, timeout=10)
        try:
            with self._lock:
                self._refresh(database)
        except BaseException:
            database.close()
            raise
        return database

    def _refresh(self, database: sqlite3.Connection) -> None:
        database.executescript(_SCHEMA)
        known = dict(database.execute("SELECT file, stamp FROM documents"))
        current = dict(self._stamps())
        changed = [file for file, stamp in current.items() if known.get(file) != stamp]
        gone = [file for file in known if file not in current]
        if not changed and not gone:
            return
        with database:
            for file in (*changed, *gone):
                database.execute("DELETE FROM documents WHERE file = ?", (file,))
                database.execute("DELETE FROM passages WHERE file = ?", (file,))
            for file in changed:
                self._add(database, file, current[file])

    def _stamps(self) -> Iterator[tuple[str, str]]:
        """The files there are, each with what changes when it does."""
        count = 0
        for root, folders, names in os.walk(self._folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(root, name)
                if path.suffix.lower() not in SUFFIXES or path.is_symlink() or count >= MAX_FILES:
                    continue
                facts = path.stat()
                if facts.st_size <= MAX_FILE_BYTES:
                    count += 1
                    yield path.relative_to(self._folder).as_posix(), f"{facts.st_mtime_ns}:{facts.st_size}"

    def _add(self, database: sqlite3.Connection, file: str, stamp: str) -> None:
        text = (self._folder / file).read_text(encoding="utf-8", errors="replace")
        database.execute("INSERT INTO documents VALUES (?, ?, ?, ?)", (file, title_of(file, text), text, stamp))
        database.executemany(
            "INSERT INTO passages (title, section, text, file, first_line) VALUES (?, ?, ?, ?, ?)",
            [(p.title, p.section, p.text, p.file, p.first_line) for p in passages_of(file, text)],
        )

    def _candidates(self, database: sqlite3.Connection, terms: list[Term]) -> list[Passage]:
        rows = database.execute(
            "SELECT title, section, text, file, first_line FROM passages WHERE passages MATCH ? "
            "ORDER BY bm25(passages, 2.0, 3.0, 1.0) LIMIT ?",
            (" OR ".join(term.query for term in terms), CANDIDATES),
        )
        return [
            Passage(title=title, section=section, text=text, file=file, first_line=int(line))
            for title, section, text, file, line in rows
        ]

    def _weights(self, database: sqlite3.Connection, terms: list[Term]) -> list[float]:
        """How much each term tells: what stands nowhere tells most, so a question about it is not answered."""
        total = database.execute("SELECT count(*) FROM passages").fetchone()[0]
        counts = [
            database.execute("SELECT count(*) FROM passages WHERE passages MATCH ?", (term.query,)).fetchone()[0]
            for term in terms
        ]
        return [math.log(1 + total / (1 + count)) for count in counts]


def _known(passage: Passage, terms: list[Term], weights: list[float]) -> float:
    words = found_in(f"{passage.title} {passage.section} {passage.text}")
    return sum(weight * term.known(words) for term, weight in zip(terms, weights, strict=True))


def _preferred(found: list[Found], question: str) -> list[Found]:
    """Passages in the language of the question, unless only others know enough of it."""
    language = language_of(question)
    same = [each for each in found if language_of(each.passage.text) == language]
    knows_enough = any(each.relevance >= LEAST_RELEVANCE for each in same)
    return same if knows_enough else found
