"""The usual set of observers in one go, for servers, workers and scripts.

    with observers(service_name="shop") as watching:
        await pipeline.run(request, sink=watching.sink)

In development: a line per span and the metrics at the end of each run, on the console, nothing to install. Otherwise:
logs, metrics, and spans if an OTLP endpoint is known (`OTEL_EXPORTER_OTLP_ENDPOINT`).
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from batuta.events.fanout import FanOutSink
from batuta.events.sink import EventSink
from batuta.kernel.outgoing import carry
from batuta.observability.channel import EventChannel
from batuta.observability.console import ConsoleMetrics, ConsoleSpans
from batuta.observability.logs import LogSink, configure_logs
from batuta.observability.metrics import PrometheusMetrics
from batuta.observability.propagation import Whereabouts
from batuta.observability.spans import SpanSink, otlp_exporter, resource_of

ENDPOINT_VARIABLES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Observers:
    """Who watches. Hand `sink` to every run; mount `metrics.app()`; tell `spans` of incoming trace contexts."""

    sink: EventSink
    channel: EventChannel
    metrics: PrometheusMetrics | None = None
    spans: SpanSink | None = None


@contextmanager
def observers(
    *, service_name: str = "batuta", is_development: bool = False, otlp_endpoint: str | None = None
) -> Iterator[Observers]:
    """Set everything up, and take it down in order: nothing that was told is left behind."""
    with ExitStack() as stack:
        whereabouts = Whereabouts()
        stack.enter_context(carry(whereabouts.headers))
        spans = None if is_development else _spans(service_name, otlp_endpoint)
        if spans is not None:
            stack.enter_context(spans)
        channel = stack.enter_context(EventChannel())
        metrics = None if is_development else PrometheusMetrics(channel=channel)
        attached: dict[str, EventSink | None] = {"spans": spans, "metrics": metrics}
        if is_development:
            attached = {"console spans": ConsoleSpans(), "console metrics": ConsoleMetrics()}
        else:
            configure_logs()
            attached["logs"] = LogSink()
        for name, sink in attached.items():
            if sink is not None:
                channel.attach(sink, name=name)
        yield Observers(sink=FanOutSink(whereabouts, channel), channel=channel, metrics=metrics, spans=spans)


def _spans(service_name: str, endpoint: str | None) -> SpanSink | None:
    if endpoint is None and not any(os.environ.get(name) for name in ENDPOINT_VARIABLES):
        return None
    return SpanSink(otlp_exporter(endpoint), resource=resource_of(service_name))
