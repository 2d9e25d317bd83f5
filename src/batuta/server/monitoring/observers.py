"""The observers of a process: metrics, logs and spans.

Metrics are counted and events are logged by default; spans and metrics go over OTLP where the standard variables name
an endpoint. A worker process answers Prometheus on a port of its own; a web process under `/metrics`.
"""

import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import structlog

from batuta.events.envelope import Event
from batuta.events.queue import Lease
from batuta.events.sink import EventSink
from batuta.observability.logs import configure_logs
from batuta.observability.metrics import forget_process
from batuta.observability.processes import MULTIPROCESS_VARIABLE
from batuta.observability.propagation import TraceContext
from batuta.observability.standard import Observers, Watchers, chosen_exporter, watching
from batuta.server.config import Settings

log = logging.getLogger("batuta.server")


def log_to_standard_error(settings: Settings) -> None:
    """One line per entry of this process: pretty on a terminal, JSON elsewhere. Libraries say less than we do."""
    level = settings.log_level.upper()
    configure_logs(level="INFO" if level == "DEBUG" else level)
    logging.getLogger("batuta").setLevel(level)
    logging.getLogger("alembic").setLevel(max(logging.WARNING, logging.getLevelNamesMapping()[level]))


@contextmanager
def watched(settings: Settings, service_name: str) -> Iterator[Observers]:
    """The observers of a process, while it runs.

    Events are logged if logs were set up (`log_to_standard_error`): a program around it keeps its own logging.
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

    def watch(lease: Lease, history: Sequence[Event]) -> EventSink:
        context = TraceContext.carried_by(lease.work.context)
        return observers.take_up(context, turn_id=lease.work.turn_id, history=history)

    return watch
