"""Events for AG-UI clients: runs, messages, tools, plans, interrupts. The real client checks the same in TypeScript."""

from typing import Any

import pytest

from batuta.events import (
    AgentHandoff,
    ApprovalRequested,
    ApprovalResolved,
    AssistantMessage,
    Complete,
    ContentDelta,
    ErrorOccurred,
    FeedbackGiven,
    PlanCompleted,
    PlanGenerated,
    PlannedStep,
    PlanStepCompleted,
    PlanStepStarted,
    StepStarted,
    StreamDiscarded,
    Thinking,
    ThinkingDelta,
    ToolRequest,
    ToolResponse,
    Usage,
    UserMessage,
)
from batuta.events.agui import AguiEvent, translate
from tools.script import ERP, RAG, Script


@pytest.fixture
def script() -> Script:
    """A session in which a person has just said hello."""
    script = Script(1)
    script.turn()
    script.tell(UserMessage, content="hello", client_message_id="m-1")
    return script


def told(script: Script) -> list[AguiEvent]:
    return translate(script.events)[0]


def types(script: Script) -> list[str]:
    return [event["type"] for event in told(script)]


def text(script: Script) -> str:
    return "".join(event["delta"] for event in told(script) if event["type"] == "TEXT_MESSAGE_CONTENT")


def test_a_turn_is_a_run_with_the_message_as_its_input(script: Script) -> None:
    script.tell(Complete, status="success")
    started, finished = told(script)
    assert (started["type"], finished["type"]) == ("RUN_STARTED", "RUN_FINISHED")
    assert started["runId"] == finished["runId"] == script.events[0].turn_id
    assert started["input"]["messages"] == [{"id": "m-1", "role": "user", "content": "hello"}]


def test_absent_fields_are_left_out(script: Script) -> None:
    """The protocol knows no null."""
    script.tell(Complete, status="success")
    assert all(value is not None for event in told(script) for value in (*event.values(), *event["metadata"].values()))


def test_streamed_pieces_are_closed_by_the_whole_and_said_once(script: Script) -> None:
    script.tell(ContentDelta, delta="Good ")
    script.tell(ContentDelta, delta="morn")
    script.tell(AssistantMessage, content="Good morning")
    assert types(script)[1:] == ["TEXT_MESSAGE_START", *["TEXT_MESSAGE_CONTENT"] * 3, "TEXT_MESSAGE_END"]
    assert text(script) == "Good morning"


def test_a_whole_that_says_something_else_is_said_anew_and_the_pieces_are_marked(script: Script) -> None:
    script.tell(ContentDelta, delta="Good evening")
    script.tell(AssistantMessage, content="Good morning")
    ends = [event for event in told(script) if event["type"] == "TEXT_MESSAGE_END"]
    assert [event["metadata"].get("isSuperseded", False) for event in ends] == [True, False]
    assert ends[0]["messageId"] != ends[1]["messageId"]


def test_pieces_that_are_void_are_closed_and_marked_and_the_text_is_said_anew(script: Script) -> None:
    """The protocol only adds, so what was taken back is a message of its own that says so."""
    message = script.new_id()
    script.tell(ContentDelta, delta="Good eve", message_id=message)
    script.tell(StreamDiscarded, reason="retried", message_id=message)
    script.tell(ContentDelta, delta="Good ", message_id=message)
    script.tell(AssistantMessage, content="Good morning", message_id=message)
    ends = [event for event in told(script) if event["type"] == "TEXT_MESSAGE_END"]
    assert [event["metadata"].get("isSuperseded", False) for event in ends] == [True, False]
    kept = [
        event["delta"] for event in told(script) if event.get("messageId") == ends[1]["messageId"] and "delta" in event
    ]
    assert "".join(kept) == "Good morning"


def test_a_reload_without_pieces_says_the_whole(script: Script) -> None:
    script.tell(AssistantMessage, content="Good morning", model="sim-1")
    assert types(script)[1:] == ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]
    assert told(script)[-1]["metadata"]["model"] == "sim-1"


def test_an_empty_answer_has_no_content(script: Script) -> None:
    script.tell(AssistantMessage, content="")
    assert types(script)[1:] == ["TEXT_MESSAGE_START", "TEXT_MESSAGE_END"]


def test_thinking_is_reasoning(script: Script) -> None:
    script.tell(ThinkingDelta, delta="hm")
    script.tell(Thinking, content="hm")
    assert types(script)[1:] == [
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
    ]


def test_agents_that_speak_at_once_have_a_message_each(script: Script) -> None:
    for agent, delta in (("erp", "a"), ("rag", "b"), ("erp", "c")):
        script.tell(ContentDelta, delta=delta, source_agent_id=agent)
    spoken: dict[str, str] = {}
    for event in told(script):
        if event["type"] == "TEXT_MESSAGE_CONTENT":
            agent = event["metadata"]["agentId"]
            spoken[agent] = spoken.get(agent, "") + event["delta"]
    assert spoken == {"erp": "ac", "rag": "b"}


def test_a_tool_call_has_its_arguments_and_its_result(script: Script) -> None:
    script.tell(ToolRequest, tool_use_id="t", tool_name="find", args={"q": "señal"})
    script.tell(ToolResponse, tool_use_id="t", tool_name="find", content="7", success=False, error="no")
    start, args, end, result = told(script)[1:]
    assert [event["type"] for event in (start, args, end)] == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]
    assert (start["toolCallName"], args["delta"]) == ("find", '{"q": "señal"}')
    assert (result["type"], result["content"], result["metadata"]["error"]) == ("TOOL_CALL_RESULT", "7", "no")


def test_a_plan_is_an_activity_and_its_steps_are_steps(script: Script) -> None:
    step = PlannedStep(step_id="s", step_index=0, agent_id="erp", agent_name="ERP", task="work")
    place: dict[str, Any] = {"plan_id": "p", "step_id": "s", "step_index": 0}
    script.tell(PlanGenerated, plan_id="p", query="q", steps=(step,), estimated_steps=1)
    script.tell(PlanStepStarted, **place, agent_id="erp", agent_name="ERP", task="work")
    script.tell(PlanStepCompleted, **place, status="completed", result="done")
    script.tell(PlanCompleted, plan_id="p", status="completed")
    assert types(script)[1:] == [
        "ACTIVITY_SNAPSHOT",
        "STEP_STARTED",
        "ACTIVITY_DELTA",
        "ACTIVITY_DELTA",
        "STEP_FINISHED",
        "ACTIVITY_DELTA",
    ]
    assert {"op": "add", "path": "/steps/0/result", "value": "done"} in told(script)[4]["patch"]


def test_a_step_still_open_at_the_end_is_closed_first(script: Script) -> None:
    script.tell(PlanStepStarted, plan_id="p", step_id="s", step_index=0, agent_id="erp", agent_name="ERP", task="work")
    script.tell(ContentDelta, delta="half")
    script.tell(Complete, status="cancelled")
    assert types(script)[-3:] == ["TEXT_MESSAGE_END", "STEP_FINISHED", "RUN_FINISHED"]
    assert told(script)[-1]["outcome"] == {"type": "cancelled"}


def _pause(script: Script) -> None:
    script.tell(ApprovalRequested, approval_id="a", tool_use_id="t", tool_name="order", args={"n": 1}, reason="much")
    script.tell(Complete, status="paused", stop_reason="paused")


def test_a_pause_for_approval_ends_the_run_with_an_interrupt(script: Script) -> None:
    _pause(script)
    outcome = told(script)[-1]["outcome"]
    assert outcome == {
        "type": "interrupt",
        "interrupts": [
            {
                "id": "a",
                "reason": "tool_call",
                "message": "much",
                "toolCallId": "t",
                "metadata": {"tool_name": "order", "args": {"n": 1}},
            }
        ],
    }


def test_the_decision_opens_another_run_of_the_same_turn(script: Script) -> None:
    _pause(script)
    script.tell(ApprovalResolved, approval_id="a", decision="approved", by="ana")
    script.tell(Complete, status="success")
    first, second = [event for event in told(script) if event["type"] == "RUN_STARTED"]
    assert second["parentRunId"] == first["runId"] != second["runId"]
    assert told(script)[-1]["outcome"] == {"type": "success"}


def test_a_failed_turn_tells_the_last_error(script: Script) -> None:
    script.tell(ErrorOccurred, code="LLM_TIMEOUT", message="no answer", category="transient")
    script.tell(Complete, status="failed", usage=Usage(input=3))
    failure = told(script)[-1]
    assert (failure["type"], failure["code"], failure["message"]) == ("RUN_ERROR", "LLM_TIMEOUT", "no answer")
    assert failure["usage"][0]["inputTokens"] == 3


def test_a_queued_turn_waits_for_the_run_before_it(script: Script) -> None:
    """One run at a time: the second begins after the first ended."""
    first = script.events[0].turn_id
    script.turn()
    script.tell(UserMessage, content="and this?")
    script.back_to(first)
    script.tell(AssistantMessage, content="hi")
    script.tell(Complete, status="success")
    assert [name for name in types(script) if name.startswith("RUN")] == ["RUN_STARTED", "RUN_FINISHED", "RUN_STARTED"]


def test_internal_and_repeated_events_give_nothing(script: Script) -> None:
    before = told(script)
    script.tell(StepStarted, step_name="s", step_type="t", path="p")
    script.repeat(script.events[0])
    assert told(script) == before


def test_what_comes_after_the_end_is_left_out(script: Script) -> None:
    """The protocol has no place between runs."""
    script.tell(Complete, status="success")
    before = told(script)
    script.tell(FeedbackGiven, target_message_id="m", rating=1)
    script.tell(Complete, status="success")
    assert told(script) == before


def test_a_turn_that_ends_twice_does_not_end_the_run_of_the_next(script: Script) -> None:
    first = script.events[0].turn_id
    script.tell(Complete, status="success")
    script.turn()
    script.tell(UserMessage, content="next")
    before = told(script)
    script.back_to(first)
    script.tell(Complete, status="success")
    assert told(script) == before


def test_what_has_no_form_of_its_own_is_custom(script: Script) -> None:
    script.tell(AgentHandoff, handoff_id="h", from_agent=ERP, to_agent=RAG, reason="clarification")
    script.tell_unknown("weather", sky="rain")
    handoff, weather = told(script)[1:]
    assert (handoff["type"], handoff["name"], handoff["value"]["to_agent"]["agent_id"]) == (
        "CUSTOM",
        "agent_handoff",
        "rag",
    )
    assert (weather["name"], weather["value"]) == ("weather", {"sky": "rain"})
