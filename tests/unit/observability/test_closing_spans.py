"""The order in which a channel and the spans behind it are closed, as the guide shows it."""

import logging

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from batuta import Pipeline, step
from batuta.observability.channel import EventChannel
from batuta.observability.spans import SpanSink


@step
async def double(value: int) -> int:
    return value * 2


async def test_a_channel_that_closes_first_delivers_all_spans() -> None:
    exporter = InMemorySpanExporter()
    with SpanSink(exporter) as spans, EventChannel() as channel:
        channel.attach(spans, name="spans")
        await Pipeline("maths", double).run(4, sink=channel)
    assert {span.name for span in exporter.get_finished_spans()} >= {"invoke_workflow maths", "double"}


async def test_spans_that_are_lost_are_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), EventChannel() as channel, SpanSink(InMemorySpanExporter()) as spans:
        channel.attach(spans, name="spans")
        spans.close()
        await Pipeline("maths", double).run(4, sink=channel)
    assert [record.message for record in caplog.records if "spans are lost" in record.message][:1]
