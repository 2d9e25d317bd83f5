"""OR-13: deterministic simulation of log, queue, workers and delivery, seed by seed; the verifier is asked after each.

    python -m tests.chaos.simulation --seeds 100000 [--first 0] [--processes 2]
    python -m tests.chaos.simulation --seeds 1 --first 4711          # the same run again

Prints one line, and each seed that broke a promise. Ends with 1 if one did.
"""

import argparse
import gc
import logging
import multiprocessing
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeVar, cast

from tests.support.simulated_platform import simulate
from tests.support.verifier import verify

T = TypeVar("T")
SEEDS_AT_ONCE = 100


@dataclass
class Tally:
    """What some seeds came to."""

    seeds: int = 0
    kills: int = 0
    events: int = 0
    virtual_seconds: float = 0.0
    figures: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.seeds + other.seeds,
            self.kills + other.kills,
            self.events + other.events,
            self.virtual_seconds + other.virtual_seconds,
            self.figures + other.figures,
            self.broken + other.broken,
        )

    def line(self) -> str:
        """Everything in one line."""
        figures = " ".join(f"{name}={count}" for name, count in sorted(self.figures.items())) or "findings=0"
        return (
            f"simulation: seeds={self.seeds} broken={len(self.broken)} kills={self.kills} events={self.events} "
            f"virtual_seconds={self.virtual_seconds:.0f} {figures}"
        )


def run(seeds: Iterable[int]) -> Tally:
    """Simulate some seeds, one after the other."""
    logging.disable(logging.CRITICAL)  # faults are meant to happen
    try:
        tally = Tally()
        for seed in seeds:
            found = simulate(seed)
            report = verify(found.history, backend=f"seed {seed}", kills=found.kills)
            is_broken = not report.is_clean or not report.acknowledged
            broken = [f"seed {seed} {found.trace}: {report.explain()}"] if is_broken else []
            tally += Tally(1, found.kills, report.appended, found.virtual_seconds, +Counter(report.figures), broken)
        return tally
    finally:
        logging.disable(logging.NOTSET)


def in_a_child(work: Callable[[], T]) -> T:
    """What something returns in a process of its own: what the simulated dead had in hand ends with it."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send(work()))
    child.start()
    sender.close()
    try:
        return cast("T", receiver.recv())
    finally:
        child.join()


def settle_in() -> None:
    """Spend no time on what is the same for all seeds: modules are no garbage, and the dead leave coroutines behind."""
    warnings.simplefilter("ignore", RuntimeWarning)
    gc.collect()
    gc.freeze()


def main() -> int:
    """Run the seeds in several processes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--seeds", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    wanted = parser.parse_args()
    began, last = time.monotonic(), wanted.first + wanted.seeds
    parts = [range(n, min(n + SEEDS_AT_ONCE, last)) for n in range(wanted.first, last, SEEDS_AT_ONCE)]
    # A new process after every part: what the dead had in hand is not kept for 100,000 seeds.
    with multiprocessing.get_context("spawn").Pool(wanted.processes, settle_in, maxtasksperchild=10) as pool:
        tally = Tally()
        for part in pool.imap_unordered(run, parts):
            for text in part.broken:
                sys.stdout.write(f"{text}\n")
                sys.stdout.flush()  # whoever stops a long run has them
            tally = reduce(Tally.__add__, (tally, part))
            sys.stderr.write(f"\r{tally.seeds} of {wanted.seeds}")
    sys.stdout.write(f"{tally.line()} seconds={time.monotonic() - began:.0f}\n")
    return int(bool(tally.broken))


if __name__ == "__main__":
    sys.exit(main())
