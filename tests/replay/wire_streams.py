"""Cuts whole answers into the chunks in which their providers would stream them.

One function per provider; what they return is what the wire carries, in order.
"""

import json
from collections.abc import Iterator
from typing import Any

Fields = dict[str, Any]

PIECE = 9
"""Characters per piece: short, so that words, escapes and emoji are cut."""


def pieces(text: str) -> list[str]:
    """A text in pieces."""
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def anthropic_stream(message: Fields) -> list[Fields]:
    """Server-sent events of the Messages API."""
    usage = message["usage"]
    head = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    head.pop("stop_details", None)
    events: list[Fields] = [{"type": "message_start", "message": head}, {"type": "ping"}]
    for index, block in enumerate(message["content"]):
        start, deltas = _anthropic_block(block)
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {name: message.get(name) for name in ("stop_reason", "stop_sequence", "stop_details")}
    return [*events, {"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}]


def _anthropic_block(block: Fields) -> tuple[Fields, list[Fields]]:
    match block["type"]:
        case "text":
            cited = [{"type": "citations_delta", "citation": citation} for citation in block.get("citations") or []]
            words = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
            return {"type": "text", "text": "", **({"citations": []} if cited else {})}, words + cited
        case "thinking":
            words = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])]
            signature = {"type": "signature_delta", "signature": block["signature"]}
            return {"type": "thinking", "thinking": "", "signature": ""}, [*words, signature]
        case "tool_use" | "server_tool_use":
            raw = json.dumps(block["input"]) if block["input"] else ""
            args = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces(raw)]]
            return {**block, "input": {}}, args
    return block, []


def chat_stream(completion: Fields) -> list[Fields]:
    """Chunks of chat completions, with the usage in a chunk of its own."""
    choice = completion["choices"][0]
    head = {**{name: completion[name] for name in ("id", "created", "model")}, "object": "chat.completion.chunk"}
    deltas = [{"role": "assistant", "content": ""}, *_chat_deltas(choice["message"])]
    chunks = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    return [*chunks, {**head, "choices": [end]}, {**head, "choices": [], "usage": completion["usage"]}]


def _chat_deltas(message: Fields) -> Iterator[Fields]:
    for name, value in message.items():
        if name == "tool_calls":
            for index, call in enumerate(value):
                yield from _chat_call(index, call)
        elif name != "role" and isinstance(value, str):
            yield from ({name: piece} for piece in pieces(value))
        elif name != "role" and value is not None:
            yield {name: value}


def _chat_call(index: int, call: Fields) -> Iterator[Fields]:
    function = call["function"]
    opened = {"index": index, "id": call["id"], "type": "function"}
    yield {"tool_calls": [{**opened, "function": {"name": function["name"], "arguments": ""}}]}
    for piece in pieces(function["arguments"]):
        yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def responses_stream(response: Fields) -> list[Fields]:
    """Events of the Responses API."""
    head = {**response, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    events: list[Fields] = [
        {"type": "response.created", "response": head},
        {"type": "response.in_progress", "response": head},
    ]
    for index, item in enumerate(response["output"]):
        events += [{"output_index": index, **event} for event in _item_events(item)]
    events.append({"type": f"response.{response['status']}", "response": response})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _item_events(item: Fields) -> Iterator[Fields]:
    yield {"type": "response.output_item.added", "item": _begun(item)}
    match item["type"]:
        case "message":
            for index, part in enumerate(item["content"]):
                yield from _part_events(item["id"], index, part)
        case "reasoning":
            for index, part in enumerate(item["summary"]):
                yield from _summary_events(item["id"], index, part)
        case "function_call":
            where = {"item_id": item["id"]}
            for piece in pieces(item["arguments"]):
                yield {"type": "response.function_call_arguments.delta", "delta": piece, **where}
            done = {"arguments": item["arguments"], "name": item["name"]}
            yield {"type": "response.function_call_arguments.done", **done, **where}
    yield {"type": "response.output_item.done", "item": item}


_BEGINNINGS: dict[str, Fields] = {
    "message": {"content": [], "status": "in_progress"},
    "function_call": {"arguments": "", "status": "in_progress"},
    "reasoning": {"summary": []},
    "web_search_call": {"status": "in_progress"},
}


def _begun(item: Fields) -> Fields:
    return {**item, **_BEGINNINGS.get(item["type"], {})}


def _part_events(item_id: str, index: int, part: Fields) -> Iterator[Fields]:
    where = {"item_id": item_id, "content_index": index}
    if part["type"] == "refusal":
        yield {"type": "response.content_part.added", "part": {**part, "refusal": ""}, **where}
        for piece in pieces(part["refusal"]):
            yield {"type": "response.refusal.delta", "delta": piece, **where}
        yield {"type": "response.refusal.done", "refusal": part["refusal"], **where}
    else:
        yield {"type": "response.content_part.added", "part": {**part, "text": "", "annotations": []}, **where}
        for piece in pieces(part["text"]):
            yield {"type": "response.output_text.delta", "delta": piece, "logprobs": [], **where}
        for number, annotation in enumerate(part["annotations"]):
            added = {"annotation": annotation, "annotation_index": number}
            yield {"type": "response.output_text.annotation.added", **added, **where}
        yield {"type": "response.output_text.done", "text": part["text"], "logprobs": [], **where}
    yield {"type": "response.content_part.done", "part": part, **where}


def _summary_events(item_id: str, index: int, part: Fields) -> Iterator[Fields]:
    where = {"item_id": item_id, "summary_index": index}
    yield {"type": "response.reasoning_summary_part.added", "part": {**part, "text": ""}, **where}
    for piece in pieces(part["text"]):
        yield {"type": "response.reasoning_summary_text.delta", "delta": piece, **where}
    yield {"type": "response.reasoning_summary_text.done", "text": part["text"], **where}
    yield {"type": "response.reasoning_summary_part.done", "part": part, **where}


def google_stream(answer: Fields) -> list[Fields]:
    """Answers in pieces, the last of which ends it."""
    head = {name: answer[name] for name in ("modelVersion", "responseId")}
    if "candidates" not in answer:
        return [answer]
    candidate = answer["candidates"][0]
    parts = [piece for part in candidate["content"]["parts"] for piece in _google_parts(part)]
    begun = {"promptTokenCount": answer["usageMetadata"]["promptTokenCount"]}
    chunks: list[Fields] = [
        {**head, "candidates": [{"content": {"parts": [part], "role": "model"}, "index": 0}], "usageMetadata": begun}
        for part in parts
    ]
    end = {**candidate, "content": {"parts": [{"text": ""}], "role": "model"}}
    return [*chunks, {**head, "candidates": [end], "usageMetadata": answer["usageMetadata"]}]


def _google_parts(part: Fields) -> list[Fields]:
    """A text in pieces, its signature on an empty one after them."""
    if "text" not in part:
        return [part]
    about = {name: value for name, value in part.items() if name not in ("text", "thoughtSignature")}
    cut = [{**about, "text": piece} for piece in pieces(part["text"])]
    signed = [{**about, "text": "", "thoughtSignature": part["thoughtSignature"]}] if "thoughtSignature" in part else []
    return cut + signed
