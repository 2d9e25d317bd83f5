"""The circuit breaker: its table, its trials, its figures (F-72)."""

import asyncio
from collections.abc import Awaitable
from typing import get_args

import pytest

from batuta.kernel.errors import (
    BudgetExceededError,
    CircuitOpenError,
    ConfigurationError,
    InvalidAnswerError,
    ProviderRejectedError,
    ProviderTimeoutError,
    ProviderUnavailableError,
    RateLimitedError,
    SettingsError,
    ToolRefusedError,
)
from batuta.resilience.circuit_breaker import (
    CLOSED,
    TRANSITIONS,
    BreakerChange,
    BreakerRecord,
    BreakerSettings,
    CircuitBreaker,
    MemoryBreakerState,
    Phase,
    Signal,
    signal_of,
)
from batuta.testing.clock import FakeClock

KEY = "anthropic:claude"


class Bench:
    """A breaker on a clock of its own."""

    def __init__(self, state: MemoryBreakerState | None = None, clock: FakeClock | None = None) -> None:
        self.clock = clock or FakeClock()
        self.changes: list[BreakerChange] = []
        self.breaker = CircuitBreaker(state=state, clock=self.clock, on_change=self.changes.append)

    async def call(self, error: BaseException | None = None) -> None:
        async with self.breaker.guard(KEY):
            if error is not None:
                raise error

    async def fail(self, times: int = 1) -> None:
        for _ in range(times):
            with pytest.raises(ProviderUnavailableError):
                await self.call(ProviderUnavailableError("down", status=503))

    async def phase(self) -> Phase:
        return await self.breaker.phase(KEY)


def test_the_table_has_a_row_for_every_phase_and_signal() -> None:
    assert set(TRANSITIONS) == {(phase, signal) for phase in get_args(Phase) for signal in Signal}


SETTINGS = BreakerSettings()
OPEN = BreakerRecord(phase="open", failures=5, since=1000.0)
TRYING = BreakerRecord(phase="half_open", failures=5, since=1000.0, trials=2, successes=1)


@pytest.mark.parametrize(
    ("record", "signal", "now", "expected"),
    [
        (CLOSED, Signal.ASKED, 0.0, CLOSED),
        (BreakerRecord(failures=4), Signal.SUCCEEDED, 9.0, CLOSED),
        (BreakerRecord(failures=3), Signal.FAILED, 9.0, BreakerRecord(failures=4)),
        (BreakerRecord(failures=4), Signal.FAILED, 9.0, BreakerRecord(phase="open", failures=5, since=9.0)),
        (CLOSED, Signal.EXHAUSTED, 9.0, BreakerRecord(phase="open", failures=1, since=9.0)),
        (BreakerRecord(failures=4), Signal.RELEASED, 9.0, BreakerRecord(failures=4)),
        (OPEN, Signal.ASKED, 1059.9, None),
        (OPEN, Signal.ASKED, 1060.0, BreakerRecord(phase="half_open", failures=5, since=1060.0, trials=1)),
        (OPEN, Signal.SUCCEEDED, 1001.0, OPEN),
        (OPEN, Signal.FAILED, 1001.0, OPEN),
        (TRYING, Signal.ASKED, 1001.0, BreakerRecord("half_open", 5, 1000.0, 3, 1)),
        (BreakerRecord("half_open", 5, 1000.0, 3, 1), Signal.ASKED, 1001.0, None),
        (BreakerRecord("half_open", 5, 1000.0, 3, 1), Signal.ASKED, 1060.0, BreakerRecord("half_open", 5, 1060.0, 1)),
        (TRYING, Signal.SUCCEEDED, 1001.0, BreakerRecord("half_open", 5, 1000.0, 2, 2)),
        (BreakerRecord("half_open", 5, 1000.0, 3, 2), Signal.SUCCEEDED, 1001.0, CLOSED),
        (TRYING, Signal.FAILED, 1001.0, BreakerRecord(phase="open", failures=6, since=1001.0)),
        (TRYING, Signal.RELEASED, 1001.0, BreakerRecord("half_open", 5, 1000.0, 1, 1)),
        (
            BreakerRecord("half_open", 5, 1000.0, 2, 2),
            Signal.RELEASED,
            1001.0,
            BreakerRecord("half_open", 5, 1000.0, 2, 2),
        ),
    ],
)
def test_transitions(record: BreakerRecord, signal: Signal, now: float, expected: BreakerRecord | None) -> None:
    assert TRANSITIONS[record.phase, signal](record, now, SETTINGS) == expected


async def test_five_failures_in_a_row_open_it_for_sixty_seconds() -> None:
    bench = Bench()
    await bench.fail(5)
    assert bench.changes == [BreakerChange(KEY, "closed", "open", 5)]
    bench.clock.advance(59)
    with pytest.raises(CircuitOpenError, match="5 times in a row") as caught:
        await bench.call()
    assert caught.value.retry_after == pytest.approx(1.0)


async def test_a_success_in_between_starts_the_count_again() -> None:
    bench = Bench()
    await bench.fail(4)
    await bench.call()
    await bench.fail(4)
    assert await bench.phase() == "closed"


async def test_three_good_trials_close_it() -> None:
    bench = Bench()
    await bench.fail(5)
    bench.clock.advance(60)
    for _ in range(3):
        await bench.call()
    assert [(change.previous, change.current) for change in bench.changes] == [
        ("closed", "open"),
        ("open", "half_open"),
        ("half_open", "closed"),
    ]


async def test_one_bad_trial_opens_it_for_another_sixty_seconds() -> None:
    bench = Bench()
    await bench.fail(5)
    bench.clock.advance(60)
    await bench.call()
    await bench.fail()
    bench.clock.advance(59)
    with pytest.raises(CircuitOpenError):
        await bench.call()


async def test_half_open_lets_exactly_three_calls_through_at_once() -> None:
    bench = Bench()
    await bench.fail(5)
    bench.clock.advance(60)
    finish = asyncio.Event()
    begun = 0

    async def trial() -> None:
        nonlocal begun
        async with bench.breaker.guard(KEY):
            begun += 1
            await finish.wait()

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_outcome(trial())) for _ in range(10)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        finish.set()
    assert begun == 3
    assert sorted(task.result() for task in tasks) == ["CircuitOpenError"] * 7 + ["ok"] * 3
    assert await bench.phase() == "closed"


async def _outcome(call: Awaitable[None]) -> str:
    try:
        await call
    except CircuitOpenError as error:
        return type(error).__name__
    return "ok"


async def test_a_cancelled_trial_gives_its_place_back() -> None:
    bench = Bench()
    await bench.fail(5)
    bench.clock.advance(60)
    with pytest.raises(asyncio.CancelledError):
        await bench.call(asyncio.CancelledError())
    for _ in range(3):
        await bench.call()
    assert await bench.phase() == "closed"


async def test_a_late_release_of_an_older_trial_does_not_let_more_trials_through_than_are_needed() -> None:
    """Trials that were given anew leave the older ones running; what those give back must not undo a success."""
    bench = Bench()
    await bench.fail(5)
    bench.clock.advance(60)
    for _ in range(3):
        await bench.breaker.ask(KEY)
    bench.clock.advance(60)  # their outcome is overdue: trials are given anew
    for _ in range(2):
        await bench.call()
    for _ in range(3):  # the older three end without a word about health
        await bench.breaker.tell(KEY, Signal.RELEASED)
    await bench.breaker.ask(KEY)
    with pytest.raises(CircuitOpenError):
        await bench.breaker.ask(KEY)


async def test_keys_are_independent() -> None:
    bench = Bench()
    await bench.fail(5)
    async with bench.breaker.guard("openai:gpt"):
        pass


async def test_two_breakers_on_one_state_count_together() -> None:
    """F-72: the state sits behind a protocol, so that processes may share it."""
    state, clock = MemoryBreakerState(), FakeClock()
    one, other = Bench(state, clock), Bench(state, clock)
    await one.fail(3)
    await other.fail(2)
    with pytest.raises(CircuitOpenError):
        await one.call()


class ContestedState(MemoryBreakerState):
    """Another process writes between the first read and the first write."""

    def __init__(self) -> None:
        super().__init__()
        self.refused = 0

    async def replace(self, key: str, seen: BreakerRecord, record: BreakerRecord) -> bool:
        if not self.refused:
            self.refused = 1
            await super().replace(key, seen, BreakerRecord(failures=4))
        return await super().replace(key, seen, record)


async def test_a_lost_race_is_decided_again_on_the_new_record() -> None:
    bench = Bench(ContestedState())
    await bench.fail(1)
    assert bench.changes == [BreakerChange(KEY, "closed", "open", 5)]


async def test_a_clock_set_back_does_not_keep_it_open() -> None:
    bench = Bench()
    await bench.fail(5)
    bench.clock.advance(-3600)
    await bench.call()
    assert await bench.phase() == "half_open"


async def test_figures_count_failures_of_the_last_minute_time_open_and_trials() -> None:
    """F-72: failures per minute, time open and half-open success are metrics."""
    bench = Bench()
    await bench.fail(2)
    bench.clock.advance(50)
    await bench.fail(3)
    bench.clock.advance(20)
    metrics = bench.breaker.metrics(KEY)
    assert (metrics.failures_last_minute, metrics.failures_total, metrics.seconds_open) == (3, 5, 20.0)
    bench.clock.advance(40)
    await bench.call()
    await bench.fail()
    metrics = bench.breaker.metrics(KEY)
    assert (metrics.half_open_successes, metrics.half_open_failures, metrics.seconds_open) == (1, 1, 60.0)


async def test_a_key_without_failures_leaves_nothing_behind() -> None:
    state = MemoryBreakerState()
    bench = Bench(state)
    await bench.fail(1)
    await bench.call()
    assert state._records == {}


@pytest.mark.parametrize(
    ("error", "signal"),
    [
        (ProviderUnavailableError("down", status=503), Signal.FAILED),
        (ProviderTimeoutError("late"), Signal.FAILED),
        (ConnectionResetError(), Signal.FAILED),
        (RateLimitedError("slow down"), Signal.RELEASED),
        (ProviderRejectedError("bad", status=400), Signal.SUCCEEDED),
        (InvalidAnswerError("odd"), Signal.RELEASED),
        (BudgetExceededError("not made"), Signal.RELEASED),
        (ConfigurationError("no key"), Signal.RELEASED),
        (SettingsError("no such setting"), Signal.RELEASED),
        (ToolRefusedError("not allowed"), Signal.RELEASED),
        (CircuitOpenError("another breaker", retry_after=1.0), Signal.RELEASED),
        (asyncio.CancelledError(), Signal.RELEASED),
    ],
)
def test_only_signs_of_illness_count_as_failures(error: BaseException, signal: Signal) -> None:
    assert signal_of(error) is signal


@pytest.mark.parametrize("refusal", [BudgetExceededError("not made"), SettingsError("no such setting")])
async def test_a_refusal_before_the_call_gives_its_trial_back_and_closes_nothing(refusal: Exception) -> None:
    bench = Bench()
    await bench.fail(5)
    bench.clock.advance(60)
    for _ in range(10):
        with pytest.raises(type(refusal)):
            await bench.call(refusal)
    assert await bench.phase() == "half_open"
    await bench.call()
    await bench.call()
    assert await bench.phase() == "half_open", "all three trials are still to be passed"
    await bench.call()
    assert await bench.phase() == "closed"


async def test_a_refusal_before_the_call_does_not_end_a_row_of_failures() -> None:
    bench = Bench()
    await bench.fail(4)
    with pytest.raises(BudgetExceededError):
        await bench.call(BudgetExceededError("not made"))
    await bench.fail(1)
    assert await bench.phase() == "open"
