"""Anthropic's Messages API.

Usage: `input_tokens` leaves out what was read from and written to the cache, so both are added to the input;
`output_tokens` already contains thinking.
"""

from typing import Any

from batuta.events.adapters.base import BaseAdapter, StreamReader
from batuta.events.adapters.citations import citations_of
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
    position_of,
    readable,
    text_of,
)
from batuta.events.adapters.reading import BlockReading, BlockTable
from batuta.kernel.messages import (
    ContentBlock,
    Delta,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from batuta.kernel.usage import Usage

PROVIDER = "anthropic"

STOP_REASONS: dict[str, StopReason] = {
    "end_turn": "success",
    "stop_sequence": "success",
    "tool_use": "success",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "pause_turn": "paused",
    "refusal": "refused",
}


def _text(block: Fields) -> list[ContentBlock]:
    return [TextBlock(text=text_of(block.get("text"), "text"), citations=citations_of(block))]


def _thinking(block: Fields) -> list[ContentBlock]:
    signature = optional_text(block.get("signature"))
    return [ThinkingBlock(text=text_of(block.get("thinking"), "thinking"), signature=signature)]


def _redacted(block: Fields) -> list[ContentBlock]:
    return [ThinkingBlock(text="", redacted=name_of(block.get("data"), "data"))]


def _tool_use(block: Fields) -> list[ContentBlock]:
    args, invalid = _args(block)
    call_id, name = text_of(block.get("id"), "id"), name_of(block.get("name"), "name")
    return [ToolCallBlock(id=call_id, name=name, args=args, invalid_args=invalid)]


def _server_tool_use(block: Fields) -> list[ContentBlock]:
    [call] = _tool_use(block)
    return [call.model_copy(update={"is_server_side": True, "extra": {PROVIDER: block}})]


def _args(block: Fields) -> tuple[dict[str, Any], str | None]:
    """LangChain leaves streamed arguments as text beside an empty input."""
    given = block.get("input")
    return args_of(block.get("partial_json", given) if given in (None, "", {}) else given)


def _tool_result(block: Fields) -> list[ContentBlock]:
    content = block.get("content")
    kind = str(block["type"])
    return [
        ToolResultBlock(
            tool_use_id=text_of(block.get("tool_use_id"), "tool_use_id"),
            tool_name=kind.removesuffix("_tool_result"),
            content=readable(content),
            is_error=block.get("is_error") is True or _states_an_error(content),
            is_server_side=True,
            extra={PROVIDER: block},
        )
    ]


def _states_an_error(content: Any) -> bool:
    return str(fields_or_empty(content).get("type")).endswith("_error")


BLOCKS: BlockTable = {
    "text": _text,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
    "tool_use": _tool_use,
    "server_tool_use": _server_tool_use,
    "mcp_tool_use": _server_tool_use,
    "tool_result": _tool_result,
}


class AnthropicAdapter(BaseAdapter):
    """Reads messages of Anthropic's Messages API, whole, streamed, or as LangChain holds them."""

    name = PROVIDER
    stop_reasons = STOP_REASONS
    blocks = BLOCKS

    def stream(self) -> "AnthropicStream":
        """A reader for one streamed message."""
        return AnthropicStream(self)

    def _block_type(self, block: Fields) -> str:
        """The results of all server-side tools are read alike: `web_search_tool_result`, `mcp_tool_result` …"""
        block_type = super()._block_type(block)
        return "tool_result" if block_type.endswith("_tool_result") and "tool_use_id" in block else block_type

    def _read_wire(self, message: Fields) -> BlockReading:
        if "content" not in message:
            raise UnreadableError("it has no content")
        content = message["content"]
        details = fields_or_empty(message.get("stop_details"))
        return BlockReading(
            blocks=[{"type": "text", "text": content}] if isinstance(content, str) else list_of(content, "content"),
            stop=optional_text(message.get("stop_reason")),
            explanation=optional_text(details.get("explanation")) or optional_text(details.get("category")),
            model=optional_text(message.get("model")),
            response_id=optional_text(message.get("id")),
            usage=self.usage_in(message),
        )

    def _read_usage(self, usage: Fields) -> Usage | None:
        if "input_tokens" not in usage and "output_tokens" not in usage:
            return None
        read = count_of(usage.get("cache_read_input_tokens"))
        written = count_of(usage.get("cache_creation_input_tokens"))
        details = fields_or_empty(usage.get("output_tokens_details"))
        return Usage(
            input=count_of(usage.get("input_tokens")) + read + written,
            output=count_of(usage.get("output_tokens")),
            thinking=count_of(details.get("thinking_tokens")),
            cache_read=read,
            cache_write=written,
        )


_DELTA_FIELDS = {"text_delta": ("text", "text"), "thinking_delta": ("thinking", "thinking")}
_DELTA_BLOCKS = {"thinking_delta": "thinking", "signature_delta": "thinking", "input_json_delta": "tool_use"}


class AnthropicStream(StreamReader):
    """Puts a message together from its events."""

    def __init__(self, adapter: AnthropicAdapter) -> None:
        super().__init__(adapter)
        self._head: Fields = {}
        self._blocks: dict[int, Fields] = {}
        self._json: dict[int, str] = {}

    @property
    def _is_complete(self) -> bool:
        return isinstance(self._head.get("stop_reason"), str)

    def _take(self, chunk: Fields) -> list[Delta]:
        match chunk.get("type"):
            case "message_start":
                self._start(fields_of(chunk.get("message"), "message"))
            case "content_block_start":
                return self._open(_index(chunk), fields_of(chunk.get("content_block"), "content_block"))
            case "content_block_delta":
                return self._grow(_index(chunk), fields_of(chunk.get("delta"), "delta"))
            case "message_delta":
                self._finish(fields_of(chunk.get("delta"), "delta"), fields_or_empty(chunk.get("usage")))
        return []

    def _start(self, message: Fields) -> None:
        self._head = dict(message)
        for index, block in enumerate(list_of(self._head.pop("content", None), "content")):
            self._blocks[index] = dict(fields_of(block))

    def _open(self, index: int, block: Fields) -> list[Delta]:
        self._blocks[index] = dict(block)
        words = optional_text(block.get("text"))
        return [Delta("text", words)] if words and block.get("type") == "text" else []

    def _grow(self, index: int, delta: Fields) -> list[Delta]:
        kind = str(delta.get("type"))
        block = self._blocks.setdefault(index, {"type": _DELTA_BLOCKS.get(kind, "text")})
        if kind in _DELTA_FIELDS:
            field, as_kind = _DELTA_FIELDS[kind]
            words = text_of(delta.get(field), field)
            block[field] = text_of(block.get(field), field) + words
            return [Delta("text" if as_kind == "text" else "thinking", words)]
        if kind == "input_json_delta":
            words = text_of(delta.get("partial_json"), "partial_json")
            self._json[index] = self._json.get(index, "") + words
            return [Delta("tool_call", words, optional_text(block.get("name")))] if words else []
        self._keep(block, kind, delta)
        return []

    def _keep(self, block: Fields, kind: str, delta: Fields) -> None:
        if kind == "signature_delta":
            block["signature"] = delta.get("signature")
        elif kind == "citations_delta":
            block["citations"] = [*list_of(block.get("citations"), "citations"), delta.get("citation")]
        else:
            block["deltas"] = [*list_of(block.get("deltas"), "deltas"), delta]

    def _finish(self, delta: Fields, usage: Fields) -> None:
        """Counts of a stream are totals, so the last ones stand; those left out stay as they were."""
        self._head.update({name: value for name, value in delta.items() if value is not None})
        known = fields_or_empty(self._head.get("usage"))
        self._head["usage"] = {**known, **{name: value for name, value in usage.items() if value is not None}}

    def _message(self) -> Fields:
        if not self._head and not self._blocks:
            return {}
        return {**self._head, "content": [self._block(index) for index in sorted(self._blocks)]}

    def _block(self, index: int) -> Fields:
        """A block whose streamed arguments are parsed; those that are no object stay text."""
        block = self._blocks[index]
        if not (raw := self._json.get(index)):
            return block
        args, invalid = args_of(raw)
        return {**block, "input": args if invalid is None else invalid}


def _index(chunk: Fields) -> int:
    index = position_of(chunk.get("index"))
    if index is None:
        raise UnreadableError("a block event has no index")
    return index
