"""Server-sent events: delivered events as frames that `EventSource` understands and resumes by itself.

id: <epoch>:<sequence>      of stored events only
event: agent:event
data: {…}

A stream ends when its caller loses access, and all of them when the server stops.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import Any

from fastapi.responses import StreamingResponse

from batuta.events.log import Position
from batuta.kernel.errors import StaleEpochError
from batuta.kernel.ids import new_id
from batuta.server.fair_use import OpenLimits
from batuta.server.live.stored_events import DeliveredEvent
from batuta.server.security.ownership import Caller

DEFAULT_LIMITS = OpenLimits(of_a_user=50, of_a_workspace=5_000)


class LiveStream:
    """One streaming response."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.is_ended = False
        self._end_source: Callable[[], None] | None = None

    def on_end(self, end_source: Callable[[], None]) -> None:
        """What ends the source of the stream; called at once if the stream has ended already."""
        self._end_source = end_source
        if self.is_ended:
            end_source()

    def end(self) -> None:
        """End the response: its source gives nothing more. Harmless if repeated."""
        self.is_ended = True
        if self._end_source is not None:
            self._end_source()


class LiveStreams:
    """All live HTTP streams of this process."""

    def __init__(self, limits: OpenLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._streams: dict[str, LiveStream] = {}
        self._is_closed = False

    @property
    def callers(self) -> Mapping[str, Caller]:
        """The callers, by the id of their stream."""
        return {stream_id: stream.caller for stream_id, stream in self._streams.items()}

    def check_room(self, caller: Caller) -> None:
        """Refuse a caller with too many streams before the response begins. Raises `TooManyProblem`."""
        callers = (stream.caller for stream in self._streams.values())
        self._limits.check_callers(caller, callers, "open streams at this server", "TOO_MANY_STREAMS")

    @contextmanager
    def open(self, caller: Caller) -> Iterator[LiveStream]:
        """A stream within the block. Raises `TooManyProblem`: requests at the same moment may all have found room."""
        self.check_room(caller)
        stream_id, stream = new_id(), LiveStream(caller)
        self._streams[stream_id] = stream
        if self._is_closed:
            stream.end()
        try:
            yield stream
        finally:
            del self._streams[stream_id]

    def end(self, stream_ids: frozenset[str]) -> None:
        """End some."""
        for stream_id in stream_ids:
            if stream_id in self._streams:
                self._streams[stream_id].end()

    def close(self) -> None:
        """End all of them, and those that are opened later."""
        self._is_closed = True
        self.end(frozenset(self._streams))


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
