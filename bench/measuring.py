"""How everything here is measured, and what a figure looks like.

CPU-bound work is measured in process CPU time, best of many short rounds: the best round is the one nobody interrupted,
so that a busy machine does not decide. The floor is measured in the same process and moment, and figures are compared
as ratios to it. The module needs nothing but Python, because peers use it in environments of their own.
"""

import asyncio
import gc
import json
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass

ROUNDS = 60
ROUND_SECONDS = 0.02

Run = Callable[[], Awaitable[object]]
clock = time.process_time


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a table."""

    what: str
    subject: str
    value: float
    unit: str
    floor: float | None = None
    ratio: float | None = None
    """To the floor of the same run."""
    aim: str = ""
    met: bool | None = None
    """Whether the aim is met, where there is one."""
    version: str = ""

    def as_json(self) -> str:
        rounded = {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(self).items()}
        return json.dumps({name: value for name, value in rounded.items() if value not in (None, "")})


async def best_seconds(run: Run, *, rounds: int = ROUNDS) -> float:
    """CPU seconds of one run, in the best round."""
    for _ in range(3):
        await run()
    began = clock()
    await run()
    repeats = max(1, int(ROUND_SECONDS / max(clock() - began, 1e-6)))
    gc.collect()
    best = float("inf")
    for _ in range(rounds):
        began = clock()
        for _ in range(repeats):
            await run()
        best = min(best, (clock() - began) / repeats)
    return best


async def cpu_microseconds(run: Run, rounds: int = ROUNDS) -> float:
    """CPU microseconds of one run, in the best round."""
    return await best_seconds(run, rounds=rounds) * 1e6


@dataclass(frozen=True)
class Crowd:
    """Many runs at the same time: how long they took together, and what each of them held."""

    wall_seconds: float
    kilobytes_each: float


async def crowd(run: Run, size: int) -> Crowd:
    """Run many at once; memory is the growth of the process at its peak, the first time."""
    await asyncio.gather(*(run() for _ in range(3)))
    gc.collect()
    before, watch = resident_bytes(), asyncio.create_task(_peak())
    await asyncio.gather(*(run() for _ in range(size)))
    watch.cancel()
    peak = max(await _result(watch), resident_bytes())
    walls = []
    for _ in range(5):
        began = time.perf_counter()
        await asyncio.gather(*(run() for _ in range(size)))
        walls.append(time.perf_counter() - began)
    return Crowd(min(walls), (peak - before) / size / 1024)


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def _peak() -> int:
    highest = 0
    try:
        while True:
            highest = max(highest, resident_bytes())
            await asyncio.sleep(0.002)
    except asyncio.CancelledError:
        return highest


async def _result(task: "asyncio.Task[int]") -> int:
    return await task
