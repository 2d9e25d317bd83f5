"""What a worker says of turns that it cannot run."""

from datetime import timedelta

import pytest

from batuta.events.conversation import UserMessage
from batuta.events.queue import NewWork, WorkStatus
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.eventstore.teams import TeamStore
from batuta.kernel.ids import new_id
from batuta.orchestration import TurnWorker
from batuta.testing import FakeClock
from tests.unit.orchestration.teams import agent, team

LEASE = timedelta(seconds=30)


async def test_a_turn_that_lost_too_many_owners_is_named_with_the_way_back(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    log = MemoryEventLog(clock=clock)
    queue = MemoryTurnQueue(log)
    session, turn = new_id(), new_id()
    message = UserMessage(content="hello", session_id=session, turn_id=turn)
    await queue.accept(NewWork(turn_id=turn, session_id=session, payload={"text": "hello"}), [message])
    for _ in range(5):
        await queue.recover()
        assert await queue.lease("gone", length=LEASE) is not None
        clock.advance(LEASE.total_seconds() + 1)
    worker = TurnWorker.at(TeamStore(log, queue, clock=clock), team([], agent("erp", [])))
    assert await worker.run_until_idle() == 0
    work = await queue.get(turn)
    assert work is not None
    assert work.status is WorkStatus.DEAD
    assert f"turn {turn} is dead: it lost its owner too often; `batuta turns retry` tries it again" in caplog.text
