"""Killed at every event boundary, a turn goes on elsewhere as if nothing had happened (O-3, O-4)."""

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from batuta import AgentStep, Pipeline, action
from batuta.events import ApprovalRequested, ApprovalResolved, Event
from batuta.llm.model import ModelRequest
from batuta.orchestration import Orchestrator, Specialist
from batuta.testing import Reply, ScriptedModel, ToolCall, crash_matrix
from batuta.testing.views import seen_by_a_person, seen_in_order
from batuta.tools import ApprovalDecision, ToolContext, tool
from tests.integration.orchestration import busy_crew
from tests.integration.orchestration.crew import Ledger, build


async def test_cr03_a_turn_killed_at_every_event_boundary_ends_the_same() -> None:
    """Three steps, five tools: read, idempotent, write, write with approval, write nobody can check.

    Keys of writes hold their turn, so one ledger serves all turns of the matrix.
    """
    ledger = Ledger()

    def team() -> Orchestrator:
        return build(ledger)

    def same(events: Sequence[Event]) -> Any:
        return seen_by_a_person(events), seen_in_order(events)

    report = await crash_matrix(team, "go", same=same)
    report.check()
    assert report.boundaries > 60
    assert 1 <= len(report.asked) <= 4, report.asked
    assert set(ledger.writes.values()) == {1}, "a write happened twice"


async def test_cr03_a_busy_turn_killed_at_every_event_boundary_ends_the_same() -> None:
    """Side by side: a retry, a fallback, a correction, streams, an agent inside a tool, and a question to a person.

    Every seventh boundary, before and after an event in turn; all of them are in `python -m tests.chaos.boundaries`.
    """
    ledger = Ledger()
    told: list[Event] = []

    def same(events: Sequence[Event]) -> Any:
        told.extend(events)
        return seen_by_a_person(events)

    report = await crash_matrix(lambda: busy_crew.build(ledger), "go", same=same, stride=7)
    report.check()
    assert report.boundaries > 100
    assert set(ledger.writes.values()) == {1}, "a write happened twice"
    seen = {event.type for event in told}
    assert {"attempt.rejected", "agent.fallback.triggered", "approval_requested", "turn.resumed"} <= seen, seen


@pytest.mark.parametrize("is_done", [True, False])
@pytest.mark.parametrize("kind", ["graph", "action"])
async def test_whether_an_interrupted_graph_or_action_took_place_is_asked(kind: str, *, is_done: bool) -> None:
    """O-3: like a tool that nobody can check. The answer decides whether it is done again, and the turn succeeds."""
    sent: list[str] = []
    questions: list[ApprovalRequested] = []
    ends: list[str] = []

    def decide(asked: ApprovalRequested) -> ApprovalResolved:
        questions.append(asked)
        decision = "rejected" if is_done else "approved"
        return ApprovalResolved(approval_id=asked.approval_id, decision=decision, by="ana")

    def team() -> Orchestrator:
        work = _letter_graph(sent) if kind == "graph" else _letter_action(sent)
        specialist = Specialist(work, name="Post", agent_id="post", commands=("/post",))
        return Orchestrator(supervisor=ScriptedModel([]), agents=[specialist])

    def reset() -> None:
        sent.clear()

    def outcome(events: Any) -> list[Any]:
        ends.extend(event.status for event in events if event.type == "complete" and event.status != "paused")
        return []

    report = await crash_matrix(team, "/post to ana", decide=decide, same=outcome, reset=reset)
    report.check()
    assert len(report.asked) == 3, "after the intention is stored, before the outcome is, and while it is on its way"
    assert {asked.tool_name for asked in questions} == {"post"}
    assert all("to ana" in asked.args.values() for asked in questions)
    assert set(ends) == {"success"}


def _letter_graph(sent: list[str]) -> Any:
    def send(state: MessagesState) -> dict[str, Any]:
        sent.append(str(state["messages"][-1].content))
        return {"messages": [AIMessage("sent")]}

    graph = StateGraph(MessagesState)
    graph.add_node("send", send)
    graph.add_edge(START, "send")
    graph.add_edge("send", END)
    return graph.compile()


def _letter_action(sent: list[str]) -> Any:
    async def post(task: str) -> None:
        sent.append(task)

    return action(mode="transactional", rollback=lambda _: None)(post)


async def test_a_pipeline_whose_tool_is_approved_is_the_same_after_every_crash() -> None:
    """F-90: who decides about a bare run is its caller; that a call was asked about is no part of what it told."""
    paid: list[int] = []

    async def was_paid(args: dict[str, Any], ctx: ToolContext) -> str | None:
        return "paid" if args["amount"] in paid else None

    @tool(effect="write", approval="always", reconcile=was_paid)
    async def pay(amount: int) -> str:
        """Pay somebody."""
        paid.append(amount)
        return "paid"

    def line(request: ModelRequest) -> Reply:
        if request.tool_results:
            return Reply("; ".join(result.content for result in request.tool_results))
        return Reply(tool_calls=[ToolCall("pay", {"amount": amount}, id=str(amount)) for amount in (100, 200, 300)])

    def decide(asked: ApprovalRequested) -> ApprovalDecision:
        if asked.args["amount"] == 200:
            return ApprovalDecision.reject("too much")
        return ApprovalDecision.edit({"amount": 30}) if asked.args["amount"] == 300 else ApprovalDecision.approve()

    def cashier() -> AgentStep[str, str]:
        return AgentStep(name="cashier", model=ScriptedModel([line, line]), tools=[pay], output=str)

    report = await crash_matrix(
        lambda: Pipeline("till", cashier()), "pay", decide=decide, reset=paid.clear, outside=lambda: sorted(paid)
    )
    report.check()
    assert report.boundaries > 10
    assert sorted(paid) == [30, 100]
