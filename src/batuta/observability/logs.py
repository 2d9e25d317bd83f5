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
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, TextIO

from batuta.events.envelope import Event
from batuta.kernel.extras import load_extra
from batuta.kernel.ids import trace_id_for
from batuta.observability.propagation import arrived
from batuta.observability.redaction import MAX_STACK, REDACTOR, Redactor, kind_of
from batuta.pipelines.context import current_context, invocation_of

SERVICES_VARIABLE = "LOG_SERVICES"
ROOT = "batuta"

_TOLD = frozenset({"exception", "cause", "level", "timestamp"})
"""Made here, redacted as they were made."""
_OWN = frozenset({"event", "logger", "exception_type"})
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
        lambda _, __, line: with_arguments(line, redactor),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        bind_scope,
        lambda _, __, line: with_exception(line, redactor),
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
        pass_foreign_args=True,
        use_get_message=False,
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
    stamp = invocation_of(ctx).run.emitter.stamp
    scope = (
        stamp.correlation_id,
        stamp.trace_id or trace_id_for(stamp.correlation_id),
        invocation_of(ctx).scope.pipeline_name,
        ctx.step_name,
        ctx.path,
        stamp.session_id,
        ctx.user.id,
    )
    for name, value in zip(_SCOPE, scope, strict=True):
        if value is not None:
            line.setdefault(name, value)
    return line


class _Told:
    """An exception among the arguments of a line, as it may be shown."""

    def __init__(self, words: str) -> None:
        self._words = words

    def __str__(self) -> str:
        return self._words

    __repr__ = __str__


def with_arguments(line: Line, redactor: Redactor) -> Line:
    """Put the arguments of a line into its words; of an exception among them only what may be shown."""
    given = line.pop("positional_args", None)
    if not given:
        return line
    if isinstance(given, Mapping):
        line["event"] = str(line["event"]) % {name: _argument(each, redactor) for name, each in given.items()}
    else:
        line["event"] = str(line["event"]) % tuple(_argument(each, redactor) for each in given)
    return line


def _argument(given: Any, redactor: Redactor) -> Any:
    return _Told(redactor.exception(given)) if isinstance(given, BaseException) else given


def with_exception(line: Line, redactor: Redactor) -> Line:
    """An exception as facts: its type, its stack, and what caused it."""
    if line.get("logger") == "asyncio":
        line["event"] = str(line["event"]).partition("\n")[0]  # it goes on with the exception in full
    given = line.pop("exc_info", None)
    error = _exception(given) if given else None
    if error is None:
        return line
    line["exception_type"] = type(error).__name__
    line["exception"] = redactor.stack(error, limit=MAX_STACK)
    cause = error.__cause__ or error.__context__
    if cause is not None:
        line["cause"] = redactor.exception(cause)
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
    kind = kind_of(line)
    for name, value in line.items():
        if name in _TOLD:
            continue
        if name == "stack":
            line[name] = redactor.text(str(value), limit=MAX_STACK)
        else:
            line[name] = redactor.value(value) if name in _OWN else redactor.field(name, value, kind)
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
"""The events that are logged as a line, and their level."""

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
        """Log one event, if its type is in the table."""
        level = self._levels.get(event.type)
        name = f"{ROOT}.{_service(event.type)}"
        if level is None or not logging.getLogger(name).isEnabledFor(level):
            return
        logger = self._bound.get(name)
        if logger is None:
            logger = self._bound[name] = self._logger(name)
        logger.log(level, _line_name(event), **_facts(event))


def _line_name(event: Event) -> str:
    """`agent.execution.completed` is logged as `agent_execution_completed`; a chosen route by its own name."""
    attributes = getattr(event, "attributes", None)
    return "route_chosen" if attributes and "route" in attributes else event.type.replace(".", "_")


def _service(event_type: str) -> str:
    return _SERVICES.get(event_type.partition(".")[0].partition("_")[0], "events")


def _facts(event: Event) -> dict[str, Any]:
    facts = {name: value for name, value in event if value is not None and name not in _ENVELOPE}
    facts["told_at"] = event.timestamp.isoformat()
    return facts
