"""How often a password may be tried (P-20, SE-31): the counter alone."""

from datetime import UTC, datetime, timedelta

from batuta.server.identity.login_limits import LONGEST_WAIT, AttemptCount, AttemptLimit, counted

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
WINDOW = timedelta(minutes=15)
LIMIT = AttemptLimit(attempts=3, window=WINDOW)


def after(attempts: int) -> AttemptCount:
    """The counter after some attempts, each as soon as it is free."""
    count, now = None, NOW
    for _ in range(attempts):
        if count is not None:
            now += count.wait(now) or timedelta()
        count = counted(count, LIMIT, now)
    assert count is not None
    return count


def test_attempts_below_the_limit_are_free() -> None:
    assert after(2).wait(NOW) is None


def test_the_last_free_attempt_begins_the_wait() -> None:
    assert after(3).wait(NOW) == WINDOW


def test_every_further_attempt_doubles_the_wait_up_to_a_day() -> None:
    """Slowing down: one attempt is free after each wait."""
    waits = []
    count, now = after(3), NOW
    for _ in range(10):
        wait = count.wait(now)
        assert wait is not None
        waits.append(wait)
        now += wait
        count = counted(count, LIMIT, now)
    assert waits[:4] == [WINDOW, 2 * WINDOW, 4 * WINDOW, 8 * WINDOW]
    assert max(waits) == LONGEST_WAIT


def test_a_counter_that_nobody_moved_is_forgotten() -> None:
    late = after(2).ends_at + timedelta(seconds=1)
    assert counted(after(2), LIMIT, late).attempts == 1
