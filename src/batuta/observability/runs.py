"""Puts the events of runs together into spans: who began when, inside what, and how it ended.

    events, in the order of emission -> RunAssembler.feed -> spans that have ended

Pure: no clock, no I/O. Spans for OpenTelemetry, the live tree, the timeline and the audit all come from here, so that
they cannot disagree. An id is made from the event that began the span: the same log gives the same spans again.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from batuta.events.conversation import Complete
from batuta.events.envelope import Event
from batuta.events.plans import PlanCompleted
from batuta.events.runtime import AttemptRejected, LlmExchanged, LlmResponse, StepFailed
from batuta.events.telemetry import AgentExecutionFailed, is_retry
from batuta.events.tools import ToolResponse

MAX_OPEN_RUNS = 10_000
"""Runs that are followed at a time; beyond, the oldest is given up and its spans are exported unfinished."""


class SpanKind(StrEnum):
    """What a span stands for."""

    TURN = "turn"
    PIPELINE = "pipeline"
    STEP = "step"
    AGENT = "agent"
    MODEL = "model"
    TOOL = "tool"
    VALIDATION = "validation"
    PLAN = "plan"


@dataclass(slots=True, eq=False)
class Span:
    """Something with a beginning and an end, inside something else."""

    kind: SpanKind
    name: str
    start: Event
    parent: "Span | None" = None
    begun_at: datetime | None = None
    """When it began, if that is not the time of its first event."""
    end: Event | None = None
    marks: list[Event] = field(default_factory=list)
    """What happened meanwhile: retries, decisions, fallbacks, rejections."""
    children: "list[Span]" = field(default_factory=list)
    exchanges: list[LlmExchanged] = field(default_factory=list)
    """Where contents were asked for: of a model call, what was said in it; of an agent, its first and its last."""
    is_answered: bool = False
    """Of an agent: a model answered, and the answer is not judged yet."""
    answered_at: Event | None = None
    """Of an agent: the last answer of its model."""

    @property
    def id(self) -> str:
        """Sixteen hexadecimal digits."""
        return span_id_of(self.start)

    @property
    def started_at(self) -> datetime:
        """When it began."""
        return self.begun_at or self.start.timestamp

    @property
    def ended_at(self) -> datetime | None:
        """When it ended; `None` while it has not."""
        return None if self.end is None else self.end.timestamp

    @property
    def duration(self) -> timedelta | None:
        """How long it took."""
        return None if self.end is None else self.end.timestamp - self.started_at

    @property
    def is_failed(self) -> bool:
        """Whether it ended badly."""
        return self.end is not None and _FAILED.get(type(self.end), _succeeded)(self.end)


def span_id_of(event: Event) -> str:
    """The id of the span that an event began."""
    return hashlib.blake2b(event.event_id.encode(), digest_size=8).hexdigest()


def _succeeded(_: Event) -> bool:
    return False


_FAILED: dict[type[Event], Callable[[Any], bool]] = {
    StepFailed: lambda _: True,
    AgentExecutionFailed: lambda _: True,
    AttemptRejected: lambda _: True,
    LlmResponse: lambda event: not event.success,
    ToolResponse: lambda event: not event.success,
    PlanCompleted: lambda event: event.status != "completed",
    Complete: lambda event: event.status in ("failed", "cancelled"),
}

RunKey = tuple[str | None, str | None]


def run_of(event: Event) -> RunKey:
    """Which run an event belongs to: its turn, or where there is none, what ties the run together."""
    return (event.turn_id, None) if event.turn_id is not None else (event.correlation_id, event.trace_id)


def is_pause(event: Event) -> bool:
    """True if a turn stops here to wait for a decision, and will go on."""
    return isinstance(event, Complete) and event.status == "paused"


class RunAssembler:
    """Follows any number of runs at a time. Not for several threads at once, `recall` aside.

    A turn that pauses is let go: the assembler that goes on with it, here or elsewhere, is given what happened before
    (`recall`) and ends what is open. With `keeps_paused` it is kept, for a log that tells the rest as well.
    """

    def __init__(self, max_open_runs: int = MAX_OPEN_RUNS, *, keeps_paused: bool = False) -> None:
        self._runs: dict[RunKey, _Run] = {}
        self._recalled: dict[RunKey, Sequence[Event]] = {}
        self._max_open_runs = max_open_runs
        self._keeps_paused = keeps_paused

    @property
    def open_runs(self) -> int:
        """Runs that have begun and not ended."""
        return len(self._runs)

    def recall(self, history: Sequence[Event]) -> None:
        """The events of a turn before this owner took it up: what is open then may end here."""
        if history:
            self._recalled[run_of(history[-1])] = history
            while len(self._recalled) > self._max_open_runs:
                self._recalled.pop(next(iter(self._recalled)), None)

    def feed(self, event: Event) -> list[Span]:
        """Take one event; the spans that ended with it."""
        if self._recalled and (history := self._recalled.pop(run_of(event), None)) is not None:
            self._runs.pop(run_of(event), None)
            for earlier in history:  # spans that ended then were exported then
                self._take(earlier)
        ended = self._take(event)
        if not self._keeps_paused and is_pause(event):
            self._runs.pop(run_of(event), None)
        return ended

    def _take(self, event: Event) -> list[Span]:
        handle = _HANDLERS.get(event.type)
        if handle is None:
            return []
        key = run_of(event)
        run = self._runs.get(key)
        given_up: list[Span] = []
        if run is None:
            if event.type not in _BEGINNINGS:
                return []
            given_up = self._make_room()
            run = self._runs[key] = _Run()
        ended = handle(run, event)
        if not run.open:
            del self._runs[key]
        return given_up + ended if given_up else ended

    def close(self) -> list[Span]:
        """Give up what has not ended: those spans, without an end."""
        left = [span for run in self._runs.values() for span in reversed(run.open)]
        self._runs.clear()
        return left

    def _make_room(self) -> list[Span]:
        if len(self._runs) < self._max_open_runs:
            return []
        oldest = next(iter(self._runs))
        return list(reversed(self._runs.pop(oldest).open))


def assemble(events: Iterable[Event]) -> list[Span]:
    """Every span of some events, in the order in which they ended; those that did not end last."""
    assembler = RunAssembler(keeps_paused=True)
    ended = [span for event in events for span in assembler.feed(event)]
    return ended + assembler.close()


def roots_of(spans: Iterable[Span]) -> list[Span]:
    """The spans that are inside no other, in the order in which they began."""
    return sorted((span for span in spans if span.parent is None), key=lambda span: span.started_at)


class _Run:
    """What is open in one run, outermost first."""

    __slots__ = ("_agents", "_calls", "_plans", "_steps", "_tools", "_turn", "open")

    def __init__(self) -> None:
        self.open: list[Span] = []
        self._turn: Span | None = None
        self._steps: dict[str, list[Span]] = {}
        self._agents: dict[int, Span] = {}
        """By the identity of the step they work in."""
        self._calls: dict[str, Span] = {}
        """Model calls by id; they stay after their end, for the tools they asked for."""
        self._tools: dict[str, Span] = {}
        self._plans: dict[str, Span] = {}

    # turns and plans

    def begin_turn(self, event: Event) -> list[Span]:
        if self._turn is None:
            self._turn = self._begin(SpanKind.TURN, "turn", event, None)
        elif event.type == "turn.resumed":
            self._turn.marks.append(event)
        return []

    def end_turn(self, event: Event) -> list[Span]:
        if self._turn is None:
            return []
        if is_pause(event):
            return []
        turn, self._turn = self._turn, None
        waiting = self._stop(turn, event) if getattr(event, "status", None) == "cancelled" else []
        return waiting + self._end(turn, event)

    def _stop(self, turn: Span, event: Event) -> list[Span]:
        """A turn that is stopped while it waits has no owner who could tell the end of what is open."""
        waiting = [span for span in reversed(self.open) if span is not turn]
        for span in waiting:
            span.end = event
        self.open = [turn]
        return waiting

    def note_turn(self, event: Event) -> list[Span]:
        if self._turn is not None:
            self._turn.marks.append(event)
        return []

    def begin_plan(self, event: Any) -> list[Span]:
        self._plans[event.plan_id] = self._begin(SpanKind.PLAN, "plan", event, self._turn)
        return []

    def end_plan(self, event: Any) -> list[Span]:
        plan = self._plans.pop(event.plan_id, None)
        return [] if plan is None else self._end(plan, event)

    # steps

    def begin_step(self, event: Any) -> list[Span]:
        kind = SpanKind.PIPELINE if event.step_type == "Pipeline" else SpanKind.STEP
        span = self._begin(kind, event.step_name, event, self._around(event.path))
        self._steps.setdefault(event.path, []).append(span)
        return []

    def end_step(self, event: Any) -> list[Span]:
        begun = self._steps.get(event.path)
        if not begun:
            return []
        span = begun.pop()
        if not begun:
            del self._steps[event.path]
        return self._end(span, event)

    def _around(self, path: str) -> Span | None:
        """What a step at this place is inside: a tool or the agent of the step above, that step, a plan, the turn."""
        above = path
        while "/" in above:
            above = above.rpartition("/")[0]
            if above in self._steps:
                step = self._steps[above][-1]
                return self._tool_at_work(self._agents.get(id(step), step))
        return next(reversed(self._plans.values()), self._turn)

    def _tool_at_work(self, worker: Span) -> Span:
        """An agent runs steps only in its tools. With several open it is unknown in which: it is the agent then."""
        tools = [tool for tool in self._tools.values() if tool.parent is worker]
        return tools[0] if len(tools) == 1 else worker

    # agents

    def begin_agent(self, event: Any) -> list[Span]:
        step = self._free_step(event)
        around = self._around(event.path) if event.path is not None else self._innermost()
        span = self._begin(SpanKind.AGENT, event.agent_name, event, step or around)
        self._agents[id(step) if step is not None else id(span)] = span
        return []

    def end_agent(self, event: Any) -> list[Span]:
        span = self._agent_named(event.agent_name, event.path)
        if span is None:
            return []
        for place, agent in list(self._agents.items()):
            if agent is span:
                del self._agents[place]
        judged = self._judged(span, event) if event.type == "agent.execution.completed" else []
        return judged + self._end(span, event)

    def reject(self, event: Any) -> list[Span]:
        agent = self._worker_at(event.path)
        if agent is None:
            return []
        agent.marks.append(event)
        return self._judged(agent, event)

    def _judged(self, agent: Span, event: Event) -> list[Span]:
        """The validation between a model's answer and what was said of it."""
        if not agent.is_answered or agent.answered_at is None:
            return []
        agent.is_answered = False
        span = Span(SpanKind.VALIDATION, agent.name, event, agent, agent.answered_at.timestamp, event)
        agent.children.append(span)
        return [span]

    # model calls and tools

    def begin_call(self, event: Any) -> list[Span]:
        self._calls[event.call_id] = self._begin(SpanKind.MODEL, event.model, event, self._worker_at(event.path))
        return []

    def end_call(self, event: Any) -> list[Span]:
        span = self._calls.get(event.call_id)
        if span is None or span.end is not None:
            return []
        if span.parent is not None:
            span.parent.is_answered, span.parent.answered_at = event.success, event
        return self._end(span, event)

    def exchange(self, event: LlmExchanged) -> list[Span]:
        call = self._calls.get(event.call_id)
        if call is None:
            return []
        call.exchanges.append(event)
        if call.parent is not None:
            del call.parent.exchanges[1:]
            call.parent.exchanges.append(event)
        return []

    def begin_tool(self, event: Any) -> list[Span]:
        call = self._calls.get(event.message_id)
        parent = call.parent if call is not None else self._agent_named(event.source_agent_id) or self._innermost()
        if parent is not None:
            parent.is_answered = False  # the answer asked for tools: nothing to judge
        self._tools[event.tool_use_id] = self._begin(SpanKind.TOOL, event.tool_name, event, parent)
        return []

    def end_tool(self, event: Any) -> list[Span]:
        span = self._tools.pop(event.tool_use_id, None)
        if span is None:
            return []
        # Tools that want to be alone wait for the others: the request is earlier than the work.
        span.begun_at = max(span.start.timestamp, event.timestamp - timedelta(milliseconds=event.duration_ms))
        return self._end(span, event)

    # whatever happens meanwhile

    def mark(self, event: Any) -> list[Span]:
        span = self._concerned(event)
        if span is not None:
            span.marks.append(event)
        return []

    def mark_retry(self, event: Any) -> list[Span]:
        """A retry is one mark: what it came to shows in what follows."""
        return self.mark(event) if is_retry(event) else []

    def _concerned(self, event: Any) -> Span | None:
        if (plan := self._plans.get(getattr(event, "plan_id", ""))) is not None:
            return plan
        name = getattr(event, "agent_name", None) or getattr(event, "primary_agent", None)
        path = getattr(event, "path", None)
        if name is not None and (agent := self._agent_named(name, path)) is not None:
            return agent
        if path is not None:
            return self._worker_at(path)
        return (self._step_named(name) if name is not None else None) or self._innermost()

    def _free_step(self, event: Any) -> Span | None:
        """The step in which an agent begins: at the place it tells, else the last one of its name without an agent."""
        if event.path is None:
            return self._step_named(event.agent_name, is_free=True)
        return next((step for step in reversed(self._steps.get(event.path, ())) if id(step) not in self._agents), None)

    def _worker_at(self, path: str) -> Span | None:
        """The agent that works in the step at this place, or the step itself."""
        steps = self._steps.get(path)
        if not steps:
            return self._innermost()
        return self._agents.get(id(steps[-1]), steps[-1])

    def _step_named(self, name: str, *, is_free: bool = False) -> Span | None:
        for span in reversed(self.open):
            if span.name == name and span.kind in (SpanKind.STEP, SpanKind.PIPELINE):
                if is_free and id(span) in self._agents:
                    continue
                return span
        return None

    def _agent_named(self, name: str | None, path: str | None = None) -> Span | None:
        """The agent of this name that began last, at this place if there is one: others may be called the same."""
        for span in reversed(self.open):
            if span.kind is SpanKind.AGENT and span.name == name and path in (None, getattr(span.start, "path", None)):
                return span
        return None

    def _innermost(self) -> Span | None:
        return self.open[-1] if self.open else None

    def _begin(self, kind: SpanKind, name: str, event: Event, parent: Span | None) -> Span:
        span = Span(kind, name, event, parent)
        if parent is not None:
            parent.children.append(span)
        self.open.append(span)
        return span

    def _end(self, span: Span, event: Event) -> list[Span]:
        """End a span, and first what was cut off inside it: a cancelled call or tool tells no end of its own."""
        cut = [] if self.open[-1] is span else [other for other in self.open if _is_cut_off(other, span)]
        for other in (*reversed(cut), span):
            other.end = event
            self.open.remove(other)
        self._forget(cut)
        return [*reversed(cut), span]

    def _forget(self, cut: list[Span]) -> None:
        if cut:
            self._agents = {place: span for place, span in self._agents.items() if span not in cut}
            self._tools = {use: span for use, span in self._tools.items() if span not in cut}
            self._plans = {plan: span for plan, span in self._plans.items() if span not in cut}


_TELL_THEIR_END = frozenset({SpanKind.STEP, SpanKind.PIPELINE, SpanKind.TURN})


def _is_cut_off(span: Span, ended: Span) -> bool:
    if span.kind in _TELL_THEIR_END:
        return False
    around = span.parent
    while around is not None and around is not ended:
        around = around.parent if around.kind not in _TELL_THEIR_END else None
    return around is ended


_Handler = Callable[[_Run, Any], list[Span]]

_HANDLERS: dict[str, _Handler] = {
    "session_start": _Run.begin_turn,
    "turn.started": _Run.begin_turn,
    "turn.resumed": _Run.begin_turn,
    "turn_paused": _Run.note_turn,
    "complete": _Run.end_turn,
    "plan_generated": _Run.begin_plan,
    "plan_completed": _Run.end_plan,
    "step.started": _Run.begin_step,
    "step.completed": _Run.end_step,
    "step.failed": _Run.end_step,
    "agent.execution.started": _Run.begin_agent,
    "agent.execution.completed": _Run.end_agent,
    "agent.execution.failed": _Run.end_agent,
    "agent.retry.attempted": _Run.mark_retry,
    "attempt.rejected": _Run.reject,
    "llm.request": _Run.begin_call,
    "llm.exchanged": _Run.exchange,
    "llm.response": _Run.end_call,
    "tool_request": _Run.begin_tool,
    "tool_response": _Run.end_tool,
} | dict.fromkeys(
    (
        "agent.pipeline.started",
        "agent.pipeline.completed",
        "agent.decision.recorded",
        "agent.fallback.triggered",
        "breaker.changed",
        "limiter.throttled",
        "budget.refused",
        "tool.refused",
        "hook.failed",
        "plan_step_started",
        "plan_step_completed",
        "agent_handoff",
        "approval_requested",
        "approval_resolved",
        "error",
    ),
    _Run.mark,
)

_BEGINNINGS = frozenset(
    {
        "session_start",
        "turn.started",
        "turn.resumed",
        "plan_generated",
        "step.started",
        "agent.execution.started",
        "llm.request",
        "tool_request",
    }
)
