"""Re-execution: recorded effects come back, later ones may change, nothing is ever written (T-26)."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from batuta import AgentStep, Pipeline, action
from batuta.events import ApprovalRequested, ApprovalResolved, EffectRecorded, Event, ToolResponse, UserMessage
from batuta.events.emitter import Stamp
from batuta.eventstore.journal import DurableJournal
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.eventstore.recorder import TurnRecorder
from batuta.eventstore.teams import TeamStore
from batuta.kernel.errors import NotRecordedError
from batuta.kernel.ids import new_id
from batuta.kernel.messages import Answer
from batuta.llm.model import ModelRequest
from batuta.orchestration import Orchestrator, Specialist
from batuta.orchestration.rerun import Changes, RecordedTurn, Rerun, recorded_turn, rerun
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools import tool
from batuta.tools.context import ToolUser
from tests.support.turns import TurnPersistence, say

Rule = Callable[[ModelRequest], Reply]


class Habit:
    """A model that answers by a rule, counts how often it was asked and keeps the prompts."""

    provider = "habit"

    def __init__(self, rule: Rule, name: str = "habit-1") -> None:
        self.name = name
        self.prompts: list[str] = []
        self._rule = rule

    async def generate(self, request: ModelRequest) -> Answer:
        self.prompts.append(request.system)
        return await ScriptedModel([self._rule(request)]).generate(request)

    async def stream(self, request: ModelRequest) -> Any:
        yield await self.generate(request)


class World:
    """Everything that was really done."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()

    def tools(self) -> list[Any]:
        done = self.done

        @tool(effect="read")
        async def look(n: int) -> str:
            """Look something up."""
            done["look"] += 1
            return f"saw {n}"

        @tool(effect="idempotent")
        async def publish(page: str) -> str:
            """Publish a page."""
            done["publish"] += 1
            return f"published {page}"

        @tool(effect="write", approval="always", roles=["clerk"], redact=["pin"])
        async def book(day: str, pin: str) -> str:
            """Book a day."""
            done["book"] += 1
            return f"booked {day}"

        return [look, publish, book]


def supervise(request: ModelRequest) -> Reply:
    if "Results of earlier steps:" in request.messages[-1].text:
        return Reply("All done [1] [2].")
    steps = [{"agent_id": "scout", "task": "look"}, {"agent_id": "clerk", "task": "book", "depends_on": [0]}]
    return Reply(json.dumps({"steps": steps}))


def works(*calls: ToolCall) -> Rule:
    def rule(request: ModelRequest) -> Reply:
        if request.tool_results:
            return Reply("; ".join(result.content for result in request.tool_results))
        return Reply(tool_calls=calls)

    return rule


SCOUT = works(ToolCall("look", {"n": 1}, id="s1"), ToolCall("publish", {"page": "home"}, id="s2"))
CLERK = works(ToolCall("book", {"day": "monday", "pin": "1234"}, id="c1"))


class Stage:
    """A team, its world, and a log that holds one finished turn."""

    def __init__(self) -> None:
        self.world = World()
        look, publish, book = self.world.tools()
        self.models = {"supervisor": Habit(supervise), "scout": Habit(SCOUT), "clerk": Habit(CLERK)}
        scout = AgentStep(name="scout", model=self.models["scout"], output=str, tools=[look, publish])
        clerk = AgentStep(
            name="clerk", model=self.models["clerk"], output=str, tools=[look, book], instructions="Be exact."
        )
        agents = [Specialist(scout, name="Scout"), Specialist(clerk, name="Clerk")]
        self.team = Orchestrator(supervisor=self.models["supervisor"], agents=agents)
        self.log = MemoryEventLog()
        self.queue = MemoryTurnQueue(self.log)
        self.session = new_id()

    async def play(self, text: str = "go") -> "RecordedTurn":
        turn_id = await say(self.queue, self.session, text, roles=["clerk"])
        worker = TurnWorker(self.team, self.queue, self.log, TurnPersistence(self.log), WorkerSettings(owner="w"))
        await worker.run_until_idle()
        (asked,) = [e for e in await self.events() if isinstance(e, ApprovalRequested) and e.turn_id == turn_id]
        answer = ApprovalResolved(
            approval_id=asked.approval_id, decision="approved", by="ana", session_id=self.session, turn_id=turn_id
        )
        await self.log.append(self.session, [answer])
        await self.queue.resume(turn_id, waiting_for=asked.approval_id)
        await worker.run_until_idle()
        self.world.done.clear()
        for model in self.models.values():
            model.prompts.clear()
        return await self.recorded(turn_id)

    async def recorded(self, turn_id: str) -> RecordedTurn:
        return recorded_turn(await self.events(), turn_id, user=ToolUser(roles=frozenset({"clerk"})))

    async def events(self) -> list[Event]:
        return list((await self.log.read(self.session, limit=10_000)).events)

    @property
    def asked(self) -> int:
        return sum(len(model.prompts) for model in self.models.values())


@pytest.fixture
async def stage() -> Stage:
    return Stage()


def live(again: Rerun) -> list[str]:
    return [effect.name for effect in again.effects if effect.source == "live"]


async def test_a_turn_runs_again_from_the_log_alone(stage: Stage) -> None:
    """T-26: no model and no tool is called, and everything comes out the same."""
    turn = await stage.play()
    again = await rerun(stage.team, turn)
    assert again.diff.is_same
    assert again.diff.events == ()
    assert again.turn.answer == "All done [1] [2]."
    assert (stage.asked, stage.world.done) == (0, Counter())
    assert {effect.source for effect in again.effects} == {"recorded"}


async def test_nothing_is_written_to_the_session(stage: Stage) -> None:
    turn = await stage.play()
    before = await stage.events()
    await rerun(stage.team, turn)
    await rerun(stage.team, turn, start=turn.place("clerk"))
    assert await stage.events() == before


async def test_from_every_effect_on_the_same_models_come_to_the_same_and_nothing_is_written(stage: Stage) -> None:
    """T-26: cut at each effect; write tools run 0 times."""
    turn = await stage.play()
    cuts = [event for event in turn.events if isinstance(event, EffectRecorded)]
    assert len(cuts) == 9
    for cut in cuts:
        again = await rerun(stage.team, turn, start=turn.place(cut.event_id))
        assert again.diff.is_same, cut.key
        assert again.diff.events == (), cut.key
        assert cut.name not in [e.name for e in again.effects if e.key == cut.key and e.source == "recorded"]
    assert stage.world.done["book"] == 0
    assert stage.world.done["publish"] == 0
    assert stage.world.done["look"] > 0
    assert stage.asked > 0


async def test_effects_before_the_cut_are_recorded_and_the_rest_is_live(stage: Stage) -> None:
    turn = await stage.play()
    again = await rerun(stage.team, turn, start=turn.place("clerk"))
    assert live(again) == ["model:1", "model:2", "model:1"]
    assert [len(model.prompts) for model in stage.models.values()] == [1, 0, 2]


async def test_a_changed_model_changes_what_follows_and_the_diff_says_where(stage: Stage) -> None:
    """T-26: the write it asks for has other arguments, so it gets a stand-in."""
    turn = await stage.play()
    other = Habit(works(ToolCall("book", {"day": "tuesday", "pin": "1234"}, id="x")), name="other")
    again = await rerun(stage.team, turn, start=turn.place("clerk"), changes=Changes(model=other, agent="clerk"))
    changed = [step for step in again.diff.steps if not step.is_same]
    assert [step.place for step in changed] == ["step-2/clerk/clerk"]
    assert changed[0].before is not None
    assert changed[0].after is not None
    assert changed[0].before.output == {"value": "booked monday"}
    assert "stand-in" in str(changed[0].after.output)
    assert [(write.name, write.source) for write in again.diff.writes] == [
        ("publish", "recorded"),
        ("book", "stand_in"),
    ]
    assert again.diff.writes[1].args == {"day": "tuesday", "pin": "[redacted]"}
    assert stage.world.done["book"] == 0


async def test_a_changed_model_without_an_agent_is_everybodys(stage: Stage) -> None:
    turn = await stage.play()
    other = Habit(lambda _: Reply("nothing to do"), name="other")
    again = await rerun(stage.team, turn, start=turn.place("clerk"), changes=Changes(model=other))
    assert again.diff.answer.after == "nothing to do"
    assert again.diff.answer.before == "All done [1] [2]."
    assert len(other.prompts) == 2
    assert stage.asked == 0


async def test_a_changed_prompt_is_given_to_whoever_is_asked_first(stage: Stage) -> None:
    turn = await stage.play()
    again = await rerun(stage.team, turn, start=turn.place("clerk"), changes=Changes(instructions="Be brief."))
    assert again.diff.is_same
    assert stage.models["clerk"].prompts == ["Be brief.", "Be brief."]
    assert "Be brief." not in stage.models["supervisor"].prompts[0]


async def test_the_same_write_is_answered_as_it_was(stage: Stage) -> None:
    """T-26: recorded result, else a stand-in; redacted arguments are compared as the log holds them."""
    turn = await stage.play()
    again = await rerun(stage.team, turn, start=turn.place("clerk"))
    assert [(write.name, write.source) for write in again.diff.writes] == [
        ("publish", "recorded"),
        ("book", "recorded"),
    ]
    told = [event.content for event in again.turn.events if isinstance(event, ToolResponse)]
    assert "booked monday" in told


async def test_a_write_repeated_more_often_than_recorded_gets_a_stand_in(stage: Stage) -> None:
    turn = await stage.play()
    twice = [ToolCall("book", {"day": "monday", "pin": "1234"}, id=str(n)) for n in range(2)]
    changes = Changes(model=Habit(works(*twice)), agent="clerk")
    again = await rerun(stage.team, turn, start=turn.place("clerk"), changes=changes)
    assert sorted(write.source for write in again.diff.writes if write.name == "book") == ["recorded", "stand_in"]


async def test_a_turn_sees_only_what_was_said_before_it(stage: Stage) -> None:
    """A later turn of the session is not part of an earlier one's conversation."""
    first = await stage.play("one")
    await stage.play("two")
    heard: list[int] = []

    def listen(request: ModelRequest) -> Reply:
        heard.append(len(request.messages))
        return supervise(request)

    turn = await stage.recorded(first.turn_id)
    await rerun(stage.team, turn, start=0, changes=Changes(model=Habit(listen), agent="supervisor"))
    assert heard[0] == 1


@pytest.mark.parametrize("is_asked", [True, False], ids=["supervised", "bypassing"])
async def test_a_directed_turn_takes_the_way_it_took(stage: Stage, is_asked: bool) -> None:
    """O-13: whether the supervisor was asked about it or not."""
    only = Reply(json.dumps({"steps": [{"agent_id": "clerk", "task": "look"}]}))
    look, _, _ = stage.world.tools()
    clerk = AgentStep(name="clerk", model=Habit(works(ToolCall("look", {"n": 1}, id="c1"))), output=str, tools=[look])
    team = Orchestrator(supervisor=Habit(lambda request: only), agents=[Specialist(clerk, name="Clerk")])
    store = TeamStore(stage.log, stage.queue)
    turn_id = await store.say(stage.session, "go", target_agent_id="clerk", bypass_routing=not is_asked)
    await TurnWorker.at(store, team).run_until_idle()
    turn = recorded_turn(await stage.events(), turn_id)
    assert turn.request.bypass_routing is not is_asked
    again = await rerun(team, turn)
    assert again.turn.answer == "saw 1"
    assert (again.turn.plan is not None) is is_asked
    assert again.diff.is_same


async def test_what_is_not_recorded_ends_a_re_execution_without_a_cut(stage: Stage) -> None:
    turn_id = await say(stage.queue, stage.session, "go")
    (asked,) = await stage.events()
    assert isinstance(asked, UserMessage)
    again = await rerun(stage.team, recorded_turn([asked], turn_id))
    assert again.turn.status == "failed"
    assert again.turn.error is not None
    assert isinstance(again.turn.error.exception, NotRecordedError)
    assert again.diff.status.before == "unfinished"
    assert stage.asked == 0


async def test_an_undecided_read_pauses_the_new_run(stage: Stage) -> None:
    """Nobody agreed to it, so it is not run, not even here."""

    @tool(effect="read", approval="always")
    async def peek(file: str) -> str:
        """Look into somebody's file."""
        stage.world.done["peek"] += 1
        return file

    turn = await stage.play()
    changed = Stage()
    nosy = AgentStep(name="clerk", model=Habit(works(ToolCall("peek", {"file": "ana"}))), output=str, tools=[peek])
    agents = [changed.team.registry["scout"], Specialist(nosy, name="Clerk")]
    team = Orchestrator(supervisor=Habit(supervise), agents=agents)
    again = await rerun(team, turn, start=turn.place("clerk"))
    assert again.turn.status == "paused"
    assert stage.world.done["peek"] == 0


def test_unknown_turns_places_and_agents_are_named() -> None:
    with pytest.raises(NotRecordedError, match="no message"):
        recorded_turn([], new_id())


async def test_an_unknown_place_names_the_steps_there_are(stage: Stage) -> None:
    turn = await stage.play()
    with pytest.raises(NotRecordedError, match="step-2/clerk"):
        turn.place("nowhere")
    assert turn.place("step-2") < turn.place("step-2/clerk")
    assert turn.place("5") == 5


async def test_an_agent_nobody_knows_cannot_be_changed(stage: Stage) -> None:
    turn = await stage.play()
    with pytest.raises(NotRecordedError, match="it has supervisor, reassign, conclude, scout, clerk"):
        await rerun(stage.team, turn, changes=Changes(model=Habit(supervise), agent="nobody"))


async def test_models_that_are_not_asked_need_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn can be looked at on a machine that could not run it."""
    for variable in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    stage = Stage()
    turn = await stage.play()
    named = AgentStep(name="clerk", model="anthropic:claude-haiku-4-5", output=str, tools=stage.world.tools())
    agents = [stage.team.registry["scout"], Specialist(named, name="Clerk")]
    team = Orchestrator(supervisor="anthropic:claude-haiku-4-5", agents=agents)
    assert (await rerun(team, turn)).diff.is_same


def booking(done: list[str]) -> Iterator[Any]:
    @action(mode="transactional", rollback=lambda day: done.append(f"undo {day}"), stand_in="nowhere")
    async def reserve(day: str) -> str:
        done.append(day)
        return f"room for {day}"

    yield reserve


async def test_actions_are_not_repeated_either() -> None:
    """Recorded result, else the action's own stand-in."""
    done: list[str] = []
    (reserve,) = booking(done)
    team = Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(Pipeline("hotel", reserve), name="Hotel")])
    log, session, turn_id = MemoryEventLog(), new_id(), new_id()
    asked = UserMessage(content="monday", session_id=session, turn_id=turn_id, target_agent_id="hotel")
    await log.append(session, [asked])
    recorder = TurnRecorder(log, session)
    journal = DurableJournal(log, recorder, Stamp(correlation_id="c", session_id=session, turn_id=turn_id))
    options = {"recorder": recorder, "journal": journal, "session_id": session, "turn_id": turn_id}
    await team.run("monday", target_agent_id="hotel", **options)  # type: ignore[arg-type]
    assert done == ["monday"]
    events = list((await log.read(session)).events)
    turn = recorded_turn(events, turn_id)
    again = await rerun(team, turn, start=0)
    assert again.turn.answer == "room for monday"
    assert [(write.name, write.source) for write in again.diff.writes] == [("reserve", "recorded")]
    unrecorded = recorded_turn([e for e in events if not isinstance(e, EffectRecorded)], turn_id)
    again = await rerun(team, unrecorded, start=0)
    assert again.turn.answer == "nowhere"
    assert [(write.name, write.source) for write in again.diff.writes] == [("reserve", "stand_in")]
    assert done == ["monday"]
