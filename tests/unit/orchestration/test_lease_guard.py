"""An owner whose lease has run out records nothing more, whatever its heartbeat says afterwards (S-5)."""

import time

import pytest

from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.eventstore.recorder import TurnRecorder
from batuta.kernel.errors import FencedError
from batuta.kernel.ids import new_id
from batuta.orchestration.lease_guard import LeaseGuard, OwnersRecorder
from batuta.pipelines.cancellation import Cancellation
from batuta.testing.eventlog import noted
from tests.support.turns import say


@pytest.mark.parametrize("noticed_at", ["an event", "a barrier"])
async def test_a_starved_owner_that_noticed_it_stays_fenced_when_its_heartbeat_comes_through(noticed_at: str) -> None:
    """Otherwise it would record the end of a turn that it told to be over only because of the lease."""
    log, session = MemoryEventLog(), new_id()
    queue = MemoryTurnQueue(log)
    await say(queue, session, "go")
    lease = await queue.lease("starved")
    assert lease is not None
    guard = LeaseGuard(queue, lease, Cancellation(), None)
    recorder = OwnersRecorder(TurnRecorder(log, session, fence=lease.fence), guard)
    guard._renewed(time.monotonic() - 2 * lease.length.total_seconds())
    with pytest.raises(FencedError):
        await (recorder.record(noted("late")) if noticed_at == "an event" else recorder.barrier())
    guard._renewed(time.monotonic())
    with pytest.raises(FencedError):
        recorder.submit(noted("the turn failed"))
    assert [event.type for event in (await log.read(session)).events] == ["user_message"]
