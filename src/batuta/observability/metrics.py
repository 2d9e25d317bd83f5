"""Metrics for Prometheus (extra `prometheus`): a sink that counts, `/metrics` as an ASGI app, a port for scripts.

    metrics = PrometheusMetrics(channel=channel)
    channel.attach(metrics, name="metrics")
    app.mount("/metrics", metrics.app())        # in a server or worker
    with metrics.serve(9090): ...               # in a script

Several processes share one `/metrics` when `PROMETHEUS_MULTIPROC_DIR` names an empty directory before they start:
each writes its own files there, and whichever is asked adds them up. The gauges of a process that was killed go when
another one starts or is asked (`processes`).
"""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from batuta.events.envelope import Event
from batuta.kernel.errors import ConfigurationError
from batuta.kernel.extras import load_extra
from batuta.observability.channel import EventChannel
from batuta.observability.contract_figures import ContractFigures
from batuta.observability.measures import Measurement, Measurer
from batuta.observability.metric_table import METRICS, Metric, MetricKind, series_at_zero
from batuta.observability.processes import MULTIPROCESS_VARIABLE, forget, forget_dead, sign_in

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

SCRIPT_PORT = 9090
REFRESH_SECONDS = 1.0

_Apply = Callable[[float], None]
_VERBS = {MetricKind.COUNTER: "inc", MetricKind.HISTOGRAM: "observe", MetricKind.GAUGE: "inc"}


class PrometheusMetrics:
    """Every metric of the table, moved by events; what no event says is set directly (`set`, `count`)."""

    def __init__(self, *, channel: EventChannel | None = None) -> None:
        if (shared := _shared_directory()) is not None:
            shared.mkdir(parents=True, exist_ok=True)  # the client takes it for granted
            sign_in(shared)  # before it opens files that an earlier process of this id left
            forget_dead(shared)
        self._client = load_extra("prometheus_client", extra="prometheus", needed_for="metrics")
        self.registry: CollectorRegistry = self._client.CollectorRegistry()
        self._client.ProcessCollector(registry=self.registry)
        self._metrics = {name: self._made(metric) for name, metric in METRICS.items()}
        self._measurer = Measurer()
        self._children: dict[tuple[str, tuple[str, ...]], _Apply] = {}
        self._figures = ContractFigures()
        self._channel = channel
        self._lock = threading.Lock()
        self._refreshed = 0.0
        for name, metric in METRICS.items():
            self._begin_at_zero(name, series_at_zero(metric))

    def emit(self, event: Event) -> None:
        """Count an event."""
        now = datetime.now(UTC)
        with self._lock:
            self._figures.count(event, now)
            for measure in self._measurer.of(event):
                self._apply(measure)
            if now.timestamp() - self._refreshed > REFRESH_SECONDS:
                self._refresh(now)

    def recall(self, history: Sequence[Event]) -> None:
        """The events of a turn before this process took it up: its parts are one request."""
        with self._lock:
            self._measurer.recall(history)

    def set(self, metric: str, value: float, **labels: str) -> None:
        """Set a gauge that no event tells: `metrics.set("turn_queue_depth", 3)`."""
        self._move(MetricKind.GAUGE, metric, value, labels)

    def count(self, metric: str, amount: float = 1.0, **labels: str) -> None:
        """Move a counter that no event tells: `metrics.count("span_exports_total", 12, status="success")`."""
        self._move(MetricKind.COUNTER, metric, amount, labels)

    def refresh(self) -> None:
        """Bring the figures up to date that are not moved by a single event; done before every answer."""
        if (shared := _shared_directory()) is not None:
            sign_in(shared)  # a fork has an id of its own
            forget_dead(shared)
        with self._lock:
            self._refresh(datetime.now(UTC))

    def text(self) -> bytes:
        """Everything in Prometheus' text format; with several processes, their sum."""
        self.refresh()
        text: bytes = self._client.generate_latest(self._scraped())
        return text

    def app(self) -> Any:
        """An ASGI app that answers `GET /metrics`."""
        return _MetricsApp(self, self._client.CONTENT_TYPE_LATEST)

    @contextmanager
    def serve(self, port: int = SCRIPT_PORT, address: str = "127.0.0.1") -> Iterator[int]:
        """Answer on a port of its own while the block runs; port 0 picks a free one."""
        server, thread = self._client.start_http_server(port, address, registry=_Refreshed(self, self._scraped()))
        try:
            yield server.server_port
        finally:
            server.shutdown()
            server.server_close()
            thread.join(5.0)

    def _move(self, kind: MetricKind, metric: str, amount: float, labels: dict[str, str]) -> None:
        row = METRICS.get(metric)
        if row is None or row.kind is not kind:
            raise ConfigurationError(f"cannot move {metric!r}: there is no {kind} of that name in the metric table")
        if set(labels) != set(row.labels):
            raise ConfigurationError(f"cannot move {metric!r} with labels {sorted(labels)}: it has {list(row.labels)}")
        with self._lock:
            self._apply(Measurement(metric, tuple(labels[name] for name in row.labels), amount))

    def _made(self, metric: Metric) -> Any:
        common = (metric.name, metric.help, metric.labels)
        if metric.kind is MetricKind.COUNTER:
            return self._client.Counter(*common, registry=self.registry)
        if metric.kind is MetricKind.HISTOGRAM:
            return self._client.Histogram(*common, buckets=metric.buckets, registry=self.registry)
        return self._client.Gauge(*common, registry=self.registry, multiprocess_mode=metric.merge)

    def _apply(self, measure: Measurement) -> None:
        key = measure[:2]
        apply = self._children.get(key)
        if apply is None:
            self._begin_at_zero(measure.metric, series_at_zero(METRICS[measure.metric], measure.labels))
            apply = self._children[key] = self._child(*key)
        apply(measure.amount)

    def _begin_at_zero(self, name: str, series: Iterator[tuple[str, ...]]) -> None:
        for labels in series:
            if (name, labels) not in self._children:
                self._children[name, labels] = self._child(name, labels)

    def _child(self, name: str, labels: tuple[str, ...]) -> _Apply:
        metric = self._metrics[name]
        child = metric.labels(*labels) if labels else metric
        row = METRICS[name]
        verb = "set" if row.kind is MetricKind.GAUGE and not row.is_moved else _VERBS[row.kind]
        apply: _Apply = getattr(child, verb)
        return apply

    def _refresh(self, now: datetime) -> None:
        self._refreshed = now.timestamp()
        stats = self._channel.stats() if self._channel is not None else []
        figures = self._figures.now(now, stats)
        for name in figures.__slots__:
            self._apply(Measurement(name, (), getattr(figures, name)))
        for each in stats:
            self._apply(Measurement("event_channel_depth", (each.name,), each.depth))
            self._apply(Measurement("event_channel_dropped", (each.name,), each.dropped))
            self._apply(Measurement("event_channel_missed", (each.name,), each.missed))
            self._apply(Measurement("event_channel_failures", (each.name,), each.failures))

    def _scraped(self) -> Any:
        if _shared_directory() is None:
            return self.registry
        multiprocess = load_extra("prometheus_client.multiprocess", extra="prometheus", needed_for="metrics")
        shared = self._client.CollectorRegistry()
        multiprocess.MultiProcessCollector(shared)
        return shared


def forget_process(pid: int) -> None:
    """Take the live figures of a process that ended out of a shared `/metrics`; its counts stay."""
    if (shared := _shared_directory()) is not None:
        forget(shared, pid)


def _shared_directory() -> Path | None:
    named = os.environ.get(MULTIPROCESS_VARIABLE)
    return Path(named) if named else None


class _Refreshed:
    """A registry that is brought up to date before it is read."""

    def __init__(self, metrics: PrometheusMetrics, registry: Any) -> None:
        self._metrics = metrics
        self._registry = registry

    def collect(self) -> Any:
        self._metrics.refresh()
        return self._registry.collect()


class _MetricsApp:
    """Answers GET and HEAD with the metrics, anything else with 405."""

    def __init__(self, metrics: PrometheusMetrics, content_type: str) -> None:
        self._metrics = metrics
        self._content_type = content_type.encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        is_asked = scope["method"] in ("GET", "HEAD")
        # In a thread: the files of several processes take a while to read.
        body = await asyncio.to_thread(self._metrics.text) if scope["method"] == "GET" else b""
        headers = [(b"content-type", self._content_type)] if is_asked else [(b"allow", b"GET, HEAD")]
        await send({"type": "http.response.start", "status": 200 if is_asked else 405, "headers": headers})
        await send({"type": "http.response.body", "body": body})
