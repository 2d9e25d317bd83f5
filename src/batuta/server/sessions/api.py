"""Sessions over HTTP: validate, delegate, nothing else."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from fastapi import Query, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import to_json

from batuta.events.routing import Persistence
from batuta.kernel.id_fields import UuidStr
from batuta.kernel.usage import Usage
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router
from batuta.server.sessions import exporting
from batuta.server.sessions.repository import ListQuery, Status, Summary
from batuta.server.sessions.service import Sessions, place_of
from batuta.server.sessions.sources import Sources
from batuta.server.sessions.timeline import TurnTimeline

router = new_router(tags=["sessions"])

SessionsService = Annotated[Sessions, provided(Sessions)]

LARGEST = 2**53
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Position = Annotated[int, Query(ge=0, le=LARGEST)]


class SessionSummary(BaseModel):
    """A session in a list."""

    session_id: str
    title: str | None
    created_at: datetime
    updated_at: datetime
    is_archived: bool
    status: Status
    preview: str | None
    pending_approvals: int


class SessionPage(BaseModel):
    """Some sessions."""

    items: list[SessionSummary]
    next_cursor: str | None


class NewSession(BaseModel):
    """A session that is wanted."""

    title: Title | None = None


class SessionChange(BaseModel):
    """What shall be otherwise."""

    title: Title | None = None
    is_archived: bool | None = None


class WireEvent(BaseModel):
    """An event as users see it: what all have; each type adds its own, as the reference of events tells."""

    model_config = ConfigDict(extra="allow")

    type: str
    event_id: UuidStr
    version: int
    timestamp: datetime
    session_id: UuidStr
    turn_id: UuidStr | None
    message_id: UuidStr | None
    sequence_number: int
    original_index: int
    source_agent_id: str | None
    persistence: Persistence
    correlation_id: str | None
    trace_id: str | None
    epoch: int
    previous_sequence: int | None


class EventPage(BaseModel):
    """Some events, in order."""

    epoch: int
    items: list[WireEvent]
    last_sequence: int
    has_more: bool


class MessagePage(BaseModel):
    """Some rows of the read model, in order."""

    items: list[dict[str, Any]]
    next_cursor: str | None


class Share(BaseModel):
    """What something used and cost."""

    usage: Usage
    cost: Decimal | None


class AgentShare(Share):
    """What an agent used."""

    agent_id: str | None


class ModelShare(Share):
    """What a model used."""

    model: str | None


class SessionUsage(Share):
    """What a session used."""

    by_agent: list[AgentShare]
    by_model: list[ModelShare]


class CitedSource(BaseModel):
    """A cited document; `start` and `end` are where the quoted words stand in `text`, in characters."""

    source: str
    title: str
    place: str
    quote: str
    url: str | None
    text: str | None
    start: int | None
    end: int | None
    is_part: bool


class Feedback(BaseModel):
    """What a person thinks of an answer."""

    message_id: UuidStr
    rating: Literal[-1, 0, 1]
    comment: str = Field(default="", max_length=4_000)


@router.get("/api/sessions")
async def list_sessions(
    caller: CurrentCaller,
    sessions: SessionsService,
    cursor: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
    query: Annotated[str, Query(max_length=200)] = "",
    archived: bool = False,
) -> SessionPage:
    """My sessions, last used first."""
    wanted = ListQuery(
        limit=limit, after=place_of(cursor) if cursor else None, words=query.strip(), is_archived=archived
    )
    found, next_cursor = await sessions.page(caller, wanted)
    return SessionPage(items=[summary_view(summary) for summary in found], next_cursor=next_cursor)


@router.post("/api/sessions", status_code=201)
async def create(body: NewSession, caller: CurrentCaller, sessions: SessionsService) -> SessionSummary:
    """Begin a session."""
    return summary_view(await sessions.create(caller, body.title))


@router.get("/api/sessions/{session_id}")
async def read(session_id: UuidStr, sessions: SessionsService) -> SessionSummary:
    """A session of mine."""
    return summary_view(await sessions.get(session_id))


@router.patch("/api/sessions/{session_id}")
async def change(session_id: UuidStr, body: SessionChange, sessions: SessionsService) -> SessionSummary:
    """Rename a session or put it away."""
    return summary_view(await sessions.change(session_id, title=body.title, is_archived=body.is_archived))


@router.delete("/api/sessions/{session_id}", status_code=204)
async def delete(session_id: UuidStr, sessions: SessionsService) -> Response:
    """Delete a session."""
    await sessions.delete(session_id)
    return Response(status_code=204)


@router.get("/api/sessions/{session_id}/events", response_model=EventPage)
async def events(
    session_id: UuidStr,
    sessions: SessionsService,
    after: Position = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 500,
) -> Response:
    """The stored events I may see, in order: what a client folds into its view."""
    page = await sessions.wire_events(session_id, after=after, limit=limit)
    # An `EventPage`, put together of what is JSON already: long sessions are opened page by page.
    rest = {"epoch": page.epoch, "last_sequence": page.last_sequence, "has_more": page.has_more}
    content = b'{"items":[' + b",".join(page.items) + b"]," + to_json(rest)[1:]
    return Response(content, media_type="application/json")


@router.get("/api/sessions/{session_id}/messages")
async def messages(
    session_id: UuidStr,
    sessions: SessionsService,
    cursor: Annotated[str, Query(pattern=r"^[0-9]{0,15}$")] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
) -> MessagePage:
    """Message rows of the read model."""
    rows = await sessions.messages(session_id, after=int(cursor or 0), limit=limit + 1)
    shown = rows[:limit]
    is_last = len(rows) <= limit
    items = [{name: value for name, value in row.items() if name != "body"} for row in shown]
    return MessagePage(items=items, next_cursor=None if is_last else str(shown[-1]["seq"]))


@router.get("/api/sessions/{session_id}/export", response_class=Response)
async def export(
    session_id: UuidStr,
    caller: CurrentCaller,
    sessions: SessionsService,
    format: Literal["json", "markdown"] = "json",  # noqa: A002 - the API's word
) -> Response:
    """The session as a file."""
    session = await sessions.get(session_id)
    epoch, events = await sessions.all_events(session_id)
    tables = await sessions.tables(session_id, caller)
    if format == "json":
        return _file(exporting.as_json(session, events, epoch, tables), "application/json", f"{session_id}.json")
    return _file(exporting.as_markdown(session, events, tables), "text/markdown; charset=utf-8", f"{session_id}.md")


@router.get("/api/sessions/{session_id}/usage")
async def usage(session_id: UuidStr, sessions: SessionsService) -> SessionUsage:
    """What the session used and cost."""
    return SessionUsage.model_validate(await sessions.usage(session_id))


@router.get("/api/sessions/{session_id}/source")
async def source(
    session_id: UuidStr,
    message_id: UuidStr,
    caller: CurrentCaller,
    sources: Annotated[Sources, provided(Sources)],
    number: Annotated[int, Query(ge=0, le=1_000)] = 0,
) -> CitedSource:
    """The text behind a citation of an answer: which message, and which of its citations, counted from 0."""
    found = await sources.open(session_id, message_id, number, user_id=caller.user_id)
    return CitedSource(
        **found.citation.model_dump(include={"source", "title", "place", "quote", "url"}),
        text=found.text,
        start=found.start,
        end=found.end,
        is_part=found.is_part,
    )


@router.get("/api/sessions/{session_id}/turns/{turn_id}/timeline")
async def timeline(session_id: UuidStr, turn_id: UuidStr, sessions: SessionsService) -> TurnTimeline:
    """Every event of a turn, with durations, tokens and cost."""
    return await sessions.timeline(session_id, turn_id)


@router.post("/api/sessions/{session_id}/feedback", status_code=202)
async def feedback(session_id: UuidStr, body: Feedback, sessions: SessionsService) -> None:
    """Judge an answer."""
    await sessions.judge(session_id, body.message_id, body.rating, body.comment)


def summary_view(summary: Summary) -> SessionSummary:
    """A session as the API shows it."""
    return SessionSummary(
        session_id=summary.session_id,
        title=summary.title,
        created_at=summary.created_at,
        updated_at=summary.updated_at,
        is_archived=summary.is_archived,
        status=summary.status,
        preview=summary.preview,
        pending_approvals=summary.pending_approvals,
    )


def _file(content: str, media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content.encode("utf-8", "backslashreplace"), media_type=media_type, headers=headers)
