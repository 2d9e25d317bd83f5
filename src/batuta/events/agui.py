"""The same events for AG-UI clients (protocol 1.0): a table from canonical events to protocol events.

    translate(events) -> (protocol events, state)      fold-like: translate the next part with the state of the last

A turn is a run; a pause for an approval ends the run with an interrupt, and the decision opens the next one. AG-UI
knows one run at a time and nothing between runs: events of a queued turn wait for theirs, and what is known about a
turn after its end is left out.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from batuta.events import conversation, plans, progress, tools
from batuta.events.envelope import Event
from batuta.events.routing import Persistence
from batuta.kernel.usage import Usage

PROTOCOL_VERSION = "1.0"

AguiEvent = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Speech:
    """A text or reasoning message that is open on the wire."""

    kind: str
    message_id: str
    source: tuple[str | None, str | None]
    """Message and agent of the canonical events it is made of."""
    text: str = ""


@dataclass(frozen=True, slots=True)
class AguiRun:
    """The run that is open on the wire."""

    turn_id: str
    run_id: str
    open: tuple[Speech, ...] = ()
    ended: frozenset[tuple[str, str | None]] = frozenset()
    """Kind and message of what was said to its end."""
    steps: tuple[str, ...] = ()
    error: conversation.ErrorOccurred | None = None


@dataclass(frozen=True, slots=True)
class AguiState:
    """What a translation has to remember between two parts of a stream."""

    run: AguiRun | None = None
    last_sequence: int = 0
    runs: tuple[str, ...] = ()
    """Turns that had a run already."""
    ended: tuple[str, ...] = ()
    """Turns that are over."""
    waiting: tuple[Event, ...] = ()
    approvals: tuple[tools.ApprovalRequested, ...] = ()
    known_plans: tuple[plans.PlanGenerated, ...] = ()


Step = tuple[AguiState, list[AguiEvent]]


def translate(events: Iterable[Event], state: AguiState | None = None) -> tuple[list[AguiEvent], AguiState]:
    """Protocol events for canonical ones. Internal events give nothing, repeated ones give nothing more."""
    state = state or AguiState()
    sent: list[AguiEvent] = []
    for event in events:
        if not event.is_visible or _was_seen(state, event):
            continue
        state = replace(state, last_sequence=event.sequence_number or state.last_sequence)
        state, more = _admit(state, event)
        sent += more
    return sent, state


def _was_seen(state: AguiState, event: Event) -> bool:
    return event.sequence_number is not None and event.sequence_number <= state.last_sequence


def _admit(state: AguiState, event: Event) -> Step:
    """Say an event in its run: open one for it, let it wait for its own, or leave it out."""
    is_late = event.turn_id is None or event.turn_id in state.ended
    if state.run is None:
        return (state, []) if is_late or not _opens_a_run(event) else _in_new_run(state, event)
    if not is_late and event.turn_id != state.run.turn_id:
        return replace(state, waiting=(*state.waiting, event)), []
    if is_late and isinstance(event, conversation.Complete):
        return state, []
    return _said(state, event)


def _opens_a_run(event: Event) -> bool:
    return event.persistence is not Persistence.TRANSIENT and not isinstance(event, conversation.Complete)


def _in_new_run(state: AguiState, event: Event) -> Step:
    turn_id = str(event.turn_id)
    is_resumed = turn_id in state.runs
    run = AguiRun(turn_id=turn_id, run_id=event.event_id if is_resumed else turn_id)
    started = _event(
        event,
        "RUN_STARTED",
        threadId=str(event.session_id),
        runId=run.run_id,
        protocolVersion=PROTOCOL_VERSION,
        parentRunId=turn_id if is_resumed else None,
        input=_input(event, run) if isinstance(event, conversation.UserMessage) else None,
    )
    state, sent = _said(replace(state, run=run, runs=(*state.runs, turn_id)), event)
    return state, [started, *sent]


def _input(event: conversation.UserMessage, run: AguiRun) -> AguiEvent:
    """What the person said, as the run's own input: a client that sent it knows it by its id."""
    message = {"id": event.client_message_id or event.event_id, "role": "user", "content": event.content}
    return {"threadId": str(event.session_id), "runId": run.run_id, "messages": [message], "tools": [], "context": []}


def _said(state: AguiState, event: Event) -> Step:
    return MAPPING.get(event.type, _custom)(state, event)


def _event(event: Event, agui_type: str, /, **fields: Any) -> AguiEvent:
    """A protocol event with its facts in `metadata`; absent fields are left out, never null."""
    facts = {"seq": event.sequence_number, "agentId": event.source_agent_id, "messageId": event.message_id}
    extra = facts | fields.pop("metadata", {})
    return {
        "type": agui_type,
        "timestamp": int(event.timestamp.timestamp() * 1000),
        **_present(fields),
        "metadata": _present(extra),
    }


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _payload(event: Event) -> dict[str, Any]:
    fields = event.model_dump(mode="json")
    return {name: value for name, value in fields.items() if name not in Event.model_fields}


def _run(state: AguiState) -> AguiRun:
    if state.run is None:
        raise AssertionError("an event is only said inside a run")
    return state.run


def _nothing(state: AguiState, event: Event) -> Step:
    return state, []


def _custom(state: AguiState, event: Event) -> Step:
    return state, [_event(event, "CUSTOM", name=event.type, value=_payload(event))]


_NAMES: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    "message": (("TEXT_MESSAGE_START",), "TEXT_MESSAGE_CONTENT", ("TEXT_MESSAGE_END",)),
    "thinking": (
        ("REASONING_START", "REASONING_MESSAGE_START"),
        "REASONING_MESSAGE_CONTENT",
        ("REASONING_MESSAGE_END", "REASONING_END"),
    ),
}
"""How each kind of speech opens, goes on and closes."""

_VOID = {"isSuperseded": True}

_ROLES = {"TEXT_MESSAGE_START": "assistant", "REASONING_MESSAGE_START": "reasoning"}


def _opened(event: Event, kind: str) -> tuple[Speech, list[AguiEvent]]:
    speech = Speech(kind, event.event_id, (event.message_id, event.source_agent_id))
    begins = _NAMES[kind][0]
    return speech, [_event(event, name, messageId=speech.message_id, role=_ROLES.get(name)) for name in begins]


def _content(event: Event, speech: Speech, text: str) -> list[AguiEvent]:
    return [_event(event, _NAMES[speech.kind][1], messageId=speech.message_id, delta=text)] if text else []


def _closed(event: Event, speech: Speech, metadata: dict[str, Any]) -> list[AguiEvent]:
    ends = _NAMES[speech.kind][2]
    return [_event(event, name, messageId=speech.message_id, metadata=metadata) for name in ends]


def _piece(kind: str) -> Callable[[AguiState, Any], Step]:
    """A delta goes on with the open message of its source, or opens one."""

    def say(state: AguiState, event: progress.ContentDelta | progress.ThinkingDelta) -> Step:
        run = _run(state)
        if (kind, event.message_id) in run.ended:
            return state, []
        source = (event.message_id, event.source_agent_id)
        speech = next((speech for speech in run.open if (speech.kind, speech.source) == (kind, source)), None)
        sent: list[AguiEvent] = []
        if speech is None:
            speech, sent = _opened(event, kind)
        # The protocol only adds: of a text that is sent again, the client has the beginning.
        rest = event.delta if event.offset is None else event.delta[max(0, len(speech.text) - event.offset) :]
        grown = replace(speech, text=speech.text + rest)
        others = tuple(other for other in run.open if other is not speech)
        return replace(state, run=replace(run, open=(*others, grown))), sent + _content(event, speech, rest)

    return say


def _discarded(state: AguiState, event: progress.StreamDiscarded) -> Step:
    """What streamed of a message is void: it is closed and marked; what comes of it anew is a message of its own."""
    run, source = _run(state), (event.message_id, event.source_agent_id)
    sent = [end for speech in run.open if speech.source == source for end in _closed(event, speech, _VOID)]
    kept = tuple(speech for speech in run.open if speech.source != source)
    return replace(state, run=replace(run, open=kept)), sent


def _whole(kind: str) -> Callable[[AguiState, Any], Step]:
    """A stored message closes what streamed of it: the rest is added, or it is said anew if the words changed."""

    def say(state: AguiState, event: conversation.AssistantMessage | conversation.Thinking) -> Step:
        run = _run(state)
        superseded = [speech for speech in run.open if speech.kind == kind and _is_same(speech, event)]
        sent: list[AguiEvent] = []
        current = next((speech for speech in superseded if event.content.startswith(speech.text)), None)
        for speech in superseded:
            if speech is not current:
                sent += _closed(event, speech, _VOID)
        if current is None:
            current, begun = _opened(event, kind)
            sent += begun
        sent += _content(event, current, event.content[len(current.text) :])
        sent += _closed(event, current, _facts_of(event))
        kept = tuple(speech for speech in run.open if speech not in superseded)
        ended = run.ended if event.message_id is None else run.ended | {(kind, event.message_id)}
        return replace(state, run=replace(run, open=kept, ended=ended)), sent

    return say


def _is_same(speech: Speech, event: Event) -> bool:
    message_id, agent_id = speech.source
    if message_id is not None and event.message_id is not None:
        return message_id == event.message_id
    return agent_id == event.source_agent_id


def _facts_of(event: conversation.AssistantMessage | conversation.Thinking) -> dict[str, Any]:
    fields = event.model_dump(mode="json", include={"model", "usage", "cost", "citations", "stop_reason"})
    return {name: value for name, value in fields.items() if value not in (None, [])}


def _tool_request(state: AguiState, event: tools.ToolRequest) -> Step:
    call = {"toolCallId": event.tool_use_id}
    return state, [
        _event(event, "TOOL_CALL_START", **call, toolCallName=event.tool_name),
        _event(event, "TOOL_CALL_ARGS", **call, delta=json.dumps(event.args, ensure_ascii=False, default=str)),
        _event(event, "TOOL_CALL_END", **call),
    ]


def _tool_response(state: AguiState, event: tools.ToolResponse) -> Step:
    facts = {"success": event.success, "error": event.error, "durationMs": event.duration_ms}
    result = _event(
        event,
        "TOOL_CALL_RESULT",
        messageId=event.event_id,
        toolCallId=event.tool_use_id,
        content=event.content,
        role="tool",
        metadata=facts,
    )
    return state, [result]


def _approval_requested(state: AguiState, event: tools.ApprovalRequested) -> Step:
    return _custom(replace(state, approvals=(*state.approvals, event)), event)


def _approval_resolved(state: AguiState, event: tools.ApprovalResolved) -> Step:
    pending = tuple(asked for asked in state.approvals if asked.approval_id != event.approval_id)
    return _custom(replace(state, approvals=pending), event)


def _error(state: AguiState, event: conversation.ErrorOccurred) -> Step:
    return _custom(replace(state, run=replace(_run(state), error=event)), event)


def _plan_generated(state: AguiState, event: plans.PlanGenerated) -> Step:
    steps = [step.model_dump(mode="json") | {"status": "pending"} for step in event.steps]
    content = {"plan_id": event.plan_id, "query": event.query, "status": "executing", "steps": steps}
    known = tuple(plan for plan in state.known_plans if plan.plan_id != event.plan_id)
    snapshot = _event(event, "ACTIVITY_SNAPSHOT", messageId=event.plan_id, activityType="PLAN", content=content)
    return replace(state, known_plans=(*known, event)), [snapshot]


def _plan_step_started(state: AguiState, event: plans.PlanStepStarted) -> Step:
    run = _run(state)
    sent = _patched(state, event, {"status": "in_progress", "agent_id": event.agent_id})
    if event.step_id in run.steps:
        return state, sent
    begun = _event(event, "STEP_STARTED", stepName=event.step_id, metadata={"task": event.task})
    return replace(state, run=replace(run, steps=(*run.steps, event.step_id))), [begun, *sent]


def _plan_step_completed(state: AguiState, event: plans.PlanStepCompleted) -> Step:
    run = _run(state)
    sent = _patched(state, event, {"status": event.status, "result": event.result, "error": event.error})
    if event.step_id not in run.steps:
        return state, sent
    left = tuple(step for step in run.steps if step != event.step_id)
    ended = _event(event, "STEP_FINISHED", stepName=event.step_id)
    return replace(state, run=replace(run, steps=left)), [*sent, ended]


def _patched(
    state: AguiState, event: plans.PlanStepStarted | plans.PlanStepCompleted, fields: dict[str, Any]
) -> list[AguiEvent]:
    """The change of one step as a patch of its plan; a plan that was not announced is not patched."""
    plan = next((plan for plan in state.known_plans if plan.plan_id == event.plan_id), None)
    ids = [step.step_id for step in plan.steps] if plan else []
    if event.step_id not in ids:
        return []
    place = f"/steps/{ids.index(event.step_id)}"
    patch = [{"op": "add", "path": f"{place}/{name}", "value": value} for name, value in _present(fields).items()]
    return [_event(event, "ACTIVITY_DELTA", messageId=event.plan_id, activityType="PLAN", patch=patch)]


def _plan_completed(state: AguiState, event: plans.PlanCompleted) -> Step:
    if all(plan.plan_id != event.plan_id for plan in state.known_plans):
        return _custom(state, event)
    fields = {"status": event.status, "summary": event.summary, "failure_reason": event.failure_reason}
    patch = [{"op": "add", "path": f"/{name}", "value": value} for name, value in _present(fields).items()]
    return state, [_event(event, "ACTIVITY_DELTA", messageId=event.plan_id, activityType="PLAN", patch=patch)]


def _complete(state: AguiState, event: conversation.Complete) -> Step:
    """Close what is open, end the run, and let the next turn begin."""
    run = _run(state)
    sent = [closing for speech in run.open for closing in _closed(event, speech, _VOID)]
    sent += [_event(event, "STEP_FINISHED", stepName=step) for step in run.steps]
    sent.append(_failure(run, event) if event.status == "failed" else _finish(state, run, event))
    ended = state.ended if event.status == "paused" else (*state.ended, run.turn_id)
    after = replace(state, run=None, ended=ended, waiting=())
    for waiting in state.waiting:
        after, more = _admit(after, waiting)
        sent += more
    return after, sent


def _failure(run: AguiRun, event: conversation.Complete) -> AguiEvent:
    message = run.error.message if run.error else "the turn failed"
    return _event(event, "RUN_ERROR", message=message, code=run.error and run.error.code, usage=_usage(event.usage))


def _finish(state: AguiState, run: AguiRun, event: conversation.Complete) -> AguiEvent:
    return _event(
        event,
        "RUN_FINISHED",
        threadId=str(event.session_id),
        runId=run.run_id,
        outcome=_outcome(state, event.status),
        usage=_usage(event.usage),
        metadata={"status": event.status, "cost": None if event.cost is None else str(event.cost)},
    )


def _outcome(state: AguiState, status: str) -> AguiEvent:
    if status == "cancelled":
        return {"type": "cancelled"}
    if status == "paused" and state.approvals:
        return {"type": "interrupt", "interrupts": [_interrupt(asked) for asked in state.approvals]}
    return {"type": "success"}


def _interrupt(asked: tools.ApprovalRequested) -> AguiEvent:
    fields = asked.model_dump(mode="json", include={"tool_name", "args", "preview", "expires_at"})
    return _present(
        {
            "id": asked.approval_id,
            "reason": "tool_call",
            "message": asked.reason,
            "toolCallId": asked.tool_use_id,
            "expiresAt": fields.pop("expires_at"),
            "metadata": _present(fields),
        }
    )


def _usage(usage: Usage) -> list[AguiEvent]:
    return [
        {
            "inputTokens": usage.input,
            "outputTokens": usage.output,
            "totalTokens": usage.total,
            "reasoningTokens": usage.thinking,
            "cachedInputTokens": usage.cache_read,
            "cacheWriteInputTokens": usage.cache_write,
        }
    ]


MAPPING: dict[str, Callable[[AguiState, Any], Step]] = {
    "session_start": _nothing,
    "session_end": _nothing,
    "user_message": _nothing,  # sent as the input of its run
    "content_delta": _piece("message"),
    "thinking_delta": _piece("thinking"),
    "stream_discarded": _discarded,
    "assistant_message": _whole("message"),
    "thinking": _whole("thinking"),
    "tool_request": _tool_request,
    "tool_response": _tool_response,
    "approval_requested": _approval_requested,
    "approval_resolved": _approval_resolved,
    "plan_generated": _plan_generated,
    "plan_step_started": _plan_step_started,
    "plan_step_completed": _plan_step_completed,
    "plan_completed": _plan_completed,
    "error": _error,
    "complete": _complete,
}
"""What each event says to an AG-UI client; every other visible event is a CUSTOM event under its own name."""
