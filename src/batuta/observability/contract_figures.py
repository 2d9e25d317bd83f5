"""The contract's own figures of one process: rate, loss and latency of events, and how many runs came to their end."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from batuta.events.envelope import Event
from batuta.observability.runs import RunKey, run_of
from batuta.observability.subscription import ChannelStats

WINDOW_SECONDS = 60.0
SAMPLES = 4_096
OVERDUE_SECONDS = 300.0
"""A run without an end after this long counts as incomplete."""
MAX_OPEN = 100_000

_BEGINNINGS = {"agent.pipeline.started": "pipeline", "turn.started": "turn", "turn.resumed": "turn"}
_ENDS = {"agent.pipeline.completed": "pipeline", "complete": "turn"}
"""What counts as a run, and by which events it begins and ends; a turn that pauses has reported what there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractRates:
    """The four figures, by the names the contract gives them."""

    event_emit_rate: float
    event_loss_rate: float
    trace_completion_rate: float
    event_latency_p95: float


class ContractFigures:
    """Counts as events arrive. The caller says what time it is."""

    def __init__(self) -> None:
        self._arrivals: deque[tuple[float, int]] = deque()
        """Second and count, within the window."""
        self._latencies: deque[float] = deque(maxlen=SAMPLES)
        self._open: dict[tuple[str, RunKey], float] = {}
        self._ended = self._incomplete = self._total = 0

    def count(self, event: Event, now: datetime) -> None:
        """Take note of an event that arrived now."""
        seconds = now.timestamp()
        self._total += 1
        self._latencies.append(max(seconds - event.timestamp.timestamp(), 0.0))
        if self._arrivals and self._arrivals[-1][0] == int(seconds):
            self._arrivals[-1] = (self._arrivals[-1][0], self._arrivals[-1][1] + 1)
        else:
            self._arrivals.append((int(seconds), 1))
            self._forget(seconds)
        if (what := _BEGINNINGS.get(event.type)) is not None:
            self._open[what, run_of(event)] = seconds
        elif (what := _ENDS.get(event.type)) is not None and self._open.pop((what, run_of(event)), None) is not None:
            self._ended += 1

    def now(self, now: datetime, stats: Iterable[ChannelStats] = ()) -> ContractRates:
        """The figures at this moment."""
        self._forget(now.timestamp())
        lost = sum(each.dropped + each.missed + each.failures for each in stats)
        finished = self._ended + self._incomplete
        return ContractRates(
            event_emit_rate=self._rate(now.timestamp()),
            event_loss_rate=lost / (self._total + lost) if lost else 0.0,
            trace_completion_rate=self._ended / finished if finished else 1.0,
            event_latency_p95=self._p95(),
        )

    def completion_at_the_end(self) -> float:
        """The share of runs that came to their end, once nothing more will come: what is open now never ended."""
        begun = self._ended + self._incomplete + len(self._open)
        return self._ended / begun if begun else 1.0

    def _rate(self, now: float) -> float:
        if not self._arrivals:
            return 0.0
        span = max(now - self._arrivals[0][0], 1.0)
        return sum(count for _, count in self._arrivals) / span

    def _p95(self) -> float:
        ordered = sorted(self._latencies)
        return ordered[int(len(ordered) * 0.95)] if ordered else 0.0

    def _forget(self, now: float) -> None:
        while self._arrivals and self._arrivals[0][0] < now - WINDOW_SECONDS:
            self._arrivals.popleft()
        while self._open:
            first = next(iter(self._open))
            if self._open[first] > now - OVERDUE_SECONDS and len(self._open) <= MAX_OPEN:
                return
            del self._open[first]
            self._incomplete += 1
