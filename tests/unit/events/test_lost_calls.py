"""A model call whose process died is counted with what was reserved for it (I11)."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from batuta.events.conversation import Complete
from batuta.events.queue import NewWork
from batuta.events.runtime import LlmRequest, LlmResponse
from batuta.events.turn_ends import IN_FLIGHT, end_of_dead_turn, end_of_stopped_turn, ends_of_lost_calls
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.eventstore.stopping import stop_turn
from batuta.kernel.errors import FencedError
from batuta.kernel.ids import new_id
from batuta.testing.clock import FakeClock
from tests.support.turns import say

CALL: dict[str, Any] = {"path": "clerk", "provider": "sim", "model": "sim-1", "attempt": 1}


def asked(call_id: str, **facts: Any) -> LlmRequest:
    return LlmRequest(**CALL, call_id=call_id, reserved_tokens=500, reserved_cost=Decimal("0.01"), **facts)


def answered(call_id: str) -> LlmResponse:
    return LlmResponse(**CALL, call_id=call_id, duration_ms=1.0)


def test_a_call_without_an_end_gets_one_with_what_was_reserved() -> None:
    (end,) = ends_of_lost_calls([asked("a"), asked("b", turn_id=new_id(), source_agent_id="clerk"), answered("a")])
    assert (end.call_id, end.success, end.error, end.usage) == ("b", False, IN_FLIGHT, None)
    assert (end.lost_tokens, end.lost_cost, end.paid) == (500, Decimal("0.01"), Decimal("0.01"))
    assert end.source_agent_id == "clerk"
    assert not ends_of_lost_calls([asked("b"), end])


def test_a_turn_that_is_stopped_without_an_owner_ends_its_calls_before_itself() -> None:
    turn = new_id()
    history = [asked("a", turn_id=turn)]
    stopped = end_of_stopped_turn(history, session_id=new_id(), turn_id=turn)
    assert [event.type for event in stopped] == ["llm.response", "complete"]


async def test_a_dead_turn_ends_its_calls() -> None:
    log = MemoryEventLog()
    queue = MemoryTurnQueue(log)
    accepted = await queue.accept(NewWork(session_id=new_id()))
    types = [event.type for event in end_of_dead_turn([asked("a")], accepted.work, "lost")]
    assert types == ["llm.response", "error", "complete"]


async def test_a_turn_that_wrote_its_end_is_not_ended_again_by_a_stop() -> None:
    """Its owner wrote the end, could not tell the queue, and gave the turn back; then a person stopped it."""
    log, session = MemoryEventLog(), new_id()
    queue = MemoryTurnQueue(log)
    turn = await say(queue, session, "go")
    await log.append(session, [Complete(status="success", session_id=session, turn_id=turn)])
    assert await stop_turn(log, queue, turn, by="person") is None
    assert [event.type for event in (await log.read(session)).events] == ["user_message", "complete"]


async def test_what_a_former_owner_sent_does_not_come_after_the_end_of_a_stopped_turn() -> None:
    """It lost its lease while it wrote; the turn was stopped before another owner had it."""
    clock = FakeClock()
    log, session = MemoryEventLog(clock=clock), new_id()
    queue = MemoryTurnQueue(log)
    turn = await say(queue, session, "go")
    lease = await queue.lease("w1", length=timedelta(seconds=2))
    assert lease is not None
    clock.advance(3)
    await queue.recover()
    assert await stop_turn(log, queue, turn, by="person") is not None
    with pytest.raises(FencedError):
        await log.append(session, [asked("a", session_id=session, turn_id=turn)], fence=lease.fence)
    assert (await log.read(session)).events[-1].type == "complete"
