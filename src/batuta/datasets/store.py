"""Where datasets are kept: a contract that every store fulfils, and the blocks that rows are kept in.

    dataset -> blocks of 2,000 rows, compressed NDJSON -> store

A page reads one or two blocks, whatever the size of the whole. `batuta.testing.datasets` checks a store.
"""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from batuta.datasets.dataset import Dataset, DatasetError
from batuta.datasets.large import LargeDataset, read_rows, stream_rows
from batuta.datasets.values import Value, from_cell
from batuta.events.datasets import Cell, Column, Provenance, RecordReference, as_cell

BLOCK_ROWS = 2_000
MAX_DATASET_BYTES = 512 * 1024 * 1024
"""Of rows as JSON, before compression."""
MAX_DATASETS_OF_A_SESSION = 500
MAX_BYTES_OF_A_USER = 4 * 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetOwner:
    """Whose datasets they are: a session's, and with it a user's."""

    session_id: str
    user_id: str = ""
    workspace_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetInfo:
    """A kept dataset without its rows."""

    dataset_id: str
    session_id: str
    name: str
    title: str
    columns: tuple[Column, ...]
    row_count: int
    byte_count: int
    """Of its blocks, as they are kept."""
    totals: dict[str, Cell]
    provenance: Provenance
    has_references: bool
    created_at: datetime
    file: str | None = None
    """Of a large one: where its rows lie, as the store's storage names it."""

    def column(self, name: str) -> Column | None:
        """A column by its name."""
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Some rows that follow one another, as they are kept."""

    number: int
    row_count: int
    rows: bytes
    """Compressed NDJSON: one object a row, by column name."""
    references: bytes = b""
    """Compressed NDJSON: one object or null a row; empty where none is known."""

    def lines(self) -> bytes:
        """The rows as NDJSON."""
        return zlib.decompress(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetPage:
    """Rows that follow one another, with the records behind them."""

    rows: tuple[tuple[Cell, ...], ...]
    references: tuple[RecordReference | None, ...] = field(default=())


class DatasetStore(Protocol):
    """Keeps datasets, apart by session. Saving under a used id replaces what was there: a resumed call saves again."""

    async def save(
        self, owner: DatasetOwner, dataset_id: str, dataset: Dataset | LargeDataset, *, now: datetime
    ) -> DatasetInfo:
        """Keep a dataset. A name that another one of the session has gets a number: `customers_2`.

        Raises:
            DatasetError: the session or the user has too much already.
            StoreUnavailableError: the store did not answer.
        """
        ...

    async def find(self, owner: DatasetOwner, dataset_id: str) -> DatasetInfo | None:
        """A dataset of this session by its id."""
        ...

    async def named(self, owner: DatasetOwner, name: str) -> DatasetInfo | None:
        """A dataset of this session by its name."""
        ...

    async def list(self, owner: DatasetOwner) -> Sequence[DatasetInfo]:
        """The datasets of this session, oldest first."""
        ...

    async def block(self, owner: DatasetOwner, dataset_id: str, number: int) -> Block | None:
        """One block of a dataset of this session, counted from 0."""
        ...

    async def table_file(self, owner: DatasetOwner, dataset_id: str) -> Path | None:
        """The Parquet file of a large dataset of this session; nothing where its rows are kept otherwise."""
        ...

    async def erase(self, owner: DatasetOwner) -> int:
        """Take away all datasets of a session for good; how many there were."""
        ...


def blocks_of(dataset: Dataset) -> Iterator[Block]:
    """A dataset's rows, cut into blocks. Raises `DatasetError` for too many bytes."""
    names = [column.name for column in dataset.columns]
    written = 0
    for number, start in enumerate(range(0, len(dataset.rows), BLOCK_ROWS)):
        rows = dataset.rows[start : start + BLOCK_ROWS]
        objects = (dict(zip(names, map(as_cell, row), strict=True)) for row in rows)
        lines = _ndjson(objects)
        written += len(lines)
        if written > MAX_DATASET_BYTES:
            raise DatasetError(f"{dataset.name} is larger than {MAX_DATASET_BYTES >> 20} MB; read less of it")
        references = dataset.references[start : start + BLOCK_ROWS]
        yield Block(
            number=number,
            row_count=len(rows),
            rows=zlib.compress(lines, 1),
            references=_packed_references(references),
        )


def block_of_file(path: Path, columns: Sequence[Column], number: int) -> Block:
    """A block of rows that lie in a Parquet file."""
    names = [column.name for column in columns]
    found = read_rows(path, columns, number * BLOCK_ROWS, BLOCK_ROWS)
    lines = _ndjson(dict(zip(names, row, strict=True)) for row, _ in found)
    references = _packed_references([reference for _, reference in found])
    return Block(number=number, row_count=len(found), rows=zlib.compress(lines, 1), references=references)


def blocks_of_file(large: LargeDataset) -> Iterator[Block]:
    """All blocks of a large dataset."""
    for number in range((large.row_count + BLOCK_ROWS - 1) // BLOCK_ROWS):
        yield block_of_file(large.path, large.columns, number)


def head_of(
    dataset: Dataset | LargeDataset, owner: DatasetOwner, dataset_id: str, byte_count: int, now: datetime
) -> DatasetInfo:
    """What is kept of a dataset beside its rows."""
    if isinstance(dataset, LargeDataset):
        row_count, totals, has_references = dataset.row_count, dataset.totals, dataset.has_references
    else:
        row_count, totals, has_references = len(dataset.rows), dataset.totals(), any(dataset.references)
    return DatasetInfo(
        dataset_id=dataset_id,
        session_id=owner.session_id,
        name=dataset.name,
        title=dataset.title,
        columns=tuple(dataset.columns),
        row_count=row_count,
        byte_count=byte_count,
        totals=totals,
        provenance=dataset.provenance,
        has_references=has_references,
        created_at=now,
    )


async def page_of(store: DatasetStore, owner: DatasetOwner, info: DatasetInfo, start: int, limit: int) -> DatasetPage:
    """Some rows of a kept dataset, in their order."""
    path = None if info.file is None else await store.table_file(owner, info.dataset_id)
    if path is not None:
        found = await asyncio.to_thread(read_rows, path, info.columns, start, limit)
        kept = tuple(reference for _, reference in found) if info.has_references else ()
        return DatasetPage(rows=tuple(row for row, _ in found), references=kept)
    rows: list[tuple[Cell, ...]] = []
    references: list[RecordReference | None] = []
    position = start
    while position < min(start + limit, info.row_count):
        block = await store.block(owner, info.dataset_id, position // BLOCK_ROWS)
        if block is None:
            break
        begin = position % BLOCK_ROWS
        end = min(BLOCK_ROWS, begin + start + limit - position)
        rows += cells_of(block, info.columns)[begin:end]
        references += references_of(block)[begin:end]
        position += end - begin
    return DatasetPage(rows=tuple(rows), references=tuple(references))


async def blocks_in(store: DatasetStore, owner: DatasetOwner, info: DatasetInfo) -> AsyncIterator[Block]:
    """All blocks of a kept dataset, one at a time."""
    for number in range((info.row_count + BLOCK_ROWS - 1) // BLOCK_ROWS):
        block = await store.block(owner, info.dataset_id, number)
        if block is None:
            raise DatasetError(f"{info.name} was taken away while it was read")
        yield block


async def rows_in(store: DatasetStore, owner: DatasetOwner, info: DatasetInfo) -> AsyncIterator[list[tuple[Cell, ...]]]:
    """All rows of a kept dataset, some thousands in memory at a time."""
    path = None if info.file is None else await store.table_file(owner, info.dataset_id)
    if path is None:
        async for block in blocks_in(store, owner, info):
            yield cells_of(block, info.columns)
        return
    batches = stream_rows(path, info.columns, BLOCK_ROWS)
    try:
        while rows := await asyncio.to_thread(next, batches, None):
            yield rows
    finally:
        batches.close()


def cells_of(block: Block, columns: Sequence[Column]) -> list[tuple[Cell, ...]]:
    """The rows of a block as JSON holds them."""
    names = [column.name for column in columns]
    return [tuple(row[name] for name in names) for row in map(json.loads, block.lines().splitlines())]


def references_of(block: Block) -> list[RecordReference | None]:
    """The records behind the rows of a block; nothing where none is known."""
    if not block.references:
        return []
    found = map(json.loads, zlib.decompress(block.references).splitlines())
    return [None if one is None else RecordReference.model_construct(**_ABSENT | one) for one in found]


def values_of(cells: Sequence[tuple[Cell, ...]], columns: Sequence[Column]) -> list[tuple[Value, ...]]:
    """Rows as Python values again."""
    types = [column.type for column in columns]
    return [tuple(map(from_cell, row, types)) for row in cells]


def free_name(wanted: str, taken: frozenset[str]) -> str:
    """The name, or the next one with a number that nothing else has."""
    if wanted not in taken:
        return wanted
    return next(name for number in range(2, len(taken) + 3) if (name := f"{wanted}_{number}") not in taken)


_ABSENT: dict[str, Any] = {"url": None, "company": None}


def _packed_references(references: Sequence[RecordReference | None]) -> bytes:
    if not any(references):
        return b""
    found = (None if one is None else one.model_dump(exclude_none=True) for one in references)
    return zlib.compress(_ndjson(found), 1)


def _ndjson(objects: Iterator[Any]) -> bytes:
    # One line a row: a line break inside a text is escaped by JSON.
    return "\n".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in objects).encode(
        "utf-8", "surrogatepass"
    )
