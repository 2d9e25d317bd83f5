"""Google's Gemini API (`generateContent`), from the Gemini Developer API or Vertex AI.

Parts have no type but a field that says what they are. Grounding and citations stand beside the parts: here they are
moved into them, so that a search is a server-side tool call and a source is a citation of the text it supports.

Usage: cached tokens are part of `promptTokenCount`; tool-use prompts are counted apart and added to the input;
thoughts are counted apart and added to the output.
"""

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from batuta.events.adapters.base import BaseAdapter
from batuta.events.adapters.citations import citations_of
from batuta.events.adapters.google_grounding import grounded
from batuta.events.adapters.google_stream import GoogleStream
from batuta.events.adapters.langchain import read_reasoning
from batuta.events.adapters.plain import (
    Fields,
    UnreadableError,
    args_of,
    count_of,
    fields_of,
    fields_or_empty,
    list_of,
    name_of,
    optional_text,
    readable,
    text_of,
)
from batuta.events.adapters.reading import BlockReading, BlockTable
from batuta.kernel.messages import (
    ContentBlock,
    ImageBlock,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from batuta.kernel.usage import Usage

PROVIDER = "google"

_REFUSALS = (
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "MODEL_ARMOR",
    "JAILBREAK",
)

STOP_REASONS: dict[str, StopReason] = {
    "STOP": "success",
    "MAX_TOKENS": "max_tokens",
    "CONTINUATION": "paused",
    **dict.fromkeys(_REFUSALS, "refused"),
}
"""Finish reasons, and the reasons for which a prompt is blocked. `CONTINUATION` is Google's pause: the answer goes on
when it is asked again with the token it gave."""


@lru_cache(maxsize=1024)
def _snake_name(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def snake(fields: Fields) -> Fields:
    """An object whose own field names are in snake case: the wire has camel case, the SDK's dumps and LangChain not."""
    return {_snake_name(name): value for name, value in fields.items()}


def deep_snake(value: Any) -> Any:
    """The same for everything inside: only for what holds no user's data."""
    if isinstance(value, dict):
        return {_snake_name(name): deep_snake(item) for name, item in value.items()}
    return [deep_snake(item) for item in value] if isinstance(value, list) else value


def _signature(part: Fields) -> str | None:
    """A thought signature in one alphabet: the SDK writes URL-safe base64, the wire does not."""
    raw = part.get("thought_signature", fields_or_empty(part.get("extras")).get("signature"))
    return raw.translate(_STANDARD_BASE64) if isinstance(raw, str) and raw else None


_STANDARD_BASE64 = str.maketrans("-_", "+/")


def _signed(part: Fields) -> dict[str, dict[str, Any]]:
    signature = _signature(part)
    return {PROVIDER: {"thought_signature": signature}} if signature else {}


def _text(part: Fields) -> list[ContentBlock]:
    text = text_of(part.get("text"), "text")
    if part.get("thought") is True:
        return [ThinkingBlock(text=text, signature=_signature(part))]
    return [TextBlock(text=text, citations=citations_of(part), extra=_signed(part))]


def _function_call(part: Fields) -> list[ContentBlock]:
    call = snake(fields_of(part.get("function_call"), "function_call"))
    args, invalid = args_of(call.get("args"))
    name = name_of(call.get("name"), "the tool's name")
    return [
        ToolCallBlock(id=text_of(call.get("id"), "id"), name=name, args=args, invalid_args=invalid, extra=_signed(part))
    ]


def _executable_code(part: Fields) -> list[ContentBlock]:
    """Code Google runs itself; LangChain flattens the object into its code."""
    code = part.get("executable_code")
    fields = {"code": code, "language": part.get("language"), "id": part.get("id")} if isinstance(code, str) else code
    inner = fields_of(fields, "executable_code")
    args = {name: inner[name] for name in ("code", "language") if inner.get(name) is not None}
    call_id = text_of(inner.get("id"), "id")
    return [ToolCallBlock(id=call_id, name="code_execution", args=args, is_server_side=True, extra={PROVIDER: part})]


def _code_result(part: Fields) -> list[ContentBlock]:
    result = part.get("code_execution_result")
    flat = {"output": result, "outcome": part.get("outcome"), "id": part.get("tool_call_id")}
    inner = fields_of(flat if isinstance(result, str) else result, "code_execution_result")
    return [
        ToolResultBlock(
            tool_use_id=text_of(inner.get("id"), "id"),
            tool_name="code_execution",
            content=text_of(inner.get("output"), "output"),
            is_error=inner.get("outcome") not in (None, "OUTCOME_OK", 1),
            is_server_side=True,
            extra={PROVIDER: part},
        )
    ]


def _tool_call(part: Fields) -> list[ContentBlock]:
    call = snake(fields_of(part.get("tool_call"), "tool_call"))
    args, invalid = args_of(call.get("args"))
    return [
        ToolCallBlock(
            id=text_of(call.get("id"), "id"),
            name=name_of(call.get("tool_type"), "tool_type").lower(),
            args=args,
            invalid_args=invalid,
            is_server_side=True,
            extra={PROVIDER: part},
        )
    ]


def _tool_response(part: Fields) -> list[ContentBlock]:
    response = snake(fields_of(part.get("tool_response"), "tool_response"))
    return [
        ToolResultBlock(
            tool_use_id=text_of(response.get("id"), "id"),
            tool_name=text_of(response.get("tool_type"), "tool_type").lower(),
            content=readable(response.get("response")),
            is_server_side=True,
            extra={PROVIDER: part},
        )
    ]


def _inline_data(part: Fields) -> list[ContentBlock]:
    blob = snake(fields_of(part.get("inline_data"), "inline_data"))
    media_type = text_of(blob.get("mime_type"), "mime_type")
    if not media_type.startswith("image/"):
        raise UnreadableError(f"{media_type!r} has no canonical form")
    data = name_of(blob.get("data"), "data").translate(_STANDARD_BASE64)
    return [ImageBlock(media_type=media_type, data=data.encode("ascii", "replace"))]


def _grounding(block: Fields) -> list[ContentBlock]:
    """A search Google made, as the arrangement below put it among the parts."""
    name, facts = str(block["name"]), fields_of(block.get("facts"), "grounding")
    call = ToolCallBlock(id="", name=name, args=fields_or_empty(block.get("args")), is_server_side=True)
    result = ToolResultBlock(
        tool_use_id="",
        tool_name=name,
        content=readable(block.get("found")),
        is_server_side=True,
        extra={PROVIDER: facts},
    )
    return [call, result]


BLOCKS: BlockTable = {
    "function_call": _function_call,
    "executable_code": _executable_code,
    "code_execution_result": _code_result,
    "inline_data": _inline_data,
    "google_tool_call": _tool_call,
    "tool_response": _tool_response,
    "grounding": _grounding,
    "thinking": read_reasoning,
    "text": _text,
}
_FIELDS = {**{name: name for name in BLOCKS}, "tool_call": "google_tool_call"}
"""By the field that says what a part is. `tool_call` is also a block type of LangChain's: it goes by another name."""

_BESIDE = ("thought", "thought_signature", "video_metadata", "part_metadata", "media_resolution", "citations", "extras")


class GoogleAdapter(BaseAdapter):
    """Reads answers of Gemini models, whole, streamed, or as LangChain holds them. It takes the first candidate."""

    name = PROVIDER
    stop_reasons = STOP_REASONS
    blocks = BLOCKS

    def stream(self) -> GoogleStream:
        """A reader for one streamed answer."""
        return GoogleStream(self)

    def usage_in(self, fields: Fields) -> Usage | None:
        """The tokens a message of the wire states."""
        usage = snake(fields).get("usage_metadata")
        return self._read_usage(usage) if isinstance(usage, dict) else None

    def _read_usage(self, usage: Fields) -> Usage | None:
        counts = snake(usage)
        if "prompt_token_count" not in counts and "candidates_token_count" not in counts:
            return None
        thoughts = count_of(counts.get("thoughts_token_count"))
        return Usage(
            input=count_of(counts.get("prompt_token_count")) + count_of(counts.get("tool_use_prompt_token_count")),
            output=count_of(counts.get("candidates_token_count")) + thoughts,
            thinking=thoughts,
            cache_read=count_of(counts.get("cached_content_token_count")),
        )

    def _read_wire(self, message: Fields) -> BlockReading:
        fields = snake(message)
        feedback = snake(fields_or_empty(fields.get("prompt_feedback")))
        candidate = _first_candidate(fields, feedback)
        content = snake(fields_or_empty(candidate.get("content")))
        return BlockReading(
            blocks=list_of(content.get("parts"), "parts"),
            stop=optional_text(candidate.get("finish_reason")) or optional_text(feedback.get("block_reason")),
            explanation=optional_text(candidate.get("finish_message"))
            or optional_text(feedback.get("block_reason_message")),
            model=optional_text(fields.get("model_version")),
            response_id=optional_text(fields.get("response_id")),
            usage=self.usage_in(message),
            facts=candidate,
        )

    def _arrange(self, reading: BlockReading) -> BlockReading:
        parts = [snake(part) if isinstance(part, dict) else part for part in reading.blocks]
        return replace(reading, blocks=grounded(joined(parts), deep_snake(_grounding_facts(reading.facts))))

    def _block_type(self, block: Fields) -> str:
        if isinstance(block.get("type"), str):
            return super()._block_type(block)
        known = (kind for name, kind in _FIELDS.items() if block.get(name) is not None)
        named = (name for name, value in block.items() if name not in _BESIDE and value is not None)
        return next(known, None) or next(named, "text")

    def _read_block(self, raw: Any) -> list[ContentBlock]:
        return super()._read_block(snake(raw) if isinstance(raw, dict) else raw)


def _first_candidate(fields: Fields, feedback: Fields) -> Fields:
    """The first candidate; none for a blocked prompt; bare content stands for itself."""
    candidates = list_of(fields.get("candidates"), "candidates")
    if candidates:
        return snake(fields_of(candidates[0], "a candidate"))
    if "parts" in fields:
        return {"content": fields}
    if not feedback:
        raise UnreadableError("it has neither candidates nor a reason for having none")
    return {}


_FACTS = ("grounding_metadata", "citation_metadata", "url_context_metadata")


def _grounding_facts(facts: Fields) -> Fields:
    named = snake(facts)
    return {name: named[name] for name in _FACTS if isinstance(named.get(name), dict)}


def joined(parts: list[Any]) -> list[Any]:
    """The parts with neighbouring texts of one kind made one: a stream cuts them anywhere."""
    whole: list[Any] = []
    pieces: list[str] = []
    for part in parts:
        if whole and _continues(whole[-1], part):
            pieces.append(part["text"])
            whole[-1] = {**whole[-1], **part}
        else:
            _close_text(whole, pieces)
            pieces = [part["text"]] if _is_bare_text(part) else []
            whole.append(part)
    _close_text(whole, pieces)
    return whole


def _close_text(whole: list[Any], pieces: list[str]) -> None:
    """Join what came piece by piece, once: a text that grew with each of its pieces would be copied each time."""
    if len(pieces) > 1:
        whole[-1] = {**whole[-1], "text": "".join(pieces)}


_TEXT_FIELDS = {"text", "thought", "thought_signature"}


def _continues(known: Any, part: Any) -> bool:
    return (
        _is_bare_text(known)
        and _is_bare_text(part)
        and bool(known.get("thought")) == bool(part.get("thought"))
        and not known.get("thought_signature")
    )


def _is_bare_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str) and part.keys() <= _TEXT_FIELDS
