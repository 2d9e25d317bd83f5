"""Traces arrive at a real OTLP receiver, over gRPC and over HTTP, as the conventions want them (T-22)."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from batuta import AgentStep, Pipeline, tool
from batuta.events import EventSink
from batuta.observability.audit_counts import audit
from batuta.observability.channel import EventChannel
from batuta.observability.propagation import from_headers
from batuta.observability.spans import Protocol, SpanSink, otlp_exporter, resource_of
from batuta.orchestration import Orchestrator, Specialist
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall
from examples.appointments import book
from tests.support.otlp import Received, attributes, grpc_receiver, http_receiver

Receiver = Callable[[], AbstractContextManager[Received]]

PROTOCOLS = pytest.mark.parametrize(
    ("protocol", "receiver"), [("grpc", grpc_receiver), ("http/protobuf", http_receiver)], ids=["grpc", "http"]
)


async def exported(
    protocol: Protocol, received: Received, run: Callable[[EventSink], Any], **options: Any
) -> CapturingSink:
    """Run something with spans on; everything has arrived when this returns."""
    kept = CapturingSink()
    exporter = otlp_exporter(received.endpoint, protocol=protocol)
    with SpanSink(exporter, resource=resource_of("shop"), **options) as spans, EventChannel() as channel:
        channel.attach(spans, name="spans")
        channel.attach(kept, name="kept")
        await run(channel)
    assert spans.failed == 0
    return kept


def agent(name: str, *inner: Any) -> list[Any]:
    return [name, [[f"invoke_agent {name}", [*inner]]]]


def answered(name: str, times: int = 1) -> list[Any]:
    return [["chat qwen-2.5", []], [f"validate {name}", []]] * times


FAILED = 2


@PROTOCOLS
async def test_the_appointment_arrives_as_the_tree_it_was(protocol: Protocol, receiver: Receiver) -> None:
    with receiver() as received:
        kept = await exported(protocol, received, book)
    assert received.tree() == [
        [
            "invoke_workflow appointment_creation",
            [
                agent("parsing_agent", *answered("parsing_agent"), ["chat qwen-2.5", []], ["regex_parsing_agent", []]),
                agent("temporal_agent", *answered("temporal_agent", 2)),
                agent("geo_agent", *answered("geo_agent")),
                agent("validation_agent", *answered("validation_agent")),
                agent("availability_agent", *answered("availability_agent")),
            ],
        ]
    ]
    audit(kept.events, exported_spans=len(received.spans)).assert_complete()
    assert {span.trace_id.hex() for span in received.spans} == {kept.events[0].trace_id}
    assert received.resources[0]["service.name"] == "shop"


@PROTOCOLS
async def test_the_required_attributes_are_there(protocol: Protocol, receiver: Receiver) -> None:
    with receiver() as received:
        await exported(protocol, received, book)
    chat = next(span for span in received.named("chat qwen-2.5") if span.status.code != FAILED)
    assert chat.kind == 3, "a model call is a CLIENT span"
    said = attributes(chat)
    assert said["gen_ai.operation.name"] == "chat"
    assert said["gen_ai.provider.name"] == "scripted"
    assert said["gen_ai.request.model"] == said["gen_ai.response.model"] == "qwen-2.5"
    assert said["gen_ai.response.finish_reasons"] == ["stop"]
    assert said["gen_ai.usage.input_tokens"] == 287
    assert said["gen_ai.request.temperature"] == 0.3
    [temporal] = received.named("invoke_agent temporal_agent")
    said = attributes(temporal)
    assert said["gen_ai.operation.name"] == "invoke_agent"
    assert said["gen_ai.agent.name"] == said["agent.name"] == "temporal_agent"
    assert said["agent.version"] == "1.0.0"
    assert said["validation.confidence"] == 1.0
    assert said["gen_ai.usage.input_tokens"] == 2 * 287, "an agent used the sum of its calls"
    [step] = received.named("temporal_agent")
    said = attributes(step)
    assert said["pipeline.name"] == "appointment_creation"
    assert said["step.name"] == "temporal_agent"
    assert said["step.type"] == "AgentStep"
    assert said["step.status"] == "success"
    assert said["correlation.id"]


async def test_retries_decisions_and_fallbacks_are_span_events() -> None:
    with http_receiver() as received:
        await exported("http/protobuf", received, book)
    [parsing] = received.named("invoke_agent parsing_agent")
    events = {event.name: attributes(event) for event in parsing.events}
    assert events["retry_attempted"]["attempt"] == 2
    assert "503" in events["retry_attempted"]["error"]
    assert events["retry_attempted"]["delay_seconds"] > 0
    assert events["fallback_triggered"]["fallback_agent"] == "regex_parsing_agent"
    assert parsing.status.code == 2
    assert attributes(parsing)["error.type"] == "ProviderUnavailableError"
    assert attributes(parsing)["error.code"] == "PROVIDER_UNAVAILABLE"
    [temporal] = received.named("invoke_agent temporal_agent")
    events = {event.name: attributes(event) for event in temporal.events}
    assert events["decision_recorded"]["decision_type"] == "temporal_resolution"
    assert events["decision_recorded"]["confidence"] == 1.0


async def test_a_request_from_outside_becomes_the_parent() -> None:
    """The trace continues the caller's, span included."""
    context = from_headers({"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
    model = ScriptedModel([Reply("hello")])
    greet = Pipeline("greet", AgentStep(name="greeter", model=model, instructions="", output=str))
    with http_receiver() as received:
        with SpanSink(otlp_exporter(received.endpoint, protocol="http/protobuf")) as spans:
            spans.expect(context)
            await greet.run("hi", sink=spans, trace_id=context.trace_id, correlation_id=context.correlation_id)
        [root] = received.named("invoke_workflow greet")
    assert root.trace_id.hex() == "0af7651916cd43dd8448eb211c80319c"
    assert root.parent_span_id.hex() == "b7ad6b7169203331"


async def test_what_the_caller_does_not_sample_is_not_exported() -> None:
    context = from_headers({"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"})
    greet = Pipeline("greet", AgentStep(name="g", model=ScriptedModel([Reply("x")]), instructions="", output=str))
    with http_receiver() as received, SpanSink(otlp_exporter(received.endpoint, protocol="http/protobuf")) as spans:
        spans.expect(context)
        await greet.run("hi", sink=spans, trace_id=context.trace_id)
    assert received.spans == []


@tool(effect="read")
async def stock(sku: str) -> int:
    """Units on hand."""
    return {"A-100": 7}[sku]


def shop() -> Pipeline[str, str]:
    model = ScriptedModel(
        [Reply(tool_calls=[ToolCall("stock", {"sku": "A-100"}), ToolCall("stock", {"sku": "none"})]), Reply("Seven.")]
    )
    return Pipeline("shop", AgentStep(name="clerk", model=model, instructions="", tools=[stock], output=str))


async def test_tools_are_spans_and_say_nothing_of_their_arguments() -> None:
    with http_receiver() as received:
        await exported("http/protobuf", received, lambda sink: shop().run("How many?", sink=sink))
    good, bad = received.named("execute_tool stock")
    said = attributes(good)
    assert said["gen_ai.operation.name"] == "execute_tool"
    assert said["gen_ai.tool.name"] == "stock"
    assert said["gen_ai.tool.call.id"] == "call_1"
    assert said["gen_ai.tool.type"] == "function"
    assert "gen_ai.tool.call.arguments" not in said
    assert bad.status.code == 2
    assert attributes(bad)["error.type"]
    [clerk] = received.named("invoke_agent clerk")
    assert good.parent_span_id == bad.parent_span_id == clerk.span_id


async def test_contents_are_exported_only_when_asked_for() -> None:
    with http_receiver() as received:
        await exported("http/protobuf", received, lambda sink: shop().run("How many?", sink=sink), has_content=True)
    said = attributes(received.named("execute_tool stock")[0])
    assert json.loads(said["gen_ai.tool.call.arguments"]) == {"sku": "A-100"}
    assert said["gen_ai.tool.call.result"] == "7"
    assert "How many?" in attributes(received.named("invoke_agent clerk")[0])["gen_ai.input.messages"]


@pytest.mark.parametrize(
    ("value", "is_captured"),
    [("true", True), ("SPAN_ONLY", True), ("SPAN_AND_EVENT", True), ("EVENT_ONLY", False), ("NO_CONTENT", False)],
)
async def test_the_variable_of_the_conventions_asks_for_contents(
    value: str, *, is_captured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value)
    exporter = InMemorySpanExporter()
    with SpanSink(exporter) as spans:
        await shop().run("How many?", sink=spans)
    found = {span.name: span.attributes or {} for span in exporter.get_finished_spans()}
    assert ("gen_ai.tool.call.result" in found["execute_tool stock"]) is is_captured


async def test_ld10_an_exporter_that_raises_costs_spans_that_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    class Raising(InMemorySpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            raise OSError("no route to host")

    with SpanSink(Raising()) as spans:
        result = await shop().run("How many?", sink=spans)
    assert result.value == "Seven."
    assert spans.exported == 0
    assert spans.failed > 0
    assert "spans were not exported" in caplog.text


async def test_a_plan_holds_the_steps_it_made() -> None:
    erp = AgentStep(name="erp", model=ScriptedModel([Reply("late")]), instructions="", output=str)
    plan = json.dumps({"steps": [{"agent_id": "erp", "task": "find", "depends_on": []}]})
    team = Orchestrator(supervisor=ScriptedModel([Reply(plan), Reply("done")]), agents=[Specialist(erp, name="ERP")])
    with http_receiver() as received:
        await exported("http/protobuf", received, lambda sink: team.run("Which?", sink=sink))
    [[root, children]] = received.tree()
    assert root == "invoke_workflow turn"
    [inside] = [below for name, below in children if name == "plan"]
    assert [name for name, _ in inside] == ["step-1"]
    said = attributes(received.named("plan")[0])
    assert said["gen_ai.operation.name"] == "plan"
    assert said["batuta.plan.status"] == "completed"


async def test_spans_use_only_names_of_the_conventions() -> None:
    """What begins with `gen_ai.` is in the conventions; ours have their own prefix."""
    with http_receiver() as received:
        await exported("http/protobuf", received, book, has_content=True)
        await exported("http/protobuf", received, lambda sink: shop().run("How many?", sink=sink), has_content=True)
    used = {name for span in received.spans for name in attributes(span) if name.startswith("gen_ai.")}
    assert used <= GEN_AI_NAMES


GEN_AI_NAMES = {
    "gen_ai.output.type",
    "gen_ai.tool.definitions",
    "gen_ai.system_instructions",
    "gen_ai.agent.id",
    "gen_ai.agent.description",
    "gen_ai.agent.name",
    "gen_ai.agent.version",
    "gen_ai.conversation.id",
    "gen_ai.input.messages",
    "gen_ai.operation.name",
    "gen_ai.output.messages",
    "gen_ai.provider.name",
    "gen_ai.request.max_tokens",
    "gen_ai.request.model",
    "gen_ai.request.stream",
    "gen_ai.request.temperature",
    "gen_ai.response.finish_reasons",
    "gen_ai.response.id",
    "gen_ai.response.model",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.id",
    "gen_ai.tool.call.result",
    "gen_ai.tool.name",
    "gen_ai.tool.type",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.workflow.name",
}


async def test_a_receiver_that_is_away_costs_spans_not_runs() -> None:
    exporter = otlp_exporter("http://127.0.0.1:9", protocol="http/protobuf")
    exporter._timeout = 0.2  # type: ignore[attr-defined] # or the exporter tries again for ten seconds
    spans = SpanSink(exporter)
    with EventChannel() as channel:
        channel.attach(spans, name="spans")
        result = await shop().run("How many?", sink=channel)
    spans.close()
    assert result.value == "Seven."
    assert spans.exported == 0
    assert spans.failed > 0
