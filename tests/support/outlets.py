"""Everything an operator can see of runs, kept apart: for tests that look for what must not be seen there."""

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import structlog
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from batuta.events import EventSink
from batuta.observability.channel import CAPACITY, EventChannel
from batuta.observability.console import ConsoleMetrics, ConsoleSpans
from batuta.observability.logs import LOGGED, LogSink, configure_logs
from batuta.observability.metrics import PrometheusMetrics
from batuta.observability.redaction import Redactor
from batuta.observability.spans import SpanSink
from batuta.testing import CapturingSink

ALSO_LOGGED = ("tool_request", "tool_response", "assistant_message", "error")
"""Events with contents that are not logged unless somebody asks for them, as these tests do."""


@dataclass
class Outlets:
    """What came out where, and in `raw` what really happened."""

    logs: io.StringIO = field(default_factory=io.StringIO)
    console: io.StringIO = field(default_factory=io.StringIO)
    spans: InMemorySpanExporter = field(default_factory=InMemorySpanExporter)
    metrics: PrometheusMetrics = field(default_factory=PrometheusMetrics)
    raw: CapturingSink = field(default_factory=CapturingSink)

    @contextmanager
    def logging(self, redactor: Redactor) -> Iterator[None]:
        """Take over logging, down to debug, and give it back."""
        root = logging.getLogger()
        level = root.level
        handler = configure_logs(stream=self.logs, is_pretty=False, level="DEBUG", redactor=redactor)
        try:
            yield
        finally:
            root.removeHandler(handler)
            root.setLevel(level)
            structlog.reset_defaults()

    @contextmanager
    def watching(self, *, has_content: bool | None = None, capacity: int = CAPACITY) -> Iterator[EventChannel]:
        """A sink for runs that feeds every outlet; all has arrived when the block ends."""
        with SpanSink(self.spans, has_content=has_content) as spans, EventChannel() as channel:
            for name, sink in self._sinks(spans).items():
                channel.attach(sink, name=name, capacity=capacity)
            yield channel

    def _sinks(self, spans: SpanSink) -> dict[str, EventSink]:
        return {
            "logs": LogSink(dict.fromkeys([*LOGGED, *ALSO_LOGGED], logging.INFO)),
            "spans": spans,
            "metrics": self.metrics,
            "console": ConsoleSpans(self.console),
            "console metrics": ConsoleMetrics(self.console),
            "raw": self.raw,
        }

    def texts(self) -> dict[str, str]:
        """What an operator can read, by where."""
        return {
            "logs": self.logs.getvalue(),
            "console": self.console.getvalue(),
            "spans": "\n".join(span.to_json() for span in self.spans.get_finished_spans()),
            "metrics": self.metrics.text().decode(),
        }

    def raw_text(self) -> str:
        """What went through the runs."""
        return "\n".join(event.model_dump_json() for event in self.raw.events)

    def logged(self, event: str) -> list[dict[str, Any]]:
        """The lines of the log about an event."""
        lines = [json.loads(line) for line in self.logs.getvalue().splitlines()]
        return [line for line in lines if line["event"] == event]
