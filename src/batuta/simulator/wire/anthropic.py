"""Anthropic Messages: ``POST /v1/messages``.

message_start · ping · (content_block_start · content_block_delta* · content_block_stop)* · message_delta · message_stop
"""

from collections.abc import Iterator
from typing import Any

from batuta.simulator.answers import (
    Block,
    Json,
    PlannedAnswer,
    PlannedCitation,
    PlannedRefusal,
    PlannedThinking,
    PlannedToolCall,
    Raw,
    ServerTool,
    Stop,
    Text,
)
from batuta.simulator.wire.asked import OfferedTool, ToolResult, WireRequest, dicts, mapping, text_of
from batuta.simulator.wire.dialect import Dialect, WireFailure
from batuta.simulator.wire.sse import SseEvent
from batuta.simulator.wire.turn import WireTurn, signature_for

STOP_REASONS: dict[Stop, str] = {
    "end": "end_turn",
    "tool_calls": "tool_use",
    "max_tokens": "max_tokens",
    "stop_sequence": "stop_sequence",
    "pause": "pause_turn",
    "refusal": "refusal",
}

ERROR_TYPES: dict[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def read(body: Json) -> WireRequest:
    messages = dicts(body.get("messages"))
    last = messages[-1] if messages else {}
    choice = mapping(body.get("tool_choice"))
    output_format = mapping(mapping(body.get("output_config")).get("format"))
    return WireRequest(
        provider="anthropic",
        model=str(body.get("model", "")),
        body=body,
        streaming=body.get("stream") is True,
        last_user_text=_last_user_text(messages),
        tools=tuple(_offered(tool) for tool in dicts(body.get("tools"))),
        tool_results=tuple(_results(last, _call_names(messages))),
        forced_tool={"any": "*", "tool": str(choice.get("name", ""))}.get(str(choice.get("type")), ""),
        output_schema=output_format.get("schema"),
        wants_thinking=mapping(body.get("thinking")).get("type") in ("enabled", "adaptive"),
    )


def whole(answer: PlannedAnswer, turn: WireTurn) -> Json:
    return {
        **_envelope(turn),
        "content": _content(answer, turn),
        **_stop(answer),
        "usage": _usage(answer, turn),
    }


def events(answer: PlannedAnswer, turn: WireTurn) -> list[SseEvent]:
    return [SseEvent(data, data["type"]) for data in _stream(answer, turn)]


def error(failure: WireFailure) -> Json:
    kind = ERROR_TYPES.get(failure.status, "api_error" if failure.status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": failure.message}, "request_id": "req_simulated"}


def error_events(failure: WireFailure, turn: WireTurn) -> list[SseEvent]:
    return [SseEvent(error(failure), "error")]


def _envelope(turn: WireTurn) -> Json:
    return {"id": turn.id("msg_"), "type": "message", "role": "assistant", "model": turn.asked.model}


def _stop(answer: PlannedAnswer) -> Json:
    reason = answer.stop_reason
    refusals = [block.text for block in answer.blocks if isinstance(block, PlannedRefusal)]
    details = {"type": "refusal", "category": None, "explanation": " ".join(refusals) or None}
    return {
        "stop_reason": STOP_REASONS[reason],
        "stop_sequence": answer.stop_sequence if reason == "stop_sequence" else None,
        "stop_details": details if reason == "refusal" else None,
    }


def _usage(answer: PlannedAnswer, turn: WireTurn) -> Json:
    usage = turn.usage(answer)
    searches = sum(isinstance(block, ServerTool) and block.name == "web_search" for block in answer.blocks)
    return {
        "input_tokens": usage.input - usage.cached - usage.cache_write,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cached,
        "cache_creation": {"ephemeral_5m_input_tokens": usage.cache_write, "ephemeral_1h_input_tokens": 0},
        "output_tokens": usage.output,
        "output_tokens_details": {"thinking_tokens": usage.reasoning} if usage.reasoning else None,
        "server_tool_use": {"web_search_requests": searches, "web_fetch_requests": 0} if searches else None,
        "service_tier": "standard",
    }


def _content(answer: PlannedAnswer, turn: WireTurn) -> list[Json]:
    return [part for index, block in enumerate(answer.blocks) for part in _parts(block, turn, index)]


def _parts(block: Block, turn: WireTurn, index: int) -> Iterator[Json]:
    match block:
        case Text(citations=citations):
            cited = {"citations": [_citation(citation, block.content) for citation in citations]} if citations else {}
            yield {"type": "text", "text": block.content, **cited}
        case PlannedThinking(redacted=True):
            yield {"type": "redacted_thinking", "data": block.signature or signature_for(block.text)}
        case PlannedThinking():
            signature = block.signature or signature_for(block.text)
            yield {"type": "thinking", "thinking": block.text, "signature": signature}
        case PlannedToolCall():
            call_id = block.id or turn.id("toolu_", index)
            yield {"type": "tool_use", "id": call_id, "name": block.name, "input": block.arguments}
        case ServerTool():
            yield from _server_tool(block, turn.id("srvtoolu_", index))
        case Raw():
            yield from filter(None, [block.payload("anthropic")])
        case PlannedRefusal():
            return


def _citation(citation: PlannedCitation, text: str) -> Json:
    if citation.url is not None:
        return {
            "type": "web_search_result_location",
            "cited_text": citation.cited_text,
            "url": citation.url,
            "title": citation.title,
            "encrypted_index": signature_for(citation.url),
        }
    return {
        "type": "char_location",
        "cited_text": citation.cited_text,
        "document_index": citation.document,
        "document_title": citation.title or None,
        "start_char_index": 0,
        "end_char_index": len(citation.cited_text),
    }


def _server_tool(block: ServerTool, use_id: str) -> Iterator[Json]:
    yield {"type": "server_tool_use", "id": use_id, "name": block.name, "input": block.input}
    yield {"type": f"{block.name}_tool_result", "tool_use_id": use_id, "content": _server_result(block)}


def _server_result(block: ServerTool) -> Any:
    if block.name == "code_execution":
        return {
            "type": "code_execution_result",
            "stdout": block.output,
            "stderr": "",
            "return_code": 0,
            "content": [],
        }
    return [
        {
            "type": "web_search_result",
            "url": source.url,
            "title": source.title,
            "encrypted_content": signature_for(source.url),
            "page_age": None,
        }
        for source in block.results
    ]


def _stream(answer: PlannedAnswer, turn: WireTurn) -> Iterator[Json]:
    usage = _usage(answer, turn)
    start: Json = {"content": [], "stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": {**_envelope(turn), **start}}
    yield {"type": "ping"}
    raw_inputs = _written_inputs(answer, turn)
    for index, part in enumerate(_content(answer, turn)):
        yield {"type": "content_block_start", "index": index, "content_block": _opened(part)}
        for delta in _deltas(part, turn, index, raw_inputs):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    final_usage = {key: value for key, value in usage.items() if key not in ("cache_creation", "service_tier")}
    yield {"type": "message_delta", "delta": _stop(answer), "usage": final_usage}
    yield {"type": "message_stop"}


OPENINGS: dict[str, Json] = {
    "text": {"text": ""},
    "thinking": {"thinking": "", "signature": ""},
    "tool_use": {"input": {}},
    "server_tool_use": {"input": {}},
}


def _opened(part: Json) -> Json:
    """A block as it first appears: what deltas will bring is still empty."""
    opened = {**part, **OPENINGS.get(part["type"], {})}
    return {**opened, "citations": []} if "citations" in part else opened


def _deltas(part: Json, turn: WireTurn, index: int, raw_inputs: dict[str, str]) -> Iterator[Json]:
    match part["type"]:
        case "text":
            for citation in part.get("citations", ()):
                yield {"type": "citations_delta", "citation": citation}
            for piece in turn.chunks(part["text"], index):
                yield {"type": "text_delta", "text": piece}
        case "thinking":
            for piece in turn.chunks(part["thinking"], index):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": part["signature"]}
        case "tool_use" | "server_tool_use":
            yield {"type": "input_json_delta", "partial_json": ""}
            for piece in turn.chunks(raw_inputs.get(part["id"], ""), index):
                yield {"type": "input_json_delta", "partial_json": piece}


def _written_inputs(answer: PlannedAnswer, turn: WireTurn) -> dict[str, str]:
    """The JSON text of every tool input by its id, so that a scenario can stream arguments that are not JSON."""
    written = {}
    for index, block in enumerate(answer.blocks):
        if isinstance(block, PlannedToolCall):
            written[block.id or turn.id("toolu_", index)] = block.arguments_json
        elif isinstance(block, ServerTool):
            call = PlannedToolCall(type="tool_call", name=block.name, arguments=block.input)
            written[turn.id("srvtoolu_", index)] = call.arguments_json
    return written


def _offered(tool: Json) -> OfferedTool:
    return OfferedTool(name=str(tool.get("name", "")), parameters=mapping(tool.get("input_schema")))


def _last_user_text(messages: list[Json]) -> str:
    texts = (text_of(message.get("content")) for message in reversed(messages) if message.get("role") == "user")
    return next(filter(None, texts), "")


def _call_names(messages: list[Json]) -> dict[str, str]:
    blocks = (block for message in messages for block in dicts(message.get("content")))
    return {str(block.get("id")): str(block.get("name")) for block in blocks if block.get("type") == "tool_use"}


def _results(message: Json, names: dict[str, str]) -> Iterator[ToolResult]:
    for block in dicts(message.get("content")):
        if block.get("type") == "tool_result":
            name = names.get(str(block.get("tool_use_id")), "")
            yield ToolResult(name=name, text=text_of(block.get("content")))


DIALECT = Dialect(
    provider="anthropic",
    read=read,
    whole=whole,
    events=events,
    error=error,
    error_events=error_events,
    credential_headers=("x-api-key", "authorization"),
    required_headers=("anthropic-version",),
    request_id_header="request-id",
    response_headers={"anthropic-ratelimit-tokens-remaining": "400000"},
)
