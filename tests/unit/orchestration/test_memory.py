"""What a session's log says about its past (O-31)."""

from typing import Literal

import pytest

from batuta.events import ApprovalRequested, ApprovalResolved, AssistantMessage, Complete, UserMessage
from batuta.kernel.ids import TurnId, new_id
from batuta.orchestration.memory import conversation_before, remembered_calls


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
