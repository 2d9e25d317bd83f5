"""Large datasets: rows in a Parquet file instead of in memory. A tool that reads a million rows returns one.

    return await LargeDataset.of_batches("entries", pages, columns=[…], provenance=…)       # some thousand rows each

Rows are checked and written batch by batch, whatever their number; a store keeps the file, and a page of it or a column
is read without the rest.
"""

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterable, Generator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from batuta.datasets.dataset import (
    FIRST_ROWS,
    MAX_ROWS,
    Column,
    Dataset,
    DatasetError,
    DatasetName,
    Provenance,
    RecordReference,
    converted_rows,
    deliver,
)
from batuta.datasets.processes import ProcessLimit, run_child
from batuta.datasets.values import trimmed
from batuta.events.datasets import Cell, as_cell
from batuta.kernel.errors import ToolFailedError
from batuta.kernel.extras import load_extra
from batuta.kernel.ids import new_id
from batuta.tools.context import ToolContext

REFERENCE_COLUMN = "row reference"
"""A column of the file with the record behind each row; no column of a dataset can have a name with a space."""
LARGE_ROWS = 50_000
"""A dataset with more rows is kept as a file."""
CHILD = Path(__file__).with_name("table_child.py")
LIMIT = ProcessLimit(seconds=120, max_bytes=512 * 1024 * 1024)
PAGE_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeDataset:
    """Rows in a file that is gone once it is kept, or dropped (see `ResultObject`)."""

    name: DatasetName
    columns: Sequence[Column]
    path: Path
    row_count: int
    provenance: Provenance
    totals: dict[str, Cell]
    title: str = ""
    has_references: bool = False
    summary: dict[str, str] = field(default_factory=dict)

    @classmethod
    async def of_batches(
        cls,
        name: DatasetName,
        batches: AsyncIterable[Sequence[Sequence[Any]]],
        *,
        columns: Sequence[Column],
        provenance: Provenance,
        title: str = "",
    ) -> "LargeDataset":
        """A dataset of rows that arrive in batches. Raises `DatasetError` where they do not fit the columns."""

        async def unreferenced() -> AsyncIterable[tuple[Sequence[Sequence[Any]], Sequence[RecordReference | None]]]:
            async for batch in batches:
                yield batch, ()

        head = Dataset(name=name, columns=columns, rows=(), provenance=provenance, title=title)
        return await _written(head, unreferenced())

    @classmethod
    async def of_dataset(cls, dataset: Dataset, batch_rows: int = 5_000) -> "LargeDataset":
        """The rows of a dataset in a file."""

        async def parts() -> AsyncIterable[tuple[Sequence[Sequence[Any]], Sequence[RecordReference | None]]]:
            for start in range(0, len(dataset.rows), batch_rows):
                end = start + batch_rows
                yield dataset.rows[start:end], dataset.references[start:end]

        head = Dataset(
            name=dataset.name, columns=dataset.columns, rows=(), provenance=dataset.provenance, title=dataset.title
        )
        return await _written(head, parts(), has_references=any(dataset.references))

    def first_rows(self, limit: int = FIRST_ROWS) -> tuple[tuple[Cell, ...], ...]:
        """The first rows as JSON holds them."""
        return tuple(row for row, _ in read_rows(self.path, self.columns, 0, limit))

    def first_references(self) -> tuple[RecordReference | None, ...]:
        """The records behind the first rows."""
        if not self.has_references:
            return ()
        return tuple(reference for _, reference in read_rows(self.path, self.columns, 0, FIRST_ROWS))

    async def as_tool_result(self, context: ToolContext) -> str:
        """Keep it with the session and tell the model what it has (see `ResultObject`)."""
        return await deliver(self, context)

    def discard(self) -> None:
        """Take the file away."""
        shutil.rmtree(self.path.parent, ignore_errors=True)


def read_rows(
    path: Path, columns: Sequence[Column], start: int, limit: int
) -> list[tuple[tuple[Cell, ...], RecordReference | None]]:
    """Some rows of a kept file, with the records behind them. Blocks: run it in a thread."""
    duckdb = load_extra("duckdb", extra="datasets", needed_for="large datasets")
    listed = ", ".join(_fetched(column) for column in columns)
    query = (
        f'SELECT {listed}, "{REFERENCE_COLUMN}" FROM read_parquet(?, file_row_number = true) '  # noqa: S608 - our names
        "WHERE file_row_number >= ? AND file_row_number < ? ORDER BY file_row_number"
    )
    connection = duckdb.connect(":memory:", config={"threads": 1, "memory_limit": f"{PAGE_BYTES >> 20}MB"})
    try:
        connection.execute("SET TimeZone = 'UTC'")
        found = connection.execute(query, [str(path), start, start + limit]).fetchall()
    finally:
        connection.close()
    return [(tuple(map(_cell, row[:-1])), _reference(row[-1])) for row in found]


def stream_rows(path: Path, columns: Sequence[Column], batch_rows: int) -> Generator[list[tuple[Cell, ...]]]:
    """All rows of a kept file, one batch in memory at a time. Blocks: take each batch in a thread."""
    duckdb = load_extra("duckdb", extra="datasets", needed_for="large datasets")
    connection = duckdb.connect(":memory:", config={"threads": 1, "memory_limit": f"{PAGE_BYTES >> 20}MB"})
    try:
        connection.execute("SET TimeZone = 'UTC'")
        listed = ", ".join(_fetched(column) for column in columns)
        result = connection.execute(f"SELECT {listed} FROM read_parquet(?)", [str(path)])  # noqa: S608 - our names
        while found := result.fetchmany(batch_rows):
            yield [tuple(map(_cell, row)) for row in found]
    finally:
        connection.close()


async def _written(
    head: Dataset,
    parts: AsyncIterable[tuple[Sequence[Sequence[Any]], Sequence[RecordReference | None]]],
    *,
    has_references: bool = False,
) -> LargeDataset:
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="batuta-table-"))
    try:
        row_count = await _spooled(head, parts, folder / "rows.ndjson")
        request = {
            "source": str(folder / "rows.ndjson"),
            "target": str(folder / "table.parquet"),
            "columns": [column.model_dump() for column in head.columns],
            "token": new_id(),
            "max_seconds": LIMIT.seconds,
            "max_bytes": LIMIT.max_bytes,
        }
        answer = _answered(await run_child(CHILD, request, LIMIT), head.name)
        await asyncio.to_thread((folder / "rows.ndjson").unlink)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return LargeDataset(
        name=head.name, columns=head.columns, path=folder / "table.parquet", row_count=row_count, title=head.title,
        provenance=head.provenance, totals=answer["totals"], has_references=has_references,
    )  # fmt: skip


def _answered(content: bytes, name: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(content)
    if "error" in answer:
        raise ToolFailedError(f"{name} cannot be kept as a file: {answer['error']}")
    return answer


async def _spooled(
    head: Dataset, parts: AsyncIterable[tuple[Sequence[Sequence[Any]], Sequence[RecordReference | None]]], file: Path
) -> int:
    """Check and write the rows, one part in memory at a time: how many there were."""
    count = 0
    with file.open("wb") as out:
        async for rows, references in parts:
            count += len(rows)
            if count > MAX_ROWS:
                raise DatasetError(f"{head.name}: a dataset has at most {MAX_ROWS} rows; read less of it")
            lines = await asyncio.to_thread(_lines, head, rows, references)
            await asyncio.to_thread(out.write, lines)
    return count


def _lines(head: Dataset, rows: Sequence[Sequence[Any]], references: Sequence[RecordReference | None]) -> bytes:
    names = [*(column.name for column in head.columns), REFERENCE_COLUMN]
    records = [None if one is None else one.model_dump_json(exclude_none=True) for one in references]
    records += [None] * (len(rows) - len(records))
    checked = converted_rows(head.name, head.columns, rows)
    return b"".join(
        json.dumps(dict(zip(names, (*map(as_cell, row), record), strict=True)), ensure_ascii=False).encode() + b"\n"
        for row, record in zip(checked, records, strict=True)
    )


def _fetched(column: Column) -> str:
    """A column as it is fetched: a moment without its zone, which is UTC."""
    return f'CAST("{column.name}" AS TIMESTAMP)' if column.type == "datetime" else f'"{column.name}"'


def _cell(value: Any) -> Cell:
    if isinstance(value, Decimal):
        return as_cell(trimmed(value))
    if isinstance(value, datetime):
        return as_cell(value.replace(tzinfo=UTC))
    return as_cell(value)


def _reference(text: str | None) -> RecordReference | None:
    return None if text is None else RecordReference.model_validate_json(text)
