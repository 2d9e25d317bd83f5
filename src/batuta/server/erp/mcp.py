"""The ERP agent's tools for other clients, over the Model Context Protocol: figures, records, catalogue, and writes.

    server = erp_mcp_server(access, McpTokens({}))
    await serve_stdio(server)                       a client that starts us
    app = http_app(server, tokens)                  streamable HTTP, a bearer token with every request

A client sees the tools its token allows. A write is never carried out at the first call: that one answers with what
would happen and a code, and only the same call with the code does it.
"""

import secrets
from collections.abc import Sequence
from typing import Any

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.agent import guarded_reading_tools
from batuta.agents.erp.metatools import catalogue_tools
from batuta.agents.erp.rights import ERP_RIGHTS_SERVICE, ErpPolicy
from batuta.agents.erp.writing import writing_tools
from batuta.datasets.dataset import DATASETS_SERVICE, Dataset
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import DatasetOwner
from batuta.kernel.approvals import ApprovalDecision, ApprovalRequest
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import MissingExtraError
from batuta.kernel.ids import new_id
from batuta.kernel.messages import ToolCallBlock
from batuta.kernel.users import LANGUAGE_SERVICE, ToolUser
from batuta.server.erp.mcp_access import GrantRights, McpGrant, McpTokens, WriteConfirmations, digest_of
from batuta.tools.invocation import CallScope, ToolInvoker
from batuta.tools.outcome import ToolOutcome
from batuta.tools.tool import Tool

try:
    import mcp_types as wire
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.types import ASGIApp, Receive, Scope, Send
except ImportError as error:
    raise MissingExtraError("mcp", needed_for="`batuta mcp`") from error

CONFIRMATION = "confirmation"
NO_ROLES = ErpPolicy()
"""Roles have no rights of their own: a token's scope alone decides."""
MAX_ROWS = 200
"""Rows of a table that an answer carries; the rest is counted."""
INSTRUCTIONS = (
    "Business figures and records of an ERP. Use compute_measure for figures; never add up amounts yourself. A tool "
    "that writes answers first with what would happen and a confirmation code: show it to the user, and call it again "
    "with the same arguments and the code only if they agree."
)
_CODE_SCHEMA = {
    "type": "string",
    "description": "The code of the answer that showed this write; leave it out to see what would happen.",
    "default": "",
}


def erp_mcp_server(
    access: ErpAccess,
    tokens: McpTokens,
    *,
    token: str = "",
    policy: ErpPolicy = NO_ROLES,
    language: str = "en",
    clock: Clock = SYSTEM_CLOCK,
) -> Server[Any]:
    """A server over an ERP. `token` is that of the one client where no request brings its own (standard input)."""
    calls = _ErpCalls(access, policy, clock=clock, language=language)

    def granted(context: Any) -> McpGrant:
        request = context.request
        given = _bearer(request.headers.get("authorization", "")) if request is not None else token
        found = tokens.grant(given)
        if found is not None:
            return found
        return McpGrant(name="anonymous", scope="read")  # over HTTP a wrong token does not come this far

    async def list_tools(context: Any, params: Any) -> wire.ListToolsResult:
        return wire.ListToolsResult(tools=[_listed(one) for one in calls.tools(granted(context))])

    async def call_tool(context: Any, params: wire.CallToolRequestParams) -> wire.CallToolResult:
        return await calls.call(granted(context), params.name, dict(params.arguments or {}))

    return Server(
        "batuta-erp",
        title="Batuta: ERP",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(server: Server[Any]) -> None:
    """Answer one client over standard input and output until it closes them."""
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def http_app(server: Server[Any], tokens: McpTokens, *, host: str = "127.0.0.1") -> ASGIApp:
    """The server as an application at `/mcp`. On the loopback address only names of this machine are answered."""
    return _BearerOnly(server.streamable_http_app(host=host), tokens)


class _ErpCalls:
    """The tools, and what a call of one brings."""

    def __init__(self, access: ErpAccess, policy: ErpPolicy, *, clock: Clock, language: str) -> None:
        self._policy = policy
        self._reading: Sequence[Tool] = (*guarded_reading_tools(access), *catalogue_tools(access.catalogue))
        self._writing: Sequence[Tool] = writing_tools(access)
        self._invoker = ToolInvoker(clock=clock)
        self._confirmations = WriteConfirmations(clock)
        self._language = language

    def tools(self, grant: McpGrant) -> Sequence[Tool]:
        """What a client may use."""
        return (*self._reading, *self._writing) if grant.scope == "write" else self._reading

    async def call(self, grant: McpGrant, name: str, args: dict[str, Any]) -> wire.CallToolResult:
        """One call. A tool that the client may not use is unknown to it."""
        tools = {one.name: one for one in self.tools(grant)}
        is_write = name in tools and tools[name].policy.effect == "write"
        code = str(args.pop(CONFIRMATION, "")) if is_write else ""
        if code and not self._confirmations.redeem(code, grant.name, name, args):
            return _answer(
                "this code is not for this call, was used, or has ended; call without it to see what would happen",
                is_error=True,
            )
        approver = _Confirmed() if code else _Shown()
        if is_write and not code:
            code = self._confirmations.issue(grant.name, name, args)
        library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id=new_id()))
        rights = GrantRights(self._policy, grant)
        outcome = await self._invoker.invoke(
            ToolCallBlock(id=new_id(), name=name, args=args),
            CallScope(
                tools=tools,
                agent_id="mcp",
                user=ToolUser(id=rights.user_id, roles=grant.roles),
                services={
                    DATASETS_SERVICE: library,
                    LANGUAGE_SERVICE: self._language,
                    ERP_RIGHTS_SERVICE: rights,
                },
                approver=approver,
            ),
            # The key of a write is that of its code: what was shown and what is done are one intent.
            idempotency_key=f"mcp:{code or secrets.token_urlsafe(18)}",
        )
        if isinstance(approver, _Shown) and approver.request is not None:
            return _to_confirm(approver.request, code)
        return await _result(outcome, library)


class _Confirmed:
    """Agrees: the code of exactly this call was given."""

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        return ApprovalDecision.approve(by=request.user.id or "")


class _Shown:
    """Keeps what would be done, and does not do it."""

    def __init__(self) -> None:
        self.request: ApprovalRequest | None = None

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        self.request = request
        return ApprovalDecision.reject("not confirmed yet")


class _BearerOnly:
    """Lets requests through that bring an accepted token; without any token configured, all.

    The session that a client opens is its own: the server refuses it to every other one.
    """

    def __init__(self, app: Starlette, tokens: McpTokens) -> None:
        self._app = app
        self._tokens = tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._tokens.is_required:
            await self._app(scope, receive, send)
            return
        given = _bearer(Request(scope).headers.get("authorization", ""))
        grant = self._tokens.grant(given)
        if grant is None:
            await _unauthorized()(scope, receive, send)
            return
        holder = AccessToken(token=given, client_id=grant.name, scopes=[grant.scope], subject=digest_of(given))
        await self._app({**scope, "user": AuthenticatedUser(holder)}, receive, send)


def _unauthorized() -> Response:
    words = "send a token of this server as `Authorization: Bearer …`"
    return JSONResponse({"error": words}, status_code=401, headers={"WWW-Authenticate": "Bearer"})


def _bearer(header: str) -> str:
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _listed(tool: Tool) -> wire.Tool:
    schema = dict(tool.schema)
    is_write = tool.policy.effect == "write"
    if is_write:
        schema["properties"] = {**schema.get("properties", {}), CONFIRMATION: _CODE_SCHEMA}
    return wire.Tool(
        name=tool.name,
        description=tool.description,
        inputSchema=schema,
        annotations=wire.ToolAnnotations(readOnlyHint=not is_write, destructiveHint=is_write, idempotentHint=True),
    )


def _to_confirm(request: ApprovalRequest, code: str) -> wire.CallToolResult:
    text = (
        f"{request.preview or ''}\n\nNothing has been written. If the user agrees, call {request.tool_name} again with "
        f"the same arguments and {CONFIRMATION}={code}"
    )
    facts = {"status": "confirmation_needed", CONFIRMATION: code, "preview": request.preview}
    return _answer(text, facts=facts)


async def _result(outcome: ToolOutcome, library: DatasetLibrary) -> wire.CallToolResult:
    """The tool's words; a table with its rows."""
    kept = await library.store.list(library.owner)
    facts: dict[str, Any] | None = None
    if kept:
        facts = _table(await library.load(kept[-1]))
    return _answer(outcome.result.content, is_error=outcome.result.is_error, facts=facts)


def _table(dataset: Dataset) -> dict[str, Any]:
    return {
        "name": dataset.name,
        "title": dataset.title,
        "columns": [{"name": one.name, "type": one.type, "label": one.label} for one in dataset.columns],
        "rows": [[None if cell is None else str(cell) for cell in row] for row in dataset.rows[:MAX_ROWS]],
        "row_count": len(dataset.rows),
        "source": {
            "connector": dataset.provenance.connector,
            "company": dataset.provenance.company,
            "query": dataset.provenance.query,
            "retrieved_at": dataset.provenance.retrieved_at.isoformat(),
        },
    }


def _answer(text: str, *, is_error: bool = False, facts: dict[str, Any] | None = None) -> wire.CallToolResult:
    return wire.CallToolResult(
        content=[wire.TextContent(type="text", text=text)], structuredContent=facts, isError=is_error
    )
