"""The alert rules, as a table over the metrics; `deploy/prometheus/rules.yml` is generated from it.

Every expression may use only names of the metric table and of the recordings here; a test walks them.
"""

import json
from dataclasses import dataclass
from typing import Literal, get_args

Severity = Literal["critical", "warning", "info"]

DAILY_COST_USD = 200.0
DAILY_TOKENS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A figure that Prometheus computes once for everybody."""

    name: str
    expr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A condition somebody should know of, and how long it must last."""

    name: str
    severity: Severity
    expr: str
    lasts: str = "0m"
    summary: str
    action: str


def _ratio(part: str, whole: str, window: str) -> str:
    return f"sum(rate({part}[{window}])) / sum(rate({whole}[{window}]))"


_ALL, _FAILED = "requests_total", 'requests_total{status="failed"}'

RECORDINGS = (
    Recording(name="batuta:requests:rate5m", expr=f"sum(rate({_ALL}[5m]))"),
    Recording(name="batuta:request_errors:ratio5m", expr=_ratio(_FAILED, _ALL, "5m")),
    Recording(name="batuta:request_errors:ratio15m", expr=_ratio(_FAILED, _ALL, "15m")),
    *(
        Recording(
            name=f"batuta:request_duration_seconds:p{percent}",
            expr=f"histogram_quantile(0.{percent}, sum by (le) (rate(request_duration_seconds_bucket[5m])))",
        )
        for percent in (50, 90, 99)
    ),
    Recording(name="batuta:cost_usd:1d", expr="sum(increase(llm_cost_usd_total[1d]))"),
    Recording(name="batuta:tokens:1d", expr="sum(increase(step_tokens_total[1d]))"),
    Recording(
        name="batuta:cognitive_retries:ratio15m",
        expr=_ratio("validation_failures_total", "agent_executions_total", "15m"),
    ),
    Recording(
        name="batuta:tool_failures:ratio15m",
        expr=_ratio('tool_calls_total{status="failure"}', "tool_calls_total", "15m"),
    ),
)


_ALERTS = (
    Alert(
        name="BatutaErrorRateCritical",
        severity="critical",
        expr="batuta:request_errors:ratio5m > 0.05",
        lasts="5m",
        summary="More than 5 % of requests fail",
        action="Look at agent_errors_total by error_type, then at the traces of failed requests.",
    ),
    Alert(
        name="BatutaCircuitBreakerOpen",
        severity="critical",
        expr="max by (key) (circuit_breaker_state) == 2",
        lasts="2m",
        summary="The circuit breaker of {{ $labels.key }} stays open",
        action="The other side does not recover: check the provider's status, or route to another model.",
    ),
    Alert(
        name="BatutaLatencyCritical",
        severity="critical",
        expr="batuta:request_duration_seconds:p99 > 30",
        summary="One request in a hundred takes more than 30 s",
        action="Compare llm_request_duration_seconds and tool_duration_seconds to see who is slow.",
    ),
    Alert(
        name="BatutaErrorRateElevated",
        severity="warning",
        expr="batuta:request_errors:ratio15m > 0.02",
        lasts="15m",
        summary="More than 2 % of requests fail",
        action="Look at agent_errors_total by error_type.",
    ),
    Alert(
        name="BatutaCognitiveRetriesHigh",
        severity="warning",
        expr="batuta:cognitive_retries:ratio15m > 0.5",
        lasts="5m",
        summary="Models must correct more than every second answer",
        action="Look at validation_failures_total by agent and kind; a prompt or a model changed.",
    ),
    Alert(
        name="BatutaToolFailuresHigh",
        severity="warning",
        expr="batuta:tool_failures:ratio15m > 0.1",
        lasts="5m",
        summary="More than 10 % of tool calls fail",
        action="Look at tool_calls_total by tool_name.",
    ),
    Alert(
        name="BatutaStorageAlmostFull",
        severity="warning",
        expr="max(storage_used_bytes) / (max(storage_capacity_bytes) > 0) > 0.9",
        lasts="5m",
        summary="Conversations fill more than 90 % of their storage",
        action="Archive old sessions, or add space.",
    ),
    Alert(
        name="BatutaSpansLost",
        severity="warning",
        expr='sum(increase(span_exports_total{status="failure"}[15m])) > 0',
        summary="A collector does not take spans: traces have gaps",
        action="Check the collector, and OTEL_EXPORTER_OTLP_ENDPOINT; the log has every run: batuta replay.",
    ),
    Alert(
        name="BatutaMetricExportsFail",
        severity="warning",
        expr='sum(increase(metric_exports_total{status="failure"}[5m])) > 0',
        lasts="10m",
        summary="A collector does not take metrics over OTLP",
        action="Check the collector, and OTEL_EXPORTER_OTLP_ENDPOINT; nothing is lost once it takes them again.",
    ),
    Alert(
        name="BatutaTrafficPeak",
        severity="info",
        expr="batuta:requests:rate5m > 3 * avg_over_time(batuta:requests:rate5m[1d]) and batuta:requests:rate5m > 0.1",
        summary="Three times as many requests as usual",
        action="Nothing, unless latency follows.",
    ),
    Alert(
        name="BatutaUnknownIntent",
        severity="info",
        # A counter begins at its first event: that one is seen by comparing with the past.
        expr="sum by (agent_name) (increase(intents_unknown_total[15m])) > 0 or "
        "sum by (agent_name) (intents_unknown_total unless intents_unknown_total offset 15m) > 0",
        summary="{{ $labels.agent_name }} was asked for something outside its intentions",
        action="Read the rejected attempts; a new intention may be worth adding.",
    ),
)


def alerts(*, daily_cost_usd: float = DAILY_COST_USD, daily_tokens: int = DAILY_TOKENS) -> tuple[Alert, ...]:
    """Every alert, the gravest first, with the limits that differ from house to house."""
    limits = (
        Alert(
            name="BatutaDailyCostExceeded",
            severity="critical",
            expr=f"batuta:cost_usd:1d > {daily_cost_usd:g}",
            summary=f"Models cost more than {daily_cost_usd:g} USD in a day",
            action="Look at user_cost_usd_total for who spends, and lower budgets.",
        ),
        Alert(
            name="BatutaDailyTokensExceeded",
            severity="info",
            expr=f"batuta:tokens:1d > {daily_tokens}",
            summary=f"Models used more than {daily_tokens} tokens in a day",
            action="Look at step_tokens_total by pipeline.",
        ),
    )
    gravity = get_args(Severity)
    return tuple(sorted((*_ALERTS, *limits), key=lambda alert: gravity.index(alert.severity)))


def rules_text(*, daily_cost_usd: float = DAILY_COST_USD, daily_tokens: int = DAILY_TOKENS) -> str:
    """The rules as Prometheus reads them."""
    lines = ["# Generated by `python -m tools.generate` from the metric table. Do not edit.", "groups:"]
    lines += ["  - name: batuta-recordings", "    rules:"]
    for recording in RECORDINGS:
        lines += [f"      - record: {recording.name}", f"        expr: {json.dumps(recording.expr)}"]
    lines += ["  - name: batuta-alerts", "    rules:"]
    for alert in alerts(daily_cost_usd=daily_cost_usd, daily_tokens=daily_tokens):
        lines += [
            f"      - alert: {alert.name}",
            f"        expr: {json.dumps(alert.expr)}",
            f"        for: {alert.lasts}",
            "        labels:",
            f"          severity: {alert.severity}",
            "        annotations:",
            f"          summary: {json.dumps(alert.summary)}",
            f"          action: {json.dumps(alert.action)}",
        ]
    return "\n".join(lines) + "\n"
