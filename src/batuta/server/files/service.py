"""Files of people: received in parts, kept once by content, indexed by a job, forgotten at once (P-34)."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from batuta.agents.documents.library import SHARED, owner_of
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.ids import new_id
from batuta.knowledge.document import DocumentText
from batuta.knowledge.extract.sniff import MEDIA_TYPES, SNIFFED_BYTES, sniff
from batuta.knowledge.folder import FOLDER_PREFIX
from batuta.knowledge.index import PassageIndex, SearchScope
from batuta.knowledge.retrieve import RetrievedPassage, Retriever
from batuta.knowledge.synonyms import SYNONYMS
from batuta.knowledge.vectors.search import MeaningSearch
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.files import repository
from batuta.server.files.blobs import BlobStore, UploadBusyError
from batuta.server.files.repository import StoredFile
from batuta.server.problems import BadRequestProblem, ConflictProblem, NotFoundProblem, TooLargeProblem
from batuta.server.security.ownership import Caller

MAX_NAME_CHARS = 200
MAX_FOLDER_CHARS = 400
BYTES = "application/octet-stream"

_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f/\\]")

StartIndexing = Callable[[sa.Connection, StoredFile], str]
"""Keeps a job that reads a file, in the same transaction: its id."""
QueueIndexing = Callable[[str], Awaitable[None]]
"""Lets a worker begin with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLimits:
    """What one person may keep."""

    max_file_bytes: int
    max_total_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFilter:
    """Which files a search looks at; without anything, all of them and those of everybody."""

    folder: str | None = None
    kind: str | None = None
    """The end of a name, such as `pdf`."""

    def admits(self, file: StoredFile) -> bool:
        """Whether a file is looked at."""
        is_inside = self.folder is None or file.folder == self.folder or file.folder.startswith(f"{self.folder}/")
        return is_inside and (self.kind is None or file.name.lower().endswith(f".{self.kind.lower()}"))


class Files:
    """The files of people."""

    def __init__(
        self,
        database: Database,
        blobs: BlobStore,
        index: PassageIndex,
        *,
        limits: FileLimits,
        start_indexing: StartIndexing,
        queue_indexing: QueueIndexing,
        meaning: MeaningSearch | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._database = database
        self._system = SystemDatabase(database)
        self._blobs = blobs
        self._index = index
        self._limits = limits
        self._start_indexing = start_indexing
        self._queue_indexing = queue_indexing
        self._retriever = Retriever(index, synonyms=SYNONYMS, meaning=meaning)
        self._clock = clock

    async def begin(self, caller: Caller, name: str, folder: str, size_bytes: int) -> StoredFile:
        """Announce an upload. Its room is taken from now on."""
        if size_bytes > self._limits.max_file_bytes:
            raise TooLargeProblem(f"A file may have up to {self._limits.max_file_bytes // 1024**2} MiB.")
        now = self._clock.now()
        file = StoredFile(
            file_id=new_id(),
            user_id=caller.user_id,
            workspace_id=caller.workspace_id,
            folder=checked_folder(folder),
            name=checked_name(name),
            media_type=BYTES,
            size_bytes=size_bytes,
            digest=None,
            status="uploading",
            reason=None,
            job_id=None,
            created_at=now,
            updated_at=now,
        )

        def write(connection: sa.Connection) -> None:
            if repository.used_bytes(connection, caller.user_id) + size_bytes > self._limits.max_total_bytes:
                raise ConflictProblem("There is no room for this file. Delete files that you do not need any more.")
            repository.add(connection, file)

        await self._system.write(write)
        return file if size_bytes else await self._complete(file)

    async def offset(self, file_id: str) -> tuple[StoredFile, int]:
        """An upload and how much of it is there."""
        file = await self.get(file_id)
        done = file.size_bytes if file.digest is not None else await self._blobs.offset(file.file_id)
        return file, done

    async def receive(self, file_id: str, offset: int, chunks: AsyncIterator[bytes]) -> int:
        """Take the next part of an upload: how much is there then. The last part starts its processing."""
        file, done = await self.offset(file_id)
        if file.digest is not None or offset != done:
            raise ConflictProblem(f"This upload stands at {done} bytes; go on from there.", code="UPLOAD_OFFSET")
        try:
            done = await self._blobs.append(file.file_id, chunks, limit=file.size_bytes)
        except UploadBusyError as error:
            raise ConflictProblem("Another request is sending this upload.", code="UPLOAD_BUSY") from error
        if done >= file.size_bytes:
            await self._complete(file)
        return done

    async def get(self, file_id: str) -> StoredFile:
        """A file of whoever the database shows it to."""
        file = await self._database.read(lambda connection: repository.one(connection, file_id.upper()))
        if file is None:
            raise NotFoundProblem
        return file

    async def page(self, caller: Caller, *, folder: str | None, after: str, limit: int) -> Sequence[StoredFile]:
        """Files of the caller, newest first."""
        return await self._database.read(
            lambda connection: repository.page(connection, caller.user_id, folder=folder, after=after, limit=limit)
        )

    async def folders(self, caller: Caller) -> Sequence[str]:
        """Folders of the caller."""
        return await self._database.read(lambda connection: repository.folders(connection, caller.user_id))

    async def used(self, caller: Caller) -> tuple[int, int]:
        """How many bytes the caller's files take, of how many."""
        used = await self._database.read(lambda connection: repository.used_bytes(connection, caller.user_id))
        return used, self._limits.max_total_bytes

    async def rename(self, file_id: str, *, name: str | None, folder: str | None) -> StoredFile:
        """Give a file another name or folder; its text is indexed under the new one."""
        file = await self.get(file_id)
        values = {
            "name": checked_name(name) if name is not None else file.name,
            "folder": checked_folder(folder) if folder is not None else file.folder,
        }
        now = self._clock.now()
        if file.digest is None:
            await self._system.write(lambda c: repository.change(c, file.file_id, now=now, **values))
        else:
            await self.process_again(file_id, **values)
        return await self.get(file_id)

    async def process_again(self, file_id: str, **values: str) -> str:
        """Read a file again: the id of the job."""
        file = await self.get(file_id)
        now = self._clock.now()

        def write(connection: sa.Connection) -> str:
            job_id = self._start_indexing(connection, file)
            repository.change(
                connection, file.file_id, now=now, status="processing", reason=None, job_id=job_id, **values
            )
            return job_id

        job_id = await self._system.write(write)
        await self._queue_indexing(job_id)
        return job_id

    async def delete(self, file_id: str) -> None:
        """Forget a file: its row first, so that nobody sees it, then its words, then its bytes if no one else's are."""
        file = await self.get(file_id)
        await self._forget(file)

    async def erase_user(self, user_id: str) -> int:
        """Forget all files of a person: how many there were."""
        files = await self._system.read(lambda connection: repository.of_user(connection, user_id))
        for file in files:
            await self._forget(file)
        await self._index.remove(SearchScope(owners=(owner_of(user_id),)))
        return len(files)

    async def content(self, file_id: str) -> tuple[StoredFile, Path]:
        """A file and where its bytes are."""
        file = await self.get(file_id)
        path = None if file.digest is None else await self._blobs.local_path(file.digest)
        if path is None:
            raise NotFoundProblem
        return file, path

    async def text(self, file_id: str) -> tuple[StoredFile, DocumentText]:
        """A file and its text, as it was read."""
        file = await self.get(file_id)
        text = await self._index.content(file.file_id, SearchScope(owners=(owner_of(file.user_id),)))
        if text is None:
            raise NotFoundProblem
        return file, text

    def owner(self, caller: Caller) -> str:
        """The owner of the caller's documents in the index."""
        return owner_of(caller.user_id)

    async def search(
        self, caller: Caller, question: str, *, chosen: Sequence[str], wanted: FileFilter, limit: int
    ) -> list[RetrievedPassage]:
        """Passages of the caller's documents, and of those of everybody."""
        owners: tuple[str, ...] = (owner_of(caller.user_id), SHARED)
        ids = frozenset(each if each.startswith(FOLDER_PREFIX) else each.upper() for each in chosen)
        if wanted != FileFilter():
            mine = await self._system.read(lambda connection: repository.of_user(connection, caller.user_id))
            admitted = frozenset(file.file_id for file in mine if wanted.admits(file))
            owners, ids = owners[:1], admitted & ids if ids else admitted
            if not ids:
                return []
        scope = SearchScope(owners=owners, documents=ids or None)
        return await self._retriever.search(question, scope, limit=limit)

    async def _complete(self, file: StoredFile) -> StoredFile:
        if not file.size_bytes:
            await self._blobs.append(file.file_id, _nothing(), limit=0)
        digest = await self._blobs.finish(file.file_id)
        path = await self._blobs.local_path(digest)
        media_type = await asyncio.to_thread(_media_type, path, file.name) if path else BYTES
        now = self._clock.now()

        def write(connection: sa.Connection) -> str:
            job_id = self._start_indexing(connection, file)
            values = {"digest": digest, "media_type": media_type, "status": "processing", "job_id": job_id}
            repository.change(connection, file.file_id, now=now, **values)
            return job_id

        job_id = await self._system.write(write)
        await self._queue_indexing(job_id)
        await self._blobs.discard(file.file_id)
        return await self.get(file.file_id)

    async def _forget(self, file: StoredFile) -> None:
        def write(connection: sa.Connection) -> bool:
            repository.remove(connection, file.file_id)
            return file.digest is not None and not repository.is_used(connection, file.digest)

        is_last = await self._system.write(write)
        scope = SearchScope(owners=(owner_of(file.user_id),), documents=frozenset({file.file_id}))
        await self._index.remove(scope)
        await self._blobs.discard(file.file_id)
        if is_last and file.digest is not None:
            await self._blobs.delete(file.digest)


def checked_name(name: str) -> str:
    """A name that can be shown and stored. Raises `BadRequestProblem`."""
    plain = " ".join(name.split())
    if not plain or len(plain) > MAX_NAME_CHARS or _FORBIDDEN.search(name) or plain in (".", ".."):
        raise BadRequestProblem(f"A file needs a name of 1 to {MAX_NAME_CHARS} characters without slashes.")
    return plain


def checked_folder(folder: str) -> str:
    """A folder such as `contracts/2026`. Raises `BadRequestProblem`."""
    parts = [part for part in folder.strip("/").split("/") if part]
    if len(folder) > MAX_FOLDER_CHARS:
        raise BadRequestProblem(f"The name of a folder may have {MAX_FOLDER_CHARS} characters.")
    return "/".join(checked_name(part) for part in parts)


def _media_type(path: Path, name: str) -> str:
    with path.open("rb") as content:
        head = content.read(SNIFFED_BYTES)
    whole = path.read_bytes() if head.startswith(b"PK") and path.stat().st_size < 64 * 1024**2 else None
    return MEDIA_TYPES.get(sniff(head, name, whole), BYTES)


async def _nothing() -> AsyncIterator[bytes]:
    yield b""
