"""From a model string to an embedding model: `embedding_model("openai:text-embedding-3-small")`.

A length may be asked for behind the name, where the model can be cut: `openai:text-embedding-3-large#1024`.
"""

from collections.abc import Sequence
from functools import cache

from batuta.llm.budget import Budget, BudgetLedger
from batuta.llm.embedding import EmbeddingModel
from batuta.llm.embedding_wrappers import BatchedEmbeddings, BudgetedEmbeddings, ResilientEmbeddings
from batuta.llm.factory import endpoint_of, shared_protection
from batuta.llm.google.embeddings import GoogleEmbeddings
from batuta.llm.openai.embeddings import OpenAIEmbeddings
from batuta.llm.prices import DEFAULT_PRICES, Prices
from batuta.llm.providers import PROVIDERS, check_embedding_model, parse_model
from batuta.llm.resilient import Protection


@cache
def named_embedding_model(name: str) -> EmbeddingModel:
    """The embedding model of a string, the same object each time. Raises as `embedding_model` does."""
    return embedding_model(name)


def embedding_model(
    name: str,
    *,
    api_key: str | None = None,
    base_url: str | None = None,
    prices: Prices = DEFAULT_PRICES,
    protection: Protection | None = None,
    ledger: BudgetLedger | None = None,
    budgets: Sequence[Budget] = (),
) -> EmbeddingModel:
    """The protected embedding model of a string; its calls count against `budgets`, which the `ledger` keeps.

    Raises `ConfigurationError` for a provider without embeddings or a missing key, `MissingExtraError` for its SDK.
    """
    bare = embedding_client(name, api_key=api_key, base_url=base_url, prices=prices)
    paid = bare if ledger is None else BudgetedEmbeddings(bare, ledger, budgets)
    return BatchedEmbeddings(ResilientEmbeddings(paid, protection or shared_protection()))


def embedding_client(
    name: str,
    *,
    api_key: str | None = None,
    base_url: str | None = None,
    prices: Prices = DEFAULT_PRICES,
) -> OpenAIEmbeddings | GoogleEmbeddings:
    """The bare client of a provider's embedding model. Raises as `embedding_model` does."""
    check_embedding_model(name)
    provider, written = parse_model(name)
    model_name, _, length = written.partition("#")
    dimensions = int(length) if length else None
    endpoint = endpoint_of(provider, api_key, base_url)
    known_as = "openai" if provider.startswith("openai-") else provider
    if PROVIDERS[provider].api == "google":
        return GoogleEmbeddings(model_name, endpoint, provider=known_as, prices=prices, dimensions=dimensions)
    return OpenAIEmbeddings(model_name, endpoint, provider=known_as, prices=prices, dimensions=dimensions)
