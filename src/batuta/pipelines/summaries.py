"""Short descriptions of values for telemetry: never longer than the contract allows."""

from typing import Any

from pydantic import BaseModel

from batuta.events.envelope import SUMMARY_LIMIT


def summary_of(value: Any) -> str:
    """A value in at most 200 characters."""
    text = value if isinstance(value, str) else _text_of(value)
    return text if len(text) <= SUMMARY_LIMIT else text[: SUMMARY_LIMIT - 1] + "…"


def size_of(value: Any) -> int:
    """Bytes of a value as text."""
    return len((value if isinstance(value, str) else _text_of(value)).encode("utf-8", "surrogatepass"))


def _text_of(value: Any) -> str:
    try:
        return value.model_dump_json() if isinstance(value, BaseModel) else repr(value)
    except Exception:  # a value that cannot describe itself must not fail the run that brought it
        return f"<{type(value).__name__}>"
