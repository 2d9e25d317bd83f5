"""What spans say by the GenAI conventions, of real clients and servers: answers, agents, MCP calls, contents (T-22)."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from batuta import AgentStep, Pipeline, tool
from batuta.conversations import Conversation
from batuta.events import Event, FanOutSink, LlmExchanged, LlmResponse
from batuta.kernel.errors import ProviderRejectedError
from batuta.kernel.messages import Answer, ContentBlock, ImageBlock, Message, ToolCallBlock
from batuta.llm.factory import client
from batuta.llm.model import ModelRequest, ModelSettings
from batuta.observability.channel import EventChannel, Interest
from batuta.observability.spans import SpanSink
from batuta.orchestration import Orchestrator, Specialist
from batuta.simulator import PROVIDERS, Provider, Simulator
from batuta.steps.chat import ChatAgentStep
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall
from batuta.tools import ToolRegistry
from batuta.tools.mcp import McpConnection
from batuta.tools.mcp_tools import McpServer
from tests.integration.observability.test_context_out import NAMES, PATHS
from tests.integration.tools.servers import everything_on_http, http_server, stdio_command
from tests.support.runs import SlowRecorder

Said = dict[str, list[dict[str, Any]]]
"""The attributes of spans, by the name of the span."""


async def said_by(step: Any, value: Any = "How many?", *, has_content: bool = False) -> Said:
    """Run a step; what its spans say."""
    exporter = InMemorySpanExporter()
    with SpanSink(exporter, has_content=has_content) as spans, EventChannel() as channel:
        channel.attach(spans, name="spans")
        await step.run(value, sink=channel)
        assert channel.drain()
    said: Said = {}
    for span in sorted(exporter.get_finished_spans(), key=lambda span: span.start_time or 0):
        said.setdefault(span.name, []).append(dict(span.attributes or {}))
    return said


@tool(effect="read", redact=["pin"])
async def stock(sku: str, pin: str = "") -> int:
    """Units on hand."""
    return {"A-100": 7}[sku]


CALL = ToolCall("stock", {"sku": "A-100", "pin": "swordfish"})


def clerk(*replies: Reply | Exception, **options: Any) -> AgentStep[str, str]:
    model = ScriptedModel(replies or [Reply("One moment.", tool_calls=[CALL]), Reply("Seven.")])
    return AgentStep(
        name="clerk", model=model, instructions="Count what is asked for.", tools=[stock], output=str, **options
    )


@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession")
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_call_says_why_it_ended_and_what_its_provider_calls_it(provider: Provider) -> None:
    async with Simulator() as simulator:
        simulator.play(
            {"answers": [{"blocks": [{"type": "tool_call", "name": "stock", "arguments": {"sku": "A-100"}}]}, "7"]}
        )
        model = client(NAMES[provider], api_key="key", base_url=f"{simulator.url}{PATHS[provider]}")
        try:
            said = await said_by(AgentStep(name="clerk", model=model, tools=[stock], output=str))
        finally:
            await model.aclose()
    [calls] = [spans for name, spans in said.items() if name.startswith("chat ")]
    assert [call["gen_ai.response.finish_reasons"] for call in calls] == [("tool_call",), ("stop",)]
    ids = [call["gen_ai.response.id"] for call in calls]
    assert len(set(ids)) == 2
    assert all(answer_id.startswith(_PREFIXES[provider]) for answer_id in ids), ids


async def test_a_call_says_how_it_was_to_be_answered() -> None:
    settings = ModelSettings(temperature=0.2, top_p=0.9, seed=7, stop=("END",), max_tokens=50)
    [said] = (await said_by(clerk(Reply("Seven."), settings=settings)))["chat scripted"]
    asked = {name.removeprefix("gen_ai.request."): value for name, value in said.items() if "request." in name}
    assert asked == {
        "model": "scripted",
        "temperature": 0.2,
        "top_p": 0.9,
        "seed": 7,
        "stop_sequences": ("END",),
        "max_tokens": 50,
    }
    assert said["gen_ai.output.type"] == "text"


async def test_a_call_for_a_structure_says_so() -> None:
    count = AgentStep(name="count", model=ScriptedModel([Reply("[7]")]), output=list[int])
    [said] = (await said_by(count))["chat scripted"]
    assert said["gen_ai.output.type"] == "json"


async def test_an_answer_that_was_cut_off_says_so() -> None:
    said = await said_by(clerk(Reply("Sev", stop_reason="max_tokens"), takes_cut_text=True))
    assert said["chat scripted"][0]["gen_ai.response.finish_reasons"] == ("length",)


_PREFIXES: dict[Provider, str] = {
    "anthropic": "msg_",
    "openai_chat": "chatcmpl-",
    "openai_responses": "resp_",
    "google": "",
}


async def test_an_agent_says_who_it_is_and_what_it_is_for() -> None:
    [said] = (await said_by(Pipeline("shop", clerk(description="Counts the stock."))))["invoke_agent clerk"]
    assert said["gen_ai.agent.id"] == said["gen_ai.agent.name"] == "clerk"
    assert said["gen_ai.agent.description"] == "Counts the stock."
    assert said["gen_ai.agent.version"] == "1.0.0"


async def test_in_a_team_it_is_known_as_the_team_knows_it() -> None:
    plan = json.dumps({"steps": [{"agent_id": "warehouse", "task": "count", "depends_on": []}]})
    worker = Specialist(clerk(), name="Warehouse", agent_id="warehouse", description="Knows what is where.")
    team = Orchestrator(supervisor=ScriptedModel([Reply(plan), Reply("Seven.")]), agents=[worker])
    [said] = (await said_by(team))["invoke_agent clerk"]
    assert (said["gen_ai.agent.id"], said["gen_ai.agent.name"]) == ("warehouse", "clerk")
    assert said["gen_ai.agent.description"] == "Knows what is where."


def test_a_card_takes_over_what_the_agent_says_of_itself() -> None:
    assert Specialist(clerk(description="Counts."), name="W").card.description == "Counts."
    assert Specialist(clerk(description="Counts."), name="W", description="Knows.").card.description == "Knows."


@asynccontextmanager
async def mcp_call(transport: str, protocol: str) -> AsyncIterator[dict[str, Any]]:
    """What the span of a tool says that an MCP server ran."""
    async with AsyncExitStack() as stack:
        where: dict[str, Any] = {"command": stdio_command()}
        if transport == "tcp":
            where = {"url": await stack.enter_async_context(http_server())}
        registry = ToolRegistry()
        server = McpServer(name="tests", protocol=protocol, trusts_annotations=True, **where)
        await stack.enter_async_context(McpConnection(server, registry))
        calls = [ToolCall("tests__add", {"a": 2, "b": 3})]
        model = ScriptedModel([Reply(tool_calls=calls), Reply("five")])
        said = await said_by(
            AgentStep(name="sums", model=model, tools=list(registry.view(["tests__add"]).values()), output=str)
        )
        yield said["execute_tool tests__add"][0]


@pytest.mark.parametrize("transport", ["pipe", "tcp"])
@pytest.mark.parametrize(("protocol", "revision"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
async def test_a_tool_says_by_which_call_of_the_protocol_it_ran(transport: str, protocol: str, revision: str) -> None:
    async with mcp_call(transport, protocol) as said:
        assert said["mcp.method.name"] == "tools/call"
        assert said["mcp.protocol.version"] == revision
        assert said["network.transport"] == transport


async def test_a_session_is_told_by_its_fingerprint_and_a_new_one_is_another() -> None:
    """The id itself would let whoever reads the log listen in on the session of all users."""
    sessions, logs = set[str](), []
    async with everything_on_http() as url:
        for _ in range(2):
            registry, kept = ToolRegistry(), CapturingSink()
            async with McpConnection(McpServer(name="all", url=url, trusts_annotations=True), registry) as there:
                assert there._session is not None
                calls = [ToolCall("all__echo", {"message": "hello"})]
                agent = AgentStep(
                    name="echoes",
                    model=ScriptedModel([Reply(tool_calls=calls), Reply("hello")]),
                    tools=[each for each in registry if each.name == "all__echo"],
                    output=str,
                )
                sessions.add((await said_by(agent))["execute_tool all__echo"][0]["mcp.session.id"])
                agent.model = ScriptedModel([Reply(tool_calls=calls), Reply("hello")])
                await agent.run("again", sink=kept)
            logs.append(kept.events)
    assert len(sessions) == 2
    assert all(len(session) == 16 for session in sessions)
    told = {event.details["mcp"]["session"] for events in logs for event in events if event.type == "tool_response"}  # type: ignore[attr-defined]
    assert told == sessions


async def test_a_call_carries_what_was_asked_and_answered_where_that_is_wanted() -> None:
    said = await said_by(Pipeline("shop", clerk()), has_content=True)
    first, second = ({name: _read(text) for name, text in call.items()} for call in said["chat scripted"])

    assert first["gen_ai.system_instructions"] == [{"type": "text", "content": "Count what is asked for."}]
    asked = {"role": "user", "parts": [{"type": "text", "content": "How many?"}]}
    assert first["gen_ai.input.messages"] == [asked]
    [offered] = first["gen_ai.tool.definitions"]
    assert (offered["type"], offered["name"], offered["description"]) == ("function", "stock", "Units on hand.")
    assert set(offered["parameters"]["properties"]) == {"sku", "pin"}
    called = {"type": "tool_call", "id": "call_1", "name": "stock", "arguments": {"sku": "A-100", "pin": "[redacted]"}}
    wanted = {"role": "assistant", "parts": [{"type": "text", "content": "One moment."}, called]}
    assert first["gen_ai.output.messages"] == [{**wanted, "finish_reason": "tool_call"}]

    returned = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_1", "response": "7"}]}
    assert second["gen_ai.input.messages"] == [asked, wanted, returned]
    ended = {"role": "assistant", "parts": [{"type": "text", "content": "Seven."}], "finish_reason": "stop"}
    assert second["gen_ai.output.messages"] == [ended]

    agent = {name: _read(text) for name, text in said["invoke_agent clerk"][0].items()}
    assert agent["gen_ai.input.messages"] == [asked]
    assert agent["gen_ai.output.messages"] == [ended]


def _read(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value[:1] in "[{" else value


async def test_a_failed_call_carries_what_was_asked() -> None:
    said = await said_by(clerk(ProviderRejectedError("no")), has_content=True)
    [call] = said["chat scripted"]
    assert "How many?" in call["gen_ai.input.messages"]
    assert "gen_ai.output.messages" not in call


async def test_pictures_and_thoughts_have_their_own_parts() -> None:
    """Of a picture the span says what it is, not its bytes."""
    model = ScriptedModel([Reply("A cat.", thinking="Whiskers.")])
    look = AgentStep(name="eye", model=model, output=str)
    conversation = Conversation([Message.user("Look:", ImageBlock(media_type="image/png", data=b"aGVsbG8="))])
    exporter = InMemorySpanExporter()
    with SpanSink(exporter, has_content=True) as spans:
        await look.run("What is it?", sink=spans, conversation=conversation)
    said = {span.name: dict(span.attributes or {}) for span in exporter.get_finished_spans()}["chat scripted"]
    assert {"type": "attachment", "modality": "image", "mime_type": "image/png"} in _parts(
        said["gen_ai.input.messages"]
    )
    assert "aGVsbG8" not in str(said)
    assert {"type": "reasoning", "content": "Whiskers."} in _parts(said["gen_ai.output.messages"])


def _parts(messages: Any) -> list[dict[str, Any]]:
    return [part for message in json.loads(messages) for part in message["parts"]]


async def test_secrets_stay_out_of_contents() -> None:
    said = await said_by(
        clerk(Reply("Your key is sk-ant-api03-0123456789abcdefghij.")), "I am ana@example.com", has_content=True
    )
    [call] = said["chat scripted"]
    assert "ana@example.com" not in str(call)
    assert "0123456789abcdefghij" not in str(call)
    assert "Your key is" in call["gen_ai.output.messages"]


async def test_declared_fields_stay_out_of_summaries() -> None:
    """A summary is text that is kept: neither the model that writes it nor whoever reads contents sees the field."""
    summaries = ScriptedModel([Reply("They paid.")] * 2)
    rounds = [reply for _ in range(4) for reply in (Reply("Wait.", tool_calls=[CALL]), Reply("Seven."))]
    chat = ChatAgentStep(name="chat", model=ScriptedModel(rounds), summary_model=summaries, tools=[stock])
    exporter, conversation = InMemorySpanExporter(), Conversation()
    with SpanSink(exporter, has_content=True) as spans, EventChannel() as channel:
        channel.attach(spans, name="spans")
        for _ in range(4):
            await chat.run("How many?", sink=channel, conversation=conversation)
        assert channel.drain()
    assert "asks stock {'sku': 'A-100', 'pin': '[redacted]'}" in summaries.requests[0].messages[0].text
    assert "swordfish" not in str([dict(span.attributes or {}) for span in exporter.get_finished_spans()])


class Stammering(ScriptedModel):
    """Its tool calls come as text that is no JSON."""

    async def generate(self, request: ModelRequest) -> Answer:
        answer = await super().generate(request)
        return answer.model_copy(update={"content": tuple(_broken(block) for block in answer.content)})


def _broken(block: ContentBlock) -> ContentBlock:
    if not isinstance(block, ToolCallBlock):
        return block
    return block.model_copy(update={"args": {}, "invalid_args": '{"sku": "A-100", "pin": "swordfish'})


async def test_declared_fields_stay_out_of_arguments_that_are_no_json() -> None:
    curious = Curious()
    model = Stammering([Reply(tool_calls=[CALL]), Reply("Sorry.")])
    await AgentStep(name="clerk", model=model, tools=[stock], output=str).run("How many?", sink=curious)
    assert any(isinstance(event, LlmExchanged) for event in curious.events)
    assert "swordfish" not in str(curious.events)


async def test_of_calls_of_another_agents_tools_only_the_names_are_told() -> None:
    """What those tools declare is not known to the agent that reads them in a shared conversation."""
    curious, conversation = Curious(), Conversation()
    first = [Reply("Wait.", tool_calls=[CALL]), Reply("Seven.")]
    await ChatAgentStep(name="first", model=ScriptedModel(first), tools=[stock]).run(
        "How many?", conversation=conversation
    )
    second = ChatAgentStep(name="second", model=ScriptedModel([Reply("Yes.")]))
    await second.run("Sure?", sink=curious, conversation=conversation)
    [exchange] = [event for event in curious.events if isinstance(event, LlmExchanged)]
    [call] = [block for message in exchange.messages for block in message["content"] if block["type"] == "tool_call"]
    assert call["args"] == {"sku": "[not kept]", "pin": "[not kept]"}


async def test_contents_that_are_no_json_do_not_fail_a_run() -> None:
    """T-20: a run that succeeds unseen succeeds when somebody asks for its contents."""
    curious = Curious()

    @tool(effect="read")
    async def look(at: object) -> str:
        """Look."""
        return "seen"

    model = ScriptedModel([Reply(tool_calls=[ToolCall("look", {"at": Curious})]), Reply("Seen.")])
    result = await AgentStep(name="eye", model=model, tools=[look], output=str).run("Look", sink=curious)
    assert result.value == "Seen."
    assert sum(isinstance(event, LlmExchanged) for event in curious.events) == 2


@pytest.mark.parametrize("has_content", [False, True])
async def test_arguments_nested_without_end_cost_neither_the_run_nor_its_spans(has_content: bool) -> None:
    @tool(effect="read")
    async def look(at: dict[str, Any]) -> str:
        """Look."""
        return "seen"

    nested: dict[str, Any] = {}
    for _ in range(900):
        nested = {"in": nested}
    model = ScriptedModel([Reply(tool_calls=[ToolCall("look", {"at": nested})]), Reply("Seen.")])
    said = await said_by(AgentStep(name="eye", model=model, tools=[look], output=str), has_content=has_content)
    assert "error.type" not in said["invoke_agent eye"][0]
    assert len(said["chat scripted"]) == 2
    assert len(said["execute_tool look"]) == 1


class Curious(CapturingSink):
    wants_contents = True


async def test_naming_the_event_of_contents_is_asking_for_them() -> None:
    with EventChannel() as channel:
        async with (
            channel.subscribe(name="mine", interest=Interest.in_types([LlmExchanged])) as events,
            asyncio.timeout(60),
        ):
            await clerk().run("How many?", sink=channel)
            first = await anext(events)
    assert isinstance(first, LlmExchanged)


async def test_nothing_is_made_for_a_subscriber_that_wants_other_events(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Event] = []
    monkeypatch.setattr(LlmExchanged, "adopt", made.append)
    with EventChannel() as channel:
        channel.attach(Curious(), name="ends", interest=Interest.in_types([LlmResponse]))
        await clerk().run("How many?", sink=channel)
    assert not made


async def test_contents_reach_those_who_ask_and_nobody_else() -> None:
    """Neither the log nor an observer beside the one that asked."""
    kept, log = CapturingSink(), SlowRecorder()
    with SpanSink(InMemorySpanExporter(), has_content=True) as spans, EventChannel() as channel:
        channel.attach(spans, name="spans")
        channel.attach(kept, name="kept")
        await clerk().run("How many?", sink=FanOutSink(channel, beside := CapturingSink()), recorder=log)
        assert channel.drain()
    for seen in (kept.events, beside.events, log.events):
        assert any(isinstance(event, LlmResponse) for event in seen)
        assert not any(isinstance(event, LlmExchanged) for event in seen)


async def test_nothing_is_made_where_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contents cost nothing when they are off."""
    made: list[Event] = []
    monkeypatch.setattr(LlmExchanged, "adopt", made.append)
    await said_by(clerk())
    assert not made


async def test_contents_of_a_long_run_are_let_go_when_they_are_told() -> None:
    spans = SpanSink(InMemorySpanExporter(), has_content=True)
    held: list[int] = []

    @tool(effect="read")
    async def look(n: int) -> int:
        """How much is held."""
        held.append(sum(len(s.exchanges) for run in spans._assembler._runs.values() for s in run._calls.values()))
        return n

    replies = [Reply(tool_calls=[ToolCall("look", {"n": n})]) for n in range(5)]
    agent = AgentStep(name="a", model=ScriptedModel([*replies, Reply("done")]), tools=[look], output=str)
    with EventChannel() as channel:
        channel.attach(spans, name="spans")
        await agent.run("go", sink=_Drained(channel))
    spans.close()
    assert held == [0] * 5


class _Drained:
    """Waits for the subscribers of a channel, so that a tool sees what they hold."""

    never_blocks = True
    wants_contents = True

    def __init__(self, channel: EventChannel) -> None:
        self._channel = channel

    def emit(self, event: Event) -> None:
        self._channel.emit(event)
        assert self._channel.drain()
