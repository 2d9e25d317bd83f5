"""A turn that went on from a failure takes the same way when it is resumed: nothing is done twice (O-3)."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from batuta import AgentStep, Branch, ParallelStep, Pipeline, step
from batuta.events.conversation import AssistantMessage
from batuta.eventstore.teams import open_team_store
from batuta.kernel.errors import ProviderUnavailableError, TransientError
from batuta.kernel.ids import new_id
from batuta.llm.model import ModelRequest
from batuta.llm.resilient import Protection
from batuta.orchestration import Orchestrator, Specialist
from batuta.orchestration.plan_execution import FailurePolicy
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.resilience.retry import fixed_delay
from batuta.testing import Reply, ToolCall, crashes
from batuta.tools import ApprovalDecision, tool
from tests.integration.orchestration.crew import Habit

ONE_TRY = Protection(retry=fixed_delay(max_attempts=1), breaker=None)


@dataclass
class World:
    """A provider that is away once, and the payments that were made."""

    ways: str
    payments: list[int] = field(default_factory=list)
    is_away: bool = True

    def renew(self) -> None:
        self.payments.clear()
        self.is_away = True

    def team(self) -> Orchestrator:
        @tool(effect="write")
        async def pay(amount: int) -> str:
            """Pay."""
            self.payments.append(amount)
            return "paid"

        def clerk(request: ModelRequest) -> Reply:
            if self.is_away:
                self.is_away = False
                raise ProviderUnavailableError("503", status=503)
            return backup(request)

        def backup(request: ModelRequest) -> Reply:
            if request.tool_results:
                return Reply("done")
            return Reply(tool_calls=[ToolCall("pay", {"amount": 1}, id="call-1")])

        def plan(request: ModelRequest) -> Reply:
            return Reply(json.dumps({"steps": [{"agent_id": "clerk", "task": "pay"}]}))

        spare = AgentStep(name="backup", model=Habit(backup), output=str, tools=[pay])
        fallback = spare if self.ways == "fallback" else None
        agent = AgentStep(name="clerk", model=Habit(clerk), output=str, tools=[pay], fallback=fallback)
        policy = FailurePolicy(
            retries=int(self.ways == "retry"), stand_ins={"clerk": "backup"} if self.ways == "stand-in" else {}
        )
        agents = [Specialist(agent, name="Clerk")]
        if self.ways == "stand-in":
            agents.append(Specialist(spare, name="Backup"))
        return Orchestrator(supervisor=Habit(plan), agents=agents, failure_policy=policy)


@pytest.mark.parametrize("ways", ["retry", "fallback", "stand-in"])
async def test_what_was_done_after_a_failure_is_done_once(ways: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_try(**options: object) -> WorkerSettings:
        return WorkerSettings(options=lambda lease: {"protection": ONE_TRY}, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(crashes, "WorkerSettings", one_try)
    world = World(ways)
    report = await crashes.crash_matrix(world.team, "go", reset=world.renew, outside=lambda: len(world.payments))
    assert report.boundaries > 20
    assert report.repeated == ()
    # Killed before anything told of the failure, the turn finds a provider that is back, and needs no stand-in.
    unlike = [text for text in report.differences if ways != "stand-in" or "outside" in text]
    assert unlike == []


async def test_a_step_that_failed_in_passing_fails_again_when_its_turn_is_resumed(tmp_path: Path) -> None:
    """Its answer came at the second attempt: there it is found, and is not told a second time by the first."""
    calls: list[str] = []

    @step
    async def weather(task: str) -> str:
        calls.append(task)
        if len(calls) == 1:
            raise TransientError("the station is busy")
        return "sunny"

    @tool(effect="write", approval="always")
    async def pay(amount: int) -> str:
        """Pay."""
        return "paid"

    def clerk(request: ModelRequest) -> Reply:
        return Reply("done") if request.tool_results else Reply(tool_calls=[ToolCall("pay", {"amount": 1}, id="c1")])

    def supervise(request: ModelRequest) -> Reply:
        steps = [{"agent_id": name, "task": "go"} for name in ("weather", "clerk")]
        is_last = "Results of earlier steps:" in request.messages[-1].text
        return Reply("All done [1] [2].") if is_last else Reply(json.dumps({"steps": steps}))

    payer = AgentStep(name="clerk", model=Habit(clerk), output=str, tools=[pay])
    agents = [Specialist(weather, name="Weather"), Specialist(payer, name="Clerk")]
    team = Orchestrator(supervisor=Habit(supervise), agents=agents)
    async with open_team_store(tmp_path / "team.db") as store:
        session = new_id()
        await store.say(session, "go")
        await TurnWorker.at(store, team).run_until_idle()
        (asked,) = await store.waiting(session)
        await store.decide(asked, ApprovalDecision.approve(by="ana"))
        await TurnWorker.at(store, team).run_until_idle()
        said = [event for event in await store.events(session) if isinstance(event, AssistantMessage)]
    assert [message.content for message in said if message.source_agent_id == "weather"] == ["sunny"]
    assert said[-1].content == "All done [1] [2]."


class Found(list[str]):
    """What branches bring."""

    def take(self, item: str) -> None:
        self.append(item)


async def test_what_failed_beside_a_branch_that_waits_is_not_tried_again(tmp_path: Path) -> None:
    """The turn goes on without it, as a run with a journal does."""
    calls: list[str] = []

    @step
    async def stock(task: str) -> str:
        calls.append(task)
        if len(calls) == 1:
            raise TransientError("the warehouse is away")
        return "7 in stock"

    @tool(effect="write", approval="always")
    async def pay(amount: int) -> str:
        """Pay."""
        return "paid"

    @step
    async def joined(found: Found) -> str:
        return ", ".join(found)

    def clerk(request: ModelRequest) -> Reply:
        return Reply("paid") if request.tool_results else Reply(tool_calls=[ToolCall("pay", {"amount": 1}, id="c1")])

    payer = AgentStep(name="clerk", model=Habit(clerk), output=str, tools=[pay])
    beside = ParallelStep(
        Found,
        [Branch(stock, merge=Found.take), Branch(payer, merge=Found.take)],
        name="beside",
        on_failure="collect",
        on_failures=lambda found, errors: found.append("no stock"),
    )
    team = Orchestrator(
        supervisor=Habit(clerk), agents=[Specialist(Pipeline("office", beside >> joined), name="Office")]
    )
    async with open_team_store(tmp_path / "team.db") as store:
        session = new_id()
        await store.say(session, "go", target_agent_id="office")
        await TurnWorker.at(store, team).run_until_idle()
        (asked,) = await store.waiting(session)
        await store.decide(asked, ApprovalDecision.approve(by="ana"))
        await TurnWorker.at(store, team).run_until_idle()
        said = [event.content for event in await store.events(session) if isinstance(event, AssistantMessage)]
    assert calls == ["go"]
    assert said[-1] == "paid, no stock"
