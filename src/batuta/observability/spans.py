"""The bridge to OpenTelemetry (extra `otel`): spans built from events, away from the run, exported in batches.

    with SpanSink(otlp_exporter("http://localhost:4318")) as spans, EventChannel() as channel:
        channel.attach(spans, name="spans")
        await pipeline.run(request, sink=channel)

The SDK's own batching drops spans when its queue is full. Here the channel does the waiting, with its bounds and
counts, and the sink hands whole batches to the exporter.
"""

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from batuta.events.envelope import Event
from batuta.kernel.errors import ConfigurationError
from batuta.kernel.extras import load_extra
from batuta.kernel.ids import trace_id_for
from batuta.observability.propagation import TraceContext
from batuta.observability.runs import RunAssembler, Span, SpanKind
from batuta.observability.span_facts import (
    attributes_of,
    error_message,
    exception_attributes,
    mark_attributes,
    mark_name,
    span_name,
)

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter

log = logging.getLogger("batuta.observability")

SCOPE = "batuta"
BATCH = 512
LINGER = timedelta(seconds=1)
"""How long a span waits for others to be exported with."""
MAX_PARENTS = 10_000

Protocol = Literal["grpc", "http/protobuf"]

OnExport = Callable[[bool, int], None]
"""Called for every export: whether it was taken, and how many were in it."""

_EXPORTERS: dict[str, str] = {
    "grpc": "opentelemetry.exporter.otlp.proto.grpc.trace_exporter",
    "http/protobuf": "opentelemetry.exporter.otlp.proto.http.trace_exporter",
}
_UNMARKED = frozenset({"agent.pipeline.started", "agent.pipeline.completed"})
"""Shown as attributes of their pipeline's span."""


def otlp_exporter(
    endpoint: str | None = None, *, protocol: Protocol | None = None, headers: Mapping[str, str] | None = None
) -> "SpanExporter":
    """An OTLP exporter; what is not given comes from the `OTEL_EXPORTER_OTLP_*` variables."""
    chosen = otlp_protocol("TRACES", protocol)
    module = load_extra(_EXPORTERS[chosen], extra="otel", needed_for="exporting spans over OTLP")
    options = otlp_target(endpoint, chosen, "traces")
    if headers is not None:
        options["headers"] = dict(headers)
    exporter: SpanExporter = module.OTLPSpanExporter(**options)
    return exporter


def otlp_protocol(signal: Literal["TRACES", "METRICS"], chosen: str | None = None) -> str:
    """How to send: as chosen, or as the variables of this signal or of all say."""
    variables = (f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    found = chosen or next((os.environ[name] for name in variables if os.environ.get(name)), "http/protobuf")
    if found not in _EXPORTERS:
        raise ConfigurationError(f"OTLP goes over {' or '.join(_EXPORTERS)}, got {found!r}")
    return found


def otlp_target(endpoint: str | None, protocol: str, signal: Literal["traces", "metrics"]) -> dict[str, Any]:
    """Where to send, as an exporter's arguments; what is not given it reads from the variables itself."""
    if endpoint is None:
        return {}
    if protocol == "grpc":
        return {"endpoint": endpoint, "insecure": endpoint.startswith("http://")}
    return {"endpoint": f"{endpoint.rstrip('/')}/v1/{signal}"}


def resource_of(service_name: str, **attributes: str) -> "Resource":
    """What all spans and metrics of a process have in common."""
    resources = load_extra("opentelemetry.sdk.resources", extra="otel", needed_for="naming the service")
    resource: Resource = resources.Resource.create({"service.name": service_name, **attributes})
    return resource


class SpanSink:
    """Builds a span for every pipeline, step, agent, model call, tool, validation and plan it hears of."""

    def __init__(
        self,
        exporter: "SpanExporter",
        *,
        resource: "Resource | None" = None,
        has_content: bool | None = None,
        linger: timedelta = LINGER,
        on_export: OnExport | None = None,
    ) -> None:
        self.wants_contents = _captures_content(has_content)
        self._make = _SpanMaker(resource or resource_of("batuta"), self.wants_contents)
        self._exporter = exporter
        self._assembler = RunAssembler()
        self._parents: dict[tuple[str, str | None], TraceContext] = {}
        self._ready: list[ReadableSpan] = []
        self._lock = threading.RLock()
        self._linger = linger.total_seconds()
        self._timer: threading.Timer | None = None
        self._on_export = on_export
        self._is_closed = self._was_too_late = False
        self.exported = 0
        self.failed = 0
        """Spans of batches that the exporter would not take."""

    def expect(self, context: TraceContext, turn_id: str | None = None) -> None:
        """Put the runs of a trace, or one turn of it, under the span that an incoming request named.

        Never waits: an export may hold the lock for as long as the receiver takes.
        """
        self._parents[context.trace_id, turn_id] = context
        while len(self._parents) > MAX_PARENTS:
            self._parents.pop(next(iter(self._parents)), None)

    def recall(self, history: Sequence[Event]) -> None:
        """The events of a turn before this process took it up. Never waits."""
        self._assembler.recall(history)

    def emit(self, event: Event) -> None:
        """Take one event; export when a batch is full."""
        if self._is_closed:
            self._say_too_late()
            return
        with self._lock:
            ended = self._assembler.feed(event)
            if ended:
                self._keep(ended)

    def flush(self) -> None:
        """Export what has ended so far."""
        with self._lock:
            self._export()

    def close(self) -> None:
        """Export everything, what did not end included, and let the exporter go."""
        self._is_closed = True
        with self._lock:
            self._keep(self._assembler.close())
            self._export()
            self._exporter.shutdown()

    def __enter__(self) -> "SpanSink":
        """Ready as it is made."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close."""
        self.close()

    def _say_too_late(self) -> None:
        if not self._was_too_late:
            self._was_too_late = True
            log.warning("spans are lost: events came after the sink was closed; open it before its channel")

    def _keep(self, ended: list[Span]) -> None:
        for span in ended:
            parent = self._incoming(span.start)
            if parent is None or parent.is_sampled:
                self._ready.append(self._make(span, parent))
            span.exchanges.clear()  # a call stays known as long as its run, what was said in it need not
        if len(self._ready) >= BATCH:
            self._export()
        elif self._ready and self._timer is None:
            self._timer = threading.Timer(self._linger, self.flush)
            self._timer.daemon = True
            self._timer.start()

    def _incoming(self, start: Event) -> TraceContext | None:
        trace_id = start.trace_id or ""
        return self._parents.get((trace_id, start.turn_id)) or self._parents.get((trace_id, None))

    def _export(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        ready, self._ready = self._ready, []
        if not ready:
            return
        is_taken = self._is_taken(ready)
        if is_taken:
            self.exported += len(ready)
        else:
            self.failed += len(ready)
        if self._on_export is not None:
            self._on_export(is_taken, len(ready))

    def _is_taken(self, ready: "list[ReadableSpan]") -> bool:
        """Whether the exporter took a batch. One that raises would else end in a timer's thread, uncounted."""
        try:
            return self._exporter.export(ready).value == 0
        except Exception:
            log.exception("%d spans were not exported", len(ready))
            return False


class _SpanMaker:
    """Makes OpenTelemetry's spans of ours."""

    def __init__(self, resource: "Resource", has_content: bool) -> None:
        sdk = load_extra("opentelemetry.sdk.trace", extra="otel", needed_for="spans")
        api = load_extra("opentelemetry.trace", extra="otel", needed_for="spans")
        scope = load_extra("opentelemetry.sdk.util.instrumentation", extra="otel", needed_for="spans")
        self._span, self._event, self._context = sdk.ReadableSpan, sdk.Event, api.SpanContext
        self._kinds = {SpanKind.MODEL: api.SpanKind.CLIENT}
        self._internal = api.SpanKind.INTERNAL
        self._ok = api.Status(api.StatusCode.UNSET)
        self._status, self._error = api.Status, api.StatusCode.ERROR
        self._flags = api.TraceFlags(api.TraceFlags.SAMPLED)
        self._scope = scope.InstrumentationScope(SCOPE)
        self._resource = resource
        self._has_content = has_content

    def __call__(self, span: Span, incoming: TraceContext | None) -> "ReadableSpan":
        trace_id = int(span.start.trace_id or trace_id_for(span.start.correlation_id or span.start.event_id), 16)
        ended_at = span.ended_at or _last_told(span)
        is_failed = span.is_failed or span.end is None
        made: ReadableSpan = self._span(
            name=span_name(span),
            context=self._context(trace_id, int(span.id, 16), is_remote=False, trace_flags=self._flags),
            parent=self._parent(span, trace_id, incoming),
            resource=self._resource,
            attributes=attributes_of(span, has_content=self._has_content),
            events=self._events(span, ended_at),
            kind=self._kinds.get(span.kind, self._internal),
            status=(
                self._status(self._error, error_message(span, has_content=self._has_content)) if is_failed else self._ok
            ),
            start_time=_nanoseconds(span.started_at),
            end_time=max(_nanoseconds(ended_at), _nanoseconds(span.started_at)),
            instrumentation_scope=self._scope,
        )
        return made

    def _events(self, span: Span, ended_at: datetime) -> list[Any]:
        """What happened meanwhile, and last of all the exception that ended it."""
        made = [
            self._event(
                mark_name(mark), mark_attributes(mark, has_content=self._has_content), _nanoseconds(mark.timestamp)
            )
            for mark in span.marks
            if mark.type not in _UNMARKED
        ]
        if raised := exception_attributes(span, has_content=self._has_content):
            made.append(self._event("exception", raised, _nanoseconds(ended_at)))
        return made

    def _parent(self, span: Span, trace_id: int, incoming: TraceContext | None) -> Any:
        if span.parent is not None:
            return self._context(trace_id, int(span.parent.id, 16), is_remote=False, trace_flags=self._flags)
        if incoming is not None and incoming.parent_span_id is not None:
            return self._context(trace_id, int(incoming.parent_span_id, 16), is_remote=True, trace_flags=self._flags)
        return None


_IN_SPANS = ("true", "span_only", "span_and_event")
"""Where the variable asks for contents in spans; events of their own are not emitted."""


def _captures_content(chosen: bool | None) -> bool:
    """Off unless it is asked for here or by the variable the conventions define."""
    if chosen is not None:
        return chosen
    return os.environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "").lower() in _IN_SPANS


def _last_told(span: Span) -> datetime:
    return max([span.started_at, *(mark.timestamp for mark in span.marks)])


_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
_MICROSECOND = timedelta(microseconds=1)


def _nanoseconds(moment: datetime) -> int:
    return ((moment - _EPOCH) // _MICROSECOND) * 1000
