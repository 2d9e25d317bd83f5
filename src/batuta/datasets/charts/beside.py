"""Tables of one shape as one: sales by month beside purchases by month, each a figure of its own."""

from collections.abc import Sequence
from dataclasses import replace

from batuta.datasets.charts.labels import PARTS
from batuta.datasets.dataset import Column, Dataset, dataset_name
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.sql import query_datasets
from batuta.datasets.store import DatasetInfo

MAX_BESIDE = 4
"""Figures that one chart shows."""


async def joined_tables(library: DatasetLibrary, tables: Sequence[DatasetInfo]) -> Dataset | None:
    """The figures of several tables in one, by the columns they share; none where they measure different things."""
    keys = [_keys(table) for table in tables]
    figures = [_figures(table) for table in tables]
    first = figures[0][0] if figures and figures[0] else None
    if first is None or not keys[0] or not 1 < len(tables) <= MAX_BESIDE or any(names != keys[0] for names in keys):
        return None
    if any(len(each) != 1 or not _is_same_measure(each[0], first) for each in figures):
        return None
    measures = [each[0] for each in figures]
    titles = _titles(tables, measures)
    names = _names(titles, keys[0])
    made = await query_datasets(library, _statement(tables, keys[0], names, measures), name="_".join(names)[:50])
    if not isinstance(made, Dataset):
        return None
    labels = [column.title for table in tables[:1] for column in table.columns if column.name in keys[0]]
    labels += titles
    columns = [
        column.model_copy(update={"label": label, "currency": None if place < len(keys[0]) else first.currency})
        for place, (column, label) in enumerate(zip(made.columns, labels, strict=True))
    ]
    said = [table.title.split(PARTS)[1:] for table in tables]
    shared = [part for part in said[0] if all(part in parts for parts in said)]
    return replace(made, columns=columns, title=PARTS.join([" / ".join(titles), *shared]))


def _keys(table: DatasetInfo) -> list[str]:
    return [column.name for column in table.columns if not column.is_numeric]


def _figures(table: DatasetInfo) -> list[Column]:
    return [column for column in table.columns if column.is_numeric]


def _titles(tables: Sequence[DatasetInfo], measures: Sequence[Column]) -> list[str]:
    """What each figure is called: the same one of several companies by the name of each."""
    titles, companies = [column.title for column in measures], [table.provenance.company for table in tables]
    is_of_each = len(set(titles)) < len(titles) == len(set(companies)) and all(companies)
    return [f"{title} ({company})" for title, company in zip(titles, companies, strict=True)] if is_of_each else titles


def _is_same_measure(one: Column, other: Column) -> bool:
    return (one.unit, one.currency, one.is_additive) == (other.unit, other.currency, other.is_additive) and (
        one.currency_column is None
    )


def _names(titles: Sequence[str], taken: Sequence[str]) -> list[str]:
    names: list[str] = []
    for title in titles:
        name, number = dataset_name(title)[:40], 1
        while name in (*names, *taken):
            number += 1
            name = f"{dataset_name(title)[:40]}_{number}"
        names.append(name)
    return names


def _statement(
    tables: Sequence[DatasetInfo], keys: Sequence[str], names: Sequence[str], measures: Sequence[Column]
) -> str:
    """Every row of each, by the keys; the names were checked when the datasets were made."""
    shown = ", ".join(keys)
    figures = ", ".join(
        f"t{place}.{column.name} as {name}" for place, (name, column) in enumerate(zip(names, measures, strict=True))
    )
    sources = "".join(
        f" full join {table.name} as t{place} using ({shown})" for place, table in enumerate(tables) if place
    )
    return f"select {shown}, {figures} from {tables[0].name} as t0{sources} order by {shown}"  # noqa: S608
