"""Turns as rows of the queue, and when a session was last used."""

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


def touch(connection: sa.Connection, session_id: str, now: datetime) -> bool:
    """The session was just used; one that was put away comes back. Says whether it has a name."""
    mine = user_sessions.c.session_id == session_id
    connection.execute(sa.update(user_sessions).where(mine).values(touched_at=now, is_archived=False))
    return has_title(connection, session_id)


def has_title(connection: sa.Connection, session_id: str) -> bool:
    """Whether the session has a name."""
    joined = user_sessions.outerjoin(read_sessions, read_sessions.c.session_id == user_sessions.c.session_id)
    title = sa.func.coalesce(read_sessions.c.title, user_sessions.c.title)
    query = sa.select(title).select_from(joined).where(user_sessions.c.session_id == session_id)
    return connection.execute(query).scalar() is not None


def open_turns(connection: sa.Connection, session_id: str) -> list[OpenTurn]:
    """The unfinished turns of a session, in order."""
    query = (
        sa.select(turns.c.turn_id, turns.c.status)
        .where(turns.c.session_id == session_id, turns.c.status.in_(UNFINISHED))
        .order_by(turns.c.ordinal)
    )
    return [OpenTurn(*row) for row in connection.execute(query)]


def is_over_limit(connection: sa.Connection, user_id: str, most: int, session_id: str, client_key: str) -> bool:
    """Whether a user has so many unfinished turns; a message that was accepted before is not one more."""
    mine = sa.select(turns.c.turn_id).where(turns.c.user_id == user_id, turns.c.status.in_(UNFINISHED)).limit(most)
    if connection.execute(sa.select(sa.func.count()).select_from(mine.subquery())).scalar_one() < most:
        return False
    known = sa.select(turns.c.turn_id).where(turns.c.session_id == session_id, turns.c.client_key == client_key)
    return connection.execute(known).first() is None
