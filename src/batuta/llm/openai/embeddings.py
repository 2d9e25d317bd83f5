"""Vectors by OpenAI's API for embeddings: OpenAI's own models and those of every compatible endpoint."""

from collections.abc import Sequence
from typing import Any

from batuta.kernel.errors import MalformedAnswerError
from batuta.kernel.usage import Usage
from batuta.llm.client import EmbeddingClient, read_json
from batuta.llm.embedding import EMBEDDING_TIMEOUT, EmbeddingPurpose, Embeddings, checked_vectors
from batuta.llm.openai.client import OpenAIConnection

BATCH = 256
SMALL_BATCH = 32
"""For servers of one's own, which hold a whole batch in memory."""
OWN_SERVERS = frozenset({"ollama", "vllm", "lmstudio"})


class OpenAIEmbeddings(EmbeddingClient, OpenAIConnection):
    """An embedding model behind OpenAI's SDK."""

    dialect = "openai_chat"

    @property
    def batch_size(self) -> int:
        """See `EmbeddingModel`."""
        return SMALL_BATCH if self.provider in OWN_SERVERS else BATCH

    async def embed(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> Embeddings:
        """See `EmbeddingModel`. These models take no purpose."""
        with self._translated():
            answer = await self._send({"model": self.name, "input": list(texts), "encoding_format": "float"})
            vectors = checked_vectors(_in_order(answer, self.provider), len(texts), self.provider)
        usage = _usage(answer)
        cost = None if usage is None else self.prices.cost(self.provider, self.name, usage)
        return Embeddings(vectors=vectors, model=str(answer.get("model") or self.name), usage=usage, cost=cost)

    async def _send(self, body: dict[str, Any]) -> Any:
        if self._dimensions is not None:
            body["dimensions"] = self._dimensions
        response = await self._post("/embeddings", body, seconds=EMBEDDING_TIMEOUT.total_seconds())
        answer = read_json(self.provider, response.content)
        if not isinstance(answer, dict):
            raise MalformedAnswerError("the answer is no object", provider=self.provider)
        return answer


def _in_order(answer: dict[str, Any], provider: str) -> list[Any]:
    try:
        rows = sorted(answer["data"], key=lambda row: row["index"])
        return [row["embedding"] for row in rows]
    except (KeyError, TypeError) as error:
        raise MalformedAnswerError(f"the answer holds no vectors: {error!r}", provider=provider) from error


def _usage(answer: dict[str, Any]) -> Usage | None:
    said = answer.get("usage")
    tokens = said.get("prompt_tokens") if isinstance(said, dict) else None
    return Usage(input=tokens) if isinstance(tokens, int) and tokens >= 0 else None
