"""Google Gemini: ``models/{model}:generateContent`` and ``:streamGenerateContent?alt=sse``.

Every event of a stream is a whole response with the next parts; the last one has the finish reason. The model's name
is in the path, so the edge adds it to the body as ``model`` before reading. A thought's signature travels on the first
function call, or on the text that follows the thought; base64, as all bytes in this format.
"""

import base64
import re
from collections.abc import Iterator
from typing import Any

from batuta.simulator.answers import (
    Block,
    Json,
    PlannedAnswer,
    PlannedThinking,
    PlannedToolCall,
    Raw,
    ServerTool,
    Stop,
    Text,
)
from batuta.simulator.wire.asked import OfferedTool, ToolResult, WireRequest, dicts, mapping, text_of
from batuta.simulator.wire.dialect import Dialect, WireFailure
from batuta.simulator.wire.sse import SseEvent, dump
from batuta.simulator.wire.turn import WireTurn, signature_for

FINISH_REASONS: dict[Stop, str] = {
    "end": "STOP",
    "tool_calls": "STOP",
    "max_tokens": "MAX_TOKENS",
    "stop_sequence": "STOP",
    "pause": "STOP",
    "refusal": "SAFETY",
}

SIGNING_GENERATION = 3
_GENERATION = re.compile(r"gemini-(\d+)")

STATUSES: dict[int, str] = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    504: "DEADLINE_EXCEEDED",
}


def either(data: Json, camel: str) -> Any:
    """A field by its camelCase name or its snake_case twin: the service reads both."""
    snake = "".join("_" + letter.lower() if letter.isupper() else letter for letter in camel)
    return data.get(camel, data.get(snake))


def read(body: Json) -> WireRequest:
    contents = dicts(body.get("contents"))
    config = mapping(either(body, "generationConfig"))
    tools = [declaration for tool in dicts(body.get("tools")) for declaration in _declarations(tool)]
    return WireRequest(
        provider="google",
        model=str(body.get("model", "")).removeprefix("models/"),
        body=body,
        streaming=body.get("stream") is True,
        last_user_text=_last_user_text(contents),
        tools=tuple(tools),
        tool_results=tuple(_results(contents)),
        forced_tool=_forced(body),
        output_schema=either(config, "responseJsonSchema") or either(config, "responseSchema"),
        wants_thinking=bool(either(mapping(either(config, "thinkingConfig")), "includeThoughts")),
    )


def whole(answer: PlannedAnswer, turn: WireTurn) -> Json:
    return _response(_parts(answer, turn), answer, turn, FINISH_REASONS[answer.stop_reason])


def events(answer: PlannedAnswer, turn: WireTurn) -> list[SseEvent]:
    pieces = [piece for index, part in enumerate(_parts(answer, turn)) for piece in _pieces(part, turn, index)]
    last = FINISH_REASONS[answer.stop_reason]
    bodies = [_response([piece], answer, turn, None) for piece in pieces[:-1]]
    return [*map(SseEvent, bodies), SseEvent(_response(pieces[-1:], answer, turn, last))]


def error(failure: WireFailure) -> Json:
    status = STATUSES.get(failure.status, "UNAVAILABLE" if failure.status >= 500 else "FAILED_PRECONDITION")
    body: Json = {"code": failure.status, "message": failure.message, "status": status}
    if failure.retry_after is not None:
        retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{failure.retry_after:g}s"}
        body["details"] = [retry]
    return {"error": body}


def error_events(failure: WireFailure, turn: WireTurn) -> list[SseEvent]:
    return [SseEvent(error(failure))]


def _response(parts: list[Json], answer: PlannedAnswer, turn: WireTurn, finish: str | None) -> Json:
    candidate: Json = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
        grounding = _grounding(answer)
        candidate |= {"groundingMetadata": grounding} if grounding else {}
    if finish == "SAFETY":
        del candidate["content"]
    return {
        "candidates": [candidate],
        "usageMetadata": _usage(answer, turn),
        "modelVersion": turn.asked.model,
        "responseId": turn.id("resp-"),
    }


def _usage(answer: PlannedAnswer, turn: WireTurn) -> Json:
    usage = turn.usage(answer)
    counts = {
        "promptTokenCount": usage.input,
        "candidatesTokenCount": usage.output - usage.reasoning,
        "totalTokenCount": usage.input + usage.output,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": usage.input}],
    }
    optional = {"cachedContentTokenCount": usage.cached, "thoughtsTokenCount": usage.reasoning}
    return counts | {name: count for name, count in optional.items() if count}


def _parts(answer: PlannedAnswer, turn: WireTurn) -> list[Json]:
    parts = [part for index, block in enumerate(answer.blocks) for part in _block_parts(block, turn, index)]
    signature = _signature(answer, turn)
    if signature is None:
        return parts
    at = _signed_part(parts)
    if at is None:
        return [*parts, {"text": "", "thoughtSignature": signature}]
    return [*parts[:at], {**parts[at], "thoughtSignature": signature}, *parts[at + 1 :]]


def _signature(answer: PlannedAnswer, turn: WireTurn) -> str | None:
    """That of the thoughts; models that sign every function call sign it even without visible thoughts."""
    thoughts = [block for block in answer.blocks if isinstance(block, PlannedThinking)]
    if thoughts:
        return _as_bytes(thoughts[-1].signature or signature_for(thoughts[-1].text))
    has_calls = any(isinstance(block, PlannedToolCall) for block in answer.blocks)
    return _as_bytes(signature_for(turn.digest("call"))) if has_calls and signs_calls(turn.asked.model) else None


def signs_calls(model: str) -> bool:
    """Whether the model is of the generations that sign function calls and demand the signature back."""
    generation = _GENERATION.search(model)
    return generation is not None and int(generation.group(1)) >= SIGNING_GENERATION


def _signed_part(parts: list[Json]) -> int | None:
    """The first function call carries the signature, without one the first part that is no thought."""
    calls = [index for index, part in enumerate(parts) if "functionCall" in part]
    spoken = [index for index, part in enumerate(parts) if "thought" not in part]
    return next(iter([*calls, *spoken]), None)


def _block_parts(block: Block, turn: WireTurn, index: int) -> Iterator[Json]:
    match block:
        case Text():
            yield {"text": block.content}
        case PlannedThinking(redacted=False) if block.text:
            yield {"text": block.text, "thought": True}
        case PlannedToolCall():
            call_id = block.id or turn.id("call_", index)
            yield {"functionCall": {"id": call_id, "name": block.name, "args": block.arguments}}
        case ServerTool(name="code_execution"):
            yield {"executableCode": {"language": "PYTHON", "code": str(block.input.get("code", ""))}}
            yield {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": block.output}}
        case Raw():
            yield from filter(None, [block.payload("google")])


def _pieces(part: Json, turn: WireTurn, index: int) -> Iterator[Json]:
    """Only text is cut; a signature comes with the last piece of its text, everything else whole."""
    chunks = list(turn.chunks(part["text"], index)) if "text" in part else []
    if len(chunks) < 2:
        yield part
        return
    for chunk in chunks[:-1]:
        yield {key: value for key, value in part.items() if key != "thoughtSignature"} | {"text": chunk}
    yield {**part, "text": chunks[-1]}


def _grounding(answer: PlannedAnswer) -> Json | None:
    """Web searches and web citations: this format tells both beside the content, not in it."""
    searches = [block for block in answer.blocks if isinstance(block, ServerTool) and block.name == "web_search"]
    cited = [
        (block, cite) for block in answer.blocks if isinstance(block, Text) for cite in block.citations if cite.url
    ]
    if not searches and not cited:
        return None
    pages = {source.url: source.title for search in searches for source in search.results}
    pages |= {str(citation.url): citation.title for _, citation in cited}
    order = list(pages)
    return {
        "webSearchQueries": [str(search.input.get("query", "")) for search in searches],
        "groundingChunks": [{"web": {"uri": uri, "title": title}} for uri, title in pages.items()],
        "groundingSupports": [
            {
                "segment": {"startIndex": 0, "endIndex": len(block.content.encode()), "text": block.content},
                "groundingChunkIndices": [order.index(str(citation.url))],
            }
            for block, citation in cited
        ],
    }


def _as_bytes(signature: str) -> str:
    return base64.b64encode(signature.encode()).decode()


def _declarations(tool: Json) -> Iterator[OfferedTool]:
    for declaration in dicts(either(tool, "functionDeclarations")):
        schema = either(declaration, "parametersJsonSchema") or declaration.get("parameters")
        yield OfferedTool(name=str(declaration.get("name", "")), parameters=mapping(schema))
    if either(tool, "googleSearch") is not None:
        yield OfferedTool(name="google_search", parameters={})


def _forced(body: Json) -> str:
    config = mapping(either(mapping(either(body, "toolConfig")), "functionCallingConfig"))
    if str(config.get("mode", "")).upper() != "ANY":
        return ""
    allowed = either(config, "allowedFunctionNames")
    return str(allowed[0]) if isinstance(allowed, list) and allowed else "*"


def _last_user_text(contents: list[Json]) -> str:
    texts = (text_of(content.get("parts")) for content in reversed(contents) if content.get("role", "user") == "user")
    return next(filter(None, texts), "")


def _results(contents: list[Json]) -> Iterator[ToolResult]:
    for part in dicts(contents[-1].get("parts")) if contents else ():
        response = mapping(either(part, "functionResponse"))
        if response:
            yield ToolResult(name=str(response.get("name", "")), text=dump(response.get("response")))


DIALECT = Dialect(
    provider="google",
    read=read,
    whole=whole,
    events=events,
    error=error,
    error_events=error_events,
    credential_headers=("x-goog-api-key", "authorization"),
)
