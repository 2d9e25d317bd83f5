"""Small OTLP receivers on loopback ports, over gRPC and over HTTP, that keep the spans and metrics they get."""

import gzip
import importlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2, metrics_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1.trace_pb2 import Span

grpc: Any = importlib.import_module("grpc")  # it ships no types


@dataclass
class Received:
    """What came in: spans, the resources they came with, and where to send them."""

    endpoint: str
    spans: list[Span] = field(default_factory=list)
    resources: list[dict[str, Any]] = field(default_factory=list)
    metrics: dict[str, Any] = field(default_factory=dict)
    """The last of each metric, by name."""

    def take(self, request: Any) -> None:
        for resource_spans in request.resource_spans:
            self.resources.append(attributes(resource_spans.resource))
            for scope_spans in resource_spans.scope_spans:
                self.spans.extend(scope_spans.spans)

    def take_metrics(self, request: Any) -> None:
        for resource_metrics in request.resource_metrics:
            self.resources.append(attributes(resource_metrics.resource))
            for scope_metrics in resource_metrics.scope_metrics:
                self.metrics.update({metric.name: metric for metric in scope_metrics.metrics})

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]

    def tree(self) -> list[Any]:
        """Names nested as the spans are: `[name, [children]]`, in the order they began."""
        by_parent: dict[bytes, list[Span]] = {}
        for span in sorted(self.spans, key=lambda span: span.start_time_unix_nano):
            by_parent.setdefault(span.parent_span_id, []).append(span)

        def below(parent: bytes) -> list[Any]:
            return [[span.name, below(span.span_id)] for span in by_parent.get(parent, [])]

        return below(b"")


def attributes(holder: Any) -> dict[str, Any]:
    """Attributes of a span, event or resource as plain values."""
    return {pair.key: _plain(pair.value) for pair in holder.attributes}


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_plain(item) for item in value.array_value.values]
    return getattr(value, kind) if kind else None


@contextmanager
def http_receiver(*, status: int = 200) -> Iterator[Received]:
    """Takes what comes; with a status of its own it refuses that instead."""
    received = Received("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            if status != 200:
                self.send_error(status)
                return
            if self.path == "/v1/metrics":
                received.take_metrics(metrics_service_pb2.ExportMetricsServiceRequest.FromString(body))
            else:
                assert self.path == "/v1/traces", self.path
                received.take(trace_service_pb2.ExportTraceServiceRequest.FromString(body))
            answer = trace_service_pb2.ExportTraceServiceResponse().SerializeToString()
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    received.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield received
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@contextmanager
def grpc_receiver() -> Iterator[Received]:
    received = Received("")

    class Service(trace_service_pb2_grpc.TraceServiceServicer):
        def Export(self, request: Any, context: Any) -> Any:  # noqa: N802 - the name in the protocol
            received.take(request)
            return trace_service_pb2.ExportTraceServiceResponse()

    class Meters(metrics_service_pb2_grpc.MetricsServiceServicer):
        def Export(self, request: Any, context: Any) -> Any:  # noqa: N802 - the name in the protocol
            received.take_metrics(request)
            return metrics_service_pb2.ExportMetricsServiceResponse()

    server = grpc.server(ThreadPoolExecutor(2))
    metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server(Meters(), server)  # type: ignore[no-untyped-call]
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(Service(), server)  # type: ignore[no-untyped-call]
    received.endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield received
    finally:
        server.stop(0).wait(5)
