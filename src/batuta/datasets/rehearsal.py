"""Datasets of a turn that is run again: what its session holds can be read, and nothing is added to it."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from batuta.datasets.dataset import Dataset
from batuta.datasets.large import LargeDataset
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import Block, DatasetInfo, DatasetOwner, DatasetStore, free_name


class RehearsalDatasetStore:
    """A `DatasetStore` over another one. What is saved stays in memory, and hides what was saved under its id."""

    def __init__(self, recorded: DatasetStore) -> None:
        self._recorded = recorded
        self._made = MemoryDatasetStore()

    async def save(
        self, owner: DatasetOwner, dataset_id: str, dataset: Dataset | LargeDataset, *, now: datetime
    ) -> DatasetInfo:
        """See `DatasetStore.save`. A dataset that was recorded keeps the name it had."""
        info = await self._made.save(owner, dataset_id, dataset, now=now)
        known = {each.dataset_id: each.name for each in await self._recorded.list(owner)}
        name = known.get(dataset_id) or free_name(info.name, frozenset(known.values()))
        if name != info.name:
            self._made.rename(owner, dataset_id, name)
        return await self._made.find(owner, dataset_id) or info

    async def find(self, owner: DatasetOwner, dataset_id: str) -> DatasetInfo | None:
        """See `DatasetStore.find`."""
        return await self._made.find(owner, dataset_id) or await self._recorded.find(owner, dataset_id)

    async def named(self, owner: DatasetOwner, name: str) -> DatasetInfo | None:
        """See `DatasetStore.named`."""
        return await self._made.named(owner, name) or await self._recorded.named(owner, name)

    async def list(self, owner: DatasetOwner) -> Sequence[DatasetInfo]:
        """See `DatasetStore.list`."""
        made = await self._made.list(owner)
        hidden = {info.dataset_id for info in made}
        return [*[info for info in await self._recorded.list(owner) if info.dataset_id not in hidden], *made]

    async def block(self, owner: DatasetOwner, dataset_id: str, number: int) -> Block | None:
        """See `DatasetStore.block`."""
        return await (await self._holder(owner, dataset_id)).block(owner, dataset_id, number)

    async def table_file(self, owner: DatasetOwner, dataset_id: str) -> Path | None:
        """See `DatasetStore.table_file`."""
        return await (await self._holder(owner, dataset_id)).table_file(owner, dataset_id)

    async def erase(self, owner: DatasetOwner) -> int:
        """Forget what was made; what is recorded stays."""
        return await self._made.erase(owner)

    async def _holder(self, owner: DatasetOwner, dataset_id: str) -> DatasetStore:
        return self._recorded if await self._made.find(owner, dataset_id) is None else self._made
