"""The model that an agent calls is protected once and budgeted by its own prices."""

from decimal import Decimal

import pytest

from batuta import AgentStep, ModelSettings
from batuta.kernel.answers import Answer
from batuta.kernel.errors import ProviderUnavailableError, RateLimitedError
from batuta.llm.budget import Budget, MemoryBudgetLedger
from batuta.llm.factory import client
from batuta.llm.interceptors import AuditedModel, AuditRecord, EstimatedModel
from batuta.llm.model import ModelRequest
from batuta.llm.prices import Price, Prices
from batuta.llm.resilient import Protection, ResilientModel
from batuta.llm.wrapper import WrappedModel
from batuta.testing import FakeClock
from tests.unit.llm.doubles import PlayedModel, answer, request

PRICES = Prices(overrides={"test:m": Price(input=Decimal(1), output=Decimal(1))})


class Priced(WrappedModel):
    """A model that knows its prices, as the clients of providers do."""

    prices = PRICES

    async def generate(self, request: ModelRequest) -> Answer:
        return await self.inner.generate(request)


async def ignore(_: AuditRecord) -> None:
    """An audit that nobody reads."""


@pytest.mark.parametrize(
    ("error", "tries"),
    [(RateLimitedError("wait", retry_after=1.0), 2), (ProviderUnavailableError("down", status=503), 3)],
)
async def test_what_is_wrapped_around_a_protected_model_does_not_multiply_its_tries(
    error: Exception, tries: int
) -> None:
    """F-71, F-44: after a 429 one retry, interceptors or not, and the provider's own error comes out."""
    clock, played = FakeClock(), PlayedModel([error] * 9)
    audited = AuditedModel(ResilientModel(played, Protection(clock=clock)), ignore)
    result = await AgentStep(name="a", model=audited, output=str).run("hi", clock=clock)
    assert len(played.requests) == tries
    assert result.error.exception is error
    assert result.metrics.retries == tries - 1


async def test_a_budget_counts_with_the_prices_that_the_model_was_made_with() -> None:
    """F-47: the price that the refusal asks for is the one that is used."""
    ledger, budget = MemoryBudgetLedger(), Budget(scope="run", id="1", limit_money=Decimal("0.01"))
    model = AuditedModel(Priced(PlayedModel([answer("hello")])), ignore)
    agent = AgentStep(name="a", model=model, output=str, settings=ModelSettings(max_tokens=100))
    result = await agent.run("hi", budgets=[budget], ledger=ledger)
    assert result.unwrap() == "hello"
    spent = (await ledger.spent(budget)).money
    assert spent is not None
    assert 0 < spent <= Decimal("0.01")


async def test_an_estimate_counts_with_them_too() -> None:
    async def nothing(_: object) -> None:
        """Nobody asks."""

    estimated = EstimatedModel(Priced(PlayedModel([])), nothing)
    assert estimated.estimated(request(max_tokens=100)).max_cost is not None


def test_a_client_tells_its_prices() -> None:
    assert client("ollama:m", prices=PRICES).prices is PRICES
