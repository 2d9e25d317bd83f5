"""The tables that a person brought to a conversation, in outline: columns and the values that a request may name.

A service of the run under `OWN_TABLES_SERVICE`; as a text it is what a model's request carries.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from batuta.datasets.attached import UPLOAD_CONNECTOR
from batuta.datasets.dataset import Column, Dataset, Provenance
from batuta.datasets.library import DatasetLibrary

MAX_TABLES = 6
MAX_ROWS = 2_000
"""Rows whose values are known."""
MAX_VALUES = 300
MAX_VALUE_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTables:
    """Tables of a conversation that were uploaded, the newest last; one at least."""

    tables: Sequence[Dataset]

    def __str__(self) -> str:
        """As JSON, for `tables_in`."""
        return json.dumps([_outlined(table) for table in self.tables], ensure_ascii=False)


async def own_tables(library: DatasetLibrary) -> OwnTables | None:
    """What was uploaded to a conversation, if anything was."""
    kept = [info for info in await library.store.list(library.owner) if info.provenance.connector == UPLOAD_CONNECTOR]
    tables = [
        Dataset(
            name=info.name, title=info.title, columns=info.columns, rows=await library.rows(info, limit=MAX_ROWS),
            provenance=info.provenance,
        )
        for info in kept[-MAX_TABLES:]
    ]  # fmt: skip
    return OwnTables(tables=tables) if tables else None


def tables_in(text: str) -> list[Dataset]:
    """The outlines that a text of `OwnTables` holds: a row has no meaning, each column has its different values."""
    return [_table(outline) for outline in json.loads(text)]


def _outlined(table: Dataset) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "columns": [column.model_dump(mode="json", exclude_defaults=True) for column in table.columns],
        "provenance": table.provenance.model_dump(mode="json", exclude_defaults=True),
        "values": [_values(table, column) for column in table.columns],
    }


def _values(table: Dataset, column: Column) -> list[str]:
    if column.type != "text":
        return []
    values = dict.fromkeys(str(value) for value in table.values(column.name) if value)
    return [value for value in values if len(value) <= MAX_VALUE_CHARS][:MAX_VALUES]


def _table(outline: dict[str, Any]) -> Dataset:
    return Dataset(
        name=outline["name"],
        title=outline["title"],
        columns=[Column.model_validate(column) for column in outline["columns"]],
        rows=list(zip_longest(*outline["values"])),
        provenance=Provenance.model_validate(outline["provenance"]),
    )
