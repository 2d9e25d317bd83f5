"""Retries: what is tried again, how often, and after how long (F-70, F-71)."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batuta.kernel.errors import (
    BatutaError,
    CircuitOpenError,
    ConfigurationError,
    DeadlineExceededError,
    InvalidAnswerError,
    ProviderRejectedError,
    ProviderTimeoutError,
    ProviderUnavailableError,
    RateLimitedError,
    Rejected,
)
from batuta.resilience.retry import (
    NO_RETRY,
    Attempts,
    Retry,
    RetryPolicy,
    exponential_backoff,
    fixed_delay,
    is_retryable,
    retrying,
)
from batuta.testing.clock import FakeClock


class Flaky:
    """Fails with the given errors, then answers."""

    def __init__(self, *errors: BaseException) -> None:
        self._errors = list(errors)
        self.calls = 0

    async def __call__(self) -> str:
        self.calls += 1
        if self._errors:
            raise self._errors.pop(0)
        return "answer"


def middle() -> float:
    """No jitter to either side."""
    return 0.5


def overloaded() -> ProviderUnavailableError:
    return ProviderUnavailableError("overloaded", status=529)


async def test_a_call_that_succeeds_is_made_once() -> None:
    clock, call = FakeClock(), Flaky()
    assert await retrying(call, exponential_backoff(), clock=clock) == "answer"
    assert (call.calls, clock.sleeps) == (1, [])


async def test_backoff_waits_one_second_then_two_and_gives_up_after_three_attempts() -> None:
    """F-71: 3 attempts, first delay 1 s, doubled; the last error comes out as it is."""
    last = overloaded()
    clock, call = FakeClock(), Flaky(overloaded(), overloaded(), last)
    with pytest.raises(ProviderUnavailableError) as caught:
        await retrying(call, exponential_backoff(), clock=clock, rand=middle)
    assert caught.value is last
    assert (call.calls, clock.sleeps) == (3, [1.0, 2.0])


async def test_backoff_never_waits_longer_than_its_maximum() -> None:
    clock, call = FakeClock(), Flaky(*[overloaded() for _ in range(9)])
    await retrying(call, exponential_backoff(max_attempts=10), clock=clock, rand=middle)
    assert clock.sleeps == [1, 2, 4, 8, 16, 30, 30, 30, 30]


async def test_a_fixed_delay_stays_the_same() -> None:
    clock, call = FakeClock(), Flaky(overloaded(), overloaded(), overloaded())
    await retrying(call, fixed_delay(timedelta(seconds=5), max_attempts=4), clock=clock, rand=middle)
    assert clock.sleeps == [5, 5, 5]


@given(rand=st.floats(0, 1, exclude_max=True), attempt=st.integers(1, 200))
def test_jitter_keeps_within_fifteen_percent(rand: float, attempt: int) -> None:
    """F-71: ± 15 %, at any attempt however late."""
    policy = exponential_backoff(max_attempts=1000)
    delay = policy.next_delay(overloaded(), attempt, 0, lambda: rand)
    assert delay is not None
    assert 0.85 <= delay / policy.delay_after(attempt) <= 1.15


async def test_a_rate_limit_is_retried_once_after_the_time_it_asked_for() -> None:
    """F-71: 429 waits `Retry-After` plus jitter, retries once, then returns the error."""
    second = RateLimitedError("slow down", retry_after=7.0)
    clock, call = FakeClock(), Flaky(RateLimitedError("slow down", retry_after=7.0), second)
    with pytest.raises(RateLimitedError) as caught:
        await retrying(call, exponential_backoff(max_attempts=5), clock=clock, rand=middle)
    assert caught.value is second
    assert call.calls == 2
    assert clock.sleeps == [pytest.approx(7.0 * 1.075)]


@given(rand=st.floats(0, 1, exclude_max=True), asked=st.floats(0.1, 120))
def test_a_rate_limit_is_never_retried_earlier_than_asked(rand: float, asked: float) -> None:
    delay = exponential_backoff().next_delay(RateLimitedError("", retry_after=asked), 1, 1, lambda: rand)
    assert delay is not None
    assert asked <= delay <= asked * 1.15


async def test_a_rate_limit_without_a_time_waits_as_the_policy_says() -> None:
    clock, call = FakeClock(), Flaky(RateLimitedError("slow down"))
    assert await retrying(call, exponential_backoff(), clock=clock, rand=middle) == "answer"
    assert clock.sleeps == [1.0]


async def test_one_rate_limit_leaves_the_other_attempts_to_other_errors() -> None:
    clock, call = FakeClock(), Flaky(RateLimitedError("slow down", retry_after=3), overloaded())
    assert await retrying(call, exponential_backoff(), clock=clock, rand=middle) == "answer"
    assert clock.sleeps == [pytest.approx(3.225), 2.0]


async def test_an_overloaded_provider_that_names_a_time_is_not_asked_earlier() -> None:
    clock, call = FakeClock(), Flaky(ProviderUnavailableError("busy", status=503, retry_after=12))
    await retrying(call, exponential_backoff(), clock=clock, rand=middle)
    assert clock.sleeps == [12]


@pytest.mark.parametrize(
    "error",
    [
        RateLimitedError("slow down", retry_after=86_400),
        ProviderUnavailableError("busy", status=503, retry_after=86_400),
    ],
    ids=["429", "503"],
)
async def test_nobody_waits_a_day_for_a_provider(error: BatutaError) -> None:
    """F-71, F-74: the error comes at once, and says what was asked and which setting decides."""
    clock, call = FakeClock(), Flaky(error)
    with pytest.raises(type(error), match=r"asks to wait 86400 s, more than the 120 s of RetryPolicy\.max_retry_after"):
        await retrying(call, exponential_backoff(), clock=clock, rand=middle)
    assert (call.calls, clock.sleeps) == (1, [])


async def test_who_wants_to_wait_longer_says_so() -> None:
    clock, call = FakeClock(), Flaky(RateLimitedError("slow down", retry_after=86_400))
    patient = exponential_backoff(max_retry_after=timedelta(days=2))
    assert await retrying(call, patient, clock=clock, rand=middle) == "answer"
    assert clock.sleeps == [pytest.approx(86_400 * 1.075)]


@pytest.mark.parametrize(
    "error",
    [
        ProviderRejectedError("bad request", status=400),
        InvalidAnswerError("no object"),
        Rejected("unknown customer"),
        CircuitOpenError("open", retry_after=60),
        DeadlineExceededError("too late"),
        ValueError("a bug"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_what_a_repetition_cannot_change_is_not_repeated(error: Exception) -> None:
    """F-70: only transient errors are retried; an open breaker and a passed deadline would only repeat."""
    clock, call = FakeClock(), Flaky(error)
    with pytest.raises(type(error)):
        await retrying(call, exponential_backoff(), clock=clock)
    assert (call.calls, clock.sleeps) == (1, [])


def _all_errors(root: type[BatutaError] = BatutaError) -> set[type[BatutaError]]:
    return {root}.union(*(_all_errors(child) for child in root.__subclasses__()))


def test_every_error_class_says_whether_it_is_transient() -> None:
    """F-70: whatever is retryable is transient, and the other way round."""
    for error in _all_errors():
        assert error.retryable == (error.category == "transient"), error


async def test_a_predicate_decides_instead() -> None:
    policy = fixed_delay(predicate=lambda error: isinstance(error, KeyError))
    call = Flaky(KeyError("odd"))
    assert await retrying(call, policy, clock=FakeClock()) == "answer"
    with pytest.raises(ProviderTimeoutError):
        await retrying(Flaky(ProviderTimeoutError("late")), policy, clock=FakeClock())


async def test_the_observer_learns_of_each_retry_before_its_delay() -> None:
    clock, told = FakeClock(), []
    first = overloaded()

    async def note(retry: Retry) -> None:
        told.append((retry, clock.monotonic()))

    await retrying(Flaky(first, overloaded()), exponential_backoff(), clock=clock, rand=middle, on_retry=note)
    expected = Retry(attempt=1, error=first, delay_seconds=1.0, strategy="exponential_backoff")
    assert told[0] == (expected, 0.0)
    assert [(retry.attempt, when) for retry, when in told] == [(1, 0.0), (2, 1.0)]


async def test_no_retry_calls_once() -> None:
    call = Flaky(overloaded())
    with pytest.raises(ProviderUnavailableError):
        await retrying(call, NO_RETRY, clock=FakeClock())
    assert call.calls == 1


def test_attempts_know_when_the_policy_is_used_up() -> None:
    attempts = Attempts(exponential_backoff(), middle)
    attempts.failed(overloaded())
    attempts.failed(overloaded())
    assert not attempts.are_used_up
    assert attempts.failed(overloaded()) is None
    assert attempts.are_used_up


@pytest.mark.parametrize(
    "fields",
    [{"max_attempts": 0}, {"jitter": 1.0}, {"jitter": -0.1}, {"factor": 0.5}, {"first_delay": timedelta(seconds=-1)}],
)
def test_a_policy_that_cannot_be_followed_is_refused_when_made(fields: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        RetryPolicy(strategy="exponential_backoff", **fields)


def test_foreign_errors_are_not_retryable_by_default() -> None:
    assert not is_retryable(TimeoutError())
