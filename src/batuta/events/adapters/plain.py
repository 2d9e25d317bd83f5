"""Plain data out of whatever a provider's answer came as: wire dicts, SDK objects, LangChain messages.

`plain` is the one coercion. The small getters after it say what a field must be, and raise `UnreadableError` when it is
something else.
"""

import base64
import json
from collections.abc import Mapping
from datetime import date
from enum import Enum
from typing import Any

from pydantic import BaseModel
from pydantic_core import from_json

Fields = dict[str, Any]


class UnreadableError(ValueError):
    """A field that is not what its provider promises. Never leaves the adapters."""


def plain(value: Any) -> Any:
    """A value as JSON data: objects become dicts of what was set on them, text becomes valid Unicode.

    What comes over the wire is of JSON's own types, chunk after chunk: those are distinguished first and fast.
    """
    kind = type(value)
    if kind is str:
        return value if value.isascii() else clean(value)
    if kind is dict:
        return {
            key if type(key) is str and key.isascii() else clean(str(key)): plain(item) for key, item in value.items()
        }
    if kind is list:
        return [plain(item) for item in value]
    return value if kind in _AS_THEY_ARE else _plain_other(value)


_AS_THEY_ARE = frozenset({type(None), bool, int, float})


def _plain_other(value: Any) -> Any:
    """The same for subclasses, and for what is not JSON yet."""
    if value is None or (isinstance(value, bool | int | float) and not isinstance(value, Enum)):
        return value
    if isinstance(value, str) and not isinstance(value, Enum):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return _plain_object(value)


def _plain_object(value: Any) -> Any:
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, BaseModel):
        return plain(value.model_dump(by_alias=True, exclude_unset=True, warnings=False))
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "__dict__"):
        return {name: plain(item) for name, item in vars(value).items() if not name.startswith("_")}
    return clean(str(value))


def clean(text: str) -> str:
    """Text that can be stored: halves of surrogate pairs are joined, a lone half becomes the replacement mark."""
    if text.isascii():
        return str(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str(text)


def member(value: Any, *names: str) -> Any:
    """The first of these keys or attributes that is there and not `None`."""
    for name in names:
        found = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        if found is not None:
            return found
    return None


def fields_of(value: Any, what: str = "a block") -> Fields:
    """A JSON object."""
    if not isinstance(value, dict):
        raise UnreadableError(f"{what} is not an object but {type(value).__name__}")
    return value


def fields_or_empty(value: Any) -> Fields:
    """A JSON object, or an empty one in its place."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any, what: str = "a list") -> list[Any]:
    """A list; absent is empty."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise UnreadableError(f"{what} is not a list but {type(value).__name__}")
    return value


def text_of(value: Any, what: str = "a text") -> str:
    """A text; absent is empty."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnreadableError(f"{what} is not a text but {type(value).__name__}")
    return value


def name_of(value: Any, what: str = "a name") -> str:
    """A text that is there."""
    if not (text := text_of(value, what)):
        raise UnreadableError(f"{what} is missing")
    return text


def optional_text(value: Any) -> str | None:
    """A text, or nothing if it is empty or something else."""
    return value if isinstance(value, str) and value else None


def count_of(value: Any) -> int:
    """A number of tokens; anything that is none counts as zero."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        return 0
    return int(value)


def position_of(value: Any) -> int | None:
    """A position in a text, or nothing."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def args_of(value: Any) -> tuple[dict[str, Any], str | None]:
    """Arguments of a tool call, and their raw text if they are no JSON object."""
    if isinstance(value, dict):
        return value, None
    if value is None or value == "":
        return {}, None
    if not isinstance(value, str):
        return {}, compact(value)
    try:
        parsed = from_json(value, allow_inf_nan=False)
    except ValueError:
        return {}, value
    return (parsed, None) if isinstance(parsed, dict) else ({}, value)


def compact(value: Any) -> str:
    """JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_READABLE = (("text",), ("title", "url", "uri"), ("error_code",), ("stdout", "stderr"), ("logs",), ("url",), ("uri",))


def readable(value: Any) -> str:
    """What a tool of a provider brought, as text for people: known shapes as lines, the rest as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(readable, value))
    if isinstance(value, dict):
        for names in _READABLE:
            words = [value[name] for name in names if isinstance(value.get(name), str) and value[name]]
            if words:
                return " ".join(words)
    return "" if value is None else compact(value)
