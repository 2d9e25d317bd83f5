"""Metrics over OpenTelemetry (extra `otel`): the GenAI conventions' histograms, and `batuta.step.*` of the table."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from batuta.events.envelope import Event
from batuta.events.runtime import LlmResponse
from batuta.kernel.extras import load_extra
from batuta.observability.measures import Measurer
from batuta.observability.metric_table import GEN_AI_METRICS, METRICS, Metric, MetricKind
from batuta.observability.redaction import REDACTOR
from batuta.observability.runs import RunAssembler, Span, SpanKind
from batuta.observability.span_facts import OPERATIONS, error_class, provider_name
from batuta.observability.spans import OnExport, otlp_protocol, otlp_target

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.resources import Resource

Point = tuple[str, float, dict[str, Any]]
"""A metric, a value, and attributes."""

MAX_STREAMS = 10_000
"""Answers whose pieces are timed at once; one that was cut off tells no end, and the oldest gives way."""


class OtelMetrics:
    """A sink that feeds a meter provider; put it behind the channel."""

    def __init__(self, provider: "MeterProvider | None" = None) -> None:
        api = load_extra("opentelemetry.metrics", extra="otel", needed_for="metrics over OTLP")
        meter = (provider or api.get_meter_provider()).get_meter("batuta")
        self._gen_ai = {
            name: meter.create_histogram(
                name, unit=histogram.unit, explicit_bucket_boundaries_advisory=list(histogram.buckets)
            )
            for name, histogram in GEN_AI_METRICS.items()
        }
        self._own = {name: _instrument(meter, metric) for name, metric in METRICS.items() if metric.otel is not None}
        self._measurer = Measurer()
        self._assembler = RunAssembler()
        self._streams: dict[str, _Stream] = {}

    def recall(self, history: Sequence[Event]) -> None:
        """The events of a turn before this process took it up."""
        self._assembler.recall(history)

    def emit(self, event: Event) -> None:
        """Count an event."""
        for measure in self._measurer.of(event):
            record = self._own.get(measure.metric)
            if record is not None:
                record(measure.amount, dict(zip(METRICS[measure.metric].labels, measure.labels, strict=True)))
        self._note_piece(event)
        for span in self._assembler.feed(event):
            for name, value, attributes in self._points(span):
                self._gen_ai[name].record(value, attributes)

    def _note_piece(self, event: Event) -> None:
        """When the first piece of an answer came, and how long each of the others took."""
        if event.type not in ("content_delta", "thinking_delta") or event.message_id is None:
            return
        stream = self._streams.get(event.message_id)
        if stream is not None:
            stream.gaps.append((event.timestamp - stream.last).total_seconds())
            stream.last = event.timestamp
            return
        self._streams[event.message_id] = _Stream(event.timestamp, event.timestamp)
        if len(self._streams) > MAX_STREAMS:
            del self._streams[next(iter(self._streams))]

    def _points(self, span: Span) -> Iterable[Point]:
        make = _POINTS.get(span.kind)
        if make is not None and span.end is not None:
            yield from make(span)
        if isinstance(span.end, LlmResponse) and (stream := self._streams.pop(span.end.call_id, None)) is not None:
            yield from _streamed(span, stream)


@dataclass(slots=True)
class _Stream:
    """The pieces of an answer that is on its way."""

    first: datetime
    last: datetime
    gaps: list[float] = field(default_factory=list)
    """Seconds from each piece to the next."""


def _streamed(span: Span, stream: _Stream) -> Iterable[Point]:
    """How long until the first piece, and from each piece to the next; once the answer says which model it was."""
    said = _model_attributes(span)
    waited = (stream.first - span.started_at).total_seconds()
    yield "gen_ai.client.operation.time_to_first_chunk", max(waited, 0.0), said
    for gap in stream.gaps:
        yield "gen_ai.client.operation.time_per_output_chunk", max(gap, 0.0), said


def otlp_meters(
    resource: "Resource", endpoint: str | None = None, *, on_export: OnExport | None = None
) -> "MeterProvider":
    """A meter provider that sends over OTLP; what is not given comes from the `OTEL_EXPORTER_OTLP_*` variables."""
    chosen = otlp_protocol("METRICS")
    exporters = load_extra(_EXPORTERS[chosen], extra="otel", needed_for="sending metrics over OTLP")
    sdk = load_extra("opentelemetry.sdk.metrics", extra="otel", needed_for="sending metrics over OTLP")
    export = load_extra("opentelemetry.sdk.metrics.export", extra="otel", needed_for="sending metrics over OTLP")
    exporter = exporters.OTLPMetricExporter(**otlp_target(endpoint, chosen, "metrics"))
    if on_export is not None:
        exporter.export = _reporting(exporter.export, on_export)
    provider: MeterProvider = sdk.MeterProvider(
        resource=resource, metric_readers=[export.PeriodicExportingMetricReader(exporter)], shutdown_on_exit=False
    )
    return provider


def _reporting(export: Callable[..., Any], on_export: OnExport) -> Callable[..., Any]:
    """An exporter's `export` that says how each went: its reader drops the result, and an error as well."""

    def export_and_tell(*arguments: Any, **options: Any) -> Any:
        is_taken = False
        try:
            result = export(*arguments, **options)
            is_taken = result.value == 0
        finally:
            on_export(is_taken, 1)
        return result

    return export_and_tell


_EXPORTERS = {
    "grpc": "opentelemetry.exporter.otlp.proto.grpc.metric_exporter",
    "http/protobuf": "opentelemetry.exporter.otlp.proto.http.metric_exporter",
}


def _instrument(meter: Any, metric: Metric) -> Callable[..., None]:
    made: Callable[..., None]
    match metric.kind:
        case MetricKind.COUNTER:
            made = meter.create_counter(metric.otel, unit=metric.unit).add
        case MetricKind.HISTOGRAM:
            buckets = list(metric.buckets)
            made = meter.create_histogram(
                metric.otel, unit=metric.unit, explicit_bucket_boundaries_advisory=buckets
            ).record
        case MetricKind.GAUGE if metric.is_moved:
            made = meter.create_up_down_counter(metric.otel, unit=metric.unit).add
        case MetricKind.GAUGE:
            made = meter.create_gauge(metric.otel, unit=metric.unit).set
    return made


def _seconds(span: Span) -> float:
    return span.duration.total_seconds() if span.duration is not None else 0.0


def _attributes(span: Span, **own: Any) -> dict[str, Any]:
    said = {"gen_ai.operation.name": OPERATIONS[span.kind], **own}
    return {**said, "error.type": error_class(span.end)} if span.is_failed else said


def _model_attributes(span: Span) -> dict[str, Any]:
    start: Any = span.start
    said = _attributes(
        span, **{"gen_ai.provider.name": provider_name(start.provider), "gen_ai.request.model": start.model}
    )
    return {**said, "gen_ai.response.model": span.end.model} if isinstance(span.end, LlmResponse) else said


def _model(span: Span) -> Iterable[Point]:
    said = _model_attributes(span)
    yield "gen_ai.client.operation.duration", _seconds(span), said
    usage = span.end.usage if isinstance(span.end, LlmResponse) else None
    if usage is not None:
        yield "gen_ai.client.token.usage", usage.input, {**said, "gen_ai.token.type": "input"}
        yield "gen_ai.client.token.usage", usage.output, {**said, "gen_ai.token.type": "output"}


def _agent(span: Span) -> Iterable[Point]:
    start: Any = span.start
    said = _attributes(
        span,
        **{"gen_ai.agent.name": span.name, "gen_ai.provider.name": provider_name(start.llm_provider or "unknown")},
    )
    yield "gen_ai.invoke_agent.duration", _seconds(span), said
    yield "gen_ai.invoke_agent.inference_calls", sum(child.kind is SpanKind.MODEL for child in span.children), said
    yield "gen_ai.invoke_agent.tool_calls", sum(child.kind is SpanKind.TOOL for child in span.children), said


def _tool(span: Span) -> Iterable[Point]:
    yield (
        "gen_ai.execute_tool.duration",
        _seconds(span),
        _attributes(span, **{"gen_ai.tool.name": REDACTOR.name(span.name)}),
    )


def _workflow(span: Span) -> Iterable[Point]:
    yield "gen_ai.workflow.duration", _seconds(span), _attributes(span, **{"gen_ai.workflow.name": span.name})


_POINTS: dict[SpanKind, Callable[[Span], Iterable[Point]]] = {
    SpanKind.MODEL: _model,
    SpanKind.AGENT: _agent,
    SpanKind.TOOL: _tool,
    SpanKind.PIPELINE: _workflow,
    SpanKind.TURN: _workflow,
}
