"""The tables in the files of a message: read when a tool of the turn asks for one, for the person who sent it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from batuta.datasets.attached import AttachedOutline, TableFile
from batuta.datasets.dataset import Dataset, DatasetError
from batuta.datasets.mentions import TableMention, mentioned
from batuta.datasets.upload_problems import UploadRefusedError
from batuta.datasets.uploads import holds_tables, is_table_file, tables_of
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.server.database.engines import Database
from batuta.server.files import repository
from batuta.server.files.blobs import BlobStore

MAX_TABLES_IN_FOLDERS = 12
"""Files in the folders of a message, at the most, whose tables can be asked for; of more only their texts."""
MAX_LOOKED_INTO = 2_000_000
"""Bytes of the files that are looked into before it is known whether a tool asks for their tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedTables:
    """See `AttachedTables`."""

    files: Sequence[TableFile]
    digests: dict[str, str]
    """Where the content of each file lies."""
    blobs: BlobStore
    outline: AttachedOutline = field(default_factory=AttachedOutline)
    """What the request of a model says of them."""
    clock: Clock = SYSTEM_CLOCK
    _read: dict[str, Sequence[Dataset]] = field(default_factory=dict)

    def __str__(self) -> str:
        """The outline."""
        return str(self.outline)

    async def tables(self, file: TableFile) -> Sequence[Dataset]:
        """See `AttachedTables.tables`."""
        if file.file_id not in self._read:
            path = await self.blobs.local_path(self.digests[file.file_id])
            if path is None:
                raise UploadRefusedError("deleted", name=file.name)
            now = self.clock.now()
            self._read[file.file_id] = await tables_of(path, file.name, now=now, source=f"file:{file.file_id}")
        return self._read[file.file_id]


async def uploaded_tables(
    database: Database, blobs: BlobStore, user_id: str, file_ids: Sequence[str], text: str
) -> UploadedTables | None:
    """Of the files with these ids, those of this person that may hold tables, and what a message names in them; nothing
    where there is none.
    """
    rows = [
        await database.read(lambda connection, wanted=file_id: repository.one(connection, wanted))  # type: ignore[misc]
        for file_id in file_ids
    ]
    own = [row for row in rows if row is not None and row.user_id == user_id and row.digest]
    holding = [row for row in own if holds_tables(row.name)]
    if not holding:
        return None
    tables = UploadedTables(
        files=[
            TableFile(file_id=row.file_id, name=row.name, is_document=not is_table_file(row.name)) for row in holding
        ],
        digests={row.file_id: str(row.digest) for row in holding},
        blobs=blobs,
    )
    is_small = sum(row.size_bytes for row in holding if is_table_file(row.name)) <= MAX_LOOKED_INTO
    mention = await _mention(tables, text) if is_small else None
    return replace(tables, outline=AttachedOutline(names=tuple(row.name for row in own), mention=mention))


async def _mention(attached: UploadedTables, text: str) -> TableMention | None:
    """What a message names in the files that are nothing but tables; nothing where that cannot be told."""
    files = [file for file in attached.files if not file.is_document]
    try:
        tables = [table for file in files for table in await attached.tables(file)]
    except DatasetError:
        return None  # the tool that is asked for a table says why
    return await asyncio.to_thread(mentioned, text, tables) if tables else None
