"""What a session's log says about its past (O-31)."""

from typing import Any, Literal

import pytest

from batuta.events import ApprovalRequested, ApprovalResolved, AssistantMessage, Complete, UserMessage
from batuta.events.envelope import Event
from batuta.events.log import StoredPage
from batuta.events.runtime import TurnStarted
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_audit import MemoryAudit
from batuta.kernel.ids import SessionId, TurnId, new_id
from batuta.orchestration.memory import SessionPasts, conversation_before, remembered_calls


@pytest.mark.parametrize(
    ("decision", "allowed"),
    [("approved", {"pay"}), ("edited", {"pay"}), ("rejected", set()), ("expired", set())],
)
def test_only_what_was_let_through_is_allowed_for_the_session(
    decision: Literal["approved", "rejected", "edited", "expired"], allowed: set[str]
) -> None:
    """A log may hold a rejection with `remember`: it allows nothing."""
    asked = ApprovalRequested(
        approval_id="a", tool_use_id="call", tool_name="pay", args={}, reason="", source_agent_id="bank"
    )
    resolved = ApprovalResolved(approval_id="a", decision=decision, by="ana", remember="session")
    assert {call.tool_name for call in remembered_calls([asked, resolved])} == allowed


@pytest.mark.parametrize(("status", "remembered"), [("success", 2), ("cancelled", 2), ("failed", 0), ("paused", 0)])
def test_what_was_said_before_a_turn_failed_is_not_remembered(
    status: Literal["success", "cancelled", "failed", "paused"], remembered: int
) -> None:
    """F-90 as in memory; O-2: what came before a stop is kept."""
    turn = TurnId(new_id())
    said = AssistantMessage(turn_id=turn, content="Half of it", source_agent_id="teller")
    events = [UserMessage(turn_id=turn, content="Tell me"), said, Complete(turn_id=turn, status=status)]
    assert len(conversation_before(events, new_id()).messages) == remembered


class CountingLog(MemoryEventLog):
    """Notes after which positions it was read."""

    def __init__(self) -> None:
        super().__init__()
        self.read_after: list[int] = []

    async def read_stored(self, session_id: str, *, after: int = 0, **options: Any) -> StoredPage:
        self.read_after.append(after)
        return await super().read_stored(session_id, after=after, **options)


def exchange(session: str, turn: str, text: str) -> list[Event]:
    ids: dict[str, Any] = {"session_id": SessionId(session), "turn_id": TurnId(turn)}
    return [
        UserMessage(**ids, content=text),
        TurnStarted(**ids, owner="w", attempt=1),
        AssistantMessage(**ids, content=f"{text}!", source_agent_id="a"),
        Complete(**ids, status="success"),
    ]


async def test_a_turn_reads_only_what_its_session_gained_since_the_last_one() -> None:
    log, session = CountingLog(), new_id()
    pasts = SessionPasts(log)
    await log.append(session, exchange(session, new_id(), "one"))
    for number in range(3):
        turn = new_id()
        await log.append(session, [UserMessage(session_id=SessionId(session), turn_id=TurnId(turn), content="x")])
        found = await pasts.of_turn(session, turn, is_new=True)
        assert found == await SessionPasts(log).of_turn(session, turn, is_new=True)
        await log.append(session, exchange(session, new_id(), f"more {number}"))
    assert log.read_after == [0, 0, 4, 0, 9, 0]


async def test_a_turn_that_is_taken_up_again_finds_everything_of_its_own() -> None:
    log, session, turn = CountingLog(), new_id(), new_id()
    pasts = SessionPasts(log)
    await log.append(session, exchange(session, turn, "one"))
    await pasts.of_turn(session, new_id(), is_new=True)
    found = await pasts.of_turn(session, turn, is_new=False)
    assert [event.type for event in found] == [event.type for event in exchange(session, turn, "one")]


async def test_what_was_erased_or_lost_is_not_remembered() -> None:
    log, session = CountingLog(), new_id()
    pasts, audit = SessionPasts(log), MemoryAudit(log)
    await log.append(session, exchange(session, new_id(), "secret"))
    assert await pasts.of_turn(session, new_id(), is_new=True)
    await audit.erase_session(SessionId(session))
    assert await pasts.of_turn(session, new_id(), is_new=True) == []
    other = new_id()
    await log.append(other, exchange(other, new_id(), "one"))
    before = await pasts.of_turn(other, new_id(), is_new=True)
    await log.begin_epoch(other)
    log.read_after.clear()
    assert await pasts.of_turn(other, new_id(), is_new=True) == before
    assert log.read_after == [3, 0]


async def test_what_is_remembered_of_all_sessions_is_bounded() -> None:
    log, sessions = CountingLog(), [new_id(), new_id()]
    pasts = SessionPasts(log, max_characters=2_000)
    for session in sessions:
        await log.append(session, exchange(session, new_id(), "one"))
        await pasts.of_turn(session, new_id(), is_new=True)
    log.read_after.clear()
    for session in reversed(sessions):
        await pasts.of_turn(session, new_id(), is_new=True)
    assert log.read_after == [3, 0]
