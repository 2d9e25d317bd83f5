"""Plans that are run: side by side, results handed on, told in order (O-23, O-24)."""

import asyncio
import json

from batuta import step
from batuta.events import (
    AgentHandoff,
    AssistantMessage,
    PlanCompleted,
    PlanGenerated,
    PlanStepCompleted,
    PlanStepStarted,
    ToolRequest,
    ToolResponse,
)
from batuta.llm.model import ModelRequest
from batuta.orchestration import (
    CannotHelpError,
    Orchestrator,
    Specialist,
    cannot_help,
)
from batuta.orchestration.plans import plan_from_events
from batuta.testing import Reply, ScriptedModel, ToolCall, crash_matrix
from batuta.tools import tool
from tests.unit.orchestration.teams import agent, failing, of, plan, team


async def test_independent_steps_run_side_by_side_and_results_are_handed_on() -> None:
    """O-23."""
    meeting = asyncio.Barrier(2)

    def specialist(name: str) -> Specialist:
        @step(name=name)
        async def work(task: str) -> str:
            await meeting.wait()
            return f"{name} did it"

        return Specialist(work, name=name.upper())

    tasks: list[str] = []

    @step
    async def last(task: str) -> str:
        tasks.append(task)
        return "merged"

    supervisor = [plan(("a", "do a", []), ("b", "do b", []), ("last", "merge", [0, 1])), Reply("All done [3].")]
    crew = team(supervisor, specialist("a"), specialist("b"), last)
    async with asyncio.timeout(60):
        turn = await crew.run("go")
    assert turn.answer == "All done [3]."
    assert tasks == ["merge\n\nResults of earlier steps:\n[1] A: a did it\n[2] B: b did it"]
    assert turn.plan is not None
    assert turn.plan.status == "completed"
    (last_word,) = [m for m in of(turn, AssistantMessage) if m.source_agent_id == "supervisor"]
    assert [(c.title, c.quote) for c in last_word.citations] == [
        ("A", "a did it"),
        ("B", "b did it"),
        ("LAST", "merged"),
    ]


async def test_the_life_cycle_of_a_plan_is_told_in_order_and_rebuilds_it() -> None:
    """O-11: the plan can be rebuilt from events alone."""
    supervisor = [plan(("erp", "look", []), ("rag", "read", [0])), Reply("done")]
    turn = await team(supervisor, agent("erp", [Reply("7")]), agent("rag", [Reply("8 %")])).run("q")
    told = [e for e in turn.events if isinstance(e, (PlanGenerated, PlanStepStarted, PlanStepCompleted, PlanCompleted))]
    assert [event.type for event in told] == [
        "plan_generated",
        "plan_step_started",
        "plan_step_completed",
        "plan_step_started",
        "plan_step_completed",
        "plan_completed",
    ]
    rebuilt = plan_from_events(turn.events)
    assert rebuilt is not None
    assert turn.plan is not None
    assert [(s.status, s.result) for s in rebuilt.steps] == [(s.status, s.result) for s in turn.plan.steps]
    assert rebuilt.status == turn.plan.status


async def test_handoffs_are_records_and_events() -> None:
    supervisor = [plan(("erp", "look", []), ("rag", "read", [0])), Reply("done")]
    turn = await team(supervisor, agent("erp", [Reply("7")]), agent("rag", [Reply("8 %")])).run("q")
    assert [(h.from_agent_id, h.to_agent_id, h.reason) for h in turn.handoffs] == [
        ("supervisor", "erp", "plan_step"),
        ("supervisor", "rag", "plan_step"),
    ]
    assert [event.handoff_id for event in of(turn, AgentHandoff)] == [h.handoff_id for h in turn.handoffs]
    assert turn.state["handoff_history"] == list(turn.handoffs)


async def test_a_worker_that_cannot_help_says_so_and_the_supervisor_decides() -> None:
    """O-24: workers never call workers."""
    supervisor = [plan(("a", "x", [])), Reply(json.dumps({"agent_id": "b", "reason": "b knows"}))]
    turn = await team(supervisor, failing("a", CannotHelpError("not mine")), failing("b", None)).run("q")
    assert turn.answer == "b did it"
    assert [(h.from_agent_id, h.to_agent_id, h.reason) for h in turn.handoffs][-1] == ("a", "b", "capability_match")


async def test_a_worker_that_cannot_help_is_replaced_wherever_the_turn_was_interrupted() -> None:
    """O-3, O-24: the failure comes back as what it was."""

    def supervised(request: ModelRequest) -> Reply:
        is_asked_who_can = "says: not mine" in request.messages[-1].text
        return Reply(json.dumps({"agent_id": "b", "reason": "b knows"})) if is_asked_who_can else plan(("a", "x", []))

    def crew() -> Orchestrator:
        return team([supervised] * 2, failing("a", CannotHelpError("not mine")), failing("b", None))

    report = await crash_matrix(crew, "q")
    report.check()
    assert report.boundaries > 20


async def test_a_model_says_that_a_task_is_not_its_own_with_a_tool() -> None:
    """O-24: nothing more is asked of it, the call is answered in the log, and the supervisor decides."""
    supervisor = [plan(("a", "x", [])), Reply(json.dumps({"agent_id": "b", "reason": "b knows"}))]
    worker = agent("a", [Reply(tool_calls=[ToolCall("cannot_help", {"reason": "I know stock"})])], tools=[cannot_help])
    turn = await team(supervisor, worker, failing("b", None)).run("q")
    assert turn.answer == "b did it"
    last = turn.handoffs[-1]
    assert (last.from_agent_id, last.to_agent_id, last.reason) == ("a", "b", "capability_match")
    assert last.explanation == "I know stock"
    assert turn.plan is not None
    assert [s.agent_id for s in turn.plan.steps] == ["b"], "the plan names who did it"
    rebuilt = plan_from_events(turn.events)
    assert rebuilt is not None
    assert [s.agent_id for s in rebuilt.steps] == ["b"], "and so do its events"
    assert turn.state["active_agent"] == "b"
    assert [event.content for event in of(turn, ToolResponse)] == ["I know stock"]


async def test_a_worker_answers_from_its_tools_first() -> None:
    """O-25: forced tool choice on the first call of a worker that has tools."""

    @tool
    async def stock(sku: str) -> int:
        """Stock."""
        return 7

    model = ScriptedModel([Reply(tool_calls=[ToolCall("stock", {"sku": "A"})]), Reply("Seven.")])
    worker = agent("erp", [], tools=[stock])
    with worker.override(model=model):
        turn = await team([plan(("erp", "look", []))], worker).run("q")
    assert turn.answer == "Seven."
    assert [request.tool_choice for request in model.requests] == ["required", "auto"]
    assert {event.source_agent_id for event in of(turn, ToolRequest)} == {"erp"}
