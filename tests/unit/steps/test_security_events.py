"""What a model may not do is refused, told as a security event, and answered; nothing of it happens (F-51, F-56).

Each row is a call that a model makes in a real run of an agent that holds the ready tools.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from yarl import URL

from batuta import AgentStep
from batuta.events import ToolRefused, ToolRequest, ToolResponse
from batuta.kernel.users import ToolUser
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall
from batuta.tools import Tool, tool
from batuta.tools.builtin.files import file_tools
from batuta.tools.builtin.http import http_tool
from batuta.tools.builtin.sql import SqliteDatabase, sql_tool
from batuta.tools.invocation import ToolInvoker

ANALYST = ToolUser(id="ada", roles=frozenset({"analyst"}))
SECRET = "nobody may read this"

FILES = {
    "a way up": ("read_file", {"path": "../secret.txt"}),
    "a way up and down": ("read_file", {"path": "notes/../../secret.txt"}),
    "a path from the root": ("read_file", {"path": "/etc/passwd"}),
    "a link to a file": ("read_file", {"path": "link.txt"}),
    "a link to a folder": ("read_file", {"path": "away/secret.txt"}),
    "a list of what is above": ("list_files", {"path": ".."}),
    "a write above": ("write_file", {"path": "../new.txt", "content": "x"}),
    "a write through a link": ("write_file", {"path": "link.txt", "content": "x"}),
}
ADDRESSES = {
    "loopback": "https://127.0.0.1/",
    "loopback in IPv6": "https://[::1]/",
    "IPv4 in IPv6": "https://[::ffff:127.0.0.1]/",
    "IPv4 behind NAT64": "https://[64:ff9b::7f00:1]/",
    "the metadata of a cloud": "https://169.254.169.254/latest/meta-data/",
    "a private range": "https://10.0.0.1/",
    "a unique local address": "https://[fd00::1]/",
    "one number": "https://2130706433/",
    "octal": "https://0177.0.0.1/",
    "hexadecimal": "https://0x7f.0.0.1/",
    "a host beside the list": "https://example.org/",
    "another scheme": "file:///etc/passwd",
    "a user before the host": "https://allowed.example@127.0.0.1/",
}
STATEMENTS = {
    "a write": "DELETE FROM orders",
    "two statements": "SELECT 1; DROP TABLE orders",
    "a write in a common table expression": "WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone",
    "a function with effects": "SELECT load_extension('evil')",
    "a write behind a comment": "SELECT 1 /* ; */ ; -- \nUPDATE orders SET id = 2",
    "a setting": "PRAGMA writable_schema = 1",
    "another database": "ATTACH DATABASE 'other.db' AS other",
    "a write that begins as a question": "EXPLAIN DELETE FROM orders",
}


@tool(max_argument_bytes=100, roles={"buyer"})
async def order(sku: str) -> str:
    """Order."""
    return f"ordered {sku}"


@tool(max_argument_bytes=100)
async def note(text: str) -> str:
    """Note."""
    return f"noted {text}"


OTHERS = {
    "a tool nobody granted": ("launch", {}),
    "a role the user does not hold": ("order", {"sku": "A"}),
    "arguments that are too large": ("note", {"text": "x" * 200}),
}
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    **FILES,
    **{f"SSRF: {what}": ("fetch_url", {"url": address}) for what, address in ADDRESSES.items()},
    **{f"SQL: {what}": ("query_database", {"sql": sql}) for what, sql in STATEMENTS.items()},
    **OTHERS,
}


@pytest.fixture
def tools(tmp_path: Path) -> list[Tool]:
    (tmp_path / "secret.txt").write_text(SECRET)
    root = tmp_path / "root"
    (root / "notes").mkdir(parents=True)
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "away").symlink_to(tmp_path)
    with closing(sqlite3.connect(tmp_path / "shop.db")) as shop, shop:
        shop.execute("CREATE TABLE orders (id INTEGER)")
        shop.execute("INSERT INTO orders VALUES (1)")
    # All of them are allowed by name, so that it is the address that is refused.
    hosts = [host for address in ADDRESSES.values() if (host := URL(address).host) not in (None, "example.org")]
    database = SqliteDatabase(tmp_path / "shop.db")
    return [*file_tools(root, writable=True), http_tool(hosts), sql_tool(database), order, note]


@pytest.mark.parametrize("what", CALLS)
async def test_it_is_refused_told_and_answered(what: str, tools: list[Tool], tmp_path: Path) -> None:
    name, args = CALLS[what]
    model = ScriptedModel([Reply(tool_calls=[ToolCall(name, args)]), Reply("sorry")])
    sink = CapturingSink()
    agent = AgentStep(name="clerk", model=model, output=str, tools=tools)
    # Limits of its own: the other cases must not use up the rate of the tool, which would be no security event.
    assert (await agent.run("do it", sink=sink, user=ANALYST, invoker=ToolInvoker())).value == "sorry"
    (refused,) = sink.of(ToolRefused)
    assert (refused.tool_name, refused.user_id) == (name, "ada")
    (answer,) = model.requests[1].tool_results
    assert answer.is_error
    assert SECRET not in answer.content
    assert len(sink.of(ToolRequest)) == len(sink.of(ToolResponse)) == 1
    assert (tmp_path / "secret.txt").read_text() == SECRET
    assert not (tmp_path / "new.txt").exists()
    with closing(sqlite3.connect(tmp_path / "shop.db")) as shop:
        assert shop.execute("SELECT id FROM orders").fetchall() == [(1,)]


async def test_what_is_allowed_is_no_security_event(tools: list[Tool], tmp_path: Path) -> None:
    """Otherwise the test above would also pass for tools that refuse everything."""
    (tmp_path / "root" / "readme.md").write_text("hello")
    calls = [
        ToolCall("read_file", {"path": "readme.md"}),
        ToolCall("query_database", {"sql": "SELECT id FROM orders"}),
        ToolCall("note", {"text": "x"}),
    ]
    sink = CapturingSink()
    agent = AgentStep(
        name="clerk", model=ScriptedModel([Reply(tool_calls=calls), Reply("ok")]), output=str, tools=tools
    )
    await agent.run("do it", sink=sink, user=ANALYST)
    assert not sink.of(ToolRefused)
    assert all(response.success for response in sink.of(ToolResponse))
