"""Who wants to know what resilience does on the way: retries, breakers, limits.

The protections wrap models and tools and know no run; the run that makes a call says who listens, for as long as a
`with observing(observer):` lasts, through any number of wrappers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from batuta.resilience.circuit_breaker import BreakerChange
    from batuta.resilience.rate_limiter import Throttled
    from batuta.resilience.retry import Retry


class ResilienceObserver(Protocol):
    """Takes note; awaited before the call goes on."""

    async def retry_attempted(self, retry: "Retry") -> None:
        """An attempt failed and another one follows after a delay."""
        ...

    async def retry_settled(self, retry: "Retry", *, is_successful: bool) -> None:
        """What a retry came to. One that is cut off comes to nothing."""
        ...

    async def breaker_changed(self, change: "BreakerChange") -> None:
        """The call moved a circuit breaker to another phase."""
        ...

    async def limiter_throttled(self, throttled: "Throttled") -> None:
        """The call has to wait for a rate limiter, or is refused by it."""
        ...

    async def degraded(self, key: str, error: BaseException) -> None:
        """An overloaded provider outlasted the whole retry policy."""
        ...


_OBSERVER: ContextVar[ResilienceObserver | None] = ContextVar("batuta_resilience_observer", default=None)


@contextmanager
def observing(observer: ResilienceObserver) -> Iterator[None]:
    """Tell this observer of everything that happens to the calls made within."""
    token = _OBSERVER.set(observer)
    try:
        yield
    finally:
        _OBSERVER.reset(token)


def current_observer() -> ResilienceObserver | None:
    """The observer of the current call, if there is one."""
    return _OBSERVER.get()
