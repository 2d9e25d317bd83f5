"""LangChain messages: what is the same in them for every provider.

Most of their content is the provider's own blocks, which its adapter reads; here are LangChain's standard blocks, and
what it keeps beside the content: tool calls, refusals, reasoning, usage, names.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from batuta.events.adapters.citations import citations_of
from batuta.events.adapters.plain import (
    Fields,
    args_of,
    count_of,
    fields_or_empty,
    list_of,
    member,
    name_of,
    optional_text,
    plain,
    readable,
    text_of,
)
from batuta.events.adapters.reading import BlockReading, BlockTable
from batuta.kernel.messages import ContentBlock, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultBlock
from batuta.kernel.usage import Usage

UsageReader = Callable[[Fields], Usage | None]

_AI_TYPES = ("ai", "AIMessageChunk")
_CALL_ID_NAMES = ("call_id", "id")
_RUN_IDS = ("lc_run-", "run-")
GEMINI_SIGNATURES = "__gemini_function_call_thought_signatures__"


def is_langchain(message: Any) -> bool:
    """Whether a message is LangChain's, as an object or dumped."""
    if isinstance(message, dict):
        return message.get("type") in _AI_TYPES or "response_metadata" in message or "additional_kwargs" in message
    return hasattr(message, "response_metadata") and hasattr(message, "additional_kwargs")


def metadata_of(message: Any) -> Fields:
    """The response metadata of a message, empty if it has none."""
    return fields_or_empty(plain(member(message, "response_metadata")))


def langchain_reading(message: Any, read_usage: UsageReader) -> BlockReading:
    """Sort a LangChain message."""
    metadata = metadata_of(message)
    aside = fields_or_empty(plain(member(message, "additional_kwargs")))
    content = _rejoined(_content(plain(member(message, "content"))))
    calls = _calls_beside(message, content, aside)
    return BlockReading(
        blocks=[*_thinking_beside(aside), *content, *_refusal_beside(aside), *calls],
        stop=_stop_of(metadata),
        explanation=_explanation_of(metadata),
        model=_first_text(metadata, "model_name", "model", "model_id"),
        response_id=_first_text(metadata, "id") or _provider_id(message),
        usage=langchain_usage(message, read_usage),
        facts=metadata,
    )


def _provider_id(message: Any) -> str | None:
    """The id of a message, unless LangChain made it up for its own run."""
    found = optional_text(plain(member(message, "id")))
    return None if found is None or found.startswith(_RUN_IDS) else found


def langchain_usage(message: Any, read_usage: UsageReader) -> Usage | None:
    """Tokens as the provider reports them, else as LangChain counts them."""
    metadata = metadata_of(message)
    for name in ("usage", "token_usage"):
        usage = metadata.get(name)
        if isinstance(usage, dict) and (found := read_usage(usage)) is not None:
            return found
    return _standard_usage(fields_or_empty(plain(member(message, "usage_metadata"))))


def _standard_usage(usage: Fields) -> Usage | None:
    """LangChain's own spelling: cached tokens are part of the input, reasoning is part of the output."""
    if "input_tokens" not in usage and "output_tokens" not in usage:
        return None
    taken, given = fields_or_empty(usage.get("input_token_details")), fields_or_empty(usage.get("output_token_details"))
    return Usage(
        input=count_of(usage.get("input_tokens")),
        output=count_of(usage.get("output_tokens")),
        thinking=_detail(given, "reasoning"),
        cache_read=_detail(taken, "cache_read"),
        cache_write=_detail(taken, "cache_creation") or _detail(taken, "_input_tokens"),
    )


def _detail(details: Fields, ending: str) -> int:
    """The sum of a detail over its variants: `cache_read`, `priority_cache_read`, `flex_cache_read` …"""
    return sum(count_of(value) for name, value in details.items() if name.endswith(ending))


def _content(content: Any) -> Iterator[Any]:
    """The blocks of a content that may be a text, a list of texts and blocks, or absent."""
    if content is None:
        return
    if isinstance(content, str):
        yield {"type": "text", "text": content}
        return
    for block in list_of(content, "the content"):
        if isinstance(block, str):
            yield {"type": "text", "text": block}
        elif isinstance(block, dict) and block.get("type") == "non_standard" and isinstance(block.get("value"), dict):
            yield block["value"]
        else:
            yield block


def _rejoined(blocks: Iterable[Any]) -> list[Any]:
    """The blocks with the parts of one reasoning item made one again: the standard form has a block for each part."""
    whole: list[Any] = []
    for block in blocks:
        if whole and _is_more_of(whole[-1], block):
            whole[-1] = {**block, **whole[-1], "reasoning": f"{whole[-1]['reasoning']}\n\n{block['reasoning']}"}
        else:
            whole.append(block)
    return whole


def _is_more_of(known: Any, block: Any) -> bool:
    return (
        all(isinstance(fields_or_empty(one).get("reasoning"), str) for one in (known, block))
        and known.get("id") is not None
        and known["id"] == block.get("id")
    )


def _calls_beside(message: Any, content: list[Any], aside: Fields) -> list[Any]:
    """Tool calls that the content does not already hold."""
    known = {optional_text(fields_or_empty(block).get(name)) for block in content for name in _CALL_ID_NAMES} - {None}
    signatures = fields_or_empty(aside.get(GEMINI_SIGNATURES))
    calls: list[Any] = []
    for field, kind in (("tool_calls", "tool_call"), ("invalid_tool_calls", "invalid_tool_call")):
        for call in list_of(plain(member(message, field)), field):
            if not isinstance(call, dict):
                calls.append(call)
            elif optional_text(call.get("id")) not in known:
                calls.append({**call, "type": kind, **_signed(call, signatures)})
    legacy = aside.get("function_call")
    return calls if calls or known or not isinstance(legacy, dict) else [{**legacy, "type": "function_call"}]


def _signed(call: Fields, signatures: Fields) -> Fields:
    signature = signatures.get(str(call.get("id")))
    return {"extras": {"signature": signature}} if isinstance(signature, str) else {}


def _thinking_beside(aside: Fields) -> list[Any]:
    """Reasoning and server-side tools, where a package keeps them beside the content."""
    reasoning = aside.get("reasoning")
    blocks: list[Any] = [{"type": "reasoning", **reasoning}] if isinstance(reasoning, dict) else []
    if words := optional_text(aside.get("reasoning_content")):
        blocks.append({"type": "thinking", "thinking": words})
    return blocks + list_of(aside.get("tool_outputs"), "tool_outputs")


def _refusal_beside(aside: Fields) -> list[Any]:
    refusal = optional_text(aside.get("refusal"))
    audio = aside.get("audio")
    return [
        *([{"type": "refusal", "refusal": refusal}] if refusal else []),
        *([{"type": "audio", "audio": audio}] if audio else []),
    ]


def _stop_of(metadata: Fields) -> str | None:
    incomplete = fields_or_empty(metadata.get("incomplete_details"))
    feedback = fields_or_empty(metadata.get("prompt_feedback"))
    return (
        _first_text(metadata, "stop_reason", "finish_reason")
        or _first_text(incomplete, "reason")
        or _first_text(feedback, "block_reason")
        or _first_text(metadata, "status")
    )


def _explanation_of(metadata: Fields) -> str | None:
    details = fields_or_empty(metadata.get("stop_details"))
    return _first_text(details, "explanation", "category") or _first_text(metadata, "finish_message")


def _first_text(fields: Fields, *names: str) -> str | None:
    return next((value for name in names if (value := optional_text(fields.get(name)))), None)


def _text(block: Fields) -> list[ContentBlock]:
    return [TextBlock(text=text_of(block.get("text"), "text"), citations=citations_of(block))]


def read_reasoning(block: Fields) -> list[ContentBlock]:
    """Reasoning in LangChain's standard form, or in the form some packages give it."""
    words = block.get("reasoning", block.get("thinking"))
    if isinstance(words, list):
        words = "".join(text_of(fields_or_empty(part).get("text")) for part in words)
    extras = fields_or_empty(block.get("extras"))
    signature = _first_text({**extras, **block}, "signature", "encrypted_content")
    return [ThinkingBlock(text=text_of(words, "reasoning"), signature=signature)]


def _call(block: Fields) -> list[ContentBlock]:
    args, invalid = args_of(block.get("args"))
    extras = fields_or_empty(block.get("extras"))
    return [
        ToolCallBlock(
            id=text_of(block.get("id"), "id"),
            name=name_of(block.get("name"), "name"),
            args=args,
            invalid_args=invalid,
            extra={"google": {"thought_signature": extras["signature"]}} if "signature" in extras else {},
        )
    ]


def _invalid_call(block: Fields) -> list[ContentBlock]:
    """A call LangChain could not parse: whatever its arguments are, they are none."""
    raw = block.get("args")
    call = ToolCallBlock(
        id=text_of(block.get("id"), "id"), name=name_of(block.get("name"), "name"), invalid_args=readable(raw)
    )
    return [call]


def _server_call(block: Fields) -> list[ContentBlock]:
    args, invalid = args_of(block.get("args"))
    name, call_id = name_of(block.get("name"), "name"), text_of(block.get("id"), "id")
    return [ToolCallBlock(id=call_id, name=name, args=args, invalid_args=invalid, is_server_side=True)]


def _server_result(block: Fields) -> list[ContentBlock]:
    return [
        ToolResultBlock(
            tool_use_id=text_of(block.get("tool_call_id"), "tool_call_id"),
            content=readable(block.get("output")),
            is_error=block.get("status") == "error",
            is_server_side=True,
        )
    ]


def _refusal(block: Fields) -> list[ContentBlock]:
    return [TextBlock(text=name_of(block.get("refusal"), "refusal"))]


LANGCHAIN_BLOCKS: BlockTable = {
    "text": _text,
    "reasoning": read_reasoning,
    "thinking": read_reasoning,
    "refusal": _refusal,
    "tool_call": _call,
    "tool_call_chunk": _call,
    "invalid_tool_call": _invalid_call,
    "server_tool_call": _server_call,
    "server_tool_call_chunk": _server_call,
    "server_tool_result": _server_result,
}
"""LangChain's standard blocks, read where a provider has no block of that name itself."""
