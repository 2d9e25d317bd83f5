"""The datasets of the platform, in its database: one SQLite file, or PostgreSQL. Large ones lie in its storage."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from batuta.datasets.dataset import Dataset, DatasetError
from batuta.datasets.large import LARGE_ROWS, LargeDataset
from batuta.datasets.store import (
    Block,
    DatasetInfo,
    DatasetOwner,
    block_of_file,
    blocks_of,
    blocks_of_file,
    head_of,
)
from batuta.server.database.engines import Database
from batuta.server.datasets import repository
from batuta.server.datasets.storage import TableStorage

SENT_BYTES = 1024 * 1024


class DatabaseDatasetStore:
    """A `DatasetStore` on the platform's database. Who may see what is the database's to decide.

    With a storage, datasets of more than `large_rows` rows lie there as Parquet files, and the database says where.
    """

    def __init__(self, database: Database, files: TableStorage | None = None, *, large_rows: int = LARGE_ROWS) -> None:
        self._database = database
        self._files = files
        self._large_rows = large_rows

    async def save(
        self, owner: DatasetOwner, dataset_id: str, dataset: Dataset | LargeDataset, *, now: datetime
    ) -> DatasetInfo:
        """See `DatasetStore.save`. A session that was deleted meanwhile takes nothing any more."""
        if self._files is None:
            return await self._save_blocks(owner, dataset_id, dataset, now)
        before = await self.find(owner, dataset_id)
        if isinstance(dataset, LargeDataset):
            info = await self._save_file(self._files, owner, dataset_id, dataset, now)
        elif len(dataset.rows) > self._large_rows:
            large = await LargeDataset.of_dataset(dataset)
            try:
                info = await self._save_file(self._files, owner, dataset_id, large, now)
            finally:
                large.discard()
        else:
            info = await self._save_blocks(owner, dataset_id, dataset, now)
        if before is not None and before.file not in (None, info.file):
            await self._files.delete(str(before.file))
        return info

    async def find(self, owner: DatasetOwner, dataset_id: str) -> DatasetInfo | None:
        """See `DatasetStore.find`."""
        return await self._database.read(lambda connection: repository.one(connection, owner, dataset_id=dataset_id))

    async def named(self, owner: DatasetOwner, name: str) -> DatasetInfo | None:
        """See `DatasetStore.named`."""
        return await self._database.read(lambda connection: repository.one(connection, owner, name=name))

    async def list(self, owner: DatasetOwner) -> Sequence[DatasetInfo]:
        """See `DatasetStore.list`."""
        return await self._database.look_up(lambda connection: repository.all_of(connection, owner))

    async def block(self, owner: DatasetOwner, dataset_id: str, number: int) -> Block | None:
        """See `DatasetStore.block`."""
        found = await self._database.read(lambda connection: repository.block(connection, owner, dataset_id, number))
        if found is not None or self._files is None:
            return found
        info = await self.find(owner, dataset_id)
        path = None if info is None or info.file is None else await self._files.local_path(info.file)
        if info is None or path is None:
            return None
        block = await asyncio.to_thread(block_of_file, path, info.columns, number)
        return block if block.row_count else None

    async def table_file(self, owner: DatasetOwner, dataset_id: str) -> Path | None:
        """See `DatasetStore.table_file`."""
        info = await self.find(owner, dataset_id)
        is_kept = self._files is not None and info is not None and info.file is not None
        return await self._files.local_path(info.file) if is_kept else None  # type: ignore[union-attr, arg-type]

    async def erase(self, owner: DatasetOwner) -> int:
        """See `DatasetStore.erase`."""
        chosen = repository.of_sessions([owner.session_id])
        await erase_files(self._database, self._files, chosen)
        return await self._database.write(lambda connection: repository.erase(connection, [owner.session_id]))

    async def _save_blocks(
        self, owner: DatasetOwner, dataset_id: str, dataset: Dataset | LargeDataset, now: datetime
    ) -> DatasetInfo:
        # Packed before the transaction: an embedded database has one writer, and all wait for it.
        blocks, info = await asyncio.to_thread(_packed, dataset, owner, dataset_id, now)
        return await self._written(owner, info, blocks)

    async def _save_file(
        self, files: TableStorage, owner: DatasetOwner, dataset_id: str, large: LargeDataset, now: datetime
    ) -> DatasetInfo:
        """The row first, then the file: whatever dies in between, an erasure finds the file by its row."""
        digest, size = await asyncio.to_thread(_digest, large.path)
        info = await self._written(owner, replace(head_of(large, owner, dataset_id, size, now), file=digest), ())
        await files.discard(digest)
        await files.append(digest, _chunks(large.path), begin=0, limit=size)
        await files.finish(digest)
        await files.discard(digest)
        if await self.find(owner, dataset_id) is None:  # erased while the file was on its way
            await files.delete(digest)
            raise DatasetError("this conversation was deleted")
        return info

    async def _written(self, owner: DatasetOwner, info: DatasetInfo, blocks: Sequence[Block]) -> DatasetInfo:
        name = await self._database.write(lambda connection: repository.save(connection, owner, info, blocks))
        if name is None:
            raise DatasetError("this conversation was deleted")
        return replace(info, name=name)


async def erase_files(database: Database, files: TableStorage | None, chosen: repository.Condition) -> None:
    """Take the files of some datasets away. Before their rows: an erasure that is interrupted finds them again."""
    if files is not None:
        for file in await database.read(lambda connection: repository.files_of(connection, chosen)):
            await files.delete(file)


async def _chunks(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as content:
        while chunk := await asyncio.to_thread(content.read, SENT_BYTES):
            yield chunk


def _digest(path: Path) -> tuple[str, int]:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest(), path.stat().st_size


def _packed(
    dataset: Dataset | LargeDataset, owner: DatasetOwner, dataset_id: str, now: datetime
) -> tuple[list[Block], DatasetInfo]:
    blocks = list(blocks_of_file(dataset) if isinstance(dataset, LargeDataset) else blocks_of(dataset))
    size = sum(len(block.rows) + len(block.references) for block in blocks)
    return blocks, head_of(dataset, owner, dataset_id, size, now)
