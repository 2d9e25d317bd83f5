"""OpenAI chat completions: ``POST /v1/chat/completions``.

    chunk (role) · chunk (content | refusal | tool_calls)* · chunk (finish_reason) · chunk (usage) if asked · [DONE]

This format shows no reasoning and no server tool: thinking appears only as a token count, a search only by the
annotations of the text that cites it.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from batuta.simulator.answers import Json, PlannedAnswer, PlannedRefusal, PlannedToolCall, Raw, Stop, Text
from batuta.simulator.wire.asked import OfferedTool, ToolResult, WireRequest, dicts, mapping, text_of
from batuta.simulator.wire.dialect import Dialect, WireFailure
from batuta.simulator.wire.openai_errors import error
from batuta.simulator.wire.sse import SseEvent
from batuta.simulator.wire.turn import WireTurn

FINISH_REASONS: dict[Stop, str] = {
    "end": "stop",
    "tool_calls": "tool_calls",
    "max_tokens": "length",
    "stop_sequence": "stop",
    "pause": "stop",
    "refusal": "stop",
}


def read(body: Json) -> WireRequest:
    messages = dicts(body.get("messages"))
    schema = mapping(mapping(body.get("response_format")).get("json_schema")).get("schema")
    return WireRequest(
        provider="openai_chat",
        model=str(body.get("model", "")),
        body=body,
        streaming=body.get("stream") is True,
        last_user_text=_last_user_text(messages),
        tools=tuple(_offered(tool) for tool in dicts(body.get("tools"))),
        tool_results=tuple(_results(messages)),
        forced_tool=_forced(body.get("tool_choice")),
        output_schema=schema,
        wants_thinking=bool(body.get("reasoning_effort")),
    )


def whole(answer: PlannedAnswer, turn: WireTurn) -> Json:
    choice = {
        "index": 0,
        "message": _message(answer, turn),
        "logprobs": None,
        "finish_reason": FINISH_REASONS[answer.stop_reason],
    }
    return {**_envelope(turn, "chat.completion"), "choices": [choice], "usage": _usage(answer, turn)}


def events(answer: PlannedAnswer, turn: WireTurn) -> list[SseEvent]:
    wants_usage = mapping(turn.asked.body.get("stream_options")).get("include_usage") is True
    filler = {"usage": None} if wants_usage else {}
    head = _envelope(turn, "chat.completion.chunk")
    finish = FINISH_REASONS[answer.stop_reason]
    choices = [_choice(delta) for delta in _deltas(answer, turn)] + [_choice({}, finish)]
    chunks = [SseEvent({**head, "choices": [choice], **filler}) for choice in choices]
    if wants_usage:
        chunks.append(SseEvent({**head, "choices": [], "usage": _usage(answer, turn)}))
    return [*chunks, SseEvent("[DONE]")]


def error_events(failure: WireFailure, turn: WireTurn) -> list[SseEvent]:
    return [SseEvent(error(failure))]


def _envelope(turn: WireTurn, kind: str) -> Json:
    return {
        "id": turn.id("chatcmpl-"),
        "object": kind,
        "created": turn.created,
        "model": turn.asked.model,
        "service_tier": "default",
        "system_fingerprint": "fp_simulated",
    }


def _usage(answer: PlannedAnswer, turn: WireTurn) -> Json:
    usage = turn.usage(answer)
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {
            "cached_tokens": usage.cached,
            "cache_write_tokens": usage.cache_write,
            "audio_tokens": 0,
        },
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def _message(answer: PlannedAnswer, turn: WireTurn) -> Json:
    calls = [
        {"id": call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments_json}}
        for call_id, call in _calls(answer, turn)
    ]
    return {
        "role": "assistant",
        "content": _text(answer),
        "refusal": _refusal(answer),
        "annotations": _annotations(answer),
        **({"tool_calls": calls} if calls else {}),
        **_extras(answer),
    }


def _text(answer: PlannedAnswer) -> str | None:
    texts = [block.content for block in answer.blocks if isinstance(block, Text)]
    return "".join(texts) if texts else None


def _refusal(answer: PlannedAnswer) -> str | None:
    texts = [block.text for block in answer.blocks if isinstance(block, PlannedRefusal)]
    return "".join(texts) if texts else None


def _calls(answer: PlannedAnswer, turn: WireTurn) -> list[tuple[str, PlannedToolCall]]:
    indexed = [(index, block) for index, block in enumerate(answer.blocks) if isinstance(block, PlannedToolCall)]
    return [(block.id or turn.id("call_", index), block) for index, block in indexed]


def _annotations(answer: PlannedAnswer) -> list[Json]:
    """Web citations by their place in the joined text; this format has no other kind."""
    annotations, start = [], 0
    for block in answer.blocks:
        if not isinstance(block, Text):
            continue
        end = start + len(block.content)
        for citation in block.citations:
            if citation.url is not None:
                place = {"url": citation.url, "title": citation.title, "start_index": start, "end_index": end}
                annotations.append({"type": "url_citation", "url_citation": place})
        start = end
    return annotations


def _extras(answer: PlannedAnswer) -> Json:
    """Raw blocks become extra fields of the message: it has no list of blocks to join."""
    payloads = (block.payload("openai_chat") or {} for block in answer.blocks if isinstance(block, Raw))
    return dict(chain.from_iterable(payload.items() for payload in payloads))


def _choice(delta: Json, finish: str | None = None) -> Json:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def _deltas(answer: PlannedAnswer, turn: WireTurn) -> Iterator[Json]:
    yield {"role": "assistant", "content": None if _text(answer) is None else "", "refusal": None}
    for piece in turn.chunks(_text(answer) or "", "text"):
        yield {"content": piece}
    for piece in turn.chunks(_refusal(answer) or "", "refusal"):
        yield {"refusal": piece}
    annotations = _annotations(answer)
    if annotations:
        yield {"annotations": annotations}
    if extras := _extras(answer):
        yield extras
    for index, (call_id, call) in enumerate(_calls(answer, turn)):
        yield from _call_deltas(index, call_id, call, turn)


def _call_deltas(index: int, call_id: str, call: PlannedToolCall, turn: WireTurn) -> Iterator[Json]:
    opened = {"index": index, "id": call_id, "type": "function", "function": {"name": call.name, "arguments": ""}}
    yield {"tool_calls": [opened]}
    for piece in turn.chunks(call.arguments_json, "call", index):
        yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _offered(tool: Json) -> OfferedTool:
    function = mapping(tool.get("function"))
    return OfferedTool(name=str(function.get("name", "")), parameters=mapping(function.get("parameters")))


def _forced(choice: Any) -> str:
    if choice == "required":
        return "*"
    return str(mapping(mapping(choice).get("function")).get("name", ""))


def _last_user_text(messages: list[Json]) -> str:
    texts = (text_of(message.get("content")) for message in reversed(messages) if message.get("role") == "user")
    return next(texts, "")


def _results(messages: list[Json]) -> Iterator[ToolResult]:
    calls = (call for message in messages for call in dicts(message.get("tool_calls")))
    names = {str(call.get("id")): str(mapping(call.get("function")).get("name", "")) for call in calls}
    closing: list[Json] = []
    for message in reversed(messages):
        if message.get("role") != "tool":
            break
        closing.insert(0, message)
    for message in closing:
        yield ToolResult(name=names.get(str(message.get("tool_call_id")), ""), text=text_of(message.get("content")))


DIALECT = Dialect(
    provider="openai_chat",
    read=read,
    whole=whole,
    events=events,
    error=error,
    error_events=error_events,
    credential_headers=("authorization", "api-key"),
    response_headers={"x-ratelimit-remaining-tokens": "150000"},
)
