"""Search in one's own sessions, with the places to highlight."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from batuta.server.database.engines import Database
from batuta.server.database.words import excerpt, words_of
from batuta.server.search import repository
from batuta.server.security.ownership import Caller

MOST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Something that was found: a text, and where in it the words are."""

    session_id: str
    title: str | None
    at: datetime
    text: str
    highlights: tuple[tuple[int, int], ...]
    message_id: str | None = None
    sequence_number: int | None = None
    role: str | None = None


class Search:
    """Finds things again."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(
        self, caller: Caller, query: str, wanted: repository.TalkFilter = repository.ANY_TALK
    ) -> tuple[list[Hit], list[Hit]]:
        """Sessions and messages that hold the words, however they are written."""
        words = words_of(query)
        if not words:
            return [], []

        def look(connection: sa.Connection) -> tuple[list[Hit], list[Hit]]:
            by_title = repository.sessions(connection, caller, words, wanted, MOST)
            by_content = repository.found_messages(connection, caller, words, wanted, MOST)
            return [_session(row, words) for row in by_title], [_message(row, words) for row in by_content]

        return await self._database.read(look)


def _session(row: Mapping[str, Any], words: Sequence[str]) -> Hit:
    text, highlights = excerpt(row["title"], words)
    return Hit(session_id=row["session_id"], title=row["title"], at=row["updated_at"], text=text, highlights=highlights)


def _message(row: Mapping[str, Any], words: Sequence[str]) -> Hit:
    text, highlights = excerpt(row["content"], words)
    return Hit(
        session_id=row["session_id"],
        title=row["title"],
        at=row["created_at"],
        text=text,
        highlights=highlights,
        message_id=row["message_id"],
        sequence_number=row["seq"],
        role=row["role"],
    )
