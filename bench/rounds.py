"""How a cost is measured here: CPU time of the process, best of many short rounds.

A round lasts about 20 ms: the best one is the one nobody interrupted. The module needs nothing but Python, because
peers use it in environments of their own.
"""

import gc
import time
from collections.abc import Awaitable, Callable

ROUNDS = 60
ROUND_SECONDS = 0.02

Run = Callable[[], Awaitable[object]]


async def cpu_microseconds(run: Run, rounds: int = ROUNDS) -> float:
    """CPU microseconds of one run."""
    repetitions = await _repetitions(run)
    gc.collect()
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        for _ in range(repetitions):
            await run()
        best = min(best, (time.process_time() - started) / repetitions)
    return best * 1e6


async def _repetitions(run: Run) -> int:
    for _ in range(3):
        await run()
    started = time.process_time()
    await run()
    return max(1, int(ROUND_SECONDS / max(time.process_time() - started, 1e-6)))
