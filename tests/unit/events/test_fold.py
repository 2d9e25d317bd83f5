"""The fold: what a session looks like, piece by piece."""

from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from batuta.events import (
    ROUTES,
    AgentHandoff,
    ApprovalRequested,
    ApprovalResolved,
    AssistantMessage,
    Audience,
    Complete,
    ContentDelta,
    ErrorOccurred,
    Event,
    FeedbackGiven,
    JobProgress,
    Persistence,
    PlanGenerated,
    PlannedStep,
    PlanStepCompleted,
    PlanStepStarted,
    StepStarted,
    StreamDiscarded,
    TagCompleted,
    TagStarted,
    Thinking,
    ThinkingDelta,
    TitleChanged,
    ToolProgress,
    ToolRequest,
    ToolResponse,
    Usage,
    UserMessage,
)
from batuta.events.fold import EMPTY, REDUCERS, fold
from batuta.events.view import SessionView, TurnView
from batuta.events.wire import Delivered
from tools.random_session import random_session
from tools.scenarios import SCENARIOS, told
from tools.script import ERP, RAG, Script

MESSAGE = "019A8FD0-12AB-7CDE-8FAB-00000000000A"


@pytest.fixture
def script() -> Script:
    """A session in which a person has just said hello."""
    script = Script(1)
    script.turn()
    script.tell(UserMessage, content="hello")
    return script


def turn(script: Script, index: int = 0) -> TurnView:
    return fold(script.events).turns[index]


def only(script: Script, kind: str) -> Any:
    (item,) = [item for item in turn(script).items if item.kind == kind]
    return item


def stored(events: list[Event]) -> list[Event]:
    return [event for event in events if event.persistence is not Persistence.TRANSIENT]


SESSIONS = st.integers(0, 10_000).map(lambda seed: told(7, random_session(seed, length=40)))
MANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_nothing_told_is_an_empty_view() -> None:
    assert fold([]) == EMPTY == SessionView()


def test_every_visible_event_of_the_table_has_a_reducer() -> None:
    visible = {name for name, route in ROUTES.items() if route.audience is Audience.EXTERNAL}
    assert set(REDUCERS) == visible


@MANY
@given(SESSIONS, st.floats(0, 1))
def test_folding_in_two_parts_equals_folding_at_once(events: list[Event], where: float) -> None:
    """E-20: associative over chunks."""
    cut = int(len(events) * where)
    assert fold(events[cut:], fold(events[:cut])) == fold(events)


@MANY
@given(SESSIONS)
def test_or04_the_live_view_equals_the_reloaded_view_once_the_turns_ended(events: list[Event]) -> None:
    """E-20, W-2: field by field."""
    assert fold(events) == fold(stored(events))


@MANY
@given(SESSIONS)
def test_stored_events_delivered_again_change_nothing(events: list[Event]) -> None:
    """W-2: no duplicate after a reconnect."""
    view = fold(events)
    assert fold(stored(events), view) == view


@MANY
@given(SESSIONS)
def test_every_event_told_twice_in_a_row_counts_once(events: list[Event]) -> None:
    assert fold(event for event in events for _ in range(2)) == fold(events)


@MANY
@given(SESSIONS)
def test_events_without_numbers_are_known_again_by_their_ids(events: list[Event]) -> None:
    """A library user may fold the events of a run that nobody recorded."""
    loose = [event.model_copy(update={"sequence_number": None}) for event in events]
    once = list({event.event_id: event for event in loose}.values())
    messages = [event for event in once if event.type in ("user_message", "assistant_message", "thinking")]
    assert fold(messages + messages) == fold(messages)


@MANY
@given(SESSIONS)
def test_a_view_comes_back_from_json_as_it_was(events: list[Event]) -> None:
    view = fold(events)
    assert SessionView.model_validate_json(view.model_dump_json()) == view


@pytest.mark.parametrize("name", SCENARIOS)
def test_internal_events_leave_no_trace(name: str) -> None:
    """E-5: dropped once more by the fold, position included."""
    events = told(1, SCENARIOS[name])
    assert fold(events) == fold(event for event in events if event.is_visible)


def test_a_running_turn_shows_what_was_said(script: Script) -> None:
    item = only(script, "user_message")
    assert (item.content, turn(script).status) == ("hello", "running")


def test_pieces_of_an_answer_gather_until_the_whole_supersedes_them(script: Script) -> None:
    script.tell(ContentDelta, delta="Good ")
    script.tell(ContentDelta, delta="morn")
    assert [stream.content for stream in turn(script).streams] == ["Good morn"]
    script.tell(AssistantMessage, content="Good morning")
    assert turn(script).streams == ()
    assert only(script, "assistant_message").content == "Good morning"


def test_a_piece_delivered_twice_is_said_once(script: Script) -> None:
    script.tell(ContentDelta, delta="Good ")
    script.repeat(script.tell(ContentDelta, delta="morning"))
    assert [stream.content for stream in turn(script).streams] == ["Good morning"]


def test_thinking_and_answer_stream_side_by_side(script: Script) -> None:
    script.tell(ThinkingDelta, delta="hm")
    script.tell(ContentDelta, delta="Well")
    script.tell(Thinking, content="hm", model="sim-1")
    assert [(stream.kind, stream.content) for stream in turn(script).streams] == [("message", "Well")]


def test_agents_that_speak_at_once_do_not_mix(script: Script) -> None:
    script.tell(ContentDelta, delta="stock ", source_agent_id="erp")
    script.tell(ContentDelta, delta="page ", source_agent_id="rag")
    script.tell(ContentDelta, delta="7", source_agent_id="erp")
    assert {stream.agent_id: stream.content for stream in turn(script).streams} == {"erp": "stock 7", "rag": "page "}


def test_a_message_supersedes_its_own_pieces_and_not_those_of_another(script: Script) -> None:
    script.tell(ContentDelta, delta="first", message_id=script.new_id())
    script.tell(ContentDelta, delta="second", message_id=MESSAGE)
    script.tell(AssistantMessage, content="second", message_id=MESSAGE)
    assert [stream.content for stream in turn(script).streams] == ["first"]


def test_a_piece_for_a_turn_nobody_told_of_opens_nothing(script: Script) -> None:
    script.turn()
    script.tell(ContentDelta, delta="ghost")
    assert len(fold(script.events).turns) == 1


def test_a_piece_that_comes_after_the_end_is_ignored(script: Script) -> None:
    script.tell(Complete, status="cancelled")
    script.tell(ContentDelta, delta="too late")
    assert turn(script).streams == ()


def test_what_streamed_of_a_void_message_is_gone_and_may_come_anew(script: Script) -> None:
    """Only that message of that agent: whoever streams beside it goes on."""
    other = "019A8FD0-12AB-7CDE-8FAB-00000000000B"
    script.agent = "erp"
    script.tell(ThinkingDelta, delta="hm", message_id=MESSAGE)
    script.tell(ContentDelta, delta="Twel", message_id=MESSAGE)
    script.tell(ContentDelta, delta="mine", message_id=other)
    script.agent = "rag"
    script.tell(ContentDelta, delta="ours", message_id=MESSAGE)
    script.agent = "erp"
    script.tell(StreamDiscarded, reason="retried", message_id=MESSAGE)
    assert [stream.content for stream in turn(script).streams] == ["mine", "ours"]
    script.tell(ContentDelta, delta="Twelve", message_id=MESSAGE)
    assert [stream.content for stream in turn(script).streams] == ["mine", "ours", "Twelve"]


def test_an_artefact_in_a_stream_is_seen_open_and_then_complete(script: Script) -> None:
    script.tell(TagStarted, tag="chart", attributes={"kind": "bar"})
    assert [tag.is_complete for tag in turn(script).streams[0].tags] == [False]
    script.tell(TagCompleted, tag="chart", attributes={"kind": "bar"}, size=9)
    assert [(tag.is_complete, tag.size) for tag in turn(script).streams[0].tags] == [(True, 9)]


@pytest.mark.parametrize(("success", "state"), [(True, "succeeded"), (False, "failed")])
def test_a_tool_card_pairs_request_and_response(script: Script, success: bool, state: str) -> None:
    script.tell(ToolRequest, tool_use_id="t", tool_name="find", args={"q": 1})
    assert only(script, "tool").state == "running"
    script.tell(ToolResponse, tool_use_id="t", tool_name="find", content="7", success=success, duration_ms=5.0)
    card = only(script, "tool")
    assert (card.state, card.args, card.content, card.duration_ms) == (state, {"q": 1}, "7", 5.0)


def test_parallel_tools_are_told_apart_by_their_ids(script: Script) -> None:
    for name in ("a", "b"):
        script.tell(ToolRequest, tool_use_id=name, tool_name="find")
    script.tell(ToolResponse, tool_use_id="b", tool_name="find", content="B", success=True)
    cards = [item for item in turn(script).items if item.kind == "tool"]
    assert [(card.tool_use_id, card.state) for card in cards] == [("a", "running"), ("b", "succeeded")]


def test_progress_of_a_tool_lasts_until_it_answers(script: Script) -> None:
    script.tell(ToolRequest, tool_use_id="t", tool_name="find")
    script.tell(ToolProgress, tool_use_id="t", tool_name="find", done=1.0, total=2.0)
    assert only(script, "tool").progress.done == 1.0
    script.tell(ToolResponse, tool_use_id="t", tool_name="find", content="", success=True)
    assert only(script, "tool").progress is None


def test_a_tool_that_never_answered_is_interrupted_by_the_end(script: Script) -> None:
    script.tell(ToolRequest, tool_use_id="t", tool_name="find")
    script.tell(Complete, status="cancelled")
    assert only(script, "tool").state == "interrupted"


def test_a_tool_waits_through_a_pause(script: Script) -> None:
    script.tell(ToolRequest, tool_use_id="t", tool_name="find")
    script.tell(Complete, status="paused", stop_reason="paused")
    assert only(script, "tool").state == "running"


def test_the_same_tool_id_in_two_turns_is_two_cards(script: Script) -> None:
    script.tell(ToolRequest, tool_use_id="call_0", tool_name="find")
    script.tell(Complete, status="success")
    script.turn()
    script.tell(UserMessage, content="again")
    script.tell(ToolRequest, tool_use_id="call_0", tool_name="find")
    script.tell(ToolResponse, tool_use_id="call_0", tool_name="find", content="", success=True)
    states = [item.state for view in fold(script.events).turns for item in view.items if item.kind == "tool"]
    assert states == ["interrupted", "succeeded"]


def _ask(script: Script) -> None:
    script.tell(
        ApprovalRequested, approval_id="a1", tool_use_id="t", tool_name="order", args={"n": 12}, reason="total > 1000"
    )


@pytest.mark.parametrize("decision", ["approved", "rejected", "edited", "expired"])
def test_an_approval_waits_and_then_shows_its_decision(
    script: Script, decision: Literal["approved", "rejected", "edited", "expired"]
) -> None:
    _ask(script)
    assert only(script, "approval").state == "pending"
    script.tell(ApprovalResolved, approval_id="a1", decision=decision, by="ana", args={"n": 10})
    card = only(script, "approval")
    assert (card.state, card.decided_by, card.args, card.decided_args) == (decision, "ana", {"n": 12}, {"n": 10})


def test_only_the_first_decision_counts(script: Script) -> None:
    """O-30: each answer counts once, however often it is sent."""
    _ask(script)
    script.tell(ApprovalResolved, approval_id="a1", decision="rejected", by="ana")
    script.tell(ApprovalResolved, approval_id="a1", decision="approved", by="eve")
    assert only(script, "approval").decided_by == "ana"


def test_a_paused_turn_runs_again_when_an_agent_goes_on(script: Script) -> None:
    _ask(script)
    script.tell(Complete, status="paused", stop_reason="paused")
    assert turn(script).status == "paused"
    script.tell(ApprovalResolved, approval_id="a1", decision="approved", by="ana")
    assert turn(script).status == "paused"
    script.tell(ToolResponse, tool_use_id="t", tool_name="order", content="", success=True)
    assert turn(script).status == "running"


def _plan(script: Script) -> None:
    steps = tuple(
        PlannedStep(step_id=f"s{index}", step_index=index, agent_id="erp", agent_name="ERP", task="work")
        for index in range(2)
    )
    script.tell(PlanGenerated, plan_id="p", query="q", steps=steps, estimated_steps=2)


def test_a_plan_shows_how_each_step_stands(script: Script) -> None:
    _plan(script)
    place: dict[str, Any] = {"plan_id": "p", "step_id": "s1", "step_index": 1}
    script.tell(PlanStepStarted, **place, agent_id="rag", agent_name="Documents", task="work")
    step = only(script, "plan").steps[1]
    assert (step.status, step.agent_id) == ("in_progress", "rag")
    script.tell(PlanStepCompleted, **place, status="failed", error="no")
    assert [step.status for step in only(script, "plan").steps] == ["pending", "failed"]


def test_a_handoff_introduces_both_agents_and_changes_the_current_one(script: Script) -> None:
    script.tell(AgentHandoff, handoff_id="h", from_agent=ERP, to_agent=RAG, reason="plan_step")
    view = fold(script.events)
    assert view.agents == {"erp": ERP, "rag": RAG}
    assert view.current_agent_id == "rag"


def test_usage_adds_up_until_the_turn_states_its_total(script: Script) -> None:
    script.tell(AssistantMessage, content="a", usage=Usage(input=1, output=2))
    script.tell(Thinking, content="b", usage=Usage(input=10, thinking=3))
    assert turn(script).usage == Usage(input=11, output=2, thinking=3)
    script.tell(Complete, status="success", usage=Usage(input=100))
    assert turn(script).usage == Usage(input=100)


def test_a_message_sent_meanwhile_waits_for_its_turn(script: Script) -> None:
    """O-2: one running turn per session."""
    first = turn(script).turn_id
    script.turn()
    script.tell(UserMessage, content="and this?")
    assert [view.status for view in fold(script.events).turns] == ["running", "queued"]
    script.back_to(first)
    script.tell(Complete, status="success")
    assert [view.status for view in fold(script.events).turns] == ["success", "running"]


def test_a_waiting_message_waits_through_a_pause(script: Script) -> None:
    """O-2: also while a turn waits for a decision."""
    first = turn(script).turn_id
    script.turn()
    script.tell(UserMessage, content="and this?")
    script.back_to(first)
    script.tell(Complete, status="paused")
    assert [view.status for view in fold(script.events).turns] == ["paused", "queued"]


def test_an_error_is_shown_and_leaves_the_verdict_to_the_turn(script: Script) -> None:
    script.tell(ErrorOccurred, code="X", message="no", category="transient", retryable=True)
    assert (only(script, "error").code, turn(script).status) == ("X", "running")


def test_title_and_last_feedback_are_kept(script: Script) -> None:
    script.tell(TitleChanged, title="Hello", is_automatic=False)
    script.tell(FeedbackGiven, target_message_id=MESSAGE, rating=-1)
    script.tell(FeedbackGiven, target_message_id=MESSAGE, rating=1, comment="better")
    view = fold(script.events)
    assert (view.title, view.is_title_automatic) == ("Hello", False)
    assert {key: (value.rating, value.comment) for key, value in view.feedback.items()} == {MESSAGE: (1, "better")}


def test_an_unknown_event_is_counted_and_kept_with_its_payload(script: Script) -> None:
    script.tell_unknown("weather", sky="rain")
    script.tell_unknown("weather", sky="sun")
    script.tell_unknown("breeze", is_stored=False)
    view = fold(script.events)
    assert view.unknown == {"weather": 2}
    assert [item.payload for item in view.turns[0].items if item.kind == "other"] == [{"sky": "rain"}, {"sky": "sun"}]


def test_progress_of_jobs_ends_with_the_turn(script: Script) -> None:
    script.tell(JobProgress, job_id="j", done=1.0)
    script.tell(JobProgress, job_id="j", done=2.0)
    assert [entry.done for entry in fold(script.events).progress] == [2.0]
    script.tell(Complete, status="success")
    assert fold(script.events).progress == ()


def test_the_position_is_that_of_the_last_visible_event(script: Script) -> None:
    script.tell(StepStarted, step_name="s", step_type="t", path="p")
    assert fold(script.events).last_sequence == 1


def test_a_new_epoch_goes_on_where_numbers_begin_again(script: Script) -> None:
    (hello,) = script.events
    again = UserMessage(content="after the restore", turn_id=hello.turn_id, sequence_number=1)
    view = fold([Delivered(hello, epoch=1), Delivered(again, epoch=2), Delivered(hello, epoch=1)])
    assert (view.epoch, view.last_sequence) == (2, 1)
    assert len(view.turns[0].items) == 2
