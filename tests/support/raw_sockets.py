"""Clients of sockets that keep to no protocol: they send any bytes, and read when they like."""

import asyncio
import base64
import json
import os
import socket
import struct
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

RECEIVE_BYTES = 4096
"""What the kernel keeps for a client that does not read."""


class RawSocket:
    """A connection after its handshake."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, payload: str | bytes, *, opcode: int | None = None, is_final: bool = True) -> None:
        """One frame."""
        data = payload.encode() if isinstance(payload, str) else payload
        kind = opcode if opcode is not None else (1 if isinstance(payload, str) else 2)
        await self.send_bytes(frame(data, kind, is_final=is_final))

    async def send_bytes(self, data: bytes) -> None:
        """Whatever it is."""
        self._writer.write(data)
        await self._writer.drain()

    async def command(self, event: str, content: Mapping[str, Any]) -> None:
        await self.send(f"42{json.dumps([event, content])}")

    async def read(self) -> bytes:
        """Some of what came; nothing if it is over."""
        return await self._reader.read(RECEIVE_BYTES)

    async def ended(self) -> None:
        """Read until the other side ends the connection."""
        with suppress(ConnectionError):
            while await self.read():
                pass

    def abort(self) -> None:
        self._writer.transport.abort()


def frame(data: bytes, opcode: int, *, is_final: bool = True) -> bytes:
    """A frame as clients send it."""
    size = len(data)
    first = bytes([(0x80 if is_final else 0) | opcode])
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size)
    if size > 0xFFFF:
        length = b"\xff" + struct.pack(">Q", size)
    mask = os.urandom(4)
    return first + length + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))


@asynccontextmanager
async def raw_socket(address: str, *, cookie: str = "", extensions: str = "") -> AsyncIterator[RawSocket]:
    """A socket that was opened and has not logged in."""
    host = address.removeprefix("http://")
    reader, writer = await narrow_connection(address)
    lines = [
        "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        *([f"Cookie: {cookie}"] if cookie else []),
        *([f"Sec-WebSocket-Extensions: {extensions}"] if extensions else []),
    ]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    answer = await reader.readuntil(b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 101"), answer
    opened = RawSocket(reader, writer)
    try:
        yield opened
    finally:
        opened.abort()


async def narrow_connection(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection on which hardly anything is kept for a client that does not read."""
    host, _, port = address.removeprefix("http://").partition(":")
    endpoint = socket.socket()
    endpoint.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
    endpoint.setblocking(False)
    await asyncio.get_running_loop().sock_connect(endpoint, (host, int(port)))
    return await asyncio.open_connection(sock=endpoint, limit=RECEIVE_BYTES)
