"""What one agent run costs: ours, the loop by hand, and the peers (spec 09, agent run).

    python -m bench.agents                 the table; the peers' environment is made in .cache/bench-agents when absent
    python -m bench.agents --ours          ours and the floor alone
    python -m bench.agents --json FILE     the figures as JSON, too

CPU microseconds per run, best of many short rounds, each figure from a process of its own. `observed` is our agent
with every event built and handed to a sink; `recorded` also appends them to a log in memory before the run goes on,
and journals every effect, as a turn does; `silent` has nobody listening. The aims are parts of what the fastest peer of
the same run takes for the same case.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.agent_cases import ANSWER, ARGUMENTS, CASES, QUESTION, RIGHT, TOOLS, WRONG, City, by_hand, require_right
from bench.measuring import cpu_microseconds
from bench.peers import peer_python
from bench.tables import verdict

ROOT = Path(__file__).parent.parent
PEERS = ("agent-framework-core", "langchain", "pydantic-ai-slim")
OURS = ("by hand", "silent", "observed", "recorded")
AIMS = {"batuta, observed": 0.7, "batuta, recorded": 1.4}
"""What each may cost, as a part of the fastest peer (spec 09): recorded is twice what observed may be."""


class Counting:
    """A sink that only counts."""

    never_blocks = True

    def __init__(self) -> None:
        self.count = 0

    def emit(self, event: Any) -> None:
        self.count += 1


def _agent(case: str) -> Any:
    from batuta import AgentStep
    from batuta.kernel.messages import Answer, TextBlock, ToolCallBlock
    from batuta.tools import tool

    def answer(*content: Any) -> Answer:
        return Answer(content=content, model="scripted", provider="scripted")

    class Scripted:
        provider, name = "scripted", "scripted"

        async def generate(self, request: Any) -> Answer:
            is_first = len(request.messages) == 1
            if case == "correction":
                return answer(TextBlock(text=json.dumps(WRONG if is_first else RIGHT)))
            if case == "tools" and is_first:
                return answer(*(ToolCallBlock(id=f.__name__, name=f.__name__, args=ARGUMENTS) for f in TOOLS))
            return answer(TextBlock(text=ANSWER))

        def stream(self, request: Any) -> Any:
            raise NotImplementedError

    options: Any = {"tools": [tool(function) for function in TOOLS]} if case == "tools" else {}
    return AgentStep(name="a", model=Scripted(), output=City if case == "correction" else str, **options)


def _ours(case: str, way: str) -> Any:
    agent = _agent(case)
    sink = Counting()

    async def run() -> object:
        options = {"silent": dict, "observed": lambda: {"sink": sink}, "recorded": _durable}[way]()
        return (await agent.run(QUESTION, **options)).unwrap()

    return run


def _durable() -> dict[str, Any]:
    """A turn of its own in a log of its own."""
    from batuta.events.emitter import Stamp
    from batuta.eventstore.journal import DurableJournal
    from batuta.eventstore.memory import MemoryEventLog
    from batuta.eventstore.recorder import TurnRecorder
    from batuta.kernel.ids import new_id

    session_id, turn_id = new_id(), new_id()
    log = MemoryEventLog()
    recorder = TurnRecorder(log, session_id)
    stamp = Stamp(correlation_id=turn_id, session_id=session_id, turn_id=turn_id)
    journal = DurableJournal(log, recorder, stamp)
    return {"recorder": recorder, "journal": journal, "session_id": session_id, "turn_id": turn_id}


async def _measured(who: str, case: str) -> dict[str, Any]:
    run = by_hand(case) if who == "by hand" else _ours(case, who)
    require_right(case, await run())
    name = who if who == "by hand" else f"batuta, {who}"
    return {"who": name, "case": case, "microseconds": await cpu_microseconds(run)}


def in_its_own_process(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(f"{' '.join(command)} told nothing: {done.stderr.strip()[-500:]}")
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def figures(*, is_ours_alone: bool = False) -> list[dict[str, Any]]:
    """Every figure of the table."""
    found = [
        in_its_own_process([sys.executable, "-m", "bench.agents", "--one", who, case]) for who in OURS for case in CASES
    ]
    if not is_ours_alone:
        python = str(peer_python("agents"))
        found += [
            in_its_own_process([python, "-m", "bench.agent_peers", peer, case]) for peer in PEERS for case in CASES
        ]
    return found


def table(found: list[dict[str, Any]]) -> str:
    """The figures side by side."""
    rows: dict[str, dict[str, float]] = {}
    for figure in found:
        rows.setdefault(figure["who"], {})[figure["case"]] = figure["microseconds"]
    lines = [f"{'CPU us per run':32}" + "".join(f"{case:>12}" for case in CASES)]
    lines += [f"{who:32}" + "".join(f"{row[case]:12.1f}" for case in CASES) for who, row in rows.items()]
    fastest = fastest_peer(found)
    for who, part in AIMS.items() if fastest else ():
        aim = f"aim: {part} x fastest peer, {who.removeprefix('batuta, ')}"
        lines.append(f"{aim:32}" + "".join(f"{part * fastest[case]:12.1f}" for case in CASES))
    return "\n".join(lines)


def fastest_peer(found: list[dict[str, Any]]) -> dict[str, float]:
    """What the fastest peer takes, case by case; nothing if none was measured."""
    fastest: dict[str, float] = {}
    for figure in found:
        if figure["who"].startswith(PEERS):
            fastest[figure["case"]] = min(figure["microseconds"], fastest.get(figure["case"], float("inf")))
    return fastest


def missed(found: list[dict[str, Any]]) -> int | None:
    """How many cases cost an agent more than they may beside the fastest peer; nothing if no peer was measured."""
    fastest = fastest_peer(found)
    judged = [figure for figure in found if figure["who"] in AIMS]
    if not fastest:
        return None
    return len([each for each in judged if each["microseconds"] > AIMS[each["who"]] * fastest[each["case"]]])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", nargs=2, metavar=("WHO", "CASE"), help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.one:
        print(json.dumps(asyncio.run(_measured(*wanted.one))), flush=True)
        os._exit(0)
    found = figures(is_ours_alone=wanted.ours)
    print(table(found))
    if (count := missed(found)) is not None:
        print(verdict(count))
    if wanted.json is not None:
        wanted.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
