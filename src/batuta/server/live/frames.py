"""Frames of sockets: what comes in is one of the few that clients of ours send, and what goes out waits within bounds.

The libraries below take every frame that their protocols know, keep what is half sent and log a stack for what they
cannot read. Here a frame connects, commands, says goodbye or answers a ping; anything else ends its connection.
"""

import asyncio
import json
import logging
import math
import re
from typing import Any

import engineio
import socketio
from engineio.packet import Packet

from batuta.server.http.middleware import App, Message, Receive, Scope, Send

log = logging.getLogger("batuta.server")

FRAMES_PER_SECOND, FRAME_BURST = 50.0, 300.0
"""Of one connection, before anything is looked at: more than the commands that are carried out."""
MAX_WAITING_BYTES = 512 * 1024
"""What may wait for a slow client: its writer may hold as much again."""
MAX_DIGITS = 100
"""Of an integer: reading more takes long."""
_PONG, _CLOSE, _CONNECT, _DISCONNECT = "3", "1", "40", "41"
_COMMAND = re.compile(r"42\d{0,10}(?=\[\")")
_REFUSED: Message = {"type": "websocket.disconnect", "code": 1008}


class FrameGuard:
    """An application around sockets that see only frames they know."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        await self._app(scope, IncomingFrames(receive) if scope["type"] == "websocket" else receive, send)


class IncomingFrames:
    """What one socket receives."""

    refused = 0
    """By all sockets of this process together."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._is_connected = False
        self._credit = FRAME_BURST
        self._credited_at = 0.0

    async def __call__(self) -> Message:
        """The next frame; the end of the connection instead of one that no client of ours sends."""
        message = await self._receive()
        if message["type"] != "websocket.receive" or (self._is_in_time() and self._is_known(message.get("text"))):
            return message
        IncomingFrames.refused += 1
        if self.refused & (self.refused - 1) == 0:
            log.warning(
                "%d frames of sockets were not ours or too many, and their connections were closed", self.refused
            )
        return _REFUSED

    def _is_in_time(self) -> bool:
        now = asyncio.get_running_loop().time()
        self._credit = min(FRAME_BURST, self._credit + (now - self._credited_at) * FRAMES_PER_SECOND) - 1
        self._credited_at = now
        return self._credit >= 0

    def _is_known(self, text: str | None) -> bool:
        if text in (_PONG, _CLOSE, _DISCONNECT):
            return True
        if text is None:
            return False
        if text.startswith(_CONNECT):
            is_first, self._is_connected = not self._is_connected, True
            return is_first and (text == _CONNECT or _is_json(text[len(_CONNECT) :], dict))
        command = _COMMAND.match(text)
        return command is not None and _is_json(text[command.end() :], list)


def read_json(text: str) -> Any:
    """What a frame says. An integer of more digits than the library below reads becomes infinite: `check_content`
    refuses it in an acknowledgement, where the library would answer nothing at all.
    """
    return json.loads(text, parse_int=_integer)


def _integer(digits: str) -> float:
    return int(digits) if len(digits) <= MAX_DIGITS else math.inf


class FrameJson:
    """The JSON of frames, as the libraries below ask for it."""

    dumps = staticmethod(json.dumps)
    loads = staticmethod(read_json)


def _is_json(text: str, kind: type) -> bool:
    try:
        return isinstance(read_json(text), kind)
    except (ValueError, RecursionError):
        return False


class OutgoingFrames(asyncio.Queue[Packet | None]):
    """What waits for a client."""

    waiting_bytes = 0

    def _put(self, item: Packet | None) -> None:
        self.waiting_bytes += _size_of(item)
        super()._put(item)

    def _get(self) -> Packet | None:
        item: Packet | None = super()._get()
        self.waiting_bytes -= _size_of(item)
        return item


def _size_of(item: Packet | None) -> int:
    return len(item.data) if item is not None and isinstance(item.data, (str, bytes)) else 0


class CountingEngine(engineio.AsyncServer):  # type: ignore[misc]
    """An engine that knows how much waits for whom."""

    def create_queue(self, *args: Any, **kwargs: Any) -> OutgoingFrames:
        """A queue for one socket."""
        return OutgoingFrames(*args, **kwargs)


class CountingSocketServer(socketio.AsyncServer):  # type: ignore[misc]
    """A server on that engine."""

    def _engineio_server_class(self) -> type[CountingEngine]:
        return CountingEngine
