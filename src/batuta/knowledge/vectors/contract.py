"""The contract of an index of vectors: which passages of an owner mean most nearly what was asked (A-12, P-35).

Vectors lie beside the passages they were made from and go with them: an erased passage leaves none behind. They are
kept by space, which is one embedding model with one length. Of all spaces one is active; queries are answered from it
until another one is complete and takes its place.

How near passages are is exact for an owner of up to `EXACT_LIMIT` passages. Above that the signs of the numbers choose
`RESCORED` of them, and those are ranked exactly: measured, the same ten come first.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol, runtime_checkable

from batuta.knowledge.index import Candidate, SearchScope
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
    """In US dollars, of all its vectors; `None` once one was made whose price nobody knows."""


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
