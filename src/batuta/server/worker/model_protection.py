"""What protects the models of a process, as its profile says: attempts, a breaker, and limits where some are set.

All processes of a platform count failures and calls together, in Redis if there is one, else in PostgreSQL; budgets
always in PostgreSQL, because a flush must not forget them. While a store is away each process counts alone.
"""

from batuta.eventstore.postgres_limits import (
    PostgresBreakerState,
    PostgresBudgetLedger,
    PostgresCounters,
    PostgresLimiterState,
)
from batuta.eventstore.redis_limits import RedisBreakerState, RedisCounters, RedisLimiterState
from batuta.eventstore.shared_limits import (
    DegradingBreakerState,
    DegradingBudgetLedger,
    DegradingLimiterState,
    SharedStateHealth,
)
from batuta.llm.budget import BudgetLedger, MemoryBudgetLedger
from batuta.llm.resilient import Protection
from batuta.resilience.circuit_breaker import BreakerSettings, BreakerState, CircuitBreaker
from batuta.resilience.rate_limiter import LimiterState, MemoryLimiterState, Rate, RateLimiter
from batuta.resilience.retry import exponential_backoff
from batuta.server.config import Settings


class ModelProtection:
    """The protection of every model that a turn asks, and how much its limits leave."""

    def __init__(self, settings: Settings) -> None:
        self._rate = _rate(settings)
        self._buckets = MemoryLimiterState()
        self.health = SharedStateHealth()
        """Whether the processes count together."""
        self.budget_health = SharedStateHealth()
        """Whether they count what was spent together."""
        self.ledger: BudgetLedger = MemoryBudgetLedger()
        """Where the budgets of people and workspaces are kept."""
        self._counters: list[RedisCounters | PostgresCounters] = []
        breakers: BreakerState | None = None
        limits: LimiterState = self._buckets
        if settings.database_url is not None:
            rows = PostgresCounters(settings.database_url.get_secret_value())
            self._counters.append(rows)
            self.ledger = DegradingBudgetLedger(PostgresBudgetLedger(rows), self.budget_health)
            breakers = DegradingBreakerState(PostgresBreakerState(rows), self.health)
            limits = DegradingLimiterState(PostgresLimiterState(rows), self.health)
        if settings.redis_url is not None:
            counters = RedisCounters(settings.redis_url.get_secret_value())
            self._counters.append(counters)
            breakers = DegradingBreakerState(RedisBreakerState(counters), self.health)
            limits = DegradingLimiterState(RedisLimiterState(counters), self.health)
        self.protection = Protection(
            retry=exponential_backoff(max_attempts=settings.model_attempts),
            breaker=_breaker(settings, breakers),
            limiter=None if self._rate is None else RateLimiter(self._rate, state=limits),
        )

    async def close(self) -> None:
        """Disconnect from what processes share."""
        for counters in self._counters:
            await counters.close()

    def limits(self) -> dict[str, float]:
        """Calls that may be made at once, by model, as this process counts; nothing where nothing is limited."""
        return {} if self._rate is None else self._buckets.levels(self._rate)


def _breaker(settings: Settings, state: BreakerState | None) -> CircuitBreaker | None:
    if not settings.is_breaker_enabled:
        return None
    return CircuitBreaker(BreakerSettings(failures_to_open=settings.breaker_threshold), state=state)


def _rate(settings: Settings) -> Rate | None:
    if settings.model_calls_per_second is None:
        return None
    return Rate(tokens=settings.model_calls_burst, per_second=settings.model_calls_per_second)
