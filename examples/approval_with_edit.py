"""A write waits for a person, for minutes or for days: the turn holds nothing, and what is approved is what is executed."""

import asyncio
import tempfile
from datetime import timedelta
from pathlib import Path

from batuta import AgentStep, tool
from batuta.events import ApprovalRequested, Complete, ToolResponse
from batuta.events.queue import WorkStatus
from batuta.eventstore.teams import open_team_store
from batuta.kernel.errors import ConflictError
from batuta.kernel.ids import new_id
from batuta.orchestration import Orchestrator, Specialist, TurnWorker, allow_below
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools import ApprovalDecision, ToolContext

transfers: dict[str, tuple[str, int]] = {}


async def was_sent(args: dict[str, object], ctx: ToolContext) -> str | None:
    """After an interruption: did it happen? The bank knows the key."""
    return "sent" if ctx.idempotency_key in transfers else None


@tool(
    effect="write",
    approval="always",
    preview=lambda args: f"Pay {args['amount']} € to {args['to']}",
    reconcile=was_sent,
)
async def transfer(to: str, amount: int, ctx: ToolContext) -> str:
    """Send money."""
    transfers[ctx.idempotency_key] = (to, amount)
    return f"sent {amount} € to {to}"


def team(*lines: Reply) -> Orchestrator:
    clerk = AgentStep(name="clerk", model=ScriptedModel(lines), tools=[transfer], output=str)
    policies = [allow_below("transfer", "amount", 50)]  # small ones need nobody
    return Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(clerk, name="Clerk")], approval_policies=policies)


def pay(amount: int) -> Reply:
    return Reply(tool_calls=[ToolCall("transfer", {"to": "ACME", "amount": amount})])


async def main(path: Path) -> None:
    session = new_id()
    async with open_team_store(path) as store:
        turn_id = await store.say(session, "Pay the deposit.", target_agent_id="clerk")
        await TurnWorker.at(store, team(pay(900))).run_until_idle()

        # It waits: a row in the queue and two events in the log. No process, no connection, no memory.
        work = await store.queue.get(turn_id)
        assert work is not None and work.status is WorkStatus.PAUSED
        assert not transfers

    # Days later, perhaps in another process: somebody looks, lowers the amount, and the turn goes on.
    async with open_team_store(path) as store:
        [asked] = await store.waiting(session)
        assert asked.preview == "Pay 900 € to ACME" and asked.source_agent_id == "clerk"
        assert asked.expires_at is not None and asked.expires_at - asked.timestamp > timedelta(days=6)
        await store.decide(asked, ApprovalDecision.edit({"to": "ACME", "amount": 90}, by="ana"))
        await TurnWorker.at(store, team(Reply("Paid the 90 € that were approved."))).run_until_idle()

        assert list(transfers.values()) == [("ACME", 90)]
        events = await store.events(session)
        [answer] = [event for event in events if isinstance(event, ToolResponse)]
        assert answer.success and answer.content == "sent 90 € to ACME"
        assert [event.status for event in events if isinstance(event, Complete)] == ["paused", "success"]

        # Each decision counts once, however often it is sent; another one comes too late.
        await store.decide(asked, ApprovalDecision.edit({"to": "ACME", "amount": 90}, by="ana"))
        try:
            await store.decide(asked, ApprovalDecision.reject("too much", by="eve"))
        except ConflictError as error:
            assert "the first decision counts" in str(error)
        else:
            raise AssertionError("two decisions about one call")
        assert await TurnWorker.at(store, team()).run_until_idle() == 0 and len(transfers) == 1

        # A policy decides about small amounts: nobody is asked.
        await store.say(session, "Pay the stamps.", target_agent_id="clerk")
        await TurnWorker.at(store, team(pay(5), Reply("Paid 5 €."))).run_until_idle()
        assert list(transfers.values())[-1] == ("ACME", 5)
        assert sum(isinstance(event, ApprovalRequested) for event in await store.events(session)) == 1


with tempfile.TemporaryDirectory() as folder:
    asyncio.run(main(Path(folder) / "team.db"))
