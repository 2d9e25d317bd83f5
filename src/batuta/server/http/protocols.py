"""Connections at the level of bytes: those that stop in the middle of a request, or take nothing of an answer, are let
go. Each would cost a descriptor and memory for as long as its client likes, and none of it needs a login.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

HEAD_SECONDS = 20.0
"""How long the head of a request may take, the first of a connection included."""
BODY_SECONDS, BODY_BYTES_PER_SECOND = 30.0, 1_000
"""How long a body may take: so long, and longer by what has arrived of it at the slowest rate that is waited for."""
UNREAD_SECONDS = 30.0
"""How long a client may take nothing of what waits for it."""
GOODBYE_SECONDS = 3.0
"""How long a client may take to answer that its socket is closed."""
ABORT = "batuta.abort"
"""The ASGI extension under which a socket's scope holds what ends its connection at once."""

_TIMED_OUT = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class ConnectionTimer:
    """Calls something after a while, unless it is put off."""

    def __init__(self, on_expiry: Callable[[], None]) -> None:
        self._on_expiry = on_expiry
        self._timer: asyncio.TimerHandle | None = None

    def put_off(self, seconds: float) -> None:
        """So many seconds from now."""
        self.clear()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._on_expiry)

    def clear(self) -> None:
        """Not at all."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class UnreadWatch:
    """Ends a connection whose client takes nothing of what waits for it."""

    def __init__(self) -> None:
        self._transport: Any = None
        self._waiting_bytes = 0
        self._deadline = ConnectionTimer(self._check)

    def begin(self, transport: Any) -> None:
        """More waits than the transport likes to keep."""
        self._transport, self._waiting_bytes = transport, transport.get_write_buffer_size()
        self._deadline.put_off(UNREAD_SECONDS)

    def end(self) -> None:
        """It was taken, or the client is gone."""
        self._deadline.clear()

    def _check(self) -> None:
        left = self._transport.get_write_buffer_size()
        if left < self._waiting_bytes:  # slow, but there
            self.begin(self._transport)
        else:
            self._transport.abort()


class RequestProtocol(H11Protocol):
    """Requests that arrive in time, for clients that read their answers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._unread = UnreadWatch()
        self._deadline = ConnectionTimer(self._check)
        self._awaited: Any = None
        self._since = 0.0
        self._received = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a first request."""
        super().connection_made(transport)
        self._watch(0)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._forget()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Wait for the rest, if there is one."""
        super().data_received(data)
        self._watch(len(data))

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """From here on another protocol has the connection."""
        self._forget()
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """The client does not keep up."""
        super().pause_writing()
        self._unread.begin(self.transport)

    def resume_writing(self) -> None:
        """It does again."""
        self._unread.end()
        super().resume_writing()

    def _watch(self, received: int) -> None:
        """See to it that what is awaited of the client comes in time."""
        awaited = self.conn.their_state if self.conn.their_state in (h11.IDLE, h11.SEND_BODY) else None
        if awaited is None or self.transport.is_closing() or self.transport.get_protocol() is not self:
            self._deadline.clear()
            self._awaited = None
        elif awaited is self._awaited:
            self._received += received
        else:
            self._awaited, self._since, self._received = awaited, self.loop.time(), 0
            self._deadline.put_off(self._allowed())

    def _allowed(self) -> float:
        """Seconds that what is awaited may take, from its beginning."""
        is_head = self._awaited is h11.IDLE
        return HEAD_SECONDS if is_head else BODY_SECONDS + self._received / BODY_BYTES_PER_SECOND

    def _check(self) -> None:
        if self.flow.read_paused:  # it is the platform that does not read
            self._since = self.loop.time()
        left = self._since + self._allowed() - self.loop.time()
        if left > 0:
            self._deadline.put_off(left)
        elif self._is_at_rest():
            if self._received:
                self.transport.write(_TIMED_OUT)
            self.transport.close()
        else:
            self.transport.abort()

    def _is_at_rest(self) -> bool:
        """Whether no request is being answered."""
        cycle: Any = self.cycle  # none before the first request
        return cycle is None or bool(cycle.response_complete)

    def _forget(self) -> None:
        self._deadline.clear()
        self._unread.end()


class SocketProtocol(WebSocketsSansIOProtocol):
    """A socket that can be shut down while its client is leaving, and whose connection can be ended at once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.close_timeout = GOODBYE_SECONDS
        self._unread = UnreadWatch()

    def handle_connect(self, event: Any) -> None:
        """Begin the handshake."""
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self.scope["extensions"][ABORT] = {"call": self.transport.abort}

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._unread.end()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not keep up."""
        super().pause_writing()
        self._unread.begin(self.transport)

    def resume_writing(self) -> None:
        """It does again."""
        self._unread.end()
        super().resume_writing()

    def shutdown(self) -> None:
        """Say goodbye, unless the other side did."""
        if self.handshake_complete and not self.close_sent and self.conn.state is not State.OPEN:
            self.stop_keepalive()
            self.transport.close()
        else:
            super().shutdown()
