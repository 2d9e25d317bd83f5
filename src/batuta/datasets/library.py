"""The datasets of one session, as tools and agents use them: kept, found by name, read as values.

library = library_of(ctx)                       the service of a run
sales = await library.get("sales")              by the name that the model was given
rows = await library.rows(sales, limit=100)
"""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from batuta.datasets.dataset import DATASETS_SERVICE, Dataset, DatasetError
from batuta.datasets.large import LargeDataset
from batuta.datasets.store import (
    DatasetInfo,
    DatasetOwner,
    DatasetStore,
    blocks_in,
    cells_of,
    page_of,
    references_of,
    values_of,
)
from batuta.datasets.values import Value
from batuta.events.datasets import Cell, Column, DatasetStored, RecordReference
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.tools.context import ToolContext


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetLibrary:
    """One session's datasets."""

    store: DatasetStore
    owner: DatasetOwner
    clock: Clock = SYSTEM_CLOCK

    async def keep(self, dataset: Dataset | LargeDataset, *, key: str) -> DatasetInfo:
        """Keep a dataset; the same `key` gives the same dataset, whenever a call is resumed. A file is taken over."""
        dataset_id = dataset_id_of(self.owner.session_id, key)
        try:
            return await self.store.save(self.owner, dataset_id, dataset, now=self.clock.now())
        finally:
            if isinstance(dataset, LargeDataset):
                dataset.discard()

    async def get(self, name: str) -> DatasetInfo:
        """A dataset of this session by name. Raises `DatasetError` that names those there are."""
        found = await self.store.named(self.owner, name)
        if found is None:
            known = ", ".join(info.name for info in await self.store.list(self.owner)) or "none yet"
            raise DatasetError(f"there is no dataset {name[:80]!r} in this conversation; there are: {known}")
        return found

    async def latest(self) -> DatasetInfo | None:
        """The dataset that was kept last."""
        kept = await self.store.list(self.owner)
        return kept[-1] if kept else None

    async def rows(self, info: DatasetInfo, *, start: int = 0, limit: int = 1_000) -> list[tuple[Value, ...]]:
        """Some rows as Python values."""
        page = await page_of(self.store, self.owner, info, start, limit)
        return values_of(page.rows, info.columns)

    async def load(self, info: DatasetInfo) -> Dataset:
        """The whole dataset."""
        rows: list[tuple[Value, ...]] = []
        references: list[RecordReference | None] = []
        async for block in blocks_in(self.store, self.owner, info):
            rows += values_of(cells_of(block, info.columns), info.columns)
            references += references_of(block)
        return Dataset(
            name=info.name, columns=info.columns, rows=rows, provenance=info.provenance, title=info.title,
            references=references if len(references) == len(rows) else (),
        )  # fmt: skip

    async def deliver(self, dataset: Dataset | LargeDataset, context: ToolContext) -> str:
        """Keep what a tool returned, tell it as an event, and say what the model is given."""
        rows = await asyncio.to_thread(dataset.first_rows)
        key = f"{context.idempotency_key}:{len(context.events)}"
        info = await self.introduce(dataset, context, key=key)
        return summary_for_model(info, rows, dataset.summary)

    async def introduce(self, dataset: Dataset | LargeDataset, context: ToolContext, *, key: str) -> DatasetInfo:
        """Keep a dataset and tell of it by an event."""
        rows = await asyncio.to_thread(dataset.first_rows)
        references = await asyncio.to_thread(dataset.first_references)
        info = await self.keep(dataset, key=key)
        context.enrich(dataset={"dataset_id": info.dataset_id, "name": info.name, "row_count": info.row_count})
        context.emit(
            DatasetStored(
                dataset_id=info.dataset_id,
                name=info.name,
                title=info.title,
                columns=info.columns,
                row_count=info.row_count,
                totals=info.totals,
                first_rows=rows,
                first_references=references,
                provenance=info.provenance,
                tool_use_id=context.tool_use_id,
            )
        )
        return info


def library_of(context: ToolContext) -> DatasetLibrary:
    """The datasets of the run that a tool works in. Raises `DatasetError` where it has none."""
    library = context.services.get(DATASETS_SERVICE)
    if not isinstance(library, DatasetLibrary):
        raise DatasetError("this run keeps no datasets; give it a DatasetLibrary as a service")
    return library


def dataset_id_of(session_id: str, key: str) -> str:
    """The id of what one call brings: the same whenever that call is repeated."""
    digest = hashlib.sha256(f"{session_id}|{key}".encode()).digest()[:16]
    return str(UUID(bytes=digest, version=5)).upper()


def summary_for_model(
    info: DatasetInfo, first_rows: tuple[tuple[Cell, ...], ...], sentences: Mapping[str, str] | None = None
) -> str:
    """What a model reads of a dataset: enough to choose what to do with it, and nothing to add up in its head."""
    source = info.provenance
    names = [column.name for column in info.columns]
    summary: dict[str, Any] = {
        "dataset": info.name,
        "title": info.title,
        "summary": dict(sentences or {}),
        "columns": [_column_summary(column) for column in info.columns],
        "row_count": info.row_count,
        "totals": info.totals,
        "first_rows": [dict(zip(names, row, strict=True)) for row in first_rows],
        "source": {"connector": source.connector, "company": source.company, "query": source.query[:500]},
    }
    if source.is_cut_short:
        summary["warning"] = f"cut short: {info.row_count} rows of {source.record_count or 'more'} records"
    return json.dumps({name: value for name, value in summary.items() if value}, ensure_ascii=False)


def _column_summary(column: Column) -> dict[str, Any]:
    facts = column.model_dump(include={"name", "type", "label", "unit", "currency", "currency_column"})
    return {name: value for name, value in facts.items() if value}
