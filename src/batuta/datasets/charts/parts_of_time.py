"""Weekdays and hours of the day, which come back: columns that a table gets where a request compares by them.

"¿qué día de la semana se vende más?"      -> x = weekday
"heat map of tickets by weekday and hour"  -> x = weekday, series = clock
"""

import re
from dataclasses import replace
from datetime import date, datetime
from typing import Final

from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.charts.words import say
from batuta.datasets.dataset import Column, Dataset
from batuta.datasets.values import Value
from batuta.language.findings import Language
from batuta.language.lexicon import WEEKDAY_NAMES

WEEKDAY, CLOCK = "weekday", "clock"
_ASKED: Final = {
    WEEKDAY: r" (?:weekdays?|days? of (?:the )?week|dias? de (?:la )?semana)(?= )",
    CLOCK: (
        r" (?:hours? of (?:the )?day|time of (?:the )?day|horas? del dia)(?= )|"
        r"(?:(?<= by)|(?<= per)|(?<= and)|(?<= each)) hours?(?= )|(?:(?<= por)|(?<= cada)|(?<= y)) horas?(?= )"
    ),
}
"""Patterns of what asks for them, folded."""


def with_asked_parts(text: str, table: Dataset, language: Language) -> tuple[str, Dataset]:
    """A folded text with a space at both ends that calls parts of time by their columns, and the table that has them.

    A table without a time has none, and a column of its own that is called so is meant by its name.
    """
    own = {column.name for column in table.columns}
    for name in _available(table) - own:
        text, count = re.subn(_ASKED[name], f" {name}", text)
        table = _with_column(table, name, language) if count else table
    return text, table


def with_parts(dataset: Dataset, request: ChartRequest) -> Dataset:
    """The dataset with the parts of time that a request compares by."""
    own = {column.name for column in dataset.columns}
    for name in sorted({WEEKDAY, CLOCK} & {request.x, request.series} & _available(dataset) - own):
        dataset = _with_column(dataset, name, request.language)
    return dataset


def asks_parts(request: ChartRequest, dataset: Dataset) -> bool:
    """Whether a request compares by a part of time that the dataset has no column for."""
    return bool({WEEKDAY, CLOCK} & {request.x, request.series} - {column.name for column in dataset.columns})


def _available(table: Dataset) -> set[str]:
    """The parts of time that a table can tell."""
    kinds = {column.type for column in table.columns}
    return {WEEKDAY, CLOCK} if "datetime" in kinds else {WEEKDAY} if "date" in kinds else set()


def _with_column(table: Dataset, name: str, language: Language) -> Dataset:
    kinds = ("datetime",) if name == CLOCK else ("date", "datetime")
    times = next(column.name for column in table.columns if column.type in kinds)
    values = [_part(value, name, language) for value in table.values(times)]
    return replace(
        table,
        columns=[*table.columns, Column(name=name, type="text", label=say(name, language))],
        rows=[[*row, value] for row, value in zip(table.rows, values, strict=True)],
    )


def _part(value: Value, name: str, language: Language) -> str | None:
    if name == CLOCK:
        return f"{value.hour:02}:00" if isinstance(value, datetime) else None
    return WEEKDAY_NAMES[language][value.weekday()] if isinstance(value, date) else None
