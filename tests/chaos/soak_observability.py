"""The contract's targets with every sink on, in one run: `python -m tests.chaos.soak_observability [events] [rate]`.

Appointments are booked at a steady rate; spans go to a real OTLP receiver, logs to a file, metrics to Prometheus'
client, spans and metrics also to a console. At the end everybody's count must be the count of events told.
"""

import asyncio
import io
import json
import logging
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TextIO

import structlog

from batuta.events import Event, EventSink, FanOutSink
from batuta.kernel.clock import Clock, SystemClock
from batuta.observability.channel import EventChannel
from batuta.observability.console import ConsoleMetrics, ConsoleSpans
from batuta.observability.contract_figures import ContractFigures
from batuta.observability.logs import LogSink, configure_logs
from batuta.observability.metrics import PrometheusMetrics
from batuta.observability.runs import RunAssembler
from batuta.observability.spans import SpanSink, otlp_exporter
from examples.appointments import book
from tests.support.otlp import http_receiver


@dataclass(frozen=True, kw_only=True)
class Targets:
    """What was measured."""

    events: int
    per_second: float
    lost: int
    """Events told that some sink did not get, and spans that did not arrive."""
    emit_p95_ms: float
    """How long a run waits for its sink."""
    delivery_p95_ms: float
    """From the event to the sink that measures latency, behind the channel."""
    trace_completion: float
    """Of all runs that began; one that had not ended when the measuring ended counts as incomplete."""
    spans_arrived: int
    log_lines: int


class Impatient(SystemClock):
    """The real time of day, in which nobody waits."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


class _Timed(FanOutSink):
    """Times how long each emission takes, and counts what should arrive."""

    def __init__(self, channel: EventChannel) -> None:
        super().__init__(channel)
        self._emit = channel.emit
        self._lock = threading.Lock()
        self._assembler = RunAssembler()
        self.seconds: list[float] = []
        self.spans = 0

    def emit(self, event: Event) -> None:
        started = time.perf_counter()
        self._emit(event)
        taken = time.perf_counter() - started
        with self._lock:  # a sink that was slow once is called from a thread of its own
            self.seconds.append(taken)
            self.spans += len(self._assembler.feed(event))


class _Latency:
    def __init__(self) -> None:
        self.seconds: list[float] = []

    def emit(self, event: Event) -> None:
        if event.type == "step.completed":
            self.seconds.append((datetime.now(UTC) - event.timestamp).total_seconds())


class _Completion:
    """Counts which runs came to their end, by the product's own figures, as one more subscriber of the channel."""

    def __init__(self) -> None:
        self.figures = ContractFigures()

    def emit(self, event: Event) -> None:
        self.figures.count(event, datetime.now(UTC))


@contextmanager
def _logs_to(stream: TextIO) -> Iterator[None]:
    level = logging.getLogger().level
    handler = configure_logs(stream=stream, is_pretty=False, level="INFO")
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        logging.getLogger().setLevel(level)
        structlog.reset_defaults()


Work = Callable[[EventSink, Clock], Awaitable[object]]


async def measure(events: int, rate: float, work: Work = book) -> Targets:
    """Tell this many events at about this rate per second, with every sink on."""
    latency, completion, nowhere = _Latency(), _Completion(), io.StringIO()
    with ExitStack() as stack:
        file = stack.enter_context(tempfile.TemporaryFile("w+"))
        stack.enter_context(_logs_to(file))
        received = stack.enter_context(http_receiver())
        spans = stack.enter_context(SpanSink(otlp_exporter(received.endpoint, protocol="http/protobuf")))
        channel = stack.enter_context(EventChannel())
        metrics = PrometheusMetrics(channel=channel)
        sinks: dict[str, EventSink] = {
            "latency": latency,
            "completion": completion,
            "spans": spans,
            "metrics": metrics,
            "logs": LogSink(),
            "console spans": ConsoleSpans(nowhere),
            "console metrics": ConsoleMetrics(nowhere, is_silent=True),
        }
        for name, sink in sinks.items():
            channel.attach(sink, name=name)
        timed = _Timed(channel)
        seconds = await _work_until(timed, events, rate, work)
        channel.drain(timedelta(minutes=2))
        spans.flush()
        stats = channel.stats()
        file.seek(0)
        lines = sum(1 for _ in file)
        missing = sum(channel.emitted - each.delivered for each in stats) + timed.spans - len(received.spans)
        nowhere.truncate(0)
        return Targets(
            events=channel.emitted,
            per_second=channel.emitted / seconds,
            lost=missing,
            emit_p95_ms=_p95(timed.seconds) * 1000,
            delivery_p95_ms=_p95(latency.seconds) * 1000,
            trace_completion=completion.figures.completion_at_the_end(),
            spans_arrived=len(received.spans),
            log_lines=lines,
        )


async def _work_until(timed: _Timed, events: int, rate: float, work: Work) -> float:
    started = time.perf_counter()
    while len(timed.seconds) < events:
        await work(timed, Impatient())
        ahead = len(timed.seconds) / rate - (time.perf_counter() - started)
        if ahead > 0:
            await asyncio.sleep(ahead)
    return time.perf_counter() - started


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


if __name__ == "__main__":
    asked = [float(argument) for argument in sys.argv[1:]]
    found = asyncio.run(measure(int(asked[0]) if asked else 600_000, asked[1] if len(asked) > 1 else 1_500.0))
    sys.stdout.write(json.dumps(asdict(found), indent=2) + "\n")
    is_met = found.lost == 0 and found.per_second >= 1_000 and found.trace_completion == 1.0
    sys.exit(0 if is_met and found.emit_p95_ms < 100 and found.delivery_p95_ms < 100 else 1)
