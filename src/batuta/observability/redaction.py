"""Takes secrets, personal data and what people and models said out of everything that leaves for operators.

Four nets, all on by default: fields known to hold contents are replaced by their length, texts of errors by what
they say went wrong (`error_texts`), fields whose name says secret are replaced, and every other text is searched for
the shapes of keys, tokens and personal data (`secret_shapes`).
"""

import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from batuta.observability.error_texts import OUR_KINDS, chain_of, frames_of, is_ours, told_stack, told_text
from batuta.observability.secret_shapes import REDACTED, assigned_to, is_secret_name, searched, without_values

FIELDS_VARIABLE = "LOG_REDACT"
"""Names fields of your own that no log and no span shows, separated by commas: `LOG_REDACT=salary,iban`."""
MAX_TEXT = 2_000
MAX_STACK = 20_000
MAX_DEPTH = 32
"""How deep a value is looked into; what lies deeper is not shown."""
SHORT_TEXT = 100
MAX_SEARCHED = 100_000

CONTENT_FIELDS = frozenset(
    {
        "answer", "args", "arguments", "attachments", "body", "citations", "comment", "content", "data", "delta",
        "description", "details", "explanation", "fallback_output_summary", "input", "input_at_error",
        "input_data", "input_summary", "instructions", "invalid_args", "messages", "opaque", "output", "output_data",
        "output_summary", "partial_output", "payload", "preview", "prompt", "query", "quote", "reasoning", "redacted",
        "request", "response", "result", "summary", "system", "task", "text", "thinking", "title", "user_prompt",
        "value",
    }
)  # fmt: skip
"""Fields that hold what people, models and tools said."""

ERROR_FIELDS = frozenset(
    {
        "cause", "err", "error", "error_message", "failure_reason", "message", "original_error", "primary_error",
        "reason",
    }
)  # fmt: skip
"""Fields that hold what an exception said: possibly a user's words, unless the error is ours."""
STACK_FIELDS = frozenset({"stack_trace", "traceback"})
_NAME = re.compile(r"[\w.:/@-]{1,128}")
_KIND_FIELDS = ("error_type", "error_code", "code")


class Redactor:
    """Redacts texts and values. `declared` names fields of your own that must never be shown, beside `LOG_REDACT`."""

    def __init__(self, declared: Iterable[str] = (), *, has_content: bool = False) -> None:
        named = (*declared, *os.environ.get(FIELDS_VARIABLE, "").split(","))
        self._declared = frozenset(name.strip().lower() for name in named if name.strip())
        self._assigned = assigned_to(self._declared)
        self._has_content = has_content

    def text(self, text: str, *, limit: int = MAX_TEXT) -> str:
        """A text without what looks like a secret or personal data; a long one is cut after that, never before."""
        known = text[:MAX_SEARCHED]
        if self._assigned is not None:
            known = without_values(self._assigned, known)
        shown = _searched_before(known) if len(known) <= SHORT_TEXT else searched(known)
        is_whole = len(text) <= MAX_SEARCHED and len(shown) <= limit
        return shown if is_whole else f"{shown[:limit]}… ({len(text)} characters)"

    def error(self, text: str, kind: str = "") -> str:
        """The text of an error as it may be shown; `kind` is its class or code, if that is known."""
        return self.text(text if self._has_content or kind in OUR_KINDS else told_text(text))

    def name(self, name: str) -> str:
        """The name of a tool that a model asked for: sentences are no names."""
        return self.text(name if self._has_content or _NAME.fullmatch(name) else f"[{len(name)} characters]")

    def exception(self, error: BaseException) -> str:
        """An exception in one line: its type and what may be shown of its text."""
        said = str(error)
        shown = self.text(said) if self._has_content or is_ours(error) else self.text(told_text(said))
        return f"{type(error).__name__}: {shown}" if shown else type(error).__name__

    def stack(self, error: BaseException, *, limit: int = MAX_TEXT) -> str:
        """Where an exception was raised and what caused it, innermost cause first as Python tells it."""
        parts: list[str] = []
        for each in reversed(list(chain_of(error))):
            head = "Traceback (most recent call last):\n" if each.__traceback__ is not None else ""
            parts.append(f"{head}{frames_of(each)}{self.exception(each)}")
            parts += [self.exception(inner) for inner in getattr(each, "exceptions", ())]
        return self.text("\n".join(parts), limit=limit)

    def field(self, name: str, value: Any, kind: str = "", depth: int = 0) -> Any:
        """The value of a field, as it may be shown; `kind` is the class or code of the error it tells of."""
        lowered = name.lower()
        if self._is_hidden(lowered, value):
            return REDACTED
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if lowered in CONTENT_FIELDS and not self._has_content:
            return _length_of(value)
        if isinstance(value, str):
            if lowered in ERROR_FIELDS:
                return self.error(value, kind)
            if lowered == "tool_name":
                return self.name(value)
            if lowered in STACK_FIELDS:
                return self.text(value if self._has_content else told_stack(value), limit=MAX_STACK)
        return self.value(value, depth)

    def value(self, value: Any, depth: int = 0) -> Any:
        """A value of any shape, redacted throughout."""
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if depth >= MAX_DEPTH:
            return REDACTED
        if isinstance(value, BaseException):
            return self.exception(value)
        if isinstance(value, Mapping):
            kind = kind_of(value)
            return {self.text(str(key)): self.field(str(key), item, kind, depth + 1) for key, item in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self.value(item, depth + 1) for item in value]
        dump = getattr(value, "model_dump", None)
        return self.text(str(value)) if dump is None else self.value(dump(mode="json"), depth + 1)

    def fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Every field of a mapping, redacted by its name and value."""
        kind = kind_of(fields)
        return {name: self.field(name, value, kind) for name, value in fields.items()}

    def _is_hidden(self, name: str, value: Any) -> bool:
        if name in self._declared:
            return True
        if name.endswith("tokens") and isinstance(value, (int, float)):
            return False  # a count
        return _is_secret_name(name)


def kind_of(fields: Mapping[str, Any]) -> str:
    """The class or code of the error that some fields tell of."""
    return next((str(fields[name]) for name in _KIND_FIELDS if fields.get(name)), "")


REDACTOR = Redactor()
"""The default: nothing that was said, no secrets, no personal data."""


_searched_before = lru_cache(maxsize=4096)(searched)
_is_secret_name = lru_cache(maxsize=4096)(is_secret_name)
"""Names and short messages come again and again."""


def _length_of(value: Any) -> str:
    if isinstance(value, str):
        return f"[{len(value)} characters]" if value else ""
    return f"[{len(value)} items]" if isinstance(value, (Mapping, list, tuple)) else REDACTED
