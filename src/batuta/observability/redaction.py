"""Takes secrets, personal data and what people and models said out of everything that leaves for operators.

Three nets, all on by default: fields known to hold contents are replaced by their length, fields whose name says
secret are replaced, and every other text is searched for the shapes of keys, tokens and personal data.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_plus

from batuta.llm.masking import PII_PATTERNS

REDACTED = "[redacted]"
MAX_TEXT = 2_000
MAX_DEPTH = 8
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

_HIDDEN_WORDS = (
    r"api[-_ ]?key|apikey|access[-_ ]?key|auth[-_ ]?token|access[-_ ]?token|refresh[-_ ]?token|id[-_ ]?token|"
    r"authorization|client[-_ ]?secret|cookie|credentials?|passphrase|passwd|password|private[-_ ]?key|"
    r"secret|session[-_ ]?key|set-cookie|signature|token|x-api-key"
)
_SECRET_NAME = re.compile(rf"(?:^|[-_.])(?:{_HIDDEN_WORDS})$", re.IGNORECASE)
_NOT_SECRET = frozenset({"max_tokens", "token_count"})

_PATTERNS: dict[str, str] = {
    "KEY_BLOCK": r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    "URL_USER": r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)",
    "ASSIGNED": rf"(?i:\b(?:{_HIDDEN_WORDS}|sig|code|key)[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic|token)\s+)?)"
    r"[^\s\"'&,;<>)\]}]+",
    "BEARER": r"(?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}",
    "JWT": r"\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*",
    "KEY": r"\b(?:sk|pk|rk)[-_][\w-]{8,}|\b(?:AIza|ya29\.)[\w-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|"
    r"\b(?:gh[opsur]_|github_pat_|glpat-|hf_|gsk_|xai-|npm_|pypi-|xox[abeoprs]-)[\w-]{8,}",
    **PII_PATTERNS,
    "NATIONAL_ID": r"\b\d{8}-?[A-HJ-NP-TV-Z]\b|\b[XYZ]-?\d{7}-?[A-Z]\b|\b\d{3}-\d{2}-\d{4}\b",
    "LOCAL_PHONE": r"(?<![\w.-])(?:\(\d{2,4}\) ?|\d{2,4}[ .])\d{2,4}[ .-]\d{2,4}(?:[ .-]\d{2,4})?\b",
    "TOKEN": r"(?<![\w/-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[A-Za-z0-9_-]{24,}(?![\w/-])",
}
_FIND = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _PATTERNS.items()))
_KEEPS_PREFIX = re.compile(r"^[\"'\w .-]*?[\"']?\s*[:=]\s*")


class Redactor:
    """Redacts texts and values. `declared` names fields of your own that must never be shown."""

    def __init__(self, declared: Iterable[str] = (), *, has_content: bool = False) -> None:
        self._declared = frozenset(name.lower() for name in declared)
        self._has_content = has_content

    def text(self, text: str, *, limit: int = MAX_TEXT) -> str:
        """A text without what looks like a secret or personal data; a long one is cut after that, never before."""
        if len(text) <= SHORT_TEXT:
            return _searched_before(text)
        shown = _searched(text[:MAX_SEARCHED])
        return shown if len(shown) <= limit else f"{shown[:limit]}… ({len(text)} characters)"

    def field(self, name: str, value: Any) -> Any:
        """The value of a field, as it may be shown."""
        if value is None or isinstance(value, (bool, int, float)):
            return value if not self._is_hidden(name) else REDACTED
        if self._is_hidden(name):
            return REDACTED
        if name.lower() in CONTENT_FIELDS and not self._has_content:
            return _length_of(value)
        return self.value(value)

    def value(self, value: Any, depth: int = 0) -> Any:
        """A value of any shape, redacted throughout."""
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if depth >= MAX_DEPTH:
            return REDACTED
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.field(str(key), item) for key, item in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self.value(item, depth + 1) for item in value]
        dump = getattr(value, "model_dump", None)
        return self.text(str(value)) if dump is None else self.value(dump(mode="json"), depth + 1)

    def fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Every field of a mapping, redacted by its name and value."""
        return {name: self.field(name, value) for name, value in fields.items()}

    def _is_hidden(self, name: str) -> bool:
        lowered = name.lower()
        if lowered in self._declared:
            return True
        return _SECRET_NAME.search(lowered) is not None and lowered not in _NOT_SECRET


REDACTOR = Redactor()
"""The default: nothing that was said, no secrets, no personal data."""


def _searched(text: str) -> str:
    if "%" in text or "+" in text:
        text = _WORD.sub(_decoded_if_secret, text)
    return _FIND.sub(_replacement, text)


_WORD = re.compile(r"[^\s\"'<>]+")


def _decoded_if_secret(found: re.Match[str]) -> str:
    """What a word hides as it stands in an address is seen only when it is decoded."""
    if "%" not in found[0] and "+" not in found[0]:
        return found[0]
    decoded = unquote_plus(found[0])
    shown = _FIND.sub(_replacement, decoded)
    return found[0] if shown == decoded else shown


_searched_before = lru_cache(maxsize=4096)(_searched)
"""Names and short messages come again and again."""


def _replacement(found: re.Match[str]) -> str:
    kind = found.lastgroup or ""
    if kind == "ASSIGNED" and (prefix := _KEEPS_PREFIX.match(found[0])) is not None:
        return f"{prefix[0]}{REDACTED}"
    return f"[{kind.lower()}]"


def _length_of(value: Any) -> str:
    if isinstance(value, str):
        return f"[{len(value)} characters]" if value else ""
    return f"[{len(value)} items]" if isinstance(value, (Mapping, list, tuple)) else REDACTED
