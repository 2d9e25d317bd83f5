"""Streamed answers of Gemini models: every chunk is a small answer, and the last one ends it."""

import re
from typing import Any

from batuta.events.adapters.base import BaseAdapter, StreamReader
from batuta.events.adapters.plain import Fields, compact, fields_of, fields_or_empty, list_of, optional_text
from batuta.kernel.messages import Delta

_GROWING = ("citationMetadata", "citation_metadata")
_MERGED = ("usageMetadata", "usage_metadata", "groundingMetadata", "grounding_metadata", *_GROWING)


class GoogleStream(StreamReader):
    """Puts an answer together from its chunks."""

    def __init__(self, adapter: BaseAdapter) -> None:
        super().__init__(adapter)
        self._head: Fields = {}
        self._candidate: Fields = {}
        self._parts: list[Any] = []
        self._call: Fields | None = None

    @property
    def _is_complete(self) -> bool:
        feedback = fields_or_empty(_either(self._head, "promptFeedback", "prompt_feedback"))
        return bool(
            optional_text(_either(self._candidate, "finishReason", "finish_reason"))
            or optional_text(_either(feedback, "blockReason", "block_reason"))
        )

    def _take(self, chunk: Fields) -> list[Delta]:
        _overlay(self._head, chunk, without="candidates")
        deltas: list[Delta] = []
        for raw in list_of(chunk.get("candidates"), "candidates")[:1]:
            candidate = fields_of(raw, "a candidate")
            _overlay(self._candidate, candidate, without="content")
            for part in list_of(fields_or_empty(candidate.get("content")).get("parts"), "parts"):
                deltas += self._add(part)
        return deltas

    def _add(self, part: Any) -> list[Delta]:
        call = _either(part, "functionCall", "function_call") if isinstance(part, dict) else None
        if isinstance(call, dict):
            return self._add_call(part, call)
        self._parts.append(part)
        words = optional_text(part.get("text")) if isinstance(part, dict) else None
        return [Delta("thinking" if part.get("thought") is True else "text", words)] if words else []

    def _add_call(self, part: Fields, call: Fields) -> list[Delta]:
        """A call comes whole, or opens without arguments and is then filled path by path."""
        pieces = list_of(_either(call, "partialArgs", "partial_args"), "partial_args")
        goes_on = _either(call, "willContinue", "will_continue") is True
        if self._call is None or call.get("name"):
            self._call = {name: value for name, value in call.items() if name in ("id", "name", "args")}
            self._parts.append({**part, "function_call": self._call, "functionCall": None})
        target = self._call
        for piece in pieces:
            target["args"] = _filled(fields_or_empty(target.get("args")), fields_of(piece, "a partial argument"))
        self._call = target if goes_on else None
        words = compact(pieces) if pieces else compact(target.get("args") or {})
        return [Delta("tool_call", words, optional_text(target.get("name")))]

    def _message(self) -> Fields:
        if not self._head and not self._candidate and not self._parts:
            return {}
        if not self._candidate and not self._parts and self._is_complete:
            return self._head
        return {**self._head, "candidates": [{**self._candidate, "content": {"parts": self._parts}}]}


def _either(fields: Fields, *names: str) -> Any:
    for name in names:
        if (value := fields.get(name)) is not None:
            return value
    return None


def _overlay(known: Fields, new: Fields, *, without: str) -> None:
    """Later facts over earlier ones; what comes in several chunks is put together."""
    for name, value in new.items():
        if value is None or name == without:
            continue
        before = known.get(name)
        if name in _MERGED and isinstance(before, dict) and isinstance(value, dict):
            known[name] = {**before, **{key: _grown(name, before.get(key), item) for key, item in value.items()}}
        else:
            known[name] = value


def _grown(name: str, before: Any, value: Any) -> Any:
    return before + value if name in _GROWING and isinstance(before, list) and isinstance(value, list) else value


_STEP = re.compile(r"\.([^.\[\]]+)|\['([^']*)'\]|\[(\d{1,4})\]")
_VALUES = ("stringValue", "string_value", "numberValue", "number_value", "boolValue", "bool_value")


def _filled(args: Fields, piece: Fields) -> Fields:
    """Arguments with one value set, or lengthened if it is a text that was begun before."""
    path = [
        name or quoted or int(number)
        for name, quoted, number in _STEP.findall(str(_either(piece, "jsonPath", "json_path")))
    ]
    value = _either(piece, *_VALUES)
    return fields_or_empty(_set(args, path, value)) if path and isinstance(path[0], str) else args


def _set(target: Any, path: list[str | int], value: Any) -> Any:
    if not path:
        return target + value if isinstance(target, str) and isinstance(value, str) else value
    step, rest = path[0], path[1:]
    if isinstance(step, str):
        known = fields_or_empty(target)
        return {**known, step: _set(known.get(step), rest, value)}
    items = list(target) if isinstance(target, list) else []
    if step >= len(items):
        return [*items, _set(None, rest, value)]
    return [*items[:step], _set(items[step], rest, value), *items[step + 1 :]]
