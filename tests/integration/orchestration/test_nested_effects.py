"""Agents inside tools: after a pause each call finds its own effects, and no call those of another (O-3)."""

from pathlib import Path

from batuta import AgentStep
from batuta.events.conversation import AssistantMessage
from batuta.eventstore.teams import open_team_store
from batuta.kernel.ids import new_id
from batuta.llm.model import ModelRequest
from batuta.orchestration import Orchestrator, Specialist, TurnWorker
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools import ApprovalDecision, tool
from tests.integration.orchestration.crew import Habit

CALLS = (
    ToolCall("write_to", {"who": "ana"}, id="call-1"),
    ToolCall("pay", {"amount": 1}, id="call-2"),
    ToolCall("write_to", {"who": "bob"}, id="call-3"),
)


def chief(request: ModelRequest) -> Reply:
    """Writes to Ana, pays, writes to Bob, and says what came of it."""
    done = [result for message in request.messages for result in message.tool_results]
    if len(done) < len(CALLS):
        return Reply(tool_calls=[CALLS[len(done)]])
    return Reply(" | ".join(result.content for result in done))


def clerk(request: ModelRequest) -> Reply:
    if request.tool_results:
        return Reply(request.tool_results[-1].content)
    return Reply(tool_calls=[ToolCall("send", {"to": request.messages[-1].text}, id="same-id-in-every-run")])


async def test_the_same_agent_in_two_tools_does_its_work_for_both_across_a_pause(tmp_path: Path) -> None:
    sent: list[str] = []

    @tool(effect="write")
    async def send(to: str) -> str:
        """Send a letter."""
        sent.append(to)
        return f"letter sent to {to}"

    helper = AgentStep(name="clerk", model=Habit(clerk), output=str, tools=[send])

    @tool(effect="idempotent")
    async def write_to(who: str) -> str:
        """Have the clerk write to somebody."""
        return (await helper.run(who)).value

    @tool(effect="write", approval="always")
    async def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    boss = AgentStep(name="chief", model=Habit(chief), output=str, tools=[write_to, pay])
    team = Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(boss, name="Chief")])
    async with open_team_store(tmp_path / "team.db") as store:
        session = new_id()
        await store.say(session, "go", target_agent_id="chief")
        await TurnWorker.at(store, team).run_until_idle()
        (asked,) = await store.waiting(session)
        await store.decide(asked, ApprovalDecision.approve(by="ana"))
        await TurnWorker.at(store, team).run_until_idle()
        answers = [e.content for e in await store.events(session) if isinstance(e, AssistantMessage)]
    assert sent == ["ana", "bob"]
    assert answers[-1] == "letter sent to ana | paid 1 | letter sent to bob"
