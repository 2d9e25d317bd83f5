"""Trace context over HTTP: what a request brings (`traceparent`, `X-Correlation-ID`) and what a call takes along.

The ids of spans follow from the events that began them, so a call can name its parent span before anybody has built
it. `Whereabouts` is the cheap sink that remembers those events while they last.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from batuta.kernel.ids import canonical_id, new_id, trace_id_for
from batuta.observability.runs import span_id_of
from batuta.pipelines.context import current_context

CORRELATION_HEADER = "X-Correlation-ID"
MAX_CORRELATION_ID = 200

_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")
_CORRELATION_ID = re.compile(r"[\w.:@/+=-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceContext:
    """Where a run belongs: hand `correlation_id` and `trace_id` to the run, the whole to the span sink."""

    correlation_id: str
    trace_id: str
    parent_span_id: str | None = None
    is_sampled: bool = True


def from_headers(headers: Mapping[str, str]) -> TraceContext:
    """The context a request brings; what it does not bring, or brings badly, is made up."""
    given = {name.lower(): value for name, value in headers.items()}
    correlation_id = _valid_correlation_id(given.get(CORRELATION_HEADER.lower(), "")) or new_id()
    found = _TRACEPARENT.fullmatch(given.get("traceparent", "").strip().lower())
    if found is None or found[1] == "ff" or not int(found[2], 16) or not int(found[3], 16):
        return TraceContext(correlation_id=correlation_id, trace_id=trace_id_for(correlation_id))
    return TraceContext(
        correlation_id=correlation_id,
        trace_id=found[2],
        parent_span_id=found[3],
        is_sampled=bool(int(found[4], 16) & 1),
    )


def _valid_correlation_id(text: str) -> str | None:
    text = text.strip()
    is_valid = len(text) <= MAX_CORRELATION_ID and _CORRELATION_ID.fullmatch(text) is not None
    return canonical_id(text) if is_valid else None


def traceparent(trace_id: str, span_id: str, *, is_sampled: bool = True) -> str:
    """The W3C header of a span."""
    return f"00-{trace_id}-{span_id}-{'01' if is_sampled else '00'}"


_Place = tuple[str | None, str]
"""A correlation id, and where within its runs: a path, or a tool use."""


class Whereabouts:
    """Remembers which spans are open where, so that calls out of a run can say which one they come from.

    Give it to the run beside the channel, not behind: it must hear of a step before the step works.

        with carry(whereabouts.headers):
            await pipeline.run(request, sink=FanOutSink(whereabouts, channel))
    """

    never_blocks = True

    def __init__(self) -> None:
        self._open: dict[_Place, list[str]] = {}

    def emit(self, event: Any) -> None:
        """Note a beginning or an end."""
        if (field := _BEGINNINGS.get(event.type)) is not None:
            self._open.setdefault((event.correlation_id, getattr(event, field)), []).append(span_id_of(event))
        elif (field := _ENDS.get(event.type)) is not None:
            self._forget((event.correlation_id, getattr(event, field)))

    def headers(self, tool_use_id: str | None = None) -> dict[str, str]:
        """What a call made here, inside a running step or tool, should send along; nothing outside of a run."""
        ctx = current_context.get()
        if ctx is None:
            return {}
        stamp = ctx._run.emitter.stamp
        run = canonical_id(stamp.correlation_id)
        open_here = self._open.get((run, tool_use_id or "")) or self._open.get((run, ctx.path))
        if not open_here:
            return {}
        return {"traceparent": traceparent(stamp.trace_id or trace_id_for(stamp.correlation_id), open_here[-1])}

    def _forget(self, place: _Place) -> None:
        begun = self._open.get(place)
        if begun:
            begun.pop()
            if not begun:
                del self._open[place]


_BEGINNINGS = {"step.started": "path", "llm.request": "path", "tool_request": "tool_use_id"}
_ENDS = {
    "step.completed": "path",
    "step.failed": "path",
    "llm.response": "path",
    "tool_response": "tool_use_id",
}
"""A model call is the innermost thing at its agent's path while it lasts."""
