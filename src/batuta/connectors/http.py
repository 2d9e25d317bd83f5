"""The one seam to the network for connectors: a request goes in, a response comes out.

    transport = AiohttpTransport()                  the network
    transport = InProcessTransport(sandbox.handle)  a service in this process, such as the sandbox

A transport raises `ConnectorUnavailableError` when no response arrived. `was_sent` says whether the request may have
reached the other side: a write that may have been carried out must not be repeated.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from batuta.kernel.errors import ConnectorUnavailableError, MissingExtraError
from batuta.kernel.outgoing import outgoing_headers

try:
    import aiohttp
except ImportError as error:
    raise MissingExtraError("tools", needed_for="a connector") from error

TIMEOUT = timedelta(seconds=60)
MAX_RESPONSE_BYTES = 64 * 1024 * 1024
_CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingRequest:
    """What is asked of the other side."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingResponse:
    """What the other side answered. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpTransport(Protocol):
    """Carries one request to a service and its response back."""

    async def send(self, request: OutgoingRequest) -> IncomingResponse:
        """Answer one request. Raises `ConnectorUnavailableError` if no whole response arrived."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class AiohttpTransport:
    """Requests over the network, on one pool of connections per event loop."""

    def __init__(self, *, timeout: timedelta = TIMEOUT, max_response_bytes: int = MAX_RESPONSE_BYTES) -> None:
        self._timeout = aiohttp.ClientTimeout(total=timeout.total_seconds(), connect=10)
        self._max_response_bytes = max_response_bytes
        self._session: aiohttp.ClientSession | None = None

    async def send(self, request: OutgoingRequest) -> IncomingResponse:
        """See `HttpTransport.send`. Redirects are not followed: a token must not leave for another host."""
        try:
            async with self._opened().request(
                request.method,
                request.url,
                headers={**outgoing_headers(), **request.headers},
                data=request.body or None,
                allow_redirects=False,
            ) as response:
                body = await self._body_of(response)
                headers = {name.lower(): value for name, value in response.headers.items()}
                return IncomingResponse(status=response.status, headers=headers, body=body)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL) as error:
            raise ConnectorUnavailableError(f"cannot connect: {error}", was_sent=False) from error
        except TimeoutError as error:
            seconds = self._timeout.total
            raise ConnectorUnavailableError(
                f"no answer within {seconds:g} seconds", was_sent=True, reason_code="timeout"
            ) from error
        except (aiohttp.ClientError, ConnectionError) as error:
            raise ConnectorUnavailableError(
                f"the connection broke before the whole answer was there ({type(error).__name__})",
                was_sent=True,
                reason_code="cut",
            ) from error

    async def close(self) -> None:
        """Close the pool."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(timeout=self._timeout, cookie_jar=aiohttp.DummyCookieJar())
        return self._session

    async def _body_of(self, response: aiohttp.ClientResponse) -> bytes:
        body = bytearray()
        async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
            body += chunk
            if len(body) > self._max_response_bytes:
                raise ConnectorUnavailableError(
                    f"the answer is larger than {self._max_response_bytes} bytes; ask for fewer records", was_sent=True
                )
        return bytes(body)


Handle = Callable[[str, str, Mapping[str, str], bytes], tuple[int, Mapping[str, str], bytes]]
"""A service as one function: method, URL, headers and body in; status, headers and body out."""


class InProcessTransport:
    """A service of this process, called on a thread because it may touch a file."""

    def __init__(self, handle: Handle, *, on_close: Callable[[], None] | None = None) -> None:
        self._handle = handle
        self._on_close = on_close

    async def send(self, request: OutgoingRequest) -> IncomingResponse:
        """See `HttpTransport.send`."""
        status, headers, body = await asyncio.to_thread(
            self._handle, request.method, request.url, request.headers, request.body
        )
        lowered = {name.lower(): value for name, value in headers.items()}
        return IncomingResponse(status=status, headers=lowered, body=body)

    async def close(self) -> None:
        """Let go of the service."""
        if self._on_close is not None:
            await asyncio.to_thread(self._on_close)
