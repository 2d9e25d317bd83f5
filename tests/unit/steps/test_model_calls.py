"""The model that an agent calls is protected once and budgeted by its own prices."""

from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from batuta import AgentStep, ModelSettings
from batuta.kernel.errors import ProviderUnavailableError, RateLimitedError
from batuta.kernel.messages import Answer, Delta
from batuta.llm.budget import Budget, MemoryBudgetLedger
from batuta.llm.factory import client
from batuta.llm.interceptors import AuditedModel, AuditRecord, EstimatedModel
from batuta.llm.model import ModelRequest
from batuta.llm.prices import Price, Prices
from batuta.llm.resilient import Protection, ResilientModel
from batuta.llm.wrapper import WrappedModel
from batuta.resilience.circuit_breaker import CircuitBreaker
from batuta.resilience.retry import fixed_delay
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


class Counting(WrappedModel):
    """An interceptor with a state of its own."""

    calls = 0

    async def generate(self, request: ModelRequest) -> Answer:
        self.calls += 1
        return await self.inner.generate(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        self.calls += 1
        async for item in self.inner.stream(request):
            yield item


@pytest.mark.parametrize("is_streaming", [False, True])
@pytest.mark.parametrize("is_budgeted", [False, True])
async def test_the_protection_of_a_run_reaches_a_model_inside_its_interceptors(
    is_streaming: bool, is_budgeted: bool
) -> None:
    """F-44, F-71: what the run asks for goes before what the model was made with, wrapped or not."""
    own, clock = FakeClock(), FakeClock()
    played = PlayedModel([ProviderUnavailableError("down", status=503)] * 9)
    counting = Counting(ResilientModel(played, Protection(clock=own)))
    of_the_run = Protection(retry=fixed_delay(timedelta(seconds=7), max_attempts=5, jitter=0), clock=clock)
    agent = AgentStep(name="a", model=AuditedModel(counting, ignore), output=str, is_streaming=is_streaming)
    options: Any = {"budgets": [Budget(scope="run", id="1", limit_tokens=99_999)]} if is_budgeted else {}
    result = await agent.run("hi", protection=of_the_run, **options)
    assert len(played.requests) == 5
    assert clock.sleeps == [7.0] * 4
    assert not own.sleeps
    assert result.metrics.retries == 4
    assert counting.calls == 1
    assert of_the_run.breaker is not None
    assert await of_the_run.breaker.phase("test:m") == "open"


@pytest.mark.parametrize("is_streaming", [False, True])
@pytest.mark.parametrize("is_of_the_run", [False, True])
async def test_a_breaker_without_a_clock_goes_by_that_of_the_run(is_streaming: bool, is_of_the_run: bool) -> None:
    """F-71: opened by one run, it lets a trial through once a minute has passed by the clock of the next."""
    clock, protection = FakeClock(), Protection(retry=fixed_delay(max_attempts=2))
    played = PlayedModel([*[ProviderUnavailableError("down", status=503)] * 2, answer("yes")])
    model = ResilientModel(played, None if is_of_the_run else protection)
    options: Any = {"protection": protection, "clock": clock} if is_of_the_run else {"clock": clock}
    agent = AgentStep(name="a", model=model, output=str, is_streaming=is_streaming)
    assert (await agent.run("hi", **options)).is_error
    clock.advance(59)
    assert (await agent.run("hi", **options)).error.code == "CIRCUIT_OPEN"
    clock.advance(2)
    assert (await agent.run("hi", **options)).unwrap() == "yes"


async def test_a_breaker_with_a_clock_keeps_it() -> None:
    own, clock = FakeClock(), FakeClock()
    protection = Protection(retry=fixed_delay(max_attempts=2), breaker=CircuitBreaker(clock=own))
    played = PlayedModel([*[ProviderUnavailableError("down", status=503)] * 2, answer("yes")])
    agent = AgentStep(name="a", model=ResilientModel(played, protection), output=str)
    assert (await agent.run("hi", clock=clock)).is_error
    clock.advance(61)
    assert (await agent.run("hi", clock=clock)).error.code == "CIRCUIT_OPEN"
    own.advance(61)
    assert (await agent.run("hi", clock=clock)).unwrap() == "yes"


async def test_a_protection_is_imposed_on_the_calls_of_its_run_alone() -> None:
    own, clock = FakeClock(), FakeClock()
    played = PlayedModel([*[ProviderUnavailableError("down")] * 3, answer("yes")])
    model = ResilientModel(played, Protection(clock=own, breaker=None))
    agent = AgentStep(name="a", model=AuditedModel(model, ignore), output=str)
    twice = Protection(retry=fixed_delay(max_attempts=2), breaker=None, clock=clock)
    assert (await agent.run("hi", protection=twice)).is_error
    assert (await model.generate(request())).text == "yes"
    assert (len(clock.sleeps), len(own.sleeps)) == (1, 1)


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
