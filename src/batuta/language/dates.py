"""The days that words mean, seen from a moment.

    find_dates("el viernes de la semana que viene", now=…)  ->  one finding: that Friday

What can be read in two ways (`3/4`, `next Friday`) keeps the other as an alternative. Words that have the form of a day
and mean none (`31 February`) are in `impossible_dates`.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache

from batuta.language.calendar_math import Preference, Reference, back_from, months_on
from batuta.language.date_forms import NUMERIC_FORMS, UNITS, date_forms
from batuta.language.detection import detect_language
from batuta.language.findings import Finding, Language, TextSpan
from batuta.language.lexicon import NUMBER, ORDINALS, one_of, small_number
from batuta.language.plain_text import PlainText

MAX_CHARS = 2_000
BLANK = "\0"
JUST_GONE = 31
"""So many days back a day without a year may lie, where its weekday says so."""


@dataclass(frozen=True, slots=True)
class _Read:
    start: int
    end: int
    days: tuple[date, ...]
    is_weekday: bool


def find_dates(
    text: str, *, now: datetime, prefer: Preference = "future", language: Language | None = None
) -> list[Finding[date]]:
    """The days a text names, in its order; `now` has a zone, and `prefer` decides for a day without a year or week."""
    source = PlainText(text[:MAX_CHARS])
    reference = Reference(now=now, prefer=prefer, is_day_first=True)
    is_english = (language or detect_language(text)) == "en"
    found = []
    reads = _joined(source.plain, _readings(source.plain, reference), reference.today)
    for read in (_shifted(source.plain, each, reference.today) for each in reads):
        if read.days:
            span = source.span(read.start, read.end)
            others = tuple(dict.fromkeys(read.days[1:])) if is_english or not _is_numeric(source.words(span)) else ()
            found.append(
                Finding(value=read.days[0], span=span, text=source.words(span), alternatives=others, reference=now)
            )
    return found


def ends_a_term(words: str) -> bool:
    """Whether a day is said as the end of a term: it is when something is due, and no day that records are of."""
    return _TERM.search(PlainText(words).plain) is not None


def impossible_dates(text: str, *, now: datetime) -> list[TextSpan]:
    """Where a text has the form of a day that is not in the calendar, such as `31 February`."""
    source = PlainText(text[:MAX_CHARS])
    reads = _readings(source.plain, Reference(now=now, prefer="future"))
    return [source.span(read.start, read.end) for read in reads if not read.days]


@lru_cache(maxsize=1024)
def without_dates(plain: str, *, is_numeric_too: bool = True) -> str:
    """A plain text whose days are blanked out, so that what is left can be read for times and numbers."""
    for form in date_forms() if is_numeric_too else date_forms()[NUMERIC_FORMS:]:
        plain = form.pattern.sub(lambda match: BLANK * len(match.group()), plain)
    return plain


def _readings(plain: str, reference: Reference) -> list[_Read]:
    """Each form in turn takes its words out of the text, so that a shorter form does not read them again."""
    reads = []
    for form in date_forms():
        for match in form.pattern.finditer(plain):
            try:
                days = tuple(form.resolve(match, reference))
            except (ValueError, OverflowError, IndexError):
                days = ()
            reads.append(_Read(match.start(), match.end(), days, form.is_weekday))
            plain = plain[: match.start()] + BLANK * (match.end() - match.start()) + plain[match.end() :]
    return sorted(reads, key=lambda read: read.start)


def _joined(plain: str, reads: list[_Read], today: date) -> list[_Read]:
    """A weekday next to an exact day is one finding: "Thursday, 3 December"; where they disagree, both are possible."""
    joined: list[_Read] = []
    for read in reads:
        last = joined[-1] if joined else None
        beside = None if last is None else _BESIDE.fullmatch(plain[last.end : read.start])
        if last and beside and last.is_weekday and last.days and read.days and not read.is_weekday:
            day = _weekday_beside(last.days[0].weekday(), read.days[0], is_before=beside["before"] is not None)
            rank = _RANK.search(plain, 0, last.start)
            weeks = timedelta(weeks=max(ORDINALS[rank["nth"]], 1) - 1) if rank else timedelta()
            day += -weeks if beside["before"] else weeks
            joined[-1] = _Read(rank.start() if rank else last.start, read.end, (day,), is_weekday=False)
            continue
        touches = last is not None and re.fullmatch(
            r"[\s,(]*(?:(?:the|el|dia|day|on)\s+)*", plain[last.end : read.start]
        )
        if last is None or not touches or last.is_weekday == read.is_weekday or not (last.days and read.days):
            joined.append(read)
            continue
        exact, weekday = (read, last) if last.is_weekday else (last, read)
        named = weekday.days[0].weekday()
        agreeing = [day for day in (*exact.days, *_just_gone(exact, today)) if day.weekday() == named][:1]
        days = tuple(agreeing) or (*exact.days, *weekday.days)
        joined[-1] = _Read(last.start, read.end, days, is_weekday=False)
    return joined


def _just_gone(exact: _Read, today: date) -> list[date]:
    """The same day a year earlier, where it has gone by within a month: "Sunday, 10 February", said on the 12th."""
    earlier = [months_on(day, -12) for day in exact.days]
    return [day for day in earlier if 0 < (today - day).days <= JUST_GONE]


def _weekday_beside(weekday: int, day: date, *, is_before: bool) -> date:
    """The Friday before Christmas: the nearest such weekday on one side of a day, never the day itself."""
    distance = ((day.weekday() - weekday) if is_before else (weekday - day.weekday())) % 7 or 7
    return day + timedelta(days=-distance if is_before else distance)


def _invoiced(day: date, words: str, today: date) -> date:
    """The day that a term is counted from: without a year the last one, since an invoice is there already."""
    return months_on(day, -12) if day > today and not re.search(r"\d{4}", words) else day


def _shifted(plain: str, read: _Read, today: date) -> _Read:
    """A day that is said by its distance from another: "two days after Christmas", "el día antes del 3 de mayo"."""
    before = _DISTANCE.search(plain, 0, read.start)
    term = _TERM.match(plain, read.end) if before is None else None
    if term is not None:
        days = tuple(_invoiced(day, plain[read.start : read.end], today) for day in read.days)
        later = tuple(day + timedelta(days=small_number(term["amount"])) for day in days)
        return _Read(read.start, term.end(), later, is_weekday=False)
    if before is None:
        return read
    amount = small_number(before["amount"]) if before["amount"] else 1
    unit = UNITS[before["unit"]] if before["unit"] else "day"
    amount, unit = (amount * 2, "week") if unit == "fortnight" else (amount, unit)
    sign = 1 if before["eve"] or re.match(r"before|antes|prior", before["side"]) else -1
    days = tuple(back_from(unit, day, sign * amount) for day in read.days)  # type: ignore[arg-type]
    return _Read(before.start(), read.end, days, is_weekday=False)


def _is_numeric(words: str) -> bool:
    return not any(char.isalpha() for char in words)


_DISTANCE = re.compile(
    rf"\b(?:(?:(?:the\s+|el\s+)?(?:day|dia)|(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)}))\s+"
    r"(?P<side>after|before|following|prior\s+to|despues|antes|posterior)|(?:the\s+|la\s+)?(?P<eve>eve|vispera))\s*(?:of|de|del|al?)?\s*(?:the\s+|el\s+)?$"
)
_TERM = re.compile(rf"\s*,?\s*(?:at|a|\+|plus|mas)\s+(?P<amount>{NUMBER})\s+(?:days?|dias?)\b")
"""After a day, the term that is counted from it: "an invoice of 3 March at 30 days"."""
_BESIDE = re.compile(
    r"\s+(?:(?P<before>before|antes\s+del?|anterior\s+al?|previo\s+al?)|after|despues\s+del?|siguiente\s+al?)\s*(?:the\s+|el\s+)?"
)
"""Between a weekday and the day it is said from."""
_RANK = re.compile(rf"\b(?P<nth>{one_of(ORDINALS)})\s+$")
"""Before such a weekday: the third Tuesday after Christmas."""
