"""Vectors by the Gemini API, whose requests say whether a text is a passage or a question."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from batuta.kernel.outgoing import outgoing_headers
from batuta.llm.client import EmbeddingClient
from batuta.llm.embedding import EMBEDDING_TIMEOUT, EmbeddingPurpose, Embeddings, checked_vectors
from batuta.llm.google.client import GoogleConnection

BATCH = 100
TASKS: Mapping[EmbeddingPurpose, str] = {"passage": "RETRIEVAL_DOCUMENT", "question": "RETRIEVAL_QUERY"}


class GoogleEmbeddings(EmbeddingClient, GoogleConnection):
    """An embedding model of the Gemini API. It does not say how many tokens it took: its cost is not known."""

    batch_size = BATCH

    async def embed(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> Embeddings:
        """See `EmbeddingModel`."""
        with self._translated():
            opened = await self._client()
            async with asyncio.timeout(EMBEDDING_TIMEOUT.total_seconds()):
                answer = await opened.sdk.aio.models.embed_content(
                    model=self.name, contents=self._contents(texts), config=self._config(purpose)
                )
            vectors = checked_vectors(
                [each.values or () for each in answer.embeddings or ()], len(texts), self.provider
            )
        return Embeddings(vectors=vectors, model=self.name)

    def _contents(self, texts: Sequence[str]) -> list[Any]:
        # Strings in a list may be taken for the parts of one text; contents never are.
        types = self._sdk.types
        return [types.Content(parts=[types.Part(text=text)]) for text in texts]

    def _config(self, purpose: EmbeddingPurpose) -> Any:
        carried = outgoing_headers()
        return self._sdk.types.EmbedContentConfig(
            task_type=TASKS[purpose],
            output_dimensionality=self._dimensions,
            http_options={"headers": carried} if carried else None,
        )
