"""Spans follow from events alone: what was inside what, when it began and how it ended (T-22)."""

from datetime import timedelta
from typing import Any

from batuta import AgentStep, tool
from batuta.events import AgentPipelineCompleted, AttemptRejected, Complete, Event, PlanGenerated, SessionStart
from batuta.events.plans import PlanCompleted, PlannedStep
from batuta.events.runtime import BreakerChanged, BudgetRefused, LimiterThrottled, TurnResumed, TurnStarted
from batuta.events.telemetry import AgentRetryAttempted
from batuta.events.tools import ToolResponse
from batuta.observability.audit_counts import audit
from batuta.observability.runs import RunAssembler, Span, SpanKind, assemble, roots_of, span_id_of
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall
from batuta.tools import Tool
from tests.unit.observability.told import START, Story


def nested(events: list[Event]) -> list[Any]:
    def below(span: Span) -> list[Any]:
        return [f"{span.kind} {span.name}", *([[below(child) for child in span.children]] if span.children else [])]

    return [below(root) for root in roots_of(assemble(events))]


def clerk(story: Story) -> Story:
    story.step("shop", "Pipeline").step("shop/clerk", "AgentStep").agent("clerk")
    story.call("shop/clerk", CALL).tool("t1", CALL).call("shop/clerk", "second")
    return story.agent_done("clerk").done("shop/clerk", "AgentStep").done("shop", "Pipeline")


CALL = "01A1DD71-619D-7ACA-AC09-5C62D0004900"
TURN = "01A1DD71-619D-7ACA-AC09-5C62D0004901"


def test_an_agent_holds_its_calls_tools_and_validation() -> None:
    assert nested(clerk(Story()).events) == [
        [
            "pipeline shop",
            [
                [
                    "step clerk",
                    [["agent clerk", [["model gpt-5"], ["tool stock"], ["model gpt-5"], ["validation clerk"]]]],
                ]
            ],
        ]
    ]


def delegating(*tools: str) -> AgentStep[str, str]:
    """An agent whose tools have another agent work."""
    helpers = [AgentStep(name=f"{name}_helper", model=ScriptedModel([Reply("7")]), output=str) for name in tools]

    def ask(name: str, helper: AgentStep[str, str]) -> Tool:
        @tool(effect="read", name=name)
        async def have_it_done(task: str) -> str:
            """Have it done."""
            return (await helper.run(task)).unwrap()

        return have_it_done

    calls = [ToolCall(name, {"task": "count"}) for name in tools]
    asked = [ask(name, helper) for name, helper in zip(tools, helpers, strict=True)]
    return AgentStep(name="boss", model=ScriptedModel([Reply(tool_calls=calls), Reply("7")]), tools=asked, output=str)


async def test_what_a_tool_has_done_is_inside_the_tool() -> None:
    kept = CapturingSink()
    await delegating("count").run("How many?", sink=kept)
    helper = [["agent count_helper", [["model scripted"], ["validation count_helper"]]]]
    inside = ["tool count", [["step count_helper", helper]]]
    boss = ["agent boss", [["model scripted"], inside, ["model scripted"], ["validation boss"]]]
    assert nested(kept.events) == [["step boss", [boss]]]
    audit(kept.events).assert_complete()


async def test_where_several_tools_are_open_a_step_is_in_no_wrong_one() -> None:
    """Nothing says in which of them a step runs: it is inside their agent, until only one is left."""
    kept = CapturingSink()
    await delegating("count", "check").run("How many?", sink=kept)
    steps = [span for span in assemble(kept.events) if span.kind is SpanKind.STEP and span.name != "boss"]
    around = {step.name: step.parent.name for step in steps if step.parent is not None}
    assert around["count_helper"] in ("boss", "count")
    assert around["check_helper"] in ("boss", "check")
    assert "boss" in around.values()
    audit(kept.events).assert_complete()


def test_an_answer_that_asks_for_tools_is_not_validated() -> None:
    spans = assemble(clerk(Story()).events)
    assert sum(span.kind is SpanKind.VALIDATION for span in spans) == 1


def test_an_answer_recalled_after_tools_tells_no_validation() -> None:
    """On resume a recorded answer is returned without a call: nothing says when it was judged."""
    story = Story().step("a", "AgentStep").agent("a").call("a", CALL).tool("t", CALL).agent_done("a").done("a")
    assert not any(span.kind is SpanKind.VALIDATION for span in assemble(story.events))


def test_a_rejected_answer_is_a_failed_validation() -> None:
    story = Story().step("a", "AgentStep").agent("a").call("a", CALL)
    story.tell(AttemptRejected, path="a", attempt=1, kind="semantic", message="no")
    story.call("a", "again").agent_done("a").done("a")
    validations = [span for span in assemble(story.events) if span.kind is SpanKind.VALIDATION]
    assert [span.is_failed for span in validations] == [True, False]


def test_validation_lasts_from_the_answer_to_the_verdict() -> None:
    story = Story().step("a", "AgentStep").agent("a").call("a", CALL).agent_done("a").done("a")
    [validation] = [span for span in assemble(story.events) if span.kind is SpanKind.VALIDATION]
    assert validation.started_at == START + timedelta(milliseconds=3)
    assert validation.duration == timedelta(milliseconds=1)


def test_a_tool_begins_when_it_works_not_when_it_is_asked_for() -> None:
    [tool] = [span for span in assemble(clerk(Story()).events) if span.kind is SpanKind.TOOL]
    assert tool.duration == timedelta(milliseconds=0.5)


def test_a_fallback_is_inside_the_agent_that_failed() -> None:
    story = Story().step("p", "Pipeline").step("p/a", "AgentStep").agent("a").step("p/a/plan_b").done("p/a/plan_b")
    story.agent_done("a").done("p/a").done("p", "Pipeline")
    assert nested(story.events) == [["pipeline p", [["step a", [["agent a", [["step plan_b"]]]]]]]]


def test_branches_side_by_side_keep_their_own() -> None:
    story = Story().step("p", "Pipeline").step("p/left").step("p/right").step("p/left/in").step("p/right/in")
    story.done("p/left/in").done("p/right/in").done("p/right").done("p/left").done("p", "Pipeline")
    assert nested(story.events) == [
        ["pipeline p", [["step left", [["step in"]]], ["step right", [["step in"]]]]],
    ]


def test_runs_told_at_the_same_time_are_kept_apart() -> None:
    """The correlation id tells them apart, also where every path is the same."""
    one, other = Story("one", "1" * 32), Story("other", "2" * 32)
    both = [one, other]
    for story in both:
        story.step("p", "Pipeline").step("p/a").failed("p/a").done("p", "Pipeline")
    mixed = [event for pair in zip(one.events, other.events, strict=True) for event in pair]
    assert nested(mixed) == [["pipeline p", [["step a"]]]] * 2


def test_a_plan_holds_the_steps_told_while_it_runs() -> None:
    step = PlannedStep(step_id="s", step_index=0, agent_id="erp", agent_name="ERP", task="look")
    story = Story().tell(SessionStart)
    story.tell(PlanGenerated, plan_id="plan", query="?", steps=(step,), estimated_steps=1, source_agent_id="boss")
    story.step("step-1").done("step-1")
    story.tell(PlanCompleted, plan_id="plan", status="failed", source_agent_id="boss").step("conclude").done("conclude")
    story.tell(Complete, status="success")
    assert nested(story.events) == [["turn turn", [["plan plan", [["step step-1"]]], ["step conclude"]]]]
    assert [span.is_failed for span in assemble(story.events) if span.kind is SpanKind.PLAN] == [True]


def test_what_a_cancellation_cuts_off_ends_with_the_step_around() -> None:
    """A tool or call that is cancelled may tell no end: the run does not stay open for it."""
    story = Story().step("p", "Pipeline").step("p/a", "AgentStep").agent("a").call("p/a", CALL)
    story.tool("t", CALL, is_answered=False).failed("p/a", "cancelled").failed("p")
    assembler = RunAssembler()
    ended = [span for event in story.events for span in assembler.feed(event)]
    assert [span.name for span in ended] == ["gpt-5", "stock", "a", "a", "p"]
    assert [span.is_failed for span in ended] == [False, True, True, True, True]
    assert assembler.open_runs == 0


def test_a_step_in_the_background_may_end_after_its_parent() -> None:
    story = Story().step("p", "Pipeline").step("p/mail").done("p", "Pipeline").done("p/mail")
    assert nested(story.events) == [["pipeline p", [["step mail"]]]]
    assert [(span.name, span.end) for span in assemble(story.events)] == [
        ("p", story.events[2]),
        ("mail", story.events[3]),
    ]


def paused_and_resumed() -> tuple[list[Event], list[Event]]:
    """A turn that waits for an approval inside a tool, and how it goes on, as the log has it: each event once."""
    story = Story().tell(TurnStarted, owner="w-1").step("erp", "AgentStep").agent("erp").call("erp", CALL)
    story.tool("t", CALL, is_answered=False).tell(Complete, status="paused")
    before = len(story.events)
    story.tell(TurnResumed, owner="w-2", attempt=1, reason="decided")
    answer = {"tool_use_id": "t", "tool_name": "stock", "content": "7", "success": True, "source_agent_id": "erp"}
    story.tell(ToolResponse, **answer, duration_ms=1)
    story.call("erp", "call-2").agent_done("erp").done("erp", "AgentStep").tell(Complete, status="success")
    turn = [event.model_copy(update={"turn_id": TURN}) for event in story.events]
    return turn[:before], turn[before:]


TREE = [
    [
        "turn turn",
        [["step erp", [["agent erp", [["model gpt-5"], ["tool stock"], ["model gpt-5"], ["validation erp"]]]]]],
    ]
]


def test_a_turn_that_pauses_and_goes_on_is_one_tree() -> None:
    first, second = paused_and_resumed()
    assert nested([*first, *second]) == TREE
    [turn] = [span for span in assemble([*first, *second]) if span.kind is SpanKind.TURN]
    assert [mark.type for mark in turn.marks] == ["turn.resumed"]


def test_a_turn_that_pauses_leaves_nothing_open_and_ends_nothing_that_waits() -> None:
    """Whoever goes on ends it: exported now and then again, it would be there twice."""
    first, _ = paused_and_resumed()
    assembler = RunAssembler()
    assert [span.name for event in first for span in assembler.feed(event)] == ["gpt-5"]
    assert assembler.open_runs == 0


def test_whoever_goes_on_with_a_turn_ends_what_another_began() -> None:
    """Both together tell each span once, wherever the turn goes on."""
    first, second = paused_and_resumed()
    whole = [span.id for span in assemble([*first, *second])]
    for worker in (RunAssembler(), None):
        before = worker or RunAssembler()
        after = worker or RunAssembler()
        told = [span.id for event in first for span in before.feed(event)]
        after.recall(first)
        told += [span.id for event in second for span in after.feed(event)]
        assert told == whole
        assert (before.open_runs, after.open_runs) == (0, 0)


def test_a_turn_that_is_stopped_while_it_waits_ends_with_all_that_waits() -> None:
    first, _ = paused_and_resumed()
    stopped = Complete(status="cancelled", turn_id=TURN)
    spans = assemble([*first, stopped])
    assert [span.name for span in spans] == ["gpt-5", "stock", "erp", "erp", "turn"]
    assert all(span.end is not None for span in spans)
    audit([*first, stopped]).assert_complete()


def test_the_audit_says_of_a_turn_that_waits_that_it_waits() -> None:
    """What is open in it is nobody's loss, and whoever reads the audit is told when to look again."""
    first, second = paused_and_resumed()
    said = f"turn {TURN} waits for a decision: count it again when it has ended"
    assert said in audit(first).problems()
    assert audit([*first, *second]).waiting == ()


def test_marks_go_to_whom_they_concern() -> None:
    story = Story().step("p", "Pipeline").step("p/a", "AgentStep").agent("a")
    story.tell(
        AgentRetryAttempted,
        agent_name="a",
        retry_attempt=1,
        original_error="503",
        retry_reason="error",
        retry_strategy="fixed_delay",
        delay_seconds=0,
        next_retry_at=START,
    )
    story.agent_done("a").done("p/a")
    story.tell(
        AgentPipelineCompleted,
        pipeline_type="p",
        status="success",
        final_outcome="success",
        total_execution_time_ms=1,
        agents_executed=1,
        agents_succeeded=1,
        agents_failed=0,
        agents_retried=1,
    ).done("p", "Pipeline")
    marks = {f"{span.kind} {span.name}": [mark.type for mark in span.marks] for span in assemble(story.events)}
    assert marks == {"agent a": ["agent.retry.attempted"], "step a": [], "pipeline p": ["agent.pipeline.completed"]}


def test_what_protections_do_is_told_where_it_happened() -> None:
    """Of two branches side by side the one that was refused has the mark, not the one that began last."""
    story = Story().step("p", "Pipeline").step("p/left").step("p/right")
    story.tell(BudgetRefused, path="p/left", scope="run", limit="1", needed="2", left="0")
    story.tell(LimiterThrottled, path="p/left", key="openai", wait_seconds=1.0)
    story.tell(BreakerChanged, path="p/left", key="openai", previous="closed", current="open")
    spans = assemble(story.done("p/left").done("p/right").done("p", "Pipeline").events)
    marks = {span.name: [mark.type for mark in span.marks] for span in spans}
    assert marks == {"left": ["budget.refused", "limiter.throttled", "breaker.changed"], "right": [], "p": []}


def test_ids_follow_from_the_events() -> None:
    """The same log gives the same spans, so that exporting it twice adds nothing."""
    story = clerk(Story())
    first, second = assemble(story.events), assemble(story.events)
    assert [span.id for span in first] == [span.id for span in second]
    assert len({span.id for span in first}) == len(first)
    assert roots_of(first)[0].id == span_id_of(story.events[0])
    assert all(len(span.id) == 16 for span in first)


def test_an_end_without_a_beginning_is_ignored() -> None:
    """Somebody who begins to listen in the middle of a run sees what begins from then on."""
    assembler = RunAssembler()
    story = clerk(Story())
    for event in story.events[5:]:
        assert all(span.start in story.events[5:] for span in assembler.feed(event))
    assert assembler.open_runs == 0


def test_a_run_that_never_ends_is_given_up_when_others_need_the_room() -> None:
    assembler = RunAssembler(max_open_runs=2)
    begun = [Story(f"run-{number}", f"{number}" * 32).step("p", "Pipeline").events[0] for number in range(3)]
    given_up = [span for event in begun for span in assembler.feed(event)]
    assert [span.start.correlation_id for span in given_up] == ["run-0"]
    assert given_up[0].end is None
    assert assembler.open_runs == 2


def test_what_is_left_open_is_told_without_an_end() -> None:
    story = Story().step("p", "Pipeline").step("p/a")
    left = assemble(story.events)
    assert [span.name for span in left] == ["a", "p"]
    assert all(span.end is None and span.duration is None and not span.is_failed for span in left)
