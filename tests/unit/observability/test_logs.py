"""Logs: one redacted line per event, with the scope of the run, by service, for people or machines (T-24)."""

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from batuta import Pipeline, step
from batuta.observability.logs import LOGGED, LogSink, configure_logs, service_of
from batuta.observability.redaction import Redactor
from batuta.tools.context import ToolUser
from examples.appointments import REQUEST, book
from tests.unit.observability.told import Story


class Log:
    """What was logged, line by line."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def log() -> Iterator[Log]:
    kept = Log()
    level, handlers = logging.getLogger().level, list(logging.getLogger().handlers)
    yield kept
    logging.getLogger().handlers[:] = handlers
    logging.getLogger().setLevel(level)
    structlog.reset_defaults()


async def test_each_telemetry_event_is_one_line(log: Log) -> None:
    configure_logs(stream=log.stream)
    await book(LogSink())
    told = [line["event"] for line in log.lines]
    assert told[0] == "agent_pipeline_started"
    assert told[-1] == "agent_pipeline_completed"
    assert told.count("agent_execution_started") == 5
    assert told.count("agent_execution_completed") == 4
    assert told.count("agent_execution_failed") == 1
    assert told.count("agent_retry_attempted") == 4 + 4, "each when it begins and when it is over"
    assert told.count("agent_fallback_triggered") == 1
    assert told.count("agent_decision_recorded") == 5


async def test_a_line_has_the_facts_of_the_contract(log: Log) -> None:
    configure_logs(stream=log.stream)
    await book(LogSink())
    [temporal] = [
        line
        for line in log.lines
        if line["event"] == "agent_execution_completed" and line["agent_name"] == "temporal_agent"
    ]
    assert temporal["level"] == "info"
    assert temporal["logger"] == "batuta.agents"
    assert temporal["confidence"] == 1.0
    assert temporal["retry_count"] == 1
    assert temporal["trace_id"]
    assert temporal["timestamp"].endswith("Z")
    [failed] = [line for line in log.lines if line["event"] == "agent_execution_failed"]
    assert failed["level"] == "error"
    assert failed["error_type"] == "ProviderUnavailableError"
    assert "503" in failed["error_message"]
    assert "Traceback" in failed["stack_trace"]


async def test_what_was_said_is_not_logged(log: Log) -> None:
    configure_logs(stream=log.stream, level="DEBUG")
    await book(LogSink())
    assert REQUEST not in log.text
    assert "Pérez" not in log.text
    assert f"[{len(REQUEST)} characters]" in log.text


async def test_the_scope_of_a_run_is_bound_to_every_logger(log: Log) -> None:
    """Ours, structlog's and the standard library's alike."""

    @step
    async def talk(text: str) -> str:
        logging.getLogger("someone.elses").warning("plain %s", "words")
        structlog.get_logger("batuta.tools").warning("structured", n=1)
        return text

    configure_logs(stream=log.stream)
    session = "01A1DD71-619D-7ACA-AC09-5C62D00049DC"
    await Pipeline("main", Pipeline("inner", talk)).run(
        "x", correlation_id="req-1", session_id=session, user=ToolUser(id="user-7")
    )
    plain, structured = log.lines
    assert plain["event"] == "plain words"
    assert structured["n"] == 1
    for line in (plain, structured):
        assert line["correlation_id"] == "req-1"
        assert len(line["trace_id"]) == 32
        assert line["pipeline"] == "inner"
        assert line["step"] == "talk"
        assert line["path"] == "main/inner/talk"
        assert line["session_id"] == session
        assert line["user_id"] == "user-7"


def test_outside_of_a_run_there_is_no_scope(log: Log) -> None:
    configure_logs(stream=log.stream)
    structlog.get_logger("batuta.server").info("started")
    assert set(log.lines[0]) == {"event", "level", "logger", "timestamp"}


def _fail_twice() -> None:
    try:
        int("route")
    except ValueError as error:
        raise RuntimeError("password=hunter2") from error


def test_errors_tell_type_message_stack_and_cause(log: Log) -> None:
    configure_logs(stream=log.stream)
    try:
        _fail_twice()
    except RuntimeError:
        structlog.get_logger("batuta.llm").exception("call.failed")
    [line] = log.lines
    assert line["exception_type"] == "RuntimeError"
    assert line["cause"] == "ValueError: invalid literal for int() with base 10 [of 47 characters]"
    assert "Traceback" in line["exception"]
    assert "hunter2" not in log.text


def test_an_error_may_be_handed_over_without_being_raised(log: Log) -> None:
    configure_logs(stream=log.stream)
    logging.getLogger("batuta.x").error("bad", exc_info=KeyError("k"))
    assert log.lines[0]["exception_type"] == "KeyError"
    logging.getLogger("batuta.x").error("nothing", exc_info=True)
    assert "exception_type" not in log.lines[1]


@pytest.mark.parametrize("from_environment", [True, False])
def test_services_can_be_chosen(log: Log, monkeypatch: pytest.MonkeyPatch, *, from_environment: bool) -> None:
    if from_environment:
        monkeypatch.setenv("LOG_SERVICES", "llm, agents")
    configure_logs(stream=log.stream, services=None if from_environment else ["llm", "agents"])
    for name in ("batuta.llm.client", "batuta.tools", "batuta.agents", "aiohttp.access"):
        logging.getLogger(name).info("heard")
        logging.getLogger(name).warning("trouble")
    heard = [line["logger"] for line in log.lines if line["event"] == "heard"]
    assert heard == ["batuta.llm.client", "batuta.agents"]
    assert sum(line["event"] == "trouble" for line in log.lines) == 4, "trouble is always heard"


@pytest.mark.parametrize(
    ("logger", "service"), [("batuta.llm.client", "llm"), ("batuta", "batuta"), ("aiohttp.access", "aiohttp")]
)
def test_a_logger_belongs_to_a_service(logger: str, service: str) -> None:
    assert service_of(logger) == service


def test_people_get_a_pretty_line(log: Log) -> None:
    configure_logs(stream=log.stream, is_pretty=True)
    structlog.get_logger("batuta.llm").warning("call.failed", api_key="abc", attempt=2)
    assert "call.failed" in log.text
    assert "attempt" in log.text
    assert "abc" not in log.text
    assert not log.text.startswith("{")


def test_declared_fields_are_hidden(log: Log) -> None:
    configure_logs(stream=log.stream, redactor=Redactor({"badge"}))
    structlog.get_logger("batuta.llm").info("seen", badge=1234, n=5)
    assert log.lines[0]["badge"] == "[redacted]"
    assert log.lines[0]["n"] == 5


DECLARED = """
import asyncio
import sys
import structlog
from batuta import AgentStep
from batuta.observability.logs import configure_logs
from batuta.observability.runs import RunAssembler
from batuta.observability.span_facts import attributes_of
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall
from batuta.tools import tool

configure_logs(stream=sys.stdout, is_pretty=False)
structlog.get_logger("batuta.llm").info("paid", Salary=987654, facts={"iban": "of Ana"}, n=5)

@tool(effect="read")
async def pay(salary: int, who: str, api_key: str) -> str:
    \'\'\'Pay.\'\'\'
    return "paid"

call = ToolCall("pay", {"salary": 987654, "who": "Ana", "api_key": "k-987654"})
model = ScriptedModel([Reply(tool_calls=[call]), Reply("done")])
sink = CapturingSink()
asyncio.run(AgentStep(name="bank", model=model, instructions="", output=str, tools=[pay]).run("go", sink=sink))
assembler = RunAssembler()
for event in sink.events:
    for span in assembler.feed(event):
        print(attributes_of(span, has_content=True).get("gen_ai.tool.call.arguments", ""))
"""


def test_fields_declared_in_the_environment_are_hidden_in_logs_and_in_spans_with_contents() -> None:
    environment = {**os.environ, "LOG_REDACT": "salary, IBAN"}
    ran = subprocess.run(
        [sys.executable, "-c", DECLARED], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert '"n": 5' in ran.stdout
    assert '"who": "Ana"' in ran.stdout, "the contents are there"
    assert "987654" not in ran.stdout
    assert "of Ana" not in ran.stdout


def test_configuring_again_replaces_what_was(log: Log) -> None:
    configure_logs(stream=log.stream)
    configure_logs(stream=log.stream)
    structlog.get_logger("batuta.llm").info("once")
    assert len(log.lines) == 1


def test_steps_are_told_only_to_those_who_debug(log: Log) -> None:
    sink = LogSink()
    story = Story().step("a").done("a").failed("b")
    for level, told in (("INFO", ["step_failed"]), ("DEBUG", ["step_started", "step_completed", "step_failed"])):
        log.stream.truncate(0)
        log.stream.seek(0)
        configure_logs(stream=log.stream, level=level)
        for event in story.events:
            sink.emit(event)
        assert [line["event"] for line in log.lines] == told


def test_the_eight_telemetry_events_and_the_breaker_are_told() -> None:
    from_contract = {name for name in LOGGED if name.startswith("agent.")}
    assert len(from_contract) == 8
    assert {"breaker.changed", "limiter.throttled"} <= set(LOGGED)
