"""What was said, as attributes of a span: only where it was asked for.

In the form that OpenTelemetry's GenAI conventions give messages, as JSON. Secrets and declared fields are left out
even here, and of pictures and documents only what they are.
"""

import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from batuta.events.runtime import LlmExchanged, LlmResponse
from batuta.events.telemetry import AgentExecutionCompleted
from batuta.events.tools import ToolResponse
from batuta.kernel.messages import StopReason
from batuta.observability.redaction import MAX_SEARCHED, Redactor
from batuta.observability.runs import Span, SpanKind

Attributes = dict[str, Any]
Part = dict[str, Any]

WITH_CONTENT = Redactor(has_content=True)

FINISH_REASONS: dict[StopReason, str] = {
    "success": "stop",
    "max_tokens": "length",
    "paused": "pause",
    "refused": "content_filter",
}
"""Why a model stopped, in the words of the conventions; one that wants tools run says `tool_call`."""


@lru_cache(maxsize=256)
def _text(text: str) -> str:
    """Each call is given what the calls before it were given: what was searched is not searched again."""
    return WITH_CONTENT.text(text, limit=MAX_SEARCHED)


def finish_reason(end: LlmResponse) -> str:
    """Why a model call ended."""
    return "tool_call" if end.tool_calls else FINISH_REASONS[end.stop_reason or "success"]


def contents_of(span: Span) -> Attributes:
    """What was said in a span."""
    kinds: dict[SpanKind, Callable[[Span], Attributes]] = {
        SpanKind.TOOL: _of_tool,
        SpanKind.AGENT: _of_agent,
        SpanKind.MODEL: _of_call,
    }
    tell = kinds.get(span.kind)
    return {} if tell is None else tell(span)


def _of_tool(span: Span) -> Attributes:
    end = span.end if isinstance(span.end, ToolResponse) else None
    executed = None if end is None else end.executed_args
    args = getattr(span.start, "args", {}) if executed is None else executed
    result = None if end is None else end.content
    return {
        "gen_ai.tool.call.arguments": _json(WITH_CONTENT.fields(args)),
        "gen_ai.tool.call.result": None if result is None else _text(result),
    }


def _of_call(span: Span) -> Attributes:
    if not span.exchanges:
        return {}
    [exchange] = span.exchanges
    reason = finish_reason(span.end) if isinstance(span.end, LlmResponse) and span.end.success else "error"
    return {**_asked(exchange), "gen_ai.output.messages": _answered(exchange, reason)}


def _of_agent(span: Span) -> Attributes:
    """What it was given first and what came of it; the calls between say the rest."""
    if not span.exchanges:
        return _summarized(span)
    reason = "stop" if isinstance(span.end, AgentExecutionCompleted) else "error"
    return {**_asked(span.exchanges[0]), "gen_ai.output.messages": _answered(span.exchanges[-1], reason)}


def _summarized(span: Span) -> Attributes:
    """An agent whose calls were made before this process took its run up."""
    given = {"role": "user", "parts": [_said(getattr(span.start, "input_summary", ""))]}
    said: Attributes = {"gen_ai.input.messages": _json([given])}
    if isinstance(span.end, AgentExecutionCompleted):
        came = {"role": "assistant", "parts": [_said(span.end.output_summary)], "finish_reason": "stop"}
        said["gen_ai.output.messages"] = _json([came])
    return said


def _asked(exchange: LlmExchanged) -> Attributes:
    messages = [{"role": message["role"], "parts": _parts(message)} for message in exchange.messages]
    offered = [{"type": "function", **WITH_CONTENT.fields(tool)} for tool in exchange.tools]
    return {
        "gen_ai.system_instructions": _json([_said(exchange.system)]) if exchange.system else None,
        "gen_ai.input.messages": _json(messages),
        "gen_ai.tool.definitions": _json(offered) if offered else None,
    }


def _answered(exchange: LlmExchanged, reason: str) -> str | None:
    if exchange.answer is None:
        return None
    return _json([{"role": "assistant", "parts": _parts(exchange.answer), "finish_reason": reason}])


def _parts(message: dict[str, Any]) -> list[Part]:
    return [_PARTS[block["type"]](block) for block in message["content"]]


def _said(text: str) -> Part:
    return {"type": "text", "content": _text(text)}


def _called(block: dict[str, Any]) -> Part:
    kind = "server_tool_call" if block["is_server_side"] else "tool_call"
    args = WITH_CONTENT.fields(block["args"])
    return {"type": kind, "id": block["id"], "name": WITH_CONTENT.name(block["name"]), "arguments": args}


def _returned(block: dict[str, Any]) -> Part:
    kind = "server_tool_call_response" if block["is_server_side"] else "tool_call_response"
    return {"type": kind, "id": block["tool_use_id"], "response": _text(block["content"])}


def _shown(block: dict[str, Any]) -> Part:
    """A picture or a document: where it is, or only what it is."""
    what = {"modality": block["type"], "mime_type": block["media_type"]}
    return {"type": "uri", **what, "uri": _text(block["url"])} if block["url"] else {"type": "attachment", **what}


_PARTS: dict[str, Callable[[dict[str, Any]], Part]] = {
    "text": lambda block: _said(block["text"]),
    "thinking": lambda block: {"type": "reasoning", "content": _text(block["text"])},
    "tool_call": _called,
    "tool_result": _returned,
    "image": _shown,
    "document": _shown,
    "opaque": lambda block: {"type": "opaque", "provider": block["provider"]},
}


def _json(value: Iterable[Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
