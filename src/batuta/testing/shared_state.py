"""The conformance suite of state that several processes share: breakers, rate limits, budgets. Needs pytest.

class TestMyState(SharedStateContract):
    @pytest.fixture
    async def processes(self) -> AsyncIterator[tuple[SharedState, SharedState]]: ...
"""

import asyncio
from dataclasses import dataclass
from decimal import Decimal

import pytest

from batuta.kernel.errors import BudgetExceededError
from batuta.kernel.ids import new_id
from batuta.kernel.usage import Amount
from batuta.llm.budget import Budget, BudgetLedger
from batuta.resilience.circuit_breaker import (
    CLOSED,
    BreakerRecord,
    BreakerSettings,
    BreakerState,
    CircuitBreaker,
    Signal,
)
from batuta.resilience.rate_limiter import LimiterState, Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedState:
    """The state as one process sees it."""

    breakers: BreakerState
    limits: LimiterState
    ledger: BudgetLedger


Processes = tuple[SharedState, SharedState]
SLOW = Rate(tokens=3, per_second=0.001)
"""A bucket that does not fill up again while a test runs."""


class SharedStateContract:
    """All of it. Subclass it with a fixture `processes`: the same state, as two processes open it."""

    async def test_an_unknown_breaker_is_closed(self, processes: Processes) -> None:
        """F-72."""
        assert await processes[0].breakers.read(new_id()) == CLOSED

    async def test_of_two_writers_that_saw_the_same_one_succeeds(self, processes: Processes) -> None:
        """F-72: a failure is not lost because two processes counted it at once."""
        key, first, second = new_id(), BreakerRecord(failures=1), BreakerRecord(failures=2)
        assert await processes[0].breakers.replace(key, CLOSED, first)
        assert not await processes[1].breakers.replace(key, CLOSED, second)
        assert await processes[1].breakers.read(key) == first
        assert await processes[1].breakers.replace(key, first, CLOSED)
        assert await processes[0].breakers.read(key) == CLOSED

    async def test_a_breaker_opened_in_one_process_is_open_in_the_other(self, processes: Processes) -> None:
        """F-72: at once, not only within a second."""
        key, settings = new_id(), BreakerSettings(failures_to_open=4)
        breakers = [CircuitBreaker(settings, state=one.breakers) for one in processes]
        for number in range(4):
            await breakers[number % 2].tell(key, Signal.FAILED)
        assert [await breaker.phase(key) for breaker in breakers] == ["open", "open"]

    async def test_failures_counted_at_once_are_all_counted(self, processes: Processes) -> None:
        """F-72: twenty at the same time are twenty."""
        key, settings = new_id(), BreakerSettings(failures_to_open=100)
        breakers = [CircuitBreaker(settings, state=one.breakers) for one in processes]
        await asyncio.gather(*(breakers[number % 2].tell(key, Signal.FAILED) for number in range(20)))
        assert (await processes[0].breakers.read(key)).failures == 20

    async def test_processes_take_from_one_bucket(self, processes: Processes) -> None:
        """F-73: three tokens are three in all processes together."""
        key = new_id()
        taken = [await processes[number % 2].limits.take(key, SLOW, 1.0, 0.0) for number in range(5)]
        assert [is_taken for is_taken, _ in taken] == [True, True, True, False, False]
        assert taken[3][1] > 100

    async def test_who_may_wait_runs_into_debt(self, processes: Processes) -> None:
        """F-73: those who wait are served in the order in which they came."""
        key, rate = new_id(), Rate(tokens=1, per_second=0.5)
        waits = [(await processes[number % 2].limits.take(key, rate, 1.0, 60.0))[1] for number in range(3)]
        assert waits[0] == 0
        assert 1 < waits[1] < waits[2] <= 4

    async def test_tokens_that_are_given_back_can_be_taken(self, processes: Processes) -> None:
        """F-73."""
        key = new_id()
        for _ in range(3):
            await processes[0].limits.take(key, SLOW, 1.0, 0.0)
        await processes[1].limits.give_back(key, SLOW, 1.0)
        assert (await processes[0].limits.take(key, SLOW, 1.0, 0.0))[0]
        assert not (await processes[0].limits.take(key, SLOW, 1.0, 0.0))[0]

    async def test_a_reservation_counts_in_every_process(self, processes: Processes) -> None:
        """F-47."""
        budget = Budget(scope="tenant", id=new_id(), limit_tokens=100)
        held = await processes[0].ledger.reserve([budget], Amount(80))
        with pytest.raises(BudgetExceededError, match="only 20 are left"):
            await processes[1].ledger.reserve([budget], Amount(30))
        await processes[1].ledger.settle(held, Amount(10))
        assert await processes[0].ledger.spent(budget) == Amount(10)
        await processes[0].ledger.reserve([budget], Amount(90))

    async def test_settling_twice_changes_nothing(self, processes: Processes) -> None:
        """F-47: an answer of the store may get lost, and be asked for again."""
        budget = Budget(scope="user", id=new_id(), limit_money=Decimal(1))
        held = await processes[0].ledger.reserve([budget], Amount(5, Decimal("0.5")))
        for process in processes:
            await process.ledger.settle(held, Amount(3, Decimal("0.000061")))
        assert await processes[0].ledger.spent(budget) == Amount(3, Decimal("0.000061"))

    async def test_a_reservation_counts_everywhere_or_nowhere(self, processes: Processes) -> None:
        """F-47: what does not fit into one budget is held back in none."""
        wide = Budget(scope="tenant", id=new_id(), limit_tokens=1_000)
        tight = Budget(scope="run", id=new_id(), limit_tokens=10)
        with pytest.raises(BudgetExceededError, match="run:"):
            await processes[0].ledger.reserve([wide, tight], Amount(11))
        await processes[1].ledger.reserve([wide], Amount(1_000))

    async def test_an_unknown_price_is_refused_where_money_is_limited(self, processes: Processes) -> None:
        """F-47."""
        budget = Budget(scope="session", id=new_id(), limit_money=Decimal(5))
        with pytest.raises(BudgetExceededError, match="price of this model is unknown"):
            await processes[0].ledger.reserve([budget], Amount(1, None))

    async def test_many_at_once_never_overspend(self, processes: Processes) -> None:
        """F-47: fifty calls of ten tokens, of which ten fit."""
        budget = Budget(scope="tenant", id=new_id(), limit_tokens=100)

        async def call(number: int) -> int:
            ledger = processes[number % 2].ledger
            try:
                held = await ledger.reserve([budget], Amount(10))
            except BudgetExceededError:
                return 0
            await asyncio.sleep(0)
            await ledger.settle(held, Amount(10))
            return 10

        assert sum(await asyncio.gather(*(call(number) for number in range(50)))) == 100
        assert (await processes[0].ledger.spent(budget)).tokens == 100
