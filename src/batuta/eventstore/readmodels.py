"""The read models: which rows each event changes. Pure; a store applies the changes in one transaction.

To add a column or a table, change the functions here and the model of the table in `models`; no store changes.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple

from batuta.events.catalogue import encode
from batuta.events.conversation import AssistantMessage, Complete, Thinking, TitleChanged, UserMessage
from batuta.events.envelope import Event
from batuta.events.log import Record
from batuta.events.plans import AgentChanged
from batuta.events.routing import Audience
from batuta.events.runtime import BudgetRefused, LlmResponse, ToolRefused
from batuta.events.tools import ApprovalRequested, ApprovalResolved, ToolRequest, ToolResponse
from batuta.events.wire import with_position
from batuta.kernel.usage import Usage

Value = str | int | float | bool | datetime | None

CONSUMER = "read_models"
"""The name under which the read models' progress through the log is kept."""

READ_MODELS = ("messages", "usage", "tool_executions", "approvals", "sessions", "audit", "traces")

NANOS = Decimal(1_000_000_000)

_EXTERNAL = Audience.EXTERNAL
_Place = tuple[Value, ...]


class Upsert(NamedTuple):
    """A row made, or changed where the key exists: `values` replace, `add` is added, `initial` is for new rows."""

    table: str
    key: Mapping[str, Value]
    values: Mapping[str, Value] = MappingProxyType({})
    add: Mapping[str, int] = MappingProxyType({})
    initial: Mapping[str, Value] = MappingProxyType({})
    only_while_null: str | None = None
    """Leave an existing row alone once this column holds something: the first answer counts."""


def changes_of(records: Sequence[Record], payloads: Sequence[str] | None = None) -> list[Upsert]:
    """Every row change that some records cause, in all read models, in order.

    The rows of sessions and traces, which every record changes, are changed once for all of them. `payloads` are given
    by the writer of the records: their JSON need not be written again.
    """
    changes: list[Upsert] = []
    sessions: dict[str | None, _SessionRow] = {}
    traces: dict[tuple[str, str | None], list[int]] = {}
    for index, record in enumerate(records):
        event = record.event
        if event is None:
            continue
        for model in _MODELS.get(type(event), ()):
            changes.extend(model(event, record))
        if event.route.audience is _EXTERNAL:
            changes.append(_message(event, record, None if payloads is None else payloads[index]))
        session_id, trace_id = event.session_id, event.trace_id
        if trace_id is not None:
            traces.setdefault((trace_id, session_id), [record.seq, record.seq])[1] = record.seq
        row = sessions.get(session_id)
        if row is None:
            row = sessions[session_id] = _SessionRow(event.timestamp)
        row.last, row.updated_at = record, event.timestamp
        describe = _SESSION_FACTS.get(type(event))
        if describe is not None:
            row.note(*describe(event))
    changes += [_trace(*place, first, last) for place, (first, last) in traces.items()]
    changes += [row.upsert(session_id) for session_id, row in sessions.items()]
    return [_keepable(change) for change in changes]


def _keepable(change: Upsert) -> Upsert:
    """The character NUL, which no column of PostgreSQL holds, replaced: in every store, so that all show the same."""
    if not any(isinstance(value, str) and "\x00" in value for value in (*change.key.values(), *change.values.values())):
        return change
    return change._replace(key=_without_nul(change.key), values=_without_nul(change.values))


def _without_nul(row: Mapping[str, Value]) -> dict[str, Value]:
    return {name: value.replace("\x00", "\ufffd") if isinstance(value, str) else value for name, value in row.items()}


class _SessionRow:
    """The row of a session, which every record of it changes: what some of them change together."""

    __slots__ = ("add", "created_at", "last", "updated_at", "values")

    def __init__(self, created_at: datetime) -> None:
        self.created_at = self.updated_at = created_at
        self.last: Record | None = None
        self.values: dict[str, Value] = {}
        self.add: dict[str, int] = {}

    def note(self, values: dict[str, Value], add: dict[str, int]) -> None:
        self.values.update(values)
        for name, count in add.items():
            self.add[name] = self.add.get(name, 0) + count

    def upsert(self, session_id: str | None) -> Upsert:
        assert self.last is not None
        place: dict[str, Value] = {"last_seq": self.last.seq, "epoch": self.last.epoch, "updated_at": self.updated_at}
        created: dict[str, Value] = {"created_at": self.created_at}
        return Upsert("sessions", {"session_id": session_id}, {**place, **self.values}, self.add, created)


def _trace(trace_id: str, session_id: str | None, first_seq: int, last_seq: int) -> Upsert:
    """Where in the log the events of a trace are."""
    key = {"trace_id": trace_id, "session_id": session_id}
    return Upsert("traces", key, {"last_seq": last_seq}, initial={"first_seq": first_seq})


def in_waves(changes: Iterable[Upsert]) -> list[list[Upsert]]:
    """The same effect in fewer statements: within a wave each row is touched once, so its order does not matter."""
    waves: list[dict[_Place, Upsert]] = []
    last_wave: dict[_Place, int] = {}
    for change in changes:
        place = (change.table, *change.key.values())
        wave = last_wave.get(place, -1)
        if wave >= 0 and (earlier := waves[wave][place]).only_while_null is None and change.only_while_null is None:
            waves[wave][place] = _both(earlier, change)
            continue
        # What depends on the row as it is cannot be joined with what comes before it.
        wave += 1
        if wave == len(waves):
            waves.append({})
        waves[wave][place] = change
        last_wave[place] = wave
    return [list(wave.values()) for wave in waves]


def _both(first: Upsert, second: Upsert) -> Upsert:
    add = {name: first.add.get(name, 0) + second.add.get(name, 0) for name in {**first.add, **second.add}}
    return Upsert(
        table=first.table, key=first.key, values={**first.values, **second.values}, add=add, initial=first.initial
    )


def _message(event: Event, record: Record, payload: str | None) -> Upsert:
    """One row per event a user may see: columns to search by, and the event itself to rebuild the view from."""
    facts = event.__dict__  # an event has some of these fields; to ask it for one it has not is slow
    return Upsert(
        table="messages",
        key={"session_id": event.session_id, "seq": record.seq},
        values={
            "epoch": record.epoch,
            "event_id": event.event_id,
            "turn_id": event.turn_id,
            "message_id": event.message_id,
            "role": event.route.role,
            "type": event.type,
            "content": facts.get("content"),
            "agent_id": event.source_agent_id,
            "is_internal": event.is_internal,
            "model": facts.get("model"),
            **_tokens(facts.get("usage")),
            "cost_nanos": nanos(facts.get("cost")),
            "stop_reason": facts.get("stop_reason"),
            "tool_use_id": facts.get("tool_use_id"),
            "tool_name": facts.get("tool_name"),
            "bc_company_id": _company(facts),
            "body": _body(event, record.seq, payload),
            "created_at": event.timestamp,
        },
    )


def _body(event: Event, seq: int, payload: str | None) -> str:
    """The event with its position, as JSON."""
    spliced = None if payload is None else with_position(payload, seq)
    return spliced or encode(event.model_copy(update={"sequence_number": seq})).decode()


def _usage(event: LlmResponse, record: Record) -> Iterator[Upsert]:
    yield Upsert(
        table="usage",
        key={"session_id": event.session_id, "call_id": event.call_id},
        values={
            "seq": record.seq,
            "turn_id": event.turn_id,
            "agent_id": event.source_agent_id,
            "path": event.path,
            "provider": event.provider,
            "model": event.model,
            "is_success": event.success,
            **_tokens(event.usage),
            "cost_nanos": nanos(event.paid),
            "duration_ms": event.duration_ms,
            "created_at": event.timestamp,
        },
    )


def _tool_requested(event: ToolRequest, record: Record) -> Iterator[Upsert]:
    yield _tool(
        event,
        event.tool_use_id,
        tool_name=event.tool_name,
        args=_json(event.args),
        agent_id=event.source_agent_id,
        is_internal=event.is_internal,
        status="requested",
        requested_seq=record.seq,
        requested_at=event.timestamp,
    )


def _tool_answered(event: ToolResponse, record: Record) -> Iterator[Upsert]:
    executed = {} if event.executed_args is None else {"args": _json(event.executed_args)}
    yield _tool(
        event,
        event.tool_use_id,
        **executed,
        tool_name=event.tool_name,
        is_internal=event.is_internal,
        status="succeeded" if event.success else "failed",
        result=event.content,
        error=event.error,
        duration_ms=event.duration_ms,
        completed_seq=record.seq,
        completed_at=event.timestamp,
    )


def _tool_changed(event: ToolResponse, record: Record) -> Iterator[Upsert]:
    """The audit trail tells what ran where a person changed what was asked for."""
    if event.executed_args is not None:
        yield Upsert(
            table="audit",
            key={"session_id": event.session_id, "seq": record.seq},
            values={
                "event_id": event.event_id,
                "turn_id": event.turn_id,
                "action": "tool.executed_with_changes",
                "actor": event.source_agent_id or "system",
                "target": event.tool_name,
                "outcome": _json(event.executed_args),
                "created_at": event.timestamp,
            },
        )


def _tool_refused(event: ToolRefused, record: Record) -> Iterator[Upsert]:
    yield _tool(
        event,
        event.tool_use_id,
        tool_name=event.tool_name,
        status="refused",
        error=event.reason,
        completed_seq=record.seq,
        completed_at=event.timestamp,
    )


def _tool(event: Event, tool_use_id: str, **values: Value) -> Upsert:
    key = {"session_id": event.session_id, "tool_use_id": tool_use_id}
    return Upsert(table="tool_executions", key=key, values={"turn_id": event.turn_id, **values})


def _approval_requested(event: ApprovalRequested, record: Record) -> Iterator[Upsert]:
    yield Upsert(
        table="approvals",
        key={"session_id": event.session_id, "approval_id": event.approval_id},
        values={
            "turn_id": event.turn_id,
            "tool_use_id": event.tool_use_id,
            "tool_name": event.tool_name,
            "agent_id": event.source_agent_id,
            "args": _json(event.args),
            "preview": event.preview,
            "reason": event.reason,
            "expires_at": event.expires_at,
            "status": "pending",
            "requested_seq": record.seq,
            "requested_at": event.timestamp,
        },
    )


def _approval_resolved(event: ApprovalResolved, record: Record) -> Iterator[Upsert]:
    """The first decision counts; later ones change nothing."""
    yield Upsert(
        table="approvals",
        key={"session_id": event.session_id, "approval_id": event.approval_id},
        values={
            "status": event.decision,
            "decided_args": _json(event.args) if event.args is not None else None,
            "decided_by": event.by,
            "decision_reason": event.reason,
            "resolved_seq": record.seq,
            "resolved_at": event.timestamp,
        },
        only_while_null="resolved_at",
    )


def _audited(action: str, who: str, target: str, outcome: str) -> Callable[[Any, Record], Iterator[Upsert]]:
    """A row of the audit trail; `who`, `target` and `outcome` name the fields that tell them."""

    def entry(event: Event, record: Record) -> Iterator[Upsert]:
        yield Upsert(
            table="audit",
            key={"session_id": event.session_id, "seq": record.seq},
            values={
                "event_id": event.event_id,
                "turn_id": event.turn_id,
                "action": action,
                "actor": getattr(event, who) or "system",
                "target": getattr(event, target),
                "outcome": getattr(event, outcome),
                "created_at": event.timestamp,
            },
        )

    return entry


Model = Callable[[Any, Record], Iterator[Upsert]]

_MODELS: dict[type[Event], tuple[Model, ...]] = {
    LlmResponse: (_usage,),
    ToolRequest: (_tool_requested, _audited("tool.requested", "source_agent_id", "tool_name", "tool_use_id")),
    ToolResponse: (_tool_answered, _tool_changed),
    ToolRefused: (_tool_refused, _audited("tool.refused", "user_id", "tool_name", "reason")),
    ApprovalRequested: (
        _approval_requested,
        _audited("approval.requested", "source_agent_id", "tool_name", "approval_id"),
    ),
    ApprovalResolved: (_approval_resolved, _audited("approval.resolved", "by", "approval_id", "decision")),
    BudgetRefused: (_audited("budget.refused", "source_agent_id", "scope", "needed"),),
    Complete: (_audited("turn.completed", "source_agent_id", "turn_id", "status"),),
}

_Facts = tuple[dict[str, Value], dict[str, int]]


def _spent(event: LlmResponse) -> _Facts:
    cost = nanos(event.paid)
    tokens = {} if event.usage is None else {"input_tokens": event.usage.input, "output_tokens": event.usage.output}
    return {}, {"llm_calls": 1, **tokens, "cost_nanos": cost or 0, "unpriced_calls": int(cost is None)}


_SESSION_FACTS: dict[type[Event], Callable[[Any], _Facts]] = {
    UserMessage: lambda event: ({"status": "running"}, {"message_count": 1}),
    AssistantMessage: lambda event: ({}, {"message_count": int(not event.is_internal)}),
    Thinking: lambda event: ({}, {}),
    TitleChanged: lambda event: ({"title": event.title}, {}),
    AgentChanged: lambda event: ({"active_agent": event.current_agent.agent_id}, {}),
    Complete: lambda event: ({"status": event.status}, {"turn_count": int(event.status != "paused")}),
    LlmResponse: _spent,
}


def nanos(cost: Decimal | None) -> int | None:
    """Money as whole billionths, so that sums are exact in every store. Unknown stays unknown."""
    return None if cost is None else int((cost * NANOS).to_integral_value())


def _tokens(usage: Usage | None) -> dict[str, Value]:
    return {
        "input_tokens": usage.input if usage else None,
        "output_tokens": usage.output if usage else None,
        "thinking_tokens": usage.thinking if usage else None,
        "cache_read_tokens": usage.cache_read if usage else None,
        "cache_write_tokens": usage.cache_write if usage else None,
    }


def _company(facts: Mapping[str, Any]) -> Value:
    """The Business Central company a tool worked in, where the event names one."""
    for place in (facts.get("args"), facts.get("details")):
        if isinstance(place, dict) and isinstance(company := place.get("bc_company_id"), str):
            return company
    return None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
