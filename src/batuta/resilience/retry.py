"""Trying again: a policy says whether and when, `retrying` does it.

    error -> policy.next_delay(...) -> None: raise it | seconds: tell the observer, sleep, call again

A provider that answers 429 is asked once more after its `Retry-After`; every other transient error follows the policy.
No wait is longer than `max_retry_after`: an answer that asks for more is final, and says so.
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal, Protocol, TypeVar

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import (
    BatutaError,
    CircuitOpenError,
    ConfigurationError,
    DeadlineExceededError,
    RateLimitedError,
)

T = TypeVar("T")

Strategy = Literal["exponential_backoff", "fixed_delay"]
Randomness = Callable[[], float]
"""A number in [0, 1), like `random.random`."""

MAX_RATE_LIMITED_RETRIES = 1
NOT_WORTH_REPEATING = (CircuitOpenError, DeadlineExceededError)


def is_retryable(error: BaseException) -> bool:
    """Whether the error's class says that trying again makes sense.

    An open breaker and a passed deadline are transient for the caller's caller; here a retry could only repeat them.
    """
    return isinstance(error, BatutaError) and error.retryable and not isinstance(error, NOT_WORTH_REPEATING)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often to try, and how long to wait in between. Made by `exponential_backoff` or `fixed_delay`."""

    strategy: Strategy
    max_attempts: int = 3
    first_delay: timedelta = timedelta(seconds=1)
    factor: float = 2.0
    max_delay: timedelta = timedelta(seconds=30)
    jitter: float = 0.15
    """Share of the delay by which it may differ, to either side."""
    max_retry_after: timedelta = timedelta(seconds=120)
    """The longest `Retry-After` that is waited for. Who asks for more has failed: a day is nothing to wait for here."""
    predicate: Callable[[BaseException], bool] = field(default=is_retryable)

    def __post_init__(self) -> None:
        """Refuse a policy that could not be followed."""
        if self.max_attempts < 1:
            raise ConfigurationError(
                f"max_attempts counts the first call too and is at least 1, got {self.max_attempts}"
            )
        if not 0 <= self.jitter < 1:
            raise ConfigurationError(f"jitter is a share of the delay in [0, 1), got {self.jitter}")
        if min(self.first_delay, self.max_delay, self.max_retry_after) < timedelta(0) or not self.factor >= 1:
            raise ConfigurationError("first_delay, max_delay and max_retry_after are not negative, factor not below 1")

    def delay_after(self, attempt: int) -> float:
        """Seconds to wait after the given attempt (the first is 1), without jitter."""
        grown: float = self.first_delay.total_seconds() * self.factor ** min(attempt - 1, 64)
        return min(grown, self.max_delay.total_seconds())

    def next_delay(self, error: BaseException, attempt: int, rate_limited: int, rand: Randomness) -> float | None:
        """Seconds until the next attempt, or `None` if there is to be none.

        `rate_limited` counts the 429 answers so far, this one included.
        """
        if not self.predicate(error) or attempt >= self.max_attempts or self.asks_too_much(error):
            return None
        if isinstance(error, RateLimitedError):
            return self._delay_of_rate_limit(error, attempt, rate_limited, rand)
        return max(self._jittered(self.delay_after(attempt), rand), _asked_seconds(error))

    def asks_too_much(self, error: BaseException) -> bool:
        """Whether a provider wants to be left alone for longer than the policy waits."""
        return _asked_seconds(error) > self.max_retry_after.total_seconds()

    def _delay_of_rate_limit(
        self, error: RateLimitedError, attempt: int, rate_limited: int, rand: Randomness
    ) -> float | None:
        if rate_limited > MAX_RATE_LIMITED_RETRIES:
            return None
        if error.retry_after is None:
            return self._jittered(self.delay_after(attempt), rand)
        # Never earlier than asked: a second refusal would end the call.
        return error.retry_after * (1 + self.jitter * rand())

    def _jittered(self, seconds: float, rand: Randomness) -> float:
        return seconds * (1 + self.jitter * (2 * rand() - 1))


def _asked_seconds(error: BaseException) -> float:
    return getattr(error, "retry_after", None) or 0.0


def exponential_backoff(**changes: Any) -> RetryPolicy:
    """3 attempts; 1 s, then twice as long each time, at most 30 s, ± 15 %. Keywords are the fields of the policy."""
    return RetryPolicy(strategy="exponential_backoff", **changes)


def fixed_delay(delay: timedelta = timedelta(seconds=1), **changes: Any) -> RetryPolicy:
    """The same delay between all attempts, ± 15 %."""
    return RetryPolicy(strategy="fixed_delay", first_delay=delay, max_delay=delay, factor=1.0, **changes)


NO_RETRY = RetryPolicy(strategy="fixed_delay", max_attempts=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """An attempt failed and another one follows."""

    attempt: int
    """The attempt that failed; the first is 1."""
    error: BaseException
    delay_seconds: float
    strategy: Strategy
    discards_deltas: bool = False
    """The attempt had begun to stream: what it sent so far does not belong to the answer."""


class OnRetry(Protocol):
    """Learns of every retry before its delay begins."""

    async def __call__(self, retry: Retry, /) -> None:
        """Take note."""
        ...


async def retrying(
    call: Callable[[], Awaitable[T]],
    policy: RetryPolicy,
    *,
    clock: Clock = SYSTEM_CLOCK,
    rand: Randomness = random.random,
    on_retry: OnRetry | None = None,
) -> T:
    """Call until it succeeds or the policy gives up; then the last error is raised as it is."""
    attempts = Attempts(policy, rand)
    while True:
        try:
            return await call()
        except Exception as error:
            retry = attempts.failed(error)
            if retry is None:
                raise
        if on_retry is not None:
            await on_retry(retry)
        await clock.sleep(retry.delay_seconds)


class Attempts:
    """Counts the attempts of one call, for those who cannot hand over a function to call (streams)."""

    def __init__(self, policy: RetryPolicy, rand: Randomness = random.random) -> None:
        self._policy = policy
        self._rand = rand
        self._failed = 0
        self._rate_limited = 0
        self.unsettled: Retry | None = None
        """The reported retry whose outcome is open."""

    @property
    def are_used_up(self) -> bool:
        """Whether the policy's attempts have all failed."""
        return self._failed >= self._policy.max_attempts

    def failed(self, error: BaseException, *, discards_deltas: bool = False) -> Retry | None:
        """Count a failure; what to do about it, or `None` to give up."""
        self._failed += 1
        self._rate_limited += isinstance(error, RateLimitedError)
        delay = self._policy.next_delay(error, self._failed, self._rate_limited, self._rand)
        if delay is None:
            self._explain(error)
            return None
        return Retry(
            attempt=self._failed,
            error=error,
            delay_seconds=delay,
            strategy=self._policy.strategy,
            discards_deltas=discards_deltas,
        )

    def _explain(self, error: BaseException) -> None:
        """Say why the wait was refused, and which setting decides it."""
        if not (self._policy.asks_too_much(error) and self._policy.predicate(error)):
            return
        most = self._policy.max_retry_after.total_seconds()
        why = f"it asks to wait {_asked_seconds(error):g} s, more than the {most:g} s of RetryPolicy.max_retry_after"
        if why not in str(error):
            error.args = (f"{error}; {why}",)
