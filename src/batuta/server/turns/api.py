"""Turns over HTTP: send a message, stop, follow."""

from typing import Annotated, Any

from fastapi import Header, Response
from fastapi.responses import JSONResponse

from batuta.events.log import FIRST_EPOCH, Position
from batuta.kernel.id_fields import UuidStr
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router
from batuta.server.live import sse
from batuta.server.live.feed import SessionFeed
from batuta.server.live.sse import LiveStreams
from batuta.server.turns.service import AcceptedTurn, NewMessage, Turns

router = new_router(tags=["turns"])

TurnsService = Annotated[Turns, provided(Turns)]
Feed = Annotated[SessionFeed, provided(SessionFeed)]
Streams = Annotated[LiveStreams, provided(LiveStreams)]

_STREAMS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The turn as server-sent events", "content": {sse.MEDIA_TYPE: {}}}
}


@router.post("/api/sessions/{session_id}/messages", status_code=202, response_model=AcceptedTurn, responses=_STREAMS)
async def send(
    session_id: UuidStr,
    body: NewMessage,
    caller: CurrentCaller,
    turns: TurnsService,
    feed: Feed,
    streams: Streams,
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Send a message. The answer is the id of its turn, or the turn itself if the client accepts events."""
    is_streamed = sse.MEDIA_TYPE in accept
    if is_streamed:
        streams.check_room(caller)
    answer, position = await turns.accept(caller, session_id, body)
    if not is_streamed:
        return JSONResponse(answer.model_dump(), status_code=202)
    return sse.respond(
        sse.frames_of(
            streams,
            caller,
            lambda stream: feed.follow_turn(session_id, answer.turn_id, position, stream=stream),
            session_id=session_id,
        )
    )


@router.post("/api/sessions/{session_id}/stop", status_code=202)
async def stop(session_id: UuidStr, caller: CurrentCaller, turns: TurnsService) -> None:
    """Stop the turn that runs or waits."""
    await turns.stop(caller, session_id)


@router.delete("/api/sessions/{session_id}/turns/{turn_id}", status_code=204)
async def withdraw(session_id: UuidStr, turn_id: UuidStr, caller: CurrentCaller, turns: TurnsService) -> None:
    """Take back a message that waits for another turn to end."""
    await turns.withdraw(caller, session_id, turn_id)


@router.get("/api/sessions/{session_id}/stream", response_class=Response, responses=_STREAMS)
async def stream(
    session_id: UuidStr,
    caller: CurrentCaller,
    feed: Feed,
    streams: Streams,
    last_event_id: Annotated[str | None, Header(max_length=60)] = None,
) -> Response:
    """Everything stored after the last event seen, then everything that comes."""
    streams.check_room(caller)
    position = sse.position_of(last_event_id)
    if position is None and last_event_id:
        return sse.respond(sse.only_resync(session_id))
    start = position or Position(FIRST_EPOCH, 0)
    return sse.respond(
        sse.frames_of(
            streams, caller, lambda stream: feed.follow(session_id, start, stream=stream), session_id=session_id
        )
    )
