"""The sandbox behind a socket: a WSGI application, and a threading HTTP server of the standard library.

    with SandboxServer(sandbox, port=7048) as server:
        print(server.url)

The server listens on this machine only by default, and then answers only to names of this machine: a page
in a browser can neither reach it under a name of its own (DNS rebinding) nor post to it from another site.
"""

import threading
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final

from batuta.sandbox.bodies import read_body
from batuta.sandbox.errors import SandboxError
from batuta.sandbox.requests import SandboxRequest, SandboxResponse, reason_phrase
from batuta.sandbox.service import Sandbox, error_response

LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})


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
        start_response(f"{response.status} {reason_phrase(response.status)}", headers)
        return [response.body]

    return application


def _request_of(environ: dict[str, Any], largest: int) -> SandboxRequest:
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_") or name in ("CONTENT_TYPE", "CONTENT_LENGTH")
    }
    length = headers.get("content-length", "")
    size = min(int(length[:20]), largest + 1) if length.isascii() and length.isdigit() else 0
    if environ.get("wsgi.input_terminated"):  # the server takes chunks apart and ends the stream with the body
        size = largest + 1
    # RAW_URI and REQUEST_URI keep the encoding; PATH_INFO is decoded, and only good enough.
    raw = str(environ.get("RAW_URI") or environ.get("REQUEST_URI") or environ.get("PATH_INFO", "/"))
    host = headers.get("host") or f"{environ.get('SERVER_NAME')}:{environ.get('SERVER_PORT')}"
    return SandboxRequest(
        method=str(environ["REQUEST_METHOD"]).upper(),
        path=raw.partition("?")[0],
        query=str(environ.get("QUERY_STRING", "")),
        headers=headers,
        # One byte more than is allowed is enough to see that it is too large.
        body=environ["wsgi.input"].read(size) if size else b"",
        origin=f"{environ.get('wsgi.url_scheme', 'http')}://{host}",
        client=str(environ.get("REMOTE_ADDR", "anonymous")),
    )


def _handler(sandbox: Sandbox, *, only_loopback: bool) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version = "BatutaSandbox"
        sys_version = ""
        timeout = 60  # a connection that says nothing is closed

        def __getattr__(self, name: str) -> Any:
            """Every method of HTTP is answered, also the unknown ones: the service says which are allowed."""
            if name.startswith("do_"):
                return self.answer
            raise AttributeError(name)

        def answer(self) -> None:
            with suppress(ConnectionError, TimeoutError):
                self._write(self._response())

        def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
            """What is no request of HTTP (line, version, size of the headers) is refused as the API refuses."""
            del explain
            self.close_connection = True
            self.request_version = "HTTP/1.1"  # else an answer to a wrong version would have no status line
            text = f"{message or reason_phrase(code)}."
            with suppress(ConnectionError, TimeoutError):
                self._write(_refusal(SandboxError(text, code="BadRequest", status=code)))

        def _response(self) -> SandboxResponse:
            try:
                self._check_names()
                body = read_body(self.headers, self.rfile, sandbox.settings.largest_body_bytes)
            except SandboxError as error:
                self.close_connection = True  # the body stays unread
                return _refusal(error)
            path, _, query = self.path.partition("?")
            return sandbox.handle(
                SandboxRequest(
                    method=self.command,
                    path=path,
                    query=query,
                    headers={name.lower(): value for name, value in self.headers.items()},
                    body=body,
                    origin=f"http://{self.headers.get('Host', '')}",
                    client=self.client_address[0],
                )
            )

        def _check_names(self) -> None:
            if not only_loopback:
                return
            if _name_in(self.headers.get("Host", "")) not in LOOPBACK_NAMES:
                raise SandboxError("Unknown host.", code="BadRequest", status=421)
            origin = self.headers.get("Origin")
            if origin is not None and _name_in(origin.partition("://")[2]) not in LOOPBACK_NAMES:
                raise SandboxError("Unknown origin.", code="BadRequest", status=403)

        def _write(self, response: SandboxResponse) -> None:
            if response.delivered_bytes is not None:
                self.close_connection = True
            if response.delivered_bytes == 0:
                return
            self.send_response(response.status, reason_phrase(response.status))
            for name, value in response.headers.items():
                self.send_header(name, value.replace("\r", " ").replace("\n", " "))
            self.send_header("Content-Length", str(len(response.body)))
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(response.body[: response.delivered_bytes])

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            """No line for every request."""

    return Handler


def _refusal(error: SandboxError) -> SandboxResponse:
    response = error_response(error, str(uuid.uuid4()))
    return SandboxResponse(
        status=response.status, headers={"OData-Version": "4.0", **response.headers}, body=response.body
    )


def _name_in(host: str) -> str:
    """The name of a host without its port."""
    name, _, port = host.rpartition(":")
    return name if port.isdigit() else host
