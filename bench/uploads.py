"""How much memory uploads take: `python -m bench.uploads`.

A platform of one process on a SQLite file receives one file of a gigabyte in a single request, then many files at the
same time (LD-12). Its memory is looked at every few milliseconds; what counts is by how much it grew.
"""

import argparse
import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import repeat

import aiohttp
import psutil

from bench.load import Line, Visitor, missed, started
from bench.tables import verdict
from tests.support.fleet import PROCESSES, Fleet
from tests.support.processes import Zygote

MEBIBYTE = 1024 * 1024
LARGE_MEBIBYTES = 1024
AT_ONCE, EACH_MEBIBYTES = 20, 50
"""A tenth of LD-12, so that it fits on a disk; memory does not depend on how much was sent before."""
MOST_MEBIBYTES, MOST_TOGETHER_MEBIBYTES = 64, 300
LOOK_SECONDS = 0.02
SENT_AT_ONCE = 256 * 1024


class Growth:
    """The highest memory of some processes, against what they had."""

    def __init__(self, processes: list[psutil.Process]) -> None:
        self._processes = processes
        self._before = self._highest = self._now()

    @property
    def mebibytes(self) -> float:
        """By how much it grew."""
        return (self._highest - self._before) / MEBIBYTE

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Look again and again within the block."""
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            self._highest = max(self._highest, self._now())
            await asyncio.sleep(LOOK_SECONDS)

    def _now(self) -> int:
        return sum(int(process.memory_info().rss) for process in self._processes)


async def upload(http: aiohttp.ClientSession, name: str, size: int) -> None:
    """A file that looks like an archive, sent as fast as it is taken."""
    spelt = base64.b64encode(name.encode()).decode()
    headers = {"Upload-Length": str(size), "Upload-Metadata": f"filename {spelt}", "Tus-Resumable": "1.0.0"}
    async with http.post("/api/files", headers=headers, raise_for_status=True) as answer:
        location = answer.headers["location"]
    part = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0", "Tus-Resumable": "1.0.0"}

    async def content() -> AsyncIterator[bytes]:
        for _ in repeat(None, size // SENT_AT_ONCE):
            yield b"PK\x03\x04" + name.encode().ljust(SENT_AT_ONCE - 4, b"\0")

    async with http.patch(location, data=content(), headers=part, raise_for_status=True):
        pass


async def uploads(fleet: Fleet, secret: str, large: int) -> list[Line]:
    """One large file, then many at once."""
    owner = Visitor(fleet, secret, 0)
    await upload(owner.http, "first.bin", MEBIBYTE)
    processes = [psutil.Process(child.pid) for child in fleet.alive.values()]
    one = Growth(processes)
    async with one.watched():
        await upload(owner.http, "large.bin", large * MEBIBYTE)
    many = Growth(processes)
    async with many.watched():
        await asyncio.gather(*(upload(owner.http, f"{n}.bin", EACH_MEBIBYTES * MEBIBYTE) for n in range(AT_ONCE)))
    await owner.http.close()
    return [
        Line(f"memory for one upload of {large} MiB", f"+{one.mebibytes:.0f} MiB",
             aim=f"≤ {MOST_MEBIBYTES} MiB", met=one.mebibytes <= MOST_MEBIBYTES),
        Line(f"memory for {AT_ONCE} uploads of {EACH_MEBIBYTES} MiB at once", f"+{many.mebibytes:.0f} MiB",
             aim=f"≤ {MOST_TOGETHER_MEBIBYTES} MiB", met=many.mebibytes <= MOST_TOGETHER_MEBIBYTES),
    ]  # fmt: skip


async def measure(zygote: Zygote, large: int) -> list[Line]:
    async with started(zygote, "embedded") as fleet:
        lines = await uploads(fleet, (await fleet.people(1))[0], large)
    print(*lines, sep="\n", flush=True)
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mebibytes", type=int, default=LARGE_MEBIBYTES)
    wanted = parser.parse_args()
    zygote = Zygote([PROCESSES, "bench.load_team"])
    try:
        found = asyncio.run(measure(zygote, wanted.mebibytes))
    finally:
        zygote.close()
    if (broken := missed(found)) is not None:
        print(verdict(broken))


if __name__ == "__main__":
    main()
