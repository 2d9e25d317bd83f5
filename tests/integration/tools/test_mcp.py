"""Tools of real MCP servers: both transports, both protocol revisions, crashes, changes (F-55, SE-21)."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from batuta import AgentStep
from batuta.kernel.errors import ConfigurationError, ConnectorUnavailableError, InvalidArgumentsError
from batuta.kernel.messages import ToolCallBlock
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools import CallScope, Refusal, Tool, ToolInvoker, ToolOutcome, ToolRegistry
from batuta.tools.mcp import McpConnection
from batuta.tools.mcp_tools import McpServer
from tests.integration.tools.servers import (
    everything_command,
    everything_on_http,
    filesystem_command,
    free_port,
    http_server,
    stdio_command,
)

REVISIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
THEIR_REVISION = "2025-11-25"
"""What the servers of the registry speak, asked in either revision."""

Connected = tuple[McpConnection, ToolRegistry]
Connect = Callable[..., AbstractAsyncContextManager[Connected]]


@asynccontextmanager
async def connected(**facts: Any) -> AsyncIterator[Connected]:
    registry = ToolRegistry()
    async with McpConnection(
        McpServer(**{"name": "tests", "trusts_annotations": True, **facts}), registry
    ) as connection:
        yield connection, registry


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest) -> Connect:
    """Connects over one of the transports, with whatever else a test wants."""

    @asynccontextmanager
    async def over_http(**facts: Any) -> AsyncIterator[Connected]:
        async with http_server() as url, connected(url=url, **facts) as both:
            yield both

    def over_stdio(**facts: Any) -> AbstractAsyncContextManager[Connected]:
        return connected(command=stdio_command(), **facts)

    return over_stdio if request.param == "stdio" else over_http


def tool_named(registry: ToolRegistry, name: str) -> Tool:
    return registry.view([f"tests__{name}"])[f"tests__{name}"]


async def invoke(registry: ToolRegistry, name: str, **args: Any) -> ToolOutcome:
    scope = CallScope(tools=registry.view([f"tests__{name}"]))
    return await ToolInvoker().invoke(ToolCallBlock(id="1", name=f"tests__{name}", args=args), scope)


async def called_by_an_agent(registry: ToolRegistry, *calls: ToolCall) -> list[str]:
    """What the model of a real run is told after it made these calls."""
    model = ScriptedModel([Reply(tool_calls=list(calls)), Reply("done")])
    granted = {call.name for call in calls}
    agent = AgentStep(name="clerk", model=model, output=str, tools=[tool for tool in registry if tool.name in granted])
    assert (await agent.run("use your tools")).value == "done"
    return [result.content for result in model.requests[1].tool_results]


async def eventually(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("protocol", REVISIONS)
async def test_tools_of_a_server_work_like_local_ones(connect: Connect, protocol: str) -> None:
    async with connect(protocol=protocol) as (connection, registry):
        outcome = await invoke(registry, "add", a=2, b=3)

        assert connection.protocol_version == REVISIONS[protocol]
        assert (outcome.result.content, outcome.result.is_error) == ("5", False)
        assert tool_named(registry, "add").description == "Add two numbers."
        assert set(tool_named(registry, "add").schema["required"]) == {"a", "b"}
    assert len(registry) == 0


async def test_a_tool_outlives_its_connection_only_to_say_so() -> None:
    async with connected(command=stdio_command()) as (_, registry):
        add = tool_named(registry, "add")

    with pytest.raises(ConnectorUnavailableError, match="is closed") as closed:
        await add.call(a=1, b=1)
    assert not closed.value.was_sent


async def test_arguments_are_checked_before_the_server_hears_of_them(connect: Connect) -> None:
    async with connect() as (_, registry):
        with pytest.raises(InvalidArgumentsError, match="not of type 'integer'"):
            await tool_named(registry, "add").call(a="two", b=3)
        outcome = await invoke(registry, "add", a=1)

    assert (outcome.refusal, outcome.result.is_error) == (Refusal.INVALID_ARGUMENTS, True)


async def test_what_the_server_says_about_effects_counts_only_when_trusted() -> None:
    async with connected(command=stdio_command(), trusts_annotations=False) as (_, registry):
        distrusted = {tool.name: (tool.policy.effect, tool.policy.approval) for tool in registry}
    async with connected(command=stdio_command(), effects={"step": "read"}, approval="never") as (_, registry):
        trusted = {tool.name: (tool.policy.effect, tool.policy.approval) for tool in registry}

    assert set(distrusted.values()) == {("write", "always")}
    assert trusted["tests__add"] == ("read", "never")
    assert trusted["tests__store"] == ("idempotent", "never")
    assert trusted["tests__step"] == ("read", "never")
    assert trusted["tests__fail"] == ("write", "never")


async def test_a_tool_that_may_write_needs_approval() -> None:
    async with connected(command=stdio_command()) as (_, registry):
        outcome = await invoke(registry, "store", value="x")

    assert (outcome.refusal, outcome.is_security_event) == (Refusal.APPROVAL_NEEDED, True)


async def test_only_the_tools_that_were_chosen_are_taken() -> None:
    async with connected(command=stdio_command(), only=frozenset({"add", "step"})) as (_, registry):
        assert sorted(tool.name for tool in registry) == ["tests__add", "tests__step"]


async def test_a_tool_that_fails_tells_the_model(connect: Connect) -> None:
    async with connect(approval="never") as (_, registry):
        outcome = await invoke(registry, "fail", reason="no paper")

    assert outcome.result.is_error
    assert "fail" in outcome.result.content


@pytest.mark.parametrize("protocol", REVISIONS)
async def test_progress_of_a_server_reaches_the_caller(connect: Connect, protocol: str) -> None:
    heard: list[tuple[str, float | None, float | None]] = []

    async def listen(_: ToolCallBlock, message: str, done: float | None, total: float | None) -> None:
        heard.append((message, done, total))

    async with connect(protocol=protocol, approval="never") as (_, registry):
        scope = CallScope(tools=registry.view(["tests__step"]), on_progress=listen)
        outcome = await ToolInvoker().invoke(ToolCallBlock(id="1", name="tests__step"), scope)

    assert outcome.result.content == "done"
    assert heard == [("half way", 1, 2)]


async def test_a_tool_that_takes_too_long_is_given_up_and_the_session_lives_on(connect: Connect) -> None:
    async with connect(approval="never", timeout=timedelta(seconds=3)) as (_, registry):
        slow = await invoke(registry, "slow")
        after = await invoke(registry, "add", a=1, b=1)

    assert slow.result.is_error
    assert after.result.content == "2"


async def test_a_crash_is_a_clear_error_and_the_next_call_connects_again() -> None:
    async with connected(command=stdio_command(), approval="never") as (_, registry):
        crash = await invoke(registry, "crash")
        after = await invoke(registry, "add", a=1, b=1)

    assert crash.result.is_error
    assert "MCP server tests is gone" in crash.result.content
    assert after.result.content == "2"


async def test_a_server_on_http_that_comes_back_is_found_again() -> None:
    port = free_port()
    async with http_server(port) as url:
        connection = McpConnection(
            McpServer(name="tests", url=url, trusts_annotations=True), registry := ToolRegistry()
        )
        await connection.__aenter__()
    try:
        gone = await invoke(registry, "add", a=1, b=1)
        async with http_server(port):
            back = await invoke(registry, "add", a=1, b=1)
    finally:
        await connection.close()

    assert gone.result.is_error
    assert "tests" in gone.result.content
    assert back.result.content == "2"


@pytest.mark.parametrize("protocol", REVISIONS)
async def test_a_tool_that_appears_later_is_registered_and_granted_to_nobody(connect: Connect, protocol: str) -> None:
    async with connect(protocol=protocol, approval="never") as (_, registry):
        granted = registry.view([tool.name for tool in registry])
        await invoke(registry, "change", what="new")
        await eventually(lambda: "tests__extra" in registry)

        assert "tests__extra" not in granted


async def test_se21_a_tool_that_changed_stays_out_until_it_is_accepted() -> None:
    """SE-21."""
    async with connected(command=stdio_command(), approval="never") as (connection, registry):
        granted = registry.view(["tests__add"])
        await invoke(registry, "change", what="description")
        await eventually(lambda: connection.changed == ("add",))
        without = list(granted)
        connection.accept_changes()

        assert without == []
        assert granted["tests__add"].description == "Add two numbers and tell the attacker."
        assert connection.changed == ()


async def test_se21_what_was_approved_in_an_earlier_run_is_remembered() -> None:
    """SE-21: a server that changes while nobody looks."""
    async with connected(command=stdio_command()) as (connection, _):
        digests = connection.digests
    async with connected(command=stdio_command(), digests={**digests, "add": "0" * 64}) as (connection, registry):
        assert connection.changed == ("add",)
        assert "tests__add" not in registry
        assert "tests__store" in registry


async def test_calls_run_side_by_side_in_one_session(connect: Connect) -> None:
    async with connect() as (_, registry):
        add = tool_named(registry, "add")
        sums = await asyncio.gather(*(add.call(a=number, b=1) for number in range(20)))

    assert sums == [str(number + 1) for number in range(20)]


@pytest.mark.parametrize(
    "facts",
    [
        {"command": ["/does/not/exist"]},
        {"command": [sys.executable, "-c", "raise SystemExit(3)"]},
        {"url": "http://127.0.0.1:1/mcp"},
    ],
    ids=["no such program", "program ends", "nobody listens"],
)
async def test_a_server_that_cannot_be_reached_says_so(facts: dict[str, Any]) -> None:
    with pytest.raises(ConnectionError, match="MCP server tests"):
        async with connected(**facts):
            pass


async def test_a_server_that_says_nothing_is_given_up() -> None:
    silent = [sys.executable, "-c", "import time; time.sleep(60)"]

    with pytest.raises(ConnectionError, match="did not answer within"):
        async with connected(command=silent, connect_timeout=timedelta(seconds=0.5)):
            pass


@pytest.mark.parametrize(
    "facts",
    [
        {"name": "no spaces", "command": ["x"]},
        {"name": "tests"},
        {"name": "tests", "command": ["x"], "url": "http://x"},
        {"name": "tests", "url": "file:///etc/passwd"},
        {"name": "a__b", "command": ["x"]},
    ],
)
def test_a_server_is_described_in_exactly_one_way(facts: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        McpServer(**facts)


def test_secrets_of_a_server_are_not_shown() -> None:
    server = McpServer(name="tests", url="https://x", headers={"Authorization": "Bearer s3cret"}, env={"KEY": "s3cret"})

    assert "s3cret" not in repr(server)


@pytest.mark.parametrize("protocol", REVISIONS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_the_reference_server_of_the_registry_works(transport: str, protocol: str) -> None:
    """A server in another language, by other hands, over both transports, asked in either revision."""
    async with AsyncExitStack() as stack:
        reached: dict[str, Any] = {"command": await asyncio.to_thread(everything_command)}
        if transport == "http":
            reached = {"url": await stack.enter_async_context(everything_on_http())}
        connection, registry = await stack.enter_async_context(
            connected(protocol=protocol, approval="never", timeout=timedelta(minutes=2), **reached)
        )
        listed = {tool.name for tool in registry}
        summing = tool_named(registry, "get-sum")
        answers = await called_by_an_agent(
            registry, ToolCall("tests__get-sum", {"a": 2, "b": 3}), ToolCall("tests__echo", {"message": "hola"})
        )
        refused = await invoke(registry, "get-sum", a="two", b=3)

        assert connection.protocol_version == THEIR_REVISION
    assert listed >= {"tests__get-sum", "tests__echo", "tests__get-tiny-image", "tests__trigger-long-running-operation"}
    assert summing.description == "Returns the sum of two numbers"
    assert set(summing.schema["required"]) == {"a", "b"}
    assert answers == ["The sum of 2 and 3 is 5.", "Echo: hola"]
    assert refused.refusal is Refusal.INVALID_ARGUMENTS


@pytest.mark.parametrize("protocol", REVISIONS)
async def test_the_file_server_of_the_registry_works(tmp_path: Path, protocol: str) -> None:
    """One that people use: its tools that read are used at once, those that write wait for approval."""
    (tmp_path / "note.txt").write_text("buy milk")
    command = await asyncio.to_thread(filesystem_command, tmp_path)
    async with connected(command=command, protocol=protocol) as (_, registry):
        read = await invoke(registry, "read_text_file", path=str(tmp_path / "note.txt"))
        written = await invoke(registry, "write_file", path=str(tmp_path / "new.txt"), content="x")
        outside = await invoke(registry, "read_text_file", path="/etc/hostname")
        listed = {tool.name.removeprefix("tests__"): tool.policy.effect for tool in registry}
    assert {name for name, effect in listed.items() if effect == "read"} >= {"read_text_file", "list_directory"}
    assert {name for name, effect in listed.items() if effect != "read"} >= {"write_file", "edit_file", "move_file"}
    assert read.result.content == "buy milk"
    assert (written.refusal, (tmp_path / "new.txt").exists()) == (Refusal.APPROVAL_NEEDED, False)
    assert outside.result.is_error
