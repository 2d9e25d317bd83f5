"""The job that reads a file: extract, cut, index, embed. Every step can be done again (P-34, P-36)."""

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

import sqlalchemy as sa

from batuta.agents.documents.library import owner_of
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import BatutaError, StoreUnavailableError
from batuta.knowledge.extract.extractor import Extractor
from batuta.knowledge.extract.failures import ExtractionFailedError
from batuta.knowledge.index import IndexedDocument, PassageIndex, SearchScope
from batuta.knowledge.vectors.embedder import PassageEmbedder
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.files import repository
from batuta.server.files.blobs import BlobStore
from batuta.server.files.repository import StoredFile

log = logging.getLogger("batuta.files")

KIND = "file_index"
STEPS = 100
EXTRACTED = 60
INDEXED = 70

Progress = Callable[[int, int], Awaitable[None]]
"""Takes how much is done, and of how much."""


class FileIndexing:
    """Handles jobs of the kind `file_index`."""

    def __init__(
        self,
        database: Database,
        blobs: BlobStore,
        index: PassageIndex,
        extractor: Extractor,
        *,
        embedder: PassageEmbedder | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._database = SystemDatabase(database)
        self._blobs = blobs
        self._index = index
        self._extractor = extractor
        self._embedder = embedder
        self._clock = clock

    async def read(self, file_id: str, user_id: str, progress: Progress) -> None:
        """Read a file of a person. One that was deleted meanwhile leaves nothing behind."""
        file = await self._database.read(lambda connection: repository.one(connection, file_id))
        if file is None:  # an attempt before this one may have died with its words in the index
            await self._index.remove(_scope(user_id, file_id))
            return
        path = None if file.digest is None else await self._blobs.local_path(file.digest)
        if path is None:
            await self._change(file, status="failed", reason="missing")
            return
        await self._blobs.discard(file.file_id)  # the parts of its upload, should the process that had them have died
        await progress(1, STEPS)
        try:
            content = await self._extractor.extract(path, file.name)
        except ExtractionFailedError as error:
            await self._index.remove(_scope(file.user_id, file.file_id))
            await self._change(file, status="failed", reason=error.reason)
            raise
        await progress(EXTRACTED, STEPS)
        document = IndexedDocument(
            document_id=file.file_id,
            owner=owner_of(file.user_id),
            name=file.path,
            content=content,
            revision=file.digest or "",
        )
        await self._index.put(document)
        if not await self._change(file, status="ready", reason=None):
            await self._index.remove(_scope(file.user_id, file.file_id))  # deleted while it was read
            return
        await self._embed(file, progress)

    async def _embed(self, file: StoredFile, progress: Progress) -> None:
        """Give its passages their vectors. Until then, and after a failure until the upkeep, words find it."""
        if self._embedder is None:
            return
        await progress(INDEXED, STEPS)

        async def embedded(done: int, total: int) -> None:
            await progress(INDEXED + (STEPS - INDEXED) * done // max(total, 1), STEPS)

        try:
            await self._embedder.embed(_scope(file.user_id, file.file_id), embedded)
        except StoreUnavailableError:
            raise
        except BatutaError as error:
            log.warning("the vectors of %s are left to the upkeep: %s", file.file_id, error)

    async def _change(self, file: StoredFile, **values: str | None) -> bool:
        now: datetime = self._clock.now()

        def write(connection: sa.Connection) -> bool:
            return repository.change(connection, file.file_id, now=now, **values)

        return await self._database.write(write)


def _scope(user_id: str, file_id: str) -> SearchScope:
    return SearchScope(owners=(owner_of(user_id),), documents=frozenset({file_id}))
