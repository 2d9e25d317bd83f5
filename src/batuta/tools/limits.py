"""How often and how many at once. Shared by all agents of a process, so that a tool's limit holds for all of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol
from weakref import WeakKeyDictionary

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.tools.policy import RateLimit
from batuta.tools.tool import Tool

MAX_BUCKETS = 10_000

_Slots = WeakKeyDictionary[Tool, asyncio.Semaphore]


class RateLimiter(Protocol):
    """Counts calls. In process by default; shared state comes from outside."""

    async def take(self, key: str, limit: RateLimit) -> float:
        """Take one call from the bucket of a key: 0.0 if there was one, else the seconds until there is."""
        ...


class LocalRateLimiter:
    """Token buckets in this process. The least used ones are forgotten when there are too many."""

    def __init__(self, clock: Clock = SYSTEM_CLOCK) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    async def take(self, key: str, limit: RateLimit) -> float:
        """Take one call if the bucket holds one."""
        now = self._clock.monotonic()
        seconds_per_call = limit.per.total_seconds() / limit.calls
        left, since = self._buckets.pop(key, (float(limit.calls), now))
        left = min(float(limit.calls), left + (now - since) / seconds_per_call)
        has_one = left >= 1
        self._buckets[key] = (left - 1 if has_one else left, now)
        if len(self._buckets) > MAX_BUCKETS:
            del self._buckets[next(iter(self._buckets))]
        return 0.0 if has_one else (1 - left) * seconds_per_call


class ConcurrencyGate:
    """Lets at most `max_concurrency` calls of a tool run at once, per event loop."""

    def __init__(self) -> None:
        self._slots: WeakKeyDictionary[asyncio.AbstractEventLoop, _Slots] = WeakKeyDictionary()

    @asynccontextmanager
    async def slot(self, tool: Tool, max_concurrency: int) -> AsyncIterator[None]:
        """Wait for a slot, at most as long as the tool itself may take. Raises `TimeoutError` if none came free."""
        semaphore = self._semaphore(tool, max_concurrency)
        if semaphore.locked():
            async with asyncio.timeout(tool.policy.limits.timeout.total_seconds()):
                await semaphore.acquire()
        else:
            await semaphore.acquire()
        try:
            yield
        finally:
            semaphore.release()

    def _semaphore(self, tool: Tool, max_concurrency: int) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        slots = self._slots.setdefault(loop, WeakKeyDictionary())
        if tool not in slots:
            slots[tool] = asyncio.Semaphore(max_concurrency)
        return slots[tool]
