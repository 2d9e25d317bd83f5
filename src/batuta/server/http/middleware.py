"""What surrounds every request: the host it names, a correlation id, a limit of size, and the headers that keep
browsers safe.
"""

import ipaddress
import json
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from batuta.kernel.ids import canonical_id
from batuta.observability.propagation import CORRELATION_HEADER, arriving, from_headers
from batuta.server.config import Settings
from batuta.server.problems import MEDIA_TYPE, BadRequestProblem, Problem, TooLargeProblem, UnknownHostProblem

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        # Menus and dialogs place themselves with inline styles; styles cannot run code.
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
}
UPLOAD = re.compile(r"/api/files/[^/]+/upload")
"""Where parts of files come in, which the handler takes as a stream."""
HSTS = "max-age=31536000; includeSubDomains"


class SecurityHeadersMiddleware:
    """The outermost layer."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app = app
        self._hosts = AllowedHosts(settings)
        self._trusted_proxies = settings.trusted_proxies
        self._max_body_bytes = settings.max_body_bytes
        self._max_upload_bytes = max(settings.max_upload_bytes, settings.max_body_bytes)
        self._is_https = (settings.public_url or "").startswith("https://")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        see_through_proxies(scope, self._trusted_proxies)
        headers = Headers(scope=scope)
        is_allowed = self._hosts.allows(headers)
        if scope["type"] == "websocket":
            if is_allowed:
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
            return
        context = from_headers(headers)
        given = headers.get(CORRELATION_HEADER, "")
        correlation_id = given if canonical_id(given) == context.correlation_id else context.correlation_id
        is_upload = scope["method"] == "PATCH" and UPLOAD.fullmatch(scope["path"]) is not None
        limited = _Limited(receive, self._max_upload_bytes if is_upload else self._max_body_bytes)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_headers(message, scope, correlation_id)
            await send(message)

        if not is_allowed:
            await _refuse(send_with_headers, UnknownHostProblem())
            return
        if "transfer-encoding" in headers and "content-length" in headers:
            # A proxy may have ended the request elsewhere: what comes next could be another client's.
            problem = BadRequestProblem("A request says the length of its body once.")
            await _refuse(send_with_headers, problem, is_last=True)
            return
        if limited.is_announced_too_large(scope):
            await _refuse(send_with_headers, TooLargeProblem())
            return
        try:
            with arriving(context):
                await self._app(scope, limited, send_with_headers)
        except TooLargeProblem as problem:
            await _refuse(send_with_headers, problem)

    def _add_headers(self, message: Message, scope: Scope, correlation_id: str) -> None:
        headers = MutableHeaders(scope=message)
        if self._is_https or scope.get("scheme") == "https":
            headers["strict-transport-security"] = HSTS
        for name, value in HEADERS.items():
            headers.setdefault(name, value)  # a file that is shown in a frame brings a stricter policy of its own
        headers[CORRELATION_HEADER] = correlation_id
        if scope["path"].startswith("/api/") and "cache-control" not in headers:
            headers["cache-control"] = "no-store"


class _Limited:
    """Receives a body up to a size."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._received = 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._received += len(message.get("body", b""))
        if self._received > self._limit:
            raise TooLargeProblem
        return message

    def is_announced_too_large(self, scope: Scope) -> bool:
        length = Headers(scope=scope).get("content-length", "")
        return length.isascii() and length.isdigit() and int(length[:18]) > self._limit


async def _refuse(send: Send, problem: Problem, *, is_last: bool = False) -> None:
    """Answer with a problem; after the last answer the connection is closed."""
    body = json.dumps(problem.body()).encode()
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    if is_last:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


LOCAL_NAME = "localhost"


class AllowedHosts:
    """Knows the names of the platform."""

    def __init__(self, settings: Settings) -> None:
        public = urlsplit(settings.public_url or "").hostname
        names = (LOCAL_NAME, settings.host, public or LOCAL_NAME, *settings.allowed_hosts)
        self._names = frozenset(name.lower().rstrip(".") for name in names)

    def allows(self, headers: Headers) -> bool:
        """Whether a request names us, once."""
        given = headers.getlist("host")
        return len(given) == 1 and (is_address(given[0]) or _name(given[0]) in self._names)


def is_address(host: str) -> bool:
    """Whether a host is a plain IP address, with or without a port."""
    try:
        ipaddress.ip_address(_name(host).strip("[]"))
    except ValueError:
        return False
    return True


def _name(host: str) -> str:
    """A host without its port, and without the dot that may end a name."""
    head, _, port = host.rpartition(":")
    is_with_port = bool(head) and port.isdigit() and (head.endswith("]") or ":" not in head)
    return (head if is_with_port else host).lower().rstrip(".")


def see_through_proxies(scope: MutableMapping[str, Any], trusted: int) -> None:
    """Put the address and the scheme that the outermost trusted proxy saw into a request.

    Each proxy adds the address it was called from at the end of `X-Forwarded-For`. So only the last entries are
    theirs, one for each proxy; whatever stands before them was written by the caller.
    """
    if trusted < 1:
        return
    headers = Headers(scope=scope)
    addresses = _listed(headers.getlist("x-forwarded-for"))
    if addresses:
        scope["client"] = (without_port(addresses[-min(trusted, len(addresses))]), 0)
    schemes = _listed(headers.getlist("x-forwarded-proto"))
    scheme = schemes[-min(trusted, len(schemes))].lower() if schemes else ""
    if scheme in ("http", "https"):
        is_socket = scope["type"] == "websocket"
        scope["scheme"] = scheme.replace("http", "ws") if is_socket else scheme


def without_port(address: str) -> str:
    """An address as some proxies write it, `192.0.2.1:4711` or `[2001:db8::1]:4711`, without the port: it changes with
    every connection, and what is counted by it is never counted twice.
    """
    host, _, rest = address.removeprefix("[").partition("]") if address.startswith("[") else address.partition(":")
    try:
        return str(ipaddress.ip_address(host)) if rest or address.startswith("[") else address
    except ValueError:
        return address


def _listed(values: Iterable[str]) -> list[str]:
    return [part.strip() for value in values for part in value.split(",") if part.strip()]
