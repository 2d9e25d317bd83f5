"""What one turn of a team costs besides its models, beside the same graph of LangChain agents.

    python -m bench.turns                 the table; the peers' environment is made in .cache/bench-agents when absent
    python -m bench.turns --ours          ours alone
    python -m bench.turns --json FILE     the figures as JSON, too

CPU microseconds per turn, best of many short rounds, each figure from a process of its own: a message is accepted, a
worker leases the turn, runs it with every event and effect recorded, and finishes it. `nothing kept` runs the same
team without log and queue. The CPU of a database server is not counted; SQLite runs with synchronous=FULL. A turn that
is kept in a database is judged beside the graph that keeps its state in memory after every node.
"""

import argparse
import asyncio
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from bench.agents import in_its_own_process
from bench.measuring import cpu_microseconds
from bench.peers import peer_python
from bench.tables import verdict
from bench.turn_case import CONCLUSION, CREW, PLAN, QUESTION, RESULTS_HEADING, done, report

OURS = ("nothing kept", "memory", "sqlite", "postgres")
PEER_WAYS = ("bare", "checkpointed")
AIMS = {"memory": (1.5, "bare"), "sqlite": (1.0, "checkpointed"), "postgres": (1.0, "checkpointed")}
"""The most that a turn may cost, as a part of what a way of the peer does."""
ROUNDS = 30


def team() -> Any:
    """The crew of the case, with models that answer at once."""
    from batuta import AgentStep
    from batuta.kernel.messages import Answer, TextBlock, ToolCallBlock
    from batuta.orchestration import Orchestrator, Specialist
    from batuta.tools import Tool, tool

    class Rule:
        provider, name = "scripted", "scripted"

        def __init__(self, rule: Any) -> None:
            self._rule = rule

        async def generate(self, request: Any) -> Answer:
            return Answer(content=tuple(self._rule(request)), model="scripted", provider="scripted")

        def stream(self, request: Any) -> Any:
            raise NotImplementedError

    def make_tool(name: str) -> Tool:
        async def run(n: int) -> str:
            """Do what the name says."""
            return done(name)

        return tool(name=name)(run)

    def worker(name: str) -> Specialist:
        def rule(request: Any) -> list[Any]:
            if request.tool_results:
                return [TextBlock(text=report(name))]
            return [ToolCallBlock(id=each, name=each, args={"n": 1}) for each in CREW[name]]

        agent = AgentStep(name=name, model=Rule(rule), output=str, tools=[make_tool(each) for each in CREW[name]])
        return Specialist(agent, name=name.title())

    def supervise(request: Any) -> list[Any]:
        is_over = RESULTS_HEADING in request.messages[-1].text
        return [TextBlock(text=CONCLUSION if is_over else json.dumps({"steps": PLAN}))]

    return Orchestrator(supervisor=Rule(supervise), agents=[worker(name) for name in CREW])


@contextlib.asynccontextmanager
async def _opened(backend: str) -> AsyncIterator[Any]:
    from batuta.eventstore.migrations import migrate
    from tests.support.servers import PostgresServer
    from tests.support.stores import memory_opener, opener_of

    with contextlib.ExitStack() as stack:
        place = {"backend": backend}
        if backend == "sqlite":
            place["path"] = str(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "turns.db")
        if backend == "postgres":
            server = PostgresServer()
            stack.callback(server.discard)
            server.start()
            place["url"] = server.url(server.create_database())
            await migrate(place["url"])
        opener = memory_opener() if backend == "memory" else opener_of(place)
        async with opener() as store:
            yield store


async def _measured(who: str) -> dict[str, Any]:
    found = await (_nothing_kept() if who == "nothing kept" else _durable(who))
    return {"who": f"batuta, {who}", "microseconds": found}


async def _nothing_kept() -> float:
    crew = team()

    async def run() -> None:
        turn = await crew.run(QUESTION)
        if turn.answer != CONCLUSION:
            raise AssertionError(turn.error)

    return await cpu_microseconds(run, ROUNDS)


async def _durable(backend: str) -> float:
    from batuta.events.queue import WorkStatus
    from batuta.kernel.ids import new_id
    from batuta.orchestration.worker import TurnWorker, WorkerSettings
    from tests.support.turns import TurnPersistence, say

    async with _opened(backend) as store:
        worker = TurnWorker(team(), store.queue, store.log, TurnPersistence(store.log), WorkerSettings(owner="bench"))

        async def run() -> None:
            turn = await say(store.queue, new_id(), QUESTION)
            await worker.run_until_idle()
            work = await store.queue.get(turn)
            if work is None or work.status is not WorkStatus.COMPLETED:
                raise AssertionError(work)

        return await cpu_microseconds(run, ROUNDS)


def figures(*, is_ours_alone: bool = False) -> list[dict[str, Any]]:
    """Every figure of the table."""
    found = [in_its_own_process([sys.executable, "-m", "bench.turns", "--one", who]) for who in OURS]
    if not is_ours_alone:
        python = str(peer_python("agents"))
        found += [in_its_own_process([python, "-m", "bench.turn_peers", way]) for way in PEER_WAYS]
    return found


def table(found: list[dict[str, Any]]) -> str:
    """The figures, how they compare to the bare graph of LangChain agents, and to what they may cost."""
    peers = _peers(found)
    lines = [f"{'one turn':32}{'CPU us':>12}{'ratio':>8}"]
    for each in found:
        beside = f"{each['microseconds'] / peers['bare']:8.2f}" if "bare" in peers else ""
        lines.append(f"{each['who']:32}{each['microseconds']:12.0f}{beside}")
    for backend, part, way, ratio in _judged(found):
        lines.append(
            f"{f'{backend}, of {way}':32}{f'aim {part}':>12}{ratio:8.2f} {'met' if ratio <= part else 'MISSED'}"
        )
    return "\n".join(lines)


def missed(found: list[dict[str, Any]]) -> int | None:
    """How many ways to keep a turn cost more than they may beside the peer's; nothing if no peer was measured."""
    judged = _judged(found)
    return sum(ratio > part for _, part, _, ratio in judged) if judged else None


def _judged(found: list[dict[str, Any]]) -> list[tuple[str, float, str, float]]:
    """Each backend that has an aim and was measured: what it may cost, of which way of the peer, and what it does."""
    costs, peers = {each["who"]: each["microseconds"] for each in found}, _peers(found)
    return [
        (backend, part, way, costs[f"batuta, {backend}"] / peers[way])
        for backend, (part, way) in AIMS.items()
        if f"batuta, {backend}" in costs and way in peers
    ]


def _peers(found: list[dict[str, Any]]) -> dict[str, float]:
    return {way: each["microseconds"] for each in found for way in PEER_WAYS if each["who"].endswith(f", {way}")}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.one:
        print(json.dumps(asyncio.run(_measured(wanted.one))), flush=True)
        sys.stdout.flush()
        os._exit(0)
    found = figures(is_ours_alone=wanted.ours)
    print(table(found))
    if (count := missed(found)) is not None:
        print(verdict(count))
    if wanted.json is not None:
        wanted.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
