"""The ERP's tools for the official SDK's client, over both transports: read-only unless a token allows more."""

import asyncio
import re
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from batuta.agents.erp.access import ErpAccess
from batuta.server.erp.mcp import erp_mcp_server, http_app
from batuta.server.erp.mcp_access import McpGrant, McpTokens, WriteConfirmations, digest_of, load_tokens
from batuta.testing.clock import FakeClock

READER, WRITER = "reader-token", "writer-token"
GRANTS = {
    digest_of(READER): McpGrant(name="reader", scope="read"),
    digest_of(WRITER): McpGrant(name="writer", scope="write"),
}
WRITES = {"create_record", "update_record", "delete_record", "run_action"}
META_TOOLS = {
    "list_entities", "search_entities", "entity_details", "endpoint_details", "workflow_steps", "build_request",
    "validate_payload",
}  # fmt: skip
CUSTOMER: dict[str, Any] = {"entity": "customers", "values": {"displayName": "Cliente MCP, S.L.", "country": "ES"}}

Connect = Callable[[str], AbstractAsyncContextManager[Client]]


@asynccontextmanager
async def served(access: ErpAccess) -> AsyncIterator[str]:
    """The server on a free port."""
    tokens = McpTokens(GRANTS)
    config = uvicorn.Config(http_app(erp_mcp_server(access, tokens), tokens), port=0, log_level="error")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        await task


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, access: ErpAccess, demo_file: Path, tmp_path: Path) -> Connect:
    """The SDK's client over one of the transports, with a token or without (empty)."""

    @asynccontextmanager
    async def over_http(token: str) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {token or READER}"}
        async with (
            served(access) as url,
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            yield client

    @asynccontextmanager
    async def over_stdio(token: str) -> AsyncIterator[Client]:
        data = tmp_path / "data"
        data.mkdir()
        shutil.copyfile(demo_file, data / "sandbox.sqlite3")
        accepted = tmp_path / "tokens"
        accepted.write_text("".join(f"{digest} {one.scope} {one.name}\n" for digest, one in GRANTS.items()))
        program = str(Path(sys.executable).with_name("batuta"))
        arguments = ["mcp", "erp", "--data-dir", str(data), "--tokens", str(accepted)]
        environment = {"BATUTA_MCP_TOKEN": token} if token else {}
        parameters = StdioServerParameters(command=program, args=arguments, env=environment)
        async with Client(stdio_client(parameters)) as client:
            yield client

    return over_stdio if request.param == "stdio" else over_http


async def test_a_client_lists_and_calls_the_tools_and_cannot_write(connect: Connect) -> None:
    """Figures come with their rows and where they are from; what writes is not there at all."""
    async with connect("") as client:
        listed = {one.name: one for one in (await client.list_tools()).tools}
        assert META_TOOLS | {"compute_measure", "list_measures", "read_records", "find_record"} == set(listed)
        assert all(one.annotations and one.annotations.read_only_hint for one in listed.values())
        found = await client.call_tool("search_entities", {"query": "factura"})
        assert "salesInvoices" in found.content[0].text  # type: ignore[union-attr]
        owed = await client.call_tool("compute_measure", {"measure": "receivables", "split_by": ["customer"], "top": 3})
        assert not owed.is_error
        assert len(owed.structured_content["rows"]) == 3
        assert owed.structured_content["source"]["connector"] == "business_central"
        refused = await client.call_tool("create_record", CUSTOMER)
        assert refused.is_error
        wrong = await client.call_tool("compute_measure", {"measure": "nonsense"})
        assert wrong.is_error
        assert "receivables" in wrong.content[0].text  # type: ignore[union-attr]


async def test_a_write_is_shown_first_and_done_by_its_code_once(connect: Connect) -> None:
    async with connect(WRITER) as client:
        listed = {one.name: one for one in (await client.list_tools()).tools}
        assert set(listed) >= WRITES
        shown = await client.call_tool("create_record", CUSTOMER)
        assert "Cliente MCP" in shown.structured_content["preview"]
        assert "Nothing has been written" in shown.content[0].text  # type: ignore[union-attr]
        missing = await client.call_tool("find_record", {"entity": "customers", "which": "Cliente MCP, S.L."})
        assert missing.is_error
        code = shown.structured_content["confirmation"]
        other = {"entity": "customers", "values": {"displayName": "Otro"}, "confirmation": code}
        assert (await client.call_tool("create_record", other)).is_error
        done = await client.call_tool("create_record", {**CUSTOMER, "confirmation": code})
        assert not done.is_error
        found = await client.call_tool("find_record", {"entity": "customers", "which": "Cliente MCP, S.L."})
        assert not found.is_error
        assert (await client.call_tool("create_record", {**CUSTOMER, "confirmation": code})).is_error


@pytest.mark.parametrize("header", [None, "Bearer wrong", "Basic cmVhZGVy", f"Bearer {READER}x"])
async def test_a_request_without_an_accepted_token_is_refused(access: ErpAccess, header: str | None) -> None:
    async with served(access) as url, httpx2.AsyncClient() as http:
        answer = await http.post(url, json={}, headers={"Authorization": header} if header else {})
    assert answer.status_code == 401
    assert "salesInvoices" not in answer.text


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}


def headers_of(token: str, **more: str) -> dict[str, str]:
    accepted = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {token}"}
    return accepted | {name.replace("_", "-"): value for name, value in more.items()}


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_se22_a_session_is_worth_nothing_to_another_client(access: ErpAccess, method: str) -> None:
    """Also to one with an accepted token: a session's id is no credential. Its own client goes on."""
    async with served(access) as url, httpx2.AsyncClient(timeout=20) as http:
        begun = await http.post(url, json=INITIALIZE, headers=headers_of(WRITER))
        session = begun.headers["mcp-session-id"]
        stolen = headers_of(READER, mcp_session_id=session)
        refused = await http.request(method, url, headers=stolen, json=LIST if method == "POST" else None)
        assert refused.status_code == 404
        own = await http.post(url, json=LIST, headers=headers_of(WRITER, mcp_session_id=session))
        assert (own.status_code, "create_record" in own.text) == (200, True)


async def test_se22_a_foreign_name_for_the_server_is_refused(access: ErpAccess) -> None:
    """DNS rebinding: a page of another site reaches the loopback address."""
    async with served(access) as url, httpx2.AsyncClient() as http:
        answer = await http.post(url, json=INITIALIZE, headers=headers_of(WRITER, Host="evil.test:8765"))
    assert answer.status_code == 421


def test_se22_a_token_that_was_taken_out_of_its_file_counts_no_more(tmp_path: Path) -> None:
    accepted = tmp_path / "tokens"
    lines = {token: f"{digest_of(token)} read {token}\n" for token in (READER, WRITER)}
    accepted.write_text("".join(lines.values()))
    tokens = load_tokens(accepted)
    assert tokens.grant(READER) is not None
    accepted.write_text(lines[WRITER])
    assert (tokens.grant(READER), tokens.grant(WRITER)) == (None, McpGrant(name=WRITER, scope="read"))
    accepted.write_text("no line of tokens\n")
    assert (tokens.grant(WRITER), tokens.is_required) == (None, True)
    accepted.unlink()
    assert (tokens.grant(""), tokens.is_required) == (None, True)


def test_a_code_is_for_one_client_one_call_and_ten_minutes() -> None:
    clock = FakeClock()
    codes = WriteConfirmations(clock)
    code = codes.issue("ana", "create_record", {"a": 1})
    assert not codes.redeem(code, "bea", "create_record", {"a": 1})
    assert not codes.redeem(code, "ana", "delete_record", {"a": 1})
    assert not codes.redeem(code, "ana", "create_record", {"a": 2})
    clock.advance(601)
    assert not codes.redeem(code, "ana", "create_record", {"a": 1})
    fresh = codes.issue("ana", "create_record", {"a": 1})
    assert codes.redeem(fresh, "ana", "create_record", {"a": 1})
    assert not codes.redeem(fresh, "ana", "create_record", {"a": 1})


def test_a_tokens_file_holds_hashes_and_says_what_it_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"# ours\n{digest_of(WRITER)} write ana\n")
    tokens = load_tokens(path)
    assert tokens.grant(WRITER) == McpGrant(name="ana", scope="write")
    assert tokens.grant(READER) is None
    path.write_text(f"{WRITER} write ana\n")
    with pytest.raises(Exception, match=re.escape(f"{path}:1")):
        load_tokens(path)
