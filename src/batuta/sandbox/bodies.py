"""The body of an HTTP request, read from its connection: by its length, or in chunks.

    body = read_body(headers, stream, largest=32 * 1024 * 1024)

What cannot be read raises `SandboxError` with its status; the connection is then of no more use, because it is unknown
where the next request begins.
"""

import re
from email.message import Message
from io import BufferedIOBase
from typing import Final

from batuta.sandbox.errors import BadRequestError, SandboxError

LONGEST_LINE: Final = 4_096
MOST_TRAILERS: Final = 64
_CHUNK: Final = re.compile(rb"^([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\r\n]*)?\r?\n$")


def read_body(headers: Message, stream: BufferedIOBase, largest: int) -> bytes:
    """The whole body, which is empty where the headers announce none."""
    encoding = headers.get("Transfer-Encoding", "").strip().lower()
    lengths = {each.strip() for each in headers.get_all("Content-Length", [])}
    if encoding and lengths:
        raise BadRequestError("A body has a length or comes in chunks, not both.")
    if encoding:
        if encoding != "chunked":
            raise SandboxError(
                f"The transfer encoding '{encoding[:40]}' is not supported: send the body whole or in chunks.",
                code="BadRequest_MethodNotImplemented",
                status=501,
            )
        return _read_chunks(stream, largest)
    return _read_length(lengths, stream, largest)


def _read_length(lengths: set[str], stream: BufferedIOBase, largest: int) -> bytes:
    given = next(iter(lengths), "0")
    if len(lengths) > 1 or not (given.isascii() and given.isdigit()):
        raise BadRequestError("The header Content-Length is not one whole number.")
    if int(given[:20]) > largest:
        raise _too_large(largest)
    body = stream.read(int(given))
    if len(body) < int(given):
        raise BadRequestError("The body ends before the length that was announced.")
    return body


def _read_chunks(stream: BufferedIOBase, largest: int) -> bytes:
    body = bytearray()
    while size := _chunk_size(stream):
        if len(body) + size > largest:
            raise _too_large(largest)
        chunk = stream.read(size)
        if len(chunk) < size or stream.readline(3) not in (b"\r\n", b"\n"):
            raise BadRequestError("A chunk of the body is not as long as it says.")
        body += chunk
    for _ in range(MOST_TRAILERS):
        line = stream.readline(LONGEST_LINE + 1)
        if line in (b"\r\n", b"\n"):
            return bytes(body)
        if not line.endswith(b"\n") or b":" not in line:
            break
    raise BadRequestError("The body does not end after its last chunk.")


def _chunk_size(stream: BufferedIOBase) -> int:
    found = _CHUNK.match(stream.readline(LONGEST_LINE + 1))
    if found is None:
        raise BadRequestError("A chunk of the body does not begin with its size.")
    return int(found[1], 16)


def _too_large(largest: int) -> SandboxError:
    return SandboxError(f"The body is larger than {largest} bytes.", code="BadRequest", status=413)
