"""Figures, days and column titles as a reader of one language writes them."""

import re
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from batuta.datasets.charts.figures import period_in
from batuta.datasets.charts.words import SEPARATORS, say
from batuta.datasets.dataset import Dataset
from batuta.datasets.store import DatasetInfo
from batuta.datasets.values import Value
from batuta.events.datasets import Column
from batuta.language.wording import days_between, short_day, short_period

PARTS = " · "
"""Between the parts of a table's title: what it is, its period, what it was kept to."""


def number_text(value: Decimal | float | int, language: str, places: int | None = None) -> str:
    """A figure with separators: `12,000.50`, `12.000,50`."""
    if places is None:
        places = 0 if isinstance(value, int) else 2
    thousands, point = SEPARATORS[language]
    exact = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) if isinstance(value, Decimal) else value
    text = f"{exact:,.{places}f}"
    return text.replace(",", "\0").replace(".", point).replace("\0", thousands)


def value_text(value: Value, language: str) -> str:
    """Any value, as a label shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return {"en": ("no", "yes"), "es": ("no", "sí")}[language][value]
    if isinstance(value, int | float | Decimal):
        return number_text(value, language)
    if isinstance(value, date):
        return short_day(value, language)
    return value


def period_in_year(start: date, unit: str, language: str) -> str:
    """A period without its year: `Jan`, `T1`, `W07`, `3 Mar`."""
    if unit == "year":
        return say("whole_year", language)
    text = short_period(start, unit, language)
    return text.replace(f" {start.year}", "") if unit in ("month", "day") else text.partition(" ")[2]


def named_in_year(text: str, language: str) -> str:
    """A period that stands as text, without its year; any other text as it is."""
    found = period_in(text)
    return text if found is None else period_in_year(found[1], found[0], language)


def days_text(first: date | None, last: date | None, language: str) -> str:
    """Days from one to another: `Mar 2026`, `2025`, `since 1 Jun 2026`, `3 Mar 2026 – 9 Apr 2026`."""
    if first is None or last is None:
        if first is not None:
            return say("since", language, low=value_text(first, language))
        return "" if last is None else say("until", language, high=value_text(last, language))
    return days_between(first, last, language)


def named_period(text: str, language: str) -> str:
    """A period that stands as text, as it is said: `2026-04` is `Apr 2026`. Any other text as it is."""
    found = period_in(text)
    return text if found is None else short_period(found[1], found[0], language)


_ISO_DAY = r"\d{4}-\d\d-\d\d"


def with_days(text: str, language: str) -> str:
    """A text with its ISO days as they are said: `2026-01-01 – 2026-12-31` is `2026`."""
    if match := re.fullmatch(rf"({_ISO_DAY}) – ({_ISO_DAY})", text):
        return days_text(date.fromisoformat(match[1]), date.fromisoformat(match[2]), language)
    return re.sub(rf"\b{_ISO_DAY}\b", lambda day: value_text(date.fromisoformat(day[0]), language), text)


def table_title(table: Dataset | DatasetInfo, language: str) -> str:
    """What a table is called, with its days as they are said."""
    return PARTS.join(with_days(part, language) for part in (table.title or table.name).split(PARTS))


def is_span(text: str) -> bool:
    """Whether a text is nothing but the days from one to another."""
    return re.fullmatch(rf"{_ISO_DAY} – {_ISO_DAY}", text) is not None


_SIGNS = {"EUR": "€", "USD": "$", "GBP": "£"}


def axis_title(column: Column) -> str:
    """What stands beside an axis: the label, and what it is measured in."""
    measured_in = column.currency or column.unit
    if not measured_in or measured_in in column.title or _SIGNS.get(measured_in, "\0") in column.title:
        return column.title
    return f"{column.title} ({measured_in})"
