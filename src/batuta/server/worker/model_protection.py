"""What protects the models of a process, as its profile says: attempts, a breaker, and a limit where one is set."""

from batuta.llm.resilient import Protection
from batuta.resilience.circuit_breaker import BreakerSettings, CircuitBreaker
from batuta.resilience.rate_limiter import MemoryLimiterState, Rate, RateLimiter
from batuta.resilience.retry import exponential_backoff
from batuta.server.config import Settings


class ModelProtection:
    """The protection of every model that a turn asks, and how much its limits leave."""

    def __init__(self, settings: Settings) -> None:
        self._rate = _rate(settings)
        self._buckets = MemoryLimiterState()
        self.protection = Protection(
            retry=exponential_backoff(max_attempts=settings.model_attempts),
            breaker=_breaker(settings),
            limiter=None if self._rate is None else RateLimiter(self._rate, state=self._buckets),
        )

    def limits(self) -> dict[str, float]:
        """Calls that may be made at once, by model; nothing where nothing is limited."""
        return {} if self._rate is None else self._buckets.levels(self._rate)


def _breaker(settings: Settings) -> CircuitBreaker | None:
    if not settings.is_breaker_enabled:
        return None
    return CircuitBreaker(BreakerSettings(failures_to_open=settings.breaker_threshold))


def _rate(settings: Settings) -> Rate | None:
    if settings.model_calls_per_second is None:
        return None
    return Rate(tokens=settings.model_calls_burst, per_second=settings.model_calls_per_second)
