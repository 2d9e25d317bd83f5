"""Breakers, rate limits and budgets that several processes share: one contract on every store (F-47, F-72, F-73)."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator

import pytest

from batuta.eventstore.redis_limits import RedisBreakerState, RedisBudgetLedger, RedisCounters, RedisLimiterState
from batuta.eventstore.shared_limits import (
    DegradingBreakerState,
    DegradingBudgetLedger,
    DegradingLimiterState,
    SharedStateHealth,
)
from batuta.kernel.errors import BudgetExceededError
from batuta.kernel.ids import new_id
from batuta.llm.budget import Amount, Budget, MemoryBudgetLedger
from batuta.resilience.circuit_breaker import BreakerSettings, CircuitBreaker, MemoryBreakerState, Signal
from batuta.resilience.rate_limiter import MemoryLimiterState
from batuta.testing import FakeClock
from batuta.testing.shared_state import SLOW, Processes, SharedState, SharedStateContract
from tests.support.servers import RedisServer

PROCESSES, WORKERS, CALLS = 4, 5, 10

SPENDING = f"""
import asyncio, sys
from batuta.eventstore.redis_limits import RedisBudgetLedger, RedisCounters
from batuta.kernel.errors import BudgetExceededError
from batuta.llm.budget import Amount, Budget

async def worker(ledger, budget):
    spent = 0
    for _ in range({CALLS}):
        try:
            held = await ledger.reserve([budget], Amount(7))
        except BudgetExceededError:
            continue
        await asyncio.sleep(0.001)
        await ledger.settle(held, Amount(5))
        spent += 5
    return spent

async def main():
    counters = RedisCounters(sys.argv[1], answer_seconds=30)
    budget = Budget(scope="tenant", id=sys.argv[2], limit_tokens=500)
    ledger = RedisBudgetLedger(counters)
    print(sum(await asyncio.gather(*(worker(ledger, budget) for _ in range({WORKERS})))))
    await counters.close()

asyncio.run(main())
"""


def of(counters: RedisCounters) -> SharedState:
    return SharedState(
        breakers=RedisBreakerState(counters), limits=RedisLimiterState(counters), ledger=RedisBudgetLedger(counters)
    )


class TestMemory(SharedStateContract):
    @pytest.fixture
    async def processes(self) -> Processes:
        one = SharedState(breakers=MemoryBreakerState(), limits=MemoryLimiterState(), ledger=MemoryBudgetLedger())
        return one, one


class TestRedis(SharedStateContract):
    @pytest.fixture
    async def processes(self, redis_url: str) -> AsyncIterator[Processes]:
        first, second = RedisCounters(redis_url), RedisCounters(redis_url)
        yield of(first), of(second)
        await first.close()
        await second.close()


async def test_twenty_workers_in_four_processes_never_overspend(redis_url: str) -> None:
    """F-47: what all of them spent is what the ledger says, and no more than the budget."""
    tenant = new_id()
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", SPENDING, redis_url, tenant, stdout=asyncio.subprocess.PIPE
        )
        for _ in range(PROCESSES)
    ]
    spent = sum([int((await process.communicate())[0]) for process in started])
    counters = RedisCounters(redis_url)
    ledger, budget = RedisBudgetLedger(counters), Budget(scope="tenant", id=tenant, limit_tokens=500)
    assert (await ledger.spent(budget)).tokens == spent
    assert 490 <= spent <= 500
    with pytest.raises(BudgetExceededError):
        await ledger.reserve([budget], Amount(11))
    await counters.close()


async def test_without_its_store_a_process_counts_alone_and_says_so(
    private_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    """A dead store degrades to the local state, once per outage in the log; when it is back it counts again."""
    clock = FakeClock()
    health, counters = SharedStateHealth(clock), RedisCounters(private_redis.url(), answer_seconds=5)
    shared = of(counters)
    breaker = CircuitBreaker(
        BreakerSettings(failures_to_open=2), state=DegradingBreakerState(shared.breakers, health), clock=clock
    )
    limits = DegradingLimiterState(shared.limits, health, clock)
    ledger = DegradingBudgetLedger(shared.ledger, health)
    budget = Budget(scope="tenant", id="one", limit_tokens=10)
    held = await ledger.reserve([budget], Amount(4))
    private_redis.stop()
    with caplog.at_level(logging.WARNING, logger="batuta.shared_state"):
        await breaker.tell("model", Signal.FAILED)
        await breaker.tell("model", Signal.FAILED)
        assert [(await limits.take("tool", SLOW, 1.0, 0.0))[0] for _ in range(4)] == [True, True, True, False]
        alone = await ledger.reserve([budget], Amount(10))
        await ledger.settle(alone, Amount(1))
    assert await breaker.phase("model") == "open"
    assert health.reason is not None
    assert sum("by this process alone" in record.message for record in caplog.records) == 1
    private_redis.start()
    clock.advance(2)
    await ledger.settle(held, Amount(3))
    assert await ledger.spent(budget) == Amount(3)
    await counters.close()
