"""Kill a worker process at every event of a turn, then compare with a turn that was left alone.

    python -m tests.chaos.boundaries [--backend sqlite] [--crew busy] [--stride 1]

Every boundary has a turn and a process of its own, which ends itself there by SIGKILL: when everything before the event
is in the log, when the event is too, when what was told since the last barrier is not, and while a commit with it is
under way; another process finishes all of them. The person who is asked knows what really happened, so every turn must
end with the same view. A stride of 5 takes every fifth boundary. Prints one line per backend and ends with 1 if a
promise was broken.
"""

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Literal, NoReturn

from batuta.events.envelope import Event
from batuta.events.queue import Lease, TurnQueue, WorkStatus
from batuta.events.sink import OnStored, Recorder
from batuta.eventstore.migrations import migrate
from batuta.eventstore.recorder import TurnRecorder
from batuta.orchestration import Orchestrator
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.pipelines.journal import Journal
from tests.chaos.eventlog import servers
from tests.chaos.turns import BACKENDS, WORKERS, Person, TurnsReport, accept, answer_until_done, chosen, outcome_of
from tests.chaos.turns import undisturbed as calm_view
from tests.chaos.workers import CREWS, FileLedger
from tests.integration.orchestration.crew import Ledger
from tests.support.processes import ChildError, Zygote, say
from tests.support.stores import Store, memory_opener, opener_of
from tests.support.turns import TurnPersistence

LEASE = timedelta(seconds=3)
LONGEST_SECONDS = 600.0
QUICK = 0.0
TURNS_OF_A_COMMIT = 3
"""Of the loop: then a batch is on its way to the store, and nobody has heard of it."""


Death = Literal["before", "after", "unsaved", "committing"]
DEATHS: tuple[Death, ...] = ("before", "after", "unsaved", "committing")


@dataclass
class MortalDesk:
    """Where a turn's owner writes until it dies at its event number `kill_at`."""

    desk: TurnPersistence
    kill_at: int | None = None
    how: Death = "before"
    written: int = 0

    def recorder(self, lease: Lease, told: Sequence[Event]) -> "MortalRecorder":
        return MortalRecorder(self.desk.recorder(lease, told), {event.event_id for event in told}, self)

    def journal(self, lease: Lease, recorder: Recorder, told: Sequence[Event]) -> Journal:
        return self.desk.journal(lease, recorder, told)

    def is_last(self) -> bool:
        """Count one more event; whether it is the one to die at."""
        self.written += 1
        return self.written == self.kill_at


@dataclass(frozen=True)
class MortalRecorder:
    inner: TurnRecorder
    told: set[str]
    desk: MortalDesk

    def submit(self, event: Event, on_stored: OnStored | None = None) -> Awaitable[None] | None:
        if event.event_id in self.told or event.is_transient or not self.desk.is_last():
            return self.inner.submit(event, on_stored)
        if self.desk.how == "unsaved":
            _die()
        if self.desk.how != "before":
            self.inner.submit(event, on_stored)
        return self._die_soon()

    async def barrier(self) -> None:
        await self.inner.barrier()

    async def record(self, event: Event) -> Event:
        stored: list[Event] = []
        if (waiting := self.submit(event, stored.append)) is not None:
            await waiting
        await self.barrier()
        return stored[0]

    async def _die_soon(self) -> None:
        storing = asyncio.ensure_future(self.inner.barrier())
        if self.desk.how == "committing":
            for _ in range(TURNS_OF_A_COMMIT):
                await asyncio.sleep(0)
        else:
            await storing
        _die()


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


async def die(place: dict[str, str], ledger: str, crew: str, turn: str, kill_at: int, how: Death) -> None:
    """In a process of its own: run the turn, answering what it asks, up to the boundary."""
    async with opener_of(place)() as store:
        say(ready=True)
        desk = MortalDesk(TurnPersistence(store.log), kill_at, how)
        await _play(store, CREWS[crew], FileLedger(ledger, pause_seconds=QUICK), desk, turn)


async def run(zygote: Zygote, place: Mapping[str, str], *, stride: int = 1, crew: str = "calm") -> TurnsReport:
    """Every boundary, or every so many."""
    if "url" in place:
        await migrate(place["url"])
    calm = await calm_view(crew)
    boundaries = [(n, how) for n in range(1, await _count_events(crew) + 1) for how in DEATHS][::stride]
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        ledger = str(Path(directory) / "ledger")
        arguments = {"place": dict(place), "ledger": ledger, "crew": crew}
        async with opener_of(place)() as store, asyncio.timeout(LONGEST_SECONDS):
            person = Person(store, FileLedger(ledger))
            accepted: dict[str, str] = {}
            for kill_at, how in boundaries:
                (turn,) = fresh = await accept(store, 1)
                accepted |= fresh
                boundary = {"turn": turn, "kill_at": kill_at, "how": how}
                await _killed(zygote, {**arguments, **boundary})
            async with zygote.running(f"{WORKERS}:work", {**arguments, "owner": "survivor"}):
                await answer_until_done(person, accepted)
            found = [await outcome_of(store, session, turn, calm) for turn, session in accepted.items()]
            writes = Counter(dict(person.ledger.writes))
    return TurnsReport.of(
        f"{place['backend']} {crew} boundaries", accepted, found, writes, person, kills=len(boundaries), started=started
    )


async def _killed(zygote: Zygote, arguments: Mapping[str, object]) -> None:
    """A process that reached its boundary; one that did not has proved nothing."""
    child = await zygote.spawn("tests.chaos.boundaries:die", arguments)
    try:
        if (ended := await child.wait(30)) != -signal.SIGKILL:
            raise ChildError(f"the process for {arguments} ended with {ended}:\n{child.errors}")
    finally:
        await child.close()


async def _count_events(crew: str) -> int:
    """How many events an undisturbed turn stores."""
    async with memory_opener()() as store:
        (turn,) = await accept(store, 1)
        desk = MortalDesk(TurnPersistence(store.log))
        await _play(store, CREWS[crew], Ledger(), desk, turn)
        return desk.written


async def _play(
    store: Store, build: Callable[[Ledger], Orchestrator], ledger: Ledger, desk: MortalDesk, turn: str
) -> None:
    """Run one turn to its end, and be the person it asks."""
    worker = TurnWorker(
        build(ledger), store.queue, store.log, desk, WorkerSettings(owner=f"mortal-{os.getpid()}", lease=LEASE)
    )
    person = Person(store, ledger)
    while (await _status(store.queue, turn)) is not WorkStatus.COMPLETED:
        await worker.run_until_idle()
        work = await store.queue.get(turn)
        if work is not None and work.status is WorkStatus.PAUSED:
            await person.answer(work)


async def _status(queue: TurnQueue, turn: str) -> WorkStatus | None:
    work = await queue.get(turn)
    return None if work is None else work.status


def main() -> int:
    """Run the backends one after another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=[*BACKENDS, "all"], default="all")
    parser.add_argument("--crew", choices=[*CREWS, "all"], default="all")
    parser.add_argument("--stride", type=int, default=1)
    wanted = parser.parse_args()
    is_clean = True
    zygote = Zygote([WORKERS, "tests.chaos.boundaries"])
    for backend, crew in product(chosen(wanted.backend, BACKENDS), chosen(wanted.crew, CREWS)):
        with servers(backend) as place:
            report = asyncio.run(run(zygote, place, stride=wanted.stride, crew=crew))
        sys.stdout.write(report.line() + "\n")
        is_clean = is_clean and report.is_clean
        for problem in report.problems[:10]:
            sys.stdout.write(f"  {problem}\n")
    zygote.close()
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
