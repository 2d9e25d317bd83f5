"""Events of tables and charts: what a person sees of a dataset without fetching its rows, and a chart bound to one.

The rows themselves lie in a `DatasetStore`; an event holds the schema, counts, totals and the first rows only.
"""

from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from batuta.events.envelope import Event, UtcDatetime
from batuta.kernel.id_fields import AnyId

ColumnType = Literal["text", "integer", "decimal", "float", "date", "datetime", "boolean"]
ChartKind = Literal[
    "bar", "stacked", "line", "area", "pie", "scatter", "heatmap", "histogram", "combined", "table", "kpi"
]

Cell = str | int | float | bool | None
"""A value as JSON holds it: decimals and times as text, so that no digit is lost."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, ser_json_inf_nan="strings")


class Column(_Part):
    """One column: its name in queries, its type, and what its figures are measured in."""

    name: str
    type: ColumnType
    label: str = ""
    """How people call it, in the language of the question."""
    unit: str | None = None
    currency: str | None = None
    """The ISO 4217 code, where all rows share it."""
    currency_column: str | None = None
    """The column that holds each row's currency, where they differ."""
    is_additive: bool = True
    """Whether a sum says anything: not of prices, rates or years."""

    @property
    def title(self) -> str:
        """What a table head shows."""
        return self.label or self.name.replace("_", " ")

    @property
    def is_numeric(self) -> bool:
        """Whether its values can be added up."""
        return self.type in ("integer", "decimal", "float")


class RecordReference(_Part):
    """The record of a business system that a row came from."""

    entity: str
    key: str
    url: str | None = None
    company: str | None = None


class Provenance(_Part):
    """Where the rows of a dataset came from."""

    connector: str = ""
    """The system that was read: `business_central`, `upload`, `sql`."""
    company: str | None = None
    query: str = ""
    """The request or statement, as it was sent."""
    retrieved_at: UtcDatetime
    record_count: int = 0
    """How many records the query matched, if the source says so; else how many were read."""
    is_cut_short: bool = False
    """Whether there are more records than rows."""
    sources: tuple[str, ...] = ()
    """The datasets it was computed from, by name."""


class DatasetStored(Event):
    """A tool brought a table, which is kept with the session."""

    type: Literal["dataset_stored"] = "dataset_stored"
    dataset_id: AnyId
    name: str
    """How agents and queries call it; unique in the session."""
    title: str = ""
    columns: tuple[Column, ...]
    row_count: int
    totals: dict[str, Cell] = {}
    """The sum of each column that may be added up."""
    first_rows: tuple[tuple[Cell, ...], ...] = ()
    first_references: tuple[RecordReference | None, ...] = ()
    """The records behind the first rows, where they are known."""
    provenance: Provenance
    tool_use_id: str = ""


class ChartDrawn(Event):
    """A chart over a dataset: its specification names the data, and never holds any."""

    type: Literal["chart_drawn"] = "chart_drawn"
    chart_id: AnyId
    dataset_id: AnyId
    dataset_name: str
    kind: ChartKind
    title: str = ""
    description: str = ""
    """A description of what it shows, for screen readers."""
    spec: dict[str, Any]
    """Vega-Lite, with `data: {"name": …}`."""
    request: dict[str, Any] = {}
    """What was asked for, which a follow-up changes."""
    notes: tuple[str, ...] = ()
    """What was mended so that the chart does not mislead."""
    language: str = "en"
    changes_chart_id: AnyId | None = None
    """The chart that this one is a variation of."""
    tool_use_id: str = ""


def as_cell(value: object) -> Cell:
    """A Python value as an event holds it."""
    if value is None or isinstance(value, (bool, str, float)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)
