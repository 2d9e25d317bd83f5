"""The Grafana dashboard, as a table over the metrics; `deploy/grafana/dashboard.json` is generated from it."""

import json
from dataclasses import dataclass
from typing import Any, Literal

PanelKind = Literal["timeseries", "stat", "bargauge", "table"]

WIDTH = 24
HEIGHT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One picture: queries by their legend."""

    title: str
    queries: dict[str, str]
    kind: PanelKind = "timeseries"
    unit: str = "short"
    width: int = 6


def _rate(metric: str, *by: str, window: str = "5m") -> str:
    grouped = f" by ({', '.join(by)})" if by else ""
    return f"sum{grouped} (rate({metric}[{window}]))"


def _increase(metric: str, *by: str) -> str:
    grouped = f" by ({', '.join(by)})" if by else ""
    return f"sum{grouped} (increase({metric}[$__range]))"


def _quantiles(metric: str, *quantiles: float, by: str = "le") -> dict[str, str]:
    return {
        f"p{quantile * 100:g}": f"histogram_quantile({quantile}, sum by ({by}) (rate({metric}_bucket[5m])))"
        for quantile in quantiles
    }


_HEALTH = (
    Panel(title="Requests per minute", queries={"requests": "60 * batuta:requests:rate5m"}, unit="reqpm"),
    Panel(title="Error rate", queries={"errors": "batuta:request_errors:ratio5m"}, unit="percentunit"),
    Panel(
        title="Latency",
        queries={f"p{percent}": f"batuta:request_duration_seconds:p{percent}" for percent in (50, 90, 99)},
        unit="s",
    ),
    Panel(
        title="Circuit breakers",
        queries={"{{key}}": "max by (key) (circuit_breaker_state)"},
        kind="stat",
    ),
    Panel(
        title="Breaker openings per hour",
        queries={"{{key}}": "sum by (key) (increase(circuit_breaker_opened_total[1h]))"},
    ),
    Panel(
        title="Step latency p99",
        queries={
            "{{step}}": "histogram_quantile(0.99, sum by (le, step) (rate(step_duration_ms_bucket[5m])))",
        },
        unit="ms",
    ),
    Panel(
        title="Limiters",
        queries={
            "{{key}} {{outcome}}": _rate("limiter_throttled_total", "key", "outcome"),
            "{{key}} tokens": "min by (key) (limiter_tokens)",
        },
    ),
    Panel(title="Errors by type", queries={"{{error_type}}": _rate("agent_errors_total", "error_type")}),
)

_COST = (
    Panel(title="Tokens, last day", queries={"tokens": "batuta:tokens:1d"}, kind="stat"),
    Panel(title="Cost, last day", queries={"cost": "batuta:cost_usd:1d"}, kind="stat", unit="currencyUSD"),
    Panel(
        title="Cost per request",
        queries={"cost": "sum(rate(llm_cost_usd_total[5m])) / batuta:requests:rate5m"},
        kind="stat",
        unit="currencyUSD",
    ),
    Panel(
        title="Top 10 users, last day",
        queries={"{{user}}": "topk(10, sum by (user) (increase(user_cost_usd_total[1d])))"},
        kind="bargauge",
        unit="currencyUSD",
    ),
    Panel(
        title="Cost per user and day",
        queries={
            "mean": "avg(sum by (user) (increase(user_cost_usd_total[1d])) > 0)",
            "highest": "max(sum by (user) (increase(user_cost_usd_total[1d])))",
        },
        unit="currencyUSD",
    ),
    Panel(
        title="Tokens per request",
        queries={
            "mean": "sum(rate(request_tokens_sum[5m])) / sum(rate(request_tokens_count[5m]))",
            **_quantiles("request_tokens", 0.95),
        },
    ),
    Panel(title="Cost by model", queries={"{{model}}": _rate("llm_cost_usd_total", "model")}, unit="currencyUSD"),
    Panel(title="Tokens left of quotas", queries={"{{llm_provider}}": "min by (llm_provider) (llm_tokens_remaining)"}),
    Panel(title="Refused by budgets", queries={"{{scope}}": _rate("budget_refusals_total", "scope")}),
)

_INTENTS = (
    Panel(
        title="Intentions", queries={"{{intent}}": f"topk(5, {_increase('intents_total', 'intent')})"}, kind="bargauge"
    ),
    Panel(
        title="Intention to action",
        queries={
            "{{intent}}": "sum by (intent) (rate(intent_actions_total[15m])) / "
            "sum by (intent) (rate(intents_total[15m]))"
        },
        unit="percentunit",
    ),
    Panel(
        title="Outside the enum",
        queries={"{{agent_name}}": _increase("intents_unknown_total", "agent_name")},
        kind="stat",
    ),
)

_TOOLS = (
    Panel(
        title="Most used",
        queries={"{{tool_name}}": f"topk(10, {_increase('tool_calls_total', 'tool_name')})"},
        kind="bargauge",
    ),
    Panel(
        title="Success rate",
        queries={
            "{{tool_name}}": 'sum by (tool_name) (rate(tool_calls_total{status="success"}[15m])) / '
            "sum by (tool_name) (rate(tool_calls_total[15m]))"
        },
        unit="percentunit",
    ),
    Panel(title="Duration p95", queries=_quantiles("tool_duration_seconds", 0.95), unit="s"),
    Panel(title="Refusals", queries={"{{tool_name}}": _rate("tool_refusals_total", "tool_name")}),
)

_REJECTED = "sum by (agent_name) (rate(validation_failures_total[15m]))"

_QUALITY = (
    Panel(title="Cognitive retries", queries={"retries": "batuta:cognitive_retries:ratio15m"}, unit="percentunit"),
    Panel(
        title="Validation failure rate",
        # Of the answers that were judged: those that were rejected, and the one that each success ended with.
        queries={
            "{{agent_name}}": f"{_REJECTED} / ({_REJECTED} + sum by (agent_name) "
            '(rate(agent_executions_total{status="success"}[15m])))'
        },
        unit="percentunit",
    ),
    Panel(title="Tool success", queries={"success": "1 - batuta:tool_failures:ratio15m"}, unit="percentunit"),
    Panel(title="Feedback", queries={"{{rating}}": _increase("feedback_total", "rating")}, kind="bargauge"),
    Panel(
        title="Rejected answers",
        queries={"{{agent_name}} {{kind}}": _rate("validation_failures_total", "agent_name", "kind")},
    ),
    Panel(title="Confidence", queries={"{{agent_name}}": "avg by (agent_name) (agent_confidence)"}, unit="percentunit"),
    Panel(
        title="Fallbacks",
        queries={
            "{{primary_agent}} → {{fallback_agent}}": _rate("agent_fallbacks_total", "primary_agent", "fallback_agent")
        },
    ),
    Panel(title="Retries by reason", queries={"{{retry_reason}}": _rate("agent_retries_total", "retry_reason")}),
    Panel(title="Step retries", queries={"{{step}}": _rate("step_retries_total", "step")}),
)

_THROUGHPUT = (
    Panel(title="Turns", queries={"{{status}}": _rate("turns_total", "status")}),
    Panel(title="Turn duration p95", queries=_quantiles("turn_duration_seconds", 0.95), unit="s"),
    Panel(
        title="Pipelines",
        queries={"{{pipeline}} {{status}}": _rate("pipeline_executions_total", "pipeline", "status")},
    ),
    Panel(
        title="Pipeline duration p95",
        queries={
            "{{pipeline}}": "histogram_quantile(0.95, sum by (le, pipeline) "
            "(rate(pipeline_duration_seconds_bucket[5m])))"
        },
        unit="s",
    ),
    Panel(
        title="Pipeline tokens p95",
        queries={"{{pipeline}}": "histogram_quantile(0.95, sum by (le, pipeline) (rate(pipeline_tokens_bucket[5m])))"},
    ),
    Panel(
        title="Agent executions",
        queries={"{{agent_name}} {{status}}": _rate("agent_executions_total", "agent_name", "status")},
    ),
    Panel(title="Agent duration p95", queries=_quantiles("agent_execution_duration_seconds", 0.95), unit="s"),
    Panel(title="Model calls", queries={"{{model}} {{status}}": _rate("llm_requests_total", "model", "status")}),
    Panel(title="Model latency", queries=_quantiles("llm_request_duration_seconds", 0.5, 0.95), unit="s"),
    Panel(
        title="Steps",
        queries={"{{status}}": _rate("step_executions_total", "status"), "at work": "sum(active_steps_count)"},
    ),
    Panel(title="Cost of a model call", queries=_quantiles("step_cost_usd", 0.5, 0.95), unit="currencyUSD"),
    Panel(title="Turns that wait", queries={"turns": "max(turn_queue_depth)"}, kind="stat"),
    Panel(title="Connected clients", queries={"{{transport}}": "sum by (transport) (connected_clients)"}),
    Panel(title="Log to database", queries={"lag": "max(log_to_database_lag_seconds)"}, unit="s", kind="stat"),
)

_EVENTS = (
    Panel(
        title="Events told",
        queries={"all": "sum(event_emit_rate)", "{{type}}": f"topk(5, {_rate('events_total', 'type')})"},
    ),
    Panel(
        title="Loss",
        queries={"loss": "max(event_loss_rate)", "complete traces": "min(trace_completion_rate)"},
        unit="percentunit",
    ),
    Panel(title="Emission p95", queries={"p95": "max(event_latency_p95)"}, unit="s"),
    Panel(
        title="Channel",
        queries={
            "{{subscriber}} waits": "sum by (subscriber) (event_channel_depth)",
            "{{subscriber}} dropped": "sum by (subscriber) (event_channel_dropped)",
            "{{subscriber}} missed": "sum by (subscriber) (event_channel_missed)",
            "{{subscriber}} failed": "sum by (subscriber) (event_channel_failures)",
        },
    ),
    Panel(
        title="Exports to collectors",
        queries={
            "spans {{status}}": _rate("span_exports_total", "status"),
            "metrics {{status}}": _rate("metric_exports_total", "status"),
        },
    ),
    Panel(
        title="Storage",
        queries={"used": "max(storage_used_bytes)", "capacity": "max(storage_capacity_bytes)"},
        unit="bytes",
    ),
)

ROWS: dict[str, tuple[Panel, ...]] = {
    "Health": _HEALTH,
    "Costs": _COST,
    "Intents": _INTENTS,
    "Tools": _TOOLS,
    "Quality": _QUALITY,
    "Throughput": _THROUGHPUT,
    "Events": _EVENTS,
}
"""The dashboard, row by row."""


def dashboard() -> dict[str, Any]:
    """The dashboard as Grafana imports it; it asks for the Prometheus to read."""
    panels: list[dict[str, Any]] = []
    top = 0
    for title, row in ROWS.items():
        panels.append(_row(len(panels) + 1, title, top))
        top += 1
        left = 0
        for panel in row:
            if left + panel.width > WIDTH:
                left, top = 0, top + HEIGHT
            panels.append(_panel(len(panels) + 1, panel, left, top))
            left += panel.width
        top += HEIGHT
    return {
        "title": "Batuta",
        "uid": "batuta",
        "tags": ["batuta", "agents"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-24h", "to": "now"},
        "templating": {
            "list": [{"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Prometheus"}]
        },
        "panels": panels,
    }


def dashboard_text() -> str:
    """The same as a file."""
    return json.dumps(dashboard(), indent=2, ensure_ascii=False) + "\n"


def _row(number: int, title: str, top: int) -> dict[str, Any]:
    return {
        "id": number,
        "type": "row",
        "title": title,
        "collapsed": False,
        "gridPos": {"h": 1, "w": WIDTH, "x": 0, "y": top},
        "panels": [],
    }


def _panel(number: int, panel: Panel, left: int, top: int) -> dict[str, Any]:
    source = {"type": "prometheus", "uid": "${datasource}"}
    return {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "datasource": source,
        "gridPos": {"h": HEIGHT, "w": panel.width, "x": left, "y": top},
        "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []},
        "targets": [
            {"refId": chr(ord("A") + index), "datasource": source, "expr": expr, "legendFormat": legend}
            for index, (legend, expr) in enumerate(panel.queries.items())
        ],
    }
