"""The figures of a chart: rows filtered, cut into periods, grouped and added up. Pure, and exact in decimals."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from typing import Any

from batuta.datasets.charts.request import Aggregate, TimeUnit
from batuta.datasets.dataset import TOTAL_DIGITS
from batuta.datasets.values import Value
from batuta.events.datasets import RecordReference

Key = tuple[Value, ...]


@dataclass(slots=True)
class Group:
    """Rows that share a key: their figures, and the record behind them if they are one row."""

    figures: list[list[Any]]
    row_count: int = 0
    reference: RecordReference | None = None


def grouped(
    rows: Iterable[Sequence[Value]], key_places: Sequence[int], figure_places: Sequence[int],
    references: Sequence[RecordReference | None] = (),
) -> dict[Key, Group]:  # fmt: skip
    """The groups of some rows, in the order in which they first appear."""
    groups: dict[Key, Group] = {}
    for number, row in enumerate(rows):
        key = tuple(row[place] for place in key_places)
        group = groups.get(key)
        if group is None:
            group = groups[key] = Group(figures=[[] for _ in figure_places])
        group.row_count += 1
        group.reference = references[number] if references and group.row_count == 1 else None
        for figures, place in zip(group.figures, figure_places, strict=True):
            if row[place] is not None:
                figures.append(row[place])
    return groups


def aggregated(figures: Sequence[Any], how: Aggregate) -> Any:
    """One figure of several; nothing of none."""
    if not figures:
        return None
    with localcontext(prec=TOTAL_DIGITS):
        if how == "sum":
            return sum(figures[1:], start=figures[0])
        if how == "average":
            return average_of(sum(figures[1:], start=figures[0]), len(figures))
    return min(figures) if how == "minimum" else max(figures)


def average_of(total: Any, count: int) -> Any:
    """A sum divided by how many it is of; decimals to six places."""
    with localcontext(prec=TOTAL_DIGITS):
        average = total / count
        return round(average, 6) if isinstance(average, Decimal) else average


def period_of(value: date, unit: TimeUnit) -> date:
    """The first day of the period that a day or moment lies in."""
    day = value.date() if isinstance(value, datetime) else value
    if unit == "week":
        return day - timedelta(days=day.weekday())
    if unit == "month":
        return day.replace(day=1)
    if unit == "quarter":
        return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    return day.replace(month=1, day=1) if unit == "year" else day


def binned(values: Iterable[Any]) -> tuple[list[Decimal], list[int]]:
    """The limits of equal bins, and how many values lie in each; what is missing lies in none."""
    known = [Decimal(str(value)) for value in values if value is not None]
    if not known:
        return [], []
    edges = bin_edges(known)
    counts = [0] * (len(edges) - 1)
    for value in known:
        counts[bisect_right(edges, value) - 1] += 1
    return edges, counts


def bin_edges(values: Sequence[Any], count: int = 10) -> list[Decimal]:
    """Round limits of equal bins that hold all values."""
    low, high = Decimal(str(min(values))), Decimal(str(max(values)))
    if low == high:
        return [low, low + 1]
    rough = (high - low) / count
    magnitude = Decimal(10) ** rough.adjusted()
    step = next(magnitude * factor for factor in (1, 2, 5, 10) if magnitude * factor >= rough)
    start = (low / step).to_integral_value(rounding="ROUND_FLOOR") * step
    edges = [start]
    while edges[-1] <= high:
        edges.append(edges[-1] + step)
    return edges
