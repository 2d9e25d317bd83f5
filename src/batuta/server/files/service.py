"""Files of people: received in parts, kept once by content, indexed by a job, forgotten at once (P-34)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from batuta.agents.documents.library import SHARED, owner_of
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.knowledge.document import DocumentText
from batuta.knowledge.folder import FOLDER_PREFIX
from batuta.knowledge.index import PassageIndex, SearchScope
from batuta.knowledge.retrieve import RetrievedPassage, Retriever
from batuta.knowledge.synonyms import others_for
from batuta.knowledge.vectors.search import MeaningSearch
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.files import repository
from batuta.server.files.blobs import BlobStore
from batuta.server.files.names import checked_folder, checked_name
from batuta.server.files.removal import FileRemoval
from batuta.server.files.repository import StoredFile
from batuta.server.files.uploads import Announcement, UploadPart, Uploads
from batuta.server.problems import NotFoundProblem
from batuta.server.security.ownership import Caller

NoteErasure = Callable[[str], Awaitable[None]]
"""Notes, outside the database, that a file is about to go: a backup must not bring it back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFilter:
    """Which files a search looks at; without anything, all of them and the shared ones."""

    folder: str | None = None
    kind: str | None = None
    """The end of a name, such as `pdf`."""
    since: datetime | None = None
    until: datetime | None = None
    """When it was uploaded: from one moment on, and before another."""

    def admits(self, file: StoredFile) -> bool:
        """Whether a file is looked at."""
        is_inside = self.folder is None or file.folder == self.folder or file.folder.startswith(f"{self.folder}/")
        is_new = self.since is None or file.created_at >= self.since
        is_old = self.until is None or file.created_at < self.until
        is_kind = self.kind is None or file.name.lower().endswith(f".{self.kind.lower()}")
        return is_inside and is_new and is_old and is_kind


class Files:
    """The files of people."""

    def __init__(
        self,
        database: Database,
        blobs: BlobStore,
        index: PassageIndex,
        uploads: Uploads,
        removal: FileRemoval,
        *,
        note_erasure: NoteErasure,
        meaning: MeaningSearch | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._note_erasure = note_erasure
        self._database = database
        self._system = SystemDatabase(database)
        self._blobs = blobs
        self._index = index
        self._uploads = uploads
        self._removal = removal
        self._retriever = Retriever(index, synonyms=others_for, meaning=meaning)
        self._clock = clock

    async def begin(self, caller: Caller, announced: Announcement) -> StoredFile:
        """Announce an upload; the same key again is the same upload."""
        return await self._uploads.begin(caller, announced)

    async def offset(self, file_id: str) -> tuple[StoredFile, int]:
        """An upload and how much of it is there."""
        file = await self.get(file_id)
        return file, await self._uploads.offset(file)

    async def receive(self, file_id: str, part: UploadPart) -> int:
        """Take the next part of an upload: how much is there then. The last part starts its processing."""
        return await self._uploads.receive(await self.get(file_id), part)

    async def get(self, file_id: str) -> StoredFile:
        """A file that the database shows to the caller."""
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
        return used, self._uploads.limits.max_total_bytes

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
            await self._uploads.read_again(file, **values)
        return await self.get(file_id)

    async def process_again(self, file_id: str) -> str:
        """Read a file again: the id of the job."""
        return await self._uploads.read_again(await self.get(file_id))

    async def delete(self, file_id: str) -> None:
        """Forget a file: its row first, so that it is not seen, then its words, then its bytes if they are its own."""
        file = await self.get(file_id)
        await self._note_erasure(file.file_id)
        await self._removal.remove(file)

    async def delete_again(self, file_id: str) -> bool:
        """Forget a file that was deleted and that a restored backup brought back; whether it was there."""
        file = await self._system.read(lambda connection: repository.one(connection, file_id))
        if file is not None:
            await self._removal.remove(file)
        return file is not None

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
        """Passages of the caller's documents, and of the shared ones."""
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
