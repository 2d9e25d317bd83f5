"""Passages by meaning: the question's vector in the active space, and what lies nearest to it (A-12, P-35).

Search never fails for want of a vector: a provider that is away, or a model that cannot be had any more, leaves it to
the words, and a warning is logged.
"""

import logging
from collections import OrderedDict
from dataclasses import dataclass, field

from batuta.kernel.errors import BatutaError
from batuta.knowledge.index import SearchScope
from batuta.knowledge.vectors.contract import NearPassage, VectorIndex, active_space
from batuta.knowledge.vectors.embedder import ModelOfSpace
from batuta.llm.embedding import Vector

log = logging.getLogger("batuta.vectors")
REMEMBERED = 256
"""Questions whose vectors are kept: an agent asks the same more than once in a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningSearch:
    """Searches one index of vectors."""

    vectors: VectorIndex
    model_of: ModelOfSpace
    _asked: OrderedDict[tuple[str, str], Vector] = field(default_factory=OrderedDict)

    async def near(self, question: str, scope: SearchScope) -> list[NearPassage]:
        """The passages that mean most nearly what is asked; none where there are no vectors."""
        if not question.strip():
            return []
        try:
            active = active_space(await self.vectors.spaces())
            if active is None:
                return []
            vector = await self._vector(active.name, question)
            return [] if vector is None else await self.vectors.nearest(active.name, vector, scope)
        except BatutaError as error:
            log.warning("searched by words alone: %s", error)
            return []

    async def _vector(self, space: str, question: str) -> Vector | None:
        key = (space, question)
        if key not in self._asked:
            model = self.model_of(space)
            if model is None:
                log.warning("searched by words alone: the model of %s cannot be had", space)
                return None
            self._asked[key] = (await model.embed([question], "question")).vectors[0]
            while len(self._asked) > REMEMBERED:
                self._asked.popitem(last=False)
        return self._asked[key]
