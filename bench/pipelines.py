"""Pipelines: the cost of a step, a branch, a run in flight, and of many steps, beside the floor and the peers.

    python -m bench.pipelines                 the table
    python -m bench.pipelines --json          one JSON object per line
    python -m bench.pipelines --one batuta    one subject, in this process

Every subject runs in a process of its own, in which the floor (plain awaits) is measured too. The peers live in an
environment of their own, `.cache/bench-peers`, made from `requirements-peers.txt`.
"""

import argparse
import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from importlib import metadata
from pathlib import Path
from typing import TypedDict

from bench.measuring import Row, best_seconds, crowd
from bench.peers import peer_python
from bench.subjects import PEERS, SUBJECTS, Floor, Runner, Subject, fresh

ROOT = Path(__file__).parents[1]

STEPS, MANY_STEPS, BRANCHES, CROWD = 10, 1_000, 50, 1_000
MICRO = 1e6

AIMS = {"step": 12.0, "branch": 40.0, "wall": 0.4, "memory": 12.0, "flat": 1.2}
"""Spec 09: times the floor, microseconds, seconds, kilobytes, times."""


async def rows_of(name: str) -> AsyncIterator[Row]:
    """All rows of one subject."""
    subject = SUBJECTS[name]()
    version = metadata.version(subject.distribution) if subject.distribution else ""
    yield await _step(name, subject, version)
    yield await _branch(name, subject, version)
    async for row in _in_flight(name, subject, version):
        yield row
    yield await _flatness(name, subject, version)


async def _step(name: str, subject: Subject, version: str) -> Row:
    ours, floor = await _beside_the_floor(subject.linear(STEPS), Floor().linear(STEPS), result=STEPS)
    ratio = ours / floor
    return Row(
        what=f"one of {STEPS} steps", subject=name, version=version, unit="µs",
        value=ours / STEPS * MICRO, floor=floor / STEPS * MICRO, ratio=ratio, **_judged(name, "step", ratio, "× floor"),
    )  # fmt: skip


async def _branch(name: str, subject: Subject, version: str) -> Row:
    ours, floor = await _beside_the_floor(subject.fan_out(BRANCHES), Floor().fan_out(BRANCHES), result=BRANCHES)
    value = ours / BRANCHES * MICRO
    return Row(
        what=f"one of {BRANCHES} branches", subject=name, version=version, unit="µs",
        value=value, floor=floor / BRANCHES * MICRO, ratio=ours / floor, **_judged(name, "branch", value, "µs"),
    )  # fmt: skip


async def _in_flight(name: str, subject: Subject, version: str) -> AsyncIterator[Row]:
    run = subject.linear(STEPS, sleep_at=STEPS // 2)
    seen = await crowd(lambda: run(fresh()), CROWD)
    for what, kind, value, unit in (
        (f"{CROWD} in flight, 50 ms each", "wall", seen.wall_seconds, "s"),
        (f"memory of one of {CROWD} in flight", "memory", seen.kilobytes_each, "KB"),
    ):
        yield Row(what=what, subject=name, version=version, value=value, unit=unit, **_judged(name, kind, value, unit))


async def _flatness(name: str, subject: Subject, version: str) -> Row:
    few, many = subject.linear(STEPS), subject.linear(MANY_STEPS)
    short = await best_seconds(lambda: few(fresh())) / STEPS
    long = await best_seconds(lambda: many(fresh()), rounds=8) / MANY_STEPS
    return Row(
        what=f"a step of {MANY_STEPS} to one of {STEPS}", subject=name, version=version, unit="×",
        value=long / short, **_judged(name, "flat", long / short, "×"),
    )  # fmt: skip


async def _beside_the_floor(run: Runner, floor: Runner, *, result: int) -> tuple[float, float]:
    """Both in turns, so that they see the same machine; the best of each."""
    outcome = await run(fresh())
    if outcome.n != result:
        raise RuntimeError(f"the subject gave {outcome.n}, not {result}: it does not do the work that is measured")
    ours, plain = float("inf"), float("inf")
    for _ in range(3):
        plain = min(plain, await best_seconds(lambda: floor(fresh()), rounds=20))
        ours = min(ours, await best_seconds(lambda: run(fresh()), rounds=20))
    return ours, plain


class _Aim(TypedDict, total=False):
    aim: str
    met: bool


def _judged(name: str, kind: str, value: float, unit: str) -> _Aim:
    if name != "batuta":
        return {}
    return {"aim": f"≤ {AIMS[kind]:g} {unit}", "met": value <= AIMS[kind]}


def lines() -> Iterator[str]:
    """Every row of every subject, as JSON, each subject measured in a process of its own."""
    for name in SUBJECTS:
        python = peer_python("peers") if name in PEERS else Path(sys.executable)
        command: list[str | Path] = [python, "-m", "bench.pipelines", "--one", name]
        with subprocess.Popen(
            command,
            cwd=ROOT,
            env={"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", "PATH": ""},
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            yield from (line.strip() for line in process.stdout if line.startswith("{"))


async def _print_rows_of(name: str) -> None:
    async for row in rows_of(name):
        print(row.as_json(), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_argument("--one", choices=SUBJECTS, help="one subject, in this process")
    arguments = parser.parse_args()
    if arguments.one:
        asyncio.run(_print_rows_of(arguments.one))
        return
    if arguments.json:
        for line in lines():
            print(line, flush=True)
        return
    from bench.tables import table

    print(table(list(lines())))


if __name__ == "__main__":
    main()
