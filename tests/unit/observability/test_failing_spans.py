"""The span of a step that raised: which exception, and where, by OpenTelemetry's names (T-22)."""

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from batuta import Pipeline, step
from batuta.observability.channel import EventChannel
from batuta.observability.spans import SpanSink

PRICES: dict[str, int] = {}


@step
async def price(article: str) -> int:
    return PRICES[article]


async def spans_of(article: str, *, has_content: bool) -> dict[str, ReadableSpan]:
    """The spans of a run that fails, by their name."""
    exporter = InMemorySpanExporter()
    with SpanSink(exporter, has_content=has_content) as spans, EventChannel() as channel:
        channel.attach(spans, name="spans")
        await Pipeline("shop", price).run(article, sink=channel)
    return {span.name: span for span in exporter.get_finished_spans()}


@pytest.mark.parametrize("has_content", [False, True])
async def test_a_failing_step_says_which_exception_it_raised_and_where(*, has_content: bool) -> None:
    failed = (await spans_of("blue chair of Ana", has_content=has_content))["price"]
    assert failed.attributes is not None
    assert (failed.attributes["error.type"], failed.attributes["error.code"]) == ("KeyError", "KEY")
    [raised] = [event for event in failed.events if event.name == "exception"]
    said = raised.attributes or {}
    assert said["exception.type"] == "KeyError"
    assert "in price" in str(said["exception.stacktrace"])
    assert raised.timestamp == failed.end_time


@pytest.mark.parametrize("has_content", [False, True])
async def test_the_words_of_an_exception_are_content(*, has_content: bool) -> None:
    failed = (await spans_of("blue chair of Ana", has_content=has_content))["price"]
    said = failed.events[-1].attributes or {}
    for name in ("exception.message", "exception.stacktrace"):
        assert ("blue chair of Ana" in str(said[name])) is has_content, name


async def test_an_exception_is_told_once_where_it_was_raised() -> None:
    spans = await spans_of("blue", has_content=False)
    around = spans["invoke_workflow shop"]
    assert [event.name for event in around.events if event.name == "exception"] == []
