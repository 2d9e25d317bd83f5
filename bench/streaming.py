"""One agent, one streamed model call, over HTTP, sessions in SQLite: the platform beside Agno's AgentOS.

    python -m bench.streaming               the table; the peer's environment is made in .cache/bench-platform if absent
    python -m bench.streaming --ours        ours alone

One client sends one message after the other and reads the answer as it is streamed, to its end. Both servers are asked
in turn, in a new session each time, with the simulator as the provider of both; the figures are medians of the rounds.
The CPU is that of the server's process. Ours has stored every event of the turn when it says that the turn is complete;
Agno stores the session once, at the end.
"""

import argparse
import asyncio
import statistics
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import psutil

from batuta.kernel.ids import new_id
from batuta.llm.factory import model
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.simulator import Simulator
from batuta.steps.agent import AgentStep
from bench.peers import ROOT, peer_python
from bench.tables import verdict
from tests.support.fleet import PROCESSES, Fleet, Place
from tests.support.processes import Zygote, say
from tests.support.workplace import free_port

ROUNDS, WARM, MESSAGES = 8, 15, 20
AIM = 1.0
START_SECONDS = 60.0
ANSWER = " ".join(f"tok{number}" for number in range(20))
SCENARIO: dict[str, Any] = {
    "pace": {"chunk_chars": 6},
    "rules": [{"when": {"last_user": "."}, "answer": {"text": ANSWER}}],
}

Ask = Callable[[str, int], Awaitable[None]]
"""Sends the message of a number in a session and reads its answer to the end."""


class Cost(NamedTuple):
    """What one message costs, in milliseconds."""

    cpu: float
    latency: float


class Served(NamedTuple):
    """A server under measurement."""

    who: str
    pid: int
    begin: Callable[[], Awaitable[str]]
    """Begins a session and names it."""
    ask: Ask


def team(url: str) -> Orchestrator:
    """One agent; its supervisor is not asked, because messages name the agent."""
    at_simulator = model("openai:gpt-4o", api_key="any", base_url=f"{url}/v1")
    clerk = AgentStep(name="clerk", model=at_simulator, output=str, instructions="Be helpful.", is_streaming=True)
    return Orchestrator(supervisor=at_simulator, agents=[Specialist(clerk, name="Clerk")])


async def simulate() -> None:
    """The provider, in a process of its own."""
    async with Simulator(SCENARIO) as simulator:
        say(ready=True, url=simulator.url)
        await asyncio.Event().wait()


@asynccontextmanager
async def ours(zygote: Zygote, provider: str, folder: Path) -> AsyncIterator[Served]:
    """The embedded platform, and a client of it that takes the turn as server-sent events."""
    fleet = Fleet(
        zygote, Place(data_dir=folder), "bench.streaming:team", {"url": provider}, webs=1, workers=0, web_concurrency=8
    )
    async with fleet.running():
        (secret,) = await fleet.people(1)
        headers = {"Authorization": f"Bearer {secret}", "Accept": "text/event-stream"}
        async with aiohttp.ClientSession(fleet.addresses[0], headers=headers) as http:

            async def ask(session: str, number: int) -> None:
                body = {"client_message_id": f"m{number}", "text": f"hello {number}", "target_agent_id": "clerk"}
                url = f"/api/sessions/{session}/messages"
                async with http.post(url, json=body, raise_for_status=True) as answer:
                    told = await answer.read()
                if b'"complete"' not in told or b"tok19" not in told:
                    raise AssertionError(told[-400:])

            async def begin() -> str:
                async with http.post("/api/sessions", json={}, raise_for_status=True) as answer:
                    return str((await answer.json())["session_id"])

            yield Served("batuta", fleet.alive["web-0"].pid, begin, ask)


@asynccontextmanager
async def agno(provider: str, folder: Path) -> AsyncIterator[Served]:
    """Agno's AgentOS, and a client of it that takes the run as server-sent events."""
    port = free_port()
    command = [str(peer_python("platform")), "-m", "bench.streaming_peer", provider, str(folder), str(port)]
    server = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=subprocess.PIPE)
    assert server.stdout is not None
    try:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as http:
            who = (await server.stdout.readline()).decode().strip()
            await _reachable(http)

            async def ask(session: str, number: int) -> None:
                form = aiohttp.FormData({"message": f"hello {number}", "stream": "true", "session_id": session})
                async with http.post("/agents/clerk/runs", data=form, raise_for_status=True) as answer:
                    told = await answer.read()
                if b"RunCompleted" not in told or b"tok19" not in told:
                    raise AssertionError(told[-400:])

            async def begin() -> str:
                return new_id()

            yield Served(who, server.pid, begin, ask)
    finally:
        server.kill()
        await server.wait()


async def _reachable(http: aiohttp.ClientSession) -> None:
    async with asyncio.timeout(START_SECONDS):
        while True:
            try:
                async with http.get("/health"):
                    return
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.1)


async def round_of(served: Served, messages: int = MESSAGES) -> Cost:
    """Some messages, one after the other: CPU of the server for each, and the median of how long they took."""
    process, taken, session = psutil.Process(served.pid), [], await served.begin()
    before = process.cpu_times()
    for number in range(messages):
        began = time.perf_counter()
        await served.ask(session, number)
        taken.append(time.perf_counter() - began)
    after = process.cpu_times()
    seconds = after.user + after.system - before.user - before.system
    return Cost(1000 * seconds / messages, 1000 * statistics.median(taken))


async def measure(zygote: Zygote, *, is_ours_alone: bool) -> dict[str, Cost]:
    """The servers in turn, so that whatever else the machine does meets them alike."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        provider = (await (await stack.enter_async_context(zygote.running("bench.streaming:simulate"))).ready())["url"]
        subjects = [await stack.enter_async_context(ours(zygote, provider, folder))]
        if not is_ours_alone:
            subjects.append(await stack.enter_async_context(agno(provider, folder)))
        rounds: dict[str, list[Cost]] = {}
        for served in subjects:
            await round_of(served, WARM)
        for _ in range(ROUNDS):
            for served in subjects:
                rounds.setdefault(served.who, []).append(await round_of(served))
    return {
        who: Cost(statistics.median(each.cpu for each in found), statistics.median(each.latency for each in found))
        for who, found in rounds.items()
    }


def table(found: dict[str, Cost]) -> str:
    """The figures, and ours as a part of the peer's."""
    lines = [f"{'one agent, one streamed call':40}{'CPU ms':>10}{'p50 ms':>10}"]
    lines += [f"{who:40}{cost.cpu:10.1f}{cost.latency:10.1f}" for who, cost in found.items()]
    if (ratio := ratio_of(found)) is not None:
        lines.append(f"{'ratio':40}{ratio.cpu:10.2f}{ratio.latency:10.2f}")
        lines.append(f"{'aim':40}{AIM:10.2f}{AIM:10.2f}")
    return "\n".join(lines)


def ratio_of(found: dict[str, Cost]) -> Cost | None:
    """Ours to the peer's; nothing if no peer was measured."""
    if len(found) < 2:
        return None
    mine, other = found.values()
    return Cost(mine.cpu / other.cpu, mine.latency / other.latency)


def missed(found: dict[str, Cost]) -> int | None:
    """How many of the two aims were missed; nothing if no peer was measured."""
    ratio = ratio_of(found)
    return None if ratio is None else sum(each > AIM for each in ratio)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", action="store_true")
    wanted = parser.parse_args()
    zygote = Zygote([PROCESSES, "bench.streaming"])
    found = asyncio.run(measure(zygote, is_ours_alone=wanted.ours))
    zygote.close()
    print(table(found))
    if (count := missed(found)) is not None:
        print(verdict(count))


if __name__ == "__main__":
    main()
