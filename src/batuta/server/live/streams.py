"""Live HTTP streams: each ends when its caller loses access, and all of them when the server stops."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from batuta.kernel.ids import new_id
from batuta.server.problems import TooManyProblem
from batuta.server.security.ownership import Caller


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

    def __init__(self, *, most: int = 50) -> None:
        """`most`: of one user."""
        self._most = most
        self._streams: dict[str, LiveStream] = {}
        self._is_closed = False

    @property
    def callers(self) -> Mapping[str, Caller]:
        """The callers, by the id of their stream."""
        return {stream_id: stream.caller for stream_id, stream in self._streams.items()}

    def check_room(self, caller: Caller) -> None:
        """Refuse a caller with too many streams before the response begins. Raises `TooManyProblem`."""
        if sum(stream.caller.user_id == caller.user_id for stream in self._streams.values()) >= self._most:
            raise TooManyProblem(f"You have {self._most} open streams at this server.", code="TOO_MANY_STREAMS")

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
