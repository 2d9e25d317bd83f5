"""Breakers, rate limits and budgets that several processes share: one contract on every store (F-47, F-72, F-73)."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator

import pytest

from batuta.eventstore.postgres_limits import (
    PostgresBreakerState,
    PostgresBudgetLedger,
    PostgresCounters,
    PostgresLimiterState,
)
from batuta.eventstore.redis_limits import RedisBreakerState, RedisBudgetLedger, RedisCounters, RedisLimiterState
from batuta.eventstore.shared_limits import (
    DegradingBreakerState,
    DegradingBudgetLedger,
    DegradingLimiterState,
    SharedStateHealth,
)
from batuta.kernel.errors import BudgetExceededError
from batuta.kernel.ids import new_id
from batuta.kernel.usage import Amount
from batuta.llm.budget import Budget, MemoryBudgetLedger
from batuta.resilience.circuit_breaker import BreakerSettings, CircuitBreaker, MemoryBreakerState, Signal
from batuta.resilience.rate_limiter import MemoryLimiterState
from batuta.testing import FakeClock
from batuta.testing.shared_state import SLOW, Processes, SharedState, SharedStateContract
from tests.support.servers import RedisServer

PROCESSES, WORKERS, CALLS = 4, 5, 10

SPENDING = f"""
import asyncio, sys
from batuta.eventstore.postgres_limits import (
    PostgresBreakerState,
    PostgresBudgetLedger,
    PostgresCounters,
    PostgresLimiterState,
)
from batuta.eventstore.redis_limits import RedisBudgetLedger, RedisCounters
from batuta.kernel.errors import BudgetExceededError
from batuta.kernel.usage import Amount
from batuta.llm.budget import Budget

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
    is_redis = sys.argv[1].startswith("redis")
    counters = (RedisCounters if is_redis else PostgresCounters)(sys.argv[1], answer_seconds=60)
    budget = Budget(scope="tenant", id=sys.argv[2], limit_tokens=500)
    ledger = (RedisBudgetLedger if is_redis else PostgresBudgetLedger)(counters)
    print(sum(await asyncio.gather(*(worker(ledger, budget) for _ in range({WORKERS})))))
    await counters.close()

asyncio.run(main())
"""


OPENING = """
import asyncio, sys
from batuta.eventstore.postgres_limits import PostgresBreakerState, PostgresCounters
from batuta.eventstore.redis_limits import RedisBreakerState, RedisCounters
from batuta.resilience.circuit_breaker import CircuitBreaker, Signal

async def main():
    is_redis = sys.argv[1].startswith("redis")
    counters = (RedisCounters if is_redis else PostgresCounters)(sys.argv[1], answer_seconds=60)
    breaker = CircuitBreaker(state=(RedisBreakerState if is_redis else PostgresBreakerState)(counters))
    for _ in range(5):
        await breaker.tell("model", Signal.FAILED)
    await counters.close()

asyncio.run(main())
"""


def of(counters: RedisCounters | PostgresCounters) -> SharedState:
    if isinstance(counters, PostgresCounters):
        return SharedState(
            breakers=PostgresBreakerState(counters),
            limits=PostgresLimiterState(counters),
            ledger=PostgresBudgetLedger(counters),
        )
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


class TestPostgres(SharedStateContract):
    @pytest.fixture
    async def processes(self, log_url: str) -> AsyncIterator[Processes]:
        first, second = (PostgresCounters(log_url, answer_seconds=30) for _ in range(2))
        yield of(first), of(second)
        await first.close()
        await second.close()


@pytest.fixture(params=["redis", "postgres"])
async def counters(request: pytest.FixtureRequest) -> AsyncIterator[tuple[str, RedisCounters | PostgresCounters]]:
    """An address, and a process that counts there."""
    url = str(request.getfixturevalue("redis_url" if request.param == "redis" else "log_url"))
    kind = RedisCounters if request.param == "redis" else PostgresCounters
    opened = kind(url, answer_seconds=30)
    yield url, opened
    await opened.close()


async def test_is15_twenty_workers_in_four_processes_never_overspend(
    counters: tuple[str, RedisCounters | PostgresCounters],
) -> None:
    """F-47: what all of them spent is what the ledger says, and no more than the budget."""
    url, here = counters
    tenant = new_id()
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", SPENDING, url, tenant, stdout=asyncio.subprocess.PIPE
        )
        for _ in range(PROCESSES)
    ]
    spent = sum([int((await process.communicate())[0]) for process in started])
    ledger, budget = of(here).ledger, Budget(scope="tenant", id=tenant, limit_tokens=500)
    assert (await ledger.spent(budget)).tokens == spent
    assert 490 <= spent <= 500
    with pytest.raises(BudgetExceededError):
        await ledger.reserve([budget], Amount(11))


async def test_a_breaker_that_another_process_opened_is_open_here(
    counters: tuple[str, RedisCounters | PostgresCounters],
) -> None:
    """F-72: as soon as the other process has counted, with nothing kept here that has to run out first."""
    url, here = counters
    breaker = CircuitBreaker(state=of(here).breakers)
    assert await breaker.phase("model") == "closed"
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", OPENING, url)
    assert await other.wait() == 0
    assert await breaker.phase("model") == "open"


async def test_a_dead_postgresql_is_a_store_that_is_away() -> None:
    """A process goes on alone, and says so: the address leads nowhere."""
    health = SharedStateHealth()
    counters = PostgresCounters("postgresql://nobody@127.0.0.1:9/none", answer_seconds=5)
    ledger = DegradingBudgetLedger(PostgresBudgetLedger(counters), health)
    budget = Budget(scope="tenant", id="one", limit_tokens=10)
    await ledger.settle(await ledger.reserve([budget], Amount(10)), Amount(9))
    assert health.is_degraded
    with pytest.raises(BudgetExceededError):
        await ledger.reserve([budget], Amount(2))
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
