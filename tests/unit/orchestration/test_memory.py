"""What a session's log says about its past (O-31)."""

from typing import Literal

import pytest

from batuta.events import ApprovalRequested, ApprovalResolved
from batuta.orchestration.memory import remembered_calls


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
