"""What the clock decides: an approval not decided in time is rejected. Pure."""

from collections.abc import Iterable
from datetime import datetime

from batuta.events.envelope import Event
from batuta.events.tools import ApprovalRequested, ApprovalResolved


def undecided_in(history: Iterable[Event]) -> list[ApprovalRequested]:
    """The approvals that wait, in the order they were asked for."""
    asked: dict[str, ApprovalRequested] = {}
    for event in history:
        if isinstance(event, ApprovalRequested):
            asked[event.approval_id] = event
        elif isinstance(event, ApprovalResolved):
            asked.pop(event.approval_id, None)
    return list(asked.values())


def is_expired(asked: ApprovalRequested, now: datetime) -> bool:
    """True if the time to decide has passed."""
    return asked.expires_at is not None and asked.expires_at <= now


def expiry_of(asked: ApprovalRequested) -> ApprovalResolved:
    """The clock's decision; it is written under the key that every decision of this approval has."""
    return ApprovalResolved(
        approval_id=asked.approval_id,
        decision="expired",
        by="clock",
        session_id=asked.session_id,
        turn_id=asked.turn_id,
        correlation_id=asked.correlation_id,
        trace_id=asked.trace_id,
    )


def decision_key(approval_id: str) -> str:
    """The client key of a decision: the log takes one under it, so each approval is decided once."""
    return f"approval/{approval_id}"
