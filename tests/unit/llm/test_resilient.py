"""A protected model: tries, time limits, breaker, limiter, and who is told (F-71 … F-74)."""

import asyncio
from datetime import timedelta

import pytest

from batuta.kernel.errors import (
    CircuitOpenError,
    ProviderRejectedError,
    ProviderTimeoutError,
    ProviderUnavailableError,
    RateLimitedError,
    RecordingFailedError,
)
from batuta.kernel.messages import Answer, Delta
from batuta.llm.factory import client, model
from batuta.llm.interceptors import CachedModel, MemoryAnswerCache
from batuta.llm.model import Model
from batuta.llm.resilient import Protection, ResilientModel
from batuta.resilience.circuit_breaker import BreakerSettings, CircuitBreaker, Signal
from batuta.resilience.observer import observing
from batuta.resilience.rate_limiter import Rate, RateLimiter
from batuta.resilience.retry import NO_RETRY, Retry, RetryPolicy, exponential_backoff, fixed_delay
from batuta.testing.clock import FakeClock
from tests.unit.llm.doubles import Noted, PlayedModel, answer, request

SHORT = timedelta(milliseconds=20)


def overloaded(status: int = 529) -> ProviderUnavailableError:
    return ProviderUnavailableError("overloaded", status=status)


class Bench:
    """A protected model on a clock of its own."""

    def __init__(self, *lines: object, retry: RetryPolicy | None = None, limiter: Rate | None = None) -> None:
        self.clock = FakeClock()
        self.inner = PlayedModel(list(lines))  # type: ignore[arg-type]
        self.breaker = CircuitBreaker(clock=self.clock)
        self.model = ResilientModel(
            self.inner,
            Protection(
                retry=retry or exponential_backoff(),
                breaker=self.breaker,
                limiter=None if limiter is None else RateLimiter(limiter, max_wait=timedelta(0), clock=self.clock),
                clock=self.clock,
                rand=lambda: 0.5,
            ),
        )

    async def streamed(self) -> list[Delta | Answer]:
        return [item async for item in self.model.stream(request())]


def test_a_protected_model_is_a_model() -> None:
    assert isinstance(Bench().model, Model)


async def test_a_transient_failure_is_tried_again_and_the_observer_is_told() -> None:
    bench, noted = Bench(overloaded(), answer()), Noted()
    with observing(noted):
        assert await bench.model.generate(request()) == answer()
    assert [(retry.attempt, retry.delay_seconds) for retry in noted.retries] == [(1, 1.0)]
    assert bench.clock.sleeps == [1.0]


async def test_the_observer_is_told_what_a_retry_came_to() -> None:
    bench, noted = Bench(overloaded(), overloaded(), answer(), overloaded(), answer()), Noted()
    with observing(noted):
        await bench.model.generate(request())
        await bench.streamed()
    assert noted.settled == [(1, False), (2, True), (1, True)]


async def test_a_retry_that_the_breaker_does_not_admit_came_to_nothing() -> None:
    bench, noted = Bench(*[overloaded()] * 4), Noted()
    await bench.breaker.ask(bench.model.key)
    for _ in range(4):
        await bench.breaker.tell(bench.model.key, Signal.FAILED)
    with observing(noted), pytest.raises(CircuitOpenError):
        await bench.model.generate(request())
    assert noted.settled == [(1, False)]


class Deaf(Noted):
    """An observer whose recorder is broken."""

    async def retry_settled(self, retry: Retry, *, is_successful: bool) -> None:
        raise RecordingFailedError("the log is away")


@pytest.mark.parametrize("way", ["whole", "stream"])
async def test_an_observer_that_fails_is_no_reason_to_ask_the_model_again(way: str) -> None:
    bench = Bench(overloaded(), answer(), answer())
    with observing(Deaf()), pytest.raises(RecordingFailedError):
        await (bench.model.generate(request()) if way == "whole" else bench.streamed())
    assert len(bench.inner.requests) == 2


async def test_a_refused_request_is_not_tried_again() -> None:
    bench = Bench(ProviderRejectedError("bad request", status=400))
    with pytest.raises(ProviderRejectedError):
        await bench.model.generate(request())
    assert len(bench.inner.requests) == 1


async def test_a_rate_limit_waits_as_asked_and_is_tried_once_more() -> None:
    bench = Bench(RateLimitedError("slow", retry_after=10), RateLimitedError("slow", retry_after=10))
    with pytest.raises(RateLimitedError):
        await bench.model.generate(request())
    assert bench.clock.sleeps == [pytest.approx(10.75)]


async def test_streaming_gives_the_deltas_and_the_same_answer() -> None:
    """F-30: the result is the same as without streaming."""
    bench = Bench(answer("one two"))
    assert await bench.streamed() == [Delta("text", "one"), Delta("text", "two"), answer("one two")]


async def test_a_stream_that_fails_before_its_first_delta_is_tried_again_unseen() -> None:
    bench = Bench(overloaded(), answer("one two"))
    assert await bench.streamed() == [Delta("text", "one"), Delta("text", "two"), answer("one two")]


async def test_a_broken_stream_is_begun_anew_when_somebody_can_discard_what_came() -> None:
    bench, noted = Bench([Delta("text", "half"), overloaded()], answer("whole")), Noted()
    with observing(noted):
        items = await bench.streamed()
    assert items == [Delta("text", "half"), Delta("text", "whole"), answer("whole")]
    assert [retry.discards_deltas for retry in noted.retries] == [True]


async def test_a_broken_stream_that_nobody_can_discard_fails() -> None:
    bench = Bench([Delta("text", "half"), overloaded()], answer("whole"))
    with pytest.raises(ProviderUnavailableError):
        await bench.streamed()
    assert len(bench.inner.requests) == 1


@pytest.mark.parametrize("status", [503, 529])
async def test_an_overload_that_outlasts_the_policy_opens_the_breaker_and_counts_a_degradation(status: int) -> None:
    """F-71: exhausting the policy opens the breaker."""
    bench, noted = Bench(*[overloaded(status) for _ in range(3)]), Noted()
    with observing(noted), pytest.raises(ProviderUnavailableError):
        await bench.model.generate(request())
    assert await bench.breaker.phase("test:m") == "open"
    assert noted.degradations == ["test:m"]
    assert [(change.previous, change.current) for change in noted.changes] == [("closed", "open")]
    with pytest.raises(CircuitOpenError):
        await bench.model.generate(request())
    assert len(bench.inner.requests) == 3


async def test_other_failures_open_the_breaker_after_five_in_a_row() -> None:
    bench = Bench(*[overloaded(500) for _ in range(5)], retry=NO_RETRY)
    for _ in range(4):
        with pytest.raises(ProviderUnavailableError):
            await bench.model.generate(request())
    assert await bench.breaker.phase("test:m") == "closed"
    with pytest.raises(ProviderUnavailableError):
        await bench.model.generate(request())
    assert await bench.breaker.phase("test:m") == "open"


async def test_an_open_breaker_is_not_retried_against() -> None:
    bench = Bench(*[overloaded(500) for _ in range(5)], answer(), retry=fixed_delay(max_attempts=9))
    with pytest.raises(CircuitOpenError):
        await bench.model.generate(request())
    assert len(bench.inner.requests) == 5


async def test_a_stream_left_early_gives_its_trial_back() -> None:
    bench = Bench(*[overloaded() for _ in range(3)], answer("one two"), answer(), answer(), answer())
    with pytest.raises(ProviderUnavailableError):
        await bench.model.generate(request())
    bench.clock.advance(60)
    stream = bench.model.stream(request())
    assert await anext(stream) == Delta("text", "one")
    await stream.aclose()  # type: ignore[attr-defined]
    for _ in range(3):
        await bench.model.generate(request())
    assert await bench.breaker.phase("test:m") == "closed"


async def test_leaving_a_stream_closes_the_one_inside() -> None:
    bench = Bench(answer("one two"))
    stream = bench.model.stream(request())
    await anext(stream)
    assert bench.inner.open_streams == 1
    await stream.aclose()  # type: ignore[attr-defined]
    assert bench.inner.open_streams == 0


async def test_a_try_takes_no_longer_than_the_timeout_of_the_settings() -> None:
    """F-74: a model call has a deadline; one that passes is a timeout of the provider, and retried."""
    bench = Bench([5.0, answer()], [5.0, answer()], [5.0, answer()])
    with pytest.raises(ProviderTimeoutError, match=r"0\.02 s"):
        await bench.model.generate(request(timeout=SHORT))
    assert len(bench.inner.requests) == 3


async def test_a_stream_that_stalls_is_cut_at_the_timeout() -> None:
    bench = Bench([Delta("text", "one"), 5.0, answer()])
    with pytest.raises(ProviderTimeoutError):
        [item async for item in bench.model.stream(request(timeout=SHORT))]
    assert bench.inner.open_streams == 0


async def test_a_limiter_that_refuses_is_told_and_not_retried() -> None:
    bench, noted = Bench(answer(), answer(), limiter=Rate(tokens=1, per_second=1)), Noted()
    with observing(noted):
        await bench.model.generate(request())
        with pytest.raises(RateLimitedError, match="limit of 1 per second for test:m"):
            await bench.model.generate(request())
    assert [(throttled.key, throttled.refused) for throttled in noted.throttled] == [("test:m", True)]
    assert bench.clock.sleeps == []


async def test_cancelling_a_call_cancels_the_one_inside_at_once() -> None:
    bench = Bench([60.0, answer()])
    call = asyncio.create_task(bench.model.generate(request()))
    while not bench.inner.open_streams:
        await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert bench.inner.open_streams == 0


async def test_closing_it_closes_the_model_inside() -> None:
    bench = Bench()
    async with bench.model:
        pass
    assert bench.inner.is_closed


async def test_observers_of_parallel_calls_hear_only_their_own() -> None:
    first, second = Bench(overloaded(), answer()), Bench(answer())
    heard_first, heard_second = Noted(), Noted()

    async def observed(bench: Bench, noted: Noted) -> None:
        with observing(noted):
            await bench.model.generate(request())

    await asyncio.gather(observed(first, heard_first), observed(second, heard_second))
    assert (len(heard_first.retries), len(heard_second.retries)) == (1, 0)


async def test_a_trial_that_the_limiter_refuses_is_given_back_to_the_breaker() -> None:
    """F-72, F-73: it says nothing about the provider, and must not use up the trials of a half-open breaker."""
    clock = FakeClock()
    breaker = CircuitBreaker(BreakerSettings(failures_to_open=1, trials=1), clock=clock)
    limiter = RateLimiter(Rate(tokens=1, per_second=0.001), max_wait=timedelta(0), clock=clock)
    model = ResilientModel(PlayedModel([answer("well")]), Protection(breaker=breaker, limiter=limiter, clock=clock))
    await limiter.acquire(model.key)
    await breaker.tell(model.key, Signal.FAILED)
    await clock.sleep(61)
    with pytest.raises(RateLimitedError):
        await model.generate(request())
    await breaker.ask(model.key)


async def test_a_streamed_answer_closes_the_breaker_although_its_reader_asks_for_no_more() -> None:
    """F-72: an agent leaves a stream with its answer; one failure before each success must not add up."""
    bench = Bench(*[line for _ in range(6) for line in (overloaded(500), answer("well"))])
    for _ in range(6):
        stream = bench.model.stream(request())
        async for item in stream:
            if isinstance(item, Answer):
                break
        await stream.aclose()  # type: ignore[attr-defined]
    assert await bench.breaker.phase("test:m") == "closed"
    assert bench.breaker.metrics("test:m").failures_total == 6


async def test_trials_that_stream_their_answers_close_a_half_open_breaker() -> None:
    bench = Bench(answer("one"), answer("two"), answer("three"), retry=NO_RETRY)
    for _ in range(5):
        await bench.breaker.tell("test:m", Signal.FAILED)
    bench.clock.advance(61)
    for _ in range(3):
        stream = bench.model.stream(request())
        assert isinstance([item async for item in stream][-1], Answer)
    assert await bench.breaker.phase("test:m") == "closed"


def test_each_address_and_each_api_of_a_provider_has_a_breaker_of_its_own() -> None:
    """F-72: an endpoint that is down does not take a healthy one with it."""
    usual = model("openai:gpt-5.2", api_key="k")
    elsewhere = model("openai:gpt-5.2", api_key="k", base_url="http://127.0.0.1:9/v1")
    responses = model("openai-responses:gpt-5.2", api_key="k")
    assert usual.key == "openai:gpt-5.2"
    assert len({usual.key, elsewhere.key, responses.key}) == 3


def test_a_wrapped_client_keeps_the_breaker_of_its_address() -> None:
    bare = client("openai:gpt-5.2", api_key="k", base_url="http://127.0.0.1:9/v1")
    wrapped = CachedModel(bare, MemoryAnswerCache())
    assert ResilientModel(wrapped).key == ResilientModel(bare).key
