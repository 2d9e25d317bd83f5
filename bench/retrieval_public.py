"""How well passages are found in public manuals, beside plain full text: `python -m bench.retrieval_public`.

Rows are methods, columns the held-out sets of `bench.retrieval_sets`; a figure is hit@1/hit@5/MRR of the document.
"""

import argparse
import asyncio
import math
import sqlite3
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from batuta.knowledge.index import IndexedDocument, SearchScope
from batuta.knowledge.retrieve import Retriever
from batuta.knowledge.scoring import K1, B
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.knowledge.synonyms import others_for
from batuta.knowledge.words import language_of, stems, stop_words, tokens
from bench.retrieval_sets import RetrievalSet, fetched, retrieval_sets

OWNER = SearchScope(owners=("bench",))
SHOWN = 10
Find = Callable[[str], Awaitable[list[str]]]
"""From a question to ids of documents, the best first."""


def main(cache: Path, only: str) -> None:
    """Build each set, ask its questions by each method, print a table."""
    for name, made in retrieval_sets(fetched(cache)).items():
        if only in name:
            data = made()
            print(f"\n{name}: {len(data.documents)} documents, {len(data.questions)} questions", flush=True)
            asyncio.run(_compared(data))


async def _compared(data: RetrievalSet) -> None:
    for name, tokenizer, is_stemmed in (
        ("FTS5 unicode61", "unicode61", False),
        ("FTS5 porter", "porter unicode61", False),
        ("FTS5 Snowball, stop words out", "unicode61 remove_diacritics 0", True),
    ):
        await _measured(name, data, _full_text(data, tokenizer, is_stemmed=is_stemmed))
    await _measured("BM25, Snowball", data, _exact(data, has_fields=False))
    await _measured("BM25, Snowball, title beside body", data, _exact(data, has_fields=True))
    with tempfile.TemporaryDirectory() as folder:
        index = SqlitePassageIndex(Path(folder, "bench.sqlite3"))
        for key, content in data.documents.items():
            await index.put(IndexedDocument(document_id=key, owner="bench", name="page", content=content))
        await _measured("Batuta", data, _engine(Retriever(index)))
        await _measured("Batuta with its synonyms", data, _engine(Retriever(index, synonyms=others_for)))
        await index.close()


async def _measured(name: str, data: RetrievalSet, find: Find) -> None:
    ranks, times = [], []
    for question, answers in data.questions:
        begun = time.perf_counter()
        found = list(dict.fromkeys(await find(question)))[:SHOWN]
        times.append((time.perf_counter() - begun) * 1_000)
        ranks.append(next((rank for rank, key in enumerate(found, 1) if key in answers), 0))
    first, fifth = sum(rank == 1 for rank in ranks), sum(0 < rank <= 5 for rank in ranks)
    reciprocal = sum(1 / rank for rank in ranks if rank)
    count = len(ranks)
    figures = "/".join(f"{value / count:.3f}".lstrip("0") for value in (first, fifth, reciprocal))
    print(f"  {name:32} {figures}   {statistics.median(times):.1f} ms", flush=True)


def _engine(retriever: Retriever) -> Find:
    async def find(question: str) -> list[str]:
        found = await retriever.search(question, OWNER, limit=3 * SHOWN)
        return [each.passage.document_id for each in found]

    return find


def _exact(data: RetrievalSet, *, has_fields: bool) -> Find:
    """Every document scored, as rank_bm25 and bm25s do; with fields as tantivy does. Repeated words count again."""
    fields: list[Postings] = [Postings(), Postings()] if has_fields else [Postings()]
    keys = list(data.documents)
    for number, content in enumerate(data.documents.values()):
        texts = (content.text, content.title) if has_fields else (f"{content.title} {content.text}",)
        for field, text in zip(fields, texts, strict=True):
            field.add(number, stems(tokens(text), language_of(content.text)))

    async def find(question: str) -> list[str]:
        left_out = stop_words(question)
        words = [word for word in tokens(question) if word not in left_out] or tokens(question)
        found: Counter[int] = Counter()
        for word in words:
            for stem in {stem for language in ("en", "es") for stem in stems([word], language)}:
                for field in fields:
                    found.update(field.scores(stem))
        return [keys[number] for number, _ in found.most_common(SHOWN)]

    return find


class Postings:
    """Which documents have a stem in one field, and how often."""

    def __init__(self) -> None:
        self._counts: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._lengths: list[int] = []

    def add(self, number: int, words: list[str]) -> None:
        """The stems of the next document."""
        self._lengths.append(len(words))
        for stem, count in Counter(words).items():
            self._counts[stem][number] = count

    def scores(self, stem: str) -> Mapping[int, float]:
        """BM25 of one stem, by document."""
        known, total = self._counts.get(stem, {}), len(self._lengths)
        mean = sum(self._lengths) / total or 1.0
        weight = math.log(1 + (total - len(known) + 0.5) / (len(known) + 0.5))
        return {
            number: weight * count * (K1 + 1) / (count + K1 * (1 - B + B * self._lengths[number] / mean))
            for number, count in known.items()
        }


def _full_text(data: RetrievalSet, tokenizer: str, *, is_stemmed: bool) -> Find:
    """The whole document as one row, ranked by the store itself."""
    keys = list(data.documents)
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE words USING fts5(title, body, tokenize='{tokenizer}')")
    for number, content in enumerate(data.documents.values()):
        texts = (content.title, content.text)
        if is_stemmed:
            language = language_of(content.text)
            texts = (" ".join(stems(tokens(texts[0]), language)), " ".join(stems(tokens(texts[1]), language)))
        db.execute("INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)", (number, *texts))

    async def find(question: str) -> list[str]:
        words = tokens(question)
        if is_stemmed:
            left_out = stop_words(question)
            kept = [word for word in words if word not in left_out] or words
            words = [stem for language in ("en", "es") for stem in stems(kept, language)]
        query = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        rows = db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT ?", (query or '""', SHOWN)
        )
        return [keys[number] for (number,) in rows]

    return find


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--cache", type=Path, default=Path("build/retrieval"), help="where packages are kept")
    arguments.add_argument("--only", default="", help="sets whose name holds this")
    given = arguments.parse_args()
    main(given.cache, given.only)
