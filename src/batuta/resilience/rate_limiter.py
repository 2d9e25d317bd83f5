"""A token bucket per key: callers wait for their token, or are refused.

A bucket may run into debt: who has to wait takes the token at once and sleeps until it is there. So those who wait
are served in the order in which they came, and one number per key is all that processes need to share.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import ConfigurationError, RateLimitedError

MAX_IDLE_KEYS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How many tokens a full bucket holds, and how many come back per second."""

    tokens: float = 10.0
    per_second: float = 10.0

    def __post_init__(self) -> None:
        """Refuse a bucket nothing could be taken from."""
        if self.tokens < 1 or self.per_second <= 0:
            raise ConfigurationError(
                f"a bucket holds at least one token and refills, got tokens={self.tokens}, per_second={self.per_second}"
            )


@dataclass(frozen=True, slots=True)
class Bucket:
    """Tokens that were there at a moment; negative when some are owed."""

    tokens: float
    at: float


def refilled(bucket: Bucket, rate: Rate, now: float) -> Bucket:
    """The bucket as it is now. A clock that was set back adds nothing."""
    gained = max(now - bucket.at, 0.0) * rate.per_second
    return Bucket(min(bucket.tokens + gained, rate.tokens), now)


def taken(bucket: Bucket, rate: Rate, tokens: float) -> tuple[Bucket, float]:
    """The bucket without the tokens, and the seconds until they are really there."""
    left = bucket.tokens - tokens
    return Bucket(left, bucket.at), max(-left, 0.0) / rate.per_second


class LimiterState(Protocol):
    """Where the buckets are kept: in process by default, shared when several processes have one limit.

    Both calls are atomic. Raises `StoreUnavailableError`.
    """

    async def take(self, key: str, rate: Rate, tokens: float, max_wait: float) -> tuple[bool, float]:
        """Take tokens; whether they were taken, and the seconds to wait. Beyond `max_wait` nothing is taken."""
        ...

    async def give_back(self, key: str, rate: Rate, tokens: float) -> None:
        """Return tokens that were taken and not used."""
        ...


class MemoryLimiterState:
    """Keeps the buckets of this process; full ones are forgotten when there are many."""

    def __init__(self, clock: Clock = SYSTEM_CLOCK) -> None:
        self._clock = clock
        self._buckets: dict[str, Bucket] = {}

    async def take(self, key: str, rate: Rate, tokens: float, max_wait: float) -> tuple[bool, float]:
        """Take tokens if they come soon enough."""
        following, wait = taken(self._bucket(key, rate), rate, tokens)
        if wait > max_wait:
            return False, wait
        self._keep(key, following)
        return True, wait

    async def give_back(self, key: str, rate: Rate, tokens: float) -> None:
        """Return tokens."""
        bucket = self._bucket(key, rate)
        self._keep(key, Bucket(min(bucket.tokens + tokens, rate.tokens), bucket.at))

    def levels(self, rate: Rate) -> dict[str, float]:
        """The tokens of every bucket that was used, as they are now; negative where some are owed."""
        return {key: self._bucket(key, rate).tokens for key in self._buckets}

    def _bucket(self, key: str, rate: Rate) -> Bucket:
        now = self._clock.monotonic()
        known = self._buckets.get(key)
        return Bucket(rate.tokens, now) if known is None else refilled(known, rate, now)

    def _keep(self, key: str, bucket: Bucket) -> None:
        # The one that was used longest ago goes first: it has had the most time to fill up again.
        self._buckets.pop(key, None)
        self._buckets[key] = bucket
        while len(self._buckets) > MAX_IDLE_KEYS and self._buckets[oldest := next(iter(self._buckets))].tokens >= 0:
            del self._buckets[oldest]


@dataclass(frozen=True, slots=True)
class Throttled:
    """A limiter delayed or refused a call."""

    key: str
    wait_seconds: float
    refused: bool


OnThrottle = Callable[[Throttled], None]


class RateLimiter:
    """Gives out tokens by key: a provider, a tool, an agent, a user.

    A caller waits at most `max_wait` (zero refuses at once).
    """

    def __init__(
        self,
        rate: Rate | None = None,
        *,
        max_wait: timedelta = timedelta(seconds=60),
        state: LimiterState | None = None,
        clock: Clock = SYSTEM_CLOCK,
        on_throttle: OnThrottle | None = None,
    ) -> None:
        if max_wait < timedelta(0):
            raise ConfigurationError(f"max_wait is zero, which refuses at once, or a time to wait; got {max_wait}")
        self._rate = rate or Rate()
        self._max_wait = max_wait.total_seconds()
        self._state = state or MemoryLimiterState(clock)
        self._clock = clock
        self._on_throttle = on_throttle

    async def acquire(self, key: str, tokens: float = 1.0) -> None:
        """Take tokens, waiting for them if that is allowed. Raises `RateLimitedError` (`retry_after`)."""
        throttled = await self.reserve(key, tokens)
        if throttled is not None:
            await self.settle(throttled, tokens)

    async def reserve(self, key: str, tokens: float = 1.0) -> Throttled | None:
        """The first half of `acquire`: how the caller is throttled, or `None` if the tokens are there.

        A caller who gets an answer must go on to `settle`.
        """
        if tokens > self._rate.tokens:
            raise ConfigurationError(f"{tokens} tokens never fit into a bucket of {self._rate.tokens} ({key})")
        is_taken, wait = await self._state.take(key, self._rate, tokens, self._max_wait)
        if is_taken and wait <= 0:
            return None
        throttled = Throttled(key, wait, refused=not is_taken)
        if self._on_throttle is not None:
            self._on_throttle(throttled)
        return throttled

    async def settle(self, throttled: Throttled, tokens: float = 1.0) -> None:
        """The second half: wait, or raise. A caller that stops waiting gives the tokens back."""
        if throttled.refused:
            raise RateLimitedError(
                f"the limit of {self._rate.per_second:g} per second for {throttled.key} is reached; "
                f"the next call would wait {throttled.wait_seconds:.1f} s",
                retry_after=throttled.wait_seconds,
            )
        try:
            await self._clock.sleep(throttled.wait_seconds)
        except BaseException:
            await self._state.give_back(throttled.key, self._rate, tokens)
            raise
