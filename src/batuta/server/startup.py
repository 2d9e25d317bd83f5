"""Starting while PostgreSQL or Redis is away: a process waits and says so, as it does when they go away later.

    async with when_available(settings, lambda: open_platform(…), page=True) as platform: …

A wrong address, or a database without tables, can only be mended by people: that still ends the start at once.
"""

import asyncio
import contextlib
import json
import logging
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TypeVar

import uvicorn

from batuta.kernel.errors import StoreUnavailableError
from batuta.server.config import Settings
from batuta.server.http.middleware import App, Receive, Scope, SecurityHeadersMiddleware, Send
from batuta.server.problems import MEDIA_TYPE, problem_of

log = logging.getLogger("batuta.server")

T = TypeVar("T")

SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 5.0
HINT = "is BATUTA_DATABASE_URL right? `batuta doctor` checks it"


@asynccontextmanager
async def when_available(
    settings: Settings, opening: Callable[[], AbstractAsyncContextManager[T]], *, has_page: bool = False
) -> AsyncIterator[T]:
    """What `opening` opens, as soon as its servers answer; with a page, the process's address answers meanwhile."""
    async with AsyncExitStack() as opened:
        async with AsyncExitStack() as meanwhile:
            found = await _opened(settings, opening, opened, meanwhile if has_page else None)
        yield found


async def _opened(
    settings: Settings,
    opening: Callable[[], AbstractAsyncContextManager[T]],
    opened: AsyncExitStack,
    meanwhile: AsyncExitStack | None,
) -> T:
    pause = SHORTEST_PAUSE_SECONDS
    is_logged = False
    while True:
        try:
            return await opened.enter_async_context(opening())
        except StoreUnavailableError as error:
            if settings.database_url is None:  # a file does not come back by itself
                raise
            if not is_logged:
                log.warning("waiting for the servers: %s; %s", error, HINT)
                if meanwhile is not None and settings.port:
                    await meanwhile.enter_async_context(_answering(settings, error))
                is_logged = True
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


class _SideServer(uvicorn.Server):
    """Answers until it is stopped; signals are left to the process itself."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def _answering(settings: Settings, error: StoreUnavailableError) -> AsyncIterator[None]:
    """The process lives and is not ready: at its own address, within the block."""
    unready = {"status": "unavailable", "checks": {"database": error.code}, "durability": {}}
    answers = {"/healthz": (200, {"status": "ok"}), "/readyz": (503, unready)}
    problem = problem_of(error)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1013})
            return
        status, content = answers.get(scope["path"], (problem.status, problem.body()))
        kind = "application/json" if scope["path"] in answers else MEDIA_TYPE
        headers = [(b"content-type", kind.encode()), (b"retry-after", b"5")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(content).encode()})

    async with serving(answer, settings):
        yield


@asynccontextmanager
async def serving(app: App, settings: Settings, listening: socket.socket | None = None) -> AsyncIterator[None]:
    """A few answers beside what a process does, within the block: at its own address, or at an open socket."""
    server = _SideServer(
        uvicorn.Config(
            SecurityHeadersMiddleware(app, settings),
            host=settings.host,
            port=settings.port,
            lifespan="off",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            log_config=None,
            log_level="warning",
            timeout_graceful_shutdown=1,
        )
    )
    answering = asyncio.create_task(server.serve(None if listening is None else [listening]))
    try:
        yield
    finally:
        server.should_exit = True
        await answering
