"""Events move exactly the metrics they should, under labels that cannot grow without bound."""

from decimal import Decimal
from typing import Any

import pytest

from batuta import Pipeline, step
from batuta.events import (
    AgentDecisionRecorded,
    AgentExecutionFailed,
    AgentFallbackTriggered,
    AgentPipelineCompleted,
    AgentPipelineStarted,
    AgentRetryAttempted,
    AttemptRejected,
    BreakerChanged,
    BudgetRefused,
    Complete,
    Event,
    FeedbackGiven,
    LimiterThrottled,
    LlmResponse,
    StepCompleted,
    ToolRefused,
    ToolResponse,
    Usage,
)
from batuta.observability import measures
from batuta.observability.measures import Measurement, Measurer
from batuta.observability.metric_table import METRICS
from batuta.observability.standard import Watchers, watching
from batuta.orchestration import Orchestrator, Specialist
from batuta.testing import CapturingSink, Reply, ScriptedModel
from examples.appointments import book
from tests.unit.observability.told import Story


def moved(event: Event, measurer: Measurer | None = None) -> dict[tuple[str, tuple[str, ...]], float]:
    return {each[:2]: each.amount for each in (measurer or Measurer()).of(event) if each.metric != "events_total"}


LLM: dict[str, Any] = {"call_id": "c", "path": "p/a", "provider": "openai", "model": "gpt-5", "duration_ms": 1500.0}
PIPELINE: dict[str, Any] = {
    "pipeline_type": "p",
    "status": "success",
    "final_outcome": "success",
    "total_execution_time_ms": 2000,
    "agents_executed": 1,
    "agents_succeeded": 1,
    "agents_failed": 0,
    "agents_retried": 0,
}
FAILED: dict[str, Any] = {
    "agent_name": "a",
    "agent_version": "1",
    "error_type": "ProviderTimeoutError",
    "error_message": "?",
    "error_code": "LLM_TIMEOUT",
    "error_category": "transient",
    "stage": "llm_call",
    "execution_time_before_failure_ms": 3000,
}
FALLBACK: dict[str, Any] = {
    "primary_agent": "a",
    "fallback_agent": "b",
    "trigger_reason": "llm_unavailable",
    "primary_error": "?",
    "fallback_successful": True,
}
RETRY: dict[str, Any] = {
    "agent_name": "a",
    "retry_attempt": 1,
    "original_error": "?",
    "retry_reason": "timeout",
    "retry_strategy": "fixed_delay",
    "delay_seconds": 0.0,
    "next_retry_at": "2026-01-01T00:00:00Z",
}
TOOL: dict[str, Any] = {"tool_use_id": "t", "tool_name": "stock", "content": "", "source_agent_id": "a"}

CASES: list[tuple[Event, dict[tuple[str, tuple[str, ...]], float]]] = [
    (
        AgentExecutionFailed(**FAILED),
        {
            ("agent_executions_total", ("a", "failed")): 1,
            ("agent_errors_total", ("a", "ProviderTimeoutError", "transient")): 1,
            ("agent_execution_duration_seconds", ("a",)): 3.0,
        },
    ),
    (
        AgentRetryAttempted(**RETRY),
        {("agent_retries_total", ("a", "timeout")): 1, ("step_retries_total", ("", "a", "timeout")): 1},
    ),
    (AgentRetryAttempted(**RETRY, retry_successful=True), {}),
    (AgentFallbackTriggered(**FALLBACK), {("agent_fallbacks_total", ("a", "b")): 1}),
    (
        LlmResponse(**LLM, success=False, error="ProviderTimeoutError"),
        {
            ("llm_request_duration_seconds", ("openai",)): 1.5,
            ("llm_requests_total", ("openai", "gpt-5", "failure")): 1,
        },
    ),
    (
        ToolResponse(**TOOL, success=False, duration_ms=250.0),
        {("tool_calls_total", ("stock", "failure")): 1, ("tool_duration_seconds", ("stock",)): 0.25},
    ),
    (ToolRefused(tool_name="pay", tool_use_id="t", path="p", reason="?"), {("tool_refusals_total", ("pay",)): 1}),
    (
        BreakerChanged(key="openai", previous="closed", current="open"),
        {("circuit_breaker_state", ("openai",)): 2.0, ("circuit_breaker_opened_total", ("openai",)): 1},
    ),
    (BreakerChanged(key="k", previous="open", current="half_open"), {("circuit_breaker_state", ("k",)): 1.0}),
    (
        LimiterThrottled(key="k", wait_seconds=1.0, refused=True),
        {("limiter_throttled_total", ("k", "refused")): 1},
    ),
    (
        BudgetRefused(scope="user:ana@example.com", limit="1", needed="2", left="0"),
        {("budget_refusals_total", ("user",)): 1},
    ),
    (FeedbackGiven(target_message_id="m", rating=-1), {("feedback_total", ("-1",)): 1}),
    (
        Complete(status="success", duration_ms=4000.0, usage=Usage(input=10, output=5)),
        {
            ("turns_total", ("success",)): 1,
            ("turn_duration_seconds", ("success",)): 4.0,
            ("requests_total", ("turn", "success")): 1,
            ("request_duration_seconds", ("turn",)): 4.0,
            ("request_tokens", ("turn",)): 15,
        },
    ),
    (Complete(status="paused", duration_ms=4000.0), {("turns_total", ("paused",)): 1}),
    (
        AttemptRejected(path="p/r", attempt=1, kind="structural", message="option: Input should be 'A'"),
        {("validation_failures_total", ("p/r", "structural")): 1, ("intents_unknown_total", ("p/r",)): 1},
    ),
    (
        AttemptRejected(path="p/r", attempt=1, kind="structural", message="options: Input should be a valid list"),
        {("validation_failures_total", ("p/r", "structural")): 1},
    ),
    (
        AgentDecisionRecorded(agent_name="r", decision_id="d", decision_type="routing", output_data={"option": "A"}),
        {("intents_total", ("A",)): 1},
    ),
    (AgentDecisionRecorded(agent_name="r", decision_id="d", decision_type="other", output_data={"option": "A"}), {}),
    (
        StepCompleted(
            step_name="s", step_type="x", path="s", duration_ms=2.0, attributes={"option": "A", "route": "act"}
        ),
        {
            ("active_steps_count", ("",)): -1,
            ("step_executions_total", ("", "s", "success")): 1,
            ("step_duration_ms", ("", "s")): 2.0,
            ("intent_actions_total", ("A",)): 1,
        },
    ),
]


@pytest.mark.parametrize(("event", "expected"), CASES, ids=[event.type for event, _ in CASES])
def test_an_event_moves_its_metrics(event: Event, expected: dict[tuple[str, tuple[str, ...]], float]) -> None:
    assert moved(event) == expected
    for metric, labels in expected:
        for label, value in zip(METRICS[metric].labels, labels, strict=True):
            assert value in METRICS[metric].known.get(label, [value]), f"{metric} does not know {label}={value}"


def test_tokens_and_money_are_counted_where_they_were_spent_and_for_whom() -> None:
    measurer = Measurer()
    story = Story().tell(
        AgentPipelineStarted, pipeline_type="p", agent_sequence=("a",), sequence_length=1, user_id="user-7"
    )
    story.tell(LlmResponse, **LLM, usage=Usage(input=100, output=20), cost=Decimal("0.25"))
    story.tell(AgentPipelineCompleted, **PIPELINE)
    _, call, end = (moved(event, measurer) for event in story.events)
    assert call["step_tokens_total", ("p", "a", "input")] == 100
    assert call["step_tokens_total", ("p", "a", "output")] == 20
    assert call["step_cost_usd", ("p", "a")] == 0.25
    assert call["llm_cost_usd_total", ("openai", "gpt-5")] == 0.25
    assert call["user_cost_usd_total", ("user-7",)] == 0.25
    assert end["pipeline_tokens", ("p",)] == 120
    assert end["pipeline_duration_seconds", ("p",)] == 2.0


async def test_a_turn_is_one_request_whoever_works_in_it() -> None:
    """A pipeline of a turn is part of what was asked for; one that runs by itself is what was asked for."""

    @step
    async def look(task: str) -> str:
        return task

    look_up = Pipeline("look_up", look)
    plan = '{"steps": [{"agent_id": "look_up", "task": "look", "depends_on": []}]}'
    team = Orchestrator(supervisor=ScriptedModel([Reply(plan), Reply("done")]), agents=[Specialist(look_up, name="L")])
    in_turn, alone = CapturingSink(), CapturingSink()
    await team.run("Which?", sink=in_turn)
    await look_up.run("Which?", sink=alone)

    def counted(events: list[Event]) -> list[tuple[str, ...]]:
        measurer = Measurer()
        measures = [measure for event in events for measure in measurer.of(event)]
        assert sum(measure.metric == "pipeline_executions_total" for measure in measures) == 1
        assert sum(measure.metric == "request_duration_seconds" for measure in measures) == 1
        return [measure.labels for measure in measures if measure.metric == "requests_total"]

    assert counted(in_turn.events) == [("turn", "success")]
    assert counted(alone.events) == [("pipeline", "success")]


def test_a_turn_that_paused_took_as_long_as_all_its_parts() -> None:
    """Also where another process worked on them; what people took to decide is nobody's slowness."""
    measurer = Measurer()
    turn = "01A1DDE2-A77E-7E88-9DB7-2AF8B25F00FE"
    paused = [Complete(status="paused", duration_ms=ms, turn_id=turn) for ms in (4000.0, 2000.0)]
    measurer.recall(paused)
    end = Complete(status="success", duration_ms=500.0, turn_id=turn)
    assert moved(end, measurer)["turn_duration_seconds", ("success",)] == 6.5
    assert moved(end, measurer)["request_duration_seconds", ("turn",)] == 0.5, "a part is counted once"


def test_the_metrics_of_a_process_know_what_was_told_of_a_turn_before() -> None:
    turn = "01A1DDE2-A77E-7E88-9DB7-2AF8B25F00FE"
    with watching(Watchers(has_logs=False)) as found:
        assert found.metrics is not None
        sink = found.take_up(None, turn_id=turn, history=[Complete(status="paused", duration_ms=4000.0, turn_id=turn)])
        sink.emit(Complete(status="success", duration_ms=500.0, turn_id=turn))
        assert found.channel.drain()
        assert b'request_duration_seconds_sum{kind="turn"} 4.5' in found.metrics.text()


def test_labels_from_outside_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model can ask for any number of tools that do not exist."""
    monkeypatch.setattr(measures, "MAX_LABEL_VALUES", 3)
    measurer = Measurer()
    seen = {
        labels
        for number in range(10)
        for _, labels in moved(
            ToolRefused(tool_name=f"made_up_{number}", tool_use_id="t", path="p", reason="?"), measurer
        )
    }
    assert seen == {("made_up_0",), ("made_up_1",), ("made_up_2",), ("other",)}


def test_a_label_holds_no_address() -> None:
    event = ToolRefused(tool_name="ana@example.com", tool_use_id="t", path="p", reason="?")
    assert moved(event) == {("tool_refusals_total", ("[email]",)): 1}


async def test_a_run_leaves_no_step_at_work_and_fits_the_table() -> None:
    measurer = Measurer()
    active = 0.0
    kept: list[Measurement] = []

    class Sink:
        never_blocks = True

        def emit(self, event: Event) -> None:
            kept.extend(measurer.of(event))

    await book(Sink())
    for measure in kept:
        assert len(measure.labels) == len(METRICS[measure.metric].labels), measure
        active += measure.amount if measure.metric == "active_steps_count" else 0
    assert active == 0
    assert sum(measure.amount for measure in kept if measure.metric == "agent_executions_total") == 5
