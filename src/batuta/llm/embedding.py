"""What an embedding model is: texts in, one vector each out; with its cost, like any model call (A-12).

    BatchedEmbeddings -> ResilientEmbeddings -> BudgetedEmbeddings -> the provider's client

A client embeds one batch. The wrappers cut, protect and pay; each is a model like the one inside.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Literal, Protocol, runtime_checkable

from batuta.kernel.errors import MalformedAnswerError
from batuta.kernel.usage import Usage

EmbeddingPurpose = Literal["passage", "question"]
"""Some models place a question elsewhere than the passage that answers it."""
Vector = tuple[float, ...]

EMBEDDING_TIMEOUT = timedelta(seconds=60)
MAX_TEXT_CHARS = 8_000
"""Of one text; what is longer is cut. Below the input of every model in use, for any script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embeddings:
    """The vectors of some texts, in their order."""

    vectors: tuple[Vector, ...]
    model: str
    usage: Usage | None = None
    """`None` where the provider does not say."""
    cost: Decimal | None = None
    """In US dollars; `None` where the price is unknown."""


@runtime_checkable
class EmbeddingModel(Protocol):
    """Turns texts into vectors of one length. Raises only errors of Batuta's tree."""

    @property
    def provider(self) -> str:
        """Who serves it, such as `openai`."""
        ...

    @property
    def name(self) -> str:
        """The model's name at its provider."""
        ...

    @property
    def dimensions(self) -> int | None:
        """The length that was asked for; `None` leaves it to the model."""
        ...

    @property
    def batch_size(self) -> int:
        """How many texts one call takes."""
        ...

    async def embed(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> Embeddings:
        """The vectors of these texts."""
        ...


def space_of(model: EmbeddingModel) -> str:
    """The name of the space that a model's vectors lie in: vectors of two spaces cannot be compared."""
    length = "" if model.dimensions is None else f"#{model.dimensions}"
    return f"{model.provider}:{model.name}{length}"


def checked_vectors(vectors: Sequence[Sequence[float]], count: int, provider: str) -> tuple[Vector, ...]:
    """The vectors of an answer. Raises `MalformedAnswerError` for one that could not be compared with others."""
    try:
        found = tuple(tuple(map(float, vector)) for vector in vectors)
    except (TypeError, ValueError) as error:
        raise MalformedAnswerError(f"these are no vectors: {error}", provider=provider) from error
    if len(found) != count:
        raise MalformedAnswerError(f"{count} texts were sent, {len(found)} vectors came back", provider=provider)
    if len({len(vector) for vector in found}) > 1 or not all(found):
        raise MalformedAnswerError("the vectors have different lengths, or none", provider=provider)
    if not all(math.isfinite(number) for vector in found for number in vector):
        raise MalformedAnswerError("a vector holds what is no number", provider=provider)
    return found
