"""The datasets of a conversation as its tools may use them: rows read with a right that is gone are not read again."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from batuta.datasets.dataset import Dataset
from batuta.datasets.large import LargeDataset
from batuta.datasets.lineage import sources_of
from batuta.datasets.store import Block, DatasetInfo, DatasetOwner, DatasetStore
from batuta.events.datasets import Provenance
from batuta.kernel.errors import ToolRefusedError

CheckReading = Callable[[Sequence[Provenance]], Awaitable[None]]
"""Raises `ToolRefusedError` if rows of these sources may not be read any more."""


@dataclass(frozen=True, slots=True)
class ReadableDatasetStore:
    """A `DatasetStore` that gives a run only what its user may still read."""

    store: DatasetStore
    check: CheckReading

    async def save(
        self, owner: DatasetOwner, dataset_id: str, dataset: Dataset | LargeDataset, *, now: datetime
    ) -> DatasetInfo:
        """See `DatasetStore.save`."""
        return await self.store.save(owner, dataset_id, dataset, now=now)

    async def find(self, owner: DatasetOwner, dataset_id: str) -> DatasetInfo | None:
        """See `DatasetStore.find`. Raises `ToolRefusedError` if it may not be read any more."""
        return await self._checked(owner, await self.store.find(owner, dataset_id))

    async def named(self, owner: DatasetOwner, name: str) -> DatasetInfo | None:
        """See `DatasetStore.named`. Raises `ToolRefusedError` if it may not be read any more."""
        return await self._checked(owner, await self.store.named(owner, name))

    async def list(self, owner: DatasetOwner) -> Sequence[DatasetInfo]:
        """See `DatasetStore.list`; without those that may not be read any more."""
        kept = await self.store.list(owner)
        return [info for info in kept if await self._is_readable(info, kept)]

    async def block(self, owner: DatasetOwner, dataset_id: str, number: int) -> Block | None:
        """See `DatasetStore.block`; its dataset was found before."""
        return await self.store.block(owner, dataset_id, number)

    async def table_file(self, owner: DatasetOwner, dataset_id: str) -> Path | None:
        """See `DatasetStore.table_file`; its dataset was found before."""
        return await self.store.table_file(owner, dataset_id)

    async def erase(self, owner: DatasetOwner) -> int:
        """See `DatasetStore.erase`."""
        return await self.store.erase(owner)

    async def _checked(self, owner: DatasetOwner, found: DatasetInfo | None) -> DatasetInfo | None:
        if found is not None:
            await self.check(sources_of(found, await self.store.list(owner)))
        return found

    async def _is_readable(self, info: DatasetInfo, kept: Sequence[DatasetInfo]) -> bool:
        try:
            await self.check(sources_of(info, kept))
        except ToolRefusedError:
            return False
        return True
