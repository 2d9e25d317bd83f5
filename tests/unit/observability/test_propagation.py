"""Trace context comes in with a request and goes out with every call (T-22)."""

from typing import Any

import pytest

from batuta import AgentStep, Pipeline, step, tool
from batuta.events import FanOutSink
from batuta.kernel.ids import is_uuid, trace_id_for
from batuta.kernel.outgoing import carry, outgoing_headers, within_tool_use
from batuta.observability.propagation import ActiveSpans, from_headers, traceparent
from batuta.observability.runs import SpanKind, assemble
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def test_a_traceparent_is_continued() -> None:
    context = from_headers({"Traceparent": f"00-{TRACE}-{SPAN}-01", "x-correlation-id": "order-7"})
    assert (context.trace_id, context.parent_span_id, context.is_sampled) == (TRACE, SPAN, True)
    assert context.correlation_id == "order-7"


def test_without_a_traceparent_the_trace_follows_from_the_correlation_id() -> None:
    context = from_headers({"X-Correlation-ID": "order-7"})
    assert (context.trace_id, context.parent_span_id) == (trace_id_for("order-7"), None)


def test_without_anything_a_new_trace_begins() -> None:
    context = from_headers({})
    assert is_uuid(context.correlation_id)
    assert context.trace_id == trace_id_for(context.correlation_id)


def test_a_correlation_id_that_is_a_uuid_is_kept_in_upper_case() -> None:
    given = "01a1dd71-619d-7aca-ac09-5c62d00049dc"
    assert from_headers({"x-correlation-id": given}).correlation_id == given.upper()


@pytest.mark.parametrize(
    "header",
    [
        "",
        "garbage",
        f"00-{TRACE}-{SPAN}",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE[:-1]}-{SPAN}-01",
        f"00-{TRACE}x-{SPAN}-01",
    ],
)
def test_a_bad_traceparent_begins_a_new_trace(header: str) -> None:
    context = from_headers({"traceparent": header})
    assert context.parent_span_id is None
    assert context.trace_id != TRACE


def test_a_later_version_of_the_header_is_read_as_far_as_it_is_known() -> None:
    assert from_headers({"traceparent": f"01-{TRACE}-{SPAN}-00-more"}).is_sampled is False


@pytest.mark.parametrize("bad", ["", " ", "a\nb", "x" * 201, "<script>"])
def test_a_bad_correlation_id_is_replaced(bad: str) -> None:
    assert is_uuid(from_headers({"X-Correlation-ID": bad}).correlation_id)


def test_nothing_is_carried_outside_of_a_run() -> None:
    with carry(ActiveSpans().headers):
        assert outgoing_headers() == {}
    assert outgoing_headers() == {}


class Kept:
    """What calls carried along, by who made them."""

    def __init__(self) -> None:
        self.headers: dict[str, dict[str, str]] = {}

    def note(self, who: str) -> None:
        self.headers[who] = outgoing_headers()


async def test_a_call_names_the_span_it_comes_from() -> None:
    """The step's, the model call's or the tool's: whichever is innermost."""
    kept, sink, active_spans = Kept(), CapturingSink(), ActiveSpans()

    @tool(effect="read")
    async def stock(sku: str) -> int:
        """Units on hand."""
        kept.note(f"tool {sku}")
        return 7

    @step
    async def ask(text: str) -> str:
        kept.note("step")
        return text

    def answer(request: Any) -> Reply:
        kept.note("model")
        return Reply(tool_calls=[ToolCall("stock", {"sku": "A"}), ToolCall("stock", {"sku": "B"})])

    clerk = AgentStep(
        name="clerk", model=ScriptedModel([answer, Reply("7")]), instructions="", tools=[stock], output=str
    )
    with carry(active_spans.headers):
        await Pipeline("shop", ask >> clerk).run("x", sink=FanOutSink(sink, active_spans), trace_id=TRACE)
    spans = assemble(sink.events)
    by_kind = {kind: [span for span in spans if span.kind is kind] for kind in SpanKind}
    assert kept.headers["model"]["traceparent"] == traceparent(TRACE, by_kind[SpanKind.MODEL][0].id)
    tools = {kept.headers["tool A"]["traceparent"], kept.headers["tool B"]["traceparent"]}
    assert tools == {traceparent(TRACE, span.id) for span in by_kind[SpanKind.TOOL]}
    [asked] = [span for span in by_kind[SpanKind.STEP] if span.name == "ask"]
    assert kept.headers["step"]["traceparent"] == traceparent(TRACE, asked.id)
    assert all(set(headers) == {"traceparent"} for headers in kept.headers.values()), "ids of ours stay at home"
    assert not active_spans._runs, "nothing is remembered after the run"


def test_several_may_add_to_what_is_carried() -> None:
    def tool_use(use: str | None) -> dict[str, str]:
        return {"tool": use or "none"}

    with carry(lambda _: {"a": "1"}), carry(tool_use), within_tool_use("t-1"):
        assert outgoing_headers() == {"a": "1", "tool": "t-1"}
