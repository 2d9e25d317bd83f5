"""The system clock is the machine's own."""

import time
from datetime import UTC, datetime

from batuta.kernel.clock import SYSTEM_CLOCK, Clock


def test_now_is_the_present_in_utc() -> None:
    before = datetime.now(UTC)
    now = SYSTEM_CLOCK.now()
    assert before <= now <= datetime.now(UTC)
    assert now.tzinfo is UTC


def test_monotonic_never_goes_back() -> None:
    before = time.monotonic()
    assert before <= SYSTEM_CLOCK.monotonic() <= time.monotonic()


async def test_sleeping_lets_time_pass() -> None:
    clock: Clock = SYSTEM_CLOCK
    before = clock.monotonic()
    await clock.sleep(0.001)
    assert clock.monotonic() - before >= 0.001
