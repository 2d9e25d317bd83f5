"""Uploads: announced once, received in parts, made whole once, whatever dies in between (P-34).

    announce -> parts -> bytes kept by their hash -> row and job in one transaction -> queue

Each arrow may be cut by a kill. The client asks where it stands and goes on; an upload whose bytes are all there but
that was never completed is found by `sweep`.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.ids import new_id
from batuta.knowledge.extract.sniff import MEDIA_TYPES, SNIFFED_BYTES, sniff
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.files import repository
from batuta.server.files.blobs import BlobStore, StorageFullError, UploadBusyError, UploadMovedError
from batuta.server.files.names import checked_folder, checked_name
from batuta.server.files.removal import FileRemoval
from batuta.server.files.repository import StoredFile
from batuta.server.problems import ConflictProblem, NoRoomProblem, NotFoundProblem, TooLargeProblem
from batuta.server.security.ownership import Caller

BYTES = "application/octet-stream"
LEFT_BEHIND = timedelta(seconds=30)
ABANDONED = timedelta(days=7)
"""After this time an abandoned upload releases its quota."""
SWEPT = 100
DELETION_WAIT_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingJob:
    """A job that reads a file."""

    job_id: str
    queue: Callable[[], Awaitable[None]]
    """Lets a worker begin with it, once it is stored."""


StartIndexing = Callable[[sa.Connection, StoredFile], IndexingJob]
"""Stores a job that reads a file, in the same transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLimits:
    """What one person may keep."""

    max_file_bytes: int
    max_total_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """What a client says of a file before its bytes."""

    name: str
    folder: str = ""
    size_bytes: int
    client_key: str | None = None
    """The same key again is the same upload."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadPart:
    """Bytes of a file as a client sends them."""

    offset: int
    """How much the client takes to be there."""
    chunks: AsyncIterator[bytes]
    length: int | None = None
    """How many there are, if that is known before they come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What became of an upload whose bytes are there."""

    file: StoredFile | None
    """Nothing if it was deleted meanwhile."""
    job: IndexingJob | None = None
    """Nothing if it was kept before."""


class Uploads:
    """Takes the bytes of files."""

    def __init__(
        self,
        database: Database,
        blobs: BlobStore,
        removal: FileRemoval,
        *,
        limits: FileLimits,
        start_indexing: StartIndexing,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.limits = limits
        self._database = SystemDatabase(database)
        self._blobs = blobs
        self._removal = removal
        self._start_indexing = start_indexing
        self._clock = clock

    async def begin(self, caller: Caller, announced: Announcement) -> StoredFile:
        """Announce an upload. Its room is taken from now on."""
        if announced.size_bytes > self.limits.max_file_bytes:
            raise TooLargeProblem(f"A file may have up to {self.limits.max_file_bytes // 1024**2} MiB.")
        file = self._drafted(caller, announced)

        def write(connection: sa.Connection) -> StoredFile:
            known = repository.announced(connection, caller.user_id, file.client_key) if file.client_key else None
            if known is not None:
                return known
            if repository.used_bytes(connection, caller.user_id) + file.size_bytes > self.limits.max_total_bytes:
                raise ConflictProblem("There is no room for this file. Delete files that you do not need any more.")
            repository.add(connection, file)
            return file

        kept = await self._database.write(write)
        if (kept.name, kept.size_bytes) != (file.name, file.size_bytes):
            raise ConflictProblem("This Idempotency-Key was used for another file; use a new one.", code="UPLOAD_KEY")
        return await self.complete(kept) if not kept.size_bytes and kept.digest is None else kept

    async def offset(self, file: StoredFile) -> int:
        """How much of an upload is there; what is all there is made whole, should its last request have died."""
        if file.digest is not None:
            return file.size_bytes
        done = await self._blobs.offset(file.file_id)
        if done >= file.size_bytes:
            await self.complete(file)
        return done

    async def receive(self, file: StoredFile, part: UploadPart) -> int:
        """Take the next part of an upload: how much is there then. The last part starts its processing.

        Raises `TooLargeProblem` for more than was announced; such a part completes nothing.
        """
        done = await self.offset(file)
        if done >= file.size_bytes or part.offset != done:
            raise _stands_at(done)
        room = file.size_bytes - done
        if part.length is not None and part.length > room:
            raise _goes_beyond(file)
        try:
            chunks = _within(part.chunks, room, file)
            done = await self._blobs.append(file.file_id, chunks, begin=done, limit=file.size_bytes)
            if done >= file.size_bytes:
                await self.complete(file)
        except UploadBusyError as error:
            raise ConflictProblem("Another request is sending this upload.", code="UPLOAD_BUSY") from error
        except UploadMovedError as error:
            raise _stands_at(await self._blobs.offset(file.file_id)) from error
        except StorageFullError as error:
            await self._withdraw(file)
            raise NoRoomProblem from error
        if done < file.size_bytes:
            now = self._clock.now()
            await self._database.write(lambda connection: repository.change(connection, file.file_id, now=now))
        return done

    async def complete(self, file: StoredFile) -> StoredFile:
        """Make an upload whose bytes are there a file, and start to read it. Once, however often it is called."""
        if not file.size_bytes:
            await self._blobs.append(file.file_id, _nothing(), begin=0, limit=0)
        while True:
            digest = await self._blobs.finish(file.file_id)
            path = await self._blobs.local_path(digest)
            media_type = await asyncio.to_thread(_media_type, path, file.name) if path else BYTES
            kept = await self._keep(file, digest, media_type)
            if kept is not None:
                break
            await self._removal.sweep()
            await asyncio.sleep(DELETION_WAIT_SECONDS)
        if kept.job is not None:
            # The file is kept, whatever the queue says: what it does not take now, the worker of jobs queues later.
            with contextlib.suppress(StoreUnavailableError):
                await kept.job.queue()
        await self._blobs.discard(file.file_id)
        if kept.file is None:  # deleted meanwhile: these bytes go as well
            await self._removal.remove(replace(file, digest=digest))
            raise NotFoundProblem
        return kept.file

    async def read_again(self, file: StoredFile, **values: str) -> str:
        """Start to read a file that is whole anew, under another name if one is given: the id of the job."""
        now = self._clock.now()

        def write(connection: sa.Connection) -> IndexingJob:
            known = repository.one(connection, file.file_id)
            if known is None:
                raise NotFoundProblem
            if known.digest is None:
                raise ConflictProblem("This file is still being uploaded.")
            job = self._start_indexing(connection, replace(known, name=values.get("name", known.name)))
            begun = {"status": "processing", "reason": None, "job_id": job.job_id}
            repository.change(connection, file.file_id, now=now, **begun, **values)
            return job

        job = await self._database.write(write)
        await job.queue()
        return job.job_id

    async def sweep(self) -> int:
        """Complete uploads whose last request died and drop abandoned ones; returns how many."""
        now = self._clock.now()
        left = await self._database.read(
            lambda connection: repository.left_in(connection, "uploading", before=now - LEFT_BEHIND, limit=SWEPT)
        )
        count = 0
        for file in left:
            if await self._blobs.offset(file.file_id) >= file.size_bytes:
                await self.complete(file)
            elif file.updated_at < now - ABANDONED:
                await self._removal.remove(file)
            else:
                continue
            count += 1
        return count

    async def _withdraw(self, file: StoredFile) -> None:
        """Give back what an upload took of a full disk. Its bytes first: a row on the same disk needs room to go."""
        await self._blobs.discard(file.file_id)
        await self._removal.remove(file)

    async def _keep(self, file: StoredFile, digest: str, media_type: str) -> _Kept | None:
        """Write the row and its job, once. Nothing if the same bytes are about to go with another file: they have to
        be kept anew after that.
        """
        now = self._clock.now()

        def write(connection: sa.Connection) -> _Kept | None:
            repository.lock_content(connection, digest)
            known = repository.one(connection, file.file_id)
            if known is None or known.digest is not None:
                return _Kept(file=known)
            if repository.is_being_deleted(connection, digest):
                return None
            job = self._start_indexing(connection, known)
            values = {"digest": digest, "media_type": media_type, "status": "processing", "job_id": job.job_id}
            repository.change(connection, file.file_id, now=now, **values)
            return _Kept(file=repository.one(connection, file.file_id), job=job)

        return await self._database.write(write)

    def _drafted(self, caller: Caller, announced: Announcement) -> StoredFile:
        now = self._clock.now()
        return StoredFile(
            file_id=new_id(),
            user_id=caller.user_id,
            workspace_id=caller.workspace_id,
            folder=checked_folder(announced.folder),
            name=checked_name(announced.name),
            media_type=BYTES,
            size_bytes=announced.size_bytes,
            digest=None,
            status="uploading",
            reason=None,
            job_id=None,
            created_at=now,
            updated_at=now,
            client_key=announced.client_key,
        )


async def _within(chunks: AsyncIterator[bytes], room: int, file: StoredFile) -> AsyncIterator[bytes]:
    """The chunks of a part whose length is not known. The one that fills the room is given once nothing follows it."""
    last = b""
    async for chunk in chunks:
        room -= len(chunk)
        if room < 0:
            raise _goes_beyond(file)
        if room:
            yield chunk
        else:
            last = last or chunk
    yield last


def _goes_beyond(file: StoredFile) -> TooLargeProblem:
    words = f"This upload was announced with {file.size_bytes} bytes, and this part goes beyond them."
    return TooLargeProblem(words, code="UPLOAD_LENGTH")


def _stands_at(done: int) -> ConflictProblem:
    return ConflictProblem(f"This upload stands at {done} bytes; go on from there.", code="UPLOAD_OFFSET")


def _media_type(path: Path, name: str) -> str:
    """By its first bytes alone: archives are looked into where that can be bounded, by the process that reads files."""
    with path.open("rb") as content:
        return MEDIA_TYPES.get(sniff(content.read(SNIFFED_BYTES), name), BYTES)


async def _nothing() -> AsyncIterator[bytes]:
    yield b""
