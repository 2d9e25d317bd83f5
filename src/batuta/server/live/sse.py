"""Server-sent events: delivered events as frames that `EventSource` understands and resumes by itself.

id: <epoch>:<sequence>      of stored events only
event: agent:event
data: {…}
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

from fastapi.responses import StreamingResponse

from batuta.events.log import Position
from batuta.kernel.errors import StaleEpochError
from batuta.server.live.stored_events import DeliveredEvent
from batuta.server.live.streams import LiveStream, LiveStreams
from batuta.server.security.ownership import Caller

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
MEDIA_TYPE = "text/event-stream"
KEEP_ALIVE = ": still here\n\n"

Source = Callable[[LiveStream], AsyncGenerator[list[DeliveredEvent]]]
"""Opens the feed that a response streams; it ends with the stream."""


def respond(frames: AsyncIterator[str]) -> StreamingResponse:
    """A response that streams frames."""
    return StreamingResponse(frames, media_type=MEDIA_TYPE, headers=HEADERS)


async def frames_of(streams: LiveStreams, caller: Caller, source: Source, *, session_id: str) -> AsyncIterator[str]:
    """The frames of a feed, until it ends, the caller loses access, or the server stops.

    A position that the log does not hold becomes a frame that makes the client load the session again.
    """
    try:
        with streams.open(caller) as stream:
            async with aclosing(source(stream)) as batches:
                async for batch in batches:
                    yield "".join(map(frame_of, batch)) or KEEP_ALIVE
    except StaleEpochError:
        yield _frame("resync", {"session_id": session_id})


async def only_resync(session_id: str) -> AsyncIterator[str]:
    """The answer to a position that the platform never gave out: load the session again."""
    yield _frame("resync", {"session_id": session_id})


def frame_of(delivered: DeliveredEvent) -> str:
    """One event as a frame."""
    seq = delivered.sequence_number
    identity = "" if seq is None else f"id: {delivered.epoch}:{seq}\n"
    return f"{identity}event: agent:event\ndata: {delivered.wire()}\n\n"


def data_frame(content: dict[str, Any]) -> str:
    """A frame without a name, as AG-UI clients expect it."""
    return f"data: {_json(content)}\n\n"


def position_of(last_event_id: str | None) -> Position | None:
    """The position a client names; None if it is not one of ours."""
    epoch, colon, seq = (last_event_id or "").partition(":")
    if not (colon and epoch.isascii() and epoch.isdigit() and seq.isascii() and seq.isdigit()):
        return None
    return Position(int(epoch[:18]), int(seq[:18]))


def _frame(name: str, content: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {_json(content)}\n\n"


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":"))
