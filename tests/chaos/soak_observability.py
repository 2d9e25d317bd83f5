"""The contract's targets with every sink on, in one run: `python -m tests.chaos.soak_observability [events] [rate]`.

Appointments are booked at a steady rate, some at a time, each in a session of its own: every event is recorded in a
log on disk before the run goes on, and somebody follows the session as live delivery does. Spans and metrics go to a
real OTLP receiver and to a console, metrics also to Prometheus' client, logs to a file. At the end everybody's count
must be the count of events told.
"""

import asyncio
import io
import json
import logging
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol, TextIO

import structlog

from batuta.events import Event, EventSink, FanOutSink, Recorder
from batuta.events.log import EventLog
from batuta.events.routing import Persistence
from batuta.eventstore.recorder import TurnRecorder
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.kernel.clock import Clock, SystemClock
from batuta.kernel.ids import new_id
from batuta.kernel.tasks import cancelled
from batuta.observability.channel import EventChannel
from batuta.observability.console import ConsoleMetrics, ConsoleSpans
from batuta.observability.contract_figures import ContractFigures
from batuta.observability.logs import LogSink, configure_logs
from batuta.observability.metrics import PrometheusMetrics
from batuta.observability.otel_metrics import OtelMetrics, otlp_meters
from batuta.observability.runs import RunAssembler
from batuta.observability.spans import SpanSink, otlp_exporter, resource_of
from examples.appointments import book
from tests.support.otlp import Received, http_receiver

AT_ONCE = 32
"""Runs at a time: they share the commits of the log."""


@dataclass(frozen=True, kw_only=True)
class Targets:
    """What was measured."""

    events: int
    per_second: float
    lost: int
    """Events told that some sink, the log or its follower did not get; spans and metrics that did not arrive."""
    emit_p95_ms: float
    """How long a run waits for its sink."""
    delivery_p95_ms: float
    """From the event to the sink that measures latency, behind the channel."""
    trace_completion: float
    """Of all runs that began; one that had not ended when the measuring ended counts as incomplete."""
    spans_arrived: int
    log_lines: int
    recorded: int
    """Events that the log holds: what is told live only is not stored."""
    followed: int
    """Events that somebody saw who follows the log while it grows."""

    @property
    def is_fast(self) -> bool:
        """Whether rate and latencies are within the contract."""
        return self.per_second >= 1_000 and self.emit_p95_ms < 100 and self.delivery_p95_ms < 100


class Impatient(SystemClock):
    """The real time of day, in which nobody waits."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


class _Timed(FanOutSink):
    """Times how long each emission takes, and counts what should arrive where."""

    def __init__(self, channel: EventChannel) -> None:
        super().__init__(channel)
        self._emit = channel.emit
        self._lock = threading.Lock()
        self._assembler = RunAssembler()
        self.seconds: list[float] = []
        self.spans = self.persisted = self.runs = 0

    def emit(self, event: Event) -> None:
        started = time.perf_counter()
        self._emit(event)
        taken = time.perf_counter() - started
        with self._lock:  # a sink that was slow once is called from a thread of its own
            self.seconds.append(taken)
            self.spans += len(self._assembler.feed(event))
            self.persisted += event.persistence is not Persistence.TRANSIENT
            self.runs += event.type == "agent.pipeline.completed"


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


class Work(Protocol):
    """Does something that is worth watching."""

    async def __call__(
        self, sink: EventSink, clock: Clock, recorder: Recorder | None, session_id: str | None
    ) -> object: ...


class _Follower:
    """Reads what the log gets while it grows, session by session, as live delivery does."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._positions: Counter[str] = Counter()

    @property
    def seen(self) -> int:
        return self._positions.total()

    async def run(self) -> None:
        async with self._log.tail() as bell:
            while True:
                for session in await bell.wait(60):
                    page = await self._log.read_stored(session, after=self._positions[session])
                    for place, record in enumerate(page.records, self._positions[session] + 1):
                        self._positions[session] += record.seq == place

    async def catch_up(self, count: int, seconds: float = 60) -> None:
        """Wait until this much was seen, or for too long."""
        deadline = time.monotonic() + seconds
        while self.seen < count and time.monotonic() < deadline:
            await asyncio.sleep(0.02)


async def measure(events: int, rate: float, work: Work = book) -> Targets:
    """Tell this many events at about this rate per second, with every sink on."""
    latency, completion, nowhere = _Latency(), _Completion(), io.StringIO()
    with ExitStack() as stack:
        file = stack.enter_context(tempfile.TemporaryFile("w+"))
        stack.enter_context(_logs_to(file))
        received = stack.enter_context(http_receiver())
        spans = stack.enter_context(SpanSink(otlp_exporter(received.endpoint, protocol="http/protobuf")))
        meters = otlp_meters(resource_of("soak"), received.endpoint)
        stack.callback(meters.shutdown)
        channel = stack.enter_context(EventChannel())
        metrics = PrometheusMetrics(channel=channel)
        sinks: dict[str, EventSink] = {
            "latency": latency,
            "completion": completion,
            "spans": spans,
            "meters": OtelMetrics(meters),
            "metrics": metrics,
            "logs": LogSink(),
            "console spans": ConsoleSpans(nowhere),
            "console metrics": ConsoleMetrics(nowhere, is_silent=True),
        }
        for name, sink in sinks.items():
            channel.attach(sink, name=name)
        timed = _Timed(channel)
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        async with SqliteEventLog(Path(folder) / "soak.db") as log:
            follower = _Follower(log)
            following = asyncio.create_task(follower.run())
            seconds = await _work_until(timed, log, events, rate, work)
            await follower.catch_up(timed.persisted)
            recorded = await _events_in(log)
            await cancelled([following])
        channel.drain(timedelta(minutes=2))
        spans.flush()
        meters.force_flush()
        file.seek(0)
        lines = sum(1 for _ in file)
        nowhere.truncate(0)
        arrived = [(channel.emitted, each.delivered) for each in channel.stats()]
        arrived += [(timed.spans, len(received.spans)), (timed.runs, _runs_counted(received))]
        arrived += [(timed.persisted, recorded), (timed.persisted, follower.seen)]
        return Targets(
            events=channel.emitted,
            per_second=channel.emitted / seconds,
            lost=sum(max(told - came, 0) for told, came in arrived),
            emit_p95_ms=_p95(timed.seconds) * 1000,
            delivery_p95_ms=_p95(latency.seconds) * 1000,
            trace_completion=completion.figures.completion_at_the_end(),
            spans_arrived=len(received.spans),
            log_lines=lines,
            recorded=recorded,
            followed=follower.seen,
        )


async def _events_in(log: EventLog) -> int:
    """How many events the log holds, session by session."""
    count, after = 0, None
    while found := await log.sessions(after=after):
        count += sum((await log.heads(found)).values())
        after = found[-1]
    return count


def _runs_counted(received: Received) -> int:
    """How many runs the metrics that arrived tell of."""
    told = received.metrics.get("gen_ai.workflow.duration")
    return sum(point.count for point in told.histogram.data_points) if told is not None else 0


async def _work_until(timed: _Timed, log: EventLog, events: int, rate: float, work: Work) -> float:
    started = time.perf_counter()

    async def keep_working() -> None:
        while len(timed.seconds) < events:
            session = new_id()
            await work(timed, Impatient(), TurnRecorder(log, session), session)
            ahead = len(timed.seconds) / rate - (time.perf_counter() - started)
            if ahead > 0:
                await asyncio.sleep(ahead)

    await asyncio.gather(*(keep_working() for _ in range(AT_ONCE)))
    return time.perf_counter() - started


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


if __name__ == "__main__":
    asked = [float(argument) for argument in sys.argv[1:]]
    found = asyncio.run(measure(int(asked[0]) if asked else 600_000, asked[1] if len(asked) > 1 else 1_500.0))
    sys.stdout.write(json.dumps(asdict(found), indent=2) + "\n")
    sys.exit(0 if found.is_fast and found.lost == 0 and found.trace_completion == 1.0 else 1)
