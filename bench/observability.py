"""What observability costs: all sinks off, events only, Prometheus, OpenTelemetry, against spans made by hand.

    python -m bench.observability [--steps 10] [--rounds 30]

CPU time of the whole process, threads included, per run of a pipeline; the best of interleaved rounds. Spans are made,
batched and counted, not sent: sending costs the same whoever made them. By hand means plain coroutines with one SDK
span each and the attributes ours have. How much longer a run takes beside a subscriber that hangs is wall time, the
middle of interleaved pairs, with a step that waits as an agent does for its model.
"""

import argparse
import asyncio
import gc
import json
import statistics
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from batuta import Pipeline, step
from batuta.events import Event
from batuta.observability.channel import EventChannel, Overflow
from batuta.observability.metrics import PrometheusMetrics
from batuta.observability.spans import SpanSink
from bench.tables import verdict

RUNS = 100
"""Runs per measurement; spans of all of them are flushed within it."""
LIMIT = 1.6
HANGING_LIMIT = 1.05
PAIRS = 12


class Counting(SpanExporter):
    """Counts what would be sent."""

    def __init__(self) -> None:
        self.spans = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.spans += len(spans)
        return SpanExportResult.SUCCESS


class Ignoring:
    """Hears every event and does nothing."""

    never_blocks = True

    def emit(self, event: Event) -> None:
        return


async def add_one(number: int) -> int:
    return number + 1


def pipeline(steps: int) -> Pipeline[int, int]:
    first: Any = step(add_one).named("step_0")
    for index in range(1, steps):
        first = first >> step(add_one).named(f"step_{index}")
    return Pipeline("bench", first)


Measured = Callable[[], Awaitable[float]]


def ours(steps: int, sink: Any = None, flush: Callable[[], object] = lambda: None) -> Measured:
    work = pipeline(steps)

    async def measure() -> float:
        started = time.process_time()
        for _ in range(RUNS):
            await work.run(0, sink=sink)
        flush()
        return (time.process_time() - started) / RUNS

    return measure


def by_hand(steps: int) -> tuple[Measured, Counting]:
    exporter = Counting()
    provider = TracerProvider(resource=Resource.create({"service.name": "bench"}))
    provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=RUNS * (steps + 1) * 2))
    tracer = provider.get_tracer("bench")
    names = [f"step_{index}" for index in range(steps)]

    async def one_step(name: str, number: int) -> int:
        with tracer.start_as_current_span(name) as span:
            span.set_attribute("correlation.id", "bench")
            span.set_attribute("pipeline.name", "bench")
            span.set_attribute("step.name", name)
            span.set_attribute("step.type", "FunctionStep")
            span.set_attribute("step.path", f"bench/{name}")
            result = await add_one(number)
            span.set_attribute("step.status", "success")
            return result

    async def measure() -> float:
        started = time.process_time()
        for _ in range(RUNS):
            with tracer.start_as_current_span("invoke_workflow bench") as root:
                root.set_attribute("correlation.id", "bench")
                root.set_attribute("pipeline.name", "bench")
                number = 0
                for name in names:
                    number = await one_step(name, number)
        provider.force_flush()
        return (time.process_time() - started) / RUNS

    return measure, exporter


async def compare(steps: int, rounds: int) -> dict[str, float]:
    """Microseconds per run, by mode."""
    exporter = Counting()
    spans = SpanSink(exporter, linger=timedelta(seconds=60))
    with EventChannel() as counted, EventChannel() as traced:

        def flush_spans() -> None:
            traced.drain()
            spans.flush()

        counted.attach(PrometheusMetrics(), name="metrics", capacity=100_000)
        traced.attach(spans, name="spans", capacity=100_000)
        manual, sent_by_hand = by_hand(steps)
        modes: dict[str, Measured] = {
            "all sinks off": ours(steps),
            "events only": ours(steps, Ignoring()),
            "Prometheus": ours(steps, counted, counted.drain),
            "OpenTelemetry": ours(steps, traced, flush_spans),
            "spans by hand": manual,
        }
        best = dict.fromkeys(modes, float("inf"))
        for _ in range(rounds):
            for name, measure in modes.items():
                gc.collect()
                best[name] = min(best[name], await measure())
    assert exporter.spans == sent_by_hand.spans == rounds * RUNS * (steps + 1), "both made the same number of spans"
    return {name: seconds * 1e6 for name, seconds in best.items()}


class Hanging:
    """Takes one event and does not come back until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def emit(self, event: Event) -> None:
        self.let_go.wait()


@step
async def answer(question: str) -> str:
    await asyncio.sleep(0.005)  # which is fast for a model
    return question


async def beside_one_that_hangs(overflow: Overflow) -> float:
    """How much longer runs take whose events one of the subscribers does not take."""
    hanging, ratios = Hanging(), []
    with EventChannel() as healthy, EventChannel() as burdened:
        burdened.attach(hanging, name="stuck", capacity=100, overflow=overflow)
        for number in range(PAIRS):
            channels = [healthy, burdened] if number % 2 else [burdened, healthy]
            taken = {id(channel): await _waited(channel) for channel in channels}
            ratios.append(taken[id(burdened)] / taken[id(healthy)])
        hanging.let_go.set()
    return statistics.median(ratios)


async def _waited(channel: EventChannel) -> float:
    work = Pipeline("work", answer)
    started = time.perf_counter()
    for _ in range(30):
        await work.run("go", sink=channel)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=30)
    asked = parser.parse_args()
    found = asyncio.run(compare(asked.steps, asked.rounds))
    ratio = found["OpenTelemetry"] / found["spans by hand"]
    for name, microseconds in found.items():
        print(f"{name:16} {microseconds:9.1f} µs per run of {asked.steps} steps")
    print(json.dumps({**found, "OpenTelemetry / by hand": ratio}))
    print(f"OpenTelemetry / by hand = {ratio:.2f} (limit {LIMIT})")
    slower = {overflow: asyncio.run(beside_one_that_hangs(overflow)) for overflow in Overflow}
    for overflow, times in slower.items():
        print(f"beside a subscriber that hangs, {overflow} = {times:.3f} (limit {HANGING_LIMIT})")
    print(verdict(int(ratio > LIMIT) + sum(times > HANGING_LIMIT for times in slower.values())))


if __name__ == "__main__":
    main()
