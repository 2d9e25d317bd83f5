"""Date formulas of payment terms and report periods: `30D`, `1M(8D)`, `CM`, `CM+15D`, `-1W`, `<1M+14D>`."""

import calendar
import re
from datetime import date, timedelta

_TERM = re.compile(r"(?P<sign>[+-]?)(?:(?P<current>C)(?P<unit>[DWMQY])|(?P<count>\d{1,4})(?P<of>[DWMQY]))")
_MONTHS = {"M": 1, "Q": 3, "Y": 12}


class DateFormulaError(ValueError):
    """The text is no date formula, or leads out of the calendar."""


def apply_formula(formula: str, start: date) -> date:
    """Move a date by a formula; an empty one leaves it. The part in brackets of `1M(8D)` is added."""
    text = formula.strip().strip("<>").upper().replace(" ", "").replace("(", "+").replace(")", "")
    at, moved = 0, start
    while at < len(text):
        term = _TERM.match(text, at)
        if term is None:
            msg = f"'{formula}' is not a date formula. Use for example 30D, 1M, CM+15D."
            raise DateFormulaError(msg)
        try:
            moved = _moved(moved, term)
        except (OverflowError, ValueError):
            msg = f"'{formula}' leads from {start} to a day that no calendar has. Use an earlier date."
            raise DateFormulaError(msg) from None
        at = term.end()
    return moved


def _moved(day: date, term: re.Match[str]) -> date:
    backwards = term["sign"] == "-"
    if term["current"]:
        return _edge(day, term["unit"], first=backwards)
    count = int(term["count"]) * (-1 if backwards else 1)
    if term["of"] in _MONTHS:
        return add_months(day, count * _MONTHS[term["of"]])
    return day + timedelta(days=count * (7 if term["of"] == "W" else 1))


def _edge(day: date, unit: str, *, first: bool) -> date:
    """The first or last day of the period that holds the day."""
    if unit == "D":
        return day
    if unit == "W":
        return day - timedelta(days=day.weekday()) + timedelta(days=0 if first else 6)
    months = _MONTHS[unit]
    month = (day.month - 1) // months * months + 1
    start = date(day.year, month, 1)
    return start if first else add_months(start, months) - timedelta(days=1)


def add_months(day: date, count: int) -> date:
    """The same day some months on, or the last day of that month if it has no such day."""
    months = day.year * 12 + day.month - 1 + count
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
