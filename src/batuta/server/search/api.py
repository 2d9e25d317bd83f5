"""Search over HTTP."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import AwareDatetime, BaseModel

from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router
from batuta.server.search.repository import TalkFilter
from batuta.server.search.service import Hit, Search

router = new_router(tags=["search"])


class FoundSession(BaseModel):
    """A session whose title matches; `highlights` are begin and end of each match in `text`."""

    session_id: str
    title: str | None
    updated_at: datetime
    text: str
    highlights: list[tuple[int, int]]


class FoundMessage(BaseModel):
    """A message that matches."""

    session_id: str
    session_title: str | None
    message_id: str | None
    sequence_number: int | None
    role: str | None
    created_at: datetime
    text: str
    highlights: list[tuple[int, int]]


class SearchResults(BaseModel):
    """What was found."""

    sessions: list[FoundSession]
    messages: list[FoundMessage]


@router.get("/api/search")
async def search(
    caller: CurrentCaller,
    finder: Annotated[Search, provided(Search)],
    query: Annotated[str, Query(min_length=1, max_length=200, pattern=r"\S")],
    since: AwareDatetime | None = None,
    until: AwareDatetime | None = None,
    agent: Annotated[str | None, Query(max_length=100)] = None,
) -> SearchResults:
    """My sessions and messages that hold some words; with an agent, the messages that it wrote."""
    wanted = TalkFilter(since=since, until=until, agent_id=agent or None)
    sessions, messages = await finder.find(caller, query.strip(), wanted)
    return SearchResults(sessions=[_session(hit) for hit in sessions], messages=[_message(hit) for hit in messages])


def _session(hit: Hit) -> FoundSession:
    return FoundSession(
        session_id=hit.session_id,
        title=hit.title,
        updated_at=hit.at,
        text=hit.text,
        highlights=list(hit.highlights),
    )


def _message(hit: Hit) -> FoundMessage:
    return FoundMessage(
        session_id=hit.session_id,
        session_title=hit.title,
        message_id=hit.message_id,
        sequence_number=hit.sequence_number,
        role=hit.role,
        created_at=hit.at,
        text=hit.text,
        highlights=list(hit.highlights),
    )
