"""Charts of large tables: the SQL engine filters, groups and counts; only groups come into this process.

    values -> words are read against them -> conditions -> kind and period are settled -> groups -> plan

The rules and the order of things are those of every chart: only where rows are added up differs.
"""

# ruff: noqa: S608 - names are a dataset's, values are literals, and every statement is judged by the rules of the SQL tool

from collections.abc import Sequence
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from sqlglot import exp

from batuta.datasets.charts import rules
from batuta.datasets.charts.draft import ChartDraft, ChartRefusedError, bound_of, column_named, draft_of, value_filters
from batuta.datasets.charts.figures import Group, Key, average_of, bin_edges
from batuta.datasets.charts.parts_of_time import asks_parts
from batuta.datasets.charts.planning import ChartPlan, finished, settled
from batuta.datasets.charts.request import Aggregate, ChartFilter, ChartRequest
from batuta.datasets.charts.words import say
from batuta.datasets.charts.years import brings_comparison
from batuta.datasets.dataset import Column, Dataset, dataset_name
from batuta.datasets.large import LARGE_ROWS
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.sql import query_datasets
from batuta.datasets.store import DatasetInfo
from batuta.datasets.values import Value, from_cell

MAX_VALUES = 20_000
"""Different values of a column that are read: days to find the period, texts to find what was named."""

_ENGINE_AGGREGATES: dict[Aggregate, str] = {
    "sum": "sum({0})", "average": "sum({0})", "minimum": "min({0})", "maximum": "max({0})",
    "distinct": "count(DISTINCT nullif({0}, ''))",
    "median": "quantile_disc({0}, 0.5) - quantile_disc(-{0}, 0.5)",
}  # fmt: skip
"""A sum, and what is divided afterwards: an average by its count, the two values in the middle by two."""


class LargeTable:
    """A table whose rows are too many for this process."""

    def __init__(self, library: DatasetLibrary, info: DatasetInfo) -> None:
        self._library = library
        self._info = info

    async def outline(self) -> Dataset:
        """The table with the different values of its texts as rows: enough to read a request against it."""
        rows, _ = await self._values([column for column in self._info.columns if column.type == "text"], "")
        return self._with(rows)

    async def plan(self, outline: Dataset, request: ChartRequest) -> ChartPlan:
        """The chart that a request comes to. Raises `ChartRefusedError` where there is none to be drawn honestly."""
        if request.compared is not None and not brings_comparison(outline):
            raise ChartRefusedError(say("compared_large", request.language))
        if asks_parts(request, outline):
            raise ChartRefusedError(say("parts_large", request.language))
        where = await self._where(outline, request)
        chosen = draft_of(outline, request, [], [])
        codes = {column.currency_column for column in chosen.ys}
        needed = [one for one in self._info.columns if one.name in codes or (one == chosen.x and not one.is_numeric)]
        rows, row_count = await self._values(needed, where)
        draft = draft_of(self._with(rows), request, list(rows), [None] * len(rows))
        draft.row_count, draft.source_rows = row_count, self._info.row_count
        settled(draft)
        if draft.kind == "histogram" and draft.ys:
            draft.bins = await self._bins(draft.ys[0], where)
        elif draft.kind == "scatter" or (draft.kind == "table" and draft.x is None):
            limit = rules.MAX_POINTS if draft.kind == "scatter" else rules.MAX_TABLE_ROWS
            found = await self._query(f"SELECT * FROM {self._info.name}{where} LIMIT {limit}")
            draft.rows, draft.references = list(found.rows), found.references or [None] * len(found.rows)
        else:
            draft.groups = await self._groups(draft, where)
        return finished(draft)

    def _with(self, rows: Sequence[Sequence[Value]]) -> Dataset:
        info = self._info
        return Dataset(
            name=info.name, title=info.title, columns=info.columns, rows=rows, provenance=info.provenance
        )  # fmt: skip

    async def _query(self, sql: str) -> Dataset:
        found = await query_datasets(self._library, sql, is_one_currency=True)  # the rules of charts see to it
        assert isinstance(found, Dataset), "every statement here has a limit"
        return found

    async def _values(self, columns: Sequence[Column], where: str) -> tuple[list[tuple[Value, ...]], int]:
        """The different values of some columns, side by side and without meaning as rows; how many rows there are."""
        table = f"{self._info.name}{where}"
        parts = [f"SELECT -1 AS place, CAST(count(*) AS VARCHAR) AS found FROM {table}"]
        codes = {one.currency_column for one in self._info.columns}
        most = min(MAX_VALUES, LARGE_ROWS // (len(columns) + 1))
        for column in columns:
            shown = f"coalesce({_quoted(column)}, '')" if column.name in codes else _shown(column)
            different = f"SELECT DISTINCT {shown} AS one FROM {table} LIMIT {most}"
            place = self._info.columns.index(column)
            parts.append(f"SELECT {place} AS place, CAST(one AS VARCHAR) AS found FROM ({different})")
        held: dict[int, list[Value]] = {}
        count = 0
        for place, text in (await self._query(" UNION ALL ".join(parts))).rows:
            if place == -1:
                count = int(text)
            elif text is not None:
                held.setdefault(place, []).append(_value(text, self._info.columns[place]))
        width = range(len(self._info.columns))
        rows: list[tuple[Value, ...]] = list(zip_longest(*(sorted(held.get(place, ()), key=str) for place in width)))
        return (rows or [tuple(None for _ in width)]) if count else [], count

    async def _where(self, outline: Dataset, request: ChartRequest) -> str:
        """The conditions of a request as SQL; named values as the table writes them."""
        kept = (*request.filters, *value_filters(outline, request, request.only))
        gone = value_filters(outline, request, request.excluded)
        tests = [await self._condition(outline, one, request) for one in kept]
        tests += [f"NOT coalesce({await self._condition(outline, one, request)}, FALSE)" for one in gone]
        return f" WHERE {' AND '.join(tests)}" if tests else ""

    async def _condition(self, outline: Dataset, wanted: ChartFilter, request: ChartRequest) -> str:
        column = column_named(outline, wanted.column, request)
        assert column is not None
        tests = []
        if wanted.values:
            place = self._info.columns.index(column)
            rows = outline.rows if column.type == "text" else (await self._values([column], ""))[0]
            folded = {dataset_name(value) for value in wanted.values}
            held = {row[place] for row in rows if row[place] is not None}
            meant = [_literal(value, column) for value in held if dataset_name(str(value)) in folded]
            tests.append(f"{_shown(column)} IN ({', '.join(sorted(meant))})" if meant else "FALSE")
        for sign, text in ((">=", wanted.at_least), ("<=", wanted.at_most)):
            if text is not None:
                tests.append(f"{_quoted(column)} {sign} {_literal(bound_of(column, text, request), column)}")
        return f"({' AND '.join(tests)})" if tests else "TRUE"

    async def _groups(self, draft: ChartDraft, where: str) -> dict[Key, Group]:
        keys = [column for column in (draft.x, draft.series) if column is not None]
        shown = [_key(column, draft) for column in keys]
        figures = [] if draft.aggregate == "count" else draft.ys
        how = _ENGINE_AGGREGATES.get(draft.aggregate, "sum({0})")
        parts = [f"{how.format(_quoted(column))}, count({_quoted(column)})" for column in figures]
        grouping = f" GROUP BY {', '.join(shown)} ORDER BY {', '.join(shown)}" if keys else ""
        selected = ", ".join([*shown, "count(*)", *parts])
        found = await self._query(f"SELECT {selected} FROM {self._info.name}{where}{grouping} LIMIT {LARGE_ROWS}")
        if keys and len(found.rows) == LARGE_ROWS:
            raise draft.refuse("too_many_groups", x=keys[0].title, most=LARGE_ROWS - 1)
        groups: dict[Key, Group] = {}
        for row in found.rows:
            count, values = row[len(keys)], row[len(keys) + 1 :][: 2 * len(figures)]
            pairs = zip(values[::2], values[1::2], strict=True)
            made = [_figure(total, number, draft.aggregate) for total, number in pairs]
            groups[tuple(row[: len(keys)])] = Group(figures=made, row_count=int(count))
        return groups

    async def _bins(self, column: Column, where: str) -> tuple[list[Decimal], list[int]]:
        name, table = _quoted(column), f"{self._info.name}{where}"
        ((low, high),) = (await self._query(f"SELECT min({name}), max({name}) FROM {table}")).rows
        if low is None or high is None:
            return [], []
        edges = bin_edges([low, high], is_whole=column.type == "integer")
        below = ", ".join(f"count(CASE WHEN {name} < {edge:f} THEN 1 END)" for edge in edges[1:])
        (counts,) = (await self._query(f"SELECT {below} FROM {table}")).rows
        return edges, [int(one) - int(before) for before, one in zip((0, *counts), counts, strict=False)]


def _quoted(column: Column) -> str:
    return f'"{column.name}"'


def _shown(column: Column) -> str:
    """Moments by their day: what periods are made of."""
    return f"CAST({_quoted(column)} AS DATE)" if column.type == "datetime" else _quoted(column)


def _key(column: Column, draft: ChartDraft) -> str:
    """What rows are grouped by: the period of a day, and one group of what is empty."""
    is_cut = column is draft.x or draft.time_unit is not None
    if is_cut and column.type in ("date", "datetime"):
        return f"CAST(date_trunc('{draft.time_unit or 'day'}', {_quoted(column)}) AS DATE)"
    return f"nullif({_quoted(column)}, '')" if column.type == "text" else _quoted(column)


def _literal(value: Any, column: Column) -> str:
    if column.is_numeric:
        return format(value, "f") if isinstance(value, Decimal) else str(value)
    if column.type == "boolean":
        return str(value).upper()
    text = exp.Literal.string(value if isinstance(value, str) else value.isoformat()).sql(dialect="duckdb")
    kinds = {"date": "DATE", "datetime": "TIMESTAMPTZ"}
    return f"CAST({text} AS {kinds[column.type]})" if column.type in kinds else text


def _value(text: str, column: Column) -> Value:
    return text == "true" if column.type == "boolean" else from_cell(text, column.type)


def _figure(total: Any, count: Any, how: Aggregate) -> list[Any]:
    """What the engine made of a group's values: one figure, or none where all are missing."""
    if total is None:
        return []
    return [average_of(total, count if how == "average" else 2) if how in ("average", "median") else total]
