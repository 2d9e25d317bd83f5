"""The contract of an index of passages: who keeps documents finds their passages and gives their text back.

Every operation names the owners it acts for, and a scope without an owner is an error: nothing is ever searched for
"everybody". A backend is right when it passes `batuta.testing.knowledge`.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from batuta.knowledge.chunk import chunks_of
from batuta.knowledge.document import DocumentText, Location
from batuta.knowledge.query import Roots, Term
from batuta.knowledge.scoring import Statistics, Stems, joined
from batuta.knowledge.versions import month_names
from batuta.knowledge.words import Language, language_of, stems, tokens

CANDIDATES = 100
BUDGET = 2_000
"""Passages that a store ranks for one question."""
STORED_COLUMNS = "p.id, p.document, d.owner, d.name, p.title, p.headings, p.place, p.language, p.first, p.last, p.text"
"""Of a passage `p` and its document `d`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchScope:
    """What may be searched: the documents of some owners, all of them or those chosen."""

    owners: tuple[str, ...]
    documents: frozenset[str] | None = None
    """Ids of chosen documents; everything of the owners if nothing is chosen."""

    def __post_init__(self) -> None:
        if not self.owners or not all(self.owners):
            raise ValueError("a scope names at least one owner, and no empty one")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedDocument:
    """A document to be searched."""

    document_id: str
    owner: str
    name: str
    """What people call it: a file name or path. Unique among what one person sees only by custom."""
    content: DocumentText
    revision: str = ""
    """Changes with its content, so that the same content is indexed once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentEntry:
    """What a list of documents shows."""

    document_id: str
    owner: str
    name: str
    title: str
    revision: str
    passages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRow:
    """A passage as stores keep it."""

    number: int
    start: int
    end: int
    title: str
    headings: tuple[str, ...]
    place: Location
    language: Language
    text: str
    stems: Stems


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage that has some of the words."""

    passage_id: int
    document_id: str
    number: int
    stems: Stems


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The answer of a store: passages that may fit, and the figures that ranking them needs."""

    statistics: Statistics
    passages: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPassage:
    """A passage with its text and the name of its document."""

    passage_id: int
    document_id: str
    owner: str
    name: str
    title: str
    headings: tuple[str, ...]
    place: Location
    language: Language
    start: int
    end: int
    text: str


def candidates_of(rows: Iterable[Sequence[Any]]) -> tuple[Candidate, ...]:
    """From rows of a store: id, document, number, stems of the headings and of the body."""
    return tuple(
        Candidate(passage_id=i, document_id=document, number=number, stems=Stems(heading=heading, body=body))
        for i, document, number, heading, body in rows
    )


def stored_passages_of(rows: Iterable[Sequence[Any]]) -> list[StoredPassage]:
    """From rows of a store, in the order of `STORED_COLUMNS`."""
    return [
        StoredPassage(
            passage_id=row[0],
            document_id=row[1],
            owner=row[2],
            name=row[3],
            title=row[4],
            headings=tuple(json.loads(row[5])),
            place=Location(**json.loads(row[6])),
            language=row[7],
            start=row[8],
            end=row[9],
            text=row[10],
        )
        for row in rows
    ]


def entries_of(rows: Iterable[Sequence[Any]]) -> list[DocumentEntry]:
    """From rows of a store: id, owner, name, title, revision, how many passages."""
    return [
        DocumentEntry(document_id=i, owner=owner, name=name, title=title, revision=revision, passages=count)
        for i, owner, name, title, revision, count in rows
    ]


@runtime_checkable
class PassageIndex(Protocol):
    """Keeps documents and finds their passages. Nothing of an owner outside the scope is ever returned or counted."""

    async def put(self, document: IndexedDocument) -> None:
        """Store a document and its passages in one step, in place of what its id stood for.

        Raises:
            ValueError: the id belongs to another owner.
        """
        ...

    async def remove(self, scope: SearchScope) -> int:
        """Forget the documents of a scope, their words included: how many there were."""
        ...

    async def find(self, terms: Sequence[Term], scope: SearchScope, *, limit: int = CANDIDATES) -> Candidates:
        """The passages in scope that have most of the terms, by the store's own rank."""
        ...

    async def kin(self, roots: Roots, scope: SearchScope) -> list[str]:
        """The stems of the owners' passages that are a beginning of these or lie in their ranges."""
        ...

    async def passages(self, passage_ids: Collection[int], scope: SearchScope) -> list[StoredPassage]:
        """These passages, in any order; those out of scope are not there."""
        ...

    async def content(self, document_id: str, scope: SearchScope) -> DocumentText | None:
        """The stored text of a document, or nothing if there is no such document in scope."""
        ...

    async def entries(self, scope: SearchScope) -> list[DocumentEntry]:
        """The documents in scope, by name."""
        ...

    async def close(self) -> None:
        """Let go of what it holds open."""
        ...


def passage_rows(document: IndexedDocument) -> list[PassageRow]:
    """The passages of a document as every store keeps them."""
    content = document.content
    spoken = language_of(content.text)
    rows = []
    for number, chunk in enumerate(chunks_of(content)):
        text = content.text[chunk.start : chunk.end]
        language = language_of(text, default=spoken)
        above = " ".join((content.title, *chunk.headings, document.name, month_names(document.name)))
        rows.append(
            PassageRow(
                number=number,
                start=chunk.start,
                end=chunk.end,
                title=content.title,
                headings=chunk.headings,
                place=chunk.place,
                language=language,
                text=text,
                stems=Stems(
                    body=joined(stems(tokens(text), language)),
                    heading=joined(list(dict.fromkeys(stems(tokens(above), language)))),
                ),
            )
        )
    return rows


def choosing_terms(terms: Sequence[Term], statistics: Statistics, *, budget: int = BUDGET) -> list[Term]:
    """The rarest terms of a question, as long as the passages that have them can be ranked in milliseconds.

    Words that stand nearly everywhere rank passages, but choose none: a passage that has only those says little.
    """
    known = sorted(
        ((count, term) for term, count in zip(terms, statistics.counts, strict=True) if count),
        key=lambda pair: pair[0],
    )
    chosen: list[Term] = []
    spent = 0
    for count, term in known:
        if chosen and spent + count > budget:
            break
        chosen.append(term)
        spent += count
    return chosen
