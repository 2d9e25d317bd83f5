"""Whom a request goes to: a person's choice first, then a slash command, then the supervisor."""

import asyncio
import json

from batuta import step
from batuta.events import AgentDecisionRecorded, AgentHandoff
from batuta.orchestration import Orchestrator, Specialist
from batuta.testing import CapturingSink, Reply, ScriptedModel


@step(name="erp_agent")
async def erp(task: str) -> str:
    return f"ERP: {task}"


@step(name="rag_agent")
async def rag(task: str) -> str:
    return f"Documents: {task}"


def team(*lines: Reply) -> tuple[Orchestrator, ScriptedModel]:
    supervisor = ScriptedModel(lines)
    agents = [
        Specialist(erp, name="ERP", icon="📊", commands=("/erp",), description="Orders and invoices"),
        Specialist(rag, name="Documents", icon="📚", commands=("/docs",), description="Contracts and manuals"),
    ]
    return Orchestrator(supervisor=supervisor, agents=agents), supervisor


async def main() -> None:
    # The user picked an agent: the supervisor is not asked, and the log says why.
    sink = CapturingSink()
    conductor, supervisor = team()
    turn = await conductor.run("late invoices", target_agent_id="erp_agent", sink=sink)
    assert (turn.answer, turn.mode, turn.plan) == ("ERP: late invoices", "directed", None)
    assert not supervisor.requests
    [decision] = [event for event in sink.of(AgentDecisionRecorded) if event.decision_type == "routing"]
    assert decision.reasoning == "the user chose the agent"
    [handoff] = sink.of(AgentHandoff)
    assert handoff.reason == "user_request"

    # A slash command means the same; the agent gets the text without it.
    turn = await conductor.run("/docs interest in the contract")
    assert turn.answer == "Documents: interest in the contract" and not supervisor.requests

    # Directed without bypassing: the supervisor is asked, limited to that agent.
    plan = Reply(json.dumps({"steps": [{"agent_id": "rag_agent", "task": "find the interest", "depends_on": []}]}))
    conductor, supervisor = team(plan)
    turn = await conductor.run("Interest?", target_agent_id="rag_agent", bypass_routing=False)
    assert turn.answer == "Documents: find the interest"  # one worker's answer passes through unchanged
    assert "Use only the agent rag_agent" in supervisor.requests[0].text

    # Nobody is named: the supervisor decides, and may answer by itself.
    conductor, supervisor = team(Reply('{"answer": "Good morning."}'))
    assert (await conductor.run("Hello")).answer == "Good morning."

    # A target that does not exist is a clear error, not a guess.
    turn = await conductor.run("hm", target_agent_id="crystal_ball")
    assert turn.error is not None and "there are erp_agent, rag_agent" in turn.error.message


asyncio.run(main())
