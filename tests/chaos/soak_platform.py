"""LD-03: a platform that serves for a long time grows neither in memory nor in descriptors, whatever fails meanwhile.

    python -m tests.chaos.soak_platform --minutes 30 [--users 20] [--seed 1]

Nothing of the platform is killed here: its processes are what is looked at. PostgreSQL and Redis are killed and started
again, people come, talk, lose their connections and go. What the processes hold is sampled; the first quarter warms
them up, then the last quarter is set beside the second. Prints one line per process and ends with 1 if one has grown,
or if a message was lost meanwhile.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import aiohttp
import psutil

from tests.chaos.platform import MODULES, TEAM, Load, PlatformReport, files_in, live, verified
from tests.support.fleet import Fleet, distributed_place
from tests.support.processes import Zygote
from tests.support.stores import opener_of

SAMPLES = 120
"""In one run, whatever its length."""
MOST_GROWTH = 0.1
"""Of memory, from the second quarter to the last; what a process gave back to its allocator is not given back to the
machine, so that medians waver by some percent.
"""
MOST_NEW_DESCRIPTORS = 8
"""Connections of a pool that were not needed before."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What a process holds at a moment."""

    megabytes: float
    descriptors: int
    threads: int


@dataclass(frozen=True, slots=True)
class Growth:
    """What a process held in the second quarter of a run, and in the last."""

    role: str
    before: Sample
    after: Sample
    hours: float
    """Between the middles of the two."""

    @property
    def is_flat(self) -> bool:
        """Whether it holds no more than before."""
        is_heavier = self.after.megabytes > (1 + MOST_GROWTH) * self.before.megabytes
        more = self.after.descriptors - self.before.descriptors, self.after.threads - self.before.threads
        return not is_heavier and max(more) <= MOST_NEW_DESCRIPTORS

    def line(self) -> str:
        """Everything in one line."""
        slope = (self.after.megabytes - self.before.megabytes) / self.hours
        return (
            f"soak: process={self.role} rss_mb={self.before.megabytes:.1f}->{self.after.megabytes:.1f} "
            f"mb_per_hour={slope:.1f} descriptors={self.before.descriptors}->{self.after.descriptors} "
            f"threads={self.before.threads}->{self.after.threads}"
        )


async def run(zygote: Zygote, load: Load) -> tuple[list[Growth], PlatformReport]:
    """Serve, sample, verify."""
    with tempfile.TemporaryDirectory() as directory, distributed_place(Path(directory)) as place:
        fleet = Fleet(zygote, place, TEAM, about=files_in(Path(directory)))
        async with fleet.running():
            samples: dict[str, list[Sample]] = {role: [] for role in fleet.roles}
            beside = [
                asyncio.create_task(_sample(fleet, samples, load.seconds / SAMPLES)),
                asyncio.create_task(_come_and_go(fleet, Random(load.seed))),
            ]
            try:
                people, kills = await live(fleet, load)
            finally:
                for task in beside:
                    task.cancel()
                await asyncio.gather(*beside, return_exceptions=True)
        assert place.postgres is not None
        async with opener_of({"backend": "postgres", "url": place.postgres.url(place.database)})() as store:
            report = await verified(store, load, kills, people, fleet.about)
    return [growth_of(role, taken, load.seconds) for role, taken in samples.items()], report


async def _sample(fleet: Fleet, samples: Mapping[str, list[Sample]], every: float) -> None:
    """Look at every process, again and again."""
    while True:
        await asyncio.sleep(every)
        for role, child in fleet.alive.items():
            with suppress(psutil.NoSuchProcess):
                process = psutil.Process(child.pid)
                held = process.memory_info().rss / 2**20
                samples[role].append(Sample(held, process.num_fds(), process.num_threads()))


async def _come_and_go(fleet: Fleet, rng: Random) -> None:
    """Strangers who open connections and leave in the middle of whatever they began."""
    async with aiohttp.ClientSession() as http:
        while True:
            await asyncio.sleep(rng.uniform(0.05, 0.5))
            address = fleet.any_address(rng)
            with suppress(aiohttp.ClientError, OSError, TimeoutError):
                if rng.random() < 0.5:
                    async with http.ws_connect(f"{address}/socket.io/?EIO=4&transport=websocket") as socket:
                        await socket.send_str(rng.choice(("40", '42["session:join",{}]', "3", "4{", "x")))
                        continue
                host, _, port = address.removeprefix("http://").partition(":")
                _, writer = await asyncio.open_connection(host, int(port))
                writer.write(b"GET /api/me HTTP/1.1\r\nHost: " + rng.randbytes(rng.randrange(20)))
                await writer.drain()
                writer.transport.abort()


def growth_of(role: str, taken: Sequence[Sample], seconds: float) -> Growth:
    """The second quarter of a run beside its last."""
    quarter = len(taken) // 4
    before, after = taken[quarter : 2 * quarter], taken[-quarter:]
    return Growth(role, _middle(before), _middle(after), hours=seconds / 3600 * (1 - 3 / 8 - 1 / 8))


def _middle(taken: Sequence[Sample]) -> Sample:
    """What was held in the middle of these samples. Of what is opened and closed all the time, the least counts: what
    leaks is never given back.
    """
    held = statistics.median(sample.megabytes for sample in taken)
    least = min(sample.descriptors for sample in taken)
    return Sample(held, least, min(sample.threads for sample in taken))


def main() -> int:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    wanted = parser.parse_args()
    load = Load(
        users=wanted.users,
        seconds=60 * wanted.minutes,
        kills_every=None,
        servers_every=(30.0, 90.0),
        away=(0.0, 5.0),
        seed=wanted.seed,
    )
    zygote = Zygote(MODULES)
    grown, report = asyncio.run(run(zygote, load))
    zygote.close()
    sys.stdout.write("".join(f"{growth.line()}\n" for growth in grown))
    sys.stdout.write(f"soak: {report.line()} seed={wanted.seed}\n")
    if not report.is_clean:
        sys.stdout.write(f"{report.explain()}\n")
    return 0 if report.is_clean and all(growth.is_flat for growth in grown) else 1


if __name__ == "__main__":
    sys.exit(main())
