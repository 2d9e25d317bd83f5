"""How often, how many at once, and whether the other side is well enough to be asked.

Shared by all agents of a process, so that a tool's limits hold for all of them together.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TypeVar
from weakref import WeakKeyDictionary

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.resilience.circuit_breaker import CircuitBreaker, Signal, signal_of
from batuta.resilience.observer import current_observer
from batuta.resilience.rate_limiter import LimiterState, MemoryLimiterState, Rate, Throttled
from batuta.tools.tool import Tool

MAX_WAIT = timedelta(seconds=1)
"""A call waits this long for its turn; beyond that it is refused, and its model can do something else meanwhile."""

T = TypeVar("T")
_Slots = WeakKeyDictionary[Tool, asyncio.Semaphore]


class ToolLimits:
    """The limits that tools declare, and a circuit breaker for each one that asks an outside system."""

    def __init__(
        self, *, state: LimiterState | None = None, breaker: CircuitBreaker | None = None, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self._state = state or MemoryLimiterState(clock)
        self._breaker = breaker or CircuitBreaker(clock=clock)
        self._clock = clock
        self._slots: WeakKeyDictionary[asyncio.AbstractEventLoop, _Slots] = WeakKeyDictionary()

    async def take(self, tool: Tool, user_id: str | None) -> float:
        """Count one call of a user, waiting up to `MAX_WAIT`: 0.0 if it may run now, else the seconds until it may."""
        limit = tool.policy.limits.rate
        if limit is None:
            return 0.0
        key = f"tool:{tool.name}:{user_id or '-'}"
        rate = Rate(tokens=limit.calls, per_second=limit.calls / limit.per.total_seconds())
        is_taken, wait_seconds = await self._state.take(key, rate, 1.0, MAX_WAIT.total_seconds())
        if wait_seconds > 0 and (observer := current_observer()) is not None:
            await observer.limiter_throttled(Throttled(key, wait_seconds, refused=not is_taken))
        if not is_taken:
            return wait_seconds
        if wait_seconds > 0:
            try:
                await self._clock.sleep(wait_seconds)
            except BaseException:
                await self._state.give_back(key, rate, 1.0)
                raise
        return 0.0

    @asynccontextmanager
    async def slot(self, tool: Tool) -> AsyncIterator[None]:
        """Wait for a slot, at most as long as the tool itself may take. Raises `TimeoutError` if none came free."""
        limit = tool.policy.limits.max_concurrency
        if limit is None:
            yield
            return
        # One per event loop: a semaphore cannot be waited for in two.
        slots = self._slots.setdefault(asyncio.get_running_loop(), WeakKeyDictionary())
        if tool not in slots:
            slots[tool] = asyncio.Semaphore(limit)
        semaphore = slots[tool]
        async with asyncio.timeout(tool.policy.limits.timeout.total_seconds()):
            await semaphore.acquire()
        try:
            yield
        finally:
            semaphore.release()

    async def guarded(self, tool: Tool, run: Callable[[], Awaitable[T]]) -> T:
        """Run unless the tool's outside system failed too often of late. Raises `CircuitOpenError`."""
        if tool.policy.kind != "external":
            return await run()
        key = f"tool:{tool.name}"
        await self._breaker.ask(key)
        try:
            value = await run()
        except BaseException as error:
            await self._report(key, signal_of(error))
            raise
        await self._report(key, Signal.SUCCEEDED)
        return value

    async def _report(self, key: str, signal: Signal) -> None:
        change = await self._breaker.tell(key, signal)
        if change is not None and (observer := current_observer()) is not None:
            await observer.breaker_changed(change)
