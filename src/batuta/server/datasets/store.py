"""The datasets of the platform, in its database: one SQLite file, or PostgreSQL."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from batuta.datasets.dataset import Dataset, DatasetError
from batuta.datasets.memory import info_of
from batuta.datasets.store import Block, DatasetInfo, DatasetOwner, blocks_of
from batuta.server.database.engines import Database
from batuta.server.datasets import repository


class DatabaseDatasetStore:
    """A `DatasetStore` on the platform's database. Whoever may act for whom is the database's to decide."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, owner: DatasetOwner, dataset_id: str, dataset: Dataset, *, now: datetime) -> DatasetInfo:
        """See `DatasetStore.save`. A session that was deleted meanwhile takes nothing any more."""
        # Packed before the transaction: an embedded database has one writer, and everybody waits for it.
        blocks, info = await asyncio.to_thread(_packed, dataset, owner, dataset_id, now)
        name = await self._database.write(lambda connection: repository.save(connection, owner, info, blocks))
        if name is None:
            raise DatasetError("this conversation was deleted")
        return replace(info, name=name)

    async def find(self, owner: DatasetOwner, dataset_id: str) -> DatasetInfo | None:
        """See `DatasetStore.find`."""
        return await self._database.read(lambda connection: repository.one(connection, owner, dataset_id=dataset_id))

    async def named(self, owner: DatasetOwner, name: str) -> DatasetInfo | None:
        """See `DatasetStore.named`."""
        return await self._database.read(lambda connection: repository.one(connection, owner, name=name))

    async def list(self, owner: DatasetOwner) -> Sequence[DatasetInfo]:
        """See `DatasetStore.list`."""
        return await self._database.read(lambda connection: repository.all_of(connection, owner))

    async def block(self, owner: DatasetOwner, dataset_id: str, number: int) -> Block | None:
        """See `DatasetStore.block`."""
        return await self._database.read(lambda connection: repository.block(connection, owner, dataset_id, number))

    async def erase(self, owner: DatasetOwner) -> int:
        """See `DatasetStore.erase`."""
        return await self._database.write(lambda connection: repository.erase(connection, [owner.session_id]))


def _packed(dataset: Dataset, owner: DatasetOwner, dataset_id: str, now: datetime) -> tuple[list[Block], DatasetInfo]:
    blocks = list(blocks_of(dataset))
    return blocks, info_of(dataset, owner, dataset_id, blocks, now)
