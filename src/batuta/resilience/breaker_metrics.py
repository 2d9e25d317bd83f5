"""Figures of the circuit breakers of this process: failures per minute, time open, outcome of trials."""

from collections import deque
from dataclasses import dataclass, field

MINUTE = 60.0
KEPT_FAILURES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerMetrics:
    """What one process saw of one key."""

    failures_last_minute: int = 0
    failures_total: int = 0
    seconds_open: float = 0.0
    """In all, the current opening included."""
    half_open_successes: int = 0
    half_open_failures: int = 0


@dataclass(slots=True)
class _Page:
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT_FAILURES))
    failures: int = 0
    seconds_open: float = 0.0
    opened_at: float | None = None
    successes: int = 0
    trial_failures: int = 0


class MetricsBook:
    """Collects the figures of all keys. A key that never failed has no page."""

    def __init__(self) -> None:
        self._pages: dict[str, _Page] = {}

    def note(self, key: str, signal: str, previous: str, current: str, now: float) -> None:
        """Write down one signal and the phases before and after it."""
        if signal == "failed":
            self._note_failure(key, now)
        if previous == "half_open":
            self._note_trial(key, signal)
        if previous != current:
            self._note_change(key, current, now)

    def of(self, key: str, now: float) -> BreakerMetrics:
        """The figures of a key."""
        page = self._pages.get(key)
        if page is None:
            return BreakerMetrics()
        _forget_old(page, now)
        still_open = 0.0 if page.opened_at is None else max(now - page.opened_at, 0.0)
        return BreakerMetrics(
            failures_last_minute=len(page.recent),
            failures_total=page.failures,
            seconds_open=page.seconds_open + still_open,
            half_open_successes=page.successes,
            half_open_failures=page.trial_failures,
        )

    def _page(self, key: str) -> _Page:
        return self._pages.setdefault(key, _Page())

    def _note_failure(self, key: str, now: float) -> None:
        page = self._page(key)
        page.failures += 1
        page.recent.append(now)
        _forget_old(page, now)

    def _note_trial(self, key: str, signal: str) -> None:
        page = self._page(key)
        page.successes += signal == "succeeded"
        page.trial_failures += signal in {"failed", "exhausted"}

    def _note_change(self, key: str, current: str, now: float) -> None:
        page = self._page(key)
        if current == "open":
            page.opened_at = now
        elif page.opened_at is not None:
            page.seconds_open += max(now - page.opened_at, 0.0)
            page.opened_at = None


def _forget_old(page: _Page, now: float) -> None:
    while page.recent and page.recent[0] <= now - MINUTE:
        page.recent.popleft()
