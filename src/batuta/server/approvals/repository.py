"""Approvals as rows of the read model."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from batuta.server.database.tables import api_keys, approvals, read_sessions, user_sessions, users
from batuta.server.problems import UnauthorizedProblem
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
    decided_by: str | None = None
    decision_reason: str | None = None
    agent_id: str | None = None
    requested_at: datetime | None = None
    resolved_at: datetime | None = None
    owner_id: str = ""
    """Whose conversation asks."""
    title: str | None = None


def for_caller(connection: sa.Connection, caller: Caller, state: str | None, limit: int) -> Sequence[Approval]:
    """Approvals the caller may answer, newest first."""
    mine = user_sessions.c.user_id == caller.user_id
    if APPROVER in caller.roles:
        mine = user_sessions.c.workspace_id == caller.workspace_id
    query = _with_session().where(mine, user_sessions.c.deleted_at.is_(None))
    if state is not None:
        query = query.where(approvals.c.status == state)
    newest = query.order_by(approvals.c.requested_at.desc(), approvals.c.approval_id).limit(limit)
    return [_approval(row) for row in connection.execute(newest)]


def get(connection: sa.Connection, approval_id: str) -> Approval | None:
    """One approval."""
    row = connection.execute(_with_session().where(approvals.c.approval_id == approval_id)).first()
    return None if row is None else _approval(row)


def key_of(connection: sa.Connection, caller: Caller) -> str | None:
    """The API key a caller came with. Raises `UnauthorizedProblem` if it was revoked a moment ago."""
    if caller.credential.kind != "key":
        return None
    query = sa.select(api_keys.c.key_id).where(api_keys.c.secret_hash == caller.credential.digest)
    key_id: str | None = connection.execute(query).scalar()
    if key_id is None:
        raise UnauthorizedProblem
    return key_id


def names_of(connection: sa.Connection, user_ids: Collection[str]) -> dict[str, str]:
    """What people are called, by their id."""
    query = sa.select(users.c.user_id, users.c.name, users.c.email).where(users.c.user_id.in_(user_ids))
    return {row.user_id: row.name or row.email for row in connection.execute(query)}


def _with_session() -> sa.Select[tuple[Any, ...]]:
    title = sa.func.coalesce(read_sessions.c.title, user_sessions.c.title)
    joined = approvals.join(user_sessions, user_sessions.c.session_id == approvals.c.session_id).outerjoin(
        read_sessions, read_sessions.c.session_id == approvals.c.session_id
    )
    owner = user_sessions.c.user_id.label("owner_id")
    return sa.select(approvals, owner, title.label("session_title")).select_from(joined)


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
        decided_by=row.decided_by,
        decision_reason=row.decision_reason,
        agent_id=row.agent_id,
        requested_at=row.requested_at,
        resolved_at=row.resolved_at,
        owner_id=row.owner_id,
        title=row.session_title,
    )
