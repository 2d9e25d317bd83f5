"""A durable turn is rolled back as one in memory is, also when its process dies in between (F-9, F-90, O-3)."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from batuta import Pipeline, action
from batuta.events.conversation import AssistantMessage, ErrorOccurred, UserMessage
from batuta.events.plans import PlanCompleted, PlanStepCompleted
from batuta.events.queue import NewWork, WorkStatus
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.eventstore.migrations import migrate
from batuta.eventstore.teams import TeamStore, open_team_store
from batuta.kernel.ids import new_id
from batuta.orchestration import Orchestrator, Specialist
from batuta.orchestration.worker import TurnWorker
from batuta.testing import Reply, ScriptedModel
from tests.support.stores import postgres_opener

PLACES = ("reserve", "charge", "undo", None)
"""Where the first process dies; `None`: nowhere."""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An undo that is cut off in the middle is waited for, though not for long."""
    monkeypatch.setattr("batuta.steps.action.DRAIN_LIMIT", timedelta(seconds=1))


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[TeamStore]:
    if request.param == "memory":
        log = MemoryEventLog()
        yield TeamStore(log, MemoryTurnQueue(log))
    elif request.param == "sqlite":
        async with open_team_store(tmp_path / "turns.db") as opened:
            yield opened
    else:
        url = request.getfixturevalue("postgres_url")
        await migrate(url)
        async with postgres_opener(url)() as postgres:
            yield TeamStore(postgres.log, postgres.queue)


class Shop:
    """Reserves and charges; dies once, after it did something and before anybody learns of it."""

    def __init__(self, dies_at: str | None, *, can_undo: bool = True) -> None:
        self._dies_at = dies_at
        self._can_undo = can_undo
        self.acts: list[str] = []
        self.died = asyncio.Event()

    async def act(self, name: str) -> None:
        self.acts.append(name)
        if name == self._dies_at:
            self._dies_at = None
            self.died.set()
            await asyncio.sleep(3600)

    async def undo(self, _: object) -> None:
        await self.act("undo")
        if not self._can_undo:
            raise RuntimeError("the warehouse is closed")

    def pipeline(self) -> Pipeline[str, str]:
        def stands(_: str) -> bool:
            return self.acts.count("reserve") > self.acts.count("undo")

        @action(mode="transactional", rollback=self.undo, reconcile=stands)
        async def reserve(task: str) -> None:
            await self.act("reserve")

        @action(mode="transactional", rollback=lambda _: None, reconcile=lambda _: False)
        async def charge(task: str) -> None:
            await self.act("charge")
            raise ValueError("card refused")

        return Pipeline("shop", reserve >> charge)


@pytest.mark.parametrize("dies_at", PLACES)
async def test_a_durable_turn_is_rolled_back_wherever_its_process_dies(store: TeamStore, dies_at: str | None) -> None:
    shop, turn = Shop(dies_at), new_id()
    await _accept(store, turn)
    running = asyncio.create_task(_worker(store, shop).run_until_idle())
    if dies_at is not None:
        await shop.died.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        running = asyncio.create_task(_worker(store, shop).run_until_idle())
    await running
    work = await store.queue.get(turn)
    assert work is not None
    assert (work.status, work.error) == (WorkStatus.FAILED, "card refused")
    done = [act for act in shop.acts if act != "charge"]
    assert done == ["reserve", "undo"], "as in memory, each once"


async def test_what_could_not_be_undone_is_seen_in_the_result_of_a_durable_turn(store: TeamStore) -> None:
    """As in memory, where the error of the run has it: the user and the operator read that it is still done."""
    shop, turn = Shop(None, can_undo=False), new_id()
    await _accept(store, turn)
    await _worker(store, shop).run_until_idle()
    work = await store.queue.get(turn)
    assert work is not None
    assert work.session_id is not None
    assert (work.error or "").startswith("card refused (not undone: ")
    assert "the warehouse is closed" in (work.error or "")
    told = [event for event in await store.events(work.session_id) if isinstance(event, ErrorOccurred)]
    [failure] = told
    assert (failure.is_visible, failure.message) == (True, "card refused")
    assert ["the warehouse is closed" in why for why in failure.not_undone] == [True]


async def test_what_a_planned_step_could_not_undo_is_seen_in_its_error() -> None:
    """The turn goes on and answers: the supervisor and the user read that it is still done."""
    shop = Shop(None, can_undo=False)
    plan = {"steps": [{"agent_id": "shop", "task": "buy"}]}
    team = Orchestrator(
        supervisor=ScriptedModel([Reply(json.dumps(plan)), Reply("It did not work.")]),
        agents=[Specialist(shop.pipeline(), name="Shop")],
    )
    turn = await team.run("buy")
    [step] = [event for event in turn.events if isinstance(event, PlanStepCompleted)]
    assert (step.status, (step.error or "").startswith("card refused (not undone: ")) == ("failed", True)
    assert "the warehouse is closed" in (step.error or "")


async def test_a_failed_plan_is_answered_and_only_its_failed_step_is_undone(store: TeamStore) -> None:
    """O-23: the plan has failed and says why, the turn answers from what there is; what another step did stays done."""
    shop, turn, acts = Shop(None), new_id(), list[str]()

    @action(mode="transactional", rollback=lambda _: acts.append("undo"), reconcile=lambda _: False)
    async def book(task: str) -> None:
        acts.append("book")

    plan = {"steps": [{"agent_id": "desk", "task": "book"}, {"agent_id": "shop", "task": "buy", "depends_on": [0]}]}
    team = Orchestrator(
        supervisor=ScriptedModel([Reply(json.dumps(plan)), Reply("Booked, not bought.")]),
        agents=[Specialist(Pipeline("desk", book), name="Desk"), Specialist(shop.pipeline(), name="Shop")],
    )
    session = await _accept(store, turn, text="book, then buy")
    await TurnWorker.at(store, team).run_until_idle()
    work, events = await store.queue.get(turn), await store.events(session)
    assert work is not None
    assert (work.status, acts, shop.acts) == (WorkStatus.COMPLETED, ["book"], ["reserve", "charge", "undo"])
    [planned] = [event for event in events if isinstance(event, PlanCompleted)]
    assert (planned.status, "card refused" in (planned.failure_reason or "")) == ("failed", True)
    assert [event.content for event in events if isinstance(event, AssistantMessage)][-1] == "Booked, not bought."


def _worker(store: TeamStore, shop: Shop) -> TurnWorker:
    team = Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(shop.pipeline(), name="Shop")])
    return TurnWorker.at(store, team)


async def _accept(store: TeamStore, turn: str, *, text: str = "") -> str:
    """A turn for the shop, or with a text for the supervisor: its session."""
    session = new_id()
    payload: dict[str, Any] = {"text": text} if text else {"text": "buy", "target_agent_id": "shop"}
    message = UserMessage(content=payload["text"], session_id=session, turn_id=turn)
    await store.queue.accept(NewWork(turn_id=turn, session_id=session, payload=payload), [message], client_key=turn)
    return session
