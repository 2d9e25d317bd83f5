"""When the store that processes share is away, each goes on with its own state, and says so.

    shared answers              -> shared counts
    shared raises, or is away   -> this process counts alone; the store is asked again after a second

Alone, a process does not know what the others counted: a breaker that is open elsewhere may be closed here, and a
budget is kept by each process for itself. That is said once per outage in the log, and by `SharedStateHealth`.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.usage import Amount
from batuta.llm.budget import Budget, BudgetLedger, MemoryBudgetLedger, Reservation
from batuta.resilience.circuit_breaker import BreakerRecord, BreakerState, MemoryBreakerState
from batuta.resilience.rate_limiter import LimiterState, MemoryLimiterState, Rate

log = logging.getLogger("batuta.shared_state")

ASK_AGAIN_SECONDS = 1.0

T = TypeVar("T")


@dataclass(slots=True)
class SharedStateHealth:
    """Whether the processes count together, or each for itself."""

    clock: Clock = SYSTEM_CLOCK
    reason: str | None = None
    """Why this process counts alone; nothing while the store answers."""
    _again_at: float = field(default=0.0)

    @property
    def is_degraded(self) -> bool:
        """Whether this process counts alone."""
        return self.reason is not None

    async def shared_or(self, shared: Callable[[], Awaitable[T]], local: Callable[[], Awaitable[T]]) -> T:
        """What the shared state says, or the local one while the store is away."""
        if self.is_degraded and self.clock.monotonic() < self._again_at:
            return await local()
        try:
            answer = await shared()
        except StoreUnavailableError as error:
            self._note_outage(error)
            return await local()
        if self.is_degraded:
            log.warning("the shared state of breakers, limits and budgets is back")
            self.reason = None
        return answer

    def _note_outage(self, error: StoreUnavailableError) -> None:
        self._again_at = self.clock.monotonic() + ASK_AGAIN_SECONDS
        if not self.is_degraded:
            log.warning("breakers, limits and budgets are counted by this process alone: %s", error)
        self.reason = str(error)


class DegradingBreakerState:
    """Shared breakers, or those of this process."""

    def __init__(self, shared: BreakerState, health: SharedStateHealth) -> None:
        self._shared = shared
        self._local = MemoryBreakerState()
        self._health = health

    async def read(self, key: str) -> BreakerRecord:
        """The record of a key."""
        return await self._health.shared_or(lambda: self._shared.read(key), lambda: self._local.read(key))

    async def replace(self, key: str, seen: BreakerRecord, record: BreakerRecord) -> bool:
        """Replace it. When the store went away since it was read, the caller reads again, now the local one."""
        return await self._health.shared_or(
            lambda: self._shared.replace(key, seen, record), lambda: self._local.replace(key, seen, record)
        )


class DegradingLimiterState:
    """Shared buckets, or those of this process."""

    def __init__(self, shared: LimiterState, health: SharedStateHealth, clock: Clock = SYSTEM_CLOCK) -> None:
        self._shared = shared
        self._local = MemoryLimiterState(clock)
        self._health = health

    async def take(self, key: str, rate: Rate, tokens: float, max_wait: float) -> tuple[bool, float]:
        """Take tokens."""
        return await self._health.shared_or(
            lambda: self._shared.take(key, rate, tokens, max_wait),
            lambda: self._local.take(key, rate, tokens, max_wait),
        )

    async def give_back(self, key: str, rate: Rate, tokens: float) -> None:
        """Return tokens."""
        await self._health.shared_or(
            lambda: self._shared.give_back(key, rate, tokens), lambda: self._local.give_back(key, rate, tokens)
        )


class DegradingBudgetLedger:
    """A shared ledger, or that of this process. A reservation is settled where it was made."""

    def __init__(self, shared: BudgetLedger, health: SharedStateHealth) -> None:
        self._shared = shared
        self._local = MemoryBudgetLedger()
        self._health = health
        self._local_ids: set[str] = set()

    async def reserve(self, budgets: Sequence[Budget], worst: Amount) -> Reservation:
        """Hold an amount back."""

        async def locally() -> Reservation:
            reservation = await self._local.reserve(budgets, worst)
            self._local_ids.add(reservation.id)
            return reservation

        return await self._health.shared_or(lambda: self._shared.reserve(budgets, worst), locally)

    async def settle(self, reservation: Reservation, actual: Amount) -> None:
        """Settle it where it was made. If that store is away now, the reservation stands with its worst case."""
        if reservation.id in self._local_ids:
            self._local_ids.discard(reservation.id)
            await self._local.settle(reservation, actual)
            return

        async def left_standing() -> None:
            log.warning("reservation %s stands with its worst case: its store is away", reservation.id)

        await self._health.shared_or(lambda: self._shared.settle(reservation, actual), left_standing)

    async def spent(self, budget: Budget) -> Amount:
        """What was used so far, as far as this process can know."""
        return await self._health.shared_or(lambda: self._shared.spent(budget), lambda: self._local.spent(budget))
