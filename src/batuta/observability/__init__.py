"""Every run as trace, metric, log and timeline, made from its events alone. Chosen at the edge, never by the core."""

from typing import TYPE_CHECKING

from batuta.kernel.lazy import lazy_exports

if TYPE_CHECKING:
    from batuta.observability.audit_counts import audit as audit
    from batuta.observability.channel import EventChannel as EventChannel
    from batuta.observability.channel import Interest as Interest
    from batuta.observability.channel import Overflow as Overflow
    from batuta.observability.console import ConsoleMetrics as ConsoleMetrics
    from batuta.observability.console import ConsoleSpans as ConsoleSpans
    from batuta.observability.console import LiveTree as LiveTree
    from batuta.observability.logs import LogSink as LogSink
    from batuta.observability.logs import configure_logs as configure_logs
    from batuta.observability.metrics import PrometheusMetrics as PrometheusMetrics
    from batuta.observability.otel_metrics import OtelMetrics as OtelMetrics
    from batuta.observability.propagation import ActiveSpans as ActiveSpans
    from batuta.observability.propagation import from_headers as from_headers
    from batuta.observability.redaction import Redactor as Redactor
    from batuta.observability.spans import SpanSink as SpanSink
    from batuta.observability.spans import otlp_exporter as otlp_exporter
    from batuta.observability.standard import observers as observers
    from batuta.observability.timeline import timeline_of as timeline_of

__getattr__, __all__ = lazy_exports(
    __name__,
    {
        "batuta.observability.audit_counts": ("audit",),
        "batuta.observability.channel": ("EventChannel", "Interest", "Overflow"),
        "batuta.observability.console": ("ConsoleMetrics", "ConsoleSpans", "LiveTree"),
        "batuta.observability.logs": ("LogSink", "configure_logs"),
        "batuta.observability.metrics": ("PrometheusMetrics",),
        "batuta.observability.otel_metrics": ("OtelMetrics",),
        "batuta.observability.propagation": ("ActiveSpans", "from_headers"),
        "batuta.observability.redaction": ("Redactor",),
        "batuta.observability.spans": ("SpanSink", "otlp_exporter"),
        "batuta.observability.standard": ("observers",),
        "batuta.observability.timeline": ("timeline_of",),
    },
)
