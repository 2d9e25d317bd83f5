"""Kill processes that take, read and delete files at every step, and the processes that extract; then count.

    python -m tests.chaos.files --kills 200 [--backend sqlite]

Each round brings one file under a key and every fifth deletes one. Its process dies by SIGKILL at the next step in
turn: before and after each write of a row, each part of an upload, each change of the index or the queue, and the
reading of a file. What it was asked is asked of the next one, as a client does whose answer was lost; in every fourth
round extraction
processes are killed instead. Prints one line per backend and ends with 1 if a promise was broken.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from batuta.agents.documents.library import owner_of
from batuta.knowledge.index import SearchScope
from batuta.knowledge.query import terms_of
from batuta.server.backends import migrate, open_backends
from batuta.server.database.engines import SystemDatabase
from batuta.server.database.tables import files as file_rows
from batuta.server.identity.passwords import Passwords
from batuta.server.identity.service import Identity
from batuta.server.knowledge_index import passage_index
from tests.chaos.file_processes import EMAIL
from tests.support.fleet import Place
from tests.support.processes import Zygote
from tests.support.servers import APP_ROLE, PostgresServer

BACKENDS = ("sqlite", "postgres")
MODULES = ("tests.chaos.file_processes",)
TARGET = "tests.chaos.file_processes:process_files"
ROUND_SECONDS = 90.0
SHOTS = 2
EVERY_DELETION = 5
EVERY_SHOOTING = 4

Task = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class FilesReport:
    """What became of the files."""

    backend: str
    kills: int
    shots: int
    """Extraction processes that were killed."""
    files: int
    deleted: int
    steps: int
    """Where a round without a kill could have died."""
    retried: int
    seconds: float
    problems: tuple[str, ...] = ()

    def line(self) -> str:
        """Everything in one line."""
        return (
            f"files {self.backend}: kills={self.kills} shots={self.shots} files={self.files} deleted={self.deleted} "
            f"steps={self.steps} retried={self.retried} problems={len(self.problems)} seconds={self.seconds:.1f}"
        )

    def require(self) -> None:
        """Fail if a promise was broken."""
        if self.problems:
            raise AssertionError("\n".join([self.line(), *self.problems[:10]]))


def text_of(number: int) -> str:
    """Words of one file alone, and some that all share."""
    return f"Report number {number} about turnover.\n\nIts codeword is quux{number}zanzibar.\n"


@contextmanager
def place_of(backend: str) -> Iterator[Place]:
    """A folder, with PostgreSQL of this run alone where that is meant."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if backend == "sqlite":
            yield Place(data_dir=folder)
            return
        postgres = PostgresServer()
        stack.callback(postgres.discard)
        postgres.start()
        postgres.create_role(APP_ROLE)
        yield Place(data_dir=folder, postgres=postgres, database=postgres.create_database())


async def run(zygote: Zygote, backend: str, *, kills: int) -> FilesReport:
    """Bring, read, delete and kill until there were so many kills; then let one process finish, and look."""
    began = time.monotonic()
    with place_of(backend) as place:
        await migrate(place.owned(), grant_to=APP_ROLE if backend == "postgres" else None)
        async with open_backends(place.owned()) as backends:
            identity = Identity(SystemDatabase(backends.database), place.owned(), Passwords())
            user = await identity.create_user(EMAIL, "Ana", None, roles=("user",))
        rounds = Rounds(zygote, place)
        await rounds.play(kills)
        return FilesReport(
            backend=backend,
            kills=rounds.kills,
            shots=rounds.shots,
            files=rounds.number,
            deleted=len(rounds.deleted),
            steps=rounds.steps,
            retried=rounds.retried,
            seconds=time.monotonic() - began,
            problems=tuple(await problems(place, user.user_id, rounds)),
        )


class Rounds:
    """One process after the other, with what people still wait for."""

    def __init__(self, zygote: Zygote, place: Place) -> None:
        self._zygote = zygote
        self._place = place
        self._open: list[Task] = []
        self.number = 0
        self.kills = self.shots = self.steps = self.retried = 0
        self.deleted: set[int] = set()

    async def play(self, kills: int) -> None:
        await self._round(0)
        ring = self.steps
        while self.kills + self.shots < kills:
            is_shooting = self.number % EVERY_SHOOTING == 0
            await self._round(0 if is_shooting else 1 + self.number % ring, SHOTS if is_shooting else 0)
        await self._round(0, adds=False)

    async def _round(self, kill_at: int, shots: int = 0, *, adds: bool = True) -> None:
        if adds:
            self._open.append(("add", f"{self.number}.txt", text_of(self.number)))
            if self.number % EVERY_DELETION == EVERY_DELETION - 1:
                self._open.append(("delete", f"{self.number - 2}.txt"))
                self.deleted.add(self.number - 2)
            self.number += 1
        about = {"settings": self._place.settings, "tasks": self._open, "kill_at": kill_at, "shots": shots}
        child = await self._zygote.spawn(TARGET, about)
        await child.wait(ROUND_SECONDS)
        done = [tuple(each["done"][:2]) for each in child.messages if "done" in each]
        self._open = [each for each in self._open if each[:2] not in done]
        self.retried += sum("retried" in each for each in child.messages)
        ended = [each for each in child.messages if "ended" in each]
        errors = child.errors
        await child.close()
        if not ended:
            assert kill_at, errors
            self.kills += 1
            return
        self.steps = self.steps or ended[0]["steps"]
        self.shots += ended[0]["shots"]


async def problems(place: Place, user_id: str, rounds: Rounds) -> list[str]:
    """Every broken promise: a file that is lost, there twice, unread, unfound, or not quite gone."""
    settings = place.owned()
    expected = {f"{number}.txt": number for number in range(rounds.number) if number not in rounds.deleted}
    async with open_backends(settings) as backends:
        rows = await SystemDatabase(backends.database).read(lambda c: c.execute(file_rows.select()).all())
    index, scope = passage_index(place.loaded()), SearchScope(owners=(owner_of(user_id),))
    try:
        entries = await index.entries(scope)
        counted = (await index.find(terms_of("turnover"), scope)).statistics
        texts = [await index.content(entry.document_id, scope) for entry in entries]
    finally:
        await index.close()
    found = [f"{row.name} is {row.status} ({row.reason})" for row in rows if row.status != "ready"]
    found += [f"{name} is lost" for name in expected.keys() - {row.name for row in rows}]
    found += [f"{row.name} should not be there" for row in rows if row.name not in expected]
    if len(rows) != len(expected):
        found.append(f"{len(rows)} rows of {len(expected)} files")
    if sorted(entry.document_id for entry in entries) != sorted(row.file_id for row in rows):
        found.append(f"{len(entries)} documents in the index for {len(rows)} files")
    if (counted.passages, *counted.counts) != (sum(entry.passages for entry in entries), len(expected)):
        found.append(f"the index counts {counted} for {len(expected)} files")
    for entry, text in zip(entries, texts, strict=True):
        if text is None or text.text.split() != text_of(expected.get(entry.name, -1)).split():
            found.append(f"{entry.name} has another text")
    kept = [path for path in (place.data_dir / "files").rglob("*") if path.is_file()]
    if len(kept) != len(expected):
        found.append(f"{len(kept)} files on disk for {len(expected)}: {[path.parent.name for path in kept][:5]}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--backend", choices=BACKENDS, action="append")
    chosen = parser.parse_args()
    zygote = Zygote(MODULES)
    try:
        reports = [asyncio.run(run(zygote, each, kills=chosen.kills)) for each in chosen.backend or BACKENDS]
    finally:
        zygote.close()
    for report in reports:
        sys.stdout.write("\n".join([report.line(), *report.problems, ""]))
    sys.exit(any(report.problems for report in reports))


if __name__ == "__main__":
    main()
