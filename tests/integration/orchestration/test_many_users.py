"""Two hundred turns of fifty users at once: nothing of one user reaches another (O-1, O-2).

A third of them is directed to one agent, a third is answered by the supervisor, a third is a plan of two steps; three
workers run them.
"""

import asyncio
import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import pytest

from batuta import AgentStep
from batuta.events.conversation import AssistantMessage, Complete, UserMessage
from batuta.events.envelope import Event
from batuta.events.queue import WorkStatus
from batuta.events.tools import ToolResponse
from batuta.eventstore.teams import TeamStore
from batuta.kernel.ids import new_id
from batuta.kernel.messages import Answer
from batuta.llm.model import ModelRequest
from batuta.orchestration import Orchestrator, Specialist, TurnWorker, WorkerSettings
from batuta.testing import Reply, ToolCall
from batuta.tools import ToolContext, ToolUser, tool
from tests.integration.orchestration.crew import Habit
from tests.support.stores import Store

USERS, SESSIONS_EACH = 50, 4
TOGETHER = USERS * SESSIONS_EACH
ALL = TOGETHER + USERS
"""One session of every user has a second message, which waits for the first."""
WORKERS = 3
CANARY = re.compile(r"canary-[0-9A-F-]{36}")
WAYS = ("look up", "answer", "plan")
"""How a message begins, and what it asks for: directed, answered by the supervisor, or planned by it."""


@dataclass(frozen=True)
class Asked:
    """A message: what it says, the canary in it, and whose it is."""

    way: str
    word: str
    session: str
    user: str

    @property
    def text(self) -> str:
        return f"{self.way} {self.word}"

    def answer(self, found: dict[str, str]) -> str:
        """What has to come of it."""
        if self.way == "answer":
            return f"heard {self.word}"
        return f"found {found[self.word]}" if self.way == "look up" else f"concluded {found[self.word]} [1] [2]"


@dataclass
class World:
    """What tools and models saw, and the door that opens when everybody's first turn stands before it."""

    asked: dict[str, Asked] = field(default_factory=dict)
    """By canary."""
    inside: Counter[str] = field(default_factory=Counter)
    most_at_once: int = 0
    doubled: list[str] = field(default_factory=list)
    found: dict[str, str] = field(default_factory=dict)
    """The canary of each message: the canary of the result it got."""
    strangers: list[str] = field(default_factory=list)
    all_there: asyncio.Event = field(default_factory=asyncio.Event)

    async def pass_door(self, word: str) -> None:
        """Come in, wait until everybody is there, and leave."""
        session = self.asked[word].session
        self.inside[session] += 1
        if self.inside[session] > 1:
            self.doubled.append(session)
        self.most_at_once = max(self.most_at_once, sum(self.inside.values()))
        if self.most_at_once == TOGETHER:
            self.all_there.set()
        await self.all_there.wait()
        self.inside[session] -= 1

    def team(self) -> Orchestrator:
        """A clerk who looks up what it is asked for, a scribe who repeats it, and their supervisor."""

        @tool(effect="read")
        async def look(word: str, ctx: ToolContext) -> str:
            """Look a word up."""
            if ctx.user.id != self.asked[word].user:
                self.strangers.append(word)
            await self.pass_door(word)
            self.found[word] = f"canary-{new_id()}"
            return self.found[word]

        def clerk(request: ModelRequest) -> Reply:
            if request.tool_results:
                return Reply(f"found {request.tool_results[-1].content}")
            return Reply(tool_calls=[ToolCall("look", {"word": _last_canary(request)}, id=f"call-{new_id()}")])

        def scribe(request: ModelRequest) -> Reply:
            return Reply(f"wrote {_last_canary(request)}")

        looker = AgentStep(name="clerk", model=Habit(clerk), output=str, tools=[look])
        writer = AgentStep(name="scribe", model=Habit(scribe), output=str)
        agents = [Specialist(looker, name="Clerk"), Specialist(writer, name="Scribe")]
        return Orchestrator(supervisor=Conducting(self), agents=agents)


class Conducting(Habit):
    """A supervisor that answers by itself, or has a word looked up and written down."""

    def __init__(self, world: World) -> None:
        super().__init__(_supervise)
        self._world = world

    async def generate(self, request: ModelRequest) -> Answer:
        if request.messages[-1].text.startswith("answer"):
            await self._world.pass_door(_last_canary(request))
        return await super().generate(request)


def _supervise(request: ModelRequest) -> Reply:
    text, word = request.messages[-1].text, _last_canary(request)
    if "Results of earlier steps:" in text:
        return Reply(f"concluded {word} [1] [2]")
    if text.startswith("answer"):
        return Reply(json.dumps({"answer": f"heard {word}"}))
    steps: list[dict[str, Any]] = [{"agent_id": "clerk", "task": f"look up {word}"}]
    return Reply(json.dumps({"steps": [*steps, {"agent_id": "scribe", "task": "write it", "depends_on": [0]}]}))


def _last_canary(request: ModelRequest) -> str:
    return str(CANARY.findall(request.messages[-1].text)[-1])


@pytest.mark.parametrize("opener", ["memory", "sqlite", "postgres"], indirect=True)
async def test_two_hundred_turns_of_fifty_users_never_mix(store: Store) -> None:
    """Canaries in every message and every result; one turn per session at a time; order kept."""
    team_store, world = TeamStore(store.log, store.queue), World()
    sessions = {new_id(): f"user-{n % USERS}" for n in range(TOGETHER)}
    asked: dict[str, list[Asked]] = defaultdict(list)
    for session, way in zip([*sessions, *list(sessions)[:USERS]], cycle(WAYS), strict=False):
        said = Asked(way, f"canary-{new_id()}", session, sessions[session])
        asked[session].append(said)
        world.asked[said.word] = said
        target = "clerk" if way == "look up" else None
        await team_store.say(session, said.text, target_agent_id=target, user=ToolUser(id=said.user))
    settings = [WorkerSettings(concurrency=TOGETHER // WORKERS + 1) for _ in range(WORKERS)]
    await _run_until_all_are_done([TurnWorker.at(team_store, world.team(), each) for each in settings], store)
    assert world.most_at_once == TOGETHER, "they were not at work at the same time"
    assert not world.doubled, "two turns of one session ran at once"
    assert not world.strangers, "a tool was called for another user"
    for session in sessions:
        _check_session(await team_store.events(session), asked[session], world.found)


async def _run_until_all_are_done(workers: Sequence[TurnWorker], store: Store) -> None:
    stop = asyncio.Event()
    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        for worker in workers:
            group.create_task(worker.run(stop))
        while (await store.queue.depth()).get(WorkStatus.COMPLETED, 0) < ALL:
            await asyncio.sleep(0.1)
        stop.set()


def _check_session(events: list[Event], asked: list[Asked], found: dict[str, str]) -> None:
    """Every canary of the session is its own; its turns came one after the other, in the order of the messages."""
    looked_up = [found[each.word] for each in asked if each.way != "answer"]
    own = {*(each.word for each in asked), *looked_up}
    for event in events:
        strange = set(CANARY.findall(event.model_dump_json())) - own
        assert not strange, f"{event.type} holds {strange} of somebody else"
    assert [e.content for e in events if isinstance(e, UserMessage)] == [each.text for each in asked]
    assert [e.content for e in events if isinstance(e, ToolResponse)] == looked_up
    answers = {e.turn_id: e.content for e in events if isinstance(e, AssistantMessage)}
    assert list(answers.values()) == [each.answer(found) for each in asked]
    work = [e.turn_id for e in events if not isinstance(e, UserMessage)]
    assert len([turn for turn, before in zip(work, [None, *work], strict=False) if turn != before]) == len(asked)
    assert [e.status for e in events if isinstance(e, Complete)] == ["success"] * len(asked)
