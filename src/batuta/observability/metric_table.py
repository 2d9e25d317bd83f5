"""The one table of metrics. Prometheus, OpenTelemetry, dashboard and alert rules all read names and labels here.

Where the telemetry contract fixes a name, its labels and its buckets, the row says exactly that.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from typing import Literal, get_args

from batuta.events.conversation import Complete
from batuta.events.envelope import Event
from batuta.events.routing import ROUTES
from batuta.events.runtime import AttemptRejected
from batuta.events.telemetry import AgentPipelineCompleted, AgentRetryAttempted


class MetricKind(StrEnum):
    """How a metric moves."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


Merge = Literal["all", "sum", "livesum", "max", "livemax", "min", "livemin", "mostrecent", "livemostrecent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One row."""

    name: str
    kind: MetricKind
    help: str
    labels: tuple[str, ...] = ()
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Labels whose values are known before anything happens. Their series are there at zero: `rate()` sees nothing of
    a series that begins with its first event.
    """
    buckets: tuple[float, ...] = ()
    merge: Merge = "livesum"
    """How the values of a gauge from several processes become one."""
    is_moved: bool = False
    """Of a gauge: measurements move it up and down instead of setting it."""
    otel: str | None = None
    """Its name over OTLP, where it has one."""
    unit: str = ""


_SECONDS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
_LLM_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0)
_MILLISECONDS = (0.1, 1.0, 5.0, 10.0, 50.0, 100.0, 500.0, 1_000.0, 5_000.0, 10_000.0, 30_000.0, 60_000.0)
_DOLLARS = (0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0)
_TOKENS = (100.0, 500.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0, 20_000.0, 50_000.0, 100_000.0, 500_000.0)
_TURN_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0)

_STEP = ("pipeline", "step")


def _values_of(event: type[Event], name: str) -> tuple[str, ...]:
    """What a field of an event may say."""
    return get_args(event.model_fields[name].annotation)


_TURN_ENDS = _values_of(Complete, "status")
_PIPELINE_ENDS = _values_of(AgentPipelineCompleted, "status")
_REQUEST_ENDS = tuple(dict.fromkeys((*_PIPELINE_ENDS, *(end for end in _TURN_ENDS if end != "paused"))))
_KINDS = {"kind": ("turn", "pipeline")}
_RETRY_REASONS = _values_of(AgentRetryAttempted, "retry_reason")
_OUTCOMES = {"status": ("success", "failure")}


def _counter(
    name: str,
    text: str,
    *labels: str,
    known: Mapping[str, tuple[str, ...]] | None = None,
    otel: str | None = None,
    unit: str = "",
) -> Metric:
    return Metric(name=name, kind=MetricKind.COUNTER, help=text, labels=labels, known=known or {}, otel=otel, unit=unit)


def _gauge(name: str, text: str, *labels: str, merge: Merge = "livesum", otel: str | None = None) -> Metric:
    return Metric(name=name, kind=MetricKind.GAUGE, help=text, labels=labels, merge=merge, otel=otel)


def _histogram(
    name: str, text: str, *labels: str, buckets: tuple[float, ...], otel: str | None = None, unit: str = ""
) -> Metric:
    return Metric(name=name, kind=MetricKind.HISTOGRAM, help=text, labels=labels, buckets=buckets, otel=otel, unit=unit)


_TABLE = (
    # the telemetry contract
    _counter(
        "agent_executions_total",
        "Agent executions that ended.",
        "agent_name",
        "status",
        known={"status": ("success", "failed")},
    ),
    _counter("agent_errors_total", "Agent executions that failed.", "agent_name", "error_type", "error_category"),
    _counter(
        "agent_retries_total",
        "Attempts after the first.",
        "agent_name",
        "retry_reason",
        known={"retry_reason": _RETRY_REASONS},
    ),
    _counter("agent_fallbacks_total", "Times another step took over.", "primary_agent", "fallback_agent"),
    _histogram(
        "agent_execution_duration_seconds", "Duration of agent executions.", "agent_name", buckets=_SECONDS, unit="s"
    ),
    _histogram(
        "llm_request_duration_seconds", "Duration of model calls.", "llm_provider", buckets=_LLM_SECONDS, unit="s"
    ),
    _gauge("agent_confidence", "Confidence of the last decision.", "agent_name", merge="livemostrecent"),
    _gauge("llm_tokens_remaining", "Tokens left of a provider's quota.", "llm_provider", merge="livemin"),
    _gauge("event_emit_rate", "Events emitted per second."),
    _gauge("event_loss_rate", "Share of emitted events that were not delivered.", merge="livemax"),
    _gauge("trace_completion_rate", "Share of runs with an end event.", merge="livemin"),
    _gauge("event_latency_p95", "Seconds from an event to its observers, 95th percentile.", merge="livemax"),
    # steps
    _counter(
        "step_executions_total", "Steps that ended.", *_STEP, "status", known=_OUTCOMES, otel="batuta.step.executions"
    ),
    _counter(
        "step_tokens_total",
        "Tokens used; lost are those of tries whose answer was lost, as budgets count them.",
        *_STEP,
        "direction",
        known={"direction": ("input", "output", "lost")},
        otel="batuta.step.tokens",
        unit="{token}",
    ),
    _counter(
        "step_retries_total",
        "Attempts after the first.",
        *_STEP,
        "reason",
        known={"reason": _RETRY_REASONS},
        otel="batuta.step.retries",
    ),
    _histogram(
        "step_duration_ms", "Duration of steps.", *_STEP, buckets=_MILLISECONDS, otel="batuta.step.duration", unit="ms"
    ),
    _histogram("step_cost_usd", "Cost of model calls.", *_STEP, buckets=_DOLLARS, otel="batuta.step.cost", unit="USD"),
    Metric(
        name="active_steps_count",
        kind=MetricKind.GAUGE,
        help="Steps at work.",
        labels=("pipeline",),
        is_moved=True,
        otel="batuta.step.active",
    ),
    # requests: turns, and pipelines that belong to no turn
    _counter("requests_total", "Requests that ended.", "kind", "status", known={**_KINDS, "status": _REQUEST_ENDS}),
    Metric(
        name="request_duration_seconds",
        kind=MetricKind.HISTOGRAM,
        help="Duration of requests, without what they waited for people.",
        labels=("kind",),
        known=_KINDS,
        buckets=_TURN_SECONDS,
        unit="s",
    ),
    _histogram("request_tokens", "Tokens of a request.", "kind", buckets=_TOKENS, unit="{token}"),
    # pipelines and turns
    _counter(
        "pipeline_executions_total",
        "Pipelines that ended.",
        "pipeline",
        "status",
        known={"status": _PIPELINE_ENDS},
    ),
    _histogram("pipeline_duration_seconds", "Duration of pipelines.", "pipeline", buckets=_TURN_SECONDS, unit="s"),
    _histogram("pipeline_tokens", "Tokens of a pipeline.", "pipeline", buckets=_TOKENS, unit="{token}"),
    _counter("turns_total", "Turns that ended.", "status", known={"status": _TURN_ENDS}),
    Metric(
        name="turn_duration_seconds",
        kind=MetricKind.HISTOGRAM,
        help="Work on a turn from the message to the end of the answer, without what it waited for people.",
        labels=("status",),
        known={"status": tuple(status for status in _TURN_ENDS if status != "paused")},
        buckets=_TURN_SECONDS,
    ),
    _gauge("turn_queue_depth", "Turns that wait for a worker.", merge="livemax"),
    _gauge("connected_clients", "Clients that follow sessions live.", "transport"),
    # models, tools, quality
    _counter("llm_requests_total", "Model calls that ended.", "llm_provider", "model", "status", known=_OUTCOMES),
    _counter("llm_cost_usd_total", "Money spent on models.", "llm_provider", "model", unit="USD"),
    _counter("user_cost_usd_total", "Money spent on models, by user.", "user", unit="USD"),
    _counter(
        "validation_failures_total",
        "Answers that were rejected.",
        "agent_name",
        "kind",
        known={"kind": _values_of(AttemptRejected, "kind")},
    ),
    _counter("tool_calls_total", "Tool calls that ended.", "tool_name", "status", known=_OUTCOMES),
    _histogram("tool_duration_seconds", "Duration of tool calls.", "tool_name", buckets=_SECONDS, unit="s"),
    _counter("tool_refusals_total", "Tool calls that were not allowed.", "tool_name"),
    _counter("intents_total", "Requests by intention.", "intent"),
    _counter("intent_actions_total", "Requests that led to an action, by intention.", "intent"),
    _counter("intents_unknown_total", "Answers that named an intention outside the enum.", "agent_name"),
    _counter("feedback_total", "Judgements of users.", "rating", known={"rating": ("-1", "0", "1")}),
    # protections
    _gauge(
        "circuit_breaker_state", "0 closed, 1 half open, 2 open.", "key", merge="livemax", otel="batuta.breaker.state"
    ),
    _counter("circuit_breaker_opened_total", "Times a breaker opened.", "key"),
    _counter(
        "limiter_throttled_total",
        "Calls that a limiter delayed or refused.",
        "key",
        "outcome",
        known={"outcome": ("delayed", "refused")},
    ),
    _gauge("limiter_tokens", "Tokens left in a limiter's bucket.", "key", merge="livemin"),
    _counter("budget_refusals_total", "Model calls that did not fit a budget.", "scope"),
    # the road itself
    _counter("events_total", "Events emitted.", "type", known={"type": tuple(ROUTES)}),
    _gauge("event_channel_depth", "Events that wait for a subscriber.", "subscriber"),
    _gauge("event_channel_dropped", "Transient events a subscriber did not get.", "subscriber"),
    _gauge("event_channel_missed", "Events emitted while a subscriber was disconnected.", "subscriber"),
    _gauge("event_channel_failures", "Events a subscriber raised on.", "subscriber"),
    _counter("span_exports_total", "Spans handed to a collector; failed ones are lost.", "status", known=_OUTCOMES),
    _counter("metric_exports_total", "Exports of metrics over OTLP.", "status", known=_OUTCOMES),
    _gauge("log_to_database_lag_seconds", "Age of the oldest event that is not projected.", merge="livemax"),
    _gauge("storage_used_bytes", "Bytes that conversations occupy.", merge="livemax"),
    _gauge("storage_capacity_bytes", "Bytes that conversations may occupy.", merge="livemax"),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _TABLE}
"""The table by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenAiHistogram:
    """A histogram of the conventions: its unit, and the buckets they ask for."""

    unit: str
    buckets: tuple[float, ...]


_OPERATION_SECONDS = tuple(0.01 * 2**power for power in range(14))
_AGENT_SECONDS = tuple(0.1 * 2**power for power in range(13))
_WORKFLOW_SECONDS = (1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0, 3_600.0, 7_200.0)
_USED_TOKENS = tuple(float(4**power) for power in range(14))
_CALLS = (0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0)
"""Ours: the conventions name none for calls."""

GEN_AI_METRICS = {
    "gen_ai.client.token.usage": GenAiHistogram(unit="{token}", buckets=_USED_TOKENS),
    "gen_ai.client.operation.duration": GenAiHistogram(unit="s", buckets=_OPERATION_SECONDS),
    "gen_ai.client.operation.time_to_first_chunk": GenAiHistogram(unit="s", buckets=_OPERATION_SECONDS),
    "gen_ai.client.operation.time_per_output_chunk": GenAiHistogram(unit="s", buckets=_OPERATION_SECONDS),
    "gen_ai.execute_tool.duration": GenAiHistogram(unit="s", buckets=_OPERATION_SECONDS),
    "gen_ai.invoke_agent.duration": GenAiHistogram(unit="s", buckets=_AGENT_SECONDS),
    "gen_ai.invoke_agent.inference_calls": GenAiHistogram(unit="{call}", buckets=_CALLS),
    "gen_ai.invoke_agent.tool_calls": GenAiHistogram(unit="{call}", buckets=_CALLS),
    "gen_ai.workflow.duration": GenAiHistogram(unit="s", buckets=_WORKFLOW_SECONDS),
}
"""Histograms that only OpenTelemetry has, by the names of its GenAI conventions."""


def series_of(metric: Metric) -> tuple[str, ...]:
    """The names under which Prometheus knows a metric."""
    if metric.kind is MetricKind.HISTOGRAM:
        return tuple(f"{metric.name}_{suffix}" for suffix in ("bucket", "sum", "count"))
    return (metric.name,)


def series_at_zero(metric: Metric, seen: tuple[str, ...] | None = None) -> Iterator[tuple[str, ...]]:
    """The values of labels under which a metric is there before it moves.

    Without anything seen, those that are known beforehand, if all of them are. Beside a series that was seen, those
    that differ from it only in what is known: an agent that succeeded may fail, and was there at zero before it did.
    """
    if not metric.known or (seen is None and set(metric.known) != set(metric.labels)):
        return iter(())
    given = dict(zip(metric.labels, seen, strict=True)) if seen is not None else {}
    return product(*(metric.known.get(label) or (given[label],) for label in metric.labels))
