"""A dataset store in memory: for tests, and for runs that end with their process."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from batuta.datasets.dataset import Dataset, DatasetError
from batuta.datasets.large import LargeDataset
from batuta.datasets.store import (
    MAX_DATASETS_OF_A_SESSION,
    Block,
    DatasetInfo,
    DatasetOwner,
    blocks_of,
    blocks_of_file,
    free_name,
    head_of,
)


class MemoryDatasetStore:
    """A `DatasetStore` that forgets everything at the end."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, DatasetInfo]] = {}
        self._blocks: dict[str, list[Block]] = {}

    async def save(
        self, owner: DatasetOwner, dataset_id: str, dataset: Dataset | LargeDataset, *, now: datetime
    ) -> DatasetInfo:
        """See `DatasetStore.save`."""
        kept = self._kept.setdefault(owner.session_id, {})
        before = kept.get(dataset_id)
        if before is None and len(kept) >= MAX_DATASETS_OF_A_SESSION:
            raise DatasetError(f"this session has {len(kept)} datasets already; begin another one")
        made = blocks_of_file(dataset) if isinstance(dataset, LargeDataset) else blocks_of(dataset)
        blocks = await asyncio.to_thread(lambda: list(made))
        taken = frozenset(info.name for info in kept.values() if info.dataset_id != dataset_id)
        name = before.name if before is not None else free_name(dataset.name, taken)
        size = sum(len(block.rows) + len(block.references) for block in blocks)
        info = replace(head_of(dataset, owner, dataset_id, size, now), name=name)
        kept[dataset_id] = info
        self._blocks[dataset_id] = blocks
        return info

    async def find(self, owner: DatasetOwner, dataset_id: str) -> DatasetInfo | None:
        """See `DatasetStore.find`."""
        return self._kept.get(owner.session_id, {}).get(dataset_id)

    async def named(self, owner: DatasetOwner, name: str) -> DatasetInfo | None:
        """See `DatasetStore.named`."""
        kept = self._kept.get(owner.session_id, {}).values()
        return next((info for info in kept if info.name == name), None)

    async def list(self, owner: DatasetOwner) -> Sequence[DatasetInfo]:
        """See `DatasetStore.list`."""
        return list(self._kept.get(owner.session_id, {}).values())

    async def block(self, owner: DatasetOwner, dataset_id: str, number: int) -> Block | None:
        """See `DatasetStore.block`."""
        if await self.find(owner, dataset_id) is None:
            return None
        blocks = self._blocks[dataset_id]
        return blocks[number] if number < len(blocks) else None

    async def table_file(self, owner: DatasetOwner, dataset_id: str) -> Path | None:
        """See `DatasetStore.table_file`."""
        return None

    def rename(self, owner: DatasetOwner, dataset_id: str, name: str) -> None:
        """Give a dataset another name; one that had it gets a free name."""
        kept = self._kept[owner.session_id]
        taken = frozenset(info.name for info in kept.values()) | {name}
        for info in list(kept.values()):
            if info.name == name and info.dataset_id != dataset_id:
                kept[info.dataset_id] = replace(info, name=free_name(name, taken))
        kept[dataset_id] = replace(kept[dataset_id], name=name)

    async def erase(self, owner: DatasetOwner) -> int:
        """See `DatasetStore.erase`."""
        gone = self._kept.pop(owner.session_id, {})
        for dataset_id in gone:
            del self._blocks[dataset_id]
        return len(gone)
