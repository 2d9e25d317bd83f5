"""The platform is watched without anybody asking for it: metrics, traces and logs of real processes (T-20 … T-25)."""

import asyncio
import contextlib
import json
import re
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiohttp import web
from typer.testing import CliRunner

from batuta.cli.app import app
from batuta.eventstore.journal import events_of_turn
from batuta.kernel.errors import ProviderUnavailableError
from batuta.kernel.ids import trace_id_for
from batuta.kernel.messages import Answer, ToolCallBlock
from batuta.kernel.outgoing import outgoing_headers
from batuta.llm.factory import client
from batuta.llm.model import ModelRequest
from batuta.observability.audit_counts import audit
from batuta.observability.runs import assemble
from batuta.orchestration import Orchestrator, Specialist
from batuta.server.config import Settings
from batuta.server.meta.service import Health
from batuta.server.wiring import open_worker
from batuta.simulator import Simulator
from batuta.steps.agent import AgentStep
from batuta.tools import ToolRegistry
from batuta.tools.builtin.http import http_tool
from batuta.tools.mcp import McpConnection
from batuta.tools.mcp_tools import McpServer
from batuta.tools.tool import tool
from tests.integration.observability.test_prometheus import RULES, complaints, eventually
from tests.support.otlp import Received, attributes, grpc_receiver, http_receiver
from tests.support.platform import Person, RuleModel, Running, Stage, has_ended, running, settings_for
from tests.support.prometheus import PrometheusServer

MCP_SERVER = Path(__file__).parents[1] / "observability/tracing_mcp_server.py"
TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{CALLER}-01"


@pytest.fixture
async def apart(platform_url: str, redis_url: str, tmp_path: Path) -> AsyncIterator[tuple[Running, str]]:
    """A web process that runs no turns, and a worker with a port of its own for metrics."""
    options = {"database_url": platform_url, "redis_url": redis_url, "worker_concurrency": 0}
    stop, stage = asyncio.Event(), Stage()
    stage.gate.set()
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(running(settings_for(tmp_path, **options)))
        process = await stack.enter_async_context(open_worker(settings_for(tmp_path, **options), stage.team()))
        working = asyncio.create_task(process.run(stop))
        assert process.probes_url is not None
        yield site, f"{process.probes_url}/metrics"
        stop.set()
        await working


async def metrics_of(site: Running) -> str:
    return (await site.stranger().http.get("/metrics")).text


async def shown(site: Running, line: str) -> str:
    """The metrics, once they hold a line."""
    async with asyncio.timeout(60):
        while line not in (text := await metrics_of(site)):
            await asyncio.sleep(0.05)
    return text


async def test_prometheus_scrapes_the_platform_and_its_worker(apart: tuple[Running, str]) -> None:
    """T-23: who knows what: the web process its clients, the worker its runs; both accepted by promtool."""
    site, worker_url = apart
    ana = await site.person()
    await ana.tab()
    for number in range(3):
        await ana.ask(await ana.session(), f"hello {number}")
    web_place, worker_place = (
        url.removeprefix("http://").removesuffix("/metrics") for url in (site.address, worker_url)
    )
    server = PrometheusServer([web_place, worker_place], RULES)
    server.start()
    try:

        def value(expression: str) -> Callable[[], str | None]:
            return lambda: next((str(each["value"][1]) for each in server.query(expression)), None)

        async def found(expression: str) -> str:
            return str(await asyncio.to_thread(eventually, value(expression)))

        by_worker = f'instance="{worker_place}"'
        assert await found(f'turns_total{{status="success",{by_worker}}}') == "3"
        assert await found(f'llm_requests_total{{llm_provider="rules",status="success",{by_worker}}}') == "3"
        assert await found(f'connected_clients{{transport="socket",instance="{web_place}"}}') == "1"
        assert await found(f"turn_queue_depth{{{by_worker}}}") == "0"
        assert float(await found(f"log_to_database_lag_seconds{{{by_worker}}}")) >= 0
        assert float(await found(f'storage_used_bytes{{instance="{web_place}"}}')) > 100_000
        assert await found("min(trace_completion_rate)") == "1"
        assert await asyncio.to_thread(eventually, lambda: all(rule["health"] == "ok" for rule in server.rules()))
    finally:
        server.discard()
    assert complaints((await metrics_of(site)).encode()) == []


async def test_turns_that_wait_for_a_worker_are_counted(platform_url: str, tmp_path: Path) -> None:
    """Nobody runs turns here: they wait, and the queue's depth says so."""
    async with running(settings_for(tmp_path, database_url=platform_url, worker_concurrency=0)) as site:
        ana = await site.person()
        for _ in range(2):
            await ana.say(await ana.session(), "hello")
        await shown(site, "turn_queue_depth 2.0")


async def test_what_models_may_still_be_asked_is_shown(tmp_path: Path) -> None:
    """T-23: by our own limit, if there is one, and by what their providers said last."""
    settings = settings_for(tmp_path, model_calls_per_second=0.001, model_calls_burst=4)
    async with Simulator({"answers": ["Hello."]}) as simulator:
        model = client("openai:gpt-5", api_key="key", base_url=f"{simulator.url}/v1")
        step = AgentStep(name="caller", model=model, instructions="", output=str)
        team = Orchestrator(supervisor=RuleModel(lambda request: "{}"), agents=[Specialist(step, name="Caller")])
        async with running(settings, team=team) as site:
            ana = await site.person()
            await ana.ask(await ana.session(), "hello", target_agent_id="caller")
            text = await shown(site, "limiter_tokens{")
            assert re.search(r'limiter_tokens{key="openai at [^"]+:gpt-5"} 3\.0', text)
            await shown(site, 'llm_tokens_remaining{llm_provider="openai"} 150000.0')
        await model.aclose()


class Failing(RuleModel):
    """Is away a number of times."""

    times = 1

    async def generate(self, request: ModelRequest) -> Answer:
        self.times -= 1
        if self.times >= 0:
            raise ProviderUnavailableError("the provider is away", status=503)
        return await super().generate(request)


@pytest.mark.parametrize(("attempts", "outcome"), [(1, "failed"), (2, "success")])
async def test_a_profile_says_how_often_a_model_is_asked_and_when_it_is_left_alone(
    tmp_path: Path, attempts: int, outcome: str
) -> None:
    """P-2: what an operator sets is what happens."""
    settings = settings_for(tmp_path, model_attempts=attempts, is_breaker_enabled=True, breaker_threshold=attempts)
    step = AgentStep(name="caller", model=Failing(lambda request: "fine"), instructions="", output=str)
    team = Orchestrator(supervisor=RuleModel(lambda request: "{}"), agents=[Specialist(step, name="Caller")])
    async with running(settings, team=team) as site:
        ana = await site.person()
        events = await ana.ask(await ana.session(), "hello", target_agent_id="caller")
        if outcome == "failed":
            await shown(site, 'circuit_breaker_state{key="rules:rule-1"}')
    assert [event["status"] for event in events if event["type"] == "complete"] == [outcome]


async def test_metrics_can_be_public_or_off(tmp_path: Path) -> None:
    from_outside = {"X-Forwarded-For": "203.0.113.9"}
    async with running(settings_for(tmp_path / "a", is_metrics_public=True)) as site:
        assert (await site.stranger().http.get("/metrics", headers=from_outside)).status_code == 200
    async with running(settings_for(tmp_path / "b", is_metrics_enabled=False)) as site:
        assert (await site.stranger().http.get("/metrics")).status_code == 404


async def test_a_port_that_is_taken_does_not_stop_a_worker(platform_url: str, tmp_path: Path) -> None:
    first = settings_for(tmp_path, database_url=platform_url)
    async with open_worker(first, Stage().team()) as one:
        assert one.probes_url is not None
        taken = int(one.probes_url.rpartition(":")[2])
        async with open_worker(
            settings_for(tmp_path, database_url=platform_url, metrics_port=taken), Stage().team()
        ) as two:
            assert two.probes_url is None


async def test_a_worker_says_whether_it_works(platform_url: str, redis_url: str, tmp_path: Path) -> None:
    """It lives, and what it depends on answers; under a foreign name it says nothing (DNS rebinding)."""
    settings = settings_for(tmp_path, database_url=platform_url, redis_url=redis_url)
    async with AsyncExitStack() as stack:
        process = await stack.enter_async_context(open_worker(settings, Stage().team()))
        probe = await stack.enter_async_context(httpx.AsyncClient(base_url=str(process.probes_url)))
        alive, ready = [await probe.get(path) for path in ("/healthz", "/readyz")]
        assert (alive.json(), ready.status_code) == ({"status": "ok"}, 200)
        assert {"database", "event log", "redis", "background work"} <= ready.json()["checks"].keys()
        for path in ("/healthz", "/readyz", "/metrics"):
            foreign = await probe.get(path, headers={"Host": "evil.test:9090"})
            assert (foreign.status_code, foreign.json()["code"]) == (400, "UNKNOWN_HOST")

        async def break_down() -> None:
            raise ValueError("a bug")

        await stack.enter_async_context(process.supervisor.running({"reader": break_down}))
        ready = await probe.get("/readyz")
        assert (ready.status_code, ready.json()["checks"]["background work"]) == (
            503,
            "begun again: reader (ValueError)",
        )


async def test_who_asks_for_readiness_at_once_is_given_one_answer(embedded: Running) -> None:
    """It is public: a flood of questions must not become one of the database."""
    asked = 0

    async def look() -> None:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0.05)

    backends = embedded.platform.backends
    health = Health(backends.database, backends.log, more={"look": look})
    found = await asyncio.gather(*(health.ask() for _ in range(50)))
    assert ({each.is_ready for each in found}, asked) == ({True}, 1)
    await health.ask()
    assert asked == 2


async def test_judgements_and_stops_are_counted_though_no_run_tells_them(embedded: Running) -> None:
    ana = await embedded.person()
    session = await ana.session()
    embedded.stage.gate.set()
    events = await ana.ask(session, "hello")
    message = next(event["message_id"] for event in events if event["type"] == "message")
    await ana.http.post(f"/api/sessions/{session}/feedback", json={"message_id": message, "rating": -1})
    await shown(embedded, 'feedback_total{rating="-1"} 1.0')
    turn = await ana.say(session, "book Monday")
    await ana.pending()
    await ana.until(session, lambda events: events[-1]["type"] == "complete" and events[-1]["status"] == "paused")
    await asyncio.sleep(0.5)  # the queue learns of the pause after the log
    await ana.http.post(f"/api/sessions/{session}/stop")
    await ana.until(session, lambda events: has_ended(events, turn["turn_id"]))
    await shown(embedded, 'turns_total{status="cancelled"} 1.0')


async def booked(ana: Person, session: str) -> str:
    """A turn that paused for an approval and went on; its id."""
    turn = await ana.say(session, "book Monday")
    approval = (await ana.pending())["approval_id"]
    await ana.http.post(f"/api/approvals/{approval}", json={"decision": "approve"})
    await ana.until(session, lambda events: has_ended(events, turn["turn_id"]))
    return str(turn["turn_id"])


async def test_what_a_resumed_turn_repeats_is_counted_once(site: Running) -> None:
    """A turn that goes on tells its past again; money that was spent once must not be counted twice."""
    site.stage.gate.set()
    ana = await site.person()
    await booked(ana, await ana.session())
    text = await shown(site, 'turns_total{status="success"} 1.0')
    assert 'llm_requests_total{llm_provider="rules",model="rule-1",status="success"} 3.0' in text
    assert 'tool_calls_total{status="success",tool_name="book"} 1.0' in text
    assert 'agent_executions_total{agent_name="clerk",status="success"} 1.0' in text


@pytest.fixture(params=["http/protobuf", "grpc"])
def collector(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A real OTLP receiver that the standard variables name."""
    with (http_receiver if request.param == "http/protobuf" else grpc_receiver)() as received:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", received.endpoint)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", request.param)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_INSECURE", "true")
        yield received


async def test_the_spans_of_a_turn_that_paused_arrive_once_and_as_its_log_has_them(
    settings: Settings, collector: Received
) -> None:
    async with running(settings) as site:
        site.stage.gate.set()
        ana = await site.person()
        session = await ana.session()
        turn_id = await booked(ana, session)
        events = await events_of_turn(site.platform.backends.log, session, turn_id)
    arrived = [span for span in collector.spans if attributes(span).get("gen_ai.conversation.id") == session]
    assert sorted(span.span_id.hex() for span in arrived) == sorted(span.id for span in assemble(events))
    audit(events, provider_calls=3, exported_spans=len(arrived)).assert_complete()
    [[root, _]] = collector.tree()
    assert root == "invoke_workflow turn"


async def test_metrics_arrive_over_otlp_by_the_names_of_the_conventions(tmp_path: Path, collector: Received) -> None:
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        await ana.ask(await ana.session(), "hello")
    [point] = collector.metrics["gen_ai.client.operation.duration"].histogram.data_points
    assert point.count == 1
    said = attributes(point)
    assert (said["gen_ai.operation.name"], said["gen_ai.provider.name"]) == ("chat", "rules")
    assert said["gen_ai.request.model"] == "rule-1"
    assert {"batuta.step.executions", "gen_ai.invoke_agent.duration", "gen_ai.workflow.duration"} <= set(
        collector.metrics
    )
    assert {resource["service.name"] for resource in collector.resources} == {"batuta"}


@pytest.fixture
async def echo() -> AsyncIterator[str]:
    """A page that answers with the headers it gets."""

    async def answer(request: web.Request) -> web.Response:
        return web.json_response(dict(request.headers))

    application = web.Application()
    application.router.add_get("/", answer)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    await runner.cleanup()


def asking(tool: str, **args: Any) -> RuleModel:
    """A model that asks for one tool and then repeats what it brought."""

    def answer(request: ModelRequest) -> str | ToolCallBlock:
        results = request.tool_results
        return results[-1].content if results else ToolCallBlock(id=f"call_{tool}", name=tool, args=args)

    return RuleModel(answer)


def traceparent_in(text: str) -> str:
    [found] = re.findall(r"\b00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}\b", text)
    return str(found)


async def test_a_trace_goes_from_the_callers_request_to_providers_tools_and_mcp_servers(
    settings: Settings, collector: Received, echo: str
) -> None:
    """T-22: HTTP, the queue, the worker, and out again: one trace, and everybody knows whose child it is."""
    place = echo.removeprefix("http://").rstrip("/")
    fetch = http_tool([place], allows_plain_http=True, allowed_networks=["127.0.0.0/8"])
    registry = ToolRegistry()
    mcp = McpServer(name="tests", command=[sys.executable, str(MCP_SERVER)], trusts_annotations=True)
    async with Simulator({"answers": ["All good."]}) as simulator, McpConnection(mcp, registry):
        model = client("openai:gpt-5", api_key="key", base_url=f"{simulator.url}/v1")
        whence = registry.view(["tests__whence"])["tests__whence"]
        steps = [
            AgentStep(name="caller", model=model, instructions="", output=str),
            AgentStep(name="fetcher", model=asking(fetch.name, url=echo), tools=[fetch], instructions="", output=str),
            AgentStep(name="asker", model=asking(whence.name), tools=[whence], instructions="", output=str),
        ]
        team = Orchestrator(
            supervisor=RuleModel(lambda request: "{}"), agents=[Specialist(step, name=step.name) for step in steps]
        )
        answers: dict[str, str] = {}
        async with running(settings, team=team) as site:
            ana = await site.person()
            ana.http.headers["traceparent"] = TRACEPARENT
            session = await ana.session()
            for step in steps:
                events = await ana.ask(session, "go", target_agent_id=step.name)
                answers[step.name] = next(e["content"] for e in reversed(events) if e["type"] == "message")
        await model.aclose()
        [request] = simulator.requests
    sent = {name.lower(): value for name, value in request.headers.items()}["traceparent"]
    spans = {span.span_id.hex(): span for span in collector.spans}
    assert {span.trace_id.hex() for span in collector.spans} == {TRACE}
    roots = [span for span in spans.values() if span.parent_span_id.hex() not in spans]
    assert [(span.name, span.parent_span_id.hex()) for span in roots] == [("invoke_workflow turn", CALLER)] * 3
    for told, name in (
        (sent, "chat gpt-5"),
        (traceparent_in(answers["fetcher"]), f"execute_tool {fetch.name}"),
        (traceparent_in(answers["asker"]), f"execute_tool {whence.name}"),
    ):
        version, trace, span_id, flags = told.split("-")
        assert (version, trace, flags) == ("00", TRACE, "01")
        assert spans[span_id].name == name


async def test_an_approved_tool_still_names_its_span_after_the_turn_moved(
    settings: Settings, collector: Received
) -> None:
    """The worker that goes on did not hear of the tool's beginning: it was told."""
    carried: list[dict[str, str]] = []
    async with running(settings, team=_noting(carried)) as site:
        ana = await site.person()
        await booked(ana, await ana.session())
    [header] = carried
    [tool] = collector.named("execute_tool book")
    assert header["traceparent"].split("-")[2] == tool.span_id.hex()


def _noting(carried: list[dict[str, str]]) -> Orchestrator:
    @tool(effect="write", approval="always")
    async def book(day: str) -> str:
        """Book a day."""
        carried.append(outgoing_headers())
        return day

    step = AgentStep(name="clerk", model=asking("book", day="Monday"), tools=[book], instructions="", output=str)
    plan = json.dumps({"steps": [{"agent_id": "clerk", "task": "book", "depends_on": []}]})
    return Orchestrator(supervisor=RuleModel(lambda request: plan), agents=[Specialist(step, name="Clerk")])


async def test_a_caller_that_does_not_record_is_not_exported_and_says_so_to_others(
    tmp_path: Path, collector: Received
) -> None:
    carried: list[dict[str, str]] = []
    async with running(settings_for(tmp_path), team=_noting(carried)) as site:
        ana = await site.person()
        ana.http.headers["traceparent"] = TRACEPARENT.removesuffix("01") + "00"
        await booked(ana, await ana.session())
    assert collector.spans == []
    assert carried[0]["traceparent"].startswith(f"00-{TRACE}-")
    assert carried[0]["traceparent"].endswith("-00")


async def test_without_a_traceparent_the_trace_follows_from_the_correlation_id(embedded: Running) -> None:
    ana = await embedded.person()
    session = await ana.session()
    ana.http.headers["X-Correlation-ID"] = "ticket-7"
    events = await ana.ask(session, "hello")
    stored = await events_of_turn(embedded.platform.backends.log, session, events[-1]["turn_id"])
    assert {event.correlation_id for event in stored if event.type != "title_changed"} == {"ticket-7"}
    assert {event.trace_id for event in stored if event.type != "title_changed"} == {trace_id_for("ticket-7")}


async def test_a_message_sent_again_in_another_trace_is_the_same_message(site: Running) -> None:
    ana = await site.person()
    session = await ana.session()
    body = {"client_message_id": "m-1", "text": "hello"}
    answers = [
        (
            await ana.http.post(
                f"/api/sessions/{session}/messages", json=body, headers={"X-Correlation-ID": f"try-{number}"}
            )
        ).json()
        for number in range(2)
    ]
    assert answers[0]["turn_id"] == answers[1]["turn_id"]


@pytest.fixture
async def recorded(tmp_path: Path) -> dict[str, str]:
    """A turn that the platform recorded: its ids."""
    async with running(settings_for(tmp_path)) as site:
        site.stage.gate.set()
        ana = await site.person()
        ana.http.headers["X-Correlation-ID"] = "ticket-9"
        session = await ana.session()
        turn_id = await booked(ana, session)
        text = await shown(site, 'turns_total{status="success"} 1.0')
        assert 'llm_requests_total{llm_provider="rules",model="rule-1",status="success"} 3.0' in text
    return {"session": session, "turn": turn_id, "trace": f"trc_{trace_id_for('ticket-9')}"}


def batuta(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})
    return done.exit_code, done.output


@pytest.mark.parametrize("named_by", ["session", "turn", "trace"])
async def test_the_audit_command_counts_a_run_of_the_platform(
    tmp_path: Path, recorded: dict[str, str], named_by: str
) -> None:
    """Issue: events = spans = provider calls, for any recorded run."""
    place = ("--data-dir", str(tmp_path))
    words = ("audit", "counts", recorded[named_by], *place)
    code, text = await asyncio.to_thread(batuta, *words, "--provider-calls", "3")
    assert code == 0, text
    assert "each begun and ended once" in text
    code, text = await asyncio.to_thread(batuta, *words, "--provider-calls", "4")
    assert code == 1
    assert "4 counted elsewhere" in text
    code, text = await asyncio.to_thread(batuta, *words, "--json", "--exported-spans", "1")
    assert code == 1
    assert json.loads(text)["exported_spans"] == 1


async def test_the_audit_command_refuses_a_log_that_somebody_changed(tmp_path: Path, recorded: dict[str, str]) -> None:
    """A call that was taken out with its answer leaves counts that add up; the chain does not."""
    with contextlib.closing(sqlite3.connect(tmp_path / "batuta.db")) as database, database:
        database.execute("DROP TRIGGER message_events_are_never_deleted")
        for kind in ("llm.request", "llm.response"):
            database.execute(
                "DELETE FROM message_events WHERE seq = (SELECT min(seq) FROM message_events WHERE type = ?)", (kind,)
            )
    words = ("audit", "counts", recorded["turn"], "--data-dir", str(tmp_path))
    code, text = await asyncio.to_thread(batuta, *words)
    assert code == 1
    assert "records are missing" in text
    code, text = await asyncio.to_thread(batuta, *words, "--json")
    assert code == 1
    told = json.loads(text)
    assert told["is_complete"] is False
    assert "records are missing" in told["problems"][0]
    assert {count["begun"] for count in told["counts"] if count["what"] == "tries"} == {2}


async def test_replay_shows_a_run_of_the_platform_in_every_form(tmp_path: Path, recorded: dict[str, str]) -> None:
    """T-25: durations, tokens, cost, errors, retries; and the same figures as the web timeline."""
    place = ("--data-dir", str(tmp_path))
    code, tree = await asyncio.to_thread(batuta, "replay", recorded["trace"], *place)
    assert code == 0, tree
    assert "✓ invoke_workflow turn" in tree
    assert "✓ execute_tool book" in tree
    assert "3 model calls · 1 tool calls · 45 tokens" in tree
    code, table = await asyncio.to_thread(batuta, "replay", recorded["turn"], "-f", "table", *place)
    assert code == 0
    assert "approval_requested" in table
    code, text = await asyncio.to_thread(batuta, "replay", recorded["turn"], "-f", "json", *place)
    summary = json.loads(text)["summary"]
    async with running(settings_for(tmp_path)) as site:
        shown_to_web = await _web_timeline(site, recorded)
    assert shown_to_web["total_events"] == summary["total_events"]
    assert shown_to_web["agents"] == summary["agents_executed"] == ["supervisor", "clerk"]
    assert shown_to_web["usage"] == summary["usage"]
    assert (shown_to_web["errors"], shown_to_web["retries"]) == (summary["errors"], summary["retries"])


async def _web_timeline(site: Running, recorded: dict[str, str]) -> dict[str, Any]:
    timeline = await site.platform.sessions.timeline(recorded["session"], recorded["turn"])
    assert [entry.type for entry in timeline.entries][-1] == "complete"
    found: dict[str, Any] = timeline.summary.model_dump()
    return found
