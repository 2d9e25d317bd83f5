"""Figures, days and column titles as a reader of one language writes them."""

from datetime import date
from decimal import Decimal

from batuta.datasets.charts.words import MONTHS, SEPARATORS
from batuta.datasets.values import Value
from batuta.events.datasets import Column


def number_text(value: Decimal | float | int, language: str, places: int | None = None) -> str:
    """A figure with separators: `12,000.50`, `12.000,50`."""
    if places is None:
        places = 0 if isinstance(value, int) else 2
    thousands, point = SEPARATORS[language]
    text = f"{value:,.{places}f}"
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
        return f"{value.day} {MONTHS[language][value.month - 1]} {value.year}"
    return value


def period_text(start: date, unit: str, language: str) -> str:
    """A period by its first day: `Jan 2026`, `2026 T1`."""
    if unit == "year":
        return str(start.year)
    if unit == "quarter":
        return f"{start.year} {'Q' if language == 'en' else 'T'}{(start.month - 1) // 3 + 1}"
    if unit == "month":
        return f"{MONTHS[language][start.month - 1]} {start.year}"
    if unit == "week":
        year, week, _ = start.isocalendar()
        return f"{year} {'W' if language == 'en' else 'S'}{week:02d}"
    return value_text(start, language)


_SIGNS = {"EUR": "€", "USD": "$", "GBP": "£"}


def axis_title(column: Column) -> str:
    """What stands beside an axis: the label, and what it is measured in."""
    measured_in = column.currency or column.unit
    if not measured_in or measured_in in column.title or _SIGNS.get(measured_in, "\0") in column.title:
        return column.title
    return f"{column.title} ({measured_in})"
