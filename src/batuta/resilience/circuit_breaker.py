"""A circuit breaker per key: after repeated failures calls are refused for a while, then let through on trial.

                    5 failures in a row, or a policy used up
           ┌─ closed ────────────────────────────────▶ open ─┐
           │     ▲                                       ▲    │ 60 s
           │     └── 3 trials succeed ── half_open ──────┘    │
           │                                 ▲   one fails    │
           └─ success: count from 0          └────────────────┘

`TRANSITIONS` is the whole behaviour, pure. The record of a key sits behind `BreakerState`, so that processes may
share it; its times are seconds of the day's clock for the same reason.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Literal, Protocol

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import (
    BudgetExceededError,
    CircuitOpenError,
    ConfigurationError,
    ErrorCategory,
    InvalidArgumentsError,
    NotRecordedError,
    RateLimitedError,
    ToolRefusedError,
    WriteForbiddenError,
    category_of,
)
from batuta.kernel.numbers import check_duration, check_number
from batuta.resilience.breaker_metrics import BreakerMetrics, MetricsBook

Phase = Literal["closed", "open", "half_open"]


class Signal(StrEnum):
    """What a breaker learns."""

    ASKED = "asked"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    EXHAUSTED = "exhausted"
    """A whole retry policy was used up on an overloaded provider."""
    RELEASED = "released"
    """A call ended without saying anything about the other side's health."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerSettings:
    """When to open, for how long, and how many trials must succeed."""

    failures_to_open: int = 5
    open_for: timedelta = timedelta(seconds=60)
    trials: int = 3

    def __post_init__(self) -> None:
        """Refuse a breaker that would never close, or never open."""
        check_number("failures_to_open", self.failures_to_open, at_least=1)
        check_number("trials", self.trials, at_least=1)
        check_duration("open_for", self.open_for)


@dataclass(frozen=True, slots=True)
class BreakerRecord:
    """All that is known of one key. The default is that of an unknown key."""

    phase: Phase = "closed"
    failures: int = 0
    """In a row, while closed; those that opened it, otherwise."""
    since: float = 0.0
    """When the phase began, in seconds of the day's clock; 0 while closed."""
    trials: int = 0
    """Let through in this half-open phase."""
    successes: int = 0
    """Of these, how many came back well."""


CLOSED = BreakerRecord()


@dataclass(frozen=True, slots=True)
class BreakerChange:
    """A breaker moved from one phase to another."""

    key: str
    previous: Phase
    current: Phase
    failures: int


class BreakerState(Protocol):
    """Where the records are kept: in process by default, shared when several processes serve one provider.

    `replace` is atomic: of two writers that saw the same record one succeeds. Raises `StoreUnavailableError`.
    """

    async def read(self, key: str) -> BreakerRecord:
        """The record of a key; `CLOSED` if there is none."""
        ...

    async def replace(self, key: str, seen: BreakerRecord, record: BreakerRecord) -> bool:
        """Put `record` in the place of `seen`; false if another one is there by now."""
        ...


class MemoryBreakerState:
    """Keeps the records of this process; a key in its first state takes no room."""

    def __init__(self) -> None:
        self._records: dict[str, BreakerRecord] = {}

    async def read(self, key: str) -> BreakerRecord:
        """The record of a key."""
        return self._records.get(key, CLOSED)

    async def replace(self, key: str, seen: BreakerRecord, record: BreakerRecord) -> bool:
        """Replace it if it is unchanged."""
        if self._records.get(key, CLOSED) != seen:
            return False
        if record == CLOSED:
            self._records.pop(key, None)
        else:
            self._records[key] = record
        return True


OnChange = Callable[[BreakerChange], None]
Rule = Callable[[BreakerRecord, float, BreakerSettings], BreakerRecord | None]
"""From a record, the time and the settings to the next record; `None` refuses the call."""


def _stay(record: BreakerRecord, now: float, settings: BreakerSettings) -> BreakerRecord:
    return record


def _forget_failures(record: BreakerRecord, now: float, settings: BreakerSettings) -> BreakerRecord:
    return CLOSED


def _count_failure(record: BreakerRecord, now: float, settings: BreakerSettings) -> BreakerRecord:
    counted = replace(record, failures=record.failures + 1)
    return _open(counted, now, settings) if counted.failures >= settings.failures_to_open else counted


def _open(record: BreakerRecord, now: float, settings: BreakerSettings) -> BreakerRecord:
    return BreakerRecord(phase="open", failures=max(record.failures, 1), since=now)


def _open_again(record: BreakerRecord, now: float, settings: BreakerSettings) -> BreakerRecord:
    return BreakerRecord(phase="open", failures=record.failures + 1, since=now)


def _first_trial_when_due(record: BreakerRecord, now: float, settings: BreakerSettings) -> BreakerRecord | None:
    if _remaining(record, now, settings) > 0:
        return None
    return BreakerRecord(phase="half_open", failures=record.failures, since=now, trials=1)


def _next_trial(record: BreakerRecord, now: float, settings: BreakerSettings) -> BreakerRecord | None:
    if record.trials < settings.trials:
        return replace(record, trials=record.trials + 1)
    # Trials whose outcome never came (their process died) are given anew, or the key would stay shut for ever.
    return _first_trial_when_due(record, now, settings)


def _count_success(record: BreakerRecord, now: float, settings: BreakerSettings) -> BreakerRecord:
    counted = replace(record, successes=record.successes + 1)
    return CLOSED if counted.successes >= settings.trials else counted


def _give_trial_back(record: BreakerRecord, now: float, settings: BreakerSettings) -> BreakerRecord:
    return replace(record, trials=max(record.trials - 1, record.successes))


TRANSITIONS: dict[tuple[Phase, Signal], Rule] = {
    ("closed", Signal.ASKED): _stay,
    ("closed", Signal.SUCCEEDED): _forget_failures,
    ("closed", Signal.FAILED): _count_failure,
    ("closed", Signal.EXHAUSTED): _open,
    ("closed", Signal.RELEASED): _stay,
    ("open", Signal.ASKED): _first_trial_when_due,
    ("open", Signal.SUCCEEDED): _stay,  # a call begun before it opened
    ("open", Signal.FAILED): _stay,
    ("open", Signal.EXHAUSTED): _stay,
    ("open", Signal.RELEASED): _stay,
    ("half_open", Signal.ASKED): _next_trial,
    ("half_open", Signal.SUCCEEDED): _count_success,
    ("half_open", Signal.FAILED): _open_again,
    ("half_open", Signal.EXHAUSTED): _open_again,
    ("half_open", Signal.RELEASED): _give_trial_back,
}


def _remaining(record: BreakerRecord, now: float, settings: BreakerSettings) -> float:
    """Seconds until trials are let through; none if the clock was set back, so that no caller waits for hours."""
    passed = now - record.since
    return settings.open_for.total_seconds() - passed if passed >= 0 else 0.0


class CircuitBreaker:
    """Guards calls by key, such as `anthropic:claude-sonnet-5` or `tool:search`.

    Without a clock of its own it goes by that of the caller, which of a model's call is the clock of its run.
    """

    def __init__(
        self,
        settings: BreakerSettings | None = None,
        *,
        state: BreakerState | None = None,
        clock: Clock | None = None,
        on_change: OnChange | None = None,
    ) -> None:
        self._settings = settings or BreakerSettings()
        self._state = state or MemoryBreakerState()
        self._clock = clock
        self._on_change = on_change
        self._metrics = MetricsBook()

    async def ask(self, key: str, *, clock: Clock = SYSTEM_CLOCK) -> BreakerChange | None:
        """Ask to make a call. Raises `CircuitOpenError`; tells of the change if this call is the first trial.

        `clock` is the caller's: it counts if the breaker has none of its own.
        """
        return await self._apply(key, Signal.ASKED, self._clock or clock)

    async def tell(self, key: str, signal: Signal, *, clock: Clock = SYSTEM_CLOCK) -> BreakerChange | None:
        """Tell how a call that was let through ended, and learn of the change this made; `clock` as in `ask`."""
        return await self._apply(key, signal, self._clock or clock)

    async def phase(self, key: str) -> Phase:
        """The phase of a key, as the next caller would find it recorded."""
        return (await self._state.read(key)).phase

    def metrics(self, key: str) -> BreakerMetrics:
        """What this process saw of a key."""
        return self._metrics.of(key, _seconds(self._clock or SYSTEM_CLOCK))

    @asynccontextmanager
    async def guard(self, key: str) -> AsyncIterator[None]:
        """Let a block run if the breaker allows it, and learn from its outcome. Raises `CircuitOpenError`."""
        await self.ask(key)
        try:
            yield
        except BaseException as error:
            await self.tell(key, signal_of(error))
            raise
        await self.tell(key, Signal.SUCCEEDED)

    async def _apply(self, key: str, signal: Signal, clock: Clock) -> BreakerChange | None:
        while True:
            now = _seconds(clock)
            seen = await self._state.read(key)
            following = TRANSITIONS[seen.phase, signal](seen, now, self._settings)
            if following is None:
                raise self._refusal(key, seen, now)
            if following == seen or await self._state.replace(key, seen, following):
                self._metrics.note(key, signal, seen.phase, following.phase, _seconds(clock))
                return self._changed(key, seen, following)

    def _changed(self, key: str, seen: BreakerRecord, following: BreakerRecord) -> BreakerChange | None:
        if seen.phase == following.phase:
            return None
        change = BreakerChange(key, seen.phase, following.phase, max(seen.failures, following.failures))
        if self._on_change is not None:
            self._on_change(change)
        return change

    def _refusal(self, key: str, record: BreakerRecord, now: float) -> CircuitOpenError:
        wait = max(_remaining(record, now, self._settings), 0.0)
        return CircuitOpenError(
            f"{key} failed {record.failures} times in a row; calls are refused for another {wait:.0f} s",
            retry_after=wait,
        )


def _seconds(clock: Clock) -> float:
    return clock.now().timestamp()


NEVER_CALLED = (
    BudgetExceededError,
    CircuitOpenError,
    ConfigurationError,
    InvalidArgumentsError,
    NotRecordedError,
    ToolRefusedError,
    WriteForbiddenError,
)
"""Refusals of this side: no call was made."""


def signal_of(error: BaseException) -> Signal:
    """What an error says about the health of the other side: a refused request or "slow down" is a sign of life.

    What was refused on this side, before the call, says nothing.
    """
    if isinstance(error, NEVER_CALLED):
        return Signal.RELEASED
    is_ill = category_of(error) is ErrorCategory.TRANSIENT and not isinstance(error, RateLimitedError)
    if is_ill:
        return Signal.FAILED
    return Signal.SUCCEEDED if category_of(error) is ErrorCategory.LOGICAL else Signal.RELEASED
