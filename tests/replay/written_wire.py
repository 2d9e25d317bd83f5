"""Writes the wire fixtures: every feature for every provider, whole and as a stream.

    python -m tests.replay.written_wire

The answers are of our own making, in the shapes the providers' SDKs declare. Where a provider lacks a feature, the
nearest it has stands in its cell:

| cell | what stands there |
|---|---|
| openai_chat · thinking | `reasoning_content`, which servers that speak this protocol send |
| openai_chat · hidden_thinking | an encrypted entry of `reasoning_details`, as routers of several providers send |
| openai_chat · server_tool | the answer of a searching model: OpenAI searched, and only the annotations say so |
| openai_chat · pause | a text before tool calls: the turn waits for the caller |
| openai_responses · pause | a response that was steered away: it goes on when it is asked again |
| google · pause | finish reason `CONTINUATION`, which comes with a token to go on |
| google · hidden_thinking | a thought signature on a function call |
| google · unknown_block | a file by address: declared by the SDK, without a canonical form |
| openai_chat · unknown_block | audio beside the text |
"""

import json
from collections.abc import Callable
from typing import Any

from tests.replay.wire_streams import anthropic_stream, chat_stream, google_stream, responses_stream

Fields = dict[str, Any]

ORDER = {"customer": "ACME", "lines": [{"item": "Tornillo M4", "quantity": 3}], "note": 'sagt "hallo"\n'}
UNICODE = "Señor Pérez: 見積書 für 3 €, 👩‍👩‍👧 — שלום, e\u0301."
URL = "https://example.test/prices"
CITED = "La tarifa subió un 3 %."

FEATURES = (
    "text",
    "empty_text",
    "thinking",
    "hidden_thinking",
    "tool_call",
    "parallel_tools",
    "text_and_tools",
    "server_tool",
    "citations",
    "refusal",
    "max_tokens",
    "pause",
    "cached_usage",
    "reasoning_usage",
    "unknown_block",
    "structured_output",
    "unicode",
)


# Anthropic


def _anthropic(*content: Fields, stop: str = "end_turn", usage: Fields | None = None, **more: Any) -> Fields:
    return {
        "id": "msg_01Fixture",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": list(content),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage or {"input_tokens": 20, "output_tokens": 30},
        **more,
    }


def _said(text: str, **more: Any) -> Fields:
    return {"type": "text", "text": text, **more}


def _use(call_id: str, name: str, args: Fields, kind: str = "tool_use") -> Fields:
    return {"type": kind, "id": call_id, "name": name, "input": args}


def _anthropic_features() -> dict[str, Fields]:
    thought = {"type": "thinking", "thinking": "I should look at the prices first.", "signature": "c2lnbmVk"}
    page = {"type": "web_search_result", "title": "Prices", "url": URL, "encrypted_content": "ZW5j", "page_age": None}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [page]}
    on_page = {"type": "web_search_result_location", "url": URL, "title": "Prices", "encrypted_index": "aWR4"}
    in_text = {"type": "char_location", "document_index": 0, "document_title": "Tarifas", "start_char_index": 3}
    cited = [
        {**on_page, "cited_text": "prices rose"},
        {**in_text, "end_char_index": 9, "cited_text": "subió", "file_id": None},
    ]
    refusal = {"type": "refusal", "category": "cyber", "explanation": "This could harm somebody."}
    cached = {
        "input_tokens": 5,
        "output_tokens": 7,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 40,
    }
    reasoned = {"input_tokens": 5, "output_tokens": 90, "output_tokens_details": {"thinking_tokens": 60}}
    call = _use("toolu_1", "create_order", ORDER)
    return {
        "text": _anthropic(_said("The order is ready.")),
        "empty_text": _anthropic(_said("")),
        "thinking": _anthropic(thought, _said("It costs 3 €.")),
        "hidden_thinking": _anthropic({"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"}, _said("Done.")),
        "tool_call": _anthropic(call, stop="tool_use"),
        "parallel_tools": _anthropic(call, _use("toolu_2", "list_customers", {}), stop="tool_use"),
        "text_and_tools": _anthropic(thought, _said("I will create it."), call, stop="tool_use"),
        "server_tool": _anthropic(
            _use("srvtoolu_1", "web_search", {"query": "prices"}, "server_tool_use"), found, _said("Found it.")
        ),
        "citations": _anthropic(_said("As the page says, "), _said(CITED, citations=cited)),
        "refusal": _anthropic(_said("I"), stop="refusal", stop_details=refusal),
        "max_tokens": _anthropic(_said("The order is"), stop="max_tokens"),
        "pause": _anthropic(
            _use("srvtoolu_1", "web_search", {"query": "prices"}, "server_tool_use"), found, stop="pause_turn"
        ),
        "cached_usage": _anthropic(_said("Cached."), usage=cached),
        "reasoning_usage": _anthropic(thought, _said("Thought."), usage=reasoned),
        "unknown_block": _anthropic(_said("Look:"), {"type": "hologram", "data": {"frames": [1, 2]}}),
        "structured_output": _anthropic(_said(json.dumps(ORDER))),
        "unicode": _anthropic(_said(UNICODE), _use("toolu_1", "note", {"text": UNICODE}), stop="tool_use"),
    }


# OpenAI, chat completions


def _chat(content: str | None = None, *, finish: str = "stop", usage: Fields | None = None, **more: Any) -> Fields:
    message = {"role": "assistant", **more, "content": content}
    return {
        "id": "chatcmpl-fixture",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": "gpt-5-mini-2025-08-07",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": usage or {"prompt_tokens": 20, "completion_tokens": 30, "total_tokens": 50},
    }


def _function(call_id: str, name: str, args: Fields) -> Fields:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}


def _chat_features() -> dict[str, Fields]:
    call = _function("call_1", "create_order", ORDER)
    place = {"start_index": 0, "end_index": 8, "title": "Prices", "url": URL}
    page = {"type": "url_citation", "url_citation": place}
    cached = {
        "prompt_tokens": 145,
        "completion_tokens": 7,
        "total_tokens": 152,
        "prompt_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 40},
    }
    reasoned = {
        "prompt_tokens": 5,
        "completion_tokens": 90,
        "total_tokens": 95,
        "completion_tokens_details": {"reasoning_tokens": 60},
    }
    hidden = [{"type": "reasoning.encrypted", "data": "ZW5jcnlwdGVk", "id": "rs_1", "index": 0}]
    audio = {"id": "audio_1", "data": "UklGRg==", "expires_at": 1_760_000_900, "transcript": "Hello."}
    return {
        "text": _chat("The order is ready."),
        "empty_text": _chat(""),
        "thinking": _chat("It costs 3 €.", reasoning_content="I should look at the prices first."),
        "hidden_thinking": _chat("Done.", reasoning_details=hidden),
        "tool_call": _chat(tool_calls=[call], finish="tool_calls"),
        "parallel_tools": _chat(tool_calls=[call, _function("call_2", "list_customers", {})], finish="tool_calls"),
        "text_and_tools": _chat("I will create it.", tool_calls=[call], finish="tool_calls"),
        "server_tool": _chat("Found it: 3 €.", annotations=[page]),
        "citations": _chat(CITED, annotations=[page]),
        "refusal": _chat(refusal="I cannot help with that."),
        "max_tokens": _chat("The order is", finish="length"),
        "pause": _chat("One moment.", tool_calls=[call], finish="tool_calls"),
        "cached_usage": _chat("Cached.", usage=cached),
        "reasoning_usage": _chat("Thought.", usage=reasoned),
        "unknown_block": _chat("Listen:", audio=audio),
        "structured_output": _chat(json.dumps(ORDER)),
        "unicode": _chat(UNICODE, tool_calls=[_function("call_1", "note", {"text": UNICODE})], finish="tool_calls"),
    }


# OpenAI, responses


def _response(*output: Fields, usage: Fields | None = None, reason: str | None = None, **more: Any) -> Fields:
    return {
        "id": "resp_fixture",
        "object": "response",
        "created_at": 1_760_000_000,
        "model": "gpt-5-mini-2025-08-07",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "error": None,
        "usage": usage or _response_usage(20, 30),
        **more,
    }


def _response_usage(given: int, made: int, cached: int = 0, written: int = 0, reasoned: int = 0) -> Fields:
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": reasoned},
        "total_tokens": given + made,
    }


def _written(text: str, *annotations: Fields, status: str = "completed", **more: Any) -> Fields:
    part = {"type": "output_text", "text": text, "annotations": list(annotations)}
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": status, "content": [part], **more}


def _called(call_id: str, name: str, args: Fields) -> Fields:
    item = {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "status": "completed"}
    return {**item, "name": name, "arguments": json.dumps(args)}


def _reasoned(*summaries: str, **more: Any) -> Fields:
    return {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": summary} for summary in summaries],
        **more,
    }


def _responses_features() -> dict[str, Fields]:
    call = _called("call_1", "create_order", ORDER)
    page = {"type": "url_citation", "start_index": 0, "end_index": 8, "title": "Prices", "url": URL}
    file = {"type": "file_citation", "file_id": "file_1", "filename": "tarifas.pdf", "index": 4}
    action = {"type": "search", "query": "prices", "sources": [{"type": "url", "url": URL}]}
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": action}
    code = {
        "type": "code_interpreter_call",
        "id": "ci_1",
        "status": "completed",
        "code": "print(3)",
        "container_id": "cntr_1",
        "outputs": [{"type": "logs", "logs": "3\n"}],
    }
    refused = {**_written(""), "content": [{"type": "refusal", "refusal": "I cannot help with that."}]}
    thought = _reasoned("I should look at the prices first.", "Then I answer.")
    return {
        "text": _response(_written("The order is ready.")),
        "empty_text": _response(_written("")),
        "thinking": _response(thought, _written("It costs 3 €.")),
        "hidden_thinking": _response(_reasoned(encrypted_content="ZW5jcnlwdGVk"), _written("Done.")),
        "tool_call": _response(call),
        "parallel_tools": _response(call, _called("call_2", "list_customers", {})),
        "text_and_tools": _response(thought, _written("I will create it."), call),
        "server_tool": _response(search, code, _written("Found it.")),
        "citations": _response(_written(CITED, page, file)),
        "refusal": _response(refused),
        "max_tokens": _response(_written("The order is", status="incomplete"), reason="max_output_tokens"),
        "pause": _response(_written("The order", status="incomplete"), reason="steered"),
        "cached_usage": _response(_written("Cached."), usage=_response_usage(145, 7, cached=100, written=40)),
        "reasoning_usage": _response(_reasoned("Hm."), _written("Thought."), usage=_response_usage(5, 90, reasoned=60)),
        "unknown_block": _response(_written("Look:"), {"type": "hologram", "id": "h_1", "data": {"frames": [1, 2]}}),
        "structured_output": _response(_written(json.dumps(ORDER))),
        "unicode": _response(_written(UNICODE), _called("call_1", "note", {"text": UNICODE})),
    }


# Google


def _gemini(*parts: Fields, finish: str = "STOP", usage: Fields | None = None, **more: Any) -> Fields:
    content = {"parts": list(parts), "role": "model"}
    return {
        "candidates": [{"content": content, "finishReason": finish, "index": 0, **more}],
        "usageMetadata": usage or {"promptTokenCount": 20, "candidatesTokenCount": 30, "totalTokenCount": 50},
        "modelVersion": "gemini-2.5-flash",
        "responseId": "gemini-fixture",
    }


def _asks(name: str, args: Fields, **more: Any) -> Fields:
    return {"functionCall": {"name": name, "args": args}, **more}


def _google_features() -> dict[str, Fields]:
    thought = {"text": "I should look at the prices first.", "thought": True}
    call = _asks("create_order", ORDER)
    segment = {"startIndex": 0, "endIndex": len(CITED.encode()), "text": CITED}
    grounding = {
        "webSearchQueries": ["prices"],
        "groundingChunks": [{"web": {"uri": URL, "title": "Prices", "domain": "example.test"}}],
        "groundingSupports": [{"segment": segment, "groundingChunkIndices": [0], "confidenceScores": [0.9]}],
    }
    recited = {"citations": [{"startIndex": 3, "endIndex": 9, "uri": URL, "license": "mit"}]}
    cached = {
        "promptTokenCount": 145,
        "cachedContentTokenCount": 100,
        "candidatesTokenCount": 7,
        "totalTokenCount": 152,
    }
    reasoned = {"promptTokenCount": 5, "candidatesTokenCount": 30, "thoughtsTokenCount": 60, "totalTokenCount": 95}
    code = {"executableCode": {"code": "print(3)", "language": "PYTHON"}}
    result = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "3\n"}}
    file = {"fileData": {"fileUri": "https://example.test/film.mp4", "mimeType": "video/mp4"}}
    return {
        "text": _gemini({"text": "The order is ready."}),
        "empty_text": _gemini({"text": ""}),
        "thinking": _gemini(thought, {"text": "It costs 3 €.", "thoughtSignature": "c2lnbmVk"}),
        "hidden_thinking": _gemini(_asks("create_order", ORDER, thoughtSignature="ZW5jcnlwdGVk/+8=")),
        "tool_call": _gemini(call),
        "parallel_tools": _gemini(call, _asks("list_customers", {})),
        "text_and_tools": _gemini(thought, {"text": "I will create it."}, call),
        "server_tool": _gemini(code, result, {"text": "Found it: 3."}),
        "citations": _gemini({"text": CITED}, groundingMetadata=grounding, citationMetadata=recited),
        "refusal": _gemini({"text": "I"}, finish="SAFETY", finishMessage="It was judged unsafe."),
        "max_tokens": _gemini({"text": "The order is"}, finish="MAX_TOKENS"),
        "pause": _gemini({"text": "The order"}, finish="CONTINUATION", continuationToken="dG9rZW4="),
        "cached_usage": _gemini({"text": "Cached."}, usage=cached),
        "reasoning_usage": _gemini(thought, {"text": "Thought."}, usage=reasoned),
        "unknown_block": _gemini({"text": "Look:"}, file),
        "structured_output": _gemini({"text": json.dumps(ORDER)}),
        "unicode": _gemini({"text": UNICODE}, _asks("note", {"text": UNICODE})),
    }


PROVIDERS: dict[str, tuple[Callable[[], dict[str, Fields]], Callable[[Fields], list[Fields]]]] = {
    "anthropic": (_anthropic_features, anthropic_stream),
    "openai_chat": (_chat_features, chat_stream),
    "openai_responses": (_responses_features, responses_stream),
    "google": (_google_features, google_stream),
}


def written() -> dict[str, Any]:
    """Every answer by its path below `wire`."""
    made: dict[str, Any] = {}
    for provider, (features, stream) in PROVIDERS.items():
        for feature, message in features().items():
            made[f"{provider}/{feature}.whole.json"] = message
            made[f"{provider}/{feature}.stream.json"] = stream(message)
    return made
