"""Kill the process of a turn with tables and charts at every event, then compare with a turn that was left alone.

    python -m tests.chaos.datasets [--backend sqlite] [--stride 1]

Every boundary has a session and a process of its own, which ends itself there by SIGKILL: when everything before the
event is in the log, when the event is too, when what was told since the last barrier is not, and while a commit with it
is under way. Another worker ends the turn: same tables, same specifications, no dataset without an event, and no model
asked again for what is in the log. Prints one line per backend and ends with 1 if a promise was broken.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.server.backends import migrate, open_backends
from batuta.server.config import load_settings
from batuta.server.database.engines import SystemDatabase
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.testing.views import difference
from tests.chaos.boundaries import DEATHS, Death, MortalDesk
from tests.chaos.turns import BACKENDS, chosen
from tests.chaos.workers import Lines
from tests.support.dataset_turns import (
    DatasetOutcome,
    DatasetStage,
    Meter,
    dataset_team,
    options_of,
    outcome_of,
    platform_stage,
    play,
    wait_for_end,
)
from tests.support.fleet import Place
from tests.support.processes import ChildError, Zygote, say
from tests.support.servers import APP_ROLE, PostgresServer
from tests.support.turns import TurnPersistence

LEASE = timedelta(seconds=2)
DEATH_SECONDS = 60
TRIES = 8
"""A process of a busy machine may lose its lease before it dies: then it dies in another session."""


class FileMeter(Meter):
    """Counts that outlive their process."""

    def __init__(self, path: str) -> None:
        self._lines = Lines(path)

    def count(self, what: str) -> None:
        """One more."""
        self._lines[what] = 1

    def counted(self) -> Counter[str]:
        """By what was asked."""
        return Counter(dict(self._lines))


async def die(settings: dict[str, Any], meter: str, kill_at: int, how: Death) -> None:
    """In a process of its own: run the turn up to the boundary."""
    async with open_backends(load_settings({}, **settings)) as backends:
        say(ready=True)
        store = DatabaseDatasetStore(SystemDatabase(backends.database))
        desk = MortalDesk(TurnPersistence(backends.log), kill_at, how)
        chosen_settings = WorkerSettings(owner=f"mortal-{os.getpid()}", lease=LEASE, options=options_of(store))
        team = dataset_team(FileMeter(meter))
        await TurnWorker(team, backends.queue, backends.log, desk, chosen_settings).run_until_idle()


async def run(zygote: Zygote, place: Place, *, stride: int) -> tuple[str, list[str]]:
    """Every boundary, or every so many: a line about them, and what is wrong."""
    await migrate(place.owned(), **({} if place.postgres is None else {"grant_to": APP_ROLE}))
    given = {**place.settings, "worker_concurrency": 0}
    began, problems, again = time.monotonic(), [], 0
    async with platform_stage(load_settings({}, **given, port=0, metrics_port=0)) as stage:
        calm = await play(stage)
        boundaries = [(n, how) for n in range(1, calm.event_count + 1) for how in DEATHS][::stride]
        for kill_at, how in boundaries:
            found = await _killed_and_ended(zygote, stage, given, kill_at, how)
            problems += [f"killed at {kill_at}, {how}: {line}" for line in _wrong(found, calm)]
            again += sum((found.calls - calm.calls).values())
    line = (
        f"datasets {'sqlite' if place.postgres is None else 'postgres'}: events={calm.event_count} "
        f"kills={len(boundaries)} calls_under_way_repeated={again} problems={len(problems)} "
        f"seconds={time.monotonic() - began:.1f}"
    )
    return line, problems


async def _killed_and_ended(
    zygote: Zygote, stage: DatasetStage, settings: dict[str, Any], kill_at: int, how: Death
) -> DatasetOutcome:
    for _ in range(TRIES - 1):
        with contextlib.suppress(ChildError):
            return await _killed_once(zygote, stage, settings, kill_at, how)
    return await _killed_once(zygote, stage, settings, kill_at, how)


async def _killed_once(
    zygote: Zygote, stage: DatasetStage, settings: dict[str, Any], kill_at: int, how: Death
) -> DatasetOutcome:
    session, turn = await stage.begin()
    with tempfile.TemporaryDirectory() as folder:
        meter = str(Path(folder) / "calls")
        arguments = {"settings": settings, "meter": meter, "kill_at": kill_at, "how": how}
        child = await zygote.spawn("tests.chaos.datasets:die", arguments)
        try:
            await child.expect_exit(-signal.SIGKILL, DEATH_SECONDS)
        except ChildError:
            await child.kill()
            # The process of the next try must not find this turn in the queue.
            await wait_for_end(stage, turn, Meter(), TurnPersistence(stage.log))
            raise
        finally:
            await child.close()
        counted = FileMeter(meter)
        await wait_for_end(stage, turn, counted, TurnPersistence(stage.log))
        return await outcome_of(stage, session, counted.counted())


def _wrong(found: DatasetOutcome, calm: DatasetOutcome) -> Iterator[str]:
    if found.view != calm.view:
        yield f"another view: {difference(found.view, calm.view)}"
    if found.tables != calm.tables:
        yield "other tables"
    if found.specs != calm.specs:
        yield "other specifications"
    yield from found.orphans
    if sum((found.calls - calm.calls).values()) > 1:
        yield f"models were asked again: {found.calls - calm.calls}"


@contextmanager
def place_of(backend: str) -> Iterator[Place]:
    """A folder, or a PostgreSQL server of this run alone, used by the recommended role."""
    with tempfile.TemporaryDirectory() as folder:
        if backend == "sqlite":
            yield Place(data_dir=Path(folder))
            return
        server = PostgresServer({"max_connections": "100"})
        try:
            server.start()
            server.create_role(APP_ROLE)
            yield Place(data_dir=Path(folder), postgres=server, database=server.create_database())
        finally:
            server.discard()


def main() -> int:
    """Run the backends one after another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=[*BACKENDS, "all"], default="all")
    parser.add_argument("--stride", type=int, default=1)
    wanted = parser.parse_args()
    zygote = Zygote(["tests.chaos.datasets"])
    broken = 0
    for backend in chosen(wanted.backend, BACKENDS):
        with place_of(backend) as place:
            line, problems = asyncio.run(run(zygote, place, stride=wanted.stride))
        sys.stdout.write("\n".join([line, *problems[:10]]) + "\n")
        broken += len(problems)
    zygote.close()
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
