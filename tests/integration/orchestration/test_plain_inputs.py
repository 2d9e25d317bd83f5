"""A turn on SQLite that maps objects of a plain class, killed at every one of its first events."""

from collections import Counter
from pathlib import Path

import pytest

from batuta import Context, Pipeline, action, step
from batuta.events.queue import WorkStatus
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_turns import SqliteTurnQueue
from batuta.kernel.ids import new_id
from batuta.orchestration.memory import conversation_before
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.testing import ScriptedModel
from batuta.testing.mortality import Killed, MortalPersistence
from tests.support.turns import say


class Order:
    def __init__(self, number: int) -> None:
        self.number = number


def shop(charged: Counter[int]) -> Orchestrator:
    @action(mode="idempotent")
    async def charge(order: Order) -> str:
        charged[order.number] += 1
        return f"charged {order.number}"

    charges = Pipeline("charges", charge)

    @step
    async def charge_all(_: str, ctx: Context) -> str:
        return ", ".join([result.value async for result in charges.map([Order(1), Order(2), Order(3)])])

    return Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(Pipeline("shop", charge_all), name="Shop")])


@pytest.mark.parametrize("kill_at", range(1, 16, 2))
async def test_every_object_of_a_batch_is_answered_for_itself_after_a_kill(tmp_path: Path, kill_at: int) -> None:
    charged: Counter[int] = Counter()
    session = new_id()
    async with SqliteEventLog(str(tmp_path / "turns.db")) as log:
        queue = SqliteTurnQueue(log)
        turn_id = await say(queue, session, "charge", target_agent_id="shop")
        persistence = MortalPersistence(log, kill_at=kill_at, how="after")
        for life in range(3):
            worker = TurnWorker(shop(charged), queue, log, persistence, WorkerSettings(owner=f"worker-{life}"))
            try:
                await worker.run_until_idle()
            except Killed:
                assert persistence.lease is not None
                await queue.release(persistence.lease)
        work = await queue.get(turn_id)
        assert work is not None
        assert work.status is WorkStatus.COMPLETED
        said = conversation_before((await log.read(session)).events, new_id()).messages[-1].text
    assert said == "charged 1, charged 2, charged 3"
    assert set(charged) == {1, 2, 3}
    assert not persistence.repeated
