"""Dates put into days, weeks, months, quarters and years, and periods put side by side."""

import re
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache

from batuta.language.calendar_math import Period, months_on

EARLIEST = date(1900, 1, 1)
"""The first day of all time: no books begin before it."""
_MONTHS = re.compile(r"\b(?:months|meses)\b", re.IGNORECASE)


@lru_cache(maxsize=4096)
def time_bucket(name: str, day: date | None) -> str:
    """The day, week, month, quarter or year a date lies in, as text that sorts in time."""
    if day is None:
        return ""
    if name == "week":
        year, week, _ = day.isocalendar()
        return f"{year}-W{week:02d}"
    return {
        "day": day.isoformat(),
        "month": f"{day.year}-{day.month:02d}",
        "quarter": f"{day.year}-Q{(day.month + 2) // 3}",
        "year": str(day.year),
    }[name]


def parts_of(name: str, span: Period) -> int:
    """How many days, weeks, months, quarters or years a period touches."""
    days = (span.last - span.first).days + 1
    return len({time_bucket(name, span.first + timedelta(days=each)) for each in range(days)})


def shifted(day: date, source: Period, target: Period) -> date:
    """A day as far into one period as it is into another: by months where both begin with the same day of one."""
    if source.first.day == target.first.day:
        months = (target.first.year - source.first.year) * 12 + target.first.month - source.first.month
        return months_on(day, months)
    return day + (target.first - source.first)


def in_whole_months(span: Period, words: str, today: date) -> Period:
    """The last so many months, to be shown month by month: whole months up to today, and not the rest of one more.

    In the middle of November the last twelve months begin in the middle of the November before. As a row of a table
    that rest would look like the whole month, and there would be thirteen of them.
    """
    if span.last != today or span.first.day == 1 or not _MONTHS.search(words):
        return span
    return replace(span, first=months_on(span.first.replace(day=1), 1))


def to_date(span: Period, other: Period, today: date) -> tuple[Period, Period]:
    """Two periods to be compared: of one that is not over the part up to today, and as much of the other."""
    if not span.first <= today < span.last:
        return span, other
    last = min(shifted(today, span, other), other.last)
    return Period(first=span.first, last=today), Period(first=other.first, last=last)
