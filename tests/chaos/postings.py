"""Kill a process before, during and after every posting of a workflow, then look into the books.

    python -m tests.chaos.postings [--backend sqlite] [--kills 500]

A quote becomes an order, the order is shipped and invoiced, a payment is entered and posted: four writes, each of them
approved. A process of its own dies by SIGKILL at every event of that turn (before and after it is stored, with a commit
under way) and around every write: before its request is sent, and when the ERP has done it and the answer is not there.
Another process finishes the turn. The books must be those of a turn that was left alone. Prints one line per backend,
and ends with 1 if anything was posted twice or never.
"""

import argparse
import asyncio
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from batuta.events.queue import WorkStatus
from batuta.eventstore.migrations import migrate
from batuta.kernel.ids import new_id
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.sandbox.opening import open_sandbox
from tests.chaos.boundaries import DEATHS, MortalDesk
from tests.chaos.eventlog import servers
from tests.chaos.posting_team import WORKFLOW, WRITES, HttpDeath, access_to, books, team
from tests.chaos.turns import BACKENDS, NO_LIMIT, Person, chosen
from tests.integration.orchestration.crew import Ledger
from tests.support.processes import ChildError, Zygote
from tests.support.stores import Store, memory_opener, opener_of
from tests.support.turns import TurnPersistence, say

MODULES = ("tests.chaos.postings",)
SHORT_LEASE, LEASE = timedelta(seconds=2), timedelta(seconds=20)
LONGEST_SECONDS = 120.0
SHOWN_EVERY = 25
"""Kills after which a line says how far it is."""
HTTP_DEATHS: tuple[HttpDeath, ...] = ("unsent", "unanswered")
Kill = Mapping[str, Any]


@dataclass
class PostingsReport:
    """What became of the books."""

    backend: str
    kills: int = 0
    unfinished: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def is_clean(self) -> bool:
        return not self.unfinished and not self.different

    def line(self) -> str:
        return (
            f"postings {self.backend}: kills={self.kills} unfinished={len(self.unfinished)} "
            f"different={len(self.different)} seconds={self.seconds:.1f}"
        )

    def require(self) -> None:
        if not self.is_clean:
            raise AssertionError("\n".join([self.line(), *self.unfinished[:5], *self.different[:5]]))


async def die(place: dict[str, str], erp: str, turn: str, kill: dict[str, Any]) -> None:
    """In a process of its own: run the turn, approving what it asks, up to where it dies."""
    dying = access_to(erp, kill.get("write"), kill.get("how", "unsent"))
    async with opener_of(place)() as store:
        desk = MortalDesk(TurnPersistence(store.log), kill.get("event"), kill["how"] if "event" in kill else "before")
        with dying as access:
            await _play(store, access, desk, turn, SHORT_LEASE)


async def run(zygote: Zygote, place: Mapping[str, str], *, kills: int) -> PostingsReport:
    """So many kills, spread over all places where a process can die."""
    if "url" in place:
        await migrate(place["url"])
    report, started = PostingsReport(place["backend"]), time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        demo, erp = Path(directory) / "demo.sqlite3", Path(directory) / "erp.sqlite3"
        open_sandbox(demo).store.close()
        expected, events = await undisturbed(demo, erp)
        for kill in spread(events, kills):
            _fresh(demo, erp)
            await _one(zygote, place, erp, kill, expected, report)
            if report.kills % SHOWN_EVERY == 0:
                report.seconds = time.monotonic() - started
                sys.stderr.write(f"{report.line()}\n")
    report.seconds = time.monotonic() - started
    return report


def spread(events: int, kills: int) -> list[Kill]:
    """Every write in both ways, and events all over the turn, as many as are wanted."""
    around: list[Kill] = [{"write": number, "how": how} for number in range(1, WRITES + 1) for how in HTTP_DEATHS]
    at_events: list[Kill] = [{"event": number, "how": how} for number in range(1, events + 1) for how in DEATHS]
    left = max(kills - len(around), 0)
    step = max(len(at_events) / left, 1.0) if left else len(at_events) + 1
    return [*around, *(at_events[int(place * step)] for place in range(int(len(at_events) / step)))][:kills]


async def undisturbed(demo: Path, erp: Path) -> tuple[dict[str, Any], int]:
    """The books after a turn that nobody disturbs, and how many events it stored."""
    _fresh(demo, erp)
    async with memory_opener()() as store:
        turn = await say(store.queue, new_id(), WORKFLOW)
        desk = MortalDesk(TurnPersistence(store.log))
        with access_to(erp) as access:
            await _play(store, access, desk, turn, LEASE)
    after = books(erp)
    before = books(demo)
    assert all(after[name] != before[name] for name in ("quotes", "invoices", "general_ledger")), "nothing was posted"
    return after, desk.written


async def _one(
    zygote: Zygote, place: Mapping[str, str], erp: Path, kill: Kill, expected: Mapping[str, Any], report: PostingsReport
) -> None:
    async with opener_of(place)() as store:
        turn = await say(store.queue, new_id(), WORKFLOW, max_attempts=NO_LIMIT)
        arguments = {"place": dict(place), "erp": str(erp), "turn": turn, "kill": dict(kill)}
        child = await zygote.spawn("tests.chaos.postings:die", arguments)
        try:
            if (ended := await child.wait(LONGEST_SECONDS)) != -signal.SIGKILL:
                raise ChildError(f"the process for {kill} ended with {ended}:\n{child.errors}")
        finally:
            await child.close()
        report.kills += 1
        desk = MortalDesk(TurnPersistence(store.log))
        try:
            with access_to(erp) as access:
                async with asyncio.timeout(LONGEST_SECONDS):
                    await _play(store, access, desk, turn, LEASE)
        except TimeoutError:
            report.unfinished.append(f"{kill}: {await store.queue.get(turn)}")
    found = books(erp)
    for name, rows in expected.items():
        if found[name] != rows:
            more = [row for row in found[name] if row not in rows]
            less = [row for row in rows if row not in found[name]]
            report.different.append(f"{kill}: {name} has {more[:3]} more and {less[:3]} less")


async def _play(store: Store, access: Any, desk: MortalDesk, turn: str, lease: timedelta) -> None:
    """Run one turn to its end, and be the person it asks."""
    settings = WorkerSettings(owner=new_id(), lease=lease)
    worker = TurnWorker(team(access), store.queue, store.log, desk, settings)
    person = Person(store, Ledger())
    while (work := await store.queue.get(turn)) is not None and work.status is not WorkStatus.COMPLETED:
        if work.status is WorkStatus.FAILED:
            raise AssertionError(f"the turn failed: {work}")
        await store.queue.recover()
        await worker.run_until_idle()
        work = await store.queue.get(turn)
        if work is not None and work.status is WorkStatus.PAUSED:
            await person.answer(work)
        elif work is not None and work.status is not WorkStatus.COMPLETED:
            await asyncio.sleep(0.05)  # the lease of the dead has to run out


def _fresh(demo: Path, erp: Path) -> None:
    for path in erp.parent.glob(f"{erp.name}*"):
        path.unlink()
    shutil.copyfile(demo, erp)


def main() -> int:
    """Run the backends one after another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=[*BACKENDS, "all"], default="all")
    parser.add_argument("--kills", type=int, default=500, help="over all backends")
    wanted = parser.parse_args()
    backends = chosen(wanted.backend, BACKENDS)
    is_clean = True
    zygote = Zygote(MODULES)
    for backend in backends:
        with servers(backend) as place:
            report = asyncio.run(run(zygote, place, kills=wanted.kills // len(backends)))
        sys.stdout.write(report.line() + "\n")
        is_clean = is_clean and report.is_clean
        for problem in (*report.unfinished[:5], *report.different[:5]):
            sys.stdout.write(f"  {problem}\n")
    zygote.close()
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
