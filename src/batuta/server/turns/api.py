"""Turns over HTTP: send a message, stop, follow."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import Header, Request, Response
from fastapi.responses import JSONResponse

from batuta.events.log import FIRST_EPOCH, Position
from batuta.kernel.id_fields import UuidStr
from batuta.server.http.guard import CurrentCaller, new_router
from batuta.server.live import sse
from batuta.server.live.buffer import Told
from batuta.server.live.feed import Delivery
from batuta.server.turns.service import AcceptedTurn, NewMessage, Turns

router = new_router(tags=["turns"])

_STREAMS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The turn as server-sent events", "content": {sse.MEDIA_TYPE: {}}}
}


@router.post("/api/sessions/{session_id}/messages", status_code=202, response_model=AcceptedTurn, responses=_STREAMS)
async def send(
    session_id: UuidStr,
    body: NewMessage,
    caller: CurrentCaller,
    request: Request,
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Send a message. Its turn is answered at once with its id, or followed if events are accepted."""
    answer, position = await _turns(request).accept(caller, session_id, body)
    if sse.MEDIA_TYPE not in accept:
        return JSONResponse(answer.model_dump(), status_code=202)
    batches = _delivery(request).follow_turn(session_id, answer.turn_id, position)
    return sse.respond(sse.frames_of(_while_valid(request, batches), session_id=session_id))


@router.post("/api/sessions/{session_id}/stop", status_code=202)
async def stop(session_id: UuidStr, caller: CurrentCaller, request: Request) -> None:
    """Stop the turn that runs or waits."""
    await _turns(request).stop(caller, session_id)


@router.get("/api/sessions/{session_id}/stream", response_class=Response, responses=_STREAMS)
async def stream(
    session_id: UuidStr,
    request: Request,
    caller: CurrentCaller,
    last_event_id: Annotated[str | None, Header(max_length=60)] = None,
) -> Response:
    """Everything stored after the last event seen, then everything that comes."""
    position = sse.position_of(last_event_id)
    if position is None and last_event_id:
        return sse.respond(sse.only_resync(session_id))
    batches = _delivery(request).follow(session_id, position or Position(FIRST_EPOCH, 0))
    return sse.respond(sse.frames_of(_while_valid(request, batches), session_id=session_id))


async def _while_valid(request: Request, batches: AsyncGenerator[list[Told]]) -> AsyncGenerator[list[Told]]:
    """The batches, until the caller is logged out, loses what it was let in with, or the server stops."""
    with request.app.state.platform.streams.open(request.state.caller) as stream:
        async with aclosing(batches), aclosing(stream.until_ended(batches)) as valid:
            async for batch in valid:
                yield batch


def _turns(request: Request) -> Turns:
    turns: Turns = request.app.state.platform.turns
    return turns


def _delivery(request: Request) -> Delivery:
    delivery: Delivery = request.app.state.platform.delivery
    return delivery
