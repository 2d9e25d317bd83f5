"""Approvals as rows of the read model."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from batuta.server.database.tables import approvals, user_sessions
from batuta.server.security.ownership import APPROVER, Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A tool call that waits, or waited, for a decision. What is shown is what is stored."""

    approval_id: str
    session_id: str
    turn_id: str | None
    tool_name: str
    args: dict[str, Any]
    preview: str | None
    reason: str
    expires_at: datetime | None
    state: str
    decided_args: dict[str, Any] | None = None


def for_caller(connection: sa.Connection, caller: Caller, state: str | None, limit: int) -> Sequence[Approval]:
    """Approvals the caller may answer, newest first."""
    mine = user_sessions.c.user_id == caller.user_id
    if APPROVER in caller.roles:
        mine = user_sessions.c.workspace_id == caller.workspace_id
    query = sa.select(approvals).where(
        approvals.c.session_id == user_sessions.c.session_id, mine, user_sessions.c.deleted_at.is_(None)
    )
    if state is not None:
        query = query.where(approvals.c.status == state)
    newest = query.order_by(approvals.c.requested_at.desc(), approvals.c.approval_id).limit(limit)
    return [_approval(row) for row in connection.execute(newest)]


def get(connection: sa.Connection, approval_id: str) -> Approval | None:
    """One approval."""
    row = connection.execute(sa.select(approvals).where(approvals.c.approval_id == approval_id)).first()
    return None if row is None else _approval(row)


def _approval(row: sa.Row[tuple[Any, ...]]) -> Approval:
    return Approval(
        approval_id=row.approval_id,
        session_id=row.session_id,
        turn_id=row.turn_id,
        tool_name=row.tool_name or "",
        args=json.loads(row.args) if row.args else {},
        preview=row.preview,
        reason=row.reason or "",
        expires_at=row.expires_at,
        state=row.status,
        decided_args=json.loads(row.decided_args) if row.decided_args else None,
    )
