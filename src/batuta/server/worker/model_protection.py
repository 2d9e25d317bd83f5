"""What protects the models of a process, as its profile says: attempts, a breaker, and a limit where one is set.

With a Redis all processes of a platform count failures and calls together; while it is away each counts alone.
"""

from batuta.eventstore.redis_limits import RedisBreakerState, RedisCounters, RedisLimiterState
from batuta.eventstore.shared_limits import DegradingBreakerState, DegradingLimiterState, SharedStateHealth
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
        self._counters: RedisCounters | None = None
        breakers: BreakerState | None = None
        limits: LimiterState = self._buckets
        if settings.redis_url is not None:
            self._counters = RedisCounters(settings.redis_url.get_secret_value())
            breakers = DegradingBreakerState(RedisBreakerState(self._counters), self.health)
            limits = DegradingLimiterState(RedisLimiterState(self._counters), self.health)
        self.protection = Protection(
            retry=exponential_backoff(max_attempts=settings.model_attempts),
            breaker=_breaker(settings, breakers),
            limiter=None if self._rate is None else RateLimiter(self._rate, state=limits),
        )

    async def close(self) -> None:
        """Disconnect from what processes share."""
        if self._counters is not None:
            await self._counters.close()

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
