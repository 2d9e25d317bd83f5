"""What becomes a member of a team, and what is refused (O-14, O-20)."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

from batuta import step
from batuta.events import (
    AgentExecutionStarted,
    AssistantMessage,
    StepCompleted,
    StepFailed,
    StepStarted,
)
from batuta.kernel.errors import ConfigurationError
from batuta.orchestration import (
    FailurePolicy,
    Orchestrator,
    Specialist,
)
from batuta.orchestration.state import AgentState
from batuta.testing import Reply, ScriptedModel
from tests.unit.orchestration.teams import agent, of, plan, team


async def test_agents_of_a_specialist_work_for_the_trace_of_the_turn() -> None:
    """T-1: they are sub-agents; the supervisor is not."""
    turn = await team([plan(("erp", "stock?", []))], agent("erp", [Reply("7 left")])).run("How many?")
    supervisor, worker = of(turn, AgentExecutionStarted)
    assert (worker.agent_name, worker.parent_trace_id) == ("erp", supervisor.trace_id)
    assert (worker.trace_id, supervisor.parent_trace_id) == (supervisor.trace_id, None)


async def test_the_step_around_a_specialists_work_is_not_reported_beside_it() -> None:
    turn = await team([plan(("erp", "stock?", []))], agent("erp", [Reply("7 left")])).run("How many?")
    began = [event.path for event in of(turn, StepStarted)]
    assert began == [event.path for event in of(turn, StepStarted) if event.step_type != "SpecialistStep"]
    assert "step-1/erp/erp" in began
    assert sorted(began) == sorted(event.path for event in of(turn, StepCompleted))


async def test_the_step_around_a_specialists_work_is_reported_when_it_fails_itself() -> None:
    @step
    async def unspeakable(task: str) -> Any:
        return object()  # which no text can be made of

    turn = await team([plan(("unspeakable", "speak", []))], unspeakable).run("Say it")
    reported = [
        (event.type, event.path)
        for event in turn.events
        if isinstance(event, (StepStarted, StepFailed)) and event.step_type == "SpecialistStep"
    ]
    assert reported == [("step.started", "step-1/unspeakable"), ("step.failed", "step-1/unspeakable")]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"failure_policy": {"stand_ins": {"erp": "ghost"}}}, "no agent 'ghost'; there are erp"),
        ({"failure_policy": {"stand_ins": {"erp": "erp"}}}, "cannot stand in for itself"),
        ({"failure_policy": {"retries": -1}}, "retries is 0 or more"),
        ({"failure_policy": {"then": "skip"}}, "one of skip_dependents, fail_plan"),
        ({"max_steps": 0}, "max_steps is at least 1"),
    ],
)
def test_a_team_that_could_not_work_is_refused(options: dict[str, Any], words: str) -> None:
    def build() -> None:
        policy = FailurePolicy(**options.pop("failure_policy", {}))
        team([], agent("erp", []), failure_policy=policy, **options)

    with pytest.raises(ConfigurationError, match=words):
        build()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            "nonsense",
            "supervisor: a model is named provider:model, such as anthropic:claude-sonnet-4-6; got 'nonsense'",
        ),
        ("acme:large", "supervisor: unknown provider 'acme' in 'acme:large'; known are anthropic, .*openai"),
    ],
)
def test_a_supervisor_that_names_no_model_is_refused_at_once(model: str, words: str) -> None:
    """And not in the first turn."""
    with pytest.raises(ConfigurationError, match=words):
        Orchestrator(supervisor=model, agents=[Specialist(agent("erp", []), name="ERP")])


async def test_a_langgraph_graph_is_a_specialist() -> None:
    """O-14: what it returns is told as events attributed to it."""

    async def think(state: AgentState) -> dict[str, Any]:
        return {"messages": [AIMessage("From the graph.", response_metadata={"model_name": "m-1"})]}

    graph = StateGraph(AgentState).add_node("think", think).add_edge(START, "think").add_edge("think", END).compile()
    foreign = Specialist(graph, name="Graph", agent_id="graph", effect="read")
    turn = await team([plan(("graph", "x", []))], foreign).run("q")
    assert turn.answer == "From the graph."
    (message,) = of(turn, AssistantMessage)
    assert (message.source_agent_id, message.content) == ("graph", "From the graph.")


async def test_a_graph_that_says_nothing_fails_with_what_to_do() -> None:
    async def keep(state: AgentState) -> dict[str, Any]:
        return {"context": {"answer": "42"}}

    graph = StateGraph(AgentState).add_node("keep", keep).add_edge(START, "keep").add_edge("keep", END).compile()
    turn = await team([], Specialist(graph, name="Graph", agent_id="graph")).run("q", target_agent_id="graph")
    # What it was asked is no answer.
    assert turn.status == "failed"
    assert turn.error is not None
    assert "answers there" in turn.error.message


def test_what_cannot_be_a_specialist_is_refused_with_a_reason() -> None:
    @step
    async def wrong(number: int) -> str:
        return ""

    for work in (wrong, object()):
        with pytest.raises(ConfigurationError):
            Specialist(work, name="X")
    with pytest.raises(ConfigurationError, match=r"a card has no colour; it has .*color"):
        Specialist(agent("a", []), name="X", colour="#0EA5E9")
    silent = StateGraph(AgentState).add_node("think", lambda state: {}).add_edge(START, "think").compile()
    with pytest.raises(ConfigurationError, match="one of read, idempotent, write"):
        Specialist(silent, name="X", effect="writes")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="made of specialists"):
        Orchestrator(supervisor=ScriptedModel([]), agents=[wrong])  # type: ignore[list-item]
    with pytest.raises(ConfigurationError, match="more than one word"):
        team([], Specialist(agent("a", []), name="A", commands=("/a b",)))
    with pytest.raises(ConfigurationError, match="another agent_id"):
        team([], agent("a", []), agent("a", []))


async def test_a_graph_that_interrupts_is_told_what_to_do_instead() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("ask", lambda _: interrupt("may I?"))
    graph.add_edge(START, "ask")
    turn = await team([], Specialist(graph.compile(), name="G", agent_id="g", commands=("/g",))).run("/g hi")
    assert turn.error is not None
    assert "g called interrupt()" in turn.error.message
    assert 'approval="always"' in turn.error.message
