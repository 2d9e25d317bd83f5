"""The telemetry contract: the runner tells it for every execution, and never invents anything."""

import asyncio
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel

from batuta import AgentStep, Branch, Context, ParallelStep, Pipeline, Rejected, step, tool
from batuta.events import (
    AgentDecisionRecorded,
    AgentExecutionCompleted,
    AgentExecutionFailed,
    AgentExecutionStarted,
    AgentFallbackTriggered,
    AgentPipelineCompleted,
    AgentPipelineStarted,
    AgentRetryAttempted,
    BudgetRefused,
    StepCompleted,
    Usage,
)
from batuta.events.catalogue import decode, encode
from batuta.events.telemetry import is_retry
from batuta.kernel.errors import ProviderTimeoutError
from batuta.llm.budget import Budget, MemoryBudgetLedger
from batuta.llm.model import ModelSettings
from batuta.testing import CapturingSink, FakeClock, Reply, ScriptedModel, ToolCall


class Reading(BaseModel):
    name: str
    confidence: float = 0.9
    reasoning: str = "it says so"
    decision_type: str = "entity_extraction"


GOOD = Reply('{"name": "Pérez"}', usage=Usage(input=20, output=5))


def reader(script: list[Any], **options: Any) -> AgentStep[str, Reading]:
    return AgentStep(
        name="parsing",
        model=ScriptedModel(script),
        output=Reading,
        settings=ModelSettings(temperature=0.3, max_tokens=500),
        **options,
    )


async def test_an_execution_is_told_from_beginning_to_end() -> None:
    """T-1, T-2, T-4."""
    sink = CapturingSink()
    await reader([GOOD], version="2.1.0", decision_category="extraction").run("cita con Dr. Pérez", sink=sink)
    (started,) = sink.of(AgentExecutionStarted)
    assert (started.agent_name, started.agent_version, started.input_type) == ("parsing", "2.1.0", "str")
    assert (started.input_summary, started.input_size_bytes) == ("cita con Dr. Pérez", 19)
    assert (started.llm_provider, started.llm_model, started.temperature, started.max_tokens) == (
        "scripted",
        "scripted",
        0.3,
        500,
    )
    (completed,) = sink.of(AgentExecutionCompleted)
    assert (completed.confidence, completed.reasoning, completed.decision_type) == (
        0.9,
        "it says so",
        "entity_extraction",
    )
    assert (completed.llm_tokens_used, completed.llm_prompt_tokens, completed.llm_completion_tokens) == (25, 20, 5)
    assert completed.llm_cost_usd is None
    assert not completed.was_retried
    assert not completed.fallback_used
    (decision,) = sink.of(AgentDecisionRecorded)
    assert decision.decision_category == "extraction"
    assert decision.output_data["name"] == "Pérez"


async def test_what_the_output_does_not_declare_is_not_invented() -> None:
    """T-4."""
    sink = CapturingSink()
    await AgentStep(name="a", model=ScriptedModel([Reply("hello")]), output=str).run("x", sink=sink)
    (completed,) = sink.of(AgentExecutionCompleted)
    assert (completed.confidence, completed.reasoning, completed.decision_type) == (None, None, None)


async def test_summaries_are_cut() -> None:
    sink = CapturingSink()
    await AgentStep(name="a", model=ScriptedModel([Reply("y" * 1_000)]), output=str).run("x" * 1_000, sink=sink)
    assert len(sink.of(AgentExecutionStarted)[0].input_summary) == 200
    assert len(sink.of(AgentExecutionCompleted)[0].output_summary) == 200
    assert sink.of(AgentExecutionStarted)[0].input_size_bytes == 1_000


async def test_a_failure_says_what_stage_and_how_often() -> None:
    """T-3."""
    sink = CapturingSink()
    await reader([Reply("no")] * 3).run("x", sink=sink)
    (failed,) = sink.of(AgentExecutionFailed)
    assert (failed.error_category, failed.stage, failed.max_retries_reached) == ("validation", "validation", True)
    assert (failed.was_retried, failed.retry_count, failed.fallback_attempted) == (True, 2, False)
    assert failed.partial_output == {"answer": "no"}
    assert failed.input_at_error == {"value": "x"}
    assert failed.stack_trace
    assert not sink.of(AgentExecutionCompleted)


async def test_corrections_and_timeouts_are_retries() -> None:
    """T-5."""
    sink = CapturingSink()
    script = [ProviderTimeoutError("no answer in 30 s"), Reply("no"), Reply('{"name": "x", "confidence": 0.1}'), GOOD]
    await reader(script, min_confidence=0.5).run("x", sink=sink, clock=FakeClock())
    reasons = [
        (event.retry_reason, event.retry_strategy, event.retry_attempt)
        for event in sink.of(AgentRetryAttempted)
        if is_retry(event)
    ]
    assert reasons == [
        ("timeout", "exponential_backoff", 1),
        ("error", "fixed_delay", 1),
        ("low_confidence", "fixed_delay", 2),
    ]
    assert sink.of(AgentRetryAttempted)[0].delay_seconds > 0


def outcomes(sink: CapturingSink) -> list[tuple[str, int, bool | None]]:
    """What was told of retries, in order."""
    return [(e.retry_reason, e.retry_attempt, e.retry_successful) for e in sink.of(AgentRetryAttempted)]


async def test_a_retry_is_told_when_it_begins_and_when_its_outcome_is_known() -> None:
    """T-5: null while it is running."""
    sink = CapturingSink()
    script = [ProviderTimeoutError("late"), ProviderTimeoutError("late again"), Reply("no"), Reply("not yet"), GOOD]
    await reader(script).run("x", sink=sink, clock=FakeClock())
    assert outcomes(sink) == [
        ("timeout", 1, None),
        ("timeout", 1, False),
        ("timeout", 2, None),
        ("timeout", 2, True),
        ("error", 1, None),
        ("error", 1, False),
        ("error", 2, None),
        ("error", 2, True),
    ]
    begun = [event for event in sink.of(AgentRetryAttempted) if is_retry(event)]
    ended = [event for event in sink.of(AgentRetryAttempted) if not is_retry(event)]
    assert [event.caused_by for event in ended] == [event.event_id for event in begun]
    assert [event.next_retry_at for event in ended] == [event.next_retry_at for event in begun]
    assert sink.of(AgentExecutionCompleted)[0].retry_count == 4


async def test_a_streamed_call_that_is_tried_again_tells_its_outcome_too() -> None:
    """T-5."""
    sink = CapturingSink()
    agent = AgentStep(
        name="a", model=ScriptedModel([ProviderTimeoutError("late"), Reply("hello")]), output=str, is_streaming=True
    )
    await agent.run("x", sink=sink, clock=FakeClock())
    assert outcomes(sink) == [("timeout", 1, None), ("timeout", 1, True)]


async def test_an_open_correction_fails_with_the_agent() -> None:
    """T-5: the provider went away while the agent was corrected."""
    sink = CapturingSink()
    await reader([Reply("no"), *[ProviderTimeoutError("late")] * 3]).run("x", sink=sink, clock=FakeClock())
    assert outcomes(sink) == [
        ("error", 1, None),
        ("timeout", 1, None),
        ("timeout", 1, False),
        ("timeout", 2, None),
        ("timeout", 2, False),
        ("error", 1, False),
    ]


@step
async def by_regex(text: str) -> Reading:
    return Reading(name="Pérez", confidence=0.65)


UNSURE = Reply('{"name": "x", "confidence": 0.4}')


@pytest.mark.parametrize(
    ("script", "delta"),
    [
        ([UNSURE, UNSURE, UNSURE], 0.25),
        ([Reply('{"name": "x", "confidence": 0.1}'), UNSURE, Reply("no")], 0.25),
        ([UNSURE, *[ProviderTimeoutError("late")] * 3], 0.25),
        ([Reply("no")] * 3, None),
        ([Reply('{"name": "x", "confidence": 95}'), *[Reply("no")] * 2], None),
    ],
    ids=["unsure", "the newest that said so", "then the provider left", "never said", "no confidence"],
)
async def test_the_fallback_is_compared_with_what_the_primary_agent_was_sure_of(
    script: list[Any], delta: float | None
) -> None:
    """T-6: fallback less primary confidence; null where the primary agent declared none."""
    sink = CapturingSink()

    async def modest(reading: Reading, ctx: Context) -> None:
        if reading.confidence > 1:
            raise Rejected("nobody is that sure")

    agent = reader(script, min_confidence=0.5, fallback=by_regex, validate=modest)
    await agent.run("x", sink=sink, clock=FakeClock())
    (fallback,) = sink.of(AgentFallbackTriggered)
    assert fallback.quality_delta == delta


async def test_an_agent_that_stands_in_says_so() -> None:
    """T-1, T-2: the agent it stands in for is told as failed; it works for that agent's trace."""
    sink = CapturingSink()
    second = reader([GOOD]).named("second")
    await reader([Reply("no")] * 3, fallback=second).run("x", sink=sink)
    (completed,) = sink.of(AgentExecutionCompleted)
    assert (completed.agent_name, completed.fallback_used) == ("second", True)
    (failed,) = sink.of(AgentExecutionFailed)
    assert (failed.agent_name, failed.fallback_successful) == ("parsing", True)
    primary, standing_in = sink.of(AgentExecutionStarted)
    assert (primary.parent_trace_id, standing_in.parent_trace_id) == (None, primary.trace_id)


async def test_an_agent_that_a_tool_asks_works_for_the_trace_of_its_agent() -> None:
    """T-1."""
    sink = CapturingSink()
    helper = reader([GOOD])

    @tool
    async def look_up(who: str) -> str:
        """Look somebody up."""
        return (await helper.run(who)).unwrap().name

    asking = [Reply(tool_calls=[ToolCall("look_up", {"who": "P"})]), Reply("It is Pérez.")]
    await AgentStep(name="asking", model=ScriptedModel(asking), output=str, tools=[look_up]).run("x", sink=sink)
    outer, inner = sink.of(AgentExecutionStarted)
    assert (outer.parent_trace_id, inner.parent_trace_id) == (None, outer.trace_id)


async def test_agents_of_a_run_inside_a_run_name_the_trace_they_work_for() -> None:
    """T-1: `parent_trace_id` of sub-agents; null for those of the outermost pipeline."""
    sink = CapturingSink()
    inner = Pipeline("inner", reader([GOOD, GOOD]).named("inside"))

    @step
    async def delegate(reading: Reading) -> str:
        return (await inner.run(reading.name)).unwrap().name

    trace = "ab" * 16
    await Pipeline("outer", reader([GOOD]) >> delegate).run("x", sink=sink, trace_id=trace)
    assert [(e.agent_name, e.parent_trace_id) for e in sink.of(AgentExecutionStarted)] == [
        ("parsing", None),
        ("inside", trace),
    ]
    await inner.run("y", sink=sink)
    assert sink.of(AgentExecutionStarted)[-1].parent_trace_id is None


async def test_a_skipped_step_makes_a_pipeline_a_partial_success() -> None:
    """T-8."""

    @step
    async def remind(reading: Reading, ctx: Context) -> Reading:
        ctx.skip("nobody left a telephone number")
        return reading

    sink = CapturingSink()
    await Pipeline("appointments", reader([GOOD]) >> remind).run("cita", sink=sink)
    assert sink.of(AgentPipelineCompleted)[0].status == "partial_success"
    assert sink.of(StepCompleted)[1].attributes == {"skipped": "nobody left a telephone number"}


async def test_a_branch_that_failed_makes_a_pipeline_a_partial_success() -> None:
    """T-8: what the others brought is kept, and the run goes on."""

    @step
    async def breaks(text: str) -> str:
        raise Rejected("no")

    def merge(into: dict[str, str], value: Any) -> None:
        into[str(value)] = "done"

    both = ParallelStep(
        dict[str, str],
        [Branch(reader([GOOD]), merge=merge), Branch(breaks, merge=merge)],
        on_failure="collect",
        on_failures=lambda output, errors: None,
    )
    sink = CapturingSink()
    await Pipeline("appointments", both).run("cita", sink=sink)
    assert sink.of(AgentPipelineCompleted)[0].status == "partial_success"


async def test_the_retries_of_a_fallback_are_not_those_of_the_agent_it_stands_in_for() -> None:
    second = AgentStep(name="second", model=ScriptedModel([Reply("no"), Reply("no"), GOOD]), output=Reading)
    sink = CapturingSink()
    await Pipeline("p", reader([Reply("no")], max_attempts=1, fallback=second)).run("x", sink=sink)
    (failed,), (completed,) = sink.of(AgentExecutionFailed), sink.of(AgentExecutionCompleted)
    assert (failed.was_retried, failed.retry_count) == (False, 0)
    assert (completed.was_retried, completed.retry_count) == (True, 2)
    (pipeline,) = sink.of(AgentPipelineCompleted)
    assert pipeline.agents_retried == 1


async def test_the_retries_of_an_agent_below_are_not_those_of_the_agent_above() -> None:
    below = AgentStep(name="below", model=ScriptedModel([Reply("no"), GOOD]), output=Reading)

    @tool
    async def look_up(name: str) -> str:
        """Look a name up."""
        return (await below.run(name)).value.name

    sink = CapturingSink()
    script = [Reply(tool_calls=[ToolCall("look_up", {"name": "x"})]), GOOD]
    await Pipeline("p", reader(script, tools=[look_up])).run("x", sink=sink)
    retries = {event.agent_name: event.retry_count for event in sink.of(AgentExecutionCompleted)}
    assert retries == {"below": 1, "parsing": 0}
    (pipeline,) = sink.of(AgentPipelineCompleted)
    assert (pipeline.agents_executed, pipeline.agents_retried) == (2, 1)


@pytest.mark.parametrize("how", ["cancelled", "too late"])
async def test_an_execution_that_is_cut_off_in_its_fallback_ends(how: str) -> None:
    """T-3: failed, as it had before; the fallback was tried in vain."""
    begun = asyncio.Event()

    @step
    async def never(value: str) -> Reading:
        begun.set()
        await asyncio.Event().wait()
        return Reading(name=value)

    sink = CapturingSink()
    agent = Pipeline("p", reader([Reply("no")], max_attempts=1, fallback=never))
    running = asyncio.create_task(agent.run("x", sink=sink, timeout=60 if how == "cancelled" else 0.05))
    if how == "cancelled":
        await begun.wait()
        running.cancel()
    await asyncio.wait([running])
    (fallback,), (failed,) = sink.of(AgentFallbackTriggered), sink.of(AgentExecutionFailed)
    assert not fallback.fallback_successful
    assert (failed.error_type, failed.fallback_attempted, failed.fallback_successful) == (
        "AttemptsExhaustedError",
        True,
        False,
    )
    (pipeline,) = sink.of(AgentPipelineCompleted)
    assert (pipeline.agents_executed, pipeline.agents_failed) == (1, 1)


async def test_the_time_before_a_failure_is_without_that_of_the_fallback() -> None:
    @step
    async def slow(value: str) -> Reading:
        await asyncio.sleep(0.3)
        return Reading(name=value)

    sink = CapturingSink()
    result = await reader([Reply("no")], max_attempts=1, fallback=slow).run("x", sink=sink)
    (failed,) = sink.of(AgentExecutionFailed)
    assert failed.execution_time_before_failure_ms <= result.metrics.duration_seconds * 1000 - 290


async def test_a_fallback_is_told_with_its_confidence() -> None:
    """T-6."""

    @step
    async def regex(text: str) -> Reading:
        return Reading(name="Pérez", confidence=0.65)

    sink = CapturingSink()
    await reader([Reply("no")] * 3, fallback=regex).run("x", sink=sink)
    (fallback,) = sink.of(AgentFallbackTriggered)
    assert (fallback.primary_agent, fallback.fallback_agent) == ("parsing", "regex")
    assert (fallback.trigger_reason, fallback.fallback_confidence) == ("max_retries_exceeded", 0.65)
    (failed,) = sink.of(AgentExecutionFailed)
    assert (failed.fallback_attempted, failed.fallback_successful) == (True, True)


@pytest.mark.parametrize(("answers", "status"), [([GOOD], "success"), ([Reply("no")] * 3, "failed")])
async def test_a_pipeline_counts_its_agents(answers: list[Reply], status: str) -> None:
    """T-7, T-8."""
    sink = CapturingSink()
    await Pipeline("appointments", reader(list(answers))).run("cita", sink=sink)
    (started,) = sink.of(AgentPipelineStarted)
    assert (started.agent_sequence, started.sequence_length, started.user_prompt) == (("parsing",), 1, "cita")
    (completed,) = sink.of(AgentPipelineCompleted)
    assert (completed.status, completed.agents_executed) == (status, 1)
    assert completed.agents_succeeded + completed.agents_failed == 1


async def test_a_fallback_makes_a_pipeline_a_partial_success() -> None:
    """T-8."""

    @step
    async def regex(text: str) -> Reading:
        return Reading(name="Pérez")

    sink = CapturingSink()
    await Pipeline("appointments", reader([Reply("no")] * 3, fallback=regex)).run("cita", sink=sink)
    assert sink.of(AgentPipelineCompleted)[0].status == "partial_success"


async def test_a_step_records_decisions_of_its_own() -> None:
    """T-4: `ctx.decide`."""

    @step
    async def resolve(text: str, ctx: Context) -> str:
        await ctx.decide("temporal_resolution", category="resolution", reasoning="by the calendar", confidence=1.0)
        return text

    sink = CapturingSink()
    await resolve.run("mañana", sink=sink)
    (decision,) = sink.of(AgentDecisionRecorded)
    assert (decision.agent_name, decision.decision_type, decision.reasoning) == (
        "resolve",
        "temporal_resolution",
        "by the calendar",
    )


async def test_a_call_that_does_not_fit_a_budget_is_told() -> None:
    """F-47: which budget, how much the call might have needed, and how much was left."""
    sink, agent = CapturingSink(), AgentStep(name="voice", model=ScriptedModel([]), output=str)
    budget = Budget(scope="user", id="ana", limit_tokens=100)
    result = await agent.run("hello", budgets=[budget], ledger=MemoryBudgetLedger(), sink=sink)
    assert result.is_error
    (refused,) = sink.of(BudgetRefused)
    assert (refused.scope, refused.limit, refused.left) == ("user:ana", "100 tokens", "100")
    assert int(refused.needed) > 100
    assert (refused.source_agent_id, refused.path) == ("voice", "voice")


class Boasting(BaseModel):
    confidence: float
    decision_type: int = 7


async def test_a_confidence_the_contract_has_no_room_for_is_left_out_and_harms_nothing() -> None:
    sink = CapturingSink()
    agent = AgentStep(name="boast", model=ScriptedModel([Reply('{"confidence": 95}')]), output=Boasting)
    result = await agent.run("how sure are you?", sink=sink)
    assert result.unwrap().confidence == 95
    (completed,) = sink.of(AgentExecutionCompleted)
    assert (completed.confidence, completed.decision_type) == (None, None)


async def test_everything_an_agent_tells_unchecked_would_have_passed_the_check() -> None:
    """What is not validated when it is told is valid all the same."""
    sink = CapturingSink()
    await reader([Reply("{}"), GOOD]).run("who?", sink=sink)
    for event in sink.events:
        fields = event.model_dump()
        assert type(event).model_validate(fields).model_dump() == fields


async def test_what_a_pipeline_tells_of_a_boasting_agent_can_be_read_back() -> None:
    """E-4: whatever a model calls its confidence, and whatever a service calls its time zone."""
    sink = CapturingSink()
    agent = AgentStep(name="boast", model=ScriptedModel([Reply('{"confidence": 95}')]), output=Boasting)
    await Pipeline("p", agent).run("how sure are you?", sink=sink, services={"timezone": ZoneInfo("Europe/Madrid")})
    assert all(decode(encode(event)) == event for event in sink.events)
    assert sink.of(AgentPipelineCompleted)[0].final_confidence is None
    assert sink.of(AgentPipelineStarted)[0].user_timezone == "Europe/Madrid"
