"""What a span says of itself: its name and attributes, by the names of OpenTelemetry's GenAI conventions.

Names and figures only. What people, models and tools said is added when content capture is on (`contents`), and so are
the words of errors: without it they are reduced to what went wrong. Secrets are redacted in any case.
"""

from collections.abc import Callable
from typing import Any

from batuta.events.envelope import Event
from batuta.events.runtime import LlmResponse, StepFailed
from batuta.events.telemetry import AgentExecutionCompleted, AgentExecutionFailed
from batuta.events.tools import MCP_DETAILS, ToolResponse
from batuta.kernel.usage import Usage
from batuta.observability.contents import WITH_CONTENT, contents_of, finish_reason
from batuta.observability.error_texts import told_text
from batuta.observability.redaction import REDACTOR, Redactor
from batuta.observability.runs import Span, SpanKind

Attributes = dict[str, Any]

PROVIDER_NAMES = {
    "google": "gcp.gemini",
    "azure": "azure.ai.openai",
    "mistral": "mistral_ai",
    "xai": "x_ai",
    "bedrock": "aws.bedrock",
}
"""Providers whose name in the conventions is not ours."""

OPERATIONS = {
    SpanKind.TURN: "invoke_workflow",
    SpanKind.PIPELINE: "invoke_workflow",
    SpanKind.AGENT: "invoke_agent",
    SpanKind.MODEL: "chat",
    SpanKind.TOOL: "execute_tool",
    SpanKind.PLAN: "plan",
}
"""`gen_ai.operation.name`; steps and validations are ours alone."""


def span_name(span: Span) -> str:
    """`chat gpt-5`, `invoke_agent clerk`, `execute_tool stock`; a step goes by its own name."""
    match span.kind:
        case SpanKind.STEP:
            return span.name
        case SpanKind.VALIDATION:
            return f"validate {span.name}"
        case SpanKind.PLAN:
            return "plan"
        case SpanKind.TOOL:
            return f"{OPERATIONS[span.kind]} {REDACTOR.name(span.name)}"
        case kind:
            return f"{OPERATIONS[kind]} {span.name}"


def attributes_of(span: Span, *, has_content: bool = False) -> Attributes:
    """Everything the span says of itself."""
    start = span.start
    said: Attributes = {"correlation.id": start.correlation_id or ""}
    if start.session_id is not None:
        said["gen_ai.conversation.id"] = start.session_id
    if span.kind in OPERATIONS:
        said["gen_ai.operation.name"] = OPERATIONS[span.kind]
    _FACTS[span.kind](span, said)
    if has_content:
        said.update(contents_of(span))
    if span.is_failed or span.end is None:
        said["error.type"] = error_class(span.end)
    return {name: value for name, value in said.items() if value is not None}


def provider_name(provider: str) -> str:
    """A provider as the conventions call it."""
    return PROVIDER_NAMES.get(provider, provider)


def error_type(end: Event | None) -> str:
    """What kind of error ended a span, by its code; one that never ended is `unfinished`."""
    if end is None:
        return "unfinished"
    for name in ("error_code", "code", "error", "kind", "status"):
        if isinstance(found := getattr(end, name, None), str) and found:
            return REDACTOR.text(found if name != "error" or told_text(found) == found else "_OTHER")
    return "_OTHER"


def error_class(end: Event | None) -> str:
    """`error.type` as the conventions have it: the class of the exception, else the kind of error."""
    raised = getattr(end, "error_type", None)
    return REDACTOR.text(raised) if isinstance(raised, str) else error_type(end)


def error_message(span: Span, *, has_content: bool = False) -> str | None:
    """Why it ended badly, redacted."""
    if span.end is None:
        return "it did not end"
    if span.kind is SpanKind.VALIDATION:
        return None  # it quotes the answer
    for name in ("error_message", "message", "error", "failure_reason"):
        if isinstance(found := getattr(span.end, name, None), str) and found:
            return (WITH_CONTENT if has_content else REDACTOR).error(found, error_type(span.end))
    return None


def exception_attributes(span: Span, *, has_content: bool = False) -> Attributes:
    """What the span event `exception` says of what was raised here; nothing where nothing was."""
    if not span.is_failed or getattr(span.end, "error_type", None) is None:
        return {}
    said: Attributes = {
        "exception.type": error_class(span.end),
        "exception.message": error_message(span, has_content=has_content),
    }
    if isinstance(stack := getattr(span.end, "stack_trace", None), str):
        said["exception.stacktrace"] = (WITH_CONTENT if has_content else REDACTOR).field("stack_trace", stack)
    return {name: value for name, value in said.items() if value is not None}


def mark_name(event: Event) -> str:
    """A span event's name: `retry_attempted`, `decision_recorded`, `breaker_changed`."""
    return event.type.removeprefix("agent.").replace(".", "_")


def mark_attributes(event: Event, *, has_content: bool = False) -> Attributes:
    """What a span event says."""
    names = _MARKS.get(event.type, {})
    said = {shown: getattr(event, field) for field, shown in names.items()}
    redactor = WITH_CONTENT if has_content else REDACTOR
    return {shown: _mark_value(shown, value, redactor) for shown, value in said.items() if value is not None}


def _mark_value(name: str, value: Any, redactor: Redactor) -> Any:
    if not isinstance(value, str):
        return value
    if name == "tool_name":
        return redactor.name(value)
    return redactor.error(value) if name == "error" else redactor.text(value)


_MARKS: dict[str, dict[str, str]] = {
    "agent.retry.attempted": {
        "retry_attempt": "attempt",
        "original_error": "error",
        "delay_seconds": "delay_seconds",
        "retry_reason": "retry_reason",
        "retry_strategy": "retry_strategy",
    },
    "agent.decision.recorded": {
        "decision_type": "decision_type",
        "decision_category": "decision_category",
        "confidence": "confidence",
        "decision_id": "decision_id",
        "was_cached": "was_cached",
    },
    "agent.fallback.triggered": {
        "primary_agent": "primary_agent",
        "fallback_agent": "fallback_agent",
        "trigger_reason": "trigger_reason",
        "fallback_successful": "fallback_successful",
        "fallback_confidence": "fallback_confidence",
        "quality_delta": "quality_delta",
    },
    "attempt.rejected": {"attempt": "attempt", "kind": "kind"},
    "breaker.changed": {"key": "key", "previous": "previous", "current": "current"},
    "limiter.throttled": {"key": "key", "wait_seconds": "wait_seconds", "refused": "refused"},
    "budget.refused": {"scope": "scope", "limit": "limit"},
    "tool.refused": {"tool_name": "tool_name", "tool_use_id": "tool_use_id"},
    "hook.failed": {"hook": "hook"},
    "plan_step_started": {"step_index": "step_index", "agent_id": "agent_id"},
    "plan_step_completed": {"step_index": "step_index", "status": "status"},
    "turn_paused": {"approval_id": "approval_id"},
    "turn.resumed": {"reason": "reason", "attempt": "attempt"},
    "approval_requested": {"tool_name": "tool_name", "approval_id": "approval_id"},
    "approval_resolved": {"decision": "decision", "approval_id": "approval_id"},
    "error": {"code": "code", "category": "category"},
}


def _turn(span: Span, said: Attributes) -> None:
    said["gen_ai.workflow.name"] = "turn"
    said["batuta.turn.id"] = span.start.turn_id
    said["batuta.turn.status"] = getattr(span.end, "status", None)
    _add_usage(said, getattr(span.end, "usage", None), getattr(span.end, "cost", None))


def _step(span: Span, said: Attributes) -> None:
    start: Any = span.start
    said["pipeline.name"] = start.pipeline_name or (start.step_name if span.kind is SpanKind.PIPELINE else None)
    said["step.name"] = start.step_name
    said["step.type"] = start.step_type
    said["step.path"] = start.path
    said["step.status"] = "failure" if isinstance(span.end, StepFailed) else "success" if span.end else "unfinished"
    if isinstance(span.end, StepFailed):
        said["error.category"] = str(span.end.category)
        said["error.code"] = span.end.code


def _pipeline(span: Span, said: Attributes) -> None:
    _step(span, said)
    said["gen_ai.workflow.name"] = span.name
    for mark in span.marks:
        if mark.type == "agent.pipeline.completed":
            result: Any = mark
            said["pipeline.status"] = result.status
            said["pipeline.agents_executed"] = result.agents_executed
            said["validation.confidence"] = result.final_confidence


def _agent(span: Span, said: Attributes) -> None:
    start: Any = span.start
    end = span.end
    said["agent.name"] = said["gen_ai.agent.name"] = start.agent_name
    said["agent.version"] = said["gen_ai.agent.version"] = start.agent_version
    said["gen_ai.agent.id"] = start.source_agent_id
    said["gen_ai.agent.description"] = start.agent_description
    said["gen_ai.provider.name"] = provider_name(start.llm_provider or "unknown")
    said["gen_ai.request.model"] = start.llm_model
    said["gen_ai.request.temperature"] = start.temperature
    said["gen_ai.request.max_tokens"] = start.max_tokens
    _add_usage(said, _usage_below(span), None)
    if isinstance(end, AgentExecutionCompleted):
        said["validation.confidence"] = end.confidence
        said["agent.decision_type"] = end.decision_type
        said["batuta.cost.usd"] = None if end.llm_cost_usd is None else float(end.llm_cost_usd)
        said["agent.retry_count"] = end.retry_count
        said["agent.fallback_used"] = end.fallback_used
    if isinstance(end, AgentExecutionFailed):
        said["error.category"] = end.error_category
        said["error.code"] = end.error_code
        said["error.stage"] = end.stage
        said["agent.retry_count"] = end.retry_count
        said["agent.fallback_used"] = bool(end.fallback_successful)


def _model(span: Span, said: Attributes) -> None:
    start: Any = span.start
    said["gen_ai.provider.name"] = provider_name(start.provider)
    said["gen_ai.request.model"] = start.model
    said["gen_ai.request.stream"] = start.is_streaming or None
    said["gen_ai.output.type"] = start.output_type
    said["step.path"] = start.path
    for setting, attribute in _SETTINGS.items():
        said[attribute] = start.settings.get(setting)
    if isinstance(span.end, LlmResponse):
        end = span.end
        said["gen_ai.response.model"] = end.model
        said["gen_ai.response.id"] = end.response_id
        said["gen_ai.response.finish_reasons"] = None if end.stop_reason is None else (finish_reason(end),)
        _add_usage(said, end.usage, end.cost)


_SETTINGS = {
    "temperature": "gen_ai.request.temperature",
    "max_tokens": "gen_ai.request.max_tokens",
    "top_p": "gen_ai.request.top_p",
    "stop": "gen_ai.request.stop_sequences",
    "seed": "gen_ai.request.seed",
}


def _tool(span: Span, said: Attributes) -> None:
    start: Any = span.start
    said["gen_ai.tool.name"] = REDACTOR.name(start.tool_name)
    said["gen_ai.tool.call.id"] = start.tool_use_id
    said["gen_ai.tool.type"] = "extension" if start.is_server_side else "function"
    said["gen_ai.agent.id"] = start.source_agent_id
    _add_mcp(span.end, said)


def _add_mcp(end: Event | None, said: Attributes) -> None:
    """Of a tool that an MCP server ran: by which call of the protocol."""
    called = end.details.get(MCP_DETAILS) if isinstance(end, ToolResponse) else None
    if not isinstance(called, dict):
        return
    for fact, attribute in _MCP_FACTS.items():
        if isinstance(text := called.get(fact), str):
            said[attribute] = REDACTOR.text(text)


_MCP_FACTS = {
    "method": "mcp.method.name",
    "session": "mcp.session.id",
    "protocol": "mcp.protocol.version",
    "transport": "network.transport",
}


def _validation(span: Span, said: Attributes) -> None:
    end: Any = span.end
    said["agent.name"] = span.name
    said["validation.confidence"] = getattr(end, "confidence", None)
    said["validation.status"] = "failure" if span.is_failed else "success"
    said["validation.kind"] = getattr(end, "kind", None)
    said["validation.attempt"] = getattr(end, "attempt", None)


def _plan(span: Span, said: Attributes) -> None:
    start: Any = span.start
    said["batuta.plan.id"] = start.plan_id
    said["batuta.plan.steps"] = len(start.steps)
    said["batuta.plan.status"] = getattr(span.end, "status", None)


_FACTS: dict[SpanKind, Callable[[Span, Attributes], None]] = {
    SpanKind.TURN: _turn,
    SpanKind.PIPELINE: _pipeline,
    SpanKind.STEP: _step,
    SpanKind.AGENT: _agent,
    SpanKind.MODEL: _model,
    SpanKind.TOOL: _tool,
    SpanKind.VALIDATION: _validation,
    SpanKind.PLAN: _plan,
}


def _usage_below(span: Span) -> Usage | None:
    """An agent used what its model calls used, no more."""
    used = [call.end.usage for call in span.children if isinstance(call.end, LlmResponse) and call.end.usage]
    return sum(used[1:], used[0]) if used else None


def _add_usage(said: Attributes, usage: Usage | None, cost: Any) -> None:
    if usage is not None:
        said["gen_ai.usage.input_tokens"] = usage.input
        said["gen_ai.usage.output_tokens"] = usage.output
        said["gen_ai.usage.cache_read.input_tokens"] = usage.cache_read or None
        said["gen_ai.usage.cache_creation.input_tokens"] = usage.cache_write or None
        said["gen_ai.usage.reasoning.output_tokens"] = usage.thinking or None
    if cost is not None:
        said["batuta.cost.usd"] = float(cost)
