"""Logs (extra `logs`): structlog for our own lines and for every `logging` logger, one line per telemetry event.

    configure_logs()                            # JSON in production, pretty on a terminal
    channel.attach(LogSink(), name="logs")      # agent_execution_completed, step_failed, breaker_changed, …

Each line says where it comes from: correlation and trace id, pipeline, step, path, session and user are bound by the
run itself. Nothing leaves unredacted, exceptions included. `LOG_SERVICES=llm,tools` keeps the lines of those parts;
warnings and errors of all others pass as well.
"""

import logging
import os
import sys
import traceback
from collections.abc import Iterable, MutableMapping
from typing import Any, TextIO

from batuta.events.envelope import Event
from batuta.kernel.extras import load_extra
from batuta.kernel.ids import trace_id_for
from batuta.observability.propagation import arrived
from batuta.observability.redaction import REDACTOR, Redactor
from batuta.pipelines.context import current_context

SERVICES_VARIABLE = "LOG_SERVICES"
ROOT = "batuta"
MAX_STACK = 20_000

_OWN = frozenset({"event", "level", "logger", "timestamp", "exception", "stack", "cause", "exception_type"})
_STACKS = frozenset({"exception", "stack", "stack_trace"})
_SCOPE = ("correlation_id", "trace_id", "pipeline", "step", "path", "session_id", "user_id")

Line = MutableMapping[str, Any]


def configure_logs(
    *,
    is_pretty: bool | None = None,
    level: int | str = logging.INFO,
    services: Iterable[str] | None = None,
    redactor: Redactor = REDACTOR,
    stream: TextIO | None = None,
) -> logging.Handler:
    """Send everything that is logged to a stream, one redacted line each. Returns the handler it put on the root."""
    structlog = load_extra("structlog", extra="logs", needed_for="logs")
    target = stream or sys.stderr
    pretty = target.isatty() if is_pretty is None else is_pretty
    before = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        bind_scope,
        told_exception,
    ]
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *before, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    renderer = structlog.dev.ConsoleRenderer() if pretty else structlog.processors.JSONRenderer(ensure_ascii=False)
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=before,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            lambda _, __, line: redacted_line(line, redactor),
            renderer,
        ],
    )
    return _install(formatter, target, level, _chosen_services(services))


def _install(
    formatter: logging.Formatter, target: TextIO, level: int | str, services: frozenset[str]
) -> logging.Handler:
    handler = logging.StreamHandler(target)
    handler.setFormatter(formatter)
    if services:
        handler.addFilter(lambda record: record.levelno >= logging.WARNING or service_of(record.name) in services)
    root = logging.getLogger()
    for old in list(root.handlers):
        if isinstance(old.formatter, type(formatter)):
            root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)
    return handler


def service_of(logger: str) -> str:
    """The part of the product a logger belongs to: `batuta.llm.client` is `llm`; a logger of others is its root."""
    first, _, rest = logger.partition(".")
    return (rest.partition(".")[0] or first) if first == ROOT else first


def _chosen_services(services: Iterable[str] | None) -> frozenset[str]:
    given = os.environ.get(SERVICES_VARIABLE, "").split(",") if services is None else services
    return frozenset(name.strip() for name in given if name.strip())


def bind_scope(_: Any, __: str, line: Line) -> Line:
    """Add where in a run, or for which request, this is said; what the line says itself stays."""
    ctx = current_context.get()
    if ctx is None:
        request = arrived()
        if request is not None:
            line.setdefault("correlation_id", request.correlation_id)
            line.setdefault("trace_id", request.trace_id)
        return line
    stamp = ctx._run.emitter.stamp
    scope = (
        stamp.correlation_id,
        stamp.trace_id or trace_id_for(stamp.correlation_id),
        ctx._scope.pipeline_name,
        ctx.step_name,
        ctx.path,
        stamp.session_id,
        ctx.user.id,
    )
    for name, value in zip(_SCOPE, scope, strict=True):
        if value is not None:
            line.setdefault(name, value)
    return line


def told_exception(_: Any, __: str, line: Line) -> Line:
    """An exception as facts: its type, its stack, and what caused it."""
    given = line.pop("exc_info", None)
    if not given:
        return line
    error = _exception(given)
    if error is None:
        return line
    line["exception_type"] = type(error).__name__
    line["exception"] = "".join(traceback.format_exception(error)).rstrip()
    cause = error.__cause__ or error.__context__
    if cause is not None:
        line["cause"] = f"{type(cause).__name__}: {cause}"
    return line


def _exception(given: Any) -> BaseException | None:
    if isinstance(given, BaseException):
        return given
    if isinstance(given, tuple):
        found: BaseException | None = given[1]
        return found
    return sys.exc_info()[1]


def redacted_line(line: Line, redactor: Redactor) -> Line:
    """A line as it may leave: its own fields by their text, all others by name and value."""
    for name, value in line.items():
        if name in _STACKS:
            line[name] = redactor.text(str(value), limit=MAX_STACK)
        elif name in _OWN:
            line[name] = redactor.value(value)
        else:
            line[name] = redactor.field(name, value)
    return line


LOGGED: dict[str, int] = {
    "agent.execution.started": logging.INFO,
    "agent.execution.completed": logging.INFO,
    "agent.execution.failed": logging.ERROR,
    "agent.decision.recorded": logging.INFO,
    "agent.retry.attempted": logging.WARNING,
    "agent.fallback.triggered": logging.WARNING,
    "agent.pipeline.started": logging.INFO,
    "agent.pipeline.completed": logging.INFO,
    "step.failed": logging.ERROR,
    "step.completed": logging.DEBUG,
    "step.started": logging.DEBUG,
    "hook.failed": logging.WARNING,
    "attempt.rejected": logging.WARNING,
    "tool.refused": logging.WARNING,
    "tool_response": logging.DEBUG,
    "llm.request": logging.DEBUG,
    "llm.response": logging.DEBUG,
    "breaker.changed": logging.WARNING,
    "limiter.throttled": logging.WARNING,
    "budget.refused": logging.WARNING,
    "turn.started": logging.INFO,
    "turn.resumed": logging.INFO,
    "complete": logging.INFO,
    "error": logging.ERROR,
    "agent_handoff": logging.INFO,
}
"""The events that are told as a line, and how loud."""

_ENVELOPE = frozenset({"type", "version", "timestamp", "persistence", "is_internal", "original_index", "caused_by"})
_SERVICES = {"agent": "agents", "step": "pipelines", "llm": "llm", "tool": "tools", "turn": "orchestration"}


class LogSink:
    """Tells events as lines. The event's own time and ids are kept; contents are redacted like everything else."""

    def __init__(self, levels: dict[str, int] | None = None) -> None:
        structlog = load_extra("structlog", extra="logs", needed_for="logs")
        self._levels = LOGGED if levels is None else levels
        self._logger = structlog.get_logger
        self._bound: dict[str, Any] = {}

    def emit(self, event: Event) -> None:
        """Tell one event, if its type is told."""
        level = self._levels.get(event.type)
        name = f"{ROOT}.{_service(event.type)}"
        if level is None or not logging.getLogger(name).isEnabledFor(level):
            return
        logger = self._bound.get(name)
        if logger is None:
            logger = self._bound[name] = self._logger(name)
        logger.log(level, _line_name(event), **_facts(event))


def _line_name(event: Event) -> str:
    """`agent.execution.completed` is told as `agent_execution_completed`; a chosen route by its own name."""
    attributes = getattr(event, "attributes", None)
    return "route_chosen" if attributes and "route" in attributes else event.type.replace(".", "_")


def _service(event_type: str) -> str:
    return _SERVICES.get(event_type.partition(".")[0].partition("_")[0], "events")


def _facts(event: Event) -> dict[str, Any]:
    facts = {name: value for name, value in event if value is not None and name not in _ENVELOPE}
    facts["told_at"] = event.timestamp.isoformat()
    return facts
