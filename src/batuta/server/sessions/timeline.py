"""The timeline of a turn: every event with its agent, duration, tokens and cost. Pure."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from batuta.events.envelope import Event
from batuta.events.telemetry import is_retry
from batuta.kernel.usage import Usage

_ENVELOPE = frozenset(Event.model_fields)
_SHOWN_APART = frozenset({"usage", "cost", "duration_ms", "path"})
_LABELS = ("tool_name", "step_name", "name", "model", "task", "title", "content", "message", "reason", "status")
"""Where an event's own words are, best first."""
LABEL_CHARS = 120
DETAIL_CHARS = 2_000


class Entry(BaseModel):
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


class Totals(BaseModel):
    """The turn in figures."""

    total_events: int
    agents: list[str]
    duration_ms: float
    errors: int
    retries: int
    usage: Usage
    cost: Decimal | None


class Timeline(BaseModel):
    """A turn from its first event to its last."""

    turn_id: str
    summary: Totals
    entries: list[Entry]


def timeline_of(turn_id: str, events: Sequence[Event]) -> Timeline:
    """The timeline of a turn's events, in order."""
    begin = events[0].timestamp if events else datetime.min.replace(tzinfo=UTC)
    entries = [_entry(event, begin) for event in events]
    calls = [event for event in events if event.type == "llm.response"]
    costs = [cost for event in calls if (cost := getattr(event, "cost", None)) is not None]
    summary = Totals(
        total_events=len(events),
        agents=list(dict.fromkeys(event.source_agent_id for event in events if event.source_agent_id)),
        duration_ms=max((entry.at_ms for entry in entries), default=0.0),
        errors=sum(event.type in ("error", "step.failed") for event in events),
        retries=sum(map(is_retry, events)),
        usage=_total(calls),
        cost=sum(costs, Decimal()) if costs else None,
    )
    return Timeline(turn_id=turn_id, summary=summary, entries=entries)


def _entry(event: Event, begin: datetime) -> Entry:
    path = getattr(event, "path", None)
    return Entry(
        at_ms=(event.timestamp - begin).total_seconds() * 1000,
        duration_ms=getattr(event, "duration_ms", None),
        type=event.type,
        agent_id=event.source_agent_id,
        label=_label(event),
        path=path,
        depth=path.count("/") if path else 0,
        is_internal=not event.is_visible,
        usage=getattr(event, "usage", None),
        cost=getattr(event, "cost", None),
        details=_details(event),
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


def _shortened(value: Any) -> Any:
    return f"{value[:DETAIL_CHARS]}…" if isinstance(value, str) and len(value) > DETAIL_CHARS else value


def _total(calls: Iterable[Event]) -> Usage:
    total = Usage()
    for call in calls:
        total = total + (getattr(call, "usage", None) or Usage())
    return total
