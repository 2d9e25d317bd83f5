"""What calls to the outside carry along besides their payload, such as the context of a trace.

Tracing sets them (`carry`); calls to providers and tools read them (`outgoing_headers`). Neither knows
the other.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

Carried = Callable[[str | None], dict[str, str]]
"""From the id of the tool use that calls, if it is a tool, to the headers of the call."""

_sources: list[Carried] = []


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool that is running, and the call it answers."""

    id: str
    tool_name: str


_tool_use: ContextVar[ToolUse | None] = ContextVar("batuta_tool_use", default=None)


@contextmanager
def carry(source: Carried) -> Iterator[None]:
    """Have every call of this process carry along what `source` says, while the block lasts."""
    _sources.append(source)
    try:
        yield
    finally:
        _sources.remove(source)


def is_carrying() -> bool:
    """Whether calls carry something along, so that it has to be known before they are made."""
    return bool(_sources)


@contextmanager
def within_tool_use(tool_use_id: str, tool_name: str = "") -> Iterator[None]:
    """Calls in this block are made by a tool."""
    token = _tool_use.set(ToolUse(tool_use_id, tool_name))
    try:
        yield
    finally:
        _tool_use.reset(token)


def current_tool() -> str | None:
    """The name of the tool whose body is running here, the innermost if one has another run."""
    use = _tool_use.get()
    return None if use is None else use.tool_name or None


def outgoing_headers() -> dict[str, str]:
    """What a call made now should carry along."""
    if not _sources:
        return {}
    use = _tool_use.get()
    tool_use_id = None if use is None else use.id
    return {name: value for source in _sources for name, value in source(tool_use_id).items()}
