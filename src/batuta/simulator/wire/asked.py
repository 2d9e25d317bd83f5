"""What a request asks for, in words all wire formats share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from batuta.simulator.answers import Provider


@dataclass(frozen=True, kw_only=True)
class OfferedTool:
    name: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """A tool's answer at the end of the history; ``name`` is empty when its call is not in the request."""

    name: str
    text: str


@dataclass(frozen=True, kw_only=True)
class WireRequest:
    """One request. ``forced_tool`` is a name, ``*`` for "any of them", or empty."""

    provider: Provider
    model: str
    body: Mapping[str, Any]
    streaming: bool = False
    last_user_text: str = ""
    tools: tuple[OfferedTool, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    forced_tool: str = ""
    output_schema: Mapping[str, Any] | None = None
    wants_thinking: bool = False


def dicts(value: Any) -> list[dict[str, Any]]:
    """The objects of a JSON list; anything else in a body we did not write counts as absent."""
    return [item for item in as_list(value) if isinstance(item, dict)]


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def text_of(content: Any) -> str:
    """The text of a message content: a string, or a list of parts that may carry ``text``."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in dicts(content) if isinstance(part.get("text"), str))
