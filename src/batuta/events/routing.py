"""The routing table: one row per event type. Everything else about names, storage and visibility is read from it.

To add an event, add a row here and a model with that `type` in one of the families; no other line changes.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Persistence(StrEnum):
    """When an event reaches the log and its read models."""

    SYNC_REQUIRED = "sync_required"
    """In the log, and its read-model rows committed, before it is delivered."""
    ASYNC_ALLOWED = "async_allowed"
    """In the log before it is delivered; projected later."""
    TRANSIENT = "transient"
    """Never stored; superseded by a stored event."""


class Audience(StrEnum):
    """Whether a user may see an event."""

    EXTERNAL = "external"
    INTERNAL = "internal"


EventRole = Literal["user", "assistant", "tool", "system"]

ROUTING_TOOL_PREFIX = "transfer_to_"
"""Tools that only move control between agents start with this; users never see them."""

HANDOFF_BACK_PREFIX = "transfer_back_to_"
"""The same on the way back, as LangGraph's supervisors name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One row of the table."""

    type: str
    wire: str | None
    """Name on the socket, `None` for what is never sent."""
    store: str | None
    """Name in the log, `None` for what is never stored."""
    persistence: Persistence
    audience: Audience
    role: EventRole
    version: int = 1

    @property
    def needs_attribution(self) -> bool:
        """Whether an event of this type must say which agent produced it."""
        return self.role in ("assistant", "tool")


def _row(
    type_: str,
    role: EventRole,
    persistence: Persistence,
    audience: Audience = Audience.EXTERNAL,
    *,
    wire: str | None = "",
    store: str | None = "",
) -> Route:
    """A row whose wire and store names are the canonical one unless they are given."""
    if audience is Audience.INTERNAL:
        wire = None
    if persistence is Persistence.TRANSIENT:
        store = None
    return Route(
        type=type_,
        wire=type_ if wire == "" else wire,
        store=type_ if store == "" else store,
        persistence=persistence,
        audience=audience,
        role=role,
    )


_SYNC, _ASYNC, _TRANSIENT = Persistence.SYNC_REQUIRED, Persistence.ASYNC_ALLOWED, Persistence.TRANSIENT
_INTERNAL = Audience.INTERNAL

_TABLE = (
    # a session and its messages
    _row("session_start", "system", _TRANSIENT),
    _row("session_end", "system", _TRANSIENT),
    _row("user_message", "user", _SYNC, wire="user_message_confirmed", store="user_message_sent"),
    _row("thinking", "assistant", _ASYNC, wire="thinking_complete", store="agent_thinking_block"),
    _row("assistant_message", "assistant", _ASYNC, wire="message", store="agent_message_sent"),
    _row("turn_paused", "assistant", _ASYNC),
    _row("content_refused", "assistant", _ASYNC),
    _row("error", "system", _ASYNC, store="error_occurred"),
    _row("complete", "system", _SYNC, store="turn_completed"),
    _row("title_changed", "system", _ASYNC),
    _row("feedback_given", "user", _ASYNC),
    # tools and approvals
    _row("tool_request", "assistant", _ASYNC, wire="tool_use", store="tool_use_requested"),
    _row("tool_response", "tool", _ASYNC, wire="tool_result", store="tool_use_completed"),
    _row("approval_requested", "assistant", _SYNC),
    _row("approval_resolved", "user", _SYNC),
    # tables and charts
    _row("dataset_stored", "tool", _ASYNC),
    _row("chart_drawn", "tool", _ASYNC),
    # plans and handoffs
    _row("plan_generated", "assistant", _ASYNC),
    _row("plan_step_started", "assistant", _ASYNC),
    _row("plan_step_completed", "assistant", _ASYNC),
    _row("plan_completed", "assistant", _ASYNC),
    _row("agent_handoff", "assistant", _ASYNC),
    _row("agent_changed", "assistant", _ASYNC, _INTERNAL),
    # progress while something runs
    _row("content_delta", "assistant", _TRANSIENT),
    _row("thinking_delta", "assistant", _TRANSIENT),
    _row("stream_discarded", "assistant", _TRANSIENT),
    _row("tool_progress", "tool", _TRANSIENT),
    _row("step_progress", "system", _TRANSIENT),
    _row("job_progress", "system", _TRANSIENT),
    _row("file_progress", "system", _TRANSIENT),
    _row("tag_started", "assistant", _TRANSIENT),
    _row("tag_completed", "assistant", _TRANSIENT),
    # what the runtime did
    _row("step.started", "system", _ASYNC, _INTERNAL),
    _row("step.completed", "system", _ASYNC, _INTERNAL),
    _row("step.failed", "system", _ASYNC, _INTERNAL),
    _row("hook.failed", "system", _ASYNC, _INTERNAL),
    _row("llm.request", "system", _ASYNC, _INTERNAL),
    _row("llm.exchanged", "system", _TRANSIENT, _INTERNAL),
    _row("llm.response", "system", _ASYNC, _INTERNAL),
    _row("attempt.rejected", "system", _ASYNC, _INTERNAL),
    _row("effect.intended", "system", _ASYNC, _INTERNAL),
    _row("effect.recorded", "system", _ASYNC, _INTERNAL),
    _row("effect.abandoned", "system", _ASYNC, _INTERNAL),
    _row("tool.refused", "system", _ASYNC, _INTERNAL),
    _row("breaker.changed", "system", _ASYNC, _INTERNAL),
    _row("limiter.throttled", "system", _ASYNC, _INTERNAL),
    _row("budget.refused", "system", _ASYNC, _INTERNAL),
    _row("turn.started", "system", _ASYNC, _INTERNAL),
    _row("turn.resumed", "system", _ASYNC, _INTERNAL),
    # telemetry contract
    _row("agent.execution.started", "system", _ASYNC, _INTERNAL),
    _row("agent.execution.completed", "system", _ASYNC, _INTERNAL),
    _row("agent.execution.failed", "system", _ASYNC, _INTERNAL),
    _row("agent.decision.recorded", "system", _ASYNC, _INTERNAL),
    _row("agent.retry.attempted", "system", _ASYNC, _INTERNAL),
    _row("agent.fallback.triggered", "system", _ASYNC, _INTERNAL),
    _row("agent.pipeline.started", "system", _ASYNC, _INTERNAL),
    _row("agent.pipeline.completed", "system", _ASYNC, _INTERNAL),
)

ROUTES: dict[str, Route] = {}
"""The table by canonical name."""

BY_WIRE: dict[str, Route] = {}
"""The same rows by the name on the socket."""

BY_STORE: dict[str, Route] = {}
"""The same rows by the name in the log."""


def add_route(route: Route) -> None:
    """Add a row for an event of your own, before its model is defined. A name can be given only once."""
    entries = [(ROUTES, "canonical", route.type), (BY_WIRE, "wire", route.wire), (BY_STORE, "store", route.store)]
    for table, kind, name in entries:
        if name in table:
            raise ValueError(f"the routing table already has a row for the {kind} name {name!r}")
    for table, _, name in entries:
        if name is not None:
            table[name] = route


for _route in _TABLE:
    add_route(_route)


def is_internal(event_type: str, *, tool_name: str | None = None, is_marked: bool = False) -> bool:
    """Whether a user may not see an event: the one place where that is decided."""
    route = ROUTES.get(event_type)
    return (
        is_marked
        or (route is not None and route.audience is Audience.INTERNAL)
        or (tool_name is not None and tool_name.startswith((ROUTING_TOOL_PREFIX, HANDOFF_BACK_PREFIX)))
    )
