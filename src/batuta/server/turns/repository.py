"""Turns as rows of the queue, and when a session was last used."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from batuta.server.database.tables import read_sessions, turns, user_sessions

UNFINISHED = ("queued", "running", "paused")


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn that still runs or waits."""

    turn_id: str
    status: str


# Every message asks these questions: to put a query together costs more than to answer it.
_SESSION, _USER = sa.bindparam("session", type_=sa.String), sa.bindparam("user", type_=sa.String)
_TOUCH = (
    sa.update(user_sessions)
    .where(user_sessions.c.session_id == _SESSION)
    .values(touched_at=sa.bindparam("now", type_=user_sessions.c.touched_at.type), is_archived=False)
)
_TITLE = (
    sa.select(sa.func.coalesce(read_sessions.c.title, user_sessions.c.title))
    .select_from(user_sessions.outerjoin(read_sessions, read_sessions.c.session_id == user_sessions.c.session_id))
    .where(user_sessions.c.session_id == _SESSION)
)
_OPEN_TURNS = (
    sa.select(turns.c.turn_id, turns.c.status)
    .where(turns.c.session_id == _SESSION, turns.c.status.in_(UNFINISHED))
    .order_by(turns.c.ordinal)
)
_BESIDES = sa.bindparam("besides", type_=sa.String, expanding=True)


def _count(owner: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
    is_open = turns.c.status.in_(UNFINISHED) & turns.c.turn_id.not_in(_BESIDES)
    most = sa.bindparam("most", type_=sa.Integer)
    found = sa.select(turns.c.turn_id).where(owner, is_open).limit(most)
    return sa.select(sa.func.count()).select_from(found.subquery()).scalar_subquery()


_WORKSPACE = sa.bindparam("workspace", type_=sa.String)
_COUNT_OPEN = sa.select(_count(turns.c.user_id == _USER), _count(turns.c.tenant_id == _WORKSPACE))


def touch(connection: sa.Connection, session_id: str, now: datetime) -> bool:
    """The session was just used; one that was put away comes back. Says whether it has a name."""
    connection.execute(_TOUCH, {"session": session_id, "now": now})
    return has_title(connection, session_id)


def has_title(connection: sa.Connection, session_id: str) -> bool:
    """Whether the session has a name."""
    return connection.execute(_TITLE, {"session": session_id}).scalar() is not None


def open_turns(connection: sa.Connection, session_id: str) -> list[OpenTurn]:
    """The unfinished turns of a session, in order."""
    return [OpenTurn(*row) for row in connection.execute(_OPEN_TURNS, {"session": session_id})]


def count_open(
    connection: sa.Connection, user_id: str, workspace_id: str, *, most: int, besides: Sequence[str]
) -> tuple[int, int]:
    """How many unfinished turns a user and a workspace have besides some; counted up to `most`."""
    given = {"user": user_id, "workspace": workspace_id, "most": most, "besides": besides}
    of_user, of_workspace = connection.execute(_COUNT_OPEN, given).one()
    return of_user, of_workspace


def is_accepted(connection: sa.Connection, session_id: str, client_key: str) -> bool:
    """Whether a message was accepted before: sent again, it is not one more."""
    known = sa.select(turns.c.turn_id).where(turns.c.session_id == session_id, turns.c.client_key == client_key)
    return connection.execute(known).first() is not None
