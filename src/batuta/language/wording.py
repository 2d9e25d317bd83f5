"""Days and periods as people of each language write them."""

from datetime import date

from batuta.language.calendar_math import unit_of
from batuta.language.lexicon import MONTH_NAMES, SHORT_MONTH_NAMES, WEEKDAY_NAMES


def day_in_words(day: date, language: str) -> str:
    """`Thursday, 24 December 2026`."""
    return f"{WEEKDAY_NAMES[language][day.weekday()]}, {date_in_words(day, language)}"


def date_in_words(day: date, language: str) -> str:
    """`24 December 2026`."""
    month = MONTH_NAMES[language][day.month - 1]
    return f"{day.day} de {month} de {day.year}" if language == "es" else f"{day.day} {month} {day.year}"


def short_day(day: date, language: str) -> str:
    """`24 Dec 2026`."""
    return f"{day.day} {SHORT_MONTH_NAMES[language][day.month - 1]} {day.year}"


def short_period(start: date, unit: str, language: str) -> str:
    """A period by its first day: `Jan 2026`, `2026 Q1`."""
    if unit == "year":
        return str(start.year)
    if unit == "quarter":
        return f"{start.year} {'Q' if language == 'en' else 'T'}{(start.month - 1) // 3 + 1}"
    if unit == "month":
        return f"{SHORT_MONTH_NAMES[language][start.month - 1]} {start.year}"
    if unit == "week":
        year, week, _ = start.isocalendar()
        return f"{year} {'W' if language == 'en' else 'S'}{week:02d}"
    return short_day(start, language)


def days_between(first: date, last: date, language: str) -> str:
    """Days from one to another: `Mar 2026`, `2025`, `3 Mar 2026 – 9 Apr 2026`."""
    for grain in ("year", "quarter", "month"):
        if (first, last) == (unit_of(grain, first).first, unit_of(grain, first).last):
            return short_period(first, grain, language)
    return f"{short_day(first, language)} – {short_day(last, language)}"
