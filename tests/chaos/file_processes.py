"""A process that takes, reads and deletes files, and dies at the step it was given."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import sqlalchemy as sa

from batuta.knowledge.extract.extractor import Extractor
from batuta.server import file_processing
from batuta.server.backends import open_backends
from batuta.server.config import load_settings
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.database.principal import acting_as
from batuta.server.database.tables import files as file_rows
from batuta.server.file_processing import FileProcessing
from batuta.server.files import removal, uploads
from batuta.server.files.uploads import Announcement, UploadPart
from batuta.server.identity.passwords import Passwords
from batuta.server.identity.service import Identity
from batuta.server.jobs import worker as job_worker
from batuta.server.knowledge_index import passage_index
from batuta.server.problems import NotFoundProblem
from batuta.server.security.ownership import Caller, Credential
from batuta.server.storage import uploaded_files
from tests.support.processes import say

EMAIL = "ana@example.com"
LEASE = timedelta(seconds=1)
QUICK = timedelta(milliseconds=200)
LONGEST_SECONDS = 60.0
LONGEST_READING_SECONDS = 0.05
STEPS = frozenset({"write", "append", "finish", "discard", "delete", "accept", "lease", "put", "remove", "extract"})
"""Calls at whose beginning and end a process may die: everything that leaves a trace, and the reading of a file."""


class Mortality:
    """Counts the steps of a process and kills it at one of them."""

    def __init__(self, kill_at: int) -> None:
        self.kill_at = kill_at
        self.passed = 0

    def step(self) -> None:
        self.passed += 1
        if self.passed == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


class Mortal:
    """An object whose steps can be its process's last."""

    def __init__(self, inner: object, mortality: Mortality) -> None:
        self._inner = inner
        self._mortality = mortality

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return self._mortal(found) if name in STEPS else found

    def _mortal(self, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def stepped(*args: Any, **named: Any) -> Any:
            self._mortality.step()
            answer = await call(*args, **named)
            self._mortality.step()
            return answer

        return stepped


class ShotExtractor(Extractor):
    """Reads files while its processes are killed: in turn the whole extraction, and the reader of one file alone."""

    chance = Random(0)
    shots = 0
    left = 0

    async def extract(self, *args: Any, **named: Any) -> Any:
        shooting = asyncio.create_task(self._shoot()) if self.left else None
        try:
            return await super().extract(*args, **named)
        finally:
            if shooting is not None:
                shooting.cancel()

    async def _shoot(self) -> None:
        for _ in range(min(2, self.left)):
            await asyncio.sleep(self.chance.random() * LONGEST_READING_SECONDS)
            process = next((each._process for each in self._all if each._process is not None), None)
            if process is not None and process.returncode is None and _shoot(process.pid, self.shots % 2 == 1):
                ShotExtractor.shots += 1
                ShotExtractor.left -= 1


def _shoot(process: int, is_reader: bool) -> bool:
    """Kill an extraction process with all it does, or only the reader of its file; whether there was one."""
    if not is_reader:
        os.killpg(process, signal.SIGKILL)
        return True
    readers = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    for reader in readers:
        os.kill(int(reader), signal.SIGKILL)
    return bool(readers)


def process_files(
    settings: Mapping[str, Any], tasks: Sequence[Sequence[str]], kill_at: int = 0, shots: int = 0
) -> None:
    """Do what people asked for, and read files until all of them were read; die at the step, if one is given."""
    asyncio.run(_process(settings, tasks, kill_at, shots))


async def _process(settings: Mapping[str, Any], tasks: Sequence[Sequence[str]], kill_at: int, shots: int) -> None:
    mortality = Mortality(kill_at)
    given = load_settings({}, **settings)
    ShotExtractor.left = shots
    ShotExtractor.chance = Random(kill_at + shots + len(tasks))
    made: dict[str, Callable[..., Mortal]] = {
        "passage_index": lambda s: Mortal(passage_index(s), mortality),
        "uploaded_files": lambda s: Mortal(uploaded_files(s), mortality),
        "Extractor": lambda **options: Mortal(ShotExtractor(**options), mortality),
    }
    for name, make in made.items():
        setattr(file_processing, name, make)
    job_worker.REPAIR_EVERY = job_worker.STALE = job_worker.RETRY_DELAY = QUICK
    removal.LEFT_BEHIND = uploads.LEFT_BEHIND = timedelta(seconds=1)
    async with open_backends(given) as opened:
        database: Any = Mortal(opened.database, mortality)
        queue: Any = Mortal(opened.queue, mortality)
        backends = replace(opened, database=database, queue=queue)
        [user] = await Identity(SystemDatabase(opened.database), given, Passwords()).users()
        caller = Caller(
            user_id=user.user_id,
            workspace_id=user.workspace_id,
            email=user.email,
            name=user.name,
            roles=frozenset(user.roles),
            credential=Credential(kind="login", digest=""),
        )
        with acting_as(caller.principal):
            async with file_processing.open_file_processing(given, backends) as processing:
                processing.worker.lease = LEASE
                await _work(processing, caller, tasks, SystemDatabase(opened.database))
    say(ended=True, steps=mortality.passed, shots=ShotExtractor.shots)


async def _work(processing: FileProcessing, caller: Caller, tasks: Sequence[Sequence[str]], database: Database) -> None:
    working = asyncio.create_task(processing.worker.run())
    try:
        for task in tasks:
            say(done=[task[0], task[1], await DOING[task[0]](processing, caller, *task[1:])])
        await _rest(processing, caller, working, database)
    finally:
        working.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await working


async def _rest(processing: FileProcessing, caller: Caller, working: "asyncio.Task[None]", database: Database) -> None:
    """Wait until every file has been read, has failed or is quite gone; one that was interrupted is tried again."""
    deleted = sa.select(sa.func.count()).where(file_rows.c.status == "deleted")
    ends = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < ends and not working.done():
        files = await processing.files.page(caller, folder=None, after="", limit=10_000)
        for file in files:
            if file.status == "failed" and file.reason == "interrupted":
                say(retried=file.name)
                await processing.files.process_again(file.file_id)
        is_read = all(file.status in ("ready", "failed") for file in files)
        if is_read and not await database.read(lambda connection: connection.execute(deleted).scalar_one()):
            return
        await asyncio.sleep(0.1)


async def _add(processing: FileProcessing, caller: Caller, name: str, text: str) -> str:
    """As a client that resumes: announced under one key, sent from where the server stands."""
    data = text.encode()
    file = await processing.files.begin(caller, Announcement(name=name, size_bytes=len(data), client_key=name))
    _, offset = await processing.files.offset(file.file_id)
    while offset < len(data):
        half = data[offset : offset + len(data) // 2 + 1]

        async def part(bytes_: bytes = half) -> Any:
            yield bytes_

        offset = await processing.files.receive(file.file_id, UploadPart(offset=offset, chunks=part()))
    return file.file_id


async def _delete(processing: FileProcessing, caller: Caller, name: str) -> str:
    files = await processing.files.page(caller, folder=None, after="", limit=10_000)
    for file in files:
        if file.name == name:
            with contextlib.suppress(NotFoundProblem):
                await processing.files.delete(file.file_id)
    return name


DOING: Mapping[str, Callable[..., Awaitable[str]]] = {"add": _add, "delete": _delete}
