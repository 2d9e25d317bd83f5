"""The table says what the contract says; rules, dashboard and measurements use nothing else (T-23, T-27)."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from batuta.events import ROUTES, ToolResponse
from batuta.observability.measures import RULES
from batuta.observability.metric_table import GEN_AI_METRICS, METRICS, MetricKind, series_of
from batuta.observability.metrics import PrometheusMetrics
from tools.alerts import RECORDINGS, alerts, rules_text
from tools.dashboard import ROWS, dashboard

CONTRACT: dict[str, tuple[str, tuple[str, ...], tuple[float, ...]]] = {
    "agent_executions_total": ("counter", ("agent_name", "status"), ()),
    "agent_errors_total": ("counter", ("agent_name", "error_type", "error_category"), ()),
    "agent_retries_total": ("counter", ("agent_name", "retry_reason"), ()),
    "agent_fallbacks_total": ("counter", ("primary_agent", "fallback_agent"), ()),
    "agent_execution_duration_seconds": ("histogram", ("agent_name",), (0.1, 0.5, 1, 2, 5, 10, 30, 60)),
    "llm_request_duration_seconds": ("histogram", ("llm_provider",), (0.5, 1, 2, 5, 10, 20, 30)),
    "agent_confidence": ("gauge", ("agent_name",), ()),
    "llm_tokens_remaining": ("gauge", ("llm_provider",), ()),
}


@pytest.mark.parametrize("name", CONTRACT)
def test_a_metric_of_the_contract_is_as_the_contract_says(name: str) -> None:
    metric = METRICS[name]
    assert (metric.kind.value, metric.labels, metric.buckets) == CONTRACT[name]


def test_the_other_names_of_the_specification_are_there() -> None:
    named = """step_executions_total step_tokens_total step_retries_total step_duration_ms step_cost_usd
    active_steps_count circuit_breaker_state event_emit_rate event_loss_rate trace_completion_rate event_latency_p95
    limiter_tokens event_channel_depth event_channel_dropped turn_duration_seconds turn_queue_depth
    log_to_database_lag_seconds"""
    assert set(named.split()) <= set(METRICS)


def test_steps_have_names_over_otlp() -> None:
    otel = {metric.otel for metric in METRICS.values() if metric.otel}
    assert {f"batuta.step.{what}" for what in ("duration", "tokens", "cost", "retries", "executions")} <= otel


def test_gen_ai_metrics_have_the_names_of_the_conventions() -> None:
    assert all(name.startswith("gen_ai.") for name in GEN_AI_METRICS)
    assert "gen_ai.client.token.usage" in GEN_AI_METRICS


def test_kinds_and_names_agree() -> None:
    for metric in METRICS.values():
        assert metric.name.endswith("_total") == (metric.kind is MetricKind.COUNTER), metric.name
        assert bool(metric.buckets) == (metric.kind is MetricKind.HISTOGRAM), metric.name
        assert list(metric.buckets) == sorted(metric.buckets)


def names_in(expression: str) -> set[str]:
    """The series an expression reads: what is left without strings, labels in braces, ranges and functions."""
    selected = set(re.findall(r'__name__=~"([^"]+)"', expression))
    bare = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)', " ", expression)
    words = set(re.findall(r"[a-zA-Z_:][\w:]*(?!\w*\s*\()\b", bare)) - set(re.findall(r"(\w+)\s*\(", bare)) - _WORDS
    return words | {name for choice in selected for name in choice.split("|")}


_WORDS = {"and", "or", "unless", "offset", "m", "d", "h", "x"}


def known_series() -> set[str]:
    measured = {series for metric in METRICS.values() for series in series_of(metric)}
    return measured | {recording.name for recording in RECORDINGS}


def queries() -> Iterator[tuple[str, str]]:
    yield from ((recording.name, recording.expr) for recording in RECORDINGS)
    yield from ((alert.name, alert.expr) for alert in alerts())
    for row in ROWS.values():
        for panel in row:
            yield from ((panel.title, expression) for expression in panel.queries.values())


@pytest.mark.parametrize(("owner", "expression"), list(queries()))
def test_a_query_uses_only_names_of_the_table(owner: str, expression: str) -> None:
    used = {name for name in names_in(expression) if not re.fullmatch(r"\d+[mhd]", name)}
    assert used, f"{owner} reads nothing"
    assert used <= known_series(), f"{owner}: {used - known_series()}"


def test_every_metric_is_on_the_dashboard_or_behind_a_recording_of_it() -> None:
    used = {name for _, expression in queries() for name in names_in(expression)}
    unseen = [name for name, metric in METRICS.items() if not used & {name, *series_of(metric)}]
    assert unseen == []


def test_alerts_say_how_bad_and_what_to_do() -> None:
    by_severity: dict[str, int] = {}
    for alert in alerts():
        by_severity[alert.severity] = by_severity.get(alert.severity, 0) + 1
        assert alert.summary
        assert alert.action
    assert by_severity == {"critical": 4, "warning": 6, "info": 3}


def test_rules_are_written_the_same_every_time() -> None:
    assert rules_text() == rules_text()
    assert "severity: critical" in rules_text()


def test_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    panels: list[dict[str, Any]] = dashboard()["panels"]
    for panel in panels:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken, panel["title"]
        assert place["x"] + place["w"] <= 24
        taken |= cells
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert json.loads(json.dumps(dashboard())) == dashboard()


SHOWN: dict[str, dict[str, set[str]]] = {
    "Health": {
        "Requests per minute": {"batuta:requests:rate5m"},
        "Error rate": {"batuta:request_errors:ratio5m"},
        "Latency": {f"batuta:request_duration_seconds:p{percent}" for percent in (50, 90, 99)},
        "Circuit breakers": {"circuit_breaker_state"},
    },
    "Costs": {
        "Tokens, last day": {"batuta:tokens:1d"},
        "Cost, last day": {"batuta:cost_usd:1d"},
        "Cost per request": {"llm_cost_usd_total", "batuta:requests:rate5m"},
        "Top 10 users, last day": {"user_cost_usd_total"},
        "Cost per user and day": {"user_cost_usd_total"},
        "Tokens per request": {"request_tokens_sum", "request_tokens_count", "request_tokens_bucket"},
    },
    "Intents": {"Intentions": {"intents_total"}, "Intention to action": {"intent_actions_total", "intents_total"}},
    "Tools": {"Most used": {"tool_calls_total"}, "Success rate": {"tool_calls_total"}},
    "Quality": {
        "Cognitive retries": {"batuta:cognitive_retries:ratio15m"},
        "Validation failure rate": {"validation_failures_total", "agent_executions_total"},
        "Tool success": {"batuta:tool_failures:ratio15m"},
        "Feedback": {"feedback_total"},
    },
    "Throughput": {"Agent executions": {"agent_executions_total"}, "Model calls": {"llm_requests_total"}},
}
"""What the specification asks for (T-27): by row and panel, the series it reads."""


@pytest.mark.parametrize("row", SHOWN)
def test_the_dashboard_has_what_the_specification_asks_for(row: str) -> None:
    panels = {panel.title: panel for panel in ROWS[row]}
    for title, series in SHOWN[row].items():
        assert {name for query in panels[title].queries.values() for name in names_in(query)} == series, title


def test_nothing_of_a_row_stands_in_another() -> None:
    assert list(ROWS)[: len(SHOWN)] == list(SHOWN)
    titles = [panel.title for row in ROWS.values() for panel in row]
    assert sorted(set(titles)) == sorted(titles)


def test_every_rule_is_for_an_event_that_exists() -> None:

    assert set(RULES) <= set(ROUTES)


def values(metrics: PrometheusMetrics, name: str) -> dict[tuple[str, ...], float]:
    return {
        tuple(sample.labels.values()): sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.name == name
    }


def test_what_can_be_known_is_at_zero_before_anything_happens() -> None:
    """`rate()` sees nothing of a series that begins with its first event: the first failed turn would be invisible."""
    metrics = PrometheusMetrics()
    assert values(metrics, "turns_total") == {("success",): 0, ("cancelled",): 0, ("failed",): 0, ("paused",): 0}
    assert values(metrics, "turn_duration_seconds_count") == {("success",): 0, ("cancelled",): 0, ("failed",): 0}
    assert set(values(metrics, "requests_total")) == {
        (kind, status)
        for kind in ("turn", "pipeline")
        for status in ("success", "partial_success", "failed", "cancelled")
    }
    assert values(metrics, "feedback_total") == {("-1",): 0, ("0",): 0, ("1",): 0}
    assert values(metrics, "span_exports_total") == {("success",): 0, ("failure",): 0}
    assert values(metrics, "events_total") == {(event_type,): 0 for event_type in ROUTES}
    assert values(metrics, "tool_calls_total") == {}, "nobody knows which tools there will be"


def test_with_the_first_of_its_name_comes_what_else_may_happen_to_it() -> None:
    metrics = PrometheusMetrics()
    tool = {"tool_use_id": "t", "tool_name": "stock", "content": "7", "source_agent_id": "a", "duration_ms": 1.0}
    metrics.emit(ToolResponse(**tool, success=True))
    assert values(metrics, "tool_calls_total") == {("stock", "success"): 1, ("stock", "failure"): 0}
    metrics.emit(ToolResponse(**tool, success=False))
    assert values(metrics, "tool_calls_total") == {("stock", "success"): 1, ("stock", "failure"): 1}


def test_counters_behind_alerts_have_whatever_can_be_known_at_zero() -> None:
    """Every label of theirs whose values are ours to choose; the others are names that users choose."""
    chosen_by_users = {"pipeline", "step", "agent_name", "tool_name", "llm_provider", "model"}
    watched = {name for recording in RECORDINGS for name in names_in(recording.expr)}
    watched |= {name for alert in alerts() for name in names_in(alert.expr)}
    for metric in METRICS.values():
        if metric.kind is not MetricKind.GAUGE and watched & set(series_of(metric)):
            assert set(metric.labels) - chosen_by_users == set(metric.known), metric.name
