"""What comes again and again: "every Monday", "todos los martes", "cada dos semanas", "the first Friday of every month".

How long it goes on ("until June", "durante seis semanas", "10 veces") and from when stand apart from it in a text, and are
read with it: `find_recurrences` gives both their values and `RecurrenceBounds.spans` where they stand.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from batuta.language.calendar_math import month_end, months_on
from batuta.language.dates import find_dates
from batuta.language.findings import Finding, TextSpan
from batuta.language.lexicon import NUMBER, ORDINALS, WEEKDAY, WEEKDAYS, WORKING_DAY, one_of, small_number
from batuta.language.periods import find_periods
from batuta.language.plain_text import PlainText

Frequency = Literal["daily", "weekly", "monthly", "quarterly", "yearly"]

DAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
EVERY_DAY = tuple(range(7))
WORKING_DAYS = EVERY_DAY[:5]
LAST = -1
FAR = 366
"""Within so many days everything that repeats comes at least once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """How often: every `interval` units, on the weekdays or the day of the month that are named (Monday is 0)."""

    frequency: Frequency
    interval: int = 1
    weekdays: tuple[int, ...] = ()
    week_of_month: int | None = None
    """Which of the weekdays of a month, taken together: 1 is the first, -1 the last."""
    day_of_month: int | None = None
    until: date | None = None
    """The last day on which it may come."""
    times: int | None = None

    @property
    def names_its_days(self) -> bool:
        """Whether it says on which days it comes, so that none has to be said beside it."""
        return self.frequency == "daily" or bool(self.weekdays) or self.day_of_month is not None

    def first_from(self, day: date) -> date:
        """The first day, from one on, on which it comes."""
        days = (day + timedelta(days=number) for number in range(FAR))
        return next(each for each in days if self._comes_on(each))

    def rule(self, zone: ZoneInfo) -> str:
        """As a recurrence rule of iCalendar (RFC 5545), for an event that is written in a time zone."""
        months = {"quarterly": 3}.get(self.frequency, 1)
        parts = [f"FREQ={'MONTHLY' if self.frequency == 'quarterly' else self.frequency.upper()}"]
        parts += [f"INTERVAL={self.interval * months}"] if self.interval * months > 1 else []
        is_one_of_several = self.week_of_month is not None and len(self.weekdays) > 1
        place = "" if self.week_of_month is None or is_one_of_several else str(self.week_of_month)
        parts += [f"BYDAY={','.join(place + DAY_CODES[day] for day in self.weekdays)}"] if self.weekdays else []
        parts += [f"BYSETPOS={self.week_of_month}"] if is_one_of_several else []
        parts += [f"BYMONTHDAY={self.day_of_month}"] if self.day_of_month is not None else []
        parts += [f"COUNT={self.times}"] if self.times is not None else []
        if self.until is not None and self.times is None:
            end = datetime.combine(self.until, time(23, 59, 59), zone).astimezone(UTC)
            parts.append(f"UNTIL={end:%Y%m%dT%H%M%SZ}")
        return ";".join(parts)

    def _comes_on(self, day: date) -> bool:
        if self.week_of_month is not None:
            first = day.replace(day=1)
            days = [first + timedelta(days=number) for number in range(month_end(first).day)]
            named = [each for each in days if each.weekday() in self.weekdays]
            return day == named[self.week_of_month - (self.week_of_month > 0)]
        if self.day_of_month is not None:
            return day.day == self.day_of_month
        return not self.weekdays or day.weekday() in self.weekdays


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrenceBounds:
    """From when and until when something repeats, as far as a text says."""

    first: date | None = None
    last: date | None = None
    times: int | None = None
    lasts: tuple[int, str] | None = None
    """For how many weeks, months or years."""
    spans: tuple[TextSpan, ...] = ()

    def limit(self, recurrence: Recurrence, start: date) -> Recurrence:
        """A recurrence that begins on a day, within these bounds."""
        until = self.last
        if self.lasts is not None:
            amount, unit = self.lasts
            until = (
                start + timedelta(weeks=amount) if unit == "week" else months_on(start, amount * _MONTHS[unit])
            ) - timedelta(days=1)
        return replace(recurrence, until=until, times=self.times)


_UNITS: dict[str, Frequency] = {
    **dict.fromkeys(("day", "days", "dia", "dias", "morning", "manana", "mananas", "tarde", "tardes"), "daily"),
    **dict.fromkeys(("week", "weeks", "semana", "semanas"), "weekly"),
    **dict.fromkeys(("fortnight", "fortnights", "quincena", "quincenas"), "weekly"),
    **dict.fromkeys(("month", "months", "mes", "meses"), "monthly"),
    **dict.fromkeys(("quarter", "quarters", "trimestre", "trimestres"), "quarterly"),
    **dict.fromkeys(("year", "years", "ano", "anos"), "yearly"),
}
_ADVERBS: dict[str, Frequency] = {
    **dict.fromkeys(("daily", "a diario", "diariamente", "diario", "diaria"), "daily"),
    **dict.fromkeys(("weekly", "semanal", "semanalmente"), "weekly"),
    **dict.fromkeys(("monthly", "mensual", "mensualmente"), "monthly"),
    **dict.fromkeys(("quarterly", "trimestral", "trimestralmente"), "quarterly"),
    **dict.fromkeys(("yearly", "annually", "anual", "anualmente"), "yearly"),
}
_FORTNIGHTLY = ("fortnightly", "biweekly", "quincenal", "quincenalmente")
_FORTNIGHTS = (14, 15)
"""In so many days: "cada quince días" is every other week."""
_MONTHS = {"month": 1, "year": 12}
_LASTING = {
    **dict.fromkeys(("week", "weeks", "semana", "semanas"), "week"),
    **dict.fromkeys(("month", "months", "mes", "meses"), "month"),
    **dict.fromkeys(("year", "years", "ano", "anos"), "year"),
}
_PLACES = {word: number for word, number in ORDINALS.items() if number in (1, 2, 3, 4, LAST)}
_EVERY = r"(?:every|each|cada|todos\s+los|todas\s+las)"
_MONTHLY = r"(?:(?:of|de)\s+(?:every|each|cada|todos\s+los)\s+(?:month|mes|meses)|de\s+mes)"
_DAYS = rf"(?P<days>{WEEKDAY}s?(?:\s*(?:,|and|y|e)\s*(?:los\s+)?{WEEKDAY}s?)*)"
_PLURAL = rf"(?:(?:on|los)\s+)?(?P<plural>{WEEKDAY}s?(?:\s*(?:,|and|y|e)\s*(?:los\s+)?{WEEKDAY}s?)*)"
_PATTERN = re.compile(
    rf"\b(?:(?:(?:on\s+)?the\s+|el\s+|los\s+|(?P<every>{_EVERY})\s+)?(?P<place>{one_of(_PLACES)})(?:os|s)?\s+(?P<placed>{WEEKDAY})s?\s+"
    rf"(?:{_MONTHLY}|(?(every)(?:of\s+(?:the|a)\s+month|del?\s+(?:el\s+)?mes)\b|(?!)))"
    rf"|(?:(?:on\s+)?the\s+|el\s+)?(?:day\s+|dia\s+)?(?P<monthday>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTHLY}"
    rf"|(?:(?:on\s+)?the\s+|el\s+)?(?P<nth>{one_of(_PLACES)})\s+{WORKING_DAY}\s+{_MONTHLY}"
    rf"|(?P<working>(?:(?:on\s+)?weekdays|every\s+weekday|(?:(?:on|los|{_EVERY})\s+)?{WORKING_DAY})|entre\s+semana)"
    rf"|(?:{_EVERY}\s+(?P<other>other\s+|second\s+)?|(?:on\s+)?(?P<alternate>alternate)\s+|(?P<once>once\s+(?:an?|every|each|per)|una\s+vez\s+(?:al?|por|cada))\s+(?:la\s+)?)"
    rf"(?:(?P<amount>{NUMBER})\s+)?(?:{_DAYS}|(?P<unit>{one_of(_UNITS)}))"
    rf"|(?P<weekend>(?:on\s+)?(?:the\s+)?weekends|{_EVERY}\s+(?:weekend|fin\s+de\s+semana|finde)|(?:los\s+|todos\s+los\s+)?(?:fines\s+de\s+semana|findes))"
    rf"|(?:un\s+|el\s+|los\s+)?(?P<one>{WEEKDAY})\s+(?:de\s+cada\s+(?P<of>{NUMBER})|si(?:\s*,)?(?:\s+y)?(?:\s+(?:el\s+)?(?:otro|{WEEKDAY}))?\s+no)"
    rf"|(?P<adverb>{one_of((*_ADVERBS, *_FORTNIGHTLY))})|{_PLURAL})\b"
)
_ALTERNATING = re.compile(r"\s+altern[oa]s?\b")
_EXCEPTED = re.compile(
    rf"\s*,?\s+(?:except|but(?:\s+not)?|excepto|menos|salvo)\s+(?:(?:on|for|el|los)\s+)*(?P<days>{WEEKDAY}s?(?:\s*(?:,|and|y|e|or|o|ni)\s*(?:(?:el|los)\s+)?{WEEKDAY}s?)*)\b"
)
"""Behind what repeats, on which days it does not: "every day except Sunday"."""

_UNTIL = re.compile(r"\b(?:until|till|through|up\s+to|hasta)\s+(?:the\s+|el\s+|la\s+)?")
_FROM = re.compile(
    r"\b(?:(?:starting|beginning|as\s+of)(?:\s+(?:on|from|in))?|from|a\s+partir\s+del?|desde|empezando(?:\s+en)?)\s+(?:the\s+|el\s+|la\s+)?"
)
_TIMES = re.compile(rf"\b(?P<times>{NUMBER})\s+(?:times|veces)\b(?!\s+(?:an?|al?|per|por|cada|each|every|en)\b)")
"""How often in all; so many times a month is another matter."""
_FIRST_TO_LAST = re.compile(
    rf"\b(?:from|de|del)\s+(?P<first>{WEEKDAY})s?\s+(?:to|through|until|till|al?|hasta(?:\s+el)?)\s+(?P<last>{WEEKDAY})s?\b"
)
"""On which days that comes which comes daily: "every day from Monday to Thursday"."""
_FOR = re.compile(
    rf"\b(?:for|durante|por)\s+(?:the\s+next\s+|las?\s+proxim[ao]s?\s+|los\s+proximos\s+)?(?P<amount>{NUMBER})\s+(?P<unit>{one_of(_LASTING)})\b"
)


def find_recurrences(text: str) -> list[Finding[Recurrence]]:
    """What a text asks to repeat."""
    source = PlainText(text)
    found: list[Finding[Recurrence]] = []
    end = 0
    for match in _PATTERN.finditer(source.plain):
        value = _recurrence(match) if match.start() >= end else None
        if value is not None:
            value, end = _with_suffix(value, source.plain, match.end())
            span = source.span(match.start(), end)
            found.append(Finding(value=value, span=span, text=source.words(span)))
    return _on_days_between(found, source)


def _on_days_between(found: list[Finding[Recurrence]], source: PlainText) -> list[Finding[Recurrence]]:
    """What comes daily, on the days from one to another where these are said: "a daily call from Monday to Thursday"."""
    between = _FIRST_TO_LAST.search(source.plain)
    every_day = [each for each in found if each.value.frequency == "daily" and each.value.interval == 1]
    if between is None or len(every_day) != 1:
        return found
    first, last = (_weekdays_in(between[name])[0] for name in ("first", "last"))
    days = tuple(sorted((first + number) % 7 for number in range((last - first) % 7 + 1)))
    value, span = Recurrence(frequency="weekly", weekdays=days), source.span(between.start(), between.end())
    others = [each for each in found if each is not every_day[0] and not each.span.overlaps(span)]
    whole = [replace(every_day[0], value=value), Finding(value=value, span=span, text=source.words(span))]
    return sorted([*others, *whole], key=lambda each: each.span)


def recurrence_bounds(text: str, *, now: datetime) -> RecurrenceBounds:
    """From when, until when or how often a text lets something repeat."""
    source = PlainText(text)
    ends: dict[str, tuple[date, TextSpan]] = {}
    for name, pattern in (("first", _FROM), ("last", _UNTIL)):
        for match in pattern.finditer(source.plain):
            if (said := _day_after(text, source.span(match.start(), match.end()), now, name)) is not None:
                ends.setdefault(name, said)
    times, lasting = _TIMES.search(source.plain), _FOR.search(source.plain)
    spans = [span for _, span in ends.values()]
    spans += [source.span(match.start(), match.end()) for match in (times, lasting) if match]
    return RecurrenceBounds(
        first=ends["first"][0] if "first" in ends else None,
        last=ends["last"][0] if "last" in ends else None,
        times=small_number(times["times"]) if times else None,
        lasts=(small_number(lasting["amount"]), _LASTING[lasting["unit"]]) if lasting else None,
        spans=tuple(spans),
    )


def _day_after(text: str, word: TextSpan, now: datetime, end: str) -> tuple[date, TextSpan] | None:
    """The day that stands after a word: of a month or a year its first or its last."""
    days = [each for each in find_dates(text, now=now) if word.start <= each.span.start <= word.end]
    periods = [
        each
        for each in find_periods(text, now=now, prefer="future")
        if each.span.start <= word.end < each.span.end and each.value.grain != "day"
    ]
    if days and not any(each.span.end > days[0].span.end for each in periods):
        return days[0].value, word.joined(days[0].span)
    if not periods:
        return None
    value = periods[0].value
    return (value.first if end == "first" else value.last), word.joined(periods[0].span)


def _with_suffix(value: Recurrence, plain: str, end: int) -> tuple[Recurrence, int]:
    """What repeats with what is said behind it: "los martes alternos", "every day but Sunday"; and where that ends."""
    if alternating := _ALTERNATING.match(plain, end):
        return replace(value, interval=2 * value.interval), alternating.end()
    excepted = _EXCEPTED.match(plain, end)
    every = EVERY_DAY if value.frequency == "daily" and value.interval == 1 else value.weekdays
    if excepted is None or not every or value.week_of_month is not None:
        return value, end
    kept = tuple(day for day in every if day not in _weekdays_in(excepted["days"]))
    return (replace(value, frequency="weekly", weekdays=kept), excepted.end()) if kept else (value, end)


def _weekdays_in(words: str) -> tuple[int, ...]:
    days = (WEEKDAYS.get(word, WEEKDAYS.get(word.removesuffix("s"))) for word in re.findall(r"[a-z]+", words))
    return tuple(dict.fromkeys(day for day in days if day is not None))


def _recurrence(match: re.Match[str]) -> Recurrence | None:
    interval = small_number(match["amount"]) if match["amount"] else 1
    if match["other"] or match["alternate"]:
        interval = 2
    if match["nth"]:
        place = _PLACES[" ".join(match["nth"].split())]
        return Recurrence(frequency="monthly", weekdays=WORKING_DAYS, week_of_month=place)
    if match["place"]:
        place = _PLACES[" ".join(match["place"].split())]
        return Recurrence(frequency="monthly", weekdays=(WEEKDAYS[match["placed"]],), week_of_month=place)
    if match["monthday"]:
        day = int(match["monthday"])
        return Recurrence(frequency="monthly", day_of_month=day) if 1 <= day <= 31 else None
    if match["one"]:
        interval = small_number(match["of"]) if match["of"] else 2
        return Recurrence(frequency="weekly", interval=interval, weekdays=(WEEKDAYS[match["one"]],))
    if match["working"]:
        return Recurrence(frequency="weekly", weekdays=WORKING_DAYS)
    if match["adverb"]:
        adverb = " ".join(match["adverb"].split())
        return Recurrence(frequency=_ADVERBS.get(adverb, "weekly"), interval=2 if adverb in _FORTNIGHTLY else 1)
    if match["weekend"]:
        return Recurrence(frequency="weekly", weekdays=(5, 6))
    if match["unit"]:
        return _of_unit(match["unit"], interval)
    named = match["days"] or match["plural"]
    words, known = re.findall(r"[a-z]+", named), _weekdays_in(named)
    is_repeated = match["days"] or any(word.endswith("days") or word in ("sabados", "domingos") for word in words)
    is_repeated = is_repeated or match.group().startswith("los ")
    return Recurrence(frequency="weekly", interval=interval, weekdays=known) if is_repeated and known else None


def _of_unit(unit: str, interval: int) -> Recurrence:
    is_fortnight = unit.startswith(("fortnight", "quincena"))
    if _UNITS[unit] == "daily" and interval in _FORTNIGHTS:
        return Recurrence(frequency="weekly", interval=2)
    return Recurrence(frequency=_UNITS[unit], interval=2 * interval if is_fortnight else interval)
