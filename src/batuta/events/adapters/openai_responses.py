"""OpenAI's Responses API."""

from typing import Any, Literal

from batuta.events.adapters.base import BaseAdapter, StreamReader
from batuta.events.adapters.failures import failure
from batuta.events.adapters.openai_blocks import BLOCKS, PROVIDER, STOP_REASONS, read_usage
from batuta.events.adapters.plain import (
    Fields,
    UnreadableError,
    fields_of,
    fields_or_empty,
    list_of,
    optional_text,
    position_of,
    text_of,
)
from batuta.events.adapters.reading import BlockReading
from batuta.kernel.messages import Delta
from batuta.kernel.usage import Usage


class OpenAIResponsesAdapter(BaseAdapter):
    """Reads responses, whole, streamed, or as LangChain holds them."""

    name = PROVIDER
    stop_reasons = STOP_REASONS
    blocks = BLOCKS

    def stream(self) -> "OpenAIResponsesStream":
        """A reader for one streamed response."""
        return OpenAIResponsesStream(self)

    def _read_usage(self, usage: Fields) -> Usage | None:
        return read_usage(usage)

    def _read_wire(self, message: Fields) -> BlockReading:
        if "output" not in message and message.get("type") != "message":
            raise UnreadableError("it has no output")
        if message.get("status") == "failed":
            raise failure(PROVIDER, message.get("error") or {"code": "server_error"})
        items = list_of(message["output"], "output") if "output" in message else [message]
        incomplete = fields_or_empty(message.get("incomplete_details"))
        return BlockReading(
            blocks=[block for item in items for block in _blocks_of(item)],
            stop=optional_text(incomplete.get("reason")) or optional_text(message.get("status")),
            model=optional_text(message.get("model")),
            response_id=optional_text(message.get("id")),
            usage=self.usage_in(message),
        )


def _blocks_of(item: Any) -> list[Any]:
    """The parts of a message item, each with what must go back with it; any other item is a block itself."""
    if not isinstance(item, dict) or item.get("type") != "message":
        return [item]
    kept = {name: item[name] for name in ("id", "phase") if item.get(name) is not None}
    parts = item.get("content")
    if isinstance(parts, str):
        return [{"type": "output_text", "text": parts, **kept}]
    return [{**kept, **part} if isinstance(part, dict) else part for part in list_of(parts, "content")]


_Growth = tuple[str, str, Literal["text", "thinking", "tool_call"]]

_GROWTH: dict[str, _Growth] = {
    "response.output_text.delta": ("content", "text", "text"),
    "response.refusal.delta": ("content", "refusal", "text"),
    "response.reasoning_text.delta": ("content", "text", "thinking"),
    "response.reasoning_summary_text.delta": ("summary", "text", "thinking"),
    "response.function_call_arguments.delta": ("", "arguments", "tool_call"),
    "response.custom_tool_call_input.delta": ("", "input", "tool_call"),
    "response.mcp_call_arguments.delta": ("", "arguments", "tool_call"),
    "response.code_interpreter_call_code.delta": ("", "code", "tool_call"),
}
"""Where each delta goes: the list of the item and the field it lengthens, and what it is for listeners."""

_PART_TYPES = {
    "response.output_text.delta": "output_text",
    "response.refusal.delta": "refusal",
    "response.reasoning_text.delta": "reasoning_text",
    "response.reasoning_summary_text.delta": "summary_text",
}
_ENDINGS = ("response.completed", "response.incomplete", "response.failed")


class OpenAIResponsesStream(StreamReader):
    """Puts a response together from its events; the last one holds it whole."""

    def __init__(self, adapter: OpenAIResponsesAdapter) -> None:
        super().__init__(adapter)
        self._head: Fields = {}
        self._items: dict[int, Fields] = {}
        self._ended = False

    @property
    def _is_complete(self) -> bool:
        return self._ended

    def _take(self, chunk: Fields) -> list[Delta]:
        kind = str(chunk.get("type"))
        if kind == "error":
            raise failure(PROVIDER, chunk)
        if kind in _GROWTH:
            return self._grow(chunk, _GROWTH[kind], _PART_TYPES.get(kind))
        if kind in ("response.output_item.added", "response.output_item.done") and chunk.get("item") is not None:
            self._items[_index(chunk, "output_index")] = dict(fields_of(chunk["item"], "an item"))
        elif "response" in chunk:
            self._head = fields_of(chunk["response"], "response")
            self._ended = self._ended or kind in _ENDINGS
            self._fail_if_failed()
        return []

    def _fail_if_failed(self) -> None:
        if self._head.get("error"):
            raise failure(PROVIDER, self._head["error"])

    def _grow(self, chunk: Fields, growth: _Growth, part_type: str | None) -> list[Delta]:
        list_name, field, kind = growth
        words = text_of(chunk.get("delta"), "delta")
        item = self._items.setdefault(_index(chunk, "output_index"), {"type": "message"})
        target = item
        if part_type is not None:
            position = _index(chunk, "summary_index" if list_name == "summary" else "content_index")
            target = _part(item, list_name, position, part_type)
        target[field] = text_of(target.get(field), field) + words
        return [Delta(kind, words, optional_text(item.get("name")) if kind == "tool_call" else None)]

    def _message(self) -> Fields:
        if not self._head and not self._items:
            return {}
        items = [self._items[index] for index in sorted(self._items)]
        if not self._ended:
            return {**self._head, "output": items, "status": None}
        output = self._head.get("output")
        return {**self._head, "output": items if output is None else output}


def _part(item: Fields, list_name: str, position: int, part_type: str) -> Fields:
    """The part of an item that grows, made when its first piece comes."""
    parts = list(list_of(item.get(list_name), list_name))
    position = min(position, len(parts))
    part = dict(fields_of(parts[position], "a part")) if position < len(parts) else {"type": part_type}
    item[list_name] = [*parts[:position], part, *parts[position + 1 :]]
    return part


def _index(chunk: Fields, name: str) -> int:
    index = position_of(chunk.get(name))
    if index is None or index < 0:
        raise UnreadableError(f"an event has no {name}")
    return index
