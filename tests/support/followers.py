"""Clients that follow a session whatever happens to the servers: they lose connections, come back and resume.

Each keeps a journal of its connections for the verifier, and all it was given, in order.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from random import uniform
from typing import Any, TypeVar

import aiohttp
import socketio
from socketio.exceptions import SocketIOError

from tests.support.history import START, Connection, Delivered, Position

Wire = dict[str, Any]
T = TypeVar("T")
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 3.0
ANSWER_SECONDS = 20.0


class Follower:
    """What both kinds share: the position, the journal, and the will to come back."""

    def __init__(self, name: str, session: str, secret: str, address: Callable[[], str]) -> None:
        self.name = name
        self.session = session
        self.told: list[Wire] = []
        self.connections: list[Connection] = []
        self.resyncs = 0
        self.resumed_seconds: list[float] = []
        self.is_joined = asyncio.Event()
        self._secret = secret
        self._address = address
        self._position = START
        self._frames: list[Delivered] = []
        self._heard = asyncio.Event()

    @property
    def last_seq(self) -> int:
        """The number of the last stored event it was given."""
        return self._position.seq

    async def run(self) -> None:
        """Follow until cancelled."""
        lost: float | None = None
        pause = FIRST_PAUSE
        while True:
            after, self._frames = self._position, []
            try:
                async with self._connected() as ended:
                    if lost is not None:
                        self.resumed_seconds.append(time.monotonic() - lost)
                    self.is_joined.set()
                    lost, pause = None, FIRST_PAUSE
                    await ended()
            except (SocketIOError, aiohttp.ClientError, OSError, TimeoutError):
                await asyncio.sleep(uniform(0.5, 1.0) * pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            finally:
                self.connections.append(self._closed(after))
            lost = time.monotonic() if lost is None else lost

    def journal(self) -> list[Connection]:
        """Its connections; the last is the one that was open when it was ended."""
        *earlier, last = self.connections
        return [*earlier, replace(last, is_open_at_end=True)]

    async def until(self, is_enough: Callable[[list[Wire]], bool]) -> None:
        """Return when what it was told is enough."""
        while not is_enough(self.told):
            self._heard.clear()
            await self._heard.wait()

    def take(self, wire: Wire) -> None:
        """One event arrived."""
        self.told.append(wire)
        self._heard.set()
        if wire["sequence_number"] is None:
            return
        self._position = Position(wire["epoch"], wire["sequence_number"])
        self._frames.append(
            Delivered(
                epoch=wire["epoch"],
                seq=wire["sequence_number"],
                event_id=wire["event_id"],
                previous=wire["previous_sequence"],
            )
        )

    def _closed(self, after: Position) -> Connection:
        return Connection(client=self.name, session=self.session, after=after, frames=tuple(self._frames))

    def _connected(self) -> Any:
        raise NotImplementedError


class SocketFollower(Follower):
    """Over Socket.IO."""

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Callable[[], Any]]:
        async with aiohttp.ClientSession() as http:
            client = socketio.AsyncClient(reconnection=False, http_session=http)
            client.on("agent:event", self.take)
            client.on("session:resync", self._resync)
            is_answered = asyncio.Event()
            client.on("connect", is_answered.set)
            client.on("connect_error", lambda *_: is_answered.set())
            try:
                await client.connect(
                    self._address(), transports=["websocket"], auth={"token": self._secret}, wait=False
                )
                await _unless_lost(client, is_answered.wait())
                await self._join(client)
                yield client.wait
            finally:
                client.handlers.clear()
                with suppress(SocketIOError):
                    await client.disconnect()

    async def _join(self, client: socketio.AsyncClient) -> None:
        where: Wire = {"session_id": self.session}
        if self._position != START:
            where |= {"epoch": self._position.epoch, "last_sequence": self._position.seq}
        ack = await _unless_lost(client, client.call("session:join", where, timeout=ANSWER_SECONDS))
        if not ack["ok"]:
            raise ConnectionError(str(ack))
        if ack["resync"]:
            self._resync(ack)

    def _resync(self, _: Wire) -> None:
        self.resyncs += 1


async def _unless_lost(client: socketio.AsyncClient, answer: Coroutine[Any, Any, T]) -> T:
    """What a server answers, unless it dies meanwhile: browsers notice at once, this client waits out its time."""
    answering = asyncio.create_task(answer)
    await asyncio.wait(
        {answering, client.eio.read_loop_task}, timeout=ANSWER_SECONDS, return_when=asyncio.FIRST_COMPLETED
    )
    if answering.done():
        return answering.result()
    answering.cancel()
    raise ConnectionError("the server left before it answered")


class StreamFollower(Follower):
    """Over server-sent events, as `EventSource` does it."""

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Callable[[], Any]]:
        headers = {"Authorization": f"Bearer {self._secret}"}
        if self._position != START:
            headers["Last-Event-ID"] = f"{self._position.epoch}:{self._position.seq}"
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=60)
        async with aiohttp.ClientSession(timeout=timeout, read_bufsize=1 << 20) as http:
            url = f"{self._address()}/api/sessions/{self.session}/stream"
            async with http.get(url, headers=headers, raise_for_status=True) as answer:
                yield lambda: self._read(answer)

    async def _read(self, answer: aiohttp.ClientResponse) -> None:
        name = ""
        async for line in answer.content:
            text = line.decode().rstrip("\n")
            if text.startswith("event: "):
                name = text.removeprefix("event: ")
            elif text.startswith("data: ") and name == "agent:event":
                self.take(json.loads(text.removeprefix("data: ")))
            elif text.startswith("data: "):
                self.resyncs += 1
