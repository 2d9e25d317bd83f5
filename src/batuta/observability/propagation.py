"""Trace context over HTTP: what a request brings (`traceparent`, `X-Correlation-ID`) and what a call takes along.

The ids of spans follow from the events that began them, so a call can name its parent span before anything has built
it. `ActiveSpans` is the cheap sink that remembers those events while they last.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from batuta.events.conversation import Complete
from batuta.events.envelope import Event
from batuta.kernel.ids import canonical_id, new_id, trace_id_for
from batuta.observability.runs import RunKey, run_of, span_id_of
from batuta.pipelines.context import current_context, invocation_of

CORRELATION_HEADER = "X-Correlation-ID"
MAX_RUNS = 10_000

_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")
_CORRELATION_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceContext:
    """Where a run belongs: hand `correlation_id` and `trace_id` to the run, the whole to the span sink."""

    correlation_id: str
    trace_id: str
    parent_span_id: str | None = None
    is_sampled: bool = True

    def carried(self) -> dict[str, str]:
        """As it goes with a piece of work to another process (`NewWork.context`)."""
        said = {"correlation_id": self.correlation_id, "trace_id": self.trace_id}
        if self.parent_span_id is not None:
            said["traceparent"] = traceparent(self.trace_id, self.parent_span_id, is_sampled=self.is_sampled)
        return said

    @classmethod
    def carried_by(cls, context: Mapping[str, str]) -> "TraceContext | None":
        """The same at the other end; nothing if none was sent along."""
        if not {"correlation_id", "trace_id"} <= set(context):
            return None
        sent = {CORRELATION_HEADER: context["correlation_id"], "traceparent": context.get("traceparent", "")}
        return replace(from_headers(sent), correlation_id=context["correlation_id"], trace_id=context["trace_id"])


_arrived: ContextVar[TraceContext | None] = ContextVar("batuta_arrived", default=None)


@contextmanager
def arriving(context: TraceContext) -> Iterator[None]:
    """Whatever is done in this block is done for a request with this context."""
    token = _arrived.set(context)
    try:
        yield
    finally:
        _arrived.reset(token)


def arrived() -> TraceContext | None:
    """The context of the request that is being answered here, if one is."""
    return _arrived.get()


def arrived_with() -> dict[str, str]:
    """What the events of the request that is being answered here share, as fields of them."""
    context = _arrived.get()
    return {} if context is None else {"correlation_id": context.correlation_id, "trace_id": context.trace_id}


def from_headers(headers: Mapping[str, str]) -> TraceContext:
    """The context a request brings; what it does not bring, or brings badly, is made up."""
    given = {name.lower(): value for name, value in headers.items()}
    named = given.get(CORRELATION_HEADER.lower(), "").strip()
    correlation_id = canonical_id(named) if _CORRELATION_ID.fullmatch(named) is not None else new_id()
    found = _TRACEPARENT.fullmatch(given.get("traceparent", "").strip().lower())
    if found is None or found[1] == "ff" or not int(found[2], 16) or not int(found[3], 16):
        return TraceContext(correlation_id=correlation_id, trace_id=trace_id_for(correlation_id))
    return TraceContext(
        correlation_id=correlation_id,
        trace_id=found[2],
        parent_span_id=found[3],
        is_sampled=bool(int(found[4], 16) & 1),
    )


def traceparent(trace_id: str, span_id: str, *, is_sampled: bool = True) -> str:
    """The W3C header of a span."""
    return f"00-{trace_id}-{span_id}-{'01' if is_sampled else '00'}"


class ActiveSpans:
    """Remembers which spans are open where, so that calls out of a run can say which one they come from.

    Give it to the run beside the channel, not behind: it must hear of a step before the step works.

        with carry(active_spans.headers):
            await pipeline.run(request, sink=FanOutSink(active_spans, channel))
    """

    never_blocks = True

    def __init__(self) -> None:
        self._runs: OrderedDict[RunKey, dict[str, list[str]]] = OrderedDict()
        """By run: the open spans by their place, a path or a tool use, outermost first."""
        self._unsampled: OrderedDict[str, None] = OrderedDict()

    def expect(self, context: TraceContext) -> None:
        """Pass on to others whether the caller of a trace records it."""
        if not context.is_sampled:
            self._unsampled[context.trace_id] = None
            if len(self._unsampled) > MAX_RUNS:
                self._unsampled.popitem(last=False)

    def recall(self, history: Iterable[Event]) -> None:
        """The events of a turn before this process took it up: what is open then is open now."""
        for event in history:
            if not isinstance(event, Complete):
                self.emit(event)

    def emit(self, event: Any) -> None:
        """Note a beginning or an end."""
        if (field := _BEGINNINGS.get(event.type)) is not None:
            places = self._runs.setdefault(run_of(event), {})
            places.setdefault(getattr(event, field), []).append(span_id_of(event))
            if len(self._runs) > MAX_RUNS:
                self._runs.popitem(last=False)
        elif (field := _ENDS.get(event.type)) is not None:
            run, place = run_of(event), getattr(event, field)
            places = self._runs.get(run, {})
            if begun := places.get(place):
                begun.pop()
                if not begun:
                    del places[place]
                    if not places:
                        del self._runs[run]
        elif isinstance(event, Complete):
            self._runs.pop(run_of(event), None)

    def headers(self, tool_use_id: str | None = None) -> dict[str, str]:
        """What a call made here, inside a running step or tool, should send along; nothing outside of a run."""
        ctx = current_context.get()
        if ctx is None:
            return {}
        stamp = invocation_of(ctx).run.emitter.stamp
        trace_id = stamp.trace_id or trace_id_for(stamp.correlation_id)
        run: RunKey = (canonical_id(stamp.correlation_id), trace_id)
        if stamp.turn_id is not None:
            run = (canonical_id(stamp.turn_id), None)
        places = self._runs.get(run, {})
        open_here = places.get(tool_use_id or "") or places.get(ctx.path)
        if not open_here:
            return {}
        return {"traceparent": traceparent(trace_id, open_here[-1], is_sampled=trace_id not in self._unsampled)}


_BEGINNINGS = {"step.started": "path", "llm.request": "path", "tool_request": "tool_use_id"}
_ENDS = {
    "step.completed": "path",
    "step.failed": "path",
    "llm.response": "path",
    "tool_response": "tool_use_id",
}
"""A model call is the innermost thing at its agent's path while it lasts."""
