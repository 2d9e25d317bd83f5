"""Tools of MCP servers, over standard input and output or streamable HTTP.

    async with McpConnection(McpServer(name="files", command=["mcp-files", "/srv"]), registry) as files:
        agent_tools = registry.view(["files__read_file"])

A session belongs to one task, which opens it, listens for changes and closes it. When the server dies, calls in
flight fail with a clear error and the next call opens a new session. A tool whose description or schema changed
stays out of the registry until a person accepts it.
"""

import asyncio
import hashlib
import logging
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from batuta.events.tools import MCP_DETAILS
from batuta.kernel.errors import ConnectorUnavailableError, MissingExtraError, ToolFailedError
from batuta.kernel.messages import ImageBlock
from batuta.kernel.outgoing import outgoing_headers
from batuta.tools.context import ToolContext
from batuta.tools.mcp_tools import McpServer, content_of, digest_of, tool_of
from batuta.tools.registry import ToolRegistry
from batuta.tools.tool import ToolBody

try:
    import httpx2
    import mcp_types as wire
    from anyio import BrokenResourceError, ClosedResourceError, EndOfStream
    from mcp import Client, MCPError, StdioServerParameters
    from mcp.client.streamable_http import streamable_http_client
    from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
except ImportError as error:
    raise MissingExtraError("mcp", needed_for="tools of MCP servers") from error

log = logging.getLogger("batuta.tools.mcp")

MAX_PAGES = 100
SECONDS_TO_CLOSE = 10.0
SECONDS_OF_SILENCE = 300.0
SECONDS_BETWEEN_LISTENS = 1.0
SESSION_HEADER = "mcp-session-id"

IDEMPOTENCY_META = "ai.batuta/idempotencyKey"
"""Where a server finds the key of what a call intends: equal for every try of it."""

_REFUSALS = frozenset({wire.PARSE_ERROR, wire.INVALID_REQUEST, wire.METHOD_NOT_FOUND, wire.INVALID_PARAMS})
"""Errors of the protocol that say that the tool was not run."""
_LOST = (ConnectionError, BrokenResourceError, ClosedResourceError, EndOfStream, OSError)


class McpConnection:
    """A server and its tools, as long as the block lasts."""

    def __init__(self, server: McpServer, registry: ToolRegistry) -> None:
        self.server = server
        self._registry = registry
        self._approved = dict(server.digests)
        self._offered: dict[str, wire.Tool] = {}
        self._session: _Session | None = None
        self._opening = asyncio.Lock()
        self._is_closed = False

    async def __aenter__(self) -> Self:
        """Connect and register the tools. Raises `ConnectionError` if the server cannot be reached."""
        try:
            await self._open_session()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Disconnect and take the tools away."""
        await self.close()

    async def close(self) -> None:
        """Disconnect and take the tools away."""
        self._is_closed = True
        try:
            if self._session is not None:
                await self._session.close()
        finally:
            self._registry.replace_namespace(self.server.name, ())

    @property
    def protocol_version(self) -> str | None:
        """The revision that both sides speak."""
        return self._session.client.protocol_version if self._session and self._session.client else None

    @property
    def changed(self) -> tuple[str, ...]:
        """Tools, by the server's own names, that differ from what was approved and stay out."""
        return tuple(name for name, tool in self._offered.items() if not self._is_approved(tool))

    @property
    def digests(self) -> dict[str, str]:
        """Fingerprints of the approved tools, to be given to `McpServer` the next time."""
        return dict(self._approved)

    def accept_changes(self) -> None:
        """Approve the tools as the server offers them now."""
        self._approved.update((name, digest_of(tool)) for name, tool in self._offered.items())
        self._register()

    async def _open_session(self) -> "_Session":
        """The present session, or a new one if there is none that lives."""
        async with self._opening:
            if self._is_closed:
                raise ConnectionError(f"the connection to MCP server {self.server.name} is closed")
            if self._session is None or not self._session.is_alive:
                if self._session is not None:
                    await self._session.close()
                self._session = _Session(self.server, self._take)
                await self._session.open()
            return self._session

    def _take(self, offered: Iterable[wire.Tool]) -> None:
        """Learn what the server offers now; a tool that is seen for the first time is approved as it is."""
        if self._is_closed:
            return
        only = self.server.only
        self._offered = {tool.name: tool for tool in offered if only is None or tool.name in only}
        for name, tool in self._offered.items():
            self._approved.setdefault(name, digest_of(tool))
        for name in self.changed:
            log.warning("MCP server %s: tool %s changed and stays out until it is accepted", self.server.name, name)
        self._register()

    def _is_approved(self, tool: wire.Tool) -> bool:
        return self._approved.get(tool.name) == digest_of(tool)

    def _register(self) -> None:
        approved = [tool for tool in self._offered.values() if self._is_approved(tool)]
        tools = [tool_of(offered, self.server, self._body(offered.name)) for offered in approved]
        self._registry.replace_namespace(self.server.name, [tool for tool in tools if tool is not None])

    def _body(self, name: str) -> ToolBody:
        async def call(args: dict[str, Any], context: ToolContext) -> str | list[str | ImageBlock]:
            try:
                session = await self._open_session()
            except ConnectionError as error:
                raise ConnectorUnavailableError(str(error), was_sent=False) from error
            return await session.call(name, args, context)

        return call


class _Session:
    """One connection, owned by one task from beginning to end."""

    def __init__(self, server: McpServer, on_tools: Any) -> None:
        self._server = server
        self._on_tools = on_tools
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wake = asyncio.Event()
        self._is_ended = False
        self._task: asyncio.Task[None] | None = None
        self._fingerprint: str | None = None
        """Of the id that the server gave the session, if it gave one: the protocol of 2026 knows none."""
        self.client: Client | None = None

    @property
    def is_alive(self) -> bool:
        return self._task is not None and not self._task.done() and not self._is_ended

    async def open(self) -> None:
        """Start the owner and wait until the tools are known."""
        self._task = asyncio.create_task(self._own(), name=f"mcp-{self._server.name}")
        seconds = self._server.connect_timeout.total_seconds()
        try:
            async with asyncio.timeout(seconds):
                await asyncio.shield(self._ready)
        except TimeoutError:
            await self.close()
            raise ConnectionError(f"MCP server {self._server.name} did not answer within {seconds:g} s") from None
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End the session, kindly at first."""
        self.end()
        if self._task is None:
            return
        done, _ = await asyncio.wait({self._task}, timeout=SECONDS_TO_CLOSE if self._ready.done() else 0)
        if not done:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=SECONDS_TO_CLOSE)
        if self._ready.done() and not self._ready.cancelled():
            self._ready.exception()  # seen, so that asyncio does not report it again

    def end(self) -> None:
        self._is_ended = True
        self._wake.set()

    async def call(self, name: str, args: dict[str, Any], context: ToolContext) -> str | list[str | ImageBlock]:
        """Have the server run a tool.

        Raises `ToolFailedError` if the server says that it failed, and `ConnectorUnavailableError` if the server is
        gone or its answer is none; `was_sent` then says whether it may have run the tool all the same.
        """
        if self.client is None:
            raise self._gone(was_sent=False)

        async def report(progress: float, total: float | None, message: str | None) -> None:
            await context.progress(message or "", done=progress, total=total)

        context.enrich(**{MCP_DETAILS: self._facts(self.client)})
        meta: Any = {**outgoing_headers(), IDEMPOTENCY_META: context.idempotency_key}
        try:
            result = await self.client.call_tool(name, args, progress_callback=report, meta=meta)
        except MCPError as error:
            if error.code == wire.CONNECTION_CLOSED:
                raise self._gone(was_sent=True) from error
            words = f"MCP server {self._server.name}: {error.message}"
            if error.code in _REFUSALS:
                raise ToolFailedError(words) from error
            raise ConnectorUnavailableError(words, was_sent=True) from error
        except _LOST as error:
            raise self._gone(was_sent=True) from error
        except Exception as error:  # an answer came that cannot be read: the tool may have run
            words = f"MCP server {self._server.name}: {type(error).__name__}: {error}"
            raise ConnectorUnavailableError(words, was_sent=True) from error
        return content_of(result)

    def _facts(self, client: Client) -> dict[str, str]:
        """By which call the server ran a tool, for its event and its trace."""
        facts = {
            "server": self._server.name,
            "method": "tools/call",
            "protocol": client.protocol_version,
            "transport": "pipe" if self._server.url is None else "tcp",
        }
        return facts if self._fingerprint is None else {**facts, "session": self._fingerprint}

    async def _note_session(self, response: httpx2.Response) -> None:
        """A fingerprint only: a holder of the id itself could listen in on a session that serves many users."""
        if (session_id := response.headers.get(SESSION_HEADER)) is not None:
            self._fingerprint = hashlib.sha256(session_id.encode()).hexdigest()[:16]

    def _gone(self, *, was_sent: bool) -> ConnectorUnavailableError:
        self.end()
        words = f"MCP server {self._server.name} is gone; the next call connects again"
        return ConnectorUnavailableError(words, was_sent=was_sent)

    async def _own(self) -> None:
        """Open the session, keep the list of tools fresh, close it when it is over."""
        try:
            async with (
                self._new_http() as http,
                self._new_client(http) as client,
                asyncio.TaskGroup() as group,
            ):
                self.client = client
                await self._refresh(client)
                self._ready.set_result(None)
                listener = group.create_task(self._listen(client))
                await self._serve(client)
                listener.cancel()
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self._fail(error)
        finally:
            self.client = None
            self.end()

    async def _serve(self, client: Client) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._is_ended:
                return
            await self._refresh(client)

    async def _listen(self, client: Client) -> None:
        """Hear of changes over the present protocol; the previous one sends them to the message handler."""
        with suppress(ListenNotSupportedError, MCPError):
            while not self._is_ended:
                with suppress(SubscriptionLost):
                    await self._listen_once(client)
                await asyncio.sleep(SECONDS_BETWEEN_LISTENS)

    async def _listen_once(self, client: Client) -> None:
        async with client.listen(tools_list_changed=True) as changes:
            # A change is announced once: what changed before the server knew of us shows only in a new list.
            self._wake.set()
            async for _ in changes:
                self._wake.set()

    async def _on_message(self, message: Any) -> None:
        if isinstance(message, wire.ToolListChangedNotification):
            self._wake.set()

    async def _refresh(self, client: Client) -> None:
        tools: list[wire.Tool] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await client.list_tools(cursor=cursor, cache_mode="bypass")
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        self._on_tools(tools)

    def _fail(self, error: BaseException) -> None:
        words = f"MCP server {self._server.name} cannot be reached: {_innermost(error)}"
        if not self._ready.done():
            self._ready.set_exception(ConnectionError(words))
        else:
            log.warning("%s", words)

    def _new_http(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            headers=dict(self._server.headers),
            timeout=_http_timeout(self._server),
            event_hooks={"response": [self._note_session]},
        )

    def _new_client(self, http: httpx2.AsyncClient) -> Client:
        server = self._server
        target: Any
        if server.url is None:
            program, *arguments = server.command
            target = StdioServerParameters(command=program, args=arguments, env=dict(server.env))
        else:
            target = streamable_http_client(server.url, http_client=http)
        return Client(
            target,
            mode=server.protocol,
            read_timeout_seconds=server.timeout.total_seconds(),
            message_handler=self._on_message,
            cache=None,
        )


def _http_timeout(server: McpServer) -> httpx2.Timeout:
    """A server may hold a stream of changes open for long; single answers have their own limit."""
    return httpx2.Timeout(server.connect_timeout.total_seconds(), read=SECONDS_OF_SILENCE)


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"
