"""OpenAI's chat completions, and whatever speaks them."""

from typing import Any

from batuta.events.adapters.base import BaseAdapter, StreamReader
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

_REASONING = ("reasoning_content", "reasoning")
"""Where servers that speak chat completions put what their models thought."""
_DETAILS = "reasoning_details"
_READ = ("content", "refusal", "annotations", "tool_calls", "function_call", _DETAILS, *_REASONING)
_NOT_SAID = ("role", "name", "parsed", "logprobs")
_MESSAGE_SIGNS = ("content", "tool_calls", "refusal", "function_call")


class OpenAIChatAdapter(BaseAdapter):
    """Reads chat completions, whole, streamed, or as LangChain holds them. It takes the first choice."""

    name = PROVIDER
    stop_reasons = STOP_REASONS
    blocks = BLOCKS

    def stream(self) -> "OpenAIChatStream":
        """A reader for one streamed completion."""
        return OpenAIChatStream(self)

    def _read_usage(self, usage: Fields) -> Usage | None:
        return read_usage(usage)

    def _read_wire(self, message: Fields) -> BlockReading:
        choice = _first_choice(message)
        said = fields_of(choice.get("message"), "the message of the choice")
        return BlockReading(
            blocks=list(_blocks_of(said)),
            stop=optional_text(choice.get("finish_reason")),
            model=optional_text(message.get("model")),
            response_id=optional_text(message.get("id")),
            usage=self.usage_in(message),
        )


def _first_choice(message: Fields) -> Fields:
    """The first choice of a completion; a bare message stands for itself."""
    if "choices" not in message:
        if not any(name in message for name in _MESSAGE_SIGNS):
            raise UnreadableError("it has no choices")
        return {"message": message}
    choices = list_of(message["choices"], "choices")
    if not choices:
        raise UnreadableError("it has no choices")
    return fields_of(choices[0], "a choice")


def _blocks_of(said: Fields) -> list[Any]:
    """A message of chat completions as blocks, in the order in which they are thought, said and asked."""
    blocks = [*_reasoning_of(said), *_content_of(said)]
    if said.get("refusal") is not None:
        blocks.append({"type": "refusal", "refusal": said["refusal"]})
    blocks += [{"type": name, name: value} for name, value in said.items() if _is_foreign(name, value)]
    blocks += list_of(said.get("tool_calls"), "tool_calls")
    if said.get("function_call") is not None:
        blocks.append({**fields_of(said["function_call"], "function_call"), "type": "function_call"})
    return blocks


def _reasoning_of(said: Fields) -> list[Any]:
    """What was thought; details that only repeat it are left out."""
    words = next((said[name] for name in _REASONING if optional_text(said.get(name))), None)
    details = list_of(said.get(_DETAILS), _DETAILS)
    if words is None:
        return details
    hidden = [detail for detail in details if fields_or_empty(detail).get("type") == "reasoning.encrypted"]
    return [{"type": "reasoning", "reasoning": words}, *hidden]


def _content_of(said: Fields) -> list[Any]:
    content = said.get("content")
    if content is None or isinstance(content, str):
        return [{"type": "text", "text": content, "annotations": said.get("annotations")}]
    return list_of(content, "content")


def _is_foreign(name: str, value: Any) -> bool:
    """Whether a field of a message says something this adapter has no word for, such as audio."""
    return name not in _READ and name not in _NOT_SAID and isinstance(value, dict | list) and bool(value)


_JOINED = ("content", "refusal", *_REASONING)
_DELTA_KINDS = {"reasoning_content": "thinking", "reasoning": "thinking"}


class OpenAIChatStream(StreamReader):
    """Puts a completion together from its chunks."""

    def __init__(self, adapter: OpenAIChatAdapter) -> None:
        super().__init__(adapter)
        self._head: Fields = {}
        self._said: Fields = {}
        self._calls: dict[int, Fields] = {}
        self._finish: str | None = None

    @property
    def _is_complete(self) -> bool:
        return self._finish is not None

    def _take(self, chunk: Fields) -> list[Delta]:
        for name in ("id", "model", "usage"):
            if chunk.get(name):
                self._head[name] = chunk[name]
        for raw in list_of(chunk.get("choices"), "choices"):
            choice = fields_of(raw, "a choice")
            if not choice.get("index"):
                return self._grow(choice)
        return []

    def _grow(self, choice: Fields) -> list[Delta]:
        self._finish = optional_text(choice.get("finish_reason")) or self._finish
        delta = fields_or_empty(choice.get("delta"))
        deltas: list[Delta] = []
        for name in delta:
            if name in _JOINED:
                deltas += self._join(name, text_of(delta[name], name))
            elif name not in ("tool_calls", "function_call"):
                self._said[name] = _merged(self._said.get(name), delta[name])
        for raw in list_of(delta.get("tool_calls"), "tool_calls"):
            deltas += self._grow_call(fields_of(raw, "a tool call"))
        if delta.get("function_call") is not None:
            self._said["function_call"] = _merged(self._said.get("function_call"), delta["function_call"])
        return deltas

    def _join(self, name: str, words: str) -> list[Delta]:
        if not words:
            return []
        self._said[name] = text_of(self._said.get(name), name) + words
        return [Delta("thinking" if name in _DELTA_KINDS else "text", words)]

    def _grow_call(self, piece: Fields) -> list[Delta]:
        index = position_of(piece.get("index"))
        index = len(self._calls) if index is None else index
        call = self._calls[index] = _merged(self._calls.get(index), {**piece, "index": None})
        inner = fields_or_empty(piece.get("function") or piece.get("custom"))
        words = optional_text(inner.get("arguments")) or optional_text(inner.get("input"))
        whole = fields_or_empty(call.get("function") or call.get("custom"))
        return [Delta("tool_call", words, optional_text(whole.get("name")))] if words else []

    def _message(self) -> Fields:
        if not self._head and not self._said and not self._calls:
            return {}
        calls = [self._calls[index] for index in sorted(self._calls)]
        said = {"content": None, **self._said, **({"tool_calls": calls} if calls else {})}
        return {**self._head, "choices": [{"message": said, "finish_reason": self._finish}]}


_WHOLE = ("id", "type", "name", "role")
"""Fields that come whole, however often; any other text comes in pieces."""


def _merged(known: Any, new: Any) -> Any:
    """A value grown by a piece of it."""
    if new is None:
        return known
    if isinstance(known, dict) and isinstance(new, dict):
        grown = {
            name: value if name in _WHOLE and value else _merged(known.get(name), value) for name, value in new.items()
        }
        return {**known, **grown}
    if isinstance(known, str) and isinstance(new, str):
        return known + new
    if isinstance(known, list) and isinstance(new, list):
        return known + new
    return new
