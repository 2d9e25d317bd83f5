"""The contract of an index of vectors: which passages of an owner mean most nearly what was asked (A-12, P-35).

Vectors lie beside the passages they were made from and go with them: an erased passage leaves none behind. They are
kept by space, which is one embedding model with one length. Of all spaces one is active; queries are answered from it
until another one is complete and takes its place.

How near passages are is exact for an owner of up to `EXACT_LIMIT` passages. Above that the signs of the numbers choose
`RESCORED` of them, and those are ranked exactly: measured, the same ten come first.
"""

import json
from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, runtime_checkable

from batuta.knowledge.index import Candidate, SearchScope, candidates_of
from batuta.knowledge.vectors.arithmetic import Nearness
from batuta.llm.embedding import Vector

EXACT_LIMIT = 2_000
RESCORED = 1_000
NEAREST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpace:
    """The vectors of one model."""

    name: str
    """As `space_of` gives it: provider, model and length."""
    dimensions: int
    is_active: bool
    tokens: int
    cost: Decimal | None
    """In US dollars, of all its vectors; `None` once one was made with an unknown price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnembeddedPassage:
    """A passage without a vector, with the words to make one from."""

    passage_id: int
    owner: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentOnVectors:
    """What vectors cost."""

    tokens: int = 0
    cost: Decimal | None = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPassage:
    """A passage near a question."""

    candidate: Candidate
    similarity: float
    """The cosine: 1 for the same direction."""
    standing: float
    """By how many standard deviations it is nearer than the passages compared with it; 0 where there are too few."""


def spaces_of(rows: Iterable[Sequence[Any]]) -> list[EmbeddingSpace]:
    """From rows of a store: name, dimensions, whether it is active, tokens, cost."""
    return [
        EmbeddingSpace(
            name=name,
            dimensions=dimensions,
            is_active=bool(is_active),
            tokens=tokens,
            cost=None if cost is None else Decimal(cost),
        )
        for name, dimensions, is_active, tokens, cost in rows
    ]


def unembedded_of(rows: Iterable[Sequence[Any]]) -> list[UnembeddedPassage]:
    """From rows of a store: id, owner, title, headings, text."""
    return [
        UnembeddedPassage(passage_id=i, owner=owner, text="\n".join((title, *json.loads(headings), text)))
        for i, owner, title, headings, text in rows
    ]


def near_passages(near: Iterable[Nearness], rows: Iterable[Sequence[Any]]) -> list[NearPassage]:
    """What is near, in its order, with the rows of a store for it (as `candidates_of` takes them)."""
    found = {each.passage_id: each for each in candidates_of(rows)}
    return [
        NearPassage(candidate=found[each.passage_id], similarity=each.similarity, standing=each.standing)
        for each in near
        if each.passage_id in found  # else it was erased between two statements
    ]


def same_length(space: str, known: int, dimensions: int) -> None:
    """Raise `ValueError` for vectors of another length than their space has."""
    if known != dimensions:
        raise ValueError(f"{space} has vectors of {known} numbers, not {dimensions}")


@runtime_checkable
class VectorIndex(Protocol):
    """Keeps the vectors of passages. Nothing of an owner outside the scope is ever compared, counted or returned."""

    async def spaces(self) -> list[EmbeddingSpace]:
        """The spaces there are, the active one first."""
        ...

    async def unembedded(self, space: str, scope: SearchScope, *, limit: int) -> list[UnembeddedPassage]:
        """Passages in scope that have no vector in a space, the oldest first."""
        ...

    async def count_unembedded(self, space: str, scope: SearchScope) -> int:
        """How many those are."""
        ...

    async def add(self, space: str, owner: str, vectors: Sequence[tuple[int, Vector]], spent: SpentOnVectors) -> None:
        """Keep the vectors of some passages of an owner; those that were erased meanwhile are left out.

        Raises:
            ValueError: the space has vectors of another length.
        """
        ...

    async def activate(self, space: str) -> None:
        """Answer from this space from now on, and forget all others."""
        ...

    async def nearest(
        self, space: str, vector: Vector, scope: SearchScope, *, limit: int = NEAREST
    ) -> list[NearPassage]:
        """The passages in scope that are nearest to a vector, the nearest first."""
        ...

    def claim(self) -> AbstractAsyncContextManager[bool]:
        """Whether this process may make missing vectors, within the block: one does at a time, or all would pay."""
        ...

    async def close(self) -> None:
        """Let go of what it holds open."""
        ...


def active_space(spaces: Sequence[EmbeddingSpace]) -> EmbeddingSpace | None:
    """The one that queries are answered from."""
    return next((space for space in spaces if space.is_active), None)
