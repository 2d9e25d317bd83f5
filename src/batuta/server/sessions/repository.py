"""Sessions as rows: whose they are, and what the read models say about them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from batuta.server.database.tables import approvals, messages, read_sessions, turns, usage, user_sessions
from batuta.server.database.words import fold
from batuta.server.security.ownership import Caller, own_sessions

Status = Literal["idle", "running", "waiting", "queued"]

TOKENS = ("input", "output", "thinking", "cache_read", "cache_write")
_STATUSES: tuple[tuple[str, Status], ...] = (("running", "running"), ("paused", "waiting"), ("queued", "queued"))
"""A session is what the most active of its unfinished turns is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A session in a list."""

    session_id: str
    user_id: str
    workspace_id: str
    title: str | None
    created_at: datetime
    updated_at: datetime
    is_archived: bool
    status: Status
    preview: str | None
    pending_approvals: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """Which part of the sessions is wanted."""

    limit: int
    after: tuple[datetime, str] | None = None
    words: str = ""
    is_archived: bool = False


def add(connection: sa.Connection, session_id: str, caller: Caller, title: str | None, now: datetime) -> None:
    """Keep a new session."""
    connection.execute(
        sa.insert(user_sessions).values(
            session_id=session_id,
            user_id=caller.user_id,
            workspace_id=caller.workspace_id,
            title=title,
            created_at=now,
            touched_at=now,
        )
    )


def page(connection: sa.Connection, caller: Caller, query: ListQuery) -> list[Summary]:
    """Sessions of the caller, last used first."""
    wanted = _summaries().where(own_sessions(caller), user_sessions.c.is_archived.is_(query.is_archived))
    if query.after is not None:
        place = sa.tuple_(user_sessions.c.touched_at, user_sessions.c.session_id)
        wanted = wanted.where(
            place < sa.tuple_(sa.literal(query.after[0], user_sessions.c.touched_at.type), sa.literal(query.after[1]))
        )
    if query.words:
        wanted = wanted.where(sa.func.batuta_fold(_title()).contains(fold(query.words), autoescape=True))
    newest = wanted.order_by(user_sessions.c.touched_at.desc(), user_sessions.c.session_id.desc()).limit(query.limit)
    return _completed(connection, connection.execute(newest).all())


def one(connection: sa.Connection, session_id: str) -> Summary | None:
    """A session that was not deleted."""
    query = _summaries().where(user_sessions.c.session_id == session_id, user_sessions.c.deleted_at.is_(None))
    return next(iter(_completed(connection, connection.execute(query).all())), None)


def some(connection: sa.Connection, session_ids: Collection[str]) -> list[Summary]:
    """Those of some sessions that were not deleted."""
    query = _summaries().where(user_sessions.c.session_id.in_(session_ids), user_sessions.c.deleted_at.is_(None))
    return _completed(connection, connection.execute(query).all())


def archive(connection: sa.Connection, session_id: str, is_archived: bool) -> None:
    """Put a session away, or take it out again."""
    mine = user_sessions.c.session_id == session_id
    connection.execute(sa.update(user_sessions).where(mine).values(is_archived=is_archived))


def delete(connection: sa.Connection, session_id: str, now: datetime) -> None:
    """From now on it is not there; its row keeps the id from being used again, and nothing that was said."""
    mine = user_sessions.c.session_id == session_id
    connection.execute(sa.update(user_sessions).where(mine).values(deleted_at=now, title=None))


def owner_of(connection: sa.Connection, session_id: str) -> str | None:
    """Whose session it is, also if it was deleted."""
    return connection.execute(
        sa.select(user_sessions.c.user_id).where(user_sessions.c.session_id == session_id)
    ).scalar()


def unfinished_turns(connection: sa.Connection, session_id: str) -> list[str]:
    """Turns of a session that still run or wait."""
    query = sa.select(turns.c.turn_id).where(
        turns.c.session_id == session_id, turns.c.status.in_([status for status, _ in _STATUSES])
    )
    return list(connection.execute(query).scalars())


def message_page(connection: sa.Connection, session_id: str, after: int, limit: int) -> Sequence[Mapping[str, Any]]:
    """Message rows that a user may see, in order."""
    query = (
        sa.select(messages)
        .where(messages.c.session_id == session_id, messages.c.seq > after, messages.c.is_internal.is_(False))
        .order_by(messages.c.seq)
        .limit(limit)
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def has_message(connection: sa.Connection, session_id: str, message_id: str) -> bool:
    """Whether the session holds a message with this id, or an event of a message."""
    query = sa.select(messages.c.seq).where(
        messages.c.session_id == session_id,
        sa.or_(messages.c.message_id == message_id, messages.c.event_id == message_id),
        messages.c.is_internal.is_(False),
    )
    return connection.execute(query.limit(1)).first() is not None


def bodies(connection: sa.Connection, session_id: str, message_id: str) -> list[str]:
    """What agents said under an id, as it is stored, in order."""
    query = (
        sa.select(messages.c.body)
        .where(
            messages.c.session_id == session_id,
            sa.or_(messages.c.message_id == message_id, messages.c.event_id == message_id),
            messages.c.type == "assistant_message",
            messages.c.is_internal.is_(False),
        )
        .order_by(messages.c.seq)
    )
    return list(connection.execute(query).scalars())


def accepted_at(connection: sa.Connection, turn_id: str) -> int:
    """Where in the log a turn begins."""
    return connection.execute(sa.select(turns.c.accepted_seq).where(turns.c.turn_id == turn_id)).scalar() or 1


def usage_by(connection: sa.Connection, session_id: str, column: str | None) -> Sequence[Mapping[str, Any]]:
    """Tokens and cost of a session's model calls, together or by agent or model."""
    sums = [sa.func.coalesce(sa.func.sum(usage.c[f"{name}_tokens"]), 0).label(name) for name in TOKENS]
    cost = sa.func.sum(usage.c.cost_nanos).label("cost_nanos")
    group = [] if column is None else [usage.c[column]]
    query = sa.select(*group, *sums, cost).where(usage.c.session_id == session_id).group_by(*group)
    return [dict(row) for row in connection.execute(query).mappings()]


def _title() -> sa.ColumnElement[str]:
    return sa.func.coalesce(read_sessions.c.title, user_sessions.c.title)


def _summaries() -> sa.Select[tuple[Any, ...]]:
    # The last row of each session by its key: nothing else of a long session is read.
    preview = (
        sa.select(messages.c.content)
        .where(
            messages.c.session_id == user_sessions.c.session_id,
            messages.c.type.in_(("user_message", "assistant_message")),
            messages.c.is_internal.is_(False),
        )
        .order_by(messages.c.seq.desc())
        .limit(1)
        .scalar_subquery()
    )
    joined = user_sessions.outerjoin(read_sessions, read_sessions.c.session_id == user_sessions.c.session_id)
    return sa.select(user_sessions, _title().label("shown_title"), preview.label("preview")).select_from(joined)


def _completed(connection: sa.Connection, rows: Sequence[sa.Row[tuple[Any, ...]]]) -> list[Summary]:
    ids = [row.session_id for row in rows]
    statuses, pending = _statuses(connection, ids), _pending(connection, ids)
    return [
        Summary(
            session_id=row.session_id,
            user_id=row.user_id,
            workspace_id=row.workspace_id,
            title=row.shown_title,
            created_at=row.created_at,
            updated_at=row.touched_at,
            is_archived=row.is_archived,
            status=statuses.get(row.session_id, "idle"),
            preview=None if row.preview is None else row.preview[:200],
            pending_approvals=pending.get(row.session_id, 0),
        )
        for row in rows
    ]


def _statuses(connection: sa.Connection, ids: Sequence[str]) -> dict[str, Status]:
    query = sa.select(turns.c.session_id, turns.c.status).where(
        turns.c.session_id.in_(ids), turns.c.status.in_([status for status, _ in _STATUSES])
    )
    found: dict[str, set[str]] = {}
    for session_id, status in connection.execute(query):
        found.setdefault(session_id, set()).add(status)
    return {
        session_id: next(shown for status, shown in _STATUSES if status in statuses)
        for session_id, statuses in found.items()
    }


def _pending(connection: sa.Connection, ids: Sequence[str]) -> dict[str, int]:
    query = (
        sa.select(approvals.c.session_id, sa.func.count())
        .where(approvals.c.session_id.in_(ids), approvals.c.status == "pending")
        .group_by(approvals.c.session_id)
    )
    return {row[0]: row[1] for row in connection.execute(query)}
