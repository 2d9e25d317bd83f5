"""What surrounds every request: a correlation id, a limit of size, and the headers that keep browsers safe."""

import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders

from batuta.kernel.ids import canonical_id
from batuta.observability.propagation import CORRELATION_HEADER, arriving, from_headers
from batuta.server.problems import MEDIA_TYPE, TooLargeProblem, problem_of

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

    def __init__(self, app: App, *, max_body_bytes: int, is_https: bool, max_upload_bytes: int = 0) -> None:
        self._app = app
        self._max_body_bytes = max_body_bytes
        self._max_upload_bytes = max(max_upload_bytes, max_body_bytes)
        self._headers = {**HEADERS, **({"strict-transport-security": HSTS} if is_https else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        context = from_headers(headers)
        given = headers.get(CORRELATION_HEADER, "")
        correlation_id = given if canonical_id(given) == context.correlation_id else context.correlation_id
        is_upload = scope["method"] == "PATCH" and UPLOAD.fullmatch(scope["path"]) is not None
        limited = _Limited(receive, self._max_upload_bytes if is_upload else self._max_body_bytes)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_headers(message, scope["path"], correlation_id)
            await send(message)

        if limited.is_announced_too_large(scope):
            await _refuse(send_with_headers)
            return
        try:
            with arriving(context):
                await self._app(scope, limited, send_with_headers)
        except TooLargeProblem:
            await _refuse(send_with_headers)

    def _add_headers(self, message: Message, path: str, correlation_id: str) -> None:
        headers = MutableHeaders(scope=message)
        for name, value in self._headers.items():
            headers.setdefault(name, value)  # a file that is shown in a frame brings a stricter policy of its own
        headers[CORRELATION_HEADER] = correlation_id
        if path.startswith("/api/") and "cache-control" not in headers:
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


async def _refuse(send: Send) -> None:
    body = json.dumps(problem_of(TooLargeProblem()).body()).encode()
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": TooLargeProblem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
