"""Who watches a process of the platform, and the figures that no event tells.

Metrics are counted and events are logged by default; spans and metrics go over OTLP where the standard variables name
an endpoint. A worker process answers Prometheus on a port of its own; a web process under `/metrics`.
"""

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import structlog

from batuta.events.envelope import Event
from batuta.events.queue import Lease, TurnQueue, WorkStatus
from batuta.events.sink import EventSink
from batuta.eventstore.projectors import Projector
from batuta.kernel.errors import BatutaError
from batuta.llm.quotas import QUOTAS
from batuta.observability.logs import configure_logs
from batuta.observability.metrics import PrometheusMetrics, forget_process
from batuta.observability.processes import MULTIPROCESS_VARIABLE
from batuta.observability.propagation import TraceContext
from batuta.observability.standard import Observers, Watchers, chosen_exporter, watching
from batuta.server.config import Settings

log = logging.getLogger("batuta.server")

SAMPLE_SECONDS = 2.0

Figures = Mapping[tuple[str, str | None], float]
"""By metric and the value of its one label, if it has one."""
Source = Callable[[], Awaitable[Figures]]


def log_to_standard_error(settings: Settings) -> None:
    """One line per entry of this process: pretty on a terminal, JSON elsewhere. Libraries say less than we do."""
    level = settings.log_level.upper()
    configure_logs(level="INFO" if level == "DEBUG" else level)
    logging.getLogger("batuta").setLevel(level)
    logging.getLogger("alembic").setLevel(max(logging.WARNING, logging.getLevelNamesMapping()[level]))


@contextmanager
def watched(settings: Settings, service_name: str) -> Iterator[Observers]:
    """The observers of a process, while it runs.

    Events are logged if logs were set up (`log_to_standard_error`): whoever embeds a platform keeps its own logging.
    """
    is_at_a_terminal = settings.env == "development" and not settings.is_demo and sys.stderr.isatty()
    wanted = Watchers(
        service_name=service_name,
        spans=chosen_exporter("TRACES", None, "console" if is_at_a_terminal else "none"),
        meters=chosen_exporter("METRICS", None, "none"),
        has_prometheus=settings.is_metrics_enabled,
        has_logs=structlog.is_configured(),
    )
    with watching(wanted) as found:
        try:
            yield found
        finally:
            if os.environ.get(MULTIPROCESS_VARIABLE) and settings.is_metrics_enabled:
                forget_process(os.getpid())


def watcher(observers: Observers) -> Callable[[Lease, Sequence[Event]], EventSink]:
    """How a worker has each of its runs watched: within the trace of the request that asked for it."""

    def watch(lease: Lease, told: Sequence[Event]) -> EventSink:
        context = TraceContext.carried_by(lease.work.context)
        return observers.take_up(context, turn_id=lease.work.turn_id, told=told)

    return watch


@contextmanager
def metrics_port(settings: Settings, observers: Observers) -> Iterator[str | None]:
    """Answer Prometheus on a port of its own while the block runs; where, if anywhere."""
    with ExitStack() as stack:
        url = None
        try:
            if observers.metrics is not None:
                port = stack.enter_context(observers.metrics.serve(settings.metrics_port, settings.metrics_host))
                url = f"http://{settings.metrics_host}:{port}/metrics"
        except OSError as error:
            log.warning(
                "metrics are not served on %s:%d (%s); set BATUTA_METRICS_PORT, or share one /metrics by %s",
                settings.metrics_host,
                settings.metrics_port,
                error,
                MULTIPROCESS_VARIABLE,
            )
        yield url


class Gauges:
    """Asks those who know for what no event tells, every few seconds."""

    def __init__(self, metrics: PrometheusMetrics | None, sources: Sequence[Source]) -> None:
        self._metrics = metrics
        self._sources = sources
        self._is_silent: set[int] = set()

    async def run(self) -> None:
        """Until cancelled."""
        while self._metrics is not None:
            await self.sample()
            await asyncio.sleep(SAMPLE_SECONDS)
        await asyncio.Event().wait()

    async def sample(self) -> None:
        """Ask everybody once. Who does not know now is asked again, and complained about once."""
        for index, source in enumerate(self._sources):
            try:
                self._set(await source())
                self._is_silent.discard(index)
            except (BatutaError, OSError) as error:
                if index not in self._is_silent:
                    log.warning("figures are missing from /metrics: %s", error)
                self._is_silent.add(index)

    def _set(self, figures: Figures) -> None:
        assert self._metrics is not None
        for (metric, label), value in figures.items():
            names: dict[str, Any] = {} if label is None else {_LABELS[metric]: label}
            self._metrics.set(metric, value, **names)


_LABELS = {"connected_clients": "transport", "limiter_tokens": "key", "llm_tokens_remaining": "llm_provider"}


def of_work(queue: TurnQueue, projector: Projector) -> Source:
    """How much waits: turns for a worker, events for the read models."""

    async def ask() -> Figures:
        depth = await queue.depth()
        lag = await projector.lag()
        return {
            ("turn_queue_depth", None): depth.get(WorkStatus.QUEUED, 0),
            ("log_to_database_lag_seconds", None): lag.total_seconds(),
        }

    return ask


def of_clients(count: Callable[[], Mapping[str, int]]) -> Source:
    """Who is connected, by the way they are."""

    async def ask() -> Figures:
        return {("connected_clients", transport): float(number) for transport, number in count().items()}

    return ask


def of_models(limits: Callable[[], Mapping[str, float]]) -> Source:
    """What models may still be asked: by our limits, and by what their providers said last."""

    async def ask() -> Figures:
        found: dict[tuple[str, str | None], float] = {("limiter_tokens", key): left for key, left in limits().items()}
        found |= {("llm_tokens_remaining", provider): left for provider, left in QUOTAS.left().items()}
        return found

    return ask


def of_storage(used_bytes: Callable[[], Awaitable[int]], capacity_bytes: Callable[[int], int | None]) -> Source:
    """How much is stored, of how much there is room for."""

    async def ask() -> Figures:
        used = await used_bytes()
        capacity = capacity_bytes(used)
        found: dict[tuple[str, str | None], float] = {("storage_used_bytes", None): used}
        if capacity is not None:
            found["storage_capacity_bytes", None] = capacity
        return found

    return ask
