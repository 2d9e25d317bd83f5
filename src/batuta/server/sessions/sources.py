"""The source of a citation: the document around the words that were quoted, for those who may read the answer.

Requests name no document: a citation of a stored answer does. So a text is read only by people whose session cites it.
"""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import sqlalchemy as sa

from batuta.events.conversation import Citation
from batuta.server.database.engines import Database
from batuta.server.problems import NotFoundProblem
from batuta.server.sessions import repository

MOST_CHARACTERS = 200_000
"""Of a document that is shown; of a longer one the part around the quote."""

ReadSource = Callable[[Citation, str], Awaitable[str | None]]
"""The text that a citation points to, for a user's id, or nothing if that user has no such document any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedText:
    """A citation with the text it points to."""

    citation: Citation
    text: str | None
    """Nothing if the document is away, or is not one of ours (then there may be an address)."""
    start: int | None = None
    end: int | None = None
    """Where in the text the quoted words are; nothing if it was changed since and does not hold them any more."""
    is_part: bool = False


class Sources:
    """Opens citations."""

    def __init__(self, database: Database, read: ReadSource) -> None:
        self._database = database
        self._read = read

    async def open(self, session_id: str, message_id: str, number: int, *, user_id: str) -> CitedText:
        """The source of one citation of an answer."""

        def look(connection: sa.Connection) -> list[str]:
            return repository.bodies(connection, session_id, message_id)

        bodies = [json.loads(body) for body in await self._database.read(look)]
        cited = [citation for body in bodies for citation in body.get("citations", ())]
        if number >= len(cited):
            raise NotFoundProblem
        citation = Citation.model_validate(cited[number])
        return shown(citation, await self._read(citation, user_id))


def shown(citation: Citation, text: str | None) -> CitedText:
    """A citation in its text: at the place it names if the words are still there, else wherever they are now."""
    if text is None:
        return CitedText(citation=citation, text=None)
    place = _place(citation, text)
    if len(text) <= MOST_CHARACTERS:
        return CitedText(citation=citation, text=text, start=place and place[0], end=place and place[1])
    begin = max(0, (place[0] if place else 0) - MOST_CHARACTERS // 2)
    part = text[begin : begin + MOST_CHARACTERS]
    start, end = (place[0] - begin, place[1] - begin) if place else (None, None)
    return CitedText(citation=citation, text=part, start=start, end=end, is_part=True)


def _place(citation: Citation, text: str) -> tuple[int, int] | None:
    start, end = citation.start, citation.end
    if start is not None and end is not None and _plain(text[start:end]) == _plain(citation.quote):
        return start, end
    found = text.find(citation.quote) if citation.quote else -1
    return (found, found + len(citation.quote)) if found >= 0 else None


def _plain(words: str) -> str:
    """Without the blanks and emphasis that a quote may leave out."""
    return "".join(character for character in words if not character.isspace() and character not in "*_`")
