"""A dataset: named, typed rows and where they came from. A tool that reads rows returns one.

    return Dataset.of_records("customers", records, columns=[Column(name="balance", type="decimal", currency="EUR")], …)

The tool's model is given name, columns, count, totals and the first rows; the rows are kept with the session.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation, localcontext
from itertools import islice
from typing import Any, Protocol

from batuta.datasets.values import CONVERTERS, UnfitValueError, Value
from batuta.events.datasets import Cell, Column, Provenance, RecordReference, as_cell
from batuta.kernel.errors import LogicalError
from batuta.tools.context import ToolContext

__all__ = ["Column", "Dataset", "DatasetError", "DatasetName", "Provenance", "RecordReference", "dataset_name"]

MAX_ROWS = 1_000_000
MAX_COLUMNS = 200
MAX_TITLE_CHARS = 200
TOTAL_DIGITS = 60
"""Digits of a sum: more than the largest and the smallest value of a column are apart."""
FIRST_ROWS = 10
"""How many rows the model and the event are given."""

DatasetName = str

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,59}")
_CURRENCY = re.compile(r"[A-Z]{3}")


class DatasetError(LogicalError):
    """A table that cannot be one: a bad name, a value of another type, or too much of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Rows with a schema. Values are checked and brought to their column's type when it is made."""

    name: DatasetName
    """A name that queries can use: `dataset_name` makes one of any text."""
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    provenance: Provenance
    title: str = ""
    references: Sequence[RecordReference | None] = field(default=())
    """The record behind each row, in the order of the rows; empty where none is known."""
    summary: Mapping[str, str] = field(default_factory=dict)
    """What it says in a sentence or two, by language: for a model that repeats and does not reckon."""

    def __post_init__(self) -> None:
        """Raise `DatasetError` unless the rows fit the columns."""
        columns = tuple(self.columns)
        _check_head(self.name, columns, len(self.rows))
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "title", self.title[:MAX_TITLE_CHARS])
        object.__setattr__(self, "rows", converted_rows(self.name, columns, self.rows))
        object.__setattr__(self, "references", tuple(self.references))
        if self.references and len(self.references) != len(self.rows):
            raise DatasetError(f"{self.name}: {len(self.references)} references for {len(self.rows)} rows")

    @classmethod
    def of_records(
        cls,
        name: DatasetName,
        records: Iterable[Mapping[str, Any]],
        *,
        columns: Sequence[Column],
        provenance: Provenance,
        title: str = "",
        references: Sequence[RecordReference | None] = (),
    ) -> "Dataset":
        """A dataset of objects that hold a value by each column's name; what is missing is null."""
        names = [column.name for column in columns]
        rows = [[record.get(name) for name in names] for record in records]
        return cls(name=name, columns=columns, rows=rows, provenance=provenance, title=title, references=references)

    def column(self, name: str) -> Column:
        """A column by its name. Raises `DatasetError`."""
        found = next((column for column in self.columns if column.name == name), None)
        if found is None:
            known = ", ".join(column.name for column in self.columns)
            raise DatasetError(f"{self.name} has no column {name!r}; it has {known}")
        return found

    def values(self, name: str) -> list[Value]:
        """The values of one column."""
        place = [column.name for column in self.columns].index(self.column(name).name)
        return [row[place] for row in self.rows]

    def totals(self) -> dict[str, Cell]:
        """The sum of each column that may be added up: numbers of one currency."""
        with localcontext(prec=TOTAL_DIGITS):
            return {
                column.name: as_cell(sum(numbers, start=_ZERO[column.type]))
                for column in self.columns
                if column.is_numeric and column.is_additive and self._has_one_currency(column)
                if (numbers := [value for value in self.values(column.name) if value is not None])
            }

    def first_rows(self, limit: int = FIRST_ROWS) -> tuple[tuple[Cell, ...], ...]:
        """The first rows as JSON holds them."""
        return tuple(tuple(as_cell(value) for value in row) for row in islice(self.rows, limit))

    def first_references(self) -> tuple[RecordReference | None, ...]:
        """The records behind the first rows."""
        return tuple(self.references[:FIRST_ROWS])

    async def as_tool_result(self, context: ToolContext) -> str:
        """Keep it with the session and tell the model what it has (see `ResultObject`)."""
        return await deliver(self, context)

    def _has_one_currency(self, column: Column) -> bool:
        other = column.currency_column
        return other is None or len({code or "" for code in self.values(other)}) <= 1


DATASETS_SERVICE = "datasets"
"""The name under which a run offers its `DatasetLibrary`."""

_ZERO: dict[str, Any] = {"integer": 0, "decimal": Decimal(0), "float": 0.0}


class DeliveredTable(Protocol):
    """A table that a tool returns: in memory, or in a file."""

    @property
    def name(self) -> DatasetName:
        """What queries call it."""
        ...


async def deliver(table: DeliveredTable, context: ToolContext) -> str:
    """Keep a tool's table with the session; returns what the model sees. Raises `DatasetError` if nothing is kept."""
    # The library knows stores, and stores know datasets: the runtime provides it as a service.
    library = context.services.get(DATASETS_SERVICE)
    if library is None:
        raise DatasetError(
            f"{table.name} cannot be kept: this run has no datasets; give it a DatasetLibrary as the service "
            f"{DATASETS_SERVICE!r}"
        )
    return str(await library.deliver(table, context))


def dataset_name(text: str) -> DatasetName:
    """A name made of any text: `Ventas por país 2026` becomes `ventas_por_pais_2026`."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:50]
    if not name:
        return "dataset"
    return name if name[0].isalpha() else f"t_{name}"


def _check_head(name: str, columns: Sequence[Column], row_count: int) -> None:
    if not _NAME.fullmatch(name):
        raise DatasetError(f"{name!r} is no name for a dataset: lower-case letters, digits and _, at most 60")
    if not 1 <= len(columns) <= MAX_COLUMNS:
        raise DatasetError(f"{name}: a dataset has 1 to {MAX_COLUMNS} columns, not {len(columns)}")
    if row_count > MAX_ROWS:
        raise DatasetError(f"{name}: a dataset has at most {MAX_ROWS} rows, not {row_count}; read less of it")
    names = [column.name for column in columns]
    for column in columns:
        if not _NAME.fullmatch(column.name):
            raise DatasetError(f"{name}: {column.name!r} is no name for a column: use dataset_name() to make one")
        if column.currency is not None and not _CURRENCY.fullmatch(column.currency):
            raise DatasetError(f"{name}.{column.name}: {column.currency!r} is no ISO 4217 code of a currency")
        if column.currency_column is not None and column.currency_column not in names:
            raise DatasetError(f"{name}.{column.name}: there is no column {column.currency_column!r} with its currency")
    if len(set(names)) < len(names):
        raise DatasetError(f"{name}: two columns have the same name")


def converted_rows(
    name: str, columns: Sequence[Column], rows: Sequence[Sequence[Any]]
) -> tuple[tuple[Value, ...], ...]:
    """Every value in its column's type, or a `DatasetError` that names the row and the column."""
    converters = [CONVERTERS[column.type] for column in columns]
    width = len(columns)
    converted = []
    for number, row in enumerate(rows):
        if len(row) != width:
            raise DatasetError(f"{name}: row {number + 1} has {len(row)} values for {width} columns")
        try:
            converted.append(
                tuple(None if value is None else convert(value) for convert, value in zip(converters, row, strict=True))
            )
        except (UnfitValueError, ValueError, TypeError, InvalidOperation) as error:
            raise DatasetError(f"{name}: row {number + 1}: {_unfit(columns, converters, row) or error}") from error
    return tuple(converted)


def _unfit(columns: Sequence[Column], converters: Sequence[Any], row: Sequence[Any]) -> str:
    """Which value of a row does not fit."""
    for column, convert, value in zip(columns, converters, row, strict=True):
        try:
            if value is not None:
                convert(value)
        except Exception:  # whatever it is, this is the value
            return f"{column.name} is {column.type}, and {str(value)[:80]!r} is none"
    return ""
