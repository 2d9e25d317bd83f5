"""The usual set of observers in one go, for servers, workers and scripts.

    with observers(service_name="shop") as watching:
        await pipeline.run(request, sink=watching.sink)

In development: a line per span and, after the last one of a run, its metrics, on the console, nothing to install. Else:
logs, metrics for Prometheus, and spans and metrics over OTLP if an endpoint is known. The standard variables decide:
`OTEL_EXPORTER_OTLP_ENDPOINT` (and its kin), `OTEL_TRACES_EXPORTER` and `OTEL_METRICS_EXPORTER` (`otlp`, `console`,
`none`), `OTEL_SERVICE_NAME`, `OTEL_SDK_DISABLED`.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Literal

from batuta.events.envelope import Event
from batuta.events.observers import FanOutSink
from batuta.events.sink import EventSink
from batuta.kernel.errors import ConfigurationError
from batuta.kernel.outgoing import carry
from batuta.observability.channel import EventChannel
from batuta.observability.console import ConsoleMetrics, ConsoleSpans, OneAfterTheOther
from batuta.observability.logs import LogSink, configure_logs
from batuta.observability.metrics import PrometheusMetrics
from batuta.observability.otel_metrics import OtelMetrics, otlp_meters
from batuta.observability.propagation import ActiveSpans, TraceContext
from batuta.observability.spans import OnExport, SpanSink, otlp_exporter, resource_of

Exporter = Literal["otlp", "console", "none"]
Signal = Literal["TRACES", "METRICS"]

_ELSEWHERE = frozenset({"prometheus"})
"""An exporter that others count among OpenTelemetry's; ours is on by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watchers:
    """Which observers are wanted."""

    service_name: str = "batuta"
    spans: Exporter = "none"
    meters: Exporter = "none"
    otlp_endpoint: str | None = None
    """Where OTLP goes; nothing leaves that to the variables."""
    has_prometheus: bool = True
    has_logs: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Observers:
    """Who watches. Hand `sink` to every run; mount `metrics.app()`; say where runs come from (`take_up`)."""

    sink: EventSink
    channel: EventChannel
    active_spans: ActiveSpans
    metrics: PrometheusMetrics | None = None
    spans: SpanSink | None = None
    recalls: tuple[Callable[[Sequence[Event]], None], ...] = ()

    def take_up(
        self, context: TraceContext | None, *, turn_id: str | None = None, history: Sequence[Event] = ()
    ) -> EventSink:
        """The sink of a run that belongs to a context, and of which some events may exist already."""
        if context is not None:
            self.active_spans.expect(context)
            if self.spans is not None:
                self.spans.expect(context, turn_id)
        if history:
            for recall in self.recalls:
                recall(history)
        return self.sink


@contextmanager
def observers(
    *, service_name: str = "batuta", is_development: bool = False, otlp_endpoint: str | None = None
) -> Iterator[Observers]:
    """Set everything up, and take it down in order: no event is left behind."""
    by_default: Exporter = "console" if is_development else "none"
    if not is_development:
        configure_logs()
    wanted = Watchers(
        service_name=service_name,
        spans=chosen_exporter("TRACES", otlp_endpoint, by_default),
        meters=chosen_exporter("METRICS", otlp_endpoint, by_default),
        otlp_endpoint=otlp_endpoint,
        has_prometheus=not is_development,
        has_logs=not is_development,
    )
    with watching(wanted) as found:
        yield found


@contextmanager
def watching(wanted: Watchers) -> Iterator[Observers]:
    """Exactly the observers that are wanted."""
    with ExitStack() as stack:
        active_spans = ActiveSpans()
        stack.enter_context(carry(active_spans.headers))
        channel = EventChannel()
        metrics = PrometheusMetrics(channel=channel) if wanted.has_prometheus else None
        # What the channel feeds is closed after the channel, which is closed when everything was delivered.
        exported = _exported(wanted, stack, metrics)
        stack.enter_context(channel)
        sinks: dict[str, EventSink | None] = {**exported, "metrics": metrics}
        sinks["logs"] = LogSink() if wanted.has_logs else None
        for name, sink in sinks.items():
            if sink is not None:
                channel.attach(sink, name=name)
        spans = exported.get("spans")
        yield Observers(
            sink=FanOutSink(active_spans, channel),
            channel=channel,
            active_spans=active_spans,
            metrics=metrics,
            spans=spans if isinstance(spans, SpanSink) else None,
            recalls=tuple(
                sink.recall
                for sink in (active_spans, metrics, *exported.values())
                if isinstance(sink, (ActiveSpans, PrometheusMetrics, SpanSink, OtelMetrics, OneAfterTheOther))
            ),
        )


def chosen_exporter(signal: Signal, endpoint: str | None, by_default: Exporter) -> Exporter:
    """What the standard variables choose for a signal. Raises `ConfigurationError` for an unknown word."""
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return "none"
    variable = f"OTEL_{signal}_EXPORTER"
    chosen = os.environ.get(variable, "").strip().lower()
    if chosen in ("otlp", "console", "none"):
        return chosen  # type: ignore[return-value] # one of the three
    if chosen and chosen not in _ELSEWHERE:
        raise ConfigurationError(f"{variable} is otlp, console or none, got {chosen!r}")
    endpoints = (f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    is_known = endpoint is not None or any(os.environ.get(name) for name in endpoints)
    return "otlp" if is_known and not chosen else by_default


def _exported(wanted: Watchers, stack: ExitStack, metrics: PrometheusMetrics | None) -> dict[str, EventSink]:
    found: dict[str, EventSink] = {}
    service_name = os.environ.get("OTEL_SERVICE_NAME") or wanted.service_name
    if wanted.spans == "otlp":
        exporter = otlp_exporter(wanted.otlp_endpoint)
        counted = _counted(metrics, "span_exports_total")
        found["spans"] = stack.enter_context(SpanSink(exporter, resource=resource_of(service_name), on_export=counted))
    if wanted.meters == "otlp":
        counted = _counted(metrics, "metric_exports_total")
        meters = otlp_meters(resource_of(service_name), wanted.otlp_endpoint, on_export=counted)
        stack.callback(meters.shutdown)
        found["meters"] = OtelMetrics(meters)
    if console := _on_the_console(wanted):
        found["console"] = OneAfterTheOther(*console)
    return found


def _on_the_console(wanted: Watchers) -> list[EventSink]:
    """Spans first: the metrics of a run come after its last span."""
    spans: list[EventSink] = [ConsoleSpans()] if wanted.spans == "console" else []
    return [*spans, ConsoleMetrics()] if wanted.meters == "console" else spans


def _counted(metrics: PrometheusMetrics | None, metric: str) -> OnExport | None:
    """Puts what becomes of exports on `/metrics`: who exports cannot say by the same road that it does not arrive."""
    if metrics is None:
        return None

    def count(is_taken: bool, number: int) -> None:
        metrics.count(metric, number, status="success" if is_taken else "failure")

    return count
