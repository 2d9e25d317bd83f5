"""Observability on a terminal, the development default: a live tree of the run, a line per span, a table of metrics.

with LiveTree() as tree:
    await pipeline.run(request, sink=tree)
"""

import sys
import threading
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from batuta.events.envelope import Event
from batuta.events.sink import EventSink
from batuta.kernel.extras import load_extra
from batuta.observability.measures import Measurer
from batuta.observability.metric_table import METRICS, MetricKind
from batuta.observability.runs import RunAssembler, Span
from batuta.observability.span_facts import error_type, span_name
from batuta.observability.timeline import as_tree, timeline_of

if TYPE_CHECKING:
    from rich.console import Console

REFRESH_PER_SECOND = 8
MAX_EVENTS = 20_000


class LiveTree:
    """Draws what is running as a tree while it runs, and what it came to at the end (rich, extra `cli`).

    It keeps the events of the run: one run at a time, of at most `MAX_EVENTS` events; later ones are not drawn.
    """

    def __init__(self, console: "Console | None" = None) -> None:
        live = load_extra("rich.live", extra="cli", needed_for="the live tree of a run")
        self._events: list[Event] = []
        self._lock = threading.Lock()
        self._live = live.Live(
            console=console, get_renderable=self._drawn, refresh_per_second=REFRESH_PER_SECOND, transient=False
        )

    def emit(self, event: Event) -> None:
        """Keep an event; it is drawn with the next picture."""
        if event.type not in _NOT_DRAWN and len(self._events) < MAX_EVENTS:
            with self._lock:
                self._events.append(event)

    def __enter__(self) -> "LiveTree":
        """Begin to draw."""
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Draw a last time and leave it on the screen."""
        self._live.stop()
        if not self._live.console.is_terminal:
            self._live.console.line()  # a terminal's last picture ends its line, another's does not

    def _drawn(self) -> Any:
        with self._lock:
            events = list(self._events)
        return as_tree(timeline_of(events))


_NOT_DRAWN = frozenset({"content_delta", "thinking_delta", "tool_progress", "step_progress"})


class ConsoleSpans:
    """Writes one line per span as it ends: time, depth, name, duration, outcome."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._assembler = RunAssembler()

    def recall(self, history: Sequence[Event]) -> None:
        """The events of a turn before this process took it up."""
        self._assembler.recall(history)

    def emit(self, event: Event) -> None:
        """Write the spans that ended with this event."""
        for span in self._assembler.feed(event):
            self._stream.write(span_line(span))


def span_line(span: Span) -> str:
    """A span that ended, as a line."""
    milliseconds = span.duration.total_seconds() * 1000 if span.duration is not None else 0.0
    outcome = f"FAILED {error_type(span.end)}" if span.is_failed else "ok"
    ended_at: datetime = span.ended_at or span.started_at
    return f"{ended_at:%H:%M:%S.%f} {'  ' * _depth(span)}{span_name(span)} {milliseconds:.1f} ms {outcome}\n"


def _depth(span: Span) -> int:
    depth = 0
    while (around := span.parent) is not None:
        span = around
        depth += 1
    return depth


def _is_last_of_its_run(event: Event) -> bool:
    """A turn ends with its own word; a run outside of turns with its outermost step."""
    if event.turn_id is not None or event.type == "complete":
        return event.type == "complete"
    return event.type in ("step.completed", "step.failed") and "/" not in getattr(event, "path", "")


class OneAfterTheOther:
    """Sinks that share a console: each event goes to the first, then to the next, so that their lines do not mix."""

    def __init__(self, *sinks: EventSink) -> None:
        self._sinks = sinks

    def recall(self, history: Sequence[Event]) -> None:
        """The events of a turn before this process took it up, for sinks that follow turns."""
        for sink in self._sinks:
            if isinstance(sink, (ConsoleSpans, ConsoleMetrics)):
                sink.recall(history)

    def emit(self, event: Event) -> None:
        """Hand the event to all of them, in order."""
        for sink in self._sinks:
            sink.emit(event)


class ConsoleMetrics:
    """Adds up every metric and writes them as a table when asked, or after the last event of a run or turn."""

    def __init__(self, stream: TextIO | None = None, *, is_silent: bool = False) -> None:
        self._stream = stream or sys.stderr
        self._is_silent = is_silent
        self._measurer = Measurer()
        self._values: dict[tuple[str, tuple[str, ...]], float] = defaultdict(float)
        self._counts: dict[tuple[str, tuple[str, ...]], int] = defaultdict(int)

    def recall(self, history: Sequence[Event]) -> None:
        """The events of a turn before this process took it up."""
        self._measurer.recall(history)

    def emit(self, event: Event) -> None:
        """Count an event."""
        for metric, labels, amount in self._measurer.of(event):
            row = METRICS[metric]
            if row.kind is MetricKind.GAUGE and not row.is_moved:
                self._values[metric, labels] = amount
            else:
                self._values[metric, labels] += amount
            self._counts[metric, labels] += 1
        if not self._is_silent and _is_last_of_its_run(event):
            self._stream.write(self.text())

    def text(self) -> str:
        """Every metric that moved, one per line; a histogram as its mean and count."""
        return "".join(f"{self._line(*key)}\n" for key in sorted(self._values) if key[0] != "events_total")

    def _line(self, metric: str, labels: tuple[str, ...]) -> str:
        named = ",".join(f'{name}="{value}"' for name, value in zip(METRICS[metric].labels, labels, strict=True))
        value, count = self._values[metric, labels], self._counts[metric, labels]
        if METRICS[metric].kind is MetricKind.HISTOGRAM:
            return f"{metric}{{{named}}} mean={value / count:.4g} n={count}"
        return f"{metric}{{{named}}} {value:g}"
