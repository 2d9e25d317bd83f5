"""The timeline of a turn as the API shows it: every event with its agent, duration, tokens and cost. Pure."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from batuta.events.envelope import Event
from batuta.events.tools import ToolRequest, ToolResponse
from batuta.kernel.usage import Usage
from batuta.observability.timeline import TimelineLine, timeline_of

_ENVELOPE = frozenset(Event.model_fields)
_SHOWN_APART = frozenset({"usage", "cost", "duration_ms", "path"})
_LABELS = ("tool_name", "step_name", "name", "model", "task", "title", "content", "message", "reason", "status")
"""Where an event's own words are, best first."""
LABEL_CHARS = 120
DETAIL_CHARS = 2_000


class TimelineEntry(BaseModel):
    """One event of the turn."""

    at_ms: float
    duration_ms: float | None
    type: str
    agent_id: str | None
    label: str
    path: str | None
    depth: int
    is_internal: bool
    usage: Usage | None
    cost: Decimal | None
    details: dict[str, Any]


class TimelineTotals(BaseModel):
    """The turn in figures."""

    total_events: int
    agents: list[str]
    duration_ms: float
    errors: int
    retries: int
    usage: Usage
    cost: Decimal | None


class TurnTimeline(BaseModel):
    """A turn from its first event to its last."""

    turn_id: str
    summary: TimelineTotals
    entries: list[TimelineEntry]


def view_of(turn_id: str, events: Sequence[Event]) -> TurnTimeline:
    """The timeline of a turn's events as the API shows it."""
    timeline = timeline_of(events)
    summary = timeline.summary
    executed = {e.tool_use_id: e.executed_args for e in events if isinstance(e, ToolResponse) and e.executed_args}
    return TurnTimeline(
        turn_id=turn_id,
        summary=TimelineTotals(
            total_events=summary.total_events,
            agents=list(summary.agents_executed),
            duration_ms=summary.total_time_ms,
            errors=summary.errors,
            retries=summary.retries,
            usage=summary.usage,
            cost=summary.cost_usd,
        ),
        entries=[_entry(line, executed) for line in timeline.lines],
    )


def _entry(line: TimelineLine, executed: Mapping[str, dict[str, Any]]) -> TimelineEntry:
    event = line.event
    return TimelineEntry(
        at_ms=line.offset.total_seconds() * 1000,
        duration_ms=getattr(event, "duration_ms", None),
        type=line.type,
        agent_id=getattr(event, "agent_id", None) or line.agent,
        label=_label(event),
        path=line.path,
        depth=line.path.count("/") if line.path else 0,
        is_internal=not event.is_visible,
        usage=getattr(event, "usage", None),
        cost=getattr(event, "cost", None),
        details=_details(event) | _executed(event, executed),
    )


def _label(event: Event) -> str:
    for name in _LABELS:
        value = getattr(event, name, None)
        if isinstance(value, str) and value:
            return value[:LABEL_CHARS]
    return event.type


def _details(event: Event) -> dict[str, Any]:
    fields = event.model_dump(mode="json", exclude=set(_ENVELOPE | _SHOWN_APART))
    return {name: _shortened(value) for name, value in fields.items() if value not in (None, "", [], {})}


def _executed(event: Event, executed: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """What a call ran with, beside what was asked for."""
    if not isinstance(event, ToolRequest) or event.tool_use_id not in executed:
        return {}
    return {"executed_args": executed[event.tool_use_id]}


def _shortened(value: Any) -> Any:
    return f"{value[:DETAIL_CHARS]}…" if isinstance(value, str) and len(value) > DETAIL_CHARS else value
