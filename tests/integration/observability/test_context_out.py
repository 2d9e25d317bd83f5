"""Calls to providers, to the web and to MCP servers name the span they come from (T-22)."""

import json
import sys
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from batuta import AgentStep, Pipeline
from batuta.events import FanOutSink
from batuta.kernel.messages import Message
from batuta.kernel.outgoing import carry
from batuta.llm.factory import client
from batuta.llm.model import ModelRequest
from batuta.observability.propagation import ActiveSpans, traceparent
from batuta.observability.runs import SpanKind, assemble
from batuta.simulator import PROVIDERS, Provider, Simulator
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall
from batuta.tools import ToolRegistry
from batuta.tools.builtin.http import http_tool
from batuta.tools.mcp import McpConnection
from batuta.tools.mcp_tools import McpServer

with warnings.catch_warnings():
    # The first import of Google's client compiles string literals that Python warns about.
    warnings.simplefilter("ignore")
    import google.genai  # noqa: F401

NAMES: dict[Provider, str] = {
    "anthropic": "anthropic:claude-sonnet-4-5",
    "openai_chat": "openai:gpt-5",
    "openai_responses": "openai-responses:gpt-5",
    "google": "google:gemini-3-pro",
}
PATHS: dict[Provider, str] = {"anthropic": "", "openai_chat": "/v1", "openai_responses": "/v1", "google": ""}
SERVER = Path(__file__).with_name("tracing_mcp_server.py")


async def traced(agent: Any) -> dict[SpanKind, list[str]]:
    """Run an agent with its trace carried along; the headers its spans should have sent, by kind."""
    active_spans, kept = ActiveSpans(), CapturingSink()
    with carry(active_spans.headers):
        result = await Pipeline("p", agent).run("hello", sink=FanOutSink(active_spans, kept))
    assert not result.is_error, result.error
    spans = assemble(kept.events)
    return {
        kind: [traceparent(str(span.start.trace_id), span.id) for span in spans if span.kind is kind]
        for kind in SpanKind
    }


@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession")
@pytest.mark.parametrize("is_streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_provider_gets_the_span_of_the_call(provider: Provider, *, is_streaming: bool) -> None:
    async with Simulator() as simulator:
        model = client(NAMES[provider], api_key="key", base_url=f"{simulator.url}{PATHS[provider]}")
        try:
            expected = await traced(
                AgentStep(name="a", model=model, instructions="", output=str, is_streaming=is_streaming)
            )
            [request] = simulator.requests
            carried = {name.lower(): value for name, value in request.headers.items()}["traceparent"]
            await model.generate(_plain_request())
            without = {name.lower() for name in simulator.requests[-1].headers}
        finally:
            await model.aclose()
    assert [carried] == expected[SpanKind.MODEL]
    assert "traceparent" not in without, "outside of a run nothing is carried"


def _plain_request() -> ModelRequest:
    return ModelRequest(messages=(Message.user("hello"),))


@pytest.fixture
async def site() -> AsyncIterator[str]:
    """Answers with the headers it gets."""

    async def answer(request: web.Request) -> web.Response:
        return web.json_response(dict(request.headers))

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    await runner.cleanup()


def calling(tool: Any, **args: Any) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel([Reply(tool_calls=[ToolCall(tool.name, args)]), Reply("done")])
    return AgentStep(name="a", model=model, instructions="", tools=[tool], output=str), model


async def test_the_web_gets_the_span_of_the_tool(site: str) -> None:
    place = site.removeprefix("http://").rstrip("/")
    fetch = http_tool([place], allows_plain_http=True, allowed_networks=["127.0.0.0/8"])
    agent, model = calling(fetch, url=site)
    expected = await traced(agent)
    answer = model.requests[1].tool_results[0].content
    assert expected[SpanKind.TOOL][0] in answer


async def test_an_mcp_server_gets_the_span_of_the_tool() -> None:
    registry = ToolRegistry()
    server = McpServer(name="tests", command=[sys.executable, str(SERVER)], trusts_annotations=True)
    async with McpConnection(server, registry):
        agent, model = calling(registry.view(["tests__whence"])["tests__whence"])
        expected = await traced(agent)
    assert json.loads(model.requests[1].tool_results[0].content)["traceparent"] == expected[SpanKind.TOOL][0]
