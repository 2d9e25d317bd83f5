"""The time that a request keeps to, read against a table: "only 2025", "desde junio", "in the first quarter".

    "solo marzo" of a table that ends in July 2026 -> filters = (fecha from 2026-03-01 to 2026-03-31,)

A month without a year is the last one that the table reaches. What is said of today ("this year") is said of the day
on which the table was read.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from batuta.datasets.charts.figures import period_start
from batuta.datasets.charts.request import ChartFilter
from batuta.datasets.charts.vocabulary import COMPARING, COMPARING_YEAR, LATEST_WORDS, NOT_COMPARING, NUMBER_WORDS
from batuta.datasets.dataset import Column, Dataset
from batuta.language.calendar_math import Period
from batuta.language.findings import Finding
from batuta.language.folding import aligned, composed, fold
from batuta.language.periods import find_periods

_SINCE = re.compile(r"(?:since|from|after|desde|a partir|despues)\b")
_UNTIL = re.compile(r"(?:until|till|up to|before|hasta|antes)\b")
_OF_TODAY = re.compile(
    r"\b(?:this|current|last|past|previous|next|today|yesterday|now|este|esta|actual|pasad[oa]|anterior|ultim[oa]|hoy|ayer|"
    r"ahora|to date|ytd)\b"
)
_COUNTED = re.compile(rf"\b(?:{'|'.join(LATEST_WORDS)})\b.*(?:\d|\b(?:{'|'.join(NUMBER_WORDS)})\b)")
"""So many of the last periods: read as the end of a chart, not as days."""


def asked_period(text: str, table: Dataset, known: Iterable[str]) -> tuple[list[ChartFilter] | None, str]:
    """The filters that a text asks for by time, and the text without its words; none where it asks for no time.

    Of periods that stand as text there is nothing to filter where all of them are meant: an agent read no others.

    Args:
        text: As it was written.
        table: What it is said of.
        known: Folded values and names of the table: what one of them says is no time.
    """
    column = _time_column(fold(text), table)
    found = [] if column is None else _found(text, table, column, frozenset(known))
    if column is None or not found:
        return None, text
    first, last = found[0].value.first, found[0].value.last
    taken = found[:1]
    for each in found[1:]:  # "enero y febrero" is one time; "enero y marzo" is none that a chart keeps to
        if each.value.first == last + timedelta(days=1):
            last, taken = each.value.last, [*taken, each]
    words = fold(taken[0].text).strip()
    low = None if _UNTIL.match(words) else first
    high = None if _SINCE.match(words) and not _names_an_end(found[0].value, words) else last
    for each in reversed(taken):
        text = f"{text[: each.span.start]} {text[each.span.end :]}"
    return _filters(column, table, low, high), text


def asked_comparison(text: str, table: Dataset) -> tuple[dict[str, Any], str]:
    """Whether a text asks for the year before beside a chart, by its name or as such, and the text without it."""
    text = composed(text)
    plain = f" {aligned(text)} "
    for pattern, value in ((COMPARING, "year"), (COMPARING_YEAR, "year"), (NOT_COMPARING, None)):
        match = re.search(pattern, plain)
        if match is not None and (pattern != COMPARING_YEAR or _is_year_before(match, table)):
            return {"compared": value}, f"{text[: max(match.start() - 1, 0)]} {text[match.end() - 1 :]}"
    return {}, text


def _is_year_before(compared: re.Match[str], table: Dataset) -> bool:
    """Whether a year is the one before what is shown: before the year that is named too, or the table's last."""
    rest = f"{compared.string[: compared.start()]} {compared.string[compared.end() :]}"
    named = [int(year) for year in re.findall(r"(?<!\w)(?:19|20)\d\d(?!\w)", rest)]
    times = [column for column in table.columns if column.type in ("date", "datetime")]
    held = [value.year for column in times[:1] for value in table.values(column.name) if isinstance(value, date)]
    shown = named or held
    return bool(shown) and int(compared["year"]) == max(shown) - 1


def _found(text: str, table: Dataset, column: Column, known: frozenset[str]) -> list[Finding[Period]]:
    now = table.provenance.retrieved_at
    days = [_day(value) for value in table.values(column.name) if isinstance(value, date)]
    reached = datetime.combine(max(days), time(12), tzinfo=now.tzinfo) if days else now
    found = []
    for each in find_periods(text, now=now if _OF_TODAY.search(fold(text)) else reached):
        words = fold(each.text).strip()
        is_weekday = each.value.first == each.value.last and not re.search(r"\d", words) and not _OF_TODAY.search(words)
        if not is_weekday and not _COUNTED.search(words) and known.isdisjoint(_readings(words)):
            found.append(each)
    return found


def _readings(words: str) -> set[str]:
    """Words, and each end of them: "in march" is "march" too."""
    parts = words.split()
    return {" ".join(parts[place:]) for place in range(len(parts))}


def _names_an_end(period: Period, words: str) -> bool:
    """Whether "from" opens both ends: "from January to March", "desde enero hasta marzo"."""
    return period.grain == "range" and re.search(r"\b(?:to|until|till|through|hasta|al?)\b", words) is not None and (
        not words.startswith("a partir") or " hasta " in words
    )  # fmt: skip


def _time_column(text: str, table: Dataset) -> Column | None:
    """The column that a time is said of: one that is named, else the first with days, else one with periods as text."""
    times = [column for column in table.columns if column.type in ("date", "datetime")]
    named = [column for column in times if f" {fold(column.title)} " in f" {text} "]
    periods = [column for column in table.columns if _has_periods(table, column)]
    return next(iter((*named, *times, *periods)), None)


def _has_periods(table: Dataset, column: Column) -> bool:
    is_year = column.type == "integer" and fold(column.title) in ("year", "ano", "ejercicio")
    if column.type != "text" and not is_year:
        return False
    values = [str(value) for value in table.values(column.name) if value]
    return bool(values) and all(period_start(value) is not None for value in values)


def _filters(column: Column, table: Dataset, low: date | None, high: date | None) -> list[ChartFilter]:
    if column.type in ("text", "integer"):
        values = table.values(column.name)
        kept = _within(values, low, high)
        is_whole = set(kept) == {str(value) for value in values if value}
        return [] if is_whole else [ChartFilter(column=column.name, values=tuple(kept) or ("",))]
    end = None if high is None else high.isoformat()
    if end is not None and column.type == "datetime":
        end = f"{end}T23:59:59.999999"
    return [ChartFilter(column=column.name, at_least=None if low is None else low.isoformat(), at_most=end)]


def _within(values: Sequence[object], low: date | None, high: date | None) -> list[str]:
    known = dict.fromkeys(str(value) for value in values if value)
    starts = {value: start for value in known if (start := period_start(value)) is not None}
    return sorted(
        value for value, start in starts.items() if (low is None or start >= low) and (high is None or start <= high)
    )


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value
