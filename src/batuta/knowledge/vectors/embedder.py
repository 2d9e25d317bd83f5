"""Give passages their vectors: those of one document as it is read, and all that are missing in the background (A-12).

    unembedded -> embed (one batch) -> add -> … until nothing is missing -> activate

Each batch is stored before the next is asked for, so that after a kill it goes on where it stopped. While a new model's
vectors are made, queries are answered from the old ones, and new documents get vectors of both.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from batuta.kernel.errors import BatutaError
from batuta.knowledge.index import SearchScope
from batuta.knowledge.vectors.contract import SpentOnVectors, UnembeddedPassage, VectorIndex, active_space
from batuta.llm.embedding import EmbeddingModel, space_of

log = logging.getLogger("batuta.vectors")

Progress = Callable[[int, int], Awaitable[None]]
"""Takes how many passages are done, and of how many."""
ModelOfSpace = Callable[[str], EmbeddingModel | None]
"""The model that makes the vectors of a space, or nothing if it cannot be had any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageEmbedder:
    """Makes the vectors of one index with one model."""

    vectors: VectorIndex
    model: EmbeddingModel
    model_of: ModelOfSpace
    batch_passages: int = 64

    async def embed(self, scope: SearchScope, progress: Progress | None = None) -> int:
        """Embed what is missing in a scope, for the model of now and for the one that still answers: how many."""
        count = await self._embed_with(self.model, scope, progress)
        active = active_space(await self.vectors.spaces())
        if active is not None and active.name != space_of(self.model):
            former = self.model_of(active.name)
            if former is not None:
                await self._embed_with(former, scope, None)
        return count

    async def catch_up(self, owners: Sequence[str]) -> bool:
        """Embed what is missing of these owners, who are all there are; then answer from this model's vectors.

        Whether it is complete. An error of the provider leaves the rest to the next time.
        """
        space = space_of(self.model)
        async with self.vectors.claim() as is_ours:
            if not is_ours:
                return False
            try:
                for owner in owners:
                    await self._embed_with(self.model, SearchScope(owners=(owner,)), None)
            except BatutaError as error:
                log.warning("vectors of %s are not complete: %s", space, error)
                return False
            active = active_space(await self.vectors.spaces())
            if active is None or active.name != space:
                await self.vectors.activate(space)
        return True

    async def _embed_with(self, model: EmbeddingModel, scope: SearchScope, progress: Progress | None) -> int:
        space = space_of(model)
        total = await self.vectors.count_unembedded(space, scope) if progress is not None else 0
        done = 0
        while passages := await self.vectors.unembedded(space, scope, limit=self.batch_passages):
            await self._embed_batch(model, space, passages)
            done += len(passages)
            if progress is not None:
                await progress(done, max(total, done))
        return done

    async def _embed_batch(self, model: EmbeddingModel, space: str, passages: Sequence[UnembeddedPassage]) -> None:
        found = await model.embed([passage.text for passage in passages], "passage")
        tokens = 0 if found.usage is None else found.usage.total
        spent = SpentOnVectors(tokens=tokens, cost=found.cost)
        by_owner: dict[str, list[tuple[int, tuple[float, ...]]]] = {}
        for passage, vector in zip(passages, found.vectors, strict=True):
            by_owner.setdefault(passage.owner, []).append((passage.passage_id, vector))
        for owner, vectors in by_owner.items():
            await self.vectors.add(space, owner, vectors, spent)
            spent = SpentOnVectors(cost=None if found.cost is None else Decimal(0))
