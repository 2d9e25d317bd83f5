"""Budgets: reserved before, settled after, never overspent (F-47)."""

import asyncio
import random
from collections.abc import AsyncIterator
from decimal import Decimal

import pytest

from batuta.kernel.errors import (
    BudgetExceededError,
    ProviderRejectedError,
    ProviderTimeoutError,
    ProviderUnavailableError,
)
from batuta.kernel.messages import Answer, Delta
from batuta.kernel.usage import Amount, Usage
from batuta.llm.budget import Budget, MemoryBudgetLedger
from batuta.llm.budgeted import MAX_TOKENS_OF_A_BUDGETED_CALL, BudgetedModel
from batuta.llm.model import ModelRequest
from batuta.llm.prices import Price, Prices
from tests.unit.llm.doubles import PlayedModel, answer, request

PRICES = Prices(overrides={"test:m": Price(input=Decimal(1), output=Decimal(10))})
RUN = Budget(scope="run", id="1", limit_tokens=10_000, limit_money=Decimal("0.05"))
USED = Usage(input=100, output=200)


class Bench:
    def __init__(self, *lines: object, budgets: tuple[Budget, ...] = (RUN,), prices: Prices = PRICES) -> None:
        self.ledger = MemoryBudgetLedger()
        self.inner = PlayedModel(list(lines))  # type: ignore[arg-type]
        self.model = BudgetedModel(self.inner, self.ledger, budgets, prices=prices)

    async def spent(self) -> Amount:
        return await self.ledger.spent(RUN)


async def test_a_call_is_charged_what_it_took() -> None:
    bench = Bench(answer(usage=USED))
    await bench.model.generate(request(max_tokens=500))
    assert await bench.spent() == Amount(300, Decimal("0.0021"))


async def test_a_streamed_call_is_charged_the_same() -> None:
    bench = Bench(answer(usage=USED))
    async for _ in bench.model.stream(request(max_tokens=500)):
        pass
    assert await bench.spent() == Amount(300, Decimal("0.0021"))


async def test_ld11_a_call_whose_worst_case_does_not_fit_is_not_made() -> None:
    bench = Bench(answer(usage=USED))
    with pytest.raises(BudgetExceededError, match="run:1") as caught:
        await bench.model.generate(request(max_tokens=20_000))
    assert bench.inner.requests == []
    assert (caught.value.scope, caught.value.limit, caught.value.left) == ("run:1", "10000 tokens", "10000")


async def test_money_runs_out_too() -> None:
    bench = Bench(answer(usage=USED))
    with pytest.raises(BudgetExceededError, match="USD"):
        await bench.model.generate(request(max_tokens=5_000))


async def test_the_last_cent_may_be_spent() -> None:
    """A call whose worst case takes exactly what is left is made; one that needs the least bit more is not."""
    ledger = MemoryBudgetLedger()
    first = await ledger.reserve((RUN,), Amount(10, Decimal("0.02")))
    await ledger.settle(first, Amount(10, Decimal("0.02")))
    await ledger.reserve((RUN,), Amount(10, Decimal("0.03")))
    with pytest.raises(BudgetExceededError, match="USD") as caught:
        await ledger.reserve((RUN,), Amount(10, Decimal("0.000001")))
    assert caught.value.left == "0.00"


async def test_a_money_limit_with_an_unknown_price_refuses_and_says_how_to_set_one() -> None:
    bench = Bench(answer(usage=USED), prices=Prices())
    with pytest.raises(BudgetExceededError, match=r"Prices\(overrides=") as caught:
        await bench.model.generate(request(max_tokens=10))
    assert caught.value.needed == "unknown"
    assert bench.inner.requests == []


async def test_a_token_limit_alone_needs_no_price() -> None:
    tokens_only = Budget(scope="run", id="1", limit_tokens=10_000)
    bench = Bench(answer(usage=USED), budgets=(tokens_only,), prices=Prices())
    await bench.model.generate(request(max_tokens=10))
    assert (await bench.spent()).tokens == 300


async def test_all_scopes_are_charged_and_the_tightest_one_refuses() -> None:
    tenant = Budget(scope="tenant", id="acme", limit_tokens=700)
    bench = Bench(answer(usage=USED), answer(usage=USED), budgets=(RUN, tenant))
    await bench.model.generate(request(max_tokens=500))
    with pytest.raises(BudgetExceededError, match="tenant:acme"):
        await bench.model.generate(request(max_tokens=500))
    assert (await bench.ledger.spent(tenant)).tokens == (await bench.spent()).tokens == 300


async def test_a_refusal_in_one_scope_reserves_nothing_in_the_others() -> None:
    tenant = Budget(scope="tenant", id="acme", limit_tokens=10)
    bench = Bench(answer(usage=USED), budgets=(RUN, tenant))
    for _ in range(50):
        with pytest.raises(BudgetExceededError):
            await bench.model.generate(request(max_tokens=500))
    await bench.ledger.reserve((RUN,), Amount(10_000, Decimal(0)))


async def test_a_request_without_a_maximum_gets_one_so_that_it_has_a_worst_case() -> None:
    bench = Bench(answer(usage=USED))
    await bench.model.generate(request())
    assert bench.inner.requests[0].settings.max_tokens == MAX_TOKENS_OF_A_BUDGETED_CALL


@pytest.mark.parametrize(
    "error",
    [ProviderRejectedError("bad", status=400), ProviderUnavailableError("down", status=503)],
    ids=["rejected", "unavailable"],
)
async def test_a_call_that_the_provider_answered_with_an_error_costs_nothing(error: Exception) -> None:
    bench = Bench(error, error)
    with pytest.raises(type(error)):
        await bench.model.generate(request(max_tokens=500))
    with pytest.raises(type(error)):
        [item async for item in bench.model.stream(request(max_tokens=500))]
    assert await bench.spent() == Amount()


async def test_a_call_whose_end_nobody_knows_costs_its_worst_case() -> None:
    bench = Bench(ProviderTimeoutError("late"))
    with pytest.raises(ProviderTimeoutError):
        await bench.model.generate(request(max_tokens=500))
    assert (await bench.spent()).tokens >= 500


async def test_a_stream_left_early_costs_what_came() -> None:
    bench = Bench([Delta("text", "x" * 300), answer(usage=USED)])
    stream = bench.model.stream(request(max_tokens=5_00))
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    assert 100 <= (await bench.spent()).tokens < 200


async def test_a_stream_that_ends_in_an_error_status_after_some_text_costs_what_came() -> None:
    """An error status is free only if nothing was said before it: text that came was paid for."""
    bench = Bench([Delta("text", "x" * 300), ProviderUnavailableError("overloaded", status=529)])
    with pytest.raises(ProviderUnavailableError):
        [item async for item in bench.model.stream(request(max_tokens=500))]
    spent = await bench.spent()
    assert 100 <= spent.tokens < 200
    assert spent.money


async def test_settling_twice_counts_once() -> None:
    ledger = MemoryBudgetLedger()
    reservation = await ledger.reserve((RUN,), Amount(100, Decimal(0)))
    await ledger.settle(reservation, Amount(50, Decimal(0)))
    await ledger.settle(reservation, Amount(50, Decimal(0)))
    assert (await ledger.spent(RUN)).tokens == 50


async def test_an_unpriced_call_does_not_spoil_the_money_that_is_reserved() -> None:
    ledger = MemoryBudgetLedger()
    tokens_only = Budget(scope="run", id="1", limit_tokens=10_000)
    reservation = await ledger.reserve((tokens_only,), Amount(10, None))
    await ledger.settle(reservation, Amount(0, Decimal(0)))
    await ledger.reserve((RUN,), Amount(10, Decimal("0.01")))


class Spender:
    """Uses up a random part of what it may, after a random number of turns of the loop."""

    provider, name = "test", "m"

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.calls = 0

    async def generate(self, request: ModelRequest) -> Answer:
        self.calls += 1
        for _ in range(self._random.randrange(5)):
            await asyncio.sleep(0)
        output = self._random.randint(1, request.settings.max_tokens or 1)
        return answer(usage=Usage(input=5, output=output))

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        yield await self.generate(request)


@pytest.mark.parametrize("seed", range(20))
async def test_twenty_parallel_branches_with_one_budget_never_overspend(seed: int) -> None:
    """F-47: whatever the order, what is spent stays within both limits, and most of the budget can be used."""
    budget = Budget(scope="run", id="1", limit_tokens=20_000, limit_money=Decimal("0.15"))
    ledger, spender = MemoryBudgetLedger(), Spender(seed)
    model = BudgetedModel(spender, ledger, (budget,), prices=PRICES)

    async def branch() -> None:
        while True:
            try:
                await model.generate(request(max_tokens=400))
            except BudgetExceededError:
                return
            spent = await ledger.spent(budget)
            assert spent.tokens <= 20_000
            assert spent.money is not None
            assert spent.money <= Decimal("0.15")

    async with asyncio.TaskGroup() as group:
        for _ in range(20):
            group.create_task(branch())
    spent = await ledger.spent(budget)
    assert spent.money is not None
    assert spent.money > Decimal("0.13")


def underestimated(request: ModelRequest) -> int:
    """An estimator that takes every request for a short one."""
    return 1


@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
async def test_a_call_that_took_more_than_was_reserved_is_charged_in_full_and_is_the_last(is_streamed: bool) -> None:
    """F-47: an estimate can be too low; what was used is used, and the next call is refused, not made."""
    budget = Budget(scope="run", id="1", limit_tokens=1_000)
    ledger, inner = MemoryBudgetLedger(), PlayedModel([answer(usage=Usage(input=5_000, output=20))] * 2)
    model = BudgetedModel(inner, ledger, (budget,), prices=PRICES, estimate=underestimated)

    async def ask() -> object:
        small = request(max_tokens=100)
        return [item async for item in model.stream(small)] if is_streamed else await model.generate(small)

    await ask()
    assert (await ledger.spent(budget)).tokens == 5_020
    with pytest.raises(BudgetExceededError, match="only 0 are left") as refused:
        await ask()
    assert refused.value.needed == "101"
    assert len(inner.requests) == 1


async def test_parallel_branches_with_too_low_an_estimate_stop_with_the_calls_in_flight() -> None:
    """F-47: what is too much is what those in flight took beyond their estimate; nobody begins another call."""
    budget = Budget(scope="run", id="1", limit_tokens=4_500, limit_money=Decimal(1))
    ledger, spender = MemoryBudgetLedger(), Greedy()
    model = BudgetedModel(spender, ledger, (budget,), prices=PRICES, estimate=underestimated)

    async def branch() -> None:
        while (await ledger.spent(budget)).tokens < 1_000_000:
            await model.generate(request(max_tokens=400))

    outcomes = await asyncio.gather(*(branch() for _ in range(20)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [BudgetExceededError] * 20
    assert spender.calls == 4_500 // 401  # those that were reserved at the same time, and none after them
    assert await ledger.spent(budget) == Amount(spender.calls * 6_000, spender.calls * Decimal("0.0600"))


class Greedy(Spender):
    """Takes far more than anybody thought."""

    def __init__(self) -> None:
        super().__init__(1)

    async def generate(self, request: ModelRequest) -> Answer:
        self.calls += 1
        for _ in range(3):
            await asyncio.sleep(0)
        return answer(usage=Usage(input=0, output=6_000))
