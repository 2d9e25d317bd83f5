"""Looking for words in a person's own sessions and messages."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from batuta.server.ownership import Caller, own_sessions
from batuta.server.tables import messages, read_sessions, user_sessions


def sessions(connection: sa.Connection, caller: Caller, words: str, limit: int) -> Sequence[Mapping[str, Any]]:
    """Sessions whose title holds the words."""
    title = sa.func.coalesce(read_sessions.c.title, user_sessions.c.title)
    joined = user_sessions.outerjoin(read_sessions, read_sessions.c.session_id == user_sessions.c.session_id)
    query = (
        sa.select(user_sessions.c.session_id, title.label("title"), user_sessions.c.touched_at.label("updated_at"))
        .select_from(joined)
        .where(own_sessions(caller), sa.func.lower(title).contains(words.lower(), autoescape=True))
        .order_by(user_sessions.c.touched_at.desc())
        .limit(limit)
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def found_messages(connection: sa.Connection, caller: Caller, words: str, limit: int) -> Sequence[Mapping[str, Any]]:
    """Messages that hold the words, newest first; the owner is asked before anything is ranked."""
    title = sa.func.coalesce(read_sessions.c.title, user_sessions.c.title)
    joined = user_sessions.join(messages, messages.c.session_id == user_sessions.c.session_id).outerjoin(
        read_sessions, read_sessions.c.session_id == user_sessions.c.session_id
    )
    query = (
        sa.select(messages, title.label("title"))
        .select_from(joined)
        .where(
            own_sessions(caller),
            messages.c.type.in_(("user_message", "assistant_message")),
            messages.c.is_internal.is_(False),
            sa.func.lower(messages.c.content).contains(words.lower(), autoescape=True),
        )
        .order_by(messages.c.created_at.desc())
        .limit(limit)
    )
    return [dict(row) for row in connection.execute(query).mappings()]
