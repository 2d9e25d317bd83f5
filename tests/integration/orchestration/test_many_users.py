"""Two hundred turns of fifty users at once: nothing of one user reaches another (O-1, O-2)."""

import asyncio
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import pytest

from batuta import AgentStep
from batuta.events.conversation import AssistantMessage, Complete, UserMessage
from batuta.events.envelope import Event
from batuta.events.queue import WorkStatus
from batuta.events.tools import ToolResponse
from batuta.eventstore.teams import TeamStore
from batuta.kernel.ids import new_id
from batuta.llm.model import ModelRequest
from batuta.orchestration import Orchestrator, Specialist, TurnWorker, WorkerSettings
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools import ToolContext, ToolUser, tool
from tests.integration.orchestration.crew import Habit
from tests.support.stores import Store

USERS, SESSIONS_EACH = 50, 4
TOGETHER = USERS * SESSIONS_EACH
ALL = TOGETHER + USERS
"""One session of every user has a second message, which waits for the first."""
CANARY = re.compile(r"canary-[0-9A-F-]{36}")


@dataclass
class World:
    """What the tool saw, and the door that opens when everybody's first turn stands before it."""

    inside: Counter[str] = field(default_factory=Counter)
    most_at_once: int = 0
    doubled: list[str] = field(default_factory=list)
    found: dict[str, str] = field(default_factory=dict)
    """The canary of each message: the canary of the result it got."""
    strangers: list[str] = field(default_factory=list)
    all_there: asyncio.Event = field(default_factory=asyncio.Event)

    def team(self, owner_of: dict[str, str], session_of: dict[str, str]) -> Orchestrator:
        """One agent that looks up what it is asked for, and repeats it."""

        @tool(effect="read")
        async def look(word: str, ctx: ToolContext) -> str:
            """Look a word up."""
            session = session_of[word]
            self.inside[session] += 1
            if self.inside[session] > 1:
                self.doubled.append(session)
            if ctx.user.id != owner_of[word]:
                self.strangers.append(word)
            self.most_at_once = max(self.most_at_once, sum(self.inside.values()))
            if self.most_at_once == TOGETHER:
                self.all_there.set()
            await self.all_there.wait()
            self.found[word] = f"canary-{new_id()}"
            self.inside[session] -= 1
            return self.found[word]

        def rule(request: ModelRequest) -> Reply:
            if request.tool_results:
                return Reply(f"found {request.tool_results[-1].content}")
            word = CANARY.findall(request.messages[-1].text)[-1]
            return Reply(tool_calls=[ToolCall("look", {"word": word}, id=f"call-{new_id()}")])

        clerk = AgentStep(name="clerk", model=Habit(rule), output=str, tools=[look])
        return Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(clerk, name="Clerk")])


@pytest.mark.parametrize("opener", ["memory", "sqlite", "postgres"], indirect=True)
async def test_two_hundred_turns_of_fifty_users_never_mix(store: Store) -> None:
    """Canaries in every message and every result; one turn per session at a time; order kept."""
    team_store, world = TeamStore(store.log, store.queue), World()
    sessions = {new_id(): f"user-{n % USERS}" for n in range(TOGETHER)}
    asked: dict[str, list[str]] = defaultdict(list)
    owner_of: dict[str, str] = {}
    session_of: dict[str, str] = {}
    for session in [*sessions, *list(sessions)[:USERS]]:
        word = f"canary-{new_id()}"
        asked[session].append(word)
        owner_of[word], session_of[word] = sessions[session], session
        user = ToolUser(id=sessions[session])
        await team_store.say(session, f"look up {word}", target_agent_id="clerk", user=user)
    worker = TurnWorker.at(team_store, world.team(owner_of, session_of), WorkerSettings(concurrency=TOGETHER))
    await _run_until_all_are_done(worker, store)
    assert world.most_at_once == TOGETHER, "they were not at work at the same time"
    assert not world.doubled, "two turns of one session ran at once"
    assert not world.strangers, "a tool was called for another user"
    for session in sessions:
        _check_session(await team_store.events(session), asked[session], world.found)


async def _run_until_all_are_done(worker: TurnWorker, store: Store) -> None:
    stop = asyncio.Event()
    running = asyncio.create_task(worker.run(stop))
    async with asyncio.timeout(120):
        while (await store.queue.depth()).get(WorkStatus.COMPLETED, 0) < ALL:
            await asyncio.sleep(0.1)
    stop.set()
    await running


def _check_session(events: list[Event], asked: list[str], found: dict[str, str]) -> None:
    """Every canary of the session is its own; its turns came one after the other, in the order of the messages."""
    own = {*asked, *(found[word] for word in asked)}
    for event in events:
        strange = set(CANARY.findall(event.model_dump_json())) - own
        assert not strange, f"{event.type} holds {strange} of somebody else"
    assert [e.content for e in events if isinstance(e, UserMessage)] == [f"look up {word}" for word in asked]
    assert [e.content for e in events if isinstance(e, ToolResponse)] == [found[word] for word in asked]
    assert [e.content for e in events if isinstance(e, AssistantMessage)] == [f"found {found[word]}" for word in asked]
    work = [e.turn_id for e in events if not isinstance(e, UserMessage)]
    assert len([turn for turn, before in zip(work, [None, *work], strict=False) if turn != before]) == len(asked)
    assert [e.status for e in events if isinstance(e, Complete)] == ["success"] * len(asked)
