"""Looking for words in a person's own sessions and messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from batuta.server.database.tables import messages, read_sessions, user_sessions
from batuta.server.security.ownership import Caller, own_sessions

_places = sa.table("message_places", sa.column("id"), sa.column("session_id"), sa.column("seq"))
_words = sa.table("message_words", sa.column("rowid"), sa.column("message_words"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkFilter:
    """Which messages a search looks at; without anything, all of them."""

    since: datetime | None = None
    until: datetime | None = None
    agent_id: str | None = None
    """The agent that wrote it."""

    def between(self, moment: sa.ColumnElement[Any]) -> list[sa.ColumnElement[bool]]:
        """The conditions on a column of time."""
        bounds = [] if self.since is None else [moment >= self.since]
        return bounds if self.until is None else [*bounds, moment < self.until]


ANY_TALK = TalkFilter()


def sessions(
    connection: sa.Connection, caller: Caller, words: Sequence[str], wanted: TalkFilter, limit: int
) -> Sequence[Mapping[str, Any]]:
    """Sessions whose title holds all the words; none where an agent is asked for: agents write messages."""
    if wanted.agent_id is not None:
        return []
    title = sa.func.coalesce(read_sessions.c.title, user_sessions.c.title)
    joined = user_sessions.outerjoin(read_sessions, read_sessions.c.session_id == user_sessions.c.session_id)
    query = (
        sa.select(user_sessions.c.session_id, title.label("title"), user_sessions.c.touched_at.label("updated_at"))
        .select_from(joined)
        .where(own_sessions(caller), *wanted.between(user_sessions.c.touched_at))
        .where(*(sa.func.batuta_fold(title).contains(word, autoescape=True) for word in words))
        .order_by(user_sessions.c.touched_at.desc())
        .limit(limit)
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def found_messages(
    connection: sa.Connection, caller: Caller, words: Sequence[str], wanted: TalkFilter, limit: int
) -> Sequence[Mapping[str, Any]]:
    """Messages with words that begin like each of these, newest first; the owner is asked before anything is ranked.

    A common word stands in most messages: their places are ranked first, and only the rows of the newest are read.
    """
    newest = _newest(connection.dialect.name, caller, words, wanted).limit(limit).subquery("newest")
    title = sa.func.coalesce(read_sessions.c.title, user_sessions.c.title)
    place = sa.and_(messages.c.session_id == newest.c.session_id, messages.c.seq == newest.c.seq)
    query = (
        sa.select(messages, title.label("title"))
        .select_from(
            newest.join(messages, place)
            .join(user_sessions, user_sessions.c.session_id == messages.c.session_id)
            .outerjoin(read_sessions, read_sessions.c.session_id == user_sessions.c.session_id)
        )
        .order_by(messages.c.created_at.desc(), messages.c.seq.desc())
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def _newest(dialect: str, caller: Caller, words: Sequence[str], filters: TalkFilter) -> sa.Select[tuple[Any, ...]]:
    """The places of the newest messages that match."""
    shown = (messages.c.type.in_(("user_message", "assistant_message")), sa.not_(messages.c.is_internal))
    written = () if filters.agent_id is None else (messages.c.agent_id == filters.agent_id,)
    places = sa.select(messages.c.session_id, messages.c.seq)
    places = places.where(*shown, *filters.between(messages.c.created_at), *written)
    if dialect == "postgresql":
        # An array: a join is planned for a handful of matches, and a common word has thousands.
        own = sa.select(user_sessions.c.session_id).where(own_sessions(caller)).scalar_subquery()
        wanted = sa.func.to_tsquery("simple", " & ".join(f"'{word}':*" for word in words))
        return places.where(
            messages.c.session_id == sa.any_(sa.func.array(own)), sa.literal_column("messages.words").op("@@")(wanted)
        ).order_by(messages.c.created_at.desc(), messages.c.seq.desc())
    # The index is walked from its end: its numbers grow with time, and nothing is read but what is shown.
    matching = _indexed(words).join(user_sessions, user_sessions.c.session_id == messages.c.session_id)
    return places.select_from(matching).where(own_sessions(caller)).order_by(_places.c.id.desc())


def _indexed(words: Sequence[str]) -> sa.FromClause:
    """The messages that the index of SQLite names, so that no others are looked at."""
    wanted = " ".join(f'"{word}"*' for word in words)
    rows = sa.select(_words.c.rowid).where(_words.c.message_words.op("MATCH")(wanted)).subquery("matching")
    places = rows.join(_places, _places.c.id == rows.c.rowid)
    return places.join(
        messages, sa.and_(messages.c.session_id == _places.c.session_id, messages.c.seq == _places.c.seq)
    )
