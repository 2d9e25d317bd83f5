"""The token bucket: bursts, waiting in order, refusing, keys (F-73)."""

import asyncio
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batuta.kernel.errors import ConfigurationError, RateLimitedError
from batuta.resilience import rate_limiter
from batuta.resilience.rate_limiter import MemoryLimiterState, Rate, RateLimiter, Throttled
from batuta.testing.clock import FakeClock

REFUSING = timedelta(0)


async def test_ten_calls_go_through_at_once_and_the_next_waits_a_tenth_of_a_second() -> None:
    """F-73: 10 tokens, 10 per second by default."""
    clock = FakeClock()
    limiter = RateLimiter(clock=clock)
    for _ in range(10):
        await limiter.acquire("provider")
    assert clock.sleeps == []
    await limiter.acquire("provider")
    assert clock.sleeps == [pytest.approx(0.1)]


async def test_those_who_wait_are_served_in_the_order_they_came() -> None:
    clock = FakeClock()
    limiter = RateLimiter(Rate(tokens=1, per_second=1), clock=clock)
    served: list[tuple[int, float]] = []

    async def caller(number: int) -> None:
        await limiter.acquire("provider")
        served.append((number, clock.monotonic()))

    async with asyncio.TaskGroup() as group:
        for number in range(5):
            group.create_task(caller(number))
    assert served == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]


async def test_a_refusing_limiter_says_when_to_come_back() -> None:
    limiter = RateLimiter(Rate(tokens=1, per_second=0.5), max_wait=REFUSING, clock=FakeClock())
    await limiter.acquire("tool")
    with pytest.raises(RateLimitedError, match=r"limit of 0\.5 per second for tool") as caught:
        await limiter.acquire("tool")
    assert caught.value.retry_after == pytest.approx(2.0)


async def test_a_refused_call_takes_nothing() -> None:
    clock = FakeClock()
    limiter = RateLimiter(Rate(tokens=1, per_second=1), max_wait=REFUSING, clock=clock)
    await limiter.acquire("tool")
    for _ in range(5):
        with pytest.raises(RateLimitedError):
            await limiter.acquire("tool")
    clock.advance(1)
    await limiter.acquire("tool")


async def test_nobody_waits_longer_than_allowed() -> None:
    clock = FakeClock()
    limiter = RateLimiter(Rate(tokens=1, per_second=1), max_wait=timedelta(seconds=2), clock=clock)
    results = await asyncio.gather(*(limiter.acquire("x") for _ in range(5)), return_exceptions=True)
    assert [type(result).__name__ for result in results] == ["NoneType"] * 3 + ["RateLimitedError"] * 2


async def test_whoever_stops_waiting_gives_the_token_back() -> None:
    clock = FakeClock()
    limiter = RateLimiter(Rate(tokens=1, per_second=1), clock=clock)
    await limiter.acquire("x")
    impatient = asyncio.create_task(limiter.acquire("x"))
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.gather(impatient, return_exceptions=True)
    await limiter.acquire("x")
    assert clock.monotonic() == pytest.approx(1.0)


async def test_keys_have_buckets_of_their_own() -> None:
    limiter = RateLimiter(Rate(tokens=1, per_second=1), max_wait=REFUSING, clock=FakeClock())
    await limiter.acquire("user:1")
    await limiter.acquire("user:2")


async def test_limiters_on_one_state_share_a_limit() -> None:
    clock = FakeClock()
    state = MemoryLimiterState(clock)
    rate = Rate(tokens=1, per_second=1)
    await RateLimiter(rate, max_wait=REFUSING, state=state, clock=clock).acquire("provider")
    with pytest.raises(RateLimitedError):
        await RateLimiter(rate, max_wait=REFUSING, state=state, clock=clock).acquire("provider")


async def test_the_callback_learns_who_waits_and_who_is_refused() -> None:
    told: list[Throttled] = []
    limiter = RateLimiter(
        Rate(tokens=1, per_second=1), max_wait=timedelta(seconds=1), clock=FakeClock(), on_throttle=told.append
    )
    await asyncio.gather(*(limiter.acquire("x") for _ in range(3)), return_exceptions=True)
    assert told == [Throttled("x", 1.0, refused=False), Throttled("x", 2.0, refused=True)]


@given(
    gaps=st.lists(st.floats(0, 2), min_size=1, max_size=60),
    tokens=st.integers(1, 20),
    per_second=st.floats(0.1, 50),
)
def test_no_span_of_time_sees_more_calls_than_the_bucket_and_its_refill(
    gaps: list[float], tokens: int, per_second: float
) -> None:
    """The definition of a token bucket: at most `tokens + seconds × rate` calls in any span."""
    rate = Rate(tokens=tokens, per_second=per_second)
    times = asyncio.run(_admitted_at(gaps, rate))
    for first, start in enumerate(times):
        for last in range(first, len(times)):
            allowed = tokens + (times[last] - start) * per_second
            assert last - first + 1 <= allowed + 1e-6


async def _admitted_at(gaps: list[float], rate: Rate) -> list[float]:
    clock = FakeClock()
    limiter = RateLimiter(rate, max_wait=REFUSING, clock=clock)
    admitted = []
    for gap in gaps:
        clock.advance(gap)
        try:
            await limiter.acquire("x")
        except RateLimitedError:
            continue
        admitted.append(clock.monotonic())
    return admitted


async def test_many_keys_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limiter, "MAX_IDLE_KEYS", 100)
    state = MemoryLimiterState(FakeClock())
    for number in range(1_000):
        await state.take(f"user:{number}", Rate(), 1.0, 0.0)
    assert len(state._buckets) == 100


async def test_a_bucket_in_debt_is_never_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limiter, "MAX_IDLE_KEYS", 2)
    state = MemoryLimiterState(FakeClock())
    await state.take("debtor", Rate(tokens=1, per_second=0.01), 1.0, 0.0)
    await state.take("debtor", Rate(tokens=1, per_second=0.01), 1.0, 1000.0)
    for number in range(10):
        await state.take(f"user:{number}", Rate(), 1.0, 0.0)
    taken, _ = await state.take("debtor", Rate(tokens=1, per_second=0.01), 1.0, 0.0)
    assert not taken


@pytest.mark.parametrize(("tokens", "per_second"), [(0.5, 1), (1, 0), (1, -1)])
def test_a_bucket_nothing_can_be_taken_from_is_refused(tokens: float, per_second: float) -> None:
    with pytest.raises(ConfigurationError, match="at least one token"):
        Rate(tokens=tokens, per_second=per_second)


async def test_asking_for_more_than_the_bucket_holds_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="never fit"):
        await RateLimiter(clock=FakeClock()).acquire("x", tokens=11)


async def test_an_idle_hour_saves_up_no_more_than_a_full_bucket() -> None:
    clock = FakeClock()
    limiter = RateLimiter(Rate(tokens=3, per_second=1), max_wait=REFUSING, clock=clock)
    await limiter.acquire("x")
    clock.advance(3600)
    for _ in range(3):
        await limiter.acquire("x")
    with pytest.raises(RateLimitedError):
        await limiter.acquire("x")
