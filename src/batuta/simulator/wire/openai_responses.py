"""OpenAI responses: ``POST /v1/responses``.

    response.created · response.in_progress · (output_item.added · ... · output_item.done)* · response.completed

Reasoning travels as an item of its own. The id of a function call that follows a reasoning item names that item
(``rs_x`` gives ``fc_x_0``), which lets the validator see when a client dropped the reasoning.
"""

from collections.abc import Iterator
from typing import Any

from batuta.simulator.answers import (
    Block,
    Json,
    PlannedAnswer,
    PlannedRefusal,
    PlannedThinking,
    PlannedToolCall,
    Raw,
    ServerTool,
    Text,
)
from batuta.simulator.wire.asked import OfferedTool, ToolResult, WireRequest, as_list, dicts, mapping, text_of
from batuta.simulator.wire.dialect import Dialect, WireFailure
from batuta.simulator.wire.openai_errors import error
from batuta.simulator.wire.sse import SseEvent
from batuta.simulator.wire.turn import WireTurn, signature_for

ECHOED: Json = {
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "reasoning": {"effort": None, "summary": None},
    "store": True,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
}
INCOMPLETE: Json = {"max_tokens": "max_output_tokens"}
PROGRESS: dict[str, tuple[str, ...]] = {
    "web_search_call": ("in_progress", "searching", "completed"),
    "code_interpreter_call": ("in_progress", "interpreting", "completed"),
}


def read(body: Json) -> WireRequest:
    given = body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else dicts(given)
    text_format = mapping(mapping(body.get("text")).get("format"))
    return WireRequest(
        provider="openai_responses",
        model=str(body.get("model", "")),
        body=body,
        streaming=body.get("stream") is True,
        last_user_text=_last_user_text(items),
        tools=tuple(_offered(tool) for tool in dicts(body.get("tools"))),
        tool_results=tuple(_results(items)),
        forced_tool=_forced(body.get("tool_choice")),
        output_schema=text_format.get("schema"),
        wants_thinking=bool(body.get("reasoning")),
    )


def whole(answer: PlannedAnswer, turn: WireTurn) -> Json:
    reason = INCOMPLETE.get(answer.stop_reason)
    return {
        **_envelope(turn),
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "output": _output(answer, turn),
        "usage": _usage(answer, turn),
    }


def events(answer: PlannedAnswer, turn: WireTurn) -> list[SseEvent]:
    return [SseEvent({**data, "sequence_number": number}, data["type"]) for number, data in _numbered(answer, turn)]


def error_events(failure: WireFailure, turn: WireTurn) -> list[SseEvent]:
    detail = error(failure)["error"]
    said = {"type": "error", "code": detail["code"], "message": detail["message"], "param": None}
    reason = {"code": detail["code"] or "server_error", "message": detail["message"]}
    failed = {"type": "response.failed", "response": {**_started(turn), "status": "failed", "error": reason}}
    numbered = enumerate((said, failed), start=failure.events_sent)
    return [SseEvent({**data, "sequence_number": number}, str(data["type"])) for number, data in numbered]


def _envelope(turn: WireTurn) -> Json:
    asked = {key: turn.asked.body.get(key) for key in ECHOED}
    echoed = {key: default if asked[key] is None else asked[key] for key, default in ECHOED.items()}
    return {
        "id": turn.id("resp_"),
        "object": "response",
        "created_at": turn.created,
        "model": turn.asked.model,
        "error": None,
        **echoed,
    }


def _started(turn: WireTurn) -> Json:
    return {**_envelope(turn), "status": "in_progress", "incomplete_details": None, "output": [], "usage": None}


def _usage(answer: PlannedAnswer, turn: WireTurn) -> Json:
    usage = turn.usage(answer)
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.cache_write},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    }


def _output(answer: PlannedAnswer, turn: WireTurn) -> list[Json]:
    items: list[Json] = []
    reasoning = ""
    for index, block in enumerate(answer.blocks):
        item = _item(block, turn, index, reasoning)
        if item is None:
            continue
        if item.get("type") == "reasoning":
            reasoning = item["id"].removeprefix("rs_")
        items.append(item)
    if items and answer.stop_reason == "max_tokens" and "status" in items[-1]:
        items[-1] = {**items[-1], "status": "incomplete"}
    return items


def _item(block: Block, turn: WireTurn, index: int, reasoning: str) -> Json | None:
    match block:
        case Text():
            part = {"type": "output_text", "text": block.content, "annotations": _annotations(block), "logprobs": []}
            return _message(turn.id("msg_", index), part)
        case PlannedRefusal():
            return _message(turn.id("msg_", index), {"type": "refusal", "refusal": block.text})
        case PlannedThinking():
            return _reasoning(block, turn, index)
        case PlannedToolCall():
            return _function_call(block, turn, index, reasoning)
        case ServerTool(name="web_search"):
            action = {"type": "search", "query": str(block.input.get("query", ""))}
            sources = [{"type": "url", "url": source.url} for source in block.results]
            call = {"type": "web_search_call", "id": turn.id("ws_", index), "status": "completed"}
            return {**call, "action": {**action, "sources": sources}}
        case ServerTool():
            return _code_call(block, turn, index)
        case Raw():
            return block.payload("openai_responses")


def _message(item_id: str, part: Json) -> Json:
    return {"type": "message", "id": item_id, "status": "completed", "role": "assistant", "content": [part]}


def _annotations(block: Text) -> list[Json]:
    whole_text = {"start_index": 0, "end_index": len(block.content)}
    return [
        {"type": "url_citation", "url": citation.url, "title": citation.title, **whole_text}
        for citation in block.citations
        if citation.url is not None
    ]


def _reasoning(block: PlannedThinking, turn: WireTurn, index: int) -> Json:
    summary = [] if block.redacted or not block.text else [{"type": "summary_text", "text": block.text}]
    item: Json = {"type": "reasoning", "id": turn.id("rs_", index), "summary": summary}
    if block.redacted or "reasoning.encrypted_content" in as_list(turn.asked.body.get("include")):
        item["encrypted_content"] = block.signature or signature_for(block.text)
    return item


def _function_call(block: PlannedToolCall, turn: WireTurn, index: int, reasoning: str) -> Json:
    return {
        "type": "function_call",
        "id": f"fc_{reasoning}_{index}" if reasoning else turn.id("fc_", index),
        "call_id": block.id or turn.id("call_", index),
        "name": block.name,
        "arguments": block.arguments_json,
        "status": "completed",
    }


def _code_call(block: ServerTool, turn: WireTurn, index: int) -> Json:
    return {
        "type": "code_interpreter_call",
        "id": turn.id("ci_", index),
        "status": "completed",
        "code": str(block.input.get("code", "")),
        "container_id": turn.id("cntr_", index),
        "outputs": [{"type": "logs", "logs": block.output}],
    }


def _numbered(answer: PlannedAnswer, turn: WireTurn) -> Iterator[tuple[int, Json]]:
    return enumerate(_stream(answer, turn))


def _stream(answer: PlannedAnswer, turn: WireTurn) -> Iterator[Json]:
    yield {"type": "response.created", "response": _started(turn)}
    yield {"type": "response.in_progress", "response": _started(turn)}
    final = whole(answer, turn)
    for index, item in enumerate(final["output"]):
        yield {"type": "response.output_item.added", "output_index": index, "item": _opened(item)}
        place = {"output_index": index, "item_id": item.get("id", "")}
        yield from ({**place, **data} for data in _progress(item, turn, index))
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": f"response.{final['status']}", "response": final}


OPENINGS: dict[str, Json] = {
    "message": {"content": [], "status": "in_progress"},
    "reasoning": {"summary": []},
    "function_call": {"arguments": "", "status": "in_progress"},
    "web_search_call": {"status": "in_progress"},
    "code_interpreter_call": {"status": "in_progress", "code": "", "outputs": None},
}


def _opened(item: Json) -> Json:
    return {**item, **OPENINGS.get(str(item.get("type")), {})}


def _progress(item: Json, turn: WireTurn, index: int) -> Iterator[Json]:
    match item.get("type"):
        case "message":
            yield from _message_progress(item["content"][0], turn, index)
        case "reasoning":
            for number, part in enumerate(item["summary"]):
                yield from _summary_progress(part, number, turn, index)
        case "function_call":
            name = "response.function_call_arguments"
            for piece in turn.chunks(item["arguments"], index):
                yield {"type": f"{name}.delta", "delta": piece}
            yield {"type": f"{name}.done", "arguments": item["arguments"]}
        case "web_search_call" | "code_interpreter_call" as kind:
            yield from ({"type": f"response.{kind}.{stage}"} for stage in PROGRESS[kind])


def _message_progress(part: Json, turn: WireTurn, index: int) -> Iterator[Json]:
    is_text = part["type"] == "output_text"
    field, name = ("text", "output_text") if is_text else ("refusal", "refusal")
    extra: Json = {"logprobs": []} if is_text else {}
    opened = {**part, field: "", **({"annotations": []} if is_text else {})}
    yield {"type": "response.content_part.added", "content_index": 0, "part": opened}
    for piece in turn.chunks(part[field], index):
        yield {"type": f"response.{name}.delta", "content_index": 0, "delta": piece, **extra}
    for number, annotation in enumerate(part.get("annotations", ())):
        added = {"type": "response.output_text.annotation.added", "content_index": 0}
        yield {**added, "annotation_index": number, "annotation": annotation}
    yield {"type": f"response.{name}.done", "content_index": 0, field: part[field], **extra}
    yield {"type": "response.content_part.done", "content_index": 0, "part": part}


def _summary_progress(part: Json, number: int, turn: WireTurn, index: int) -> Iterator[Json]:
    place = {"summary_index": number}
    yield {"type": "response.reasoning_summary_part.added", **place, "part": {**part, "text": ""}}
    for piece in turn.chunks(part["text"], index, number):
        yield {"type": "response.reasoning_summary_text.delta", **place, "delta": piece}
    yield {"type": "response.reasoning_summary_text.done", **place, "text": part["text"]}
    yield {"type": "response.reasoning_summary_part.done", **place, "part": part}


def _offered(tool: Json) -> OfferedTool:
    return OfferedTool(name=str(tool.get("name") or tool.get("type", "")), parameters=mapping(tool.get("parameters")))


def _forced(choice: Any) -> str:
    return "*" if choice == "required" else str(mapping(choice).get("name", ""))


def _last_user_text(items: list[Json]) -> str:
    return next((text_of(item.get("content")) for item in reversed(items) if item.get("role") == "user"), "")


def _results(items: list[Json]) -> Iterator[ToolResult]:
    names = {str(item.get("call_id")): str(item.get("name")) for item in items if item.get("type") == "function_call"}
    closing: list[Json] = []
    for item in reversed(items):
        if item.get("type") != "function_call_output":
            break
        closing.insert(0, item)
    for item in closing:
        yield ToolResult(name=names.get(str(item.get("call_id")), ""), text=text_of(item.get("output")))


DIALECT = Dialect(
    provider="openai_responses",
    read=read,
    whole=whole,
    events=events,
    error=error,
    error_events=error_events,
    credential_headers=("authorization", "api-key"),
    response_headers={"x-ratelimit-remaining-tokens": "150000"},
)
