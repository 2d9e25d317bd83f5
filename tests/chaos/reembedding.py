"""A process that makes the vectors of a new model, and dies by SIGKILL at the step it was given."""

import asyncio
import os
import signal
from collections.abc import Sequence
from typing import Any

from batuta.knowledge.vectors.contract import VectorIndex
from batuta.knowledge.vectors.embedder import PassageEmbedder
from batuta.knowledge.vectors.postgres import PostgresVectorIndex
from batuta.knowledge.vectors.sqlite import SqliteVectorIndex
from batuta.llm.embedding import EmbeddingPurpose, Embeddings
from batuta.testing.vectors import vector_of
from tests.support.processes import say

BATCH = 8


class CountedVectors:
    """A model whose vectors follow from words."""

    provider = "test"
    dimensions = None
    batch_size = BATCH

    def __init__(self, name: str) -> None:
        self.name = name
        self.texts = 0

    async def embed(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> Embeddings:
        self.texts += len(texts)
        return Embeddings(vectors=tuple(map(vector_of, texts)), model=self.name)


class MortalVectors:
    """An index of vectors at whose every step its process may die, before and after."""

    def __init__(self, inner: VectorIndex, kill_at: int) -> None:
        self._inner = inner
        self._kill_at = kill_at
        self.passed = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return self._stepped(found) if name in ("unembedded", "add", "activate") else found

    def _stepped(self, call: Any) -> Any:
        async def run(*args: Any, **named: Any) -> Any:
            self._step()
            answer = await call(*args, **named)
            self._step()
            return answer

        return run

    def _step(self) -> None:
        self.passed += 1
        if self.passed == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


def opened_vectors(where: str) -> VectorIndex:
    """In a file, or at an address of PostgreSQL."""
    return PostgresVectorIndex(where) if where.startswith("postgresql://") else SqliteVectorIndex(where)


def catch_up(where: str, model: str, owner: str, kill_at: int) -> None:
    """Embed what is missing with this model, then answer from it."""
    asyncio.run(_catch_up(where, model, owner, kill_at))


async def _catch_up(where: str, name: str, owner: str, kill_at: int) -> None:
    model = CountedVectors(name)
    vectors: Any = MortalVectors(opened_vectors(where), kill_at)
    embedder = PassageEmbedder(vectors=vectors, model=model, model_of=lambda _: None, batch_passages=BATCH)
    is_complete = await embedder.catch_up([owner])
    await vectors.close()
    say(ended=True, is_complete=is_complete, texts=model.texts, steps=vectors.passed)
