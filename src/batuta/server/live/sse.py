"""Server-sent events: deliveries as frames that `EventSource` understands and resumes by itself.

id: <epoch>:<sequence>      of stored events only
event: agent:event
data: {…}
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi.responses import StreamingResponse

from batuta.events.log import Position
from batuta.kernel.errors import StaleEpochError
from batuta.server.live.buffer import Told

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
MEDIA_TYPE = "text/event-stream"
KEEP_ALIVE = ": still here\n\n"


def respond(frames: AsyncIterator[str]) -> StreamingResponse:
    """A response that streams frames."""
    return StreamingResponse(frames, media_type=MEDIA_TYPE, headers=HEADERS)


async def frames_of(batches: AsyncGenerator[list[Told]], *, session_id: str) -> AsyncIterator[str]:
    """Each delivery as a frame; a position that the log does not hold as a word to load again."""
    try:
        async with aclosing(batches) as source:
            async for batch in source:
                yield "".join(map(frame_of, batch)) or KEEP_ALIVE
    except StaleEpochError:
        yield _frame("resync", {"session_id": session_id})


async def only_resync(session_id: str) -> AsyncIterator[str]:
    """The answer to a position that nobody can know: load again."""
    yield _frame("resync", {"session_id": session_id})


def frame_of(told: Told) -> str:
    """One delivery as a frame."""
    seq = told.sequence_number
    identity = "" if seq is None else f"id: {told.epoch}:{seq}\n"
    return f"{identity}event: agent:event\ndata: {told.wire()}\n\n"


def data_frame(content: dict[str, Any]) -> str:
    """A frame without a name, as AG-UI clients expect it."""
    return f"data: {_json(content)}\n\n"


def position_of(last_event_id: str | None) -> Position | None:
    """The position a client names; nothing if it is none of ours."""
    epoch, colon, seq = (last_event_id or "").partition(":")
    if not (colon and epoch.isascii() and epoch.isdigit() and seq.isascii() and seq.isdigit()):
        return None
    return Position(int(epoch[:18]), int(seq[:18]))


def _frame(name: str, content: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {_json(content)}\n\n"


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":"))
