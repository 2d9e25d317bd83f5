"""The state of a turn: reducers, guards, and the way to JSON and back."""

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, StateGraph

from batuta.kernel.ids import new_id
from batuta.orchestration.plans import Plan, PlanStep
from batuta.orchestration.state import (
    ORCHESTRATOR,
    AgentState,
    DirectedModeContext,
    HandoffRecord,
    ToolExecution,
    dump_state,
    has_plan,
    is_directed,
    load_state,
    new_state,
    replace_plan,
    state_schema,
)

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
WORDS = st.text(min_size=1, max_size=20)


def plan() -> Plan:
    step = PlanStep(step_id=new_id(), step_index=0, agent_id="erp", task="look")
    return Plan(plan_id=new_id(), query="q", steps=(step,), created_at=NOW, updated_at=NOW)


def test_the_identity_before_any_agent_acts() -> None:
    """O-10."""
    assert (ORCHESTRATOR.agent_id, ORCHESTRATOR.agent_icon, ORCHESTRATOR.agent_color) == (
        "orchestrator",
        "🎯",
        "#8B5CF6",
    )
    assert new_state()["operation_mode"] == "autonomous"


def test_a_plan_replaces_the_one_before_and_is_stamped() -> None:
    first, second = plan(), plan()
    after = replace_plan(first, second)
    assert after is not None
    assert after.plan_id == second.plan_id
    assert after.updated_at > second.updated_at
    assert replace_plan(first, None) is None


def test_the_guards() -> None:
    """O-13."""
    target = DirectedModeContext(target_agent_id="erp")
    assert not has_plan(new_state())
    assert has_plan(new_state(plan=plan()))
    assert not is_directed(new_state(operation_mode="directed"))
    assert not is_directed(new_state(directed_mode_context=target))
    assert is_directed(new_state(operation_mode="directed", directed_mode_context=target))


async def test_a_graph_that_knows_only_the_old_fields_still_runs() -> None:
    """O-10: new fields have defaults."""

    async def answer(state: AgentState) -> dict[str, Any]:
        return {"messages": [AIMessage("hello")], "active_agent": "old", "tool_executions": []}

    graph = (
        StateGraph(AgentState).add_node("answer", answer).add_edge(START, "answer").add_edge("answer", END).compile()
    )
    state = await graph.ainvoke({"messages": [HumanMessage("hi")]})
    assert [message.content for message in state["messages"]] == ["hi", "hello"]
    assert state["active_agent"] == "old"
    assert not has_plan(new_state(**state))


@st.composite
def states(draw: st.DrawFn) -> AgentState:
    handoffs = st.builds(
        HandoffRecord,
        handoff_id=st.uuids().map(str),
        from_agent_id=WORDS,
        to_agent_id=WORDS,
        reason=st.sampled_from(["plan_step", "user_request", "clarification"]),
        payload=st.none() | st.dictionaries(WORDS, st.integers() | WORDS | st.none(), max_size=3),
        timestamp=st.datetimes(timezones=st.just(UTC)),
    )
    tools = st.builds(ToolExecution, tool_use_id=WORDS, tool_name=WORDS, result=WORDS, success=st.booleans())
    messages = st.one_of(
        st.builds(HumanMessage, content=WORDS),
        st.builds(AIMessage, content=WORDS),
        st.builds(ToolMessage, content=WORDS, tool_call_id=WORDS),
    )
    return new_state(
        messages=draw(st.lists(messages, max_size=3)),
        active_agent=draw(WORDS),
        context=draw(st.dictionaries(WORDS, st.integers() | WORDS | st.booleans(), max_size=3)),
        tool_executions=draw(st.lists(tools, max_size=3)),
        used_model=draw(st.none() | WORDS),
        plan=draw(st.none() | st.just(plan())),
        handoff_history=draw(st.lists(handoffs, max_size=3)),
        operation_mode=draw(st.sampled_from(["autonomous", "directed"])),
        directed_mode_context=draw(st.none() | st.builds(DirectedModeContext, target_agent_id=WORDS)),
    )


@given(states())
def test_every_state_comes_back_equal(state: AgentState) -> None:
    """O-13."""
    assert load_state(dump_state(state)) == state


def test_what_an_older_writer_did_not_know_has_its_default() -> None:
    state = load_state({"messages": [], "active_agent": "erp"})
    assert state["operation_mode"] == "autonomous"
    assert state["current_agent_identity"] == ORCHESTRATOR


@given(states())
def test_the_schema_of_the_state_describes_every_field_of_what_is_stored(state: AgentState) -> None:
    """O-11."""
    schema = state_schema()
    assert set(schema["properties"]) == set(AgentState.__annotations__)
    Draft202012Validator(schema).validate(json.loads(json.dumps(dump_state(state))))


def test_the_schema_refuses_messages_that_nobody_could_read_back() -> None:
    assert not Draft202012Validator(state_schema()).is_valid({"messages": ["hello"]})
