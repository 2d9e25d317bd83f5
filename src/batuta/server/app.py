"""The application: routers, errors and surroundings around a platform, and the server that runs it."""

import asyncio
import gc
import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, cast

import socketio
import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from batuta.kernel.errors import BatutaError, ConfigurationError
from batuta.server.agents import api as agents
from batuta.server.agui import api as agui
from batuta.server.approvals import api as approvals
from batuta.server.boards import api as boards
from batuta.server.config import STATIC, Settings
from batuta.server.datasets import api as datasets
from batuta.server.erp import api as erp
from batuta.server.files import api as files
from batuta.server.files import documents_api as documents
from batuta.server.http.dependencies import provide
from batuta.server.http.guard import new_router
from batuta.server.http.middleware import App, SecurityHeadersMiddleware
from batuta.server.http.problem_responses import respond
from batuta.server.http.protocols import RequestProtocol, SocketProtocol
from batuta.server.http.static_files import StaticFolder
from batuta.server.http.static_files import router as static_router
from batuta.server.identity import api as identity
from batuta.server.jobs import api as jobs
from batuta.server.keys import api as keys
from batuta.server.live.frames import FrameGuard
from batuta.server.live.sockets import MAX_FRAME_BYTES
from batuta.server.meta import api as meta
from batuta.server.problems import MEDIA_TYPE, Problem, ProblemBody
from batuta.server.search import api as search
from batuta.server.sessions import api as sessions
from batuta.server.settings import api as settings_api
from batuta.server.turns import api as turns
from batuta.server.wiring import Platform

DOMAINS = (
    meta,
    identity,
    settings_api,
    keys,
    agents,
    sessions,
    turns,
    datasets,
    boards,
    approvals,
    search,
    files,
    documents,
    jobs,
    agui,
    erp,
)
SOCKET_PATH = "socket.io"
KEEP_ALIVE_SECONDS = 75
"""Longer than proxies keep idle connections (60 s as a rule), so that none is closed just when a request arrives."""

schema_router = new_router(include_in_schema=False)


@schema_router.get("/openapi.json")
async def describe_api(request: Request) -> JSONResponse:
    """The API, described in OpenAPI 3.1."""
    return JSONResponse(request.app.openapi())


def create_api(platform: Platform, *, static: Path = STATIC) -> FastAPI:
    """The HTTP side alone."""
    api = _routed()
    provide(api, {**platform.provided(), StaticFolder: StaticFolder(static)})
    return api


def describe() -> dict[str, Any]:
    """The API in OpenAPI 3.1, without a platform behind it: what generated clients are made from."""
    return _routed().openapi()


def _routed() -> FastAPI:
    api = FastAPI(title="Batuta", docs_url=None, redoc_url=None, openapi_url=None)
    for domain in DOMAINS:
        api.include_router(domain.router)
    api.include_router(schema_router)
    api.include_router(static_router)  # last: its page answers every unknown address
    for error in (Problem, BatutaError, RequestValidationError, HTTPException, Exception):
        api.add_exception_handler(error, respond)
    api.openapi = _describer(api)  # type: ignore[method-assign]
    return api


def create_app(platform: Platform, *, static: Path = STATIC) -> App:
    """HTTP and sockets on one port."""
    api = create_api(platform, static=static)
    both = socketio.ASGIApp(platform.sockets.server, api, socketio_path=SOCKET_PATH)
    return SecurityHeadersMiddleware(FrameGuard(both), platform.settings)


class Server(uvicorn.Server):
    """Serves a platform; when it stops, it lets go of streams and sockets first."""

    def __init__(self, platform: Platform, *, static: Path = STATIC) -> None:
        settings = platform.settings
        super().__init__(
            uvicorn.Config(
                create_app(platform, static=static),
                host=settings.host,
                port=settings.port,
                lifespan="off",
                # Of starting and stopping the command tells; at its loudest the server writes the headers of every
                # handshake, and with them the cookies.
                log_level="error" if settings.log_level == "error" else "warning",
                access_log=False,
                server_header=False,
                # Its own reading of these headers believes whatever the caller wrote first.
                proxy_headers=False,
                http=RequestProtocol,
                ws=SocketProtocol,
                ws_max_size=MAX_FRAME_BYTES,
                # Compression would cost every socket more memory than everything else it needs.
                ws_per_message_deflate=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=max(1, int(settings.shutdown_seconds)),
                log_config=None,
            )
        )
        self._platform = platform
        self.listening = asyncio.Event()

    @property
    def address(self) -> str:
        """Where it listens, once it has started."""
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal asks for an end in good order, and a second Ctrl-C for one at once; neither is an error."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def startup(self, sockets: list[Any] | None = None) -> None:
        """Listen."""
        # What is there by now stays: to look through it for garbage again and again costs more than most requests do.
        gc.freeze()
        await super().startup(sockets)
        self.listening.set()

    async def shutdown(self, sockets: list[Any] | None = None) -> None:
        """Stop in good order."""
        gc.unfreeze()
        await self._stop_accepting()
        await self._platform.connections.close()
        await super().shutdown(sockets)
        for late in list(self.server_state.connections):  # did not end in the time they were given
            cast("Any", late).transport.close()
        await asyncio.sleep(0)

    async def _stop_accepting(self) -> None:
        """Accept no more, and let those who just were become connections: asyncio forgets to close the socket of
        a client that is accepted in the very moment in which the server closes (until Python 3.12).
        """
        loop = asyncio.get_running_loop()
        for server in self.servers:
            for listening in server.sockets:
                loop.remove_reader(listening.fileno())
        for _ in ("the connection", "its protocol"):
            await asyncio.sleep(0)


async def check_address(settings: Settings) -> None:
    """See that no other process listens there, before anything is opened or begun.

    Raises:
        ConfigurationError: the platform could not listen at its address.
    """
    try:
        probe = await asyncio.get_running_loop().create_server(asyncio.Protocol, settings.host, settings.port)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno is not None and error.errno > 0 else str(error)
        raise ConfigurationError(
            f"cannot listen on {settings.host}:{settings.port}: {reason}; choose another with --host and --port"
        ) from error
    probe.close()
    await probe.wait_closed()


async def serve(platform: Platform, *, on_start: Callable[[str], None] = lambda address: None) -> None:
    """Serve until a signal comes, and say where as soon as clients can connect."""
    server = Server(platform)
    async with asyncio.TaskGroup() as group:
        serving = group.create_task(server.serve())
        started = group.create_task(server.listening.wait())
        await asyncio.wait({serving, started}, return_when=asyncio.FIRST_COMPLETED)
        if server.started and not server.should_exit:
            on_start(server.address)
        started.cancel()


def _describer(api: FastAPI) -> Callable[[], dict[str, Any]]:
    """The description of the API, with the body that every error has."""

    def describe() -> dict[str, Any]:
        if api.openapi_schema is None:
            described = get_openapi(title=api.title, version="1", openapi_version="3.1.0", routes=api.routes)
            _describe_problems(described)
            api.openapi_schema = described
        return api.openapi_schema

    return describe


def _describe_problems(described: dict[str, Any]) -> None:
    schemas = described.setdefault("components", {}).setdefault("schemas", {})
    schemas["Problem"] = ProblemBody.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= schemas["Problem"].pop("$defs", {})
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path in described["paths"].values():
        for operation in path.values():
            responses = operation["responses"]
            responses["422"] = {"description": "Some fields are wrong", "content": content}
            responses["default"] = {"description": "A problem", "content": content}
