"""Blocks, stop reasons and usage of OpenAI: what its two APIs share, so that LangChain messages of either can be read.

Usage: cached tokens are part of the input and reasoning tokens are part of the output already.
"""

from typing import Any

from batuta.events.adapters.citations import citations_of
from batuta.events.adapters.langchain import read_reasoning
from batuta.events.adapters.plain import (
    Fields,
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
from batuta.events.adapters.reading import BlockReader, BlockTable
from batuta.kernel.messages import ContentBlock, StopReason, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultBlock
from batuta.kernel.usage import Usage

PROVIDER = "openai"

STOP_REASONS: dict[str, StopReason] = {
    "stop": "success",
    "tool_calls": "success",
    "function_call": "success",
    "completed": "success",
    "length": "max_tokens",
    "max_output_tokens": "max_tokens",
    "content_filter": "refused",
    "refusal": "refused",
    "steered": "paused",
    "queued": "paused",
    "in_progress": "paused",
}
"""Finish reasons of chat completions; statuses and incomplete reasons of responses. A response that is still queued or
was steered away is the nearest OpenAI has to a pause: it goes on when it is asked again."""


def read_usage(usage: Fields) -> Usage | None:
    """Tokens in either API's spelling."""
    given = next((name for name in ("prompt_tokens", "input_tokens") if name in usage), None)
    made = next((name for name in ("completion_tokens", "output_tokens") if name in usage), None)
    if given is None and made is None:
        return None
    taken = fields_or_empty(usage.get("prompt_tokens_details", usage.get("input_tokens_details")))
    details = fields_or_empty(usage.get("completion_tokens_details", usage.get("output_tokens_details")))
    return Usage(
        input=count_of(usage.get(given or "")),
        output=count_of(usage.get(made or "")),
        thinking=count_of(details.get("reasoning_tokens")),
        cache_read=count_of(taken.get("cached_tokens")),
        cache_write=count_of(taken.get("cache_write_tokens")),
    )


def _kept(block: Fields, *names: str) -> dict[str, dict[str, Any]]:
    """The fields to send back with a block, where it has them."""
    kept = {name: block[name] for name in names if block.get(name) is not None}
    return {PROVIDER: kept} if kept else {}


def _text(block: Fields) -> list[ContentBlock]:
    text = text_of(block.get("text"), "text")
    return [TextBlock(text=text, citations=citations_of(block), extra=_kept(block, "id", "phase") if text else {})]


def _refusal(block: Fields) -> list[ContentBlock]:
    return [TextBlock(text=text_of(block.get("refusal"), "refusal"))]


def _reasoning(block: Fields) -> list[ContentBlock]:
    if "reasoning" in block or "thinking" in block:
        return read_reasoning(block)
    parts = list_of(block.get("summary"), "summary") + list_of(block.get("content"), "content")
    words = [text_of(fields_of(part, "a summary").get("text"), "text") for part in parts]
    beside = fields_or_empty(block.get("extras"))
    signature = optional_text(block.get("encrypted_content")) or optional_text(beside.get("encrypted_content"))
    return [ThinkingBlock(text="\n\n".join(words), signature=signature, extra=_kept(block, "id"))]


def _reasoning_detail(block: Fields) -> list[ContentBlock]:
    """An entry of `reasoning_details`, as routers that speak chat completions send them."""
    words = text_of(block.get("text", block.get("summary")), "reasoning")
    redacted, signature = optional_text(block.get("data")), optional_text(block.get("signature"))
    return [ThinkingBlock(text=words, signature=signature, redacted=redacted, extra=_kept(block, "id", "format"))]


def _function(block: Fields) -> list[ContentBlock]:
    """A call of chat completions."""
    function = fields_of(block.get("function"), "function")
    return [_call(block.get("id"), function.get("name"), function.get("arguments"))]


def _custom(block: Fields) -> list[ContentBlock]:
    custom = fields_of(block.get("custom"), "custom")
    return [_free_call(block.get("id"), custom, _kept(block, "type"))]


def _function_call(block: Fields) -> list[ContentBlock]:
    """A call of the Responses API, or the old single call of chat completions, which has no id."""
    call = _call(block.get("call_id"), block.get("name"), block.get("arguments"))
    return [call.model_copy(update={"extra": _kept(block, "id", "namespace", "caller")})]


def _custom_tool_call(block: Fields) -> list[ContentBlock]:
    return [_free_call(block.get("call_id"), block, _kept(block, "type", "id"))]


def _call(call_id: Any, name: Any, arguments: Any) -> ToolCallBlock:
    args, invalid = args_of(arguments)
    return ToolCallBlock(
        id=text_of(call_id, "id"), name=name_of(name, "the tool's name"), args=args, invalid_args=invalid
    )


def _free_call(call_id: Any, tool: Fields, extra: dict[str, dict[str, Any]]) -> ToolCallBlock:
    """A call whose input is free text: it becomes the argument `input`."""
    name, words = name_of(tool.get("name"), "the tool's name"), text_of(tool.get("input"), "input")
    return ToolCallBlock(id=text_of(call_id, "id"), name=name, args={"input": words}, extra=extra)


_ASKED_BY: dict[str, tuple[str, ...]] = {
    "web_search_call": ("action",),
    "file_search_call": ("queries",),
    "code_interpreter_call": ("code", "container_id"),
    "image_generation_call": ("revised_prompt", "size", "quality"),
    "mcp_call": ("arguments", "server_label"),
    "mcp_list_tools": ("server_label",),
    "tool_search_call": ("arguments",),
}
"""Tools OpenAI runs itself: which fields of the item are the arguments."""

_BROUGHT = ("output", "results", "outputs", "result", "tools", "error")
_UNFINISHED = ("in_progress", "searching", "interpreting", "generating")
_FAILED = ("failed", "incomplete")


def _server_tool(item: Fields) -> list[ContentBlock]:
    """One item is both the call and what it brought."""
    kind = str(item["type"])
    call_id = name_of(item.get("id"), "id")
    name = optional_text(item.get("name")) or kind.removesuffix("_call")
    call = ToolCallBlock(
        id=call_id, name=name, args=_server_args(item, kind), is_server_side=True, extra={PROVIDER: item}
    )
    if item.get("status") in _UNFINISHED:
        return [call]
    result = ToolResultBlock(
        tool_use_id=call_id,
        tool_name=name,
        content=_server_result(item),
        is_error=item.get("status") in _FAILED or item.get("error") is not None,
        is_server_side=True,
        extra={PROVIDER: item},
    )
    return [call, result]


def _server_args(item: Fields, kind: str) -> dict[str, Any]:
    args = {name: item[name] for name in _ASKED_BY[kind] if item.get(name) is not None}
    nested, invalid = args_of(args.get("arguments"))
    action = fields_or_empty(args.pop("action", None))
    if "arguments" in args and invalid is None:
        del args["arguments"]
    return {**args, **nested, **{name: value for name, value in action.items() if name != "sources"}}


def _server_result(item: Fields) -> str:
    brought = next((item[name] for name in _BROUGHT if item.get(name) is not None), None)
    if brought is None:
        brought = fields_or_empty(item.get("action")).get("sources")
    return readable(brought) if brought is not None else text_of(item.get("status"))


_SERVER_TOOLS: dict[str, BlockReader] = dict.fromkeys(_ASKED_BY, _server_tool)

BLOCKS: BlockTable = {
    "text": _text,
    "output_text": _text,
    "refusal": _refusal,
    "reasoning": _reasoning,
    "thinking": _reasoning,
    "reasoning.text": _reasoning_detail,
    "reasoning.summary": _reasoning_detail,
    "reasoning.encrypted": _reasoning_detail,
    "function": _function,
    "custom": _custom,
    "function_call": _function_call,
    "custom_tool_call": _custom_tool_call,
    **_SERVER_TOOLS,
}
