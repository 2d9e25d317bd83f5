"""A chart beside the year before: the same days one year earlier, split by year.

The year before ends on the day on which the table ends, so that ten months do not stand beside twelve.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from batuta.datasets.charts.draft import BEFORE, ChartRefusedError
from batuta.datasets.charts.figures import period_in, period_start
from batuta.datasets.charts.labels import table_title
from batuta.datasets.charts.request import ChartFilter, ChartRequest
from batuta.datasets.charts.words import UNIT_NAMES, say
from batuta.datasets.dataset import Column, Dataset
from batuta.datasets.values import Value
from batuta.language.calendar_math import unit_of

YEAR = "compared_year"


@dataclass(frozen=True, slots=True, kw_only=True)
class YearsBeside:
    """A table of two years as one: days of the year before stand a year later, and a column says whose they are."""

    dataset: Dataset
    request: ChartRequest
    note: str


def brings_comparison(dataset: Dataset) -> bool:
    """Whether a table has the figures of the period before beside its own."""
    return any(column.name == BEFORE and column.is_numeric for column in dataset.columns)


def beside_year_before(dataset: Dataset, request: ChartRequest) -> YearsBeside:
    """The table and the request that show both years. Raises `ChartRefusedError` where there is no year before."""
    column = _time_column(dataset, request)
    name = table_title(dataset, request.language)
    if column is None:
        known = ", ".join(one.title for one in dataset.columns)
        raise ChartRefusedError(say("no_time", request.language, dataset=name, known=known))
    if request.series is not None or request.kind in ("scatter", "histogram", "heatmap", "combined"):
        raise ChartRefusedError(say("no_room_for_year", request.language))
    place = [one.name for one in dataset.columns].index(column.name)
    days = [_day(row[place]) for row in dataset.rows]
    known_days = [day for day in days if day is not None]
    if not known_days:
        raise ChartRefusedError(say("empty", request.language, dataset=name, filtered=""))
    first, last = _span(column, request, max(known_days))
    rows: list[Sequence[Value]] = []
    for row, day in zip(dataset.rows, days, strict=True):
        if day is not None and first <= day <= last:
            rows.append([*row, str(first.year)])
        elif day is not None and first <= _later(day) <= last:
            moved = _moved(row[place])
            rows.append([*(moved if n == place else value for n, value in enumerate(row)), str(first.year - 1)])
    if {row[-1] for row in rows} != {str(first.year), str(first.year - 1)}:
        raise ChartRefusedError(say("no_year_before", request.language, dataset=name, year=first.year - 1))
    label = UNIT_NAMES["year"][request.language].capitalize()
    is_figure = request.kind == "kpi" and request.x is None
    return YearsBeside(
        dataset=replace(
            dataset, columns=[*dataset.columns, Column(name=YEAR, type="text", label=label)], rows=rows, references=()
        ),
        request=request.changed(
            **({"x": YEAR} if is_figure else {"series": YEAR}),
            filters=[one for one in request.filters if one.column != column.name],
            kind="bar" if request.kind in ("pie", "stacked") or (request.x and request.kind == "kpi") else request.kind,
            title=request.title,
        ),
        note=say(
            "year_before",
            request.language,
            year=first.year - 1,
            first=_said(first),
            last=_said(_end(column, dataset, last)),
        ),
    )


def _time_column(dataset: Dataset, request: ChartRequest) -> Column | None:
    times = [one for one in dataset.columns if one.type in ("date", "datetime") or _is_of_periods(dataset, one)]
    return next((one for one in times if one.name == request.x), next(iter(times), None))


def _is_of_periods(dataset: Dataset, column: Column) -> bool:
    """Whether a column holds months or quarters as text; of whole years none is like the year before."""
    if column.type != "text":
        return False
    found = [period_in(str(value)) for value in dataset.values(column.name) if value]
    return bool(found) and all(one is not None and one[0] in ("month", "quarter") for one in found)


def _span(column: Column, request: ChartRequest, last: date) -> tuple[date, date]:
    """The days that are compared: those that were asked for, else the year in which the table ends."""
    asked: ChartFilter | None = next((one for one in request.filters if one.column == column.name), None)
    starts = sorted(start for one in (asked.values if asked else ()) if (start := period_start(one)) is not None)
    low = starts[0] if starts else _bound(asked.at_least if asked else None)
    high = starts[-1] if starts else _bound(asked.at_most if asked else None)
    end = min(last, high) if high is not None else last
    begin = low or date(end.year, 1, 1)
    if (end - begin).days > 366:
        begin = date(end.year, 1, 1)
    return begin, end


def _bound(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text[:10])


def _day(value: Any) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else period_start(str(value)) if value else None


def _later(day: date) -> date:
    """The same day a year later; the last of February for its 29th."""
    try:
        return day.replace(year=day.year + 1)
    except ValueError:
        return day.replace(year=day.year + 1, day=28)


def _moved(value: Any) -> Value:
    if isinstance(value, datetime):
        return value + timedelta(days=(_later(value.date()) - value.date()).days)
    if isinstance(value, date):
        return _later(value)
    return f"{int(str(value)[:4]) + 1:04}{str(value)[4:]}"


def _end(column: Column, dataset: Dataset, last: date) -> date:
    """The last day of the last period, where a table has periods instead of days."""
    if column.type != "text":
        return last
    units = {found[0] for value in dataset.values(column.name) if value and (found := period_in(str(value)))}
    return unit_of("quarter" if "quarter" in units else "month", last).last


def _said(day: date) -> str:
    return f"{day:%d/%m}"
