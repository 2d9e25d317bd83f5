"""What calls to the outside carry along besides their payload, such as the context of a trace.

Whoever traces says what (`carry`); whoever calls a provider or serves a tool asks (`outgoing_headers`). Neither knows
the other.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Carried = Callable[[str | None], dict[str, str]]
"""From the id of the tool use that calls, if it is a tool, to the headers of the call."""

_sources: list[Carried] = []
_tool_use: ContextVar[str | None] = ContextVar("batuta_tool_use", default=None)


@contextmanager
def carry(source: Carried) -> Iterator[None]:
    """Have every call of this process carry along what `source` says, while the block lasts."""
    _sources.append(source)
    try:
        yield
    finally:
        _sources.remove(source)


@contextmanager
def within_tool_use(tool_use_id: str) -> Iterator[None]:
    """Calls in this block are made by a tool."""
    token = _tool_use.set(tool_use_id)
    try:
        yield
    finally:
        _tool_use.reset(token)


def outgoing_headers() -> dict[str, str]:
    """What a call made now should carry along."""
    if not _sources:
        return {}
    tool_use_id = _tool_use.get()
    return {name: value for source in _sources for name, value in source(tool_use_id).items()}
