"""From an event to measurements: which metric moves, by how much, under which labels.

    event -> Measurer.of -> Measurement("agent_executions_total", ("parsing", "success"), 1.0)

Labels hold names that code chose, never what people or models said; where a name comes from outside, the number of
different values is bounded.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from batuta.events.envelope import Event
from batuta.events.telemetry import is_retry
from batuta.observability.redaction import REDACTOR
from batuta.observability.runs import RunKey, is_pause, run_of

MAX_LABEL_VALUES = 1_000
MAX_RUNS = 10_000
OTHER = "other"

_PHASES = {"closed": 0.0, "half_open": 1.0, "open": 2.0}


class Measurement(NamedTuple):
    """One movement of one metric: a counter and a histogram take the amount, a gauge is set to it or moved by it."""

    metric: str
    labels: tuple[str, ...]
    amount: float


Rule = Callable[["Measurer", Any], Iterable[Measurement]]


class Measurer:
    """Reads measurements off events. Remembers who asked for a run, for as long as it lasts."""

    def __init__(self) -> None:
        self._runs: OrderedDict[RunKey, dict[str, Any]] = OrderedDict()
        self._worked: OrderedDict[RunKey, float] = OrderedDict()
        """Milliseconds that were worked on turns before their pauses, here or elsewhere."""
        self._known: dict[str, set[str]] = {}

    def of(self, event: Event) -> list[Measurement]:
        """What an event moves."""
        measures = [Measurement("events_total", (event.type,), 1.0)]
        rule = RULES.get(event.type)
        if rule is not None:
            measures.extend(rule(self, event))
        return measures

    def recall(self, history: Sequence[Event]) -> None:
        """The events of a turn before it goes on here: its end says only how long the last part of it took."""
        worked = sum(getattr(event, "duration_ms", None) or 0.0 for event in history if is_pause(event))
        if worked:
            self._worked[run_of(history[-1])] = worked
            if len(self._worked) > MAX_RUNS:
                self._worked.popitem(last=False)

    # steps and pipelines

    def step_started(self, event: Any) -> Iterable[Measurement]:
        yield Measurement("active_steps_count", (_pipeline(event),), 1.0)

    def step_completed(self, event: Any) -> Iterable[Measurement]:
        yield from self._step_ended(event, "success")
        if "route" in event.attributes:  # a switch took the way that a router chose
            yield Measurement(
                "intent_actions_total", (self._bounded("intent", str(event.attributes.get("option"))),), 1.0
            )

    def step_failed(self, event: Any) -> Iterable[Measurement]:
        yield from self._step_ended(event, "failure")

    def _step_ended(self, event: Any, status: str) -> Iterable[Measurement]:
        place = (_pipeline(event), event.step_name)
        yield Measurement("active_steps_count", (place[0],), -1.0)
        yield Measurement("step_executions_total", (*place, status), 1.0)
        yield Measurement("step_duration_ms", place, event.duration_ms)

    def pipeline_started(self, event: Any) -> Iterable[Measurement]:
        asked_by = event.user_id or self._run(event).get("user")  # within a turn, the user of the turn
        self._remember(run_of(event), user=asked_by, pipeline=event.pipeline_type)
        return ()

    def turn_begun(self, event: Any) -> Iterable[Measurement]:
        self._remember(run_of(event), user=event.user_id)
        return ()

    def pipeline_completed(self, event: Any) -> Iterable[Measurement]:
        run = self._run(event)
        self._runs.pop(run_of(event), None)
        if event.turn_id is not None:  # the turn goes on
            self._remember(run_of(event), user=run.get("user"))
        yield Measurement("pipeline_executions_total", (event.pipeline_type, event.status), 1.0)
        yield Measurement("pipeline_duration_seconds", (event.pipeline_type,), event.total_execution_time_ms / 1000)
        tokens = run.get("tokens", 0)
        if tokens:
            yield Measurement("pipeline_tokens", (event.pipeline_type,), tokens)
        if event.turn_id is None:
            yield from _request("pipeline", event.status, event.total_execution_time_ms, tokens)

    def completed(self, event: Any) -> Iterable[Measurement]:
        self._runs.pop(run_of(event), None)
        yield Measurement("turns_total", (event.status,), 1.0)
        if event.status == "paused":
            return
        before = self._worked.pop(run_of(event), 0.0)
        milliseconds = None if event.duration_ms is None else event.duration_ms + before
        if milliseconds is not None:
            yield Measurement("turn_duration_seconds", (event.status,), milliseconds / 1000)
        yield from _request("turn", event.status, milliseconds, event.usage.total)

    # agents

    def agent_completed(self, event: Any) -> Iterable[Measurement]:
        yield Measurement("agent_executions_total", (event.agent_name, "success"), 1.0)
        yield Measurement("agent_execution_duration_seconds", (event.agent_name,), event.execution_time_seconds)
        if event.confidence is not None:
            yield Measurement("agent_confidence", (event.agent_name,), event.confidence)

    def agent_failed(self, event: Any) -> Iterable[Measurement]:
        name = event.agent_name
        seconds = event.execution_time_before_failure_ms / 1000
        yield Measurement("agent_executions_total", (name, "failed"), 1.0)
        yield Measurement("agent_errors_total", (name, event.error_type, event.error_category), 1.0)
        yield Measurement("agent_execution_duration_seconds", (name,), seconds)

    def decision_recorded(self, event: Any) -> Iterable[Measurement]:
        if event.decision_type == "routing" and (option := event.output_data.get("option")) is not None:
            yield Measurement("intents_total", (self._bounded("intent", str(option)),), 1.0)

    def retry_attempted(self, event: Any) -> Iterable[Measurement]:
        if not is_retry(event):
            return
        yield Measurement("agent_retries_total", (event.agent_name, event.retry_reason), 1.0)
        pipeline = self._run(event).get("pipeline", "")
        yield Measurement("step_retries_total", (pipeline, event.agent_name, event.retry_reason), 1.0)

    def fallback_triggered(self, event: Any) -> Iterable[Measurement]:
        yield Measurement("agent_fallbacks_total", (event.primary_agent, event.fallback_agent), 1.0)

    def attempt_rejected(self, event: Any) -> Iterable[Measurement]:
        agent = event.source_agent_id or event.path
        yield Measurement("validation_failures_total", (agent, event.kind), 1.0)
        if event.kind == "structural" and _names_no_option(event.message):
            yield Measurement("intents_unknown_total", (agent,), 1.0)

    # models and tools

    def llm_response(self, event: Any) -> Iterable[Measurement]:
        model = self._bounded("model", event.model)
        status = "success" if event.success else "failure"
        yield Measurement("llm_request_duration_seconds", (event.provider,), event.duration_ms / 1000)
        yield Measurement("llm_requests_total", (event.provider, model, status), 1.0)
        run = self._run(event)
        place = (run.get("pipeline", ""), event.path.rpartition("/")[2])
        if event.usage is not None:
            run["tokens"] = run.get("tokens", 0) + event.usage.total
            yield Measurement("step_tokens_total", (*place, "input"), event.usage.input)
            yield Measurement("step_tokens_total", (*place, "output"), event.usage.output)
        if event.lost_tokens:
            run["tokens"] = run.get("tokens", 0) + event.lost_tokens
            yield Measurement("step_tokens_total", (*place, "lost"), event.lost_tokens)
        if event.paid is not None:
            cost = float(event.paid)
            yield Measurement("step_cost_usd", place, cost)
            yield Measurement("llm_cost_usd_total", (event.provider, model), cost)
            if (user := run.get("user")) is not None:
                yield Measurement("user_cost_usd_total", (self._bounded("user", user),), cost)

    def tool_response(self, event: Any) -> Iterable[Measurement]:
        tool = self._bounded("tool", event.tool_name)  # a model may ask for unknown tools
        yield Measurement("tool_calls_total", (tool, "success" if event.success else "failure"), 1.0)
        yield Measurement("tool_duration_seconds", (tool,), event.duration_ms / 1000)

    def tool_refused(self, event: Any) -> Iterable[Measurement]:
        yield Measurement("tool_refusals_total", (self._bounded("tool", event.tool_name),), 1.0)

    # protections and people

    def breaker_changed(self, event: Any) -> Iterable[Measurement]:
        yield Measurement("circuit_breaker_state", (event.key,), _PHASES[event.current])
        if event.current == "open":
            yield Measurement("circuit_breaker_opened_total", (event.key,), 1.0)

    def limiter_throttled(self, event: Any) -> Iterable[Measurement]:
        yield Measurement("limiter_throttled_total", (event.key, "refused" if event.refused else "delayed"), 1.0)

    def budget_refused(self, event: Any) -> Iterable[Measurement]:
        yield Measurement("budget_refusals_total", (event.scope.partition(":")[0],), 1.0)

    def feedback_given(self, event: Any) -> Iterable[Measurement]:
        yield Measurement("feedback_total", (str(event.rating),), 1.0)

    def _run(self, event: Any) -> dict[str, Any]:
        return self._runs.get(run_of(event), {})

    def _remember(self, run: RunKey, **facts: Any) -> None:
        self._runs[run] = facts
        if len(self._runs) > MAX_RUNS:
            self._runs.popitem(last=False)

    def _bounded(self, label: str, value: str) -> str:
        """A label value from outside: redacted, and one of at most so many."""
        known = self._known.setdefault(label, set())
        if value not in known:
            if len(known) >= MAX_LABEL_VALUES:
                return OTHER
            known.add(value)
        return REDACTOR.name(value)


def _request(kind: str, status: str, milliseconds: float | None, tokens: int) -> Iterable[Measurement]:
    """A unit of work has ended: a turn, or a pipeline that belongs to none."""
    yield Measurement("requests_total", (kind, status), 1.0)
    if milliseconds is not None:
        yield Measurement("request_duration_seconds", (kind,), milliseconds / 1000)
    if tokens:
        yield Measurement("request_tokens", (kind,), tokens)


def _names_no_option(message: str) -> bool:
    """Whether an answer was rejected for the member it named: the field is `option`, not one that begins like it."""
    return re.match(r"option\b", message) is not None


def _pipeline(event: Any) -> str:
    return event.pipeline_name or ""


RULES: dict[str, Rule] = {
    "step.started": Measurer.step_started,
    "step.completed": Measurer.step_completed,
    "step.failed": Measurer.step_failed,
    "turn.started": Measurer.turn_begun,
    "turn.resumed": Measurer.turn_begun,
    "agent.pipeline.started": Measurer.pipeline_started,
    "agent.pipeline.completed": Measurer.pipeline_completed,
    "complete": Measurer.completed,
    "agent.execution.completed": Measurer.agent_completed,
    "agent.execution.failed": Measurer.agent_failed,
    "agent.decision.recorded": Measurer.decision_recorded,
    "agent.retry.attempted": Measurer.retry_attempted,
    "agent.fallback.triggered": Measurer.fallback_triggered,
    "attempt.rejected": Measurer.attempt_rejected,
    "llm.response": Measurer.llm_response,
    "tool_response": Measurer.tool_response,
    "tool.refused": Measurer.tool_refused,
    "breaker.changed": Measurer.breaker_changed,
    "limiter.throttled": Measurer.limiter_throttled,
    "budget.refused": Measurer.budget_refused,
    "feedback_given": Measurer.feedback_given,
}
"""Events that move more than the count of events."""
