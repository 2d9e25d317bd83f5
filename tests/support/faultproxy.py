"""A TCP proxy that misbehaves on demand, to be put between a client and any server.

    async with fault_proxy(server.port) as proxy:
        proxy.shape = Shape(latency=timedelta(milliseconds=200))
        proxy.drop_response(containing(b"XADD"))     # the server does it, the client never hears of it
        proxy.cut()                                  # every connection is reset, now

It runs in the event loop of the test. Faults hold for open connections and new ones until `heal()`.
"""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from random import Random
from urllib.parse import urlsplit, urlunsplit
from weakref import WeakKeyDictionary

from tests.support.triggers import Matcher, Trigger, any_request

_CHUNK_BYTES, _CHUNKS_UNDER_WAY = 65536, 64
_CONNECT_SECONDS, _CLOSE_SECONDS = 5.0, 5.0
_SETTLE_SECONDS = 0.05
_SLICES_PER_SECOND = 50
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Direction(Enum):
    """Which way the bytes go."""

    TO_SERVER = "to server"
    TO_CLIENT = "to client"


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How slow the way is, each way: latency give or take the jitter, in order; and its width."""

    latency: timedelta = timedelta()
    jitter: timedelta = timedelta()
    bytes_per_second: int | None = None

    def delay(self, rng: Random) -> float:
        jitter = self.jitter.total_seconds()
        return max(0.0, self.latency.total_seconds() + rng.uniform(-jitter, jitter))


@dataclass(kw_only=True)
class Counters:
    """What the proxy saw and did."""

    accepted: int = 0
    unreachable: int = 0
    cut: int = 0
    dropped_responses: int = 0
    bytes_swallowed: int = 0
    bytes_forwarded: dict[Direction, int] = field(default_factory=lambda: dict.fromkeys(Direction, 0))


@dataclass(kw_only=True)
class _Ambush:
    """Dropped responses still to come: on which requests, and how many (`None`: no end)."""

    trigger: Trigger
    times: int | None
    matchers: "WeakKeyDictionary[_Connection, Matcher]" = field(default_factory=WeakKeyDictionary)

    def springs(self, connection: "_Connection", chunk: bytes) -> bool:
        matches = self.matchers.setdefault(connection, self.trigger())
        if self.times == 0 or not matches(chunk):
            return False
        if self.times is not None:
            self.times -= 1
        return True


@dataclass(kw_only=True)
class _Tripwire:
    """A cut still to come, after so many more bytes in one direction, whichever connection carries them."""

    direction: Direction
    bytes_left: int


class _CutError(ConnectionError):
    """The proxy itself ends this connection."""


class FaultProxy:
    """The proxy; made by `fault_proxy`, which also ends it."""

    def __init__(self, host: str, port: int, rng: Random) -> None:
        self.shape = Shape()
        self.counters = Counters()
        self.rng = rng
        self.port = 0
        self.swallowing: frozenset[Direction] = frozenset()
        self._upstream = (host, port)
        self._listener: asyncio.Server | None = None
        self._ambushes: list[_Ambush] = []
        self._tripwires: list[_Tripwire] = []
        self._connections: dict[asyncio.Task[None], _Connection | None] = {}
        self._failures: list[Exception] = []

    def through(self, url: str) -> str:
        """The same address, but by way of the proxy."""
        parts = urlsplit(url)
        login, at, _ = parts.netloc.rpartition("@")
        return urlunsplit(parts._replace(netloc=f"{login}{at}127.0.0.1:{self.port}"))

    @property
    def open_connections(self) -> int:
        return len(self._connections)

    def cut(self) -> int:
        """Reset every connection, on both sides, in the middle of whatever it carries; tells how many."""
        connections = [connection for connection in self._connections.values() if connection is not None]
        for connection in connections:
            connection.reset()
        for task in self._connections:
            task.cancel()
        self.counters.cut += len(connections)
        return len(connections)

    def cut_after(self, count: int, direction: Direction) -> None:
        """Reset the connection that carries the last of the next `count` bytes in that direction, just after it."""
        self._tripwires.append(_Tripwire(direction=direction, bytes_left=count))

    def half_open(self, *directions: Direction) -> None:
        """Take connections and bytes, but hand nothing on (in these directions; in none given, both).

        A connection that lost bytes stays so for ever, as no peer could make sense of what follows the hole.
        """
        self.swallowing = frozenset(directions or Direction)

    def drop_response(self, when: Trigger = any_request, times: int | None = 1) -> None:
        """Forward the request, wait until the server answers, drop the answer and reset the client."""
        self._ambushes.append(_Ambush(trigger=when, times=times))

    def refuse(self) -> None:
        """Refuse new connections; open ones live on."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    async def accept(self) -> None:
        """Take new connections, on the same port as ever."""
        if self._listener is None:
            self._listener = await asyncio.start_server(self._on_client, "127.0.0.1", self.port)
            self.port = self._listener.sockets[0].getsockname()[1]

    async def heal(self) -> None:
        """No more faults."""
        self.shape, self.swallowing = Shape(), frozenset()
        self._ambushes.clear()
        self._tripwires.clear()
        await self.accept()

    async def close(self) -> None:
        """End everything, and report what went wrong in the proxy itself."""
        self.refuse()
        tasks = list(self._connections)
        self.cut()
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSE_SECONDS)
        if self._failures:
            raise ExceptionGroup("the fault proxy failed", self._failures)

    def springs_ambush(self, connection: "_Connection", chunk: bytes) -> bool:
        # Not a generator: every matcher sees every chunk, or those that count bytes would miscount.
        sprung = [ambush.springs(connection, chunk) for ambush in self._ambushes]
        return any(sprung)

    def bytes_until_cut(self, direction: Direction, count: int) -> int | None:
        """Spend `count` bytes on the tripwires; tells how many may still pass if one of them is reached."""
        reached = None
        for wire in [wire for wire in self._tripwires if wire.direction is direction]:
            if wire.bytes_left <= count:
                self._tripwires.remove(wire)
                reached = min(wire.bytes_left, count if reached is None else reached)
            else:
                wire.bytes_left -= count
        return reached

    def _on_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.counters.accepted += 1
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._connections[task] = None
        task.add_done_callback(self._forget)

    def _forget(self, task: "asyncio.Task[None]") -> None:
        self._connections.pop(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self._failures.append(error)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                upstream = await asyncio.open_connection(*self._upstream)
        except OSError:
            self.counters.unreachable += 1
            _reset(writer)
            return
        except asyncio.CancelledError:
            _reset(writer)
            raise
        task = asyncio.current_task()
        assert task is not None
        connection = _Connection(self, (reader, writer), upstream)
        self._connections[task] = connection
        await connection.run()


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Queue = asyncio.Queue[tuple[float, bytes]]


class _Connection:
    """One client and its server: two lanes, each read ahead into a queue so that latency does not cost width."""

    def __init__(self, proxy: FaultProxy, client: Stream, server: Stream) -> None:
        self._proxy = proxy
        self._readers = {Direction.TO_SERVER: client[0], Direction.TO_CLIENT: server[0]}
        self._writers = {Direction.TO_SERVER: server[1], Direction.TO_CLIENT: client[1]}
        self._queues = {direction: Queue(_CHUNKS_UNDER_WAY) for direction in Direction}
        self._torn: set[Direction] = set()
        self._awaits_doomed_answer = False

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as lanes:
                for direction in Direction:
                    lanes.create_task(self._read(direction))
                    lanes.create_task(self._write(direction))
        except* ConnectionError:
            self.reset()
        finally:
            for writer in self._writers.values():
                writer.close()

    def reset(self) -> None:
        for writer in self._writers.values():
            _reset(writer)

    async def _read(self, direction: Direction) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            chunk = await self._readers[direction].read(_CHUNK_BYTES)
            due = clock() + self._proxy.shape.delay(self._proxy.rng)
            await self._queues[direction].put((due, chunk))
            if not chunk:
                return

    async def _write(self, direction: Direction) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            due, chunk = await self._queues[direction].get()
            if due > (now := clock()):
                await asyncio.sleep(due - now)
            if not chunk:
                self._pass_on_the_end(direction)
                return
            await self._pass_on(direction, chunk)

    async def _pass_on(self, direction: Direction, chunk: bytes) -> None:
        if direction in self._torn or direction in self._proxy.swallowing:
            self._torn.add(direction)
            self._proxy.counters.bytes_swallowed += len(chunk)
        elif direction is Direction.TO_CLIENT and self._awaits_doomed_answer:
            await self._drop_answer()
        else:
            if direction is Direction.TO_SERVER and self._proxy.springs_ambush(self, chunk):
                self._awaits_doomed_answer = True
            await self._send_up_to_tripwire(direction, chunk)

    async def _send_up_to_tripwire(self, direction: Direction, chunk: bytes) -> None:
        allowed = self._proxy.bytes_until_cut(direction, len(chunk))
        await self._send(direction, chunk[:allowed])
        if allowed is not None:
            self._proxy.counters.cut += 1
            await _flushed(self._writers[direction])
            raise _CutError

    async def _send(self, direction: Direction, data: bytes) -> None:
        width, writer = self._proxy.shape.bytes_per_second, self._writers[direction]
        step = max(1, width // _SLICES_PER_SECOND) if width else max(1, len(data))
        for start in range(0, len(data), step):
            piece = data[start : start + step]
            writer.write(piece)
            await writer.drain()
            self._proxy.counters.bytes_forwarded[direction] += len(piece)
            if width:
                await asyncio.sleep(len(piece) / width)

    async def _drop_answer(self) -> None:
        """Reset the client; let the server finish what it says, so that it surely did what it was asked."""
        self._proxy.counters.dropped_responses += 1
        _reset(self._writers[Direction.TO_CLIENT])
        try:
            while True:
                async with asyncio.timeout(_SETTLE_SECONDS):
                    _, chunk = await self._queues[Direction.TO_CLIENT].get()
                if not chunk:
                    break
        except TimeoutError:
            pass
        raise _CutError

    def _pass_on_the_end(self, direction: Direction) -> None:
        hidden = direction in self._torn or direction in self._proxy.swallowing or self._awaits_doomed_answer
        if not hidden and self._writers[direction].can_write_eof():
            with suppress(OSError):  # the other side may have hung up first
                self._writers[direction].write_eof()


@asynccontextmanager
async def fault_proxy(port: int, *, host: str = "127.0.0.1", seed: int = 0) -> AsyncIterator[FaultProxy]:
    """A proxy in front of that port for the block; the seed makes its jitter repeatable."""
    proxy = FaultProxy(host, port, Random(seed))
    await proxy.accept()
    try:
        yield proxy
    finally:
        await proxy.close()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with RST, as when a machine vanished and came back; unsent bytes are lost."""
    if (connection := writer.get_extra_info("socket")) is not None and connection.fileno() >= 0:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    writer.transport.abort()


async def _flushed(writer: asyncio.StreamWriter) -> None:
    """Until the kernel has all that was written: `drain` is content with less."""
    while writer.transport.get_write_buffer_size():
        await asyncio.sleep(0.001)
