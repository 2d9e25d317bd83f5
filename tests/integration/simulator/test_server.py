"""The simulator as a server: what it saw, when clients left, and how it is steered from outside (F-46)."""

import asyncio
import contextlib
import json
import time
from pathlib import Path
from typing import Any

import aiohttp
import openai
import pytest

from batuta.simulator import PROVIDERS, Fault, Provider, ScenarioError, Simulator, serve
from tests.integration.simulator.clients import Clients

SLOW = {"answers": [{"text": "word " * 200, "pace": {"chunk_chars": 5, "delay_ms": 50}}]}
URLS: dict[Provider, str] = {
    "anthropic": "/v1/messages",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "google": "/v1beta/models/gemini-3-pro:generateContent",
}
HEADERS = {"authorization": "Bearer secret", "anthropic-version": "2023-06-01"}


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_client_that_leaves_a_stream_is_noticed_at_once(
    clients: Clients, simulator: Simulator, provider: Provider
) -> None:
    simulator.play(SLOW)
    asking = asyncio.ensure_future(clients.ask(provider, streaming=True)("Hi"))
    await simulator.wait_until(lambda: simulator.open_streams == 1)
    left_at = time.time()

    asking.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asking
    await simulator.wait_until(lambda: simulator.open_streams == 0)

    disconnected_at = simulator.requests[0].disconnected_at
    assert disconnected_at is not None
    assert disconnected_at >= left_at


async def test_a_client_that_leaves_during_a_stall_is_noticed(clients: Clients, simulator: Simulator) -> None:
    simulator.inject(Fault(kind="stalled_stream", seconds=60))
    asking = asyncio.ensure_future(clients.ask("openai_chat", streaming=True)("Hi"))
    await simulator.wait_until(lambda: simulator.requests and simulator.requests[0].events_sent == 3)

    asking.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asking
    await simulator.wait_until(lambda: simulator.open_streams == 0)

    assert simulator.requests[0].disconnected_at is not None


async def test_a_client_that_stays_is_not_reported_as_gone(clients: Clients, simulator: Simulator) -> None:
    await clients.ask("anthropic", streaming=True)("Hi")
    await simulator.wait_until(lambda: simulator.open_streams == 0)

    (seen,) = simulator.requests
    assert seen.disconnected_at is None
    assert seen.finished_at is not None
    assert seen.events_sent > 3


async def test_what_was_received_can_be_read_back_without_secrets(clients: Clients, simulator: Simulator) -> None:
    await clients.ask("openai_responses", streaming=False)("Hello there")

    (seen,) = simulator.requests
    assert (seen.provider, seen.path, seen.model, seen.status) == ("openai_responses", "/v1/responses", "gpt-5", 200)
    assert seen.body["input"] == "Hello there"
    assert seen.headers["authorization"] == "***"


async def test_unused_answers_are_reported(simulator: Simulator) -> None:
    simulator.play({"name": "long", "answers": ["one", "two"]})

    with pytest.raises(AssertionError, match=r"'long': 2 answer\(s\) were never asked for"):
        simulator.assert_finished()


async def test_waiting_for_what_never_comes_ends(simulator: Simulator) -> None:
    with pytest.raises(TimeoutError):
        await simulator.wait_until(lambda: simulator.open_streams, within=0.01)


async def test_many_requests_at_once_are_each_answered(clients: Clients, simulator: Simulator) -> None:
    ask = clients.ask("openai_chat", streaming=True)

    replies = await asyncio.gather(*(ask(f"Question {number}") for number in range(20)))

    assert [reply.text for reply in replies] == [f"You said: Question {number}" for number in range(20)]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_request_without_a_key_is_refused(simulator: Simulator, provider: Provider) -> None:
    async with aiohttp.ClientSession() as session, session.post(simulator.url + URLS[provider], json={}) as response:
        assert response.status == 401
        assert "No API key" in (await response.json())["error"]["message"]


async def test_anthropic_demands_its_version_header(simulator: Simulator) -> None:
    headers = {"x-api-key": "secret"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{simulator.url}/v1/messages", json={}) as response,
    ):
        assert response.status == 400
        assert "anthropic-version" in (await response.json())["error"]["message"]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("body", ["{", "[]", "", "\ud800".encode("utf-8", "surrogatepass")])
async def test_a_body_that_is_no_object_is_refused(simulator: Simulator, provider: Provider, body: Any) -> None:
    async with (
        aiohttp.ClientSession(headers=HEADERS) as session,
        session.post(simulator.url + URLS[provider], data=body) as response,
    ):
        assert response.status == 400
        assert "body" in (await response.json())["error"]["message"]


@pytest.mark.parametrize(
    "path",
    [
        "/v1beta/models/m:generateContent",
        "/v1/models/m:generateContent",
        "/v1beta1/publishers/google/models/m:generateContent",
    ],
)
async def test_google_is_found_under_each_of_its_prefixes(simulator: Simulator, path: str) -> None:
    body = {"contents": [{"parts": [{"text": "Hi"}]}]}
    async with aiohttp.ClientSession() as session, session.post(f"{simulator.url}{path}?key=k", json=body) as response:
        assert (await response.json())["modelVersion"] == "m"


async def admin(simulator: Simulator, method: str, path: str = "", **request: Any) -> tuple[int, Any]:
    async with (
        aiohttp.ClientSession(simulator.url) as session,
        session.request(method, f"/simulator{path}", **request) as response,
    ):
        text = await response.text()
        return response.status, json.loads(text) if text else None


async def test_a_scenario_is_set_over_http(clients: Clients, simulator: Simulator) -> None:
    status, _ = await admin(simulator, "PUT", "/scenario", data="name: remote\nanswers: [From afar.]")
    _, stored = await admin(simulator, "GET", "/scenario")

    assert (status, stored["name"]) == (200, "remote")
    assert (await clients.ask("google", streaming=False)("Hi")).text == "From afar."


@pytest.mark.parametrize("text", ["answers: [", "answers: 3", "nonsense: 1", '"text"'])
async def test_a_scenario_that_cannot_be_read_changes_nothing(simulator: Simulator, text: str) -> None:
    status, answer = await admin(simulator, "POST", "/scenario", data=text)
    _, state = await admin(simulator, "GET")

    assert (status, state["scenario"]) == (422, "echo")
    assert answer["error"]


async def test_a_fault_is_injected_over_http(clients: Clients, simulator: Simulator) -> None:
    good, _ = await admin(simulator, "POST", "/fault", json={"kind": "rate_limited"})
    bad, _ = await admin(simulator, "POST", "/fault", json={"kind": "gremlins"})

    assert (good, bad) == (200, 422)
    with pytest.raises(openai.RateLimitError):
        await clients.ask("openai_chat", streaming=False)("Hi")


async def test_requests_are_read_back_and_forgotten_over_http(clients: Clients, simulator: Simulator) -> None:
    await clients.ask("anthropic", streaming=False)("Hi")

    _, (seen,) = await admin(simulator, "GET", "/requests")
    await admin(simulator, "DELETE", "/requests")
    _, state = await admin(simulator, "GET")

    assert seen["body"]["messages"] == [{"role": "user", "content": "Hi"}]
    assert state["requests"] == 0


async def test_open_streams_and_connections_are_counted_over_http(clients: Clients, simulator: Simulator) -> None:
    simulator.play(SLOW)
    asking = asyncio.ensure_future(clients.ask("anthropic", streaming=True)("Hi"))
    await simulator.wait_until(lambda: simulator.open_streams == 1)

    _, state = await admin(simulator, "GET")
    asking.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asking

    assert (state["open_streams"], state["open_connections"]) == (1, 2)


async def test_stopping_does_not_wait_for_a_stalled_stream() -> None:
    async with Simulator(
        {"answers": [{"text": "x", "fault": {"kind": "stalled_stream", "seconds": 600}}]}
    ) as simulator:
        body = {"model": "gpt-5", "input": "Hi", "stream": True}
        async with (
            aiohttp.ClientSession(headers=HEADERS) as session,
            session.post(f"{simulator.url}/v1/responses", json=body) as response,
        ):
            await response.content.readline()
            async with asyncio.timeout(60):  # a tenth of what the stream is stalled for
                await simulator.stop()


async def test_serve_runs_a_scenario_file_until_cancelled(tmp_path: Path, unused_tcp_port: int) -> None:
    path = tmp_path / "hello.json"
    path.write_text(json.dumps({"answers": ["From a file."]}), encoding="utf-8")
    serving = asyncio.ensure_future(serve("127.0.0.1", unused_tcp_port, path))
    body = {"model": "gpt-5", "input": "Hi"}

    try:
        async with aiohttp.ClientSession(headers=HEADERS) as session:
            await _until_it_listens(session, f"http://127.0.0.1:{unused_tcp_port}/simulator")
            async with session.post(f"http://127.0.0.1:{unused_tcp_port}/v1/responses", json=body) as response:
                answer = await response.text()
    finally:
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving

    assert "From a file." in answer


async def _until_it_listens(session: aiohttp.ClientSession, url: str) -> None:
    async with asyncio.timeout(60):
        while True:
            with contextlib.suppress(aiohttp.ClientConnectionError):
                async with session.get(url):
                    return
            await asyncio.sleep(0.01)


async def test_serve_reports_a_scenario_it_cannot_read(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"nowhere\.yaml"):
        await serve(scenario_path=tmp_path / "nowhere.yaml")
