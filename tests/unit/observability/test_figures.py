"""The contract's own figures, the metrics over OpenTelemetry, and the usual set of observers."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import structlog
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from batuta import AgentStep, Pipeline
from batuta.events import AgentPipelineCompleted, AgentPipelineStarted, BreakerChanged, ContentDelta, Event
from batuta.kernel.ids import new_id
from batuta.observability import otel_metrics
from batuta.observability.contract_figures import ContractFigures
from batuta.observability.metric_table import GEN_AI_METRICS, METRICS
from batuta.observability.otel_metrics import OtelMetrics
from batuta.observability.standard import observers
from batuta.observability.subscription import ChannelStats
from batuta.testing import CapturingSink, Reply, ScriptedModel
from examples.appointments import book
from tests.support.otlp import http_receiver
from tests.unit.observability.test_measures import PIPELINE
from tests.unit.observability.told import persisted
from tests.unit.orchestration.teams import agent, answer, team

NOW = datetime(2026, 1, 23, 10, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def stats(**changed: Any) -> ChannelStats:
    plain: dict[str, Any] = {
        "name": "x",
        "depth": 0,
        "delivered": 0,
        "dropped": 0,
        "spilled": 0,
        "waits": 0,
        "failures": 0,
        "state": "connected",
        "missed": 0,
        "last_sequence_number": None,
    }
    return ChannelStats(**{**plain, **changed})


def test_rate_is_per_second_of_the_last_minute() -> None:
    figures = ContractFigures()
    for second in range(100):
        for _ in range(5):
            figures.count(persisted(), at(second))
    assert figures.now(at(100)).event_emit_rate == pytest.approx(5.0, rel=0.05)
    assert figures.now(at(1_000)).event_emit_rate == 0.0


def test_latency_is_the_95th_percentile() -> None:
    figures = ContractFigures()
    for number in range(100):
        event = persisted().model_copy(update={"timestamp": NOW})
        figures.count(event, at(1.0 if number >= 94 else 0.01))
    assert figures.now(NOW).event_latency_p95 == pytest.approx(1.0)


def test_loss_counts_what_a_subscriber_did_not_get() -> None:
    figures = ContractFigures()
    for _ in range(98):
        figures.count(persisted(), NOW)
    assert figures.now(NOW).event_loss_rate == 0.0
    assert figures.now(NOW, [stats(dropped=1), stats(missed=1)]).event_loss_rate == pytest.approx(0.02)
    assert figures.now(NOW, [stats(failures=2)]).event_loss_rate == pytest.approx(0.02), (
        "a sink that raised got nothing"
    )


def started(run: str) -> Event:
    return AgentPipelineStarted(pipeline_type="p", agent_sequence=(), sequence_length=0, correlation_id=run)


def completed(run: str) -> Event:
    return AgentPipelineCompleted(**PIPELINE, correlation_id=run)


def test_a_run_without_an_end_counts_as_incomplete_once_it_is_overdue() -> None:
    figures = ContractFigures()
    for run in ("a", "b", "c", "lost"):
        figures.count(started(run), NOW)
    for run in ("a", "b", "c"):
        figures.count(completed(run), at(1))
    assert figures.now(at(2)).trace_completion_rate == 1.0
    assert figures.now(at(600)).trace_completion_rate == 0.75


def test_at_the_end_of_a_measurement_an_open_run_is_incomplete() -> None:
    """Nobody waits until it is overdue."""
    figures = ContractFigures()
    assert figures.completion_at_the_end() == 1.0
    for run in range(1_000):
        figures.count(started(str(run)), NOW)
        if run % 2:
            figures.count(completed(str(run)), at(1))
    assert figures.completion_at_the_end() == 0.5
    figures.now(at(600))
    assert figures.completion_at_the_end() == 0.5, "whether they are overdue by then or not"


async def test_metrics_go_over_opentelemetry_by_the_names_of_the_conventions() -> None:
    reader = InMemoryMetricReader()
    metrics = OtelMetrics(MeterProvider([reader]))
    kept = CapturingSink()
    await book(kept)
    speaking = AgentStep(
        name="s", model=ScriptedModel([Reply("a b c")]), instructions="", output=str, is_streaming=True
    )
    await Pipeline("talk", speaking).run("x", sink=kept)
    for event in (*kept.events, BreakerChanged(key="openai", previous="closed", current="open")):
        metrics.emit(event)
    points = _points(reader)
    assert set(points) >= set(GEN_AI_METRICS) - {"gen_ai.execute_tool.duration"}
    tokens = {point.attributes["gen_ai.token.type"]: point.sum for point in points["gen_ai.client.token.usage"]}
    assert tokens == {"input": 6 * 287, "output": 6 * 136}
    for point in points["gen_ai.client.operation.duration"]:
        assert {"gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"} <= set(point.attributes)
    assert any("error.type" in point.attributes for point in points["gen_ai.client.operation.duration"])
    assert sum(point.value for point in points["batuta.step.active"]) == 0
    assert points["batuta.breaker.state"][0].value == 2.0
    assert sum(point.value for point in points["batuta.step.executions"]) == 9
    [first], [others] = (
        points[f"gen_ai.client.operation.{name}"] for name in ("time_to_first_chunk", "time_per_output_chunk")
    )
    assert (first.count, others.count) == (1, 2), "three pieces: one comes first, two follow"


async def test_histograms_over_otlp_have_the_buckets_of_the_conventions_and_of_the_table() -> None:
    """The SDK's own are made for milliseconds: every call of less than five seconds would be in one of them."""
    reader = InMemoryMetricReader()
    metrics = OtelMetrics(MeterProvider([reader]))
    kept = CapturingSink()
    await book(kept)
    for event in kept.events:
        metrics.emit(event)
    bounds = {name: tuple(found[0].explicit_bounds) for name, found in _points(reader).items() if _is_histogram(found)}
    seconds = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
    assert bounds["gen_ai.client.operation.duration"] == seconds
    assert bounds["gen_ai.client.token.usage"][:4] == (1, 4, 16, 64)
    assert bounds["gen_ai.client.token.usage"][-1] == 67_108_864
    assert bounds["gen_ai.invoke_agent.duration"][-1] == 409.6
    assert bounds["gen_ai.workflow.duration"] == (1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200)
    assert bounds["batuta.step.duration"] == METRICS["step_duration_ms"].buckets


def test_answers_that_were_cut_off_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is stopped while it speaks tells no end: what was noted of its pieces must not add up."""
    monkeypatch.setattr(otel_metrics, "MAX_STREAMS", 3)
    metrics = OtelMetrics(MeterProvider([InMemoryMetricReader()]))
    for _ in range(10):
        metrics.emit(ContentDelta(message_id=new_id(), delta="Hel", source_agent_id="a"))
    assert len(metrics._streams) == 3


def _is_histogram(points: list[Any]) -> bool:
    return hasattr(points[0], "explicit_bounds")


def _points(reader: InMemoryMetricReader) -> dict[str, list[Any]]:
    data = reader.get_metrics_data()
    assert data is not None
    return {
        metric.name: list(metric.data.data_points)
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }


@pytest.fixture
def untouched_logging() -> Iterator[None]:
    level, handlers = logging.getLogger().level, list(logging.getLogger().handlers)
    yield
    logging.getLogger().handlers[:] = handlers
    logging.getLogger().setLevel(level)
    structlog.reset_defaults()


@pytest.mark.usefixtures("untouched_logging")
async def test_the_usual_observers_see_a_run(capfd: pytest.CaptureFixture[str]) -> None:
    with http_receiver() as received:
        with observers(service_name="shop", otlp_endpoint=received.endpoint) as watching:
            await book(watching.sink)
        assert watching.metrics is not None
        assert 'agent_executions_total{agent_name="geo_agent",status="success"} 1.0' in watching.metrics.text().decode()
        assert len(received.spans) == 25
        assert received.resources[0]["service.name"] == "shop"
    assert '"event": "agent_pipeline_completed"' in capfd.readouterr().err


async def test_in_development_spans_and_metrics_go_to_the_console(capfd: pytest.CaptureFixture[str]) -> None:
    with observers(is_development=True) as watching:
        await book(watching.sink)
    assert (watching.metrics, watching.spans) == (None, None)
    shown = capfd.readouterr().err
    assert "invoke_agent geo_agent" in shown
    assert "agent_fallbacks_total" in shown


async def test_on_the_console_the_metrics_come_after_the_last_span(capfd: pytest.CaptureFixture[str]) -> None:
    """Once for a run, in a turn as well, however long the table and however many spans."""
    with observers(is_development=True) as watching:
        await book(watching.sink)
    booked = capfd.readouterr().err.splitlines()
    with observers(is_development=True) as watching:
        await team([answer("hello")], agent("a", [])).run("q", sink=watching.sink)
    asked = capfd.readouterr().err.splitlines()
    for lines, last_span in ((booked, "invoke_workflow appointment_creation"), (asked, "turn")):
        spans = [number for number, line in enumerate(lines) if line.endswith(" ok") or " FAILED " in line]
        assert last_span in lines[spans[-1]]
        assert spans == list(range(len(spans))), "spans first"
        figures = lines[len(spans) :]
        assert figures
        assert sorted(set(figures)) == figures, "and the table once, after everything was counted"


@pytest.mark.usefixtures("untouched_logging")
async def test_without_an_endpoint_there_are_no_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    with observers() as watching:
        assert watching.spans is None
