"""An execution rebuilt from its events (T-25): what happened in order, what was inside what, and what it came to.

    timeline = timeline_of(events)
    timeline.lines, timeline.roots, timeline.summary        # as data
    as_json(timeline), as_table(timeline), as_tree(timeline)    # for `batuta replay`

Pure functions of events: the same log always gives the same timeline.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from batuta.events.conversation import AssistantMessage, Thinking
from batuta.events.envelope import Event
from batuta.events.runtime import LlmResponse
from batuta.events.telemetry import AgentExecutionCompleted, AgentExecutionStarted, is_retry
from batuta.kernel.extras import load_extra
from batuta.kernel.usage import NO_USAGE, Usage, add_costs
from batuta.observability.runs import Span, SpanKind, assemble, roots_of
from batuta.observability.span_facts import error_type, mark_name, span_name

if TYPE_CHECKING:
    from rich.table import Table
    from rich.tree import Tree

LONGEST_DETAIL = 160

_FAILURES = frozenset({"agent.execution.failed", "step.failed", "error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineLine:
    """One event, and its distance from the first."""

    at: datetime
    offset: timedelta
    type: str
    agent: str | None
    path: str | None
    detail: str
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineSummary:
    """What an execution came to. Cost is `None` where the price of a call is unknown."""

    trace_id: str | None
    total_events: int
    agents_executed: tuple[str, ...]
    total_time_ms: float
    errors: int
    retries: int
    fallbacks: int
    model_calls: int
    tool_calls: int
    usage: Usage
    cost_usd: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """An execution."""

    lines: tuple[TimelineLine, ...]
    roots: tuple[Span, ...]
    summary: TimelineSummary


def timeline_of(events: Iterable[Event]) -> Timeline:
    """Rebuild an execution. Events are taken in the order of the log where they have one, else as they come."""
    ordered = _in_order(events)
    spans = assemble(ordered)
    return Timeline(lines=tuple(_lines(ordered)), roots=tuple(roots_of(spans)), summary=_summary(ordered, spans))


def _in_order(events: Iterable[Event]) -> list[Event]:
    ordered = list(events)
    if all(event.sequence_number is not None for event in ordered):
        ordered.sort(key=lambda event: (event.session_id or "", event.sequence_number or 0))
    return ordered


def _lines(events: Sequence[Event]) -> Iterable[TimelineLine]:
    first = min((event.timestamp for event in events), default=None)
    for event in events:
        assert first is not None
        yield TimelineLine(
            at=event.timestamp,
            offset=event.timestamp - first,
            type=event.type,
            agent=getattr(event, "agent_name", None) or event.source_agent_id,
            path=getattr(event, "path", None),
            detail=_detail(event),
            event=event,
        )


_DETAILS = {
    "step.failed": ("code", "message"),
    "step.completed": ("duration_ms",),
    "agent.execution.started": ("llm_model",),
    "agent.execution.completed": ("execution_time_ms", "llm_tokens_used", "confidence"),
    "agent.execution.failed": ("error_code", "error_message"),
    "agent.retry.attempted": ("retry_attempt", "retry_reason", "delay_seconds", "retry_successful"),
    "agent.fallback.triggered": ("fallback_agent", "trigger_reason"),
    "agent.decision.recorded": ("decision_type", "confidence"),
    "agent.pipeline.completed": ("status", "final_outcome", "total_execution_time_ms"),
    "attempt.rejected": ("kind", "message"),
    "llm.request": ("model",),
    "llm.response": ("model", "duration_ms", "cost"),
    "tool_request": ("tool_name",),
    "tool_response": ("tool_name", "success", "duration_ms"),
    "breaker.changed": ("key", "current"),
    "limiter.throttled": ("key", "wait_seconds"),
    "plan_step_completed": ("step_index", "status"),
    "turn_paused": ("reason",),
    "turn.resumed": ("reason",),
    "complete": ("status", "duration_ms"),
    "error": ("code", "message"),
}


def _detail(event: Event) -> str:
    shown = ((name, getattr(event, name)) for name in _DETAILS.get(event.type, ()))
    return " ".join(f"{name}={_short(value)}" for name, value in shown if value is not None)


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    line = " ".join(str(value).split())
    return line if len(line) <= LONGEST_DETAIL else f"{line[:LONGEST_DETAIL]}…"


def _summary(events: Sequence[Event], spans: Sequence[Span]) -> TimelineSummary:
    times = [event.timestamp for event in events]
    usage, cost = spent_on(_paid_for(events))
    return TimelineSummary(
        trace_id=next((event.trace_id for event in events if event.trace_id), None),
        total_events=len(events),
        agents_executed=_agents(events),
        total_time_ms=(max(times) - min(times)).total_seconds() * 1000 if times else 0.0,
        errors=sum(event.type == "agent.execution.failed" or event.type == "error" for event in events),
        retries=sum(map(is_retry, events)),
        fallbacks=sum(event.type == "agent.fallback.triggered" for event in events),
        model_calls=sum(span.kind is SpanKind.MODEL for span in spans),
        tool_calls=sum(span.kind is SpanKind.TOOL for span in spans),
        usage=usage,
        cost_usd=cost,
    )


def _agents(events: Sequence[Event]) -> tuple[str, ...]:
    """In the order they began; where no execution is recorded, those who said something."""
    begun = [event.agent_name for event in events if isinstance(event, AgentExecutionStarted)]
    spoke = [event.source_agent_id for event in events if event.source_agent_id is not None]
    return tuple(dict.fromkeys(begun or spoke))


def _paid_for(events: Sequence[Event]) -> Sequence[LlmResponse | AssistantMessage | Thinking]:
    """What says how much was used: model calls, or where none is recorded, what models said."""
    calls = [event for event in events if isinstance(event, LlmResponse) and event.success]
    return calls or [event for event in events if isinstance(event, (AssistantMessage, Thinking))]


def spent_on(calls: Sequence[LlmResponse | AssistantMessage | Thinking]) -> tuple[Usage, Decimal | None]:
    """Tokens and money of some model calls; the money of one whose price is unknown makes the sum unknown."""
    usage, cost = NO_USAGE, Decimal(0) if calls else None
    for call in calls:
        usage += call.usage or NO_USAGE
        cost = add_costs(cost, call.cost)
    return usage, cost


def as_data(timeline: Timeline) -> dict[str, Any]:
    """The whole timeline as JSON values, details of events included."""
    return {
        "trace_id": timeline.summary.trace_id,
        "summary": _json_summary(timeline.summary),
        "tree": [_json_span(root) for root in timeline.roots],
        "timeline": [
            {
                "time": line.at.isoformat(),
                "offset_ms": line.offset.total_seconds() * 1000,
                "event": line.type,
                "details": line.event.model_dump(mode="json"),
            }
            for line in timeline.lines
        ],
    }


def as_json(timeline: Timeline) -> str:
    """The same as text."""
    return json.dumps(as_data(timeline), indent=2, ensure_ascii=False)


def _json_summary(summary: TimelineSummary) -> dict[str, Any]:
    data = asdict(summary)
    cost = None if summary.cost_usd is None else str(summary.cost_usd)
    agents = list(summary.agents_executed)
    return {**data, "agents_executed": agents, "usage": asdict(summary.usage), "cost_usd": cost}


def _json_span(span: Span) -> dict[str, Any]:
    return {
        "span_id": span.id,
        "kind": span.kind.value,
        "name": span.name,
        "duration_ms": None if span.duration is None else span.duration.total_seconds() * 1000,
        "failed": span.is_failed,
        "events": [mark.type for mark in span.marks],
        "children": [_json_span(child) for child in span.children],
    }


def as_table(timeline: Timeline) -> "Table":
    """One row per event, for a terminal (rich, extra `cli`)."""
    tables = load_extra("rich.table", extra="cli", needed_for="showing a timeline")
    table: Table = tables.Table(caption=summary_line(timeline.summary))
    for name in ("offset ms", "event", "agent", "path", "detail"):
        table.add_column(name, no_wrap=name == "event")  # on a narrow terminal the others give way
    for line in timeline.lines:
        offset = f"{line.offset.total_seconds() * 1000:.1f}"
        style = "red" if line.type in _FAILURES else None
        table.add_row(offset, line.type, line.agent or "", line.path or "", _escaped(line.detail), style=style)
    return table


def as_tree(timeline: Timeline) -> "Tree":
    """What was inside what, with durations, tokens, cost, errors and retries (rich, extra `cli`)."""
    trees = load_extra("rich.tree", extra="cli", needed_for="showing a timeline")
    tree: Tree = trees.Tree(summary_line(timeline.summary))
    for root in timeline.roots:
        _grow(tree, root)
    return tree


def _grow(tree: "Tree", span: Span) -> None:
    branch = tree.add(span_label(span))
    for mark in span.marks:
        if mark.type in _SHOWN_MARKS:
            branch.add(f"[yellow]• {mark_name(mark)} {_escaped(_detail(mark))}[/]")
    for child in span.children:
        _grow(branch, child)


_SHOWN_MARKS = frozenset(
    {
        "agent.retry.attempted",
        "agent.decision.recorded",
        "agent.fallback.triggered",
        "attempt.rejected",
        "breaker.changed",
        "turn_paused",
        "turn.resumed",
    }
)


def span_label(span: Span) -> str:
    """A span as one line of a tree: `✓ chat gpt-5 812 ms 300 tokens`."""
    if span.end is None:
        return f"[cyan]◌ {_escaped(span_name(span))}[/]"
    sign = "[red]✗[/]" if span.is_failed else "[green]✓[/]"
    parts = [sign, _escaped(span_name(span)), f"[dim]{(span.duration or timedelta()).total_seconds() * 1000:.0f} ms[/]"]
    parts.extend(_figures(span))
    if span.is_failed:
        parts.append(f"[red]{_escaped(error_type(span.end))}[/]")
    return " ".join(parts)


def _figures(span: Span) -> Iterable[str]:
    end = span.end
    if isinstance(end, LlmResponse) and end.usage is not None:
        yield f"[dim]{end.usage.total} tokens[/]"
        if end.cost is not None:
            yield f"[dim]{end.cost:f} USD[/]"
    if span.kind is SpanKind.AGENT and isinstance(end, AgentExecutionCompleted) and end.retry_count:
        yield f"[yellow]{end.retry_count} retries[/]"


def summary_line(summary: TimelineSummary) -> str:
    """What it came to, in one line."""
    cost = "cost unknown" if summary.cost_usd is None else f"{summary.cost_usd:f} USD"
    return (
        f"{summary.total_events} events · {len(summary.agents_executed)} agents · {summary.total_time_ms:.0f} ms · "
        f"{summary.model_calls} model calls · {summary.tool_calls} tool calls · {summary.usage.total} tokens · "
        f"{cost} · {summary.errors} errors · {summary.retries} retries · {summary.fallbacks} fallbacks"
    )


def _escaped(text: str) -> str:
    """Square brackets are markup to rich."""
    return text.replace("[", "\\[")
