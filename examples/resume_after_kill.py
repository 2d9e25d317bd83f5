"""kill -9 in the middle of a turn: another process goes on, and what was done is not done again."""

import asyncio
import multiprocessing
import os
import signal
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from batuta import AgentStep, tool
from batuta.events import AssistantMessage, Complete, ToolRequest, TurnResumed
from batuta.events.queue import WorkStatus
from batuta.eventstore.teams import open_team_store
from batuta.kernel.ids import new_id
from batuta.orchestration import Orchestrator, Specialist, TurnWorker
from batuta.testing import FakeClock, Reply, ScriptedModel, ToolCall

SESSION = new_id()


def team(ledger: Path, model: ScriptedModel, *, is_doomed: bool) -> Orchestrator:
    @tool(effect="write")
    async def charge(amount: int) -> str:
        """Take the money."""
        with ledger.open("a") as book:
            book.write(f"charged {amount}\n")
        return f"charged {amount}"

    @tool(effect="idempotent")
    async def receipt(amount: int) -> str:
        """Print a receipt; printing it again does no harm."""
        with ledger.open("a") as book:
            book.write("printing\n")
        if is_doomed:
            await asyncio.sleep(60)  # here the process is killed
        return "printed"

    clerk = AgentStep(name="clerk", model=model, tools=[charge, receipt], output=str)
    return Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(clerk, name="Clerk")])


def first_life(database: Path, ledger: Path) -> None:
    """Runs in a process of its own until it is killed."""

    async def live() -> None:
        model = ScriptedModel(
            [
                Reply(tool_calls=[ToolCall("charge", {"amount": 40})]),
                Reply(tool_calls=[ToolCall("receipt", {"amount": 40})]),
            ]
        )
        async with open_team_store(database) as store:
            await TurnWorker.at(store, team(ledger, model, is_doomed=True)).run_until_idle()

    asyncio.run(live())


async def ask(database: Path) -> str:
    async with open_team_store(database) as store:
        return await store.say(SESSION, "Charge 40 and print a receipt.", target_agent_id="clerk")


async def second_life(database: Path, ledger: Path, turn_id: str) -> None:
    """Its model has one line: the two answers before it are in the log."""
    model = ScriptedModel([Reply("Charged 40; the receipt is printed.")])
    in_a_while = FakeClock(datetime.now(UTC) + timedelta(hours=1))  # the lease of the dead has run out by then
    async with open_team_store(database, clock=in_a_while) as store:
        assert (await store.queue.recover()).requeued
        await TurnWorker.at(store, team(ledger, model, is_doomed=False)).run_until_idle()

        work = await store.queue.get(turn_id)
        events = await store.events(SESSION)
    assert work is not None and work.status is WorkStatus.COMPLETED and work.attempts == 2
    assert ledger.read_text().splitlines() == ["charged 40", "printing", "printing"]  # charged once
    model.assert_finished()

    # The log reads as if nothing had happened, but for one line that says that something did.
    assert [event.reason for event in events if isinstance(event, TurnResumed)] == ["recovered"]
    assert [event.tool_name for event in events if isinstance(event, ToolRequest)] == ["charge", "receipt"]
    said = [event.content for event in events if isinstance(event, AssistantMessage)]
    assert said == ["Charged 40; the receipt is printed."]
    assert [event.status for event in events if isinstance(event, Complete)] == ["success"]
    assert [event.sequence_number for event in events] == list(range(1, len(events) + 1))


async def until_printing(ledger: Path) -> None:
    while not ledger.exists() or "printing" not in ledger.read_text():
        await asyncio.sleep(0.02)


def main(folder: Path) -> None:
    database, ledger = folder / "team.db", folder / "ledger.txt"
    turn_id = asyncio.run(ask(database))

    victim = multiprocessing.get_context("fork").Process(target=first_life, args=(database, ledger))
    victim.start()
    assert victim.pid is not None
    asyncio.run(until_printing(ledger))
    os.kill(victim.pid, signal.SIGKILL)
    victim.join()
    assert victim.exitcode == -signal.SIGKILL

    asyncio.run(second_life(database, ledger, turn_id))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        main(Path(directory))
