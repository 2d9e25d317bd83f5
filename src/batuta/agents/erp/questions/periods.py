"""Which days a question is about: several periods of one sentence, earlier ones of a follow-up, days that fall due."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any

from batuta.agents.erp.measures.model import TIME_DIMENSIONS
from batuta.agents.erp.measures.periods import EARLIEST, in_whole_months
from batuta.agents.erp.measuring import is_of_today
from batuta.agents.erp.questions.question import FigureQuestion
from batuta.language.amounts import bound_spans
from batuta.language.calendar_math import Grain, Period, unit_of
from batuta.language.choices import index_of
from batuta.language.findings import Finding
from batuta.language.folding import fold
from batuta.language.periods import find_comparisons, find_periods
from batuta.language.understanding import Synonyms

EARLIER_WORDS: Synonyms = {
    "year_before": (
        "same period last year", "last year same period", "last year same month", "last year same quarter",
        "año pasado mismo periodo", "año pasado mismo mes", "año pasado mismo trimestre",
        "same month last year", "same quarter last year", "same week last year",
        "same period of the previous year", "same quarter of the previous year", "same month of the previous year",
        "mismo periodo del año pasado", "mismo mes del año pasado", "mismo trimestre del año pasado",
        "mismo periodo del año anterior", "mismo mes del año anterior", "mismo trimestre del año anterior",
        "the year before", "the previous year", "previous year", "prior year", "a year earlier",
        "a year before", "el año anterior", "año anterior", "año previo", "un año antes",
    ),
    "period_before": (
        "the month before", "month before", "the quarter before", "quarter before", "the week before", "week before",
        "the one before", "the previous one", "the period before", "previous period", "el mes anterior",
        "mes anterior", "el trimestre anterior", "trimestre anterior", "la semana anterior", "semana anterior",
        "el anterior", "la anterior", "periodo anterior",
    ),
    "period_after": (
        "the next one", "the following one", "the one after", "the coming one", "la que viene", "el que viene",
        "la siguiente", "el siguiente", "la próxima", "el próximo",
    ),
}  # fmt: skip
"""What a follow-up says that asks for the time before or after the one that was asked about."""
_UNITS: Mapping[Grain, re.Pattern[str]] = {
    "week": re.compile(r"\b(?:week|semana)\b"),
    "month": re.compile(r"\b(?:month|mes)\b"),
    "quarter": re.compile(r"\b(?:quarter|trimestre)\b"),
}
"""What a comparison with the time before names."""
_LAST_YEAR = re.compile(r"\b(?:last year|el ano pasado|ano pasado|hace un ano|a year ago)\b")
_NAMES_YEAR = re.compile(rf"\b20\d\d\b|{_LAST_YEAR.pattern}")
_SAYS_WHEN = re.compile(
    r"\b(?:20\d\d|years?|anos?|last|past|next|this|pasad[oa]|ultim[oa]|est[ea]|proxim[oa]|current)\b"
)
"""Says itself which year a month or a quarter is of."""
_SAYS_WHERE = re.compile(r"\b(?:this|last|previous|current|est[ea]|pasad[oa]|anterior|actual)\b")
"""Names a period by its place: the one that is, or the one before."""
_PARTS_OF_A_YEAR = frozenset({"month", "quarter", "half"})
ALL_TIME_WORDS: Synonyms = {
    "all": (
        "ever", "of all time", "all time", "since the beginning", "de la historia", "de toda la historia",
        "desde siempre", "de siempre", "desde el principio", "de todos los tiempos",
    )
}  # fmt: skip
"""What asks for all there is, where a figure without a period is that of this year."""
_ALMOST_A_YEAR = 360
_LIST = re.compile(
    r"\s*(?:,|and|y|e|or|o)\s*(?:(?:how\s+much|cuanto|what|que)\s+)?(?P<again>(?:of|in|de|en|del)\s+)?(?:the\s+|el\s+|la\s+)?"
)
_LONGEST_NEARBY = ("month", "quarter", "half", "range")
"""Periods that are named without a year and may as well be just over: "due in October", said in November."""


def settle_periods(question: FigureQuestion, texts: Sequence[str]) -> None:
    """Several periods that follow each other are one; others, and those each with its own "in", are asked for apart."""
    for text in texts:
        found = _periods(text, question.today)
        if len(found) < 2 or (text is not texts[0] and _earlier(text, question.today)):
            continue
        is_compared = bool(find_comparisons(text, now=_noon(question.today)))
        joints = [_LIST.fullmatch(fold(text[a.span.end : b.span.start])) for a, b in pairwise(found)]
        if is_compared or any(joint is None for joint in joints):
            question.unknown.append(found[1].text.strip())
        elif text is texts[-1]:
            is_each = any(joint and joint["again"] for joint in joints) or _opens_anew(found[1]) or _are_near(found)
            whole = None if is_each else _united(found)
            question.values["period"] = _days(whole) if whole else [_days(each.value) for each in found]


def settle_compared_unit(question: FigureQuestion, texts: Sequence[str], names: Sequence[str]) -> None:
    """Read "sales compared with last month" as those of this month: a figure without a period is of the whole year."""
    values = question.values
    is_open = values.get("compare", {}).get("kind") == "previous_period" and "period" not in values
    is_over_time = set(TIME_DIMENSIONS) & set(values.get("split_by") or ())
    flows = [question.book.measures[name] for name in names if not is_of_today(question.book.measures[name])]
    if not is_open or is_over_time or len(flows) < len(names):
        return
    said = [fold(each.text) for text in texts for each in find_comparisons(text, now=_noon(question.today))]
    unit = next((unit for unit, pattern in _UNITS.items() if said and pattern.search(said[-1])), None)
    if unit is not None:
        values["period"] = _days(unit_of(unit, question.today))


def settle_all_time(question: FigureQuestion, texts: Sequence[str]) -> None:
    """Read "the best month ever": from the first record on. Said of what did not happen, it says no more than that."""
    said = question.values.pop("all_time", None)
    if said is not None and not question.values.get("absent") and not _periods(texts[-1], question.today):
        question.values["period"] = all_time(question.today)


def all_time(today: date) -> dict[str, str]:
    """From the first record to today."""
    return _days(Period(first=EARLIEST, last=today))


def settle_earlier(question: FigureQuestion, texts: Sequence[str]) -> None:
    """Read "and the year before" after a question about a month: the same month, a year earlier.

    All texts are gone through, because what comes later ("and by customer") is still about the earlier time.
    """
    question.values.pop("earlier", None)
    asked, is_shifted = _only_period(texts[0], question.today), False
    has_year = _NAMES_YEAR.search(fold(texts[0])) is not None
    question.unknown += [each.text for each in _earlier(texts[0], question.today)]
    for text in texts[1:]:
        named, said = _only_period(text, question.today), _earlier(text, question.today)
        whole = asked or _this_year(question.today)
        if said:
            asked, is_shifted = _shifted(whole, said[0].value), True
        elif named and named.grain == "year" and _LAST_YEAR.search(fold(text)) and whole.days < _ALMOST_A_YEAR:
            asked, is_shifted = whole.year_before(), True
        elif named and asked and has_year and named.grain in _PARTS_OF_A_YEAR and not _SAYS_WHEN.search(fold(text)):
            asked, is_shifted = _in_year(named, asked.first.year), True  # "purchases in March 2025", "and in April?"
        elif named:
            asked, is_shifted = named, False
            has_year = _NAMES_YEAR.search(fold(text)) is not None
    if is_shifted and asked is not None:
        question.values["period"] = _days(asked)
        question.values.pop("compare", None)


def _in_year(period: Period, year: int) -> Period:
    """The same months, quarter or half of another year."""
    while period.first.year > year:
        period = period.year_before()
    return period


def _earlier(text: str, today: date) -> list[Finding[str]]:
    """The words for an earlier or later time that compare with nothing and are no part of a period's own name."""
    compared = [each.span for each in find_comparisons(text, now=_noon(today))]
    named = [each.span for each in find_periods(text, now=_noon(today))]
    return [
        each
        for each in index_of(EARLIER_WORDS).find(text)
        if not any(each.span.overlaps(span) for span in (*compared, *(named if each.value == "period_after" else ())))
    ]


def _shifted(period: Period, where: str) -> Period:
    if where == "year_before":
        return period.year_before()
    return period.before() if where == "period_before" else period.after()


def settle_month_rows(question: FigureQuestion, texts: Sequence[str]) -> None:
    """The last twelve months by month are twelve rows, each with the whole of its month."""
    asked = [each for text in texts for each in _periods(text, question.today)]
    if "month" in question.values.get("split_by", ()) and len(asked) == 1:
        whole = in_whole_months(asked[0].value, asked[0].text, question.today)
        if question.values.get("period") == _days(asked[0].value):
            question.values["period"] = _days(whole)


def settle_due_period(question: FigureQuestion, texts: Sequence[str]) -> None:
    """What falls due is asked of days to come, or of those just gone; what was posted is always in the past."""
    if isinstance(question.values.get("period"), dict) and (near := due_period(texts, question.today)):
        question.values["period"] = near


def due_period(texts: Sequence[str], today: date) -> dict[str, str] | None:
    """The days that some texts mean for due dates; none where they name no period, or several."""
    found = _due_period(texts, today)
    return None if found is None else _days(found)


def _due_period(texts: Sequence[str], today: date) -> Period | None:
    for place, text in reversed(list(enumerate(texts))):
        if place and (said := _earlier(text, today)):
            before = _due_period(texts[:place], today)
            return None if before is None else _shifted(before, said[0].value)
        past, ahead = (find_periods(text, now=_noon(today), prefer=prefer) for prefer in ("past", "future"))
        if past or ahead:
            return _nearer(past[0].value, ahead[0].value, today) if len(past) == len(ahead) == 1 else None
    return None


def _nearer(past: Period, ahead: Period, today: date) -> Period:
    if past == ahead or past.grain not in _LONGEST_NEARBY:
        return ahead
    return past if (today - past.last).days < (ahead.first - today).days else ahead


def _opens_anew(found: Finding[Period]) -> bool:
    """Whether a period has a preposition of its own: "in 2025 and in 2026" asks for each of them."""
    return re.match(r"(?:of|in|de|en|del)\b", fold(found.text)) is not None


def _are_near(found: Sequence[Finding[Period]]) -> bool:
    """Whether periods are told from one another by where they lie: "this year and last year" are two figures."""
    return all(_SAYS_WHERE.search(fold(each.text)) for each in found)


def _united(found: Sequence[Finding[Period]]) -> Period | None:
    ordered = sorted((each.value for each in found), key=lambda one: one.first)
    if any((b.first - a.last).days != 1 for a, b in pairwise(ordered)):
        return None
    return Period(first=ordered[0].first, last=ordered[-1].last)


def _only_period(text: str, today: date) -> Period | None:
    found = _periods(text, today)
    return found[0].value if len(found) == 1 else None


def _periods(text: str, today: date) -> list[Finding[Period]]:
    """The periods that a text names: "less than 2000" names no year."""
    limits = bound_spans(text)
    found = find_periods(text, now=_noon(today))
    return [each for each in found if not any(span.overlaps(each.span) for span in limits)]


def _this_year(today: date) -> Period:
    return Period(first=date(today.year, 1, 1), last=date(today.year, 12, 31), grain="year")


def _days(period: Period) -> dict[str, str]:
    return {"first": period.first.isoformat(), "last": period.last.isoformat(), "grain": period.grain}


def _noon(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


def asked_periods(values: Mapping[str, Any]) -> Sequence[Mapping[str, str]]:
    """The periods of a question that is being settled."""
    period = values.get("period")
    return period if isinstance(period, list) else [period] if period else []
