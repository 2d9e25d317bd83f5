"""Proves for a recorded run that nothing went untold: events = spans = provider calls.

    audit(events).assert_complete()
    audit(events, provider_calls=12, exported_spans=48)     # as counted by the provider and by the trace store

What begins must end, once; every model call is one request event, one response event and one span; others who
counted must have counted the same. A run that was killed shows here as beginnings without an end.

A provider counts tries: a call that was tried again is one more for each retry, one that a breaker, limiter or budget
refused is one less. How many tries there were is read three times over: from what began, from what ended, and from the
spans that were built.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from batuta.events.envelope import Event
from batuta.events.runtime import AttemptRejected, LimiterThrottled, LlmRequest, LlmResponse
from batuta.events.telemetry import AgentRetryAttempted
from batuta.kernel.errors import LogicalError
from batuta.observability.runs import Span, SpanKind, assemble, is_pause

_PAIRS: dict[SpanKind, tuple[tuple[str, ...], tuple[str, ...]]] = {
    SpanKind.STEP: (("step.started",), ("step.completed", "step.failed")),
    SpanKind.AGENT: (("agent.execution.started",), ("agent.execution.completed", "agent.execution.failed")),
    SpanKind.MODEL: (("llm.request",), ("llm.response",)),
    SpanKind.TOOL: (("tool_request",), ("tool_response",)),
    SpanKind.PLAN: (("plan_generated",), ("plan_completed",)),
}
"""What begins and ends each kind of span."""


class IncompleteTelemetryError(LogicalError):
    """Something happened without its event, or an event without its happening."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """One kind of thing, counted from every side that could count it."""

    what: str
    begun: int
    ended: int
    spans: int
    elsewhere: int | None = None
    """As counted elsewhere: by the provider, the trace store."""

    @property
    def is_complete(self) -> bool:
        """Whether all sides agree."""
        return len({self.begun, self.ended, self.spans, self.elsewhere} - {None}) == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The counts of a run and what is wrong with them."""

    counts: tuple[Count, ...]
    unfinished: tuple[str, ...] = ()
    """Names of spans without an end."""
    waiting: tuple[str, ...] = ()
    """Turns that wait for a decision: what is open in them ends when they go on."""
    repeated: tuple[str, ...] = ()
    """Ids of events that occur twice."""
    spans: int = 0
    exported_spans: int | None = None

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing and nothing is too much."""
        return not self.problems()

    def problems(self) -> list[str]:
        """What is wrong, one sentence each; empty for a run whose events are complete."""
        found = [
            f"{count.what}: {count.begun} begun, {count.ended} ended, {count.spans} spans"
            + ("" if count.elsewhere is None else f", {count.elsewhere} counted elsewhere")
            for count in self.counts
            if not count.is_complete
        ]
        found += [f"{name} did not end" for name in self.unfinished]
        found += [f"turn {turn} waits for a decision: count it again when it has ended" for turn in self.waiting]
        found += [f"event {event_id} occurs twice" for event_id in self.repeated]
        if self.exported_spans is not None and self.exported_spans != self.spans:
            found.append(f"{self.spans} spans follow from the events, {self.exported_spans} were exported")
        return found

    def assert_complete(self) -> None:
        """Raise `IncompleteTelemetryError` with everything that is wrong."""
        if problems := self.problems():
            raise IncompleteTelemetryError("the events of the run are incomplete: " + "; ".join(problems))


def audit(events: Iterable[Event], *, provider_calls: int | None = None, exported_spans: int | None = None) -> Audit:
    """Count a run from all sides."""
    emitted = list(events)
    spans = assemble(emitted)
    types = Counter(event.type for event in emitted)
    by_kind = Counter(_counted_as(span) for span in spans)
    stopped = Counter(_counted_as(span) for span in spans if _is_stopped(span))
    counts = tuple(
        Count(
            what=kind.value,
            begun=sum(types[name] for name in begin),
            ended=sum(types[name] for name in end) + stopped[kind],
            spans=by_kind[kind],
        )
        for kind, (begin, end) in _PAIRS.items()
    )
    tries = Count(
        what="tries",
        begun=provider_tries(emitted),
        ended=_tries_ended(emitted) + stopped[SpanKind.MODEL],
        spans=_tries_in_spans(spans),
        elsewhere=provider_calls,
    )
    return Audit(
        counts=(*counts, tries),
        unfinished=tuple(f"{span.kind} {span.name}" for span in spans if span.end is None),
        waiting=_waiting(emitted),
        repeated=tuple(event_id for event_id, n in Counter(event.event_id for event in emitted).items() if n > 1),
        spans=len(spans),
        exported_spans=exported_spans,
    )


def _waiting(emitted: Iterable[Event]) -> tuple[str, ...]:
    paused: dict[str, bool] = {}
    for event in emitted:
        if event.turn_id is not None and event.type in ("complete", "turn.resumed"):
            paused[event.turn_id] = is_pause(event)
    return tuple(turn for turn, is_paused in paused.items() if is_paused)


def provider_tries(events: Iterable[Event]) -> int:
    """How often a provider was really called, by what began."""
    emitted = list(events)
    requests = sum(isinstance(event, LlmRequest) for event in emitted)
    return requests - sum(_is_unadmitted(event) for event in emitted) - _refusals(emitted) + _repeats(emitted)


def _tries_ended(emitted: Sequence[Event]) -> int:
    """The same by what ended: answers and errors of calls, and outcomes of what was tried again."""
    responses = sum(isinstance(event, LlmResponse) and not _is_unadmitted(event) for event in emitted)
    settled = _repeats(emitted, is_settled=True)
    is_cut_off = any(_is_cancelled(event) for event in emitted)
    return responses - _refusals(emitted) + (_repeats(emitted) if is_cut_off else settled)


def _tries_in_spans(spans: Sequence[Span]) -> int:
    """The same by the spans: model calls that were admitted, and what their agents noted meanwhile."""
    calls = [span for span in spans if span.kind is SpanKind.MODEL]
    admitted = sum(span.end is None or not _is_unadmitted(span.end) for span in calls)
    marks = [mark for span in spans for mark in span.marks]
    return admitted - _refusals(marks) + _repeats(marks)


def _repeats(emitted: Iterable[Event], *, is_settled: bool = False) -> int:
    """Calls that were tried again. A correction is a call of its own; so are those of an agent that the
    supervisor asks again.
    """
    repeats = 0
    rejected: set[tuple[str | None, str]] = set()
    for event in emitted:
        if isinstance(event, AttemptRejected):
            rejected.add((event.correlation_id, event.message))
        elif isinstance(event, AgentRetryAttempted) and (event.retry_successful is not None) is is_settled:
            repeats += event.source_agent_id is None and (event.correlation_id, event.original_error) not in rejected
    return repeats


def _refusals(emitted: Iterable[Event]) -> int:
    return sum(isinstance(event, LimiterThrottled) and event.refused for event in emitted)


def _is_unadmitted(event: Event) -> bool:
    return isinstance(event, LlmResponse) and event.error in _NOT_ADMITTED


_NOT_ADMITTED = frozenset({"CircuitOpenError", "BudgetExceededError"})


def _is_stopped(span: Span) -> bool:
    """Whether a stop cut it off: then it has no end of its own to tell, and that is as it should be."""
    end = span.end
    if end is None or span.kind not in _PAIRS or end.type in _PAIRS[_counted_as(span)][1]:
        return False
    return _is_cancelled(end)


def _is_cancelled(event: Event) -> bool:
    return getattr(event, "category", None) == "cancelled" or getattr(event, "status", None) == "cancelled"


def _counted_as(span: Span) -> SpanKind:
    return SpanKind.STEP if span.kind is SpanKind.PIPELINE else span.kind
