"""The figures of a chart: rows filtered, cut into periods, grouped and added up. Pure, and exact in decimals."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from typing import Any

from batuta.datasets.charts.request import Aggregate, TimeUnit
from batuta.datasets.dataset import TOTAL_DIGITS
from batuta.datasets.values import Value
from batuta.events.datasets import RecordReference
from batuta.language.folding import fold
from batuta.language.lexicon import MONTHS, WEEKDAYS

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
    if how == "distinct":
        return len(set(figures) - {""})
    if not figures:
        return None
    with localcontext(prec=TOTAL_DIGITS):
        if how == "sum":
            return sum(figures[1:], start=figures[0])
        if how == "average":
            return average_of(sum(figures[1:], start=figures[0]), len(figures))
        if how == "median":
            middle = sorted(figures)[(len(figures) - 1) // 2 : len(figures) // 2 + 1]
            return average_of(sum(middle[1:], start=middle[0]), len(middle))
    return min(figures) if how == "minimum" else max(figures)


def average_of(total: Any, count: int) -> Any:
    """A sum divided by how many it is of; decimals, and what whole numbers come to, to six places."""
    with localcontext(prec=TOTAL_DIGITS):
        average = (Decimal(total) if isinstance(total, int) else total) / count
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


def missing_periods(periods: Sequence[Value], unit: TimeUnit | None = None) -> list[Value]:
    """The periods between the first and the last that are not among them: days that begin one, or texts (2026-Q2).

    Nothing where they are of several units, or days.
    """
    numbers = {_period_number(period, unit) for period in periods}
    if len({found[0] for found in numbers if found is not None}) != 1 or None in numbers:
        return []
    known = {found[1] for found in numbers if found is not None}
    kind = next(found[0] for found in numbers if found is not None)
    between = (number for number in range(min(known), max(known)) if number not in known)
    is_day = isinstance(periods[0], date)
    return [_period_start(kind, number) if is_day else _period_label(kind, number) for number in between]


def _period_number(period: Value, unit: TimeUnit | None) -> tuple[TimeUnit, int] | None:
    """A period as a number that the next one follows, with its unit."""
    if isinstance(period, date):
        months = period.year * 12 + period.month - 1
        numbers: dict[TimeUnit | None, int] = {
            "week": (period.toordinal() - 1) // 7, "month": months, "quarter": months // 3, "year": period.year,
        }  # fmt: skip
        return (unit, numbers[unit]) if unit is not None and unit in numbers else None
    match = _PERIOD_TEXT.fullmatch(str(period))
    if match is None or not 1 <= int(match["year"]) < 9999:
        return None
    year = int(match["year"])
    if match["week"]:
        try:
            return "week", (date.fromisocalendar(year, int(match["week"]), 1).toordinal() - 1) // 7
        except ValueError:
            return None
    if match["month"]:
        return ("month", year * 12 + int(match["month"]) - 1) if 1 <= int(match["month"]) <= 12 else None
    return ("quarter", year * 4 + int(match["quarter"]) - 1) if match["quarter"] else ("year", year)


_PERIOD_TEXT = re.compile(r"(?P<year>\d{4})(?:-(?:(?P<month>\d{2})|Q(?P<quarter>[1-4])|W(?P<week>\d{2})))?")


def period_in(text: str) -> tuple[TimeUnit, date] | None:
    """The unit and the first day of a period that stands as text."""
    found = _period_number(text, None)
    return None if found is None else (found[0], _period_start(*found))


def in_longer_period(text: str, unit: TimeUnit) -> str:
    """The longer period that one lies in, as text: the quarter of a month. A text that is no period stays as it is."""
    found = period_in(text)
    if found is None or _UNITS.index(found[0]) >= _UNITS.index(unit):
        return text
    number = _period_number(found[1], unit)
    return text if number is None else _period_label(*number)


_UNITS: tuple[TimeUnit, ...] = ("day", "week", "month", "quarter", "year")


def period_start(text: str) -> date | None:
    """The first day of a period that stands as text: 2026, 2026-04, 2026-Q2, 2026-W14; none for any other text."""
    found = _period_number(text, None)
    return None if found is None else _period_start(*found)


def _period_start(unit: TimeUnit, number: int) -> date:
    if unit == "week":
        return date.fromordinal(number * 7 + 1)
    months = number * {"month": 1, "quarter": 3, "year": 12}[unit]
    return date(months // 12, months % 12 + 1, 1)


def _period_label(unit: TimeUnit, number: int) -> str:
    day = _period_start(unit, number)
    if unit == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    ends = {"month": f"-{day.month:02}", "quarter": f"-Q{(day.month - 1) // 3 + 1}", "year": ""}
    return f"{day.year:04}{ends[unit]}"


def calendar_places(labels: Collection[str]) -> dict[str, int]:
    """Names of months, weekdays or hours by their place in the year, the week or the day; empty for other names."""
    if len(labels) > 1 and all(re.fullmatch(r"\d\d:00", label) for label in labels):
        return {label: int(label[:2]) for label in labels}
    for names in (MONTHS, WEEKDAYS):
        places = {label: names[name] for label in labels if (name := fold(label).strip(" .")) in names}
        if len(places) == len(labels) > 1:
            return places
    return {}


def binned(values: Iterable[Any], *, is_whole: bool = False) -> tuple[list[Decimal], list[int]]:
    """The limits of equal bins, and how many values lie in each; what is missing lies in none."""
    known = [Decimal(str(value)) for value in values if value is not None]
    if not known:
        return [], []
    edges = bin_edges(known, is_whole=is_whole)
    counts = [0] * (len(edges) - 1)
    for value in known:
        counts[bisect_right(edges, value) - 1] += 1
    return edges, counts


def bin_edges(values: Sequence[Any], count: int = 10, *, is_whole: bool = False) -> list[Decimal]:
    """Round limits of equal bins that hold all values; none lies between two whole numbers, if they all are."""
    low, high = Decimal(str(min(values))), Decimal(str(max(values)))
    if low == high:
        return [low, low + 1]
    rough = (high - low) / count
    magnitude = Decimal(10) ** rough.adjusted()
    step = next(magnitude * factor for factor in (1, 2, 5, 10) if magnitude * factor >= rough)
    if is_whole:
        step = max(step, Decimal(1))
    start = (low / step).to_integral_value(rounding="ROUND_FLOOR") * step
    edges = [start]
    while edges[-1] <= high:
        edges.append(edges[-1] + step)
    return edges
