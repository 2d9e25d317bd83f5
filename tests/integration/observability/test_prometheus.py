"""A real Prometheus scrapes a running process; promtool accepts metrics and rules; every alert fires (T-23, T-27)."""

import json
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

from batuta.kernel.errors import ConfigurationError
from batuta.observability.channel import EventChannel
from batuta.observability.metric_table import METRICS
from batuta.observability.metrics import PrometheusMetrics
from batuta.observability.standard import Watchers, watching
from examples.appointments import book
from tests.support.otlp import http_receiver
from tests.support.prometheus import PrometheusServer, promtool
from tests.support.workplace import free_port
from tools.alerts import RECORDINGS, alerts, rules_text

ROOT = Path(__file__).parents[3]
RULES = ROOT / "deploy/prometheus/rules.yml"


def eventually(holds: Callable[[], Any], seconds: float = 60.0) -> Any:
    """What a condition gives once it holds."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.05)
    return found


async def measured() -> PrometheusMetrics:
    """Metrics after one appointment."""
    with EventChannel() as channel:
        metrics = PrometheusMetrics(channel=channel)
        channel.attach(metrics, name="metrics")
        await book(channel)
        channel.drain()
        metrics.refresh()
    return metrics


async def test_prometheus_scrapes_a_process_and_knows_our_rules() -> None:
    metrics = await measured()
    with metrics.serve(0) as port:
        server = PrometheusServer([f"127.0.0.1:{port}"], RULES)
        server.start()
        try:
            found = eventually(lambda: server.query('agent_executions_total{agent_name="parsing_agent"}'))
            assert {each["metric"]["status"]: each["value"][1] for each in found} == {"failed": "1", "success": "0"}
            [count] = server.query("agent_execution_duration_seconds_count{agent_name='geo_agent'}")
            assert count["value"][1] == "1"
            assert eventually(lambda: all(rule["health"] == "ok" for rule in server.rules()))
            assert {rule["name"] for rule in server.rules()} >= {alert.name for alert in alerts()}
        finally:
            server.discard()


async def test_promtool_accepts_the_metrics() -> None:
    assert complaints((await measured()).text()) == []


def complaints(text: bytes) -> list[str]:
    """What promtool has against some metrics, beyond two names that the contract spells against its taste."""
    checked = promtool("check", "metrics", text=text)
    assert checked.returncode in (0, 3), checked.stderr  # 3: it read everything, and lints
    said = (checked.stderr + checked.stdout).decode().splitlines()
    return [line for line in said if not line.startswith(("active_steps_count ", "step_duration_ms"))]


def test_promtool_accepts_the_rules() -> None:
    checked = promtool("check", "rules", str(RULES))
    assert checked.returncode == 0, checked.stderr
    assert f"{len(RECORDINGS) + len(alerts())} rules found".encode() in checked.stdout


# What must be seen for each alert to fire: series and their values, one a minute, and the minute it fires at.
FIRES: dict[str, tuple[dict[str, str], str]] = {
    "BatutaErrorRateCritical": (
        {
            'requests_total{kind="pipeline",status="failed"}': "0+10x60",
            'requests_total{kind="pipeline",status="success"}': "0+90x60",
        },
        "20m",
    ),
    "BatutaCircuitBreakerOpen": ({'circuit_breaker_state{key="openai"}': "0 2x20"}, "5m"),
    "BatutaLatencyCritical": (
        {
            'request_duration_seconds_bucket{kind="turn",le="30"}': "0+10x30",
            'request_duration_seconds_bucket{kind="turn",le="60"}': "0+100x30",
            'request_duration_seconds_bucket{kind="turn",le="+Inf"}': "0+100x30",
        },
        "10m",
    ),
    "BatutaDailyCostExceeded": ({'llm_cost_usd_total{llm_provider="a",model="m"}': "0+1x600"}, "500m"),
    "BatutaErrorRateElevated": (
        {
            'requests_total{kind="turn",status="failed"}': "0+3x60",
            'requests_total{kind="turn",status="success"}': "0+97x60",
        },
        "40m",
    ),
    "BatutaCognitiveRetriesHigh": (
        {
            'validation_failures_total{agent_name="a",kind="semantic"}': "0+6x60",
            'agent_executions_total{agent_name="a",status="success"}': "0+10x60",
        },
        "30m",
    ),
    "BatutaToolFailuresHigh": (
        {
            'tool_calls_total{tool_name="t",status="failure"}': "0+2x60",
            'tool_calls_total{tool_name="t",status="success"}': "0+8x60",
        },
        "30m",
    ),
    "BatutaStorageAlmostFull": ({"storage_used_bytes": "95x20", "storage_capacity_bytes": "100x20"}, "10m"),
    "BatutaSpansLost": ({'span_exports_total{status="failure"}': "0x10 512x5"}, "12m"),
    "BatutaMetricExportsFail": ({'metric_exports_total{status="failure"}': "0+1x60"}, "30m"),
    "BatutaTrafficPeak": ({'requests_total{kind="turn",status="success"}': "0+1x120 120+1000x20"}, "130m"),
    "BatutaDailyTokensExceeded": (
        {'step_tokens_total{pipeline="p",step="s",direction="input"}': "0+100000x600"},
        "500m",
    ),
    "BatutaUnknownIntent": ({'intents_unknown_total{agent_name="router"}': "_x10 1x5"}, "12m"),
}
"""By alert: the series, and when."""

QUIET: dict[str, dict[str, str]] = {
    "BatutaErrorRateCritical": {
        'requests_total{kind="pipeline",status="failed"}': "0+4x60",
        'requests_total{kind="pipeline",status="success"}': "0+96x60",
    },
    "BatutaCircuitBreakerOpen": {'circuit_breaker_state{key="openai"}': "1x20"},
    "BatutaStorageAlmostFull": {"storage_used_bytes": "95x20", "storage_capacity_bytes": "0x20"},
    "BatutaSpansLost": {'span_exports_total{status="success"}': "0+512x60"},
    "BatutaMetricExportsFail": {'metric_exports_total{status="failure"}': "0x20 1x40"},
    "BatutaUnknownIntent": {'intents_unknown_total{agent_name="router"}': "1x40"},
}
"""Close, but not yet: nothing may fire."""


def test_every_alert_has_a_scenario() -> None:
    assert set(FIRES) == {alert.name for alert in alerts()}


@pytest.mark.parametrize("name", FIRES)
def test_an_alert_fires(name: str, tmp_path: Path) -> None:
    series, minute = FIRES[name]
    assert _firing(name, series, minute, tmp_path), f"{name} does not fire"


@pytest.mark.parametrize("name", QUIET)
def test_an_alert_stays_quiet(name: str, tmp_path: Path) -> None:
    _, minute = FIRES[name]
    assert not _firing(name, QUIET[name], "30m" if name == "BatutaUnknownIntent" else minute, tmp_path)


LASTS: dict[str, tuple[str, str]] = {
    "BatutaErrorRateCritical": ("5m", "6m"),
    "BatutaCircuitBreakerOpen": ("2m", "3m"),
    "BatutaErrorRateElevated": ("15m", "16m"),
    "BatutaCognitiveRetriesHigh": ("5m", "6m"),
    "BatutaToolFailuresHigh": ("5m", "6m"),
    "BatutaStorageAlmostFull": ("4m", "5m"),
    "BatutaMetricExportsFail": ("10m", "11m"),
}
"""By alert that has to last: the last minute at which it is pending, and the first at which it fires."""


def test_every_alert_that_has_to_last_is_timed() -> None:
    assert set(LASTS) == {alert.name for alert in alerts() if alert.lasts != "0m"}


@pytest.mark.parametrize("name", LASTS)
def test_an_alert_waits_as_long_as_it_says(name: str, tmp_path: Path) -> None:
    series, _ = FIRES[name]
    pending, firing = LASTS[name]
    states = {minute: _state(name, series, minute, tmp_path) for minute in ("0m", pending, firing)}
    assert states[pending] == "pending"
    assert states[firing] == "firing"
    assert states["0m"] != "firing"


def _state(name: str, series: dict[str, str], minute: str, directory: Path) -> str:
    """Whether the alert is pending or firing at that minute, or nothing of it is heard."""
    (directory / "rules.yml").write_text(rules_text())
    for state in ("pending", "firing"):
        expr = f'count(ALERTS{{alertname="{name}", alertstate="{state}"}})'
        expected = {"expr": expr, "eval_time": minute, "exp_samples": [{"labels": "{}", "value": 1}]}
        inputs = [{"series": series_, "values": values} for series_, values in series.items()]
        test = {
            "rule_files": ["rules.yml"],
            "evaluation_interval": "1m",
            "group_eval_order": ["batuta-recordings", "batuta-alerts"],  # else by chance
            "tests": [{"interval": "1m", "input_series": inputs, "promql_expr_test": [expected]}],
        }
        (directory / "test.yml").write_text(json.dumps(test))
        checked = promtool("test", "rules", str(directory / "test.yml"))
        if checked.returncode == 0:
            return state
        assert b"exp:" in checked.stdout + checked.stderr, checked.stderr
    return "quiet"


def _firing(name: str, series: dict[str, str], minute: str, directory: Path) -> bool:
    """Whether promtool sees the alert firing at that minute: it does not agree that nothing fires."""
    (directory / "rules.yml").write_text(rules_text())
    test = {
        "rule_files": ["rules.yml"],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [{"series": series_, "values": values} for series_, values in series.items()],
                "alert_rule_test": [{"eval_time": minute, "alertname": name, "exp_alerts": []}],
            }
        ],
    }
    (directory / "test.yml").write_text(json.dumps(test))
    checked = promtool("test", "rules", str(directory / "test.yml"))
    said = (checked.stdout + checked.stderr).decode()
    assert checked.returncode == 0 or f'alertname="{name}"' in said, said
    return checked.returncode != 0


def test_the_daily_cost_can_be_set() -> None:
    assert "batuta:cost_usd:1d > 50" in rules_text(daily_cost_usd=50)


@contextmanager
def served(app: Any) -> Iterator[str]:
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", ws="none", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    eventually(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{port}/metrics"
    finally:
        server.should_exit = True
        thread.join(5)


async def test_an_asgi_server_answers_metrics() -> None:
    metrics = await measured()
    with served(metrics.app()) as url:
        with urllib.request.urlopen(url, timeout=60) as response:
            assert response.headers["Content-Type"].startswith("text/plain")
            body = response.read().decode()
        with pytest.raises(urllib.error.HTTPError, match="405"):
            urllib.request.urlopen(urllib.request.Request(url, method="POST"), timeout=60)
    assert 'agent_fallbacks_total{fallback_agent="regex_parsing_agent",primary_agent="parsing_agent"} 1.0' in body
    assert "event_loss_rate 0.0" in body
    assert "trace_completion_rate 1.0" in body
    assert 'event_channel_depth{subscriber="metrics"} 0.0' in body


def test_a_gauge_that_no_event_tells_can_be_set() -> None:
    metrics = PrometheusMetrics()
    metrics.set("turn_queue_depth", 3)
    metrics.set("llm_tokens_remaining", 1000, llm_provider="openai")
    assert "turn_queue_depth 3.0" in metrics.text().decode()
    assert 'llm_tokens_remaining{llm_provider="openai"} 1000.0' in metrics.text().decode()
    for name, labels in [("nothing", {}), ("turns_total", {}), ("llm_tokens_remaining", {"model": "x"})]:
        with pytest.raises(ConfigurationError, match=name):
            metrics.set(name, 1, **labels)


WORKER = """
import asyncio, sys
from batuta.observability.channel import EventChannel
from batuta.observability.metrics import PrometheusMetrics
from batuta.observability.standard import Watchers, watching
from examples.appointments import book
metrics = PrometheusMetrics()
with EventChannel() as channel:
    channel.attach(metrics, name="metrics")
    asyncio.run(book(channel))
metrics.set("turn_queue_depth", 5)
print("ready", flush=True)
sys.stdin.readline()
"""

READER = """
from batuta.observability.metrics import PrometheusMetrics, forget_process
import sys
for pid in sys.argv[1:]:
    forget_process(int(pid))
print(PrometheusMetrics().text().decode())
"""


def test_several_processes_count_together(tmp_path: Path) -> None:
    """T-23: counts of all processes are added up, those of dead ones included; a gauge of a dead one is forgotten."""
    environment = shared_by(tmp_path)
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    together = _read(environment)
    for worker in workers:
        worker.communicate("\n", timeout=60)
    afterwards = _read(environment, *(str(worker.pid) for worker in workers))
    for text in (together, afterwards):
        assert 'agent_executions_total{agent_name="geo_agent",status="success"} 3.0' in text
        assert 'llm_request_duration_seconds_count{llm_provider="scripted"} 21.0' in text
    assert "turn_queue_depth 5.0" in together, "the deepest, not the sum: all look at one queue"
    assert "turn_queue_depth 5.0" not in afterwards
    assert complaints(together.encode()) == []


def shared_by(tmp_path: Path) -> dict[str, str]:
    return {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PATH": "/usr/bin"}


@contextmanager
def worker(environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A process that has counted and waits; it is killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate(timeout=60)


COUNTED = 'agent_executions_total{agent_name="geo_agent",status="success"} 1.0'
QUEUED = "turn_queue_depth 5.0"


def test_the_gauges_of_a_killed_process_go_with_it(tmp_path: Path) -> None:
    """Nobody has to say which one: whoever starts or is asked finds out. Counts stay."""
    environment = shared_by(tmp_path)
    with worker(environment):
        assert QUEUED in _read(environment)
    afterwards = _read(environment)
    assert QUEUED not in afterwards
    assert COUNTED in afterwards


def test_a_process_that_took_over_the_id_is_another_one(tmp_path: Path) -> None:
    environment = shared_by(tmp_path)
    with worker(environment) as alive:
        note = tmp_path / f"process_{alive.pid}.json"
        noted = json.loads(note.read_text())
        note.write_text(json.dumps({**noted, "began": "1"}))
        assert QUEUED not in _read(environment), "who wrote it began at another time than who has its id now"


def test_processes_of_other_machines_are_left_alone(tmp_path: Path) -> None:
    environment = shared_by(tmp_path)
    with worker(environment) as process:
        note = tmp_path / f"process_{process.pid}.json"
        noted = json.loads(note.read_text())
        note.write_text(json.dumps({**noted, "machine": "elsewhere"}))
    assert QUEUED in _read(environment), "its id says nothing here"
    note.unlink()
    assert QUEUED in _read(environment), "nor does a file that nobody signed"


def _read(environment: dict[str, str], *dead: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", READER, *dead], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


async def test_metrics_have_the_labels_and_buckets_of_the_table() -> None:
    families = {family.name: family for family in (await measured()).registry.collect()}
    for name, metric in METRICS.items():
        family = families[name.removesuffix("_total")]
        assert family.documentation == metric.help
        for sample in family.samples:
            assert set(sample.labels) - {"le"} == set(metric.labels)
        bounds = [float(sample.labels["le"]) for sample in family.samples if sample.name.endswith("_bucket")]
        if bounds:
            assert bounds[: len(metric.buckets)] == list(metric.buckets)


@pytest.mark.parametrize(("answer", "status"), [(200, "success"), (400, "failure")])
async def test_what_a_collector_takes_and_what_is_lost_is_counted(answer: int, status: str) -> None:
    """Spans by their number, metrics by their exports, up to the last ones when everything is closed."""
    with http_receiver(status=answer) as received:
        wanted = Watchers(spans="otlp", meters="otlp", otlp_endpoint=received.endpoint, has_logs=False)
        with watching(wanted) as found:
            await book(found.sink)
        assert found.metrics is not None
        assert found.spans is not None
    told = found.spans.exported + found.spans.failed
    assert told > 10
    assert found.metrics.registry.get_sample_value("span_exports_total", {"status": status}) == told
    assert found.metrics.registry.get_sample_value("metric_exports_total", {"status": status}) == 1


async def test_an_exporter_of_metrics_that_raises_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ConnectionError("nobody there")

    monkeypatch.setattr(OTLPMetricExporter, "export", refuse)
    with watching(Watchers(meters="otlp", otlp_endpoint="http://127.0.0.1:9", has_logs=False)) as found:
        await book(found.sink)
    assert found.metrics is not None
    assert found.metrics.registry.get_sample_value("metric_exports_total", {"status": "failure"}) == 1
