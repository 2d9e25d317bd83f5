"""Kill writers and projectors of every backend at random moments, then ask the verifier what is left.

    python -m tests.chaos.eventlog --kills 200 --events 25000 [--backend sqlite] [--seed 1]

Prints one line per backend and ends with 1 if a promise was broken.
"""

import argparse
import asyncio
import contextlib
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from random import Random
from typing import Any

from batuta.eventstore.audit import verify as verify_chains
from batuta.eventstore.migrations import migrate
from batuta.eventstore.readmodels import READ_MODELS
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import everything
from tests.chaos.children import digest_of
from tests.support.history import AckedAppend, History, LogEntry, ProjectedRow
from tests.support.processes import Child, Zygote
from tests.support.servers import PostgresServer, RedisServer
from tests.support.stores import Store, opener_of
from tests.support.verifier import BrokenPromiseError, Report, verify

BACKENDS = ("sqlite", "postgres", "redis")
CHILDREN = "tests.chaos.children"
WRITERS, TASKS, SESSIONS = 2, 8, 12
LONGEST_SECONDS = 600.0


@contextmanager
def servers(backend: str) -> Iterator[dict[str, str]]:
    """Servers of this run alone, and where they are."""
    with contextlib.ExitStack() as stack:
        place = {"backend": backend}
        if backend == "sqlite":
            place["path"] = str(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "team.db")
        if backend in ("postgres", "redis"):
            database = PostgresServer()
            stack.callback(database.discard)
            database.start()
            place["url"] = database.url(database.create_database())
        if backend == "redis":
            cache = RedisServer()
            stack.callback(cache.discard)
            cache.start()
            place["redis_url"] = cache.url()
        yield place


async def run(zygote: Zygote, place: Mapping[str, str], *, kills: int, events: int, seed: int) -> Report:
    """Load, kill, settle, verify."""
    if "url" in place:
        await migrate(place["url"])
    sessions = [new_id() for _ in range(SESSIONS)]
    children = await _load_and_kill(zygote, place, sessions, kills=kills, events=events, seed=seed)
    acked = tuple(AckedAppend(**said["acked"]) for child in children for said in child.messages if "acked" in said)
    async with opener_of(place)() as store:
        history = await _history(store, sessions, acked)
        report = verify(history, backend=place["backend"], kills=kills)
        await require_sound(store, report)
    return report


async def _load_and_kill(
    zygote: Zygote, place: Mapping[str, str], sessions: list[str], *, kills: int, events: int, seed: int
) -> list[Child]:
    rng, killed, dead = Random(seed), 0, 0
    ended: list[Child] = []
    async with _population(zygote, place, sessions) as alive:
        deadline = time.monotonic() + LONGEST_SECONDS
        while killed < kills or dead + _acked(alive.values()) < events:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{killed} kills and {dead} events in {LONGEST_SECONDS:g} s")
            await asyncio.sleep(rng.uniform(0.01, 0.2))
            if killed < kills:
                role = rng.choice(sorted(alive))
                victim = alive[role]
                await victim.kill()
                killed += 1
                dead += _acked([victim])
                ended.append(victim)
                alive[role] = await _spawn(zygote, place, sessions, role)
        for child in alive.values():
            await child.kill()
        ended += alive.values()
    return ended


@asynccontextmanager
async def _population(zygote: Zygote, place: Mapping[str, str], sessions: list[str]) -> AsyncIterator[dict[str, Child]]:
    roles = [*(f"write-{number}" for number in range(WRITERS)), "project"]
    alive = {role: await _spawn(zygote, place, sessions, role) for role in roles}
    try:
        yield alive
    finally:
        for child in alive.values():
            await child.close()


async def _spawn(zygote: Zygote, place: Mapping[str, str], sessions: list[str], role: str) -> Child:
    arguments: dict[str, Any] = {"place": dict(place)}
    if role.startswith("write"):
        arguments |= {"sessions": sessions, "tasks": TASKS}
    return await zygote.spawn(f"{CHILDREN}:{role.partition('-')[0]}", arguments)


def _acked(children: Any) -> int:
    return sum("acked" in said for child in children for said in child.messages)


async def _history(store: Store, sessions: list[str], acked: tuple[AckedAppend, ...]) -> History:
    await store.settle()
    entries = []
    for session in sessions:
        for record in await everything(store.log, session):
            assert record.event is not None
            facts = {"session": session, "epoch": record.epoch, "seq": record.seq, "digest": digest_of(record.event)}
            entries.append(LogEntry(event_id=record.event.event_id, **facts))  # type: ignore[arg-type]
    rows = tuple(
        ProjectedRow(session=row["session_id"], epoch=row["epoch"], seq=row["seq"], event_id=row["event_id"])
        for row in await store.projections.rows("messages")
    )
    return History(acked=acked, log=tuple(entries), rows=rows)


async def require_sound(store: Store, report: Report) -> None:
    """The chain verifies, and read models made anew are the same."""
    broken = [found async for found in verify_chains(store.log, store.audit) if not found.is_sound]
    if broken:
        raise BrokenPromiseError(f"{report.line()}\nthe chain is broken: {broken[:3]}")
    before = [await store.projections.rows(table) for table in READ_MODELS]
    await store.projector.rebuild()
    if [await store.projections.rows(table) for table in READ_MODELS] != before:
        raise BrokenPromiseError(f"{report.line()}\nread models made anew differ from those that were there")


def main() -> int:
    """Run the backends one after another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--events", type=int, default=34_000)
    parser.add_argument("--backend", choices=[*BACKENDS, "all"], default="all")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    wanted = parser.parse_args()
    is_clean = True
    zygote = Zygote([CHILDREN])
    for backend in BACKENDS if wanted.backend == "all" else (wanted.backend,):
        with servers(backend) as place:
            options = {"kills": wanted.kills, "events": wanted.events, "seed": wanted.seed}
            report = asyncio.run(run(zygote, place, **options))
        sys.stdout.write(f"{report.line()} seed={wanted.seed}\n")
        is_clean = is_clean and report.is_clean
        if not report.is_clean:
            sys.stdout.write(report.explain() + "\n")
    zygote.close()
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
