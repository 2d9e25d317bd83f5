"""Embedding models over real sockets: batches, retries, cost and budget like any model call (A-12)."""

import math
from collections.abc import AsyncIterator
from decimal import Decimal

import pytest

from batuta.kernel.errors import (
    BudgetExceededError,
    ConfigurationError,
    ProviderRejectedError,
    ProviderUnavailableError,
)
from batuta.llm.budget import Budget, MemoryBudgetLedger
from batuta.llm.embedding import Vector, space_of
from batuta.llm.embedding_factory import embedding_client, embedding_model
from batuta.llm.embedding_wrappers import BatchedEmbeddings, batches
from batuta.llm.google.embeddings import GoogleEmbeddings
from batuta.llm.openai.embeddings import OpenAIEmbeddings
from batuta.llm.resilient import Protection
from batuta.resilience.retry import fixed_delay
from batuta.simulator import Fault, Simulator
from batuta.simulator.answers import FaultKind
from batuta.simulator.embeddings import MAX_INPUTS
from batuta.testing.clock import FakeClock

MODELS = {"openai": "openai:text-embedding-3-small", "google": "google:gemini-embedding-001", "own": "ollama:bge-m3"}
FAULTS: tuple[FaultKind, ...] = ("overloaded", "rate_limited", "reset_mid_stream")
PATHS = {"openai": "/v1", "google": "", "own": "/v1"}


@pytest.fixture(params=MODELS)
def service(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def client(simulator: Simulator, service: str) -> AsyncIterator[OpenAIEmbeddings | GoogleEmbeddings]:
    async with embedding_client(
        f"{MODELS[service]}#64", api_key="any", base_url=simulator.url + PATHS[service]
    ) as opened:
        yield opened


def nearness(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


async def test_texts_that_say_the_same_lie_near_each_other(client: OpenAIEmbeddings | GoogleEmbeddings) -> None:
    texts = ["Hotels may cost up to 130 euros.", "What may a hotel cost?", "Pumps are oiled each spring."]
    hotel, question, pump = (await client.embed(texts, "passage")).vectors
    assert len(hotel) == 64
    assert nearness(hotel, question) > nearness(pump, question)


async def test_any_number_of_texts_is_sent_in_batches_and_comes_back_in_order(
    client: OpenAIEmbeddings | GoogleEmbeddings, simulator: Simulator
) -> None:
    texts = [f"Clause {number}." for number in range(2 * client.batch_size + 1)]
    whole = await BatchedEmbeddings(client).embed(texts, "passage")
    [alone] = (await client.embed(texts[-1:], "passage")).vectors
    assert len(whole.vectors) == len(texts)
    assert whole.vectors[-1] == alone
    assert len(simulator.requests) == 4
    assert all(exchange.status == 200 for exchange in simulator.requests)


async def test_a_call_is_tried_again_after_trouble(simulator: Simulator, service: str) -> None:
    clock = FakeClock()
    model = embedding_model(
        MODELS[service],
        api_key="any",
        base_url=simulator.url + PATHS[service],
        protection=Protection(retry=fixed_delay(max_attempts=3), breaker=None, clock=clock),
    )
    for kind in FAULTS:
        simulator.inject(Fault(kind=kind))
        assert len((await model.embed(["a text"], "question")).vectors) == 1
    simulator.inject(Fault(kind="overloaded", times=3))
    with pytest.raises(ProviderUnavailableError):
        await model.embed(["a text"], "question")


async def test_what_a_provider_refuses_is_not_tried_again(
    client: OpenAIEmbeddings | GoogleEmbeddings, simulator: Simulator
) -> None:
    with pytest.raises(ProviderRejectedError, match="empty text"):
        await client.embed([""], "passage")
    assert len(simulator.requests) == 1


@pytest.mark.parametrize(
    "data", [None, [], [{"index": 0}], [{"index": 0, "embedding": ["x"]}], [{"index": 0, "embedding": []}]]
)
async def test_an_answer_without_vectors_is_the_providers_failure(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch, data: object
) -> None:
    monkeypatch.setattr("batuta.simulator.embeddings.answer", lambda provider, body: {"data": data})
    async with embedding_client(MODELS["openai"], api_key="any", base_url=f"{simulator.url}/v1") as client:
        with pytest.raises(ProviderUnavailableError):
            await client.embed(["a text"], "passage")


async def test_cost_is_known_where_the_provider_counts(simulator: Simulator) -> None:
    async with embedding_client(MODELS["openai"], api_key="any", base_url=f"{simulator.url}/v1") as client:
        found = await client.embed(["x" * 4_000], "passage")
    assert found.usage is not None
    assert found.usage.input == 1_000
    assert found.cost == Decimal("0.02") / 1_000


async def test_google_is_told_what_a_text_is_for(simulator: Simulator) -> None:
    async with embedding_client(MODELS["google"], api_key="any", base_url=simulator.url) as client:
        passage = await client.embed(["a text"], "passage")
        await client.embed(["a text"], "question")
    asked = [exchange.body["requests"][0]["taskType"] for exchange in simulator.requests]
    assert asked == ["RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"]
    assert (passage.usage, passage.cost) == (None, None)


async def test_ld11_a_call_beyond_the_budget_is_not_made(simulator: Simulator) -> None:
    ledger, budget = MemoryBudgetLedger(), Budget(scope="user", id="ada", limit_tokens=1_200)
    model = embedding_model(
        MODELS["openai"], api_key="any", base_url=f"{simulator.url}/v1", ledger=ledger, budgets=[budget]
    )
    await model.embed(["word " * 600], "passage")
    assert (await ledger.spent(budget)).tokens == 750
    with pytest.raises(BudgetExceededError):
        await model.embed(["word " * 600], "passage")
    assert len(simulator.requests) == 1


@pytest.mark.parametrize("name", ["anthropic:claude-sonnet-4-6", "offline:batuta-offline"])
def test_a_provider_without_embeddings_is_refused_with_examples(name: str) -> None:
    with pytest.raises(ConfigurationError, match="text-embedding-3-small"):
        embedding_model(name)


@pytest.mark.parametrize("length", ["", "0", "many", "99999"])
def test_a_length_is_a_number(length: str) -> None:
    with pytest.raises(ConfigurationError, match="#"):
        embedding_client(f"openai:text-embedding-3-small#{length}", api_key="any")


def test_a_batch_ends_at_its_size_or_its_tokens() -> None:
    assert [len(batch) for batch in batches(["a"] * 7, 3)] == [3, 3, 1]
    assert [len(batch) for batch in batches(["word " * 60] * 4, 100, max_tokens=250)] == [2, 2]
    assert [len(text) for batch in batches(["x" * 9_000], 3) for text in batch] == [8_000]


def test_a_space_is_named_by_model_and_length() -> None:
    client = embedding_client("openai:text-embedding-3-small#512", api_key="any")
    assert (client.name, client.dimensions) == ("text-embedding-3-small", 512)
    assert space_of(client) == "openai:text-embedding-3-small#512"
    assert MAX_INPUTS["google"] >= GoogleEmbeddings.batch_size
