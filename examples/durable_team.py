"""A team whose turns are in a file: messages wait in order, workers come and go, and the log is the conversation."""

import asyncio
import tempfile
from pathlib import Path

from batuta import AgentStep
from batuta.events.queue import WorkStatus
from batuta.eventstore.replay import session_view
from batuta.eventstore.teams import open_team_store
from batuta.kernel.ids import new_id
from batuta.observability.timeline import timeline_of
from batuta.orchestration import Orchestrator, Specialist, TurnWorker
from batuta.testing import Reply, ScriptedModel, crash_matrix


def team(*lines: Reply) -> tuple[Orchestrator, ScriptedModel]:
    model = ScriptedModel(lines)
    clerk = AgentStep(name="clerk", model=model, instructions="Be brief.", output=str)
    specialist = Specialist(clerk, name="Clerk", icon="🧾", commands=("/clerk",))
    return Orchestrator(supervisor=ScriptedModel([]), agents=[specialist]), model


async def main(path: Path) -> None:
    session = new_id()

    # One process takes messages. An accepted message is on disk, and sending it twice is one turn.
    async with open_team_store(path) as store:
        first = await store.say(session, "I am Ana.", target_agent_id="clerk", client_key="m1")
        again = await store.say(session, "I am Ana.", target_agent_id="clerk", client_key="m1")
        assert first == again
        await store.say(session, "Who am I?", target_agent_id="clerk", client_key="m2")

    # Another runs them, one after the other, each with what was said before.
    async with open_team_store(path) as store:
        workers, model = team(Reply("Hello Ana."), Reply("You are Ana."))
        assert await TurnWorker.at(store, workers).run_until_idle() == 2
        assert [message.text for message in model.requests[1].messages] == ["I am Ana.", "Hello Ana.", "Who am I?"]
        work = await store.queue.get(first)
        assert work is not None and work.status is WorkStatus.COMPLETED

    # A third looks: the view a person had, and the timeline of what happened, from the log alone.
    async with open_team_store(path) as store:
        view = await session_view(store.log, session)
        assert [turn.status for turn in view.turns] == ["success", "success"]
        told = timeline_of(await store.events(session))
        assert told.summary.agents_executed == ("clerk",) and told.summary.model_calls == 2
        assert (await store.log.durability()).rpo_seconds == 0  # a power cut costs nothing that was acknowledged

    # And before any of that goes into production: kill it before and after every event, in memory.
    report = await crash_matrix(lambda: team(Reply("Hello."))[0], "/clerk hello")
    report.check()
    assert report.boundaries > 5


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(Path(folder) / "team.db"))
