"""Files that go: out of sight in one transaction, then their words, then their bytes if no other file has them.

    row marked deleted -> words out of the index -> bytes -> row away

A process that dies in between leaves a marked row, which `sweep` of another one finds and goes on with (IS-13).
"""

from collections.abc import Callable
from datetime import timedelta

import sqlalchemy as sa

from batuta.agents.documents.library import owner_of
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.knowledge.index import PassageIndex, SearchScope
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.files import repository
from batuta.server.files.blobs import BlobStore
from batuta.server.files.repository import StoredFile

LEFT_BEHIND = timedelta(seconds=10)
"""After this time the process that began a removal is presumed dead; a second removal at the same time does no harm."""
SWEPT = 200

ForgetRows = Callable[[sa.Connection, str], None]
"""Takes rows of another domain away that name a file or a person, by the id of it, in the same transaction."""


class FileRemoval:
    """Takes files away for good."""

    def __init__(
        self,
        database: Database,
        blobs: BlobStore,
        index: PassageIndex,
        *,
        forget_jobs_about: ForgetRows,
        forget_jobs_of: ForgetRows,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._forget_jobs_about = forget_jobs_about
        self._forget_jobs_of = forget_jobs_of
        self._database = SystemDatabase(database)
        self._blobs = blobs
        self._index = index
        self._clock = clock

    async def remove(self, file: StoredFile) -> None:
        """Take one file away, with the jobs that name it."""
        now = self._clock.now()

        def hide(connection: sa.Connection) -> None:
            repository.mark_deleted(connection, file, now=now)
            self._forget_jobs_about(connection, file.file_id)

        await self._database.write(hide)
        await self._finish(file)

    async def erase_user(self, user_id: str) -> int:
        """Take everything of a person away that has to do with files: how many files there were."""
        now = self._clock.now()

        def hide(connection: sa.Connection) -> list[StoredFile]:
            # An erasure that was killed left some marked: a repeated request waits until they are gone, too.
            files = list(repository.of_user(connection, user_id, with_deleted=True))
            for file in sorted(files, key=lambda each: each.digest or ""):  # locks in one order
                repository.mark_deleted(connection, file, now=now)
            self._forget_jobs_of(connection, user_id)
            return files

        files = await self._database.write(hide)
        for file in files:
            await self._finish(file)
        # All of the owner once more: this writes the index anew, so that no word stays in its old pages.
        await self._index.remove(SearchScope(owners=(owner_of(user_id),)))
        return len(files)

    async def sweep(self) -> int:
        """Go on with removals whose process died: how many there were."""
        before = self._clock.now() - LEFT_BEHIND
        left = await self._database.read(
            lambda connection: repository.left_in(connection, repository.DELETED, before=before, limit=SWEPT)
        )
        for file in left:
            await self._finish(file)
        return len(left)

    async def _finish(self, file: StoredFile) -> None:
        scope = SearchScope(owners=(owner_of(file.user_id),), documents=frozenset({file.file_id}))
        await self._index.remove(scope)
        await self._blobs.discard(file.file_id)
        digest = file.digest
        # An upload of the same content waits while a marked row has it (`uploads`), so that its bytes are not lost.
        if digest is not None and not await self._database.read(lambda c: repository.is_used(c, digest)):
            await self._blobs.delete(digest)
        await self._database.write(lambda connection: repository.remove(connection, file.file_id))
