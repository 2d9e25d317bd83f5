"""The tables in the files of a message: read when a tool of the turn asks for one, for the person who sent it."""

from collections.abc import Sequence
from dataclasses import dataclass

from batuta.datasets.attached import TableFile
from batuta.datasets.dataset import Dataset
from batuta.datasets.upload_problems import UploadRefusedError
from batuta.datasets.uploads import holds_tables, is_table_file, tables_of
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.server.database.engines import Database
from batuta.server.files import repository
from batuta.server.files.blobs import BlobStore


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedTables:
    """See `AttachedTables`."""

    files: Sequence[TableFile]
    digests: dict[str, str]
    """Where the content of each file lies."""
    blobs: BlobStore
    clock: Clock = SYSTEM_CLOCK

    def __str__(self) -> str:
        """The names of the files."""
        return ", ".join(file.name for file in self.files)

    async def tables(self, file: TableFile) -> Sequence[Dataset]:
        """See `AttachedTables.tables`."""
        path = await self.blobs.local_path(self.digests[file.file_id])
        if path is None:
            raise UploadRefusedError("deleted", name=file.name)
        return await tables_of(path, file.name, now=self.clock.now(), source=f"file:{file.file_id}")


async def uploaded_tables(
    database: Database, blobs: BlobStore, user_id: str, file_ids: Sequence[str]
) -> UploadedTables | None:
    """Of the files with these ids, those of this person that may hold tables; nothing where there is none."""
    rows = [
        await database.read(lambda connection, wanted=file_id: repository.one(connection, wanted))  # type: ignore[misc]
        for file_id in file_ids
    ]
    own = [row for row in rows if row is not None and row.user_id == user_id and row.digest and holds_tables(row.name)]
    if not own:
        return None
    return UploadedTables(
        files=[TableFile(file_id=row.file_id, name=row.name, is_document=not is_table_file(row.name)) for row in own],
        digests={row.file_id: str(row.digest) for row in own},
        blobs=blobs,
    )
