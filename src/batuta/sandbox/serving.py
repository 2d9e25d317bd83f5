"""The sandbox behind a socket: a WSGI application, and a threading HTTP server of the standard library.

    with SandboxServer(sandbox, port=7048) as server:
        print(server.url)

The server listens on this machine only by default, and then answers only to names of this machine: a page
in a browser can neither reach it under a name of its own (DNS rebinding) nor post to it from another site.
"""

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final

from batuta.sandbox.requests import SandboxRequest, SandboxResponse
from batuta.sandbox.service import Sandbox

LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})
_METHODS: Final = ("GET", "HEAD", "POST", "PATCH", "PUT", "DELETE")


class SandboxServer:
    """Serves a sandbox over HTTP until it is closed; also sends its notifications."""

    def __init__(self, sandbox: Sandbox, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._sandbox = sandbox
        self._server = ThreadingHTTPServer((host, port), _handler(sandbox, only_loopback=host in LOOPBACK_NAMES))
        self._server.daemon_threads = True
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="sandbox-http"),
            threading.Thread(target=self._notify, name="sandbox-webhooks", daemon=True),
        ]

    @property
    def url(self) -> str:
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    @property
    def api_url(self) -> str:
        """The root of the standard API, as a client is configured with it."""
        settings = self._sandbox.settings
        return f"{self.url}/v2.0/{settings.tenant}/{settings.environment}/api/v2.0"

    def start(self) -> "SandboxServer":
        for thread in self._threads:
            thread.start()
        return self

    def close(self) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> "SandboxServer":
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _notify(self) -> None:
        while not self._stop.wait(0.2):
            self._sandbox.deliver_notifications()


def wsgi_app(sandbox: Sandbox) -> Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]:
    """The sandbox as a WSGI application."""

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        response = sandbox.handle(_request_of(environ, sandbox.settings.largest_body_bytes))
        headers = [*response.headers.items(), ("Content-Length", str(len(response.body)))]
        start_response(f"{response.status} {_phrase(response.status)}", headers)
        return [response.body]

    return application


def _request_of(environ: dict[str, Any], largest: int) -> SandboxRequest:
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_") or name in ("CONTENT_TYPE", "CONTENT_LENGTH")
    }
    length = headers.get("content-length", "")
    size = int(length) if length.isascii() and length.isdigit() else 0
    # RAW_URI and REQUEST_URI keep the encoding; PATH_INFO is decoded, and only good enough.
    raw = str(environ.get("RAW_URI") or environ.get("REQUEST_URI") or environ.get("PATH_INFO", "/"))
    host = headers.get("host") or f"{environ.get('SERVER_NAME')}:{environ.get('SERVER_PORT')}"
    return SandboxRequest(
        method=str(environ["REQUEST_METHOD"]).upper(),
        path=raw.partition("?")[0],
        query=str(environ.get("QUERY_STRING", "")),
        headers=headers,
        # One byte more than is allowed is enough to see that it is too large.
        body=environ["wsgi.input"].read(min(size, largest + 1)) if size else b"",
        origin=f"{environ.get('wsgi.url_scheme', 'http')}://{host}",
        client=str(environ.get("REMOTE_ADDR", "anonymous")),
    )


def _handler(sandbox: Sandbox, *, only_loopback: bool) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version = "BatutaSandbox"
        sys_version = ""
        timeout = 60  # a connection that says nothing is closed

        def answer(self) -> None:
            with suppress(ConnectionError, TimeoutError):
                self._write(self._response())

        def _response(self) -> SandboxResponse:
            host = self.headers.get("Host", "")
            if only_loopback and _name_in(host) not in LOOPBACK_NAMES:
                self.close_connection = True
                return SandboxResponse.of_json({"error": {"code": "BadRequest", "message": "Unknown host."}}, 421)
            origin = self.headers.get("Origin")
            if only_loopback and origin is not None and _name_in(origin.partition("://")[2]) not in LOOPBACK_NAMES:
                self.close_connection = True
                return SandboxResponse.of_json({"error": {"code": "BadRequest", "message": "Unknown origin."}}, 403)
            length = self.headers.get("Content-Length", "0")
            if not length.isdigit() or "chunked" in self.headers.get("Transfer-Encoding", "").lower():
                self.close_connection = True
                return SandboxResponse.of_json({"error": {"code": "BadRequest", "message": "Send a length."}}, 411)
            if int(length) > sandbox.settings.largest_body_bytes:
                self.close_connection = True  # the body stays unread
                return SandboxResponse.of_json({"error": {"code": "BadRequest", "message": "Too large."}}, 413)
            path, _, query = self.path.partition("?")
            return sandbox.handle(
                SandboxRequest(
                    method=self.command,
                    path=path,
                    query=query,
                    headers={name.lower(): value for name, value in self.headers.items()},
                    body=self.rfile.read(int(length)),
                    origin=f"http://{host}",
                    client=self.client_address[0],
                )
            )

        def _write(self, response: SandboxResponse) -> None:
            if response.delivered_bytes is not None:
                self.close_connection = True
            if response.delivered_bytes == 0:
                return
            self.send_response(response.status, _phrase(response.status))
            for name, value in response.headers.items():
                self.send_header(name, value.replace("\r", " ").replace("\n", " "))
            self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(response.body[: response.delivered_bytes])

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            """No line for every request."""

    for method in _METHODS:
        setattr(Handler, f"do_{method}", Handler.answer)
    return Handler


def _name_in(host: str) -> str:
    """The name of a host without its port."""
    name, _, port = host.rpartition(":")
    return name if port.isdigit() else host


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Answer"
