"""The forms in which a single period is named, as a table: units near today, numbered ones, parts of a month.

Each form gives the likeliest period first. `periods` joins them to ranges.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache

from batuta.language.calendar_math import (
    MONTHS_IN,
    Grain,
    Period,
    Preference,
    Reference,
    back_from,
    monday_of,
    month_end,
    months_on,
    nth_weekday,
    shifted_unit,
    unit_of,
)
from batuta.language.date_forms import YEAR, YEAR_WORDS, year_number
from batuta.language.lexicon import MONTH, MONTHS, NUMBER, ORDINALS, UNSURE_MONTHS, one_of, small_number
from batuta.language.long_periods import LONG_PERIODS

THURSDAY = 3
Match = re.Match[str]
Resolve = Callable[[Match, Reference], Sequence[Period]]
"""The likeliest period first; none where the words turn out to name no period."""


def _nearest_year(make: Callable[[int], Period], reference: Reference) -> list[Period]:
    """A unit without a year: the last one that has begun, or the next that has not ended; the other as alternative."""
    today, this = reference.today, make(reference.today.year)
    if reference.prefer == "past":
        return [this] if this.first <= today else [make(today.year - 1), this]
    return [this] if this.last >= today else [make(today.year + 1), this]


def _month_or_quarter(match: Match, reference: Reference) -> list[Period]:
    groups = match.groupdict()
    year = groups.get("year")

    def make(number: int) -> Period:
        if groups.get("month"):
            return unit_of("month", date(number, MONTHS[match["month"].rstrip(".")], 1))
        if groups.get("half"):
            return unit_of("half", date(number, 1 if _rank(match["half"]) == 1 else 7, 1))
        return unit_of("quarter", date(number, 3 * _rank(match["quarter"]) - 2, 1))

    rank = _rank(groups["quarter"]) if groups.get("quarter") else 1
    if (groups.get("quarter") or "") in _LATEST and not year:
        return []
    if rank > 4 or rank < -1 or (groups.get("half") and _rank(groups["half"]) > 2):
        return []
    if year:
        return [make(year_number(year, reference.today))]
    return _nearest_year(make, reference)


def _rank(words: str) -> int:
    plain = " ".join(words.split())
    number = int(plain) if plain.isdigit() else ORDINALS[plain]
    return 4 if number == -1 else number


def _year(match: Match, reference: Reference) -> list[Period]:
    return [unit_of("year", date(year_number(match["number"], reference.today), 1, 1))]


def _month_of_year(match: Match, reference: Reference) -> list[Period]:
    return [unit_of("month", date(year_number(match["year"], reference.today), int(match["number"]), 1))]


def _relative(match: Match, reference: Reference) -> list[Period]:
    """This, the last, the next unit; the one before last."""
    grain = _GRAINS[match["unit"]]
    said = " ".join(match.group().split())
    if re.search(r"before\s+last|penultim|ante\s?pasad", said):
        return [shifted_unit(grain, reference.today, -2)]
    shift = -1 if _PAST.search(said) else 1 if _NEXT.search(said) else 0
    return [shifted_unit(grain, reference.today, shift)]


def _last_units(match: Match, reference: Reference) -> list[Period]:
    """The last twelve months: up to today, or the whole ones before this; the same ahead for `next`."""
    grain, today = _GRAINS[match["unit"]], reference.today
    count = 1 if not match["amount"] else A_FEW if match["amount"] in _FEW else small_number(match["amount"])
    if match["unit"].startswith(("fortnight", "quincena")):
        grain, count = "week", count * 2
    if _NEXT.search(match.group()):
        last = back_from(grain, today, -count)
        whole = Period(first=shifted_unit(grain, today, 1).first, last=shifted_unit(grain, today, count).last)
        return [
            Period(first=today, last=last - timedelta(days=1)),
            Period(first=today + timedelta(days=1), last=last),
            whole,
        ]
    first = back_from(grain, today, count) + timedelta(days=1)
    if grain not in ("day", "week") and today == month_end(today):
        first = months_on(today.replace(day=1), 1 - count * MONTHS_IN[grain])  # from a month's end back: whole months
    rolling = Period(first=first, last=today)
    if grain == "day":
        return [rolling, Period(first=rolling.first - timedelta(days=1), last=today - timedelta(days=1))]
    whole = Period(first=shifted_unit(grain, today, -count).first, last=shifted_unit(grain, today, -1).last)
    return [rolling, whole]


def _first_days(match: Match, reference: Reference) -> list[Period]:
    """The first ten days of July, the last five of this month."""
    further = timedelta(days=small_number(match["amount"] or match["amount2"]) - 1)
    is_last = (match["side"] or match["side2"]) in ("last", "ultimos")
    return [
        Period(first=max(each.last - further, each.first), last=each.last)
        if is_last
        else Period(first=each.first, last=min(each.first + further, each.last))
        for each in _months_of(match, reference)
    ]


def _same_unit(match: Match, reference: Reference) -> list[Period]:
    """The same quarter last year: the one a year before this."""
    grain = _GRAINS[match["unit"]]
    return [unit_of(grain, back_from("year", reference.today, 1))]


def _to_date(match: Match, reference: Reference) -> list[Period]:
    unit = next(value for name, value in match.groupdict().items() if value and name.startswith("unit"))
    grain = _GRAINS[unit] if unit in _GRAINS else {"y": "year", "q": "quarter", "m": "month", "w": "week"}[unit[0]]
    return [Period(first=unit_of(grain, reference.today).first, last=reference.today)]  # type: ignore[arg-type]


def _day_range(match: Match, reference: Reference) -> list[Period]:
    """Days of one month: "del 1 al 15 de marzo", "March 1-15"."""
    month = MONTHS[match["month"].rstrip(".")]

    def make(year: int) -> Period:
        return Period(first=date(year, month, int(match["one"])), last=date(year, month, int(match["other"])))

    if match["year"]:
        return [make(year_number(match["year"], reference.today))]
    return _nearest_year(make, reference)


def _near_day_range(match: Match, reference: Reference) -> list[Period]:
    """Days of a month near today: "del 4 al 22 de este mes"."""
    month = shifted_unit("month", reference.today, _shift_of(match["near"])).first
    return [Period(first=month.replace(day=int(match["one"])), last=month.replace(day=int(match["other"])))]


def _week_number(match: Match, reference: Reference) -> list[Period]:
    number = int(match["number"])

    def make(year: int) -> Period:
        return unit_of("week", date.fromisocalendar(year, number, 1))

    if match["year"]:
        return [make(year_number(match["year"], reference.today))]
    return _nearest_year(make, reference)


def _nth_week(match: Match, reference: Reference) -> list[Period]:
    year, nth = year_number(match["year"], reference.today), ORDINALS[match["nth"]]
    last = date(year, 12, 28).isocalendar().week
    return [unit_of("week", date.fromisocalendar(year, last if nth < 0 else nth, 1))]


def _weekend(match: Match, reference: Reference) -> list[Period]:
    saturday = monday_of(reference.today) + timedelta(days=5)
    said = match.group()
    weeks = -1 if _PAST.search(said) else 1 if _NEXT.search(said) else 0
    if weeks == 0 and reference.prefer == "future" and saturday + timedelta(days=1) < reference.today:
        weeks = 1
    if match["second"]:
        saturday += timedelta(weeks=2)
        return [Period(first=saturday, last=saturday + timedelta(days=1))]
    first = saturday + timedelta(weeks=weeks)
    found = Period(first=first, last=first + timedelta(days=1))
    if weeks == 1 and saturday > reference.today:
        return [Period(first=saturday, last=saturday + timedelta(days=1)), found]
    return [found]


def _part_of(match: Match, reference: Reference) -> list[Period]:
    """A part of a month: its first half, its second week, its end."""
    part = " ".join(match["part"].split())
    return [cut for each in _months_of(match, reference) for cut in (_cut(each, part), *_calendar_week(each, part))]


def _months_of(match: Match, reference: Reference) -> list[Period]:
    """The month that a form names, or the one near today that it speaks of."""
    if match["month"]:
        return _month_or_quarter(match, reference)
    return [shifted_unit("month", reference.today, _shift_of(match["near"]))]


def _calendar_week(month: Period, part: str) -> list[Period]:
    """A week of a month as calendars count: from Monday, and of the month that most of its days lie in."""
    nth = next((ORDINALS[word] for word in part.split() if word in ORDINALS), 0)
    if nth == 0 or not re.search(r"semana|week", part):
        return []
    thursday = nth_weekday(month.first, nth, THURSDAY)
    return [unit_of("week", thursday)]


def _cut(month: Period, part: str) -> Period:
    first, last = month.first, month.last
    if re.search(r"quincena|half|mitad", part):
        is_first = re.search(r"prim|first|1", part) is not None
        return (
            Period(first=first, last=first.replace(day=15))
            if is_first
            else Period(first=first.replace(day=16), last=last)
        )
    if re.search(r"semana|week", part):
        nth = next((ORDINALS[word] for word in part.split() if word in ORDINALS), 1)
        if nth == -1:
            return Period(first=last - timedelta(days=6), last=last, grain="week")
        start = first + timedelta(days=7 * (nth - 1))
        return Period(first=start, last=min(start + timedelta(days=6), last), grain="week")
    if re.search(r"mid|mediados", part):
        return Period(first=first.replace(day=11), last=first.replace(day=20))
    is_end = re.search(r"end|final|fin|late", part) is not None
    return Period(first=first.replace(day=21), last=last) if is_end else Period(first=first, last=first.replace(day=10))


def _shift_of(words: str | None) -> int:
    said = words or ""
    return -1 if _PAST.search(said) else 1 if _NEXT.search(said) else 0


def _coded_quarter(match: Match, reference: Reference) -> list[Period]:
    """Q3, 3T, T3 25."""
    rank = int(match["quarter"] or match["quarter2"] or match["quarter3"])
    year = match["year2"] or match["year"]

    def make(number: int) -> Period:
        return unit_of("quarter", date(number, 3 * rank - 2, 1))

    return [make(year_number(year, reference.today))] if year else _nearest_year(make, reference)


def _coded_half(match: Match, reference: Reference) -> list[Period]:
    rank = int(match["half2"]) if match["half2"] else ORDINALS[match["half"]]
    if rank not in (1, 2, -1) or (rank == -1 and not match["year"]):
        return []

    def make(number: int) -> Period:
        return unit_of("half", date(number, 1 if rank == 1 else 7, 1))

    return [make(year_number(match["year"], reference.today))] if match["year"] else _nearest_year(make, reference)


def _near_month(match: Match, reference: Reference) -> list[Period]:
    """A month with `last` or `next`: the nearest one in that direction."""
    said, today = match.group(), reference.today
    prefer: Preference = "past" if _PAST.search(said) else "future" if _NEXT.search(said) else reference.prefer
    number = MONTHS[match["month"].rstrip(".")]
    if re.match(r"(?:this|este)\b", said):
        return [unit_of("month", date(today.year, number, 1))]
    if _PAST.search(said) and number == today.month:
        return [unit_of("month", date(today.year - 1, number, 1))]
    if _NEXT.search(said) and number == today.month:
        return [unit_of("month", date(today.year + 1, number, 1))]
    return _nearest_year(lambda year: unit_of("month", date(year, number, 1)), replace(reference, prefer=prefer))


def _before_last(match: Match, reference: Reference) -> list[Period]:
    shift = 2 if "next" in match.group() else -2
    return [shifted_unit(_GRAINS[match["unit"] or match["unit2"]], reference.today, shift)]


def _units_ago(match: Match, reference: Reference) -> list[Period]:
    """Two months ago: that month; so many days or weeks ago in a sentence about a day is a day (see `dates`)."""
    grain = _GRAINS[match["unit"] or match["unit2"]]
    return [shifted_unit(grain, reference.today, -small_number(match["amount"] or match["amount2"]))]


def _latest(match: Match, reference: Reference) -> list[Period]:
    """The last month, said with `último` or `the past`: the whole one before this, or up to today."""
    grain, today = _GRAINS[match["unit"]], reference.today
    if grain == "day":
        return [unit_of("day", today - timedelta(days=1))]
    if match["unit"].startswith(("fortnight", "quincena")):
        return [Period(first=back_from("week", today, 2) + timedelta(days=1), last=today)]
    whole = shifted_unit(grain, today, -1)
    rolling = Period(first=back_from(grain, today, 1) + timedelta(days=1), last=today)
    return [rolling, whole] if "past" in match.group() else [whole, rolling]


_GRAINS: dict[str, Grain] = {
    **dict.fromkeys(("day", "days", "dia", "dias"), "day"),
    **dict.fromkeys(("week", "weeks", "semana", "semanas"), "week"),
    **dict.fromkeys(("fortnight", "fortnights", "quincena", "quincenas"), "week"),
    **dict.fromkeys(("month", "months", "mes", "meses"), "month"),
    **dict.fromkeys(("quarter", "quarters", "trimestre", "trimestres"), "quarter"),
    **dict.fromkeys(("semester", "semesters", "semestre", "semestres", "half-year", "half year"), "half"),
    **dict.fromkeys(("year", "years", "ano", "anos", "ejercicio", "ejercicios", "fiscal year", "twelvemonth"), "year"),
}
A_FEW = 3
_FEW = ("few", "a few", "pocos", "pocas")
_LATEST = ("last", "ultimo", "ultima")
_UNIT = rf"(?P<unit>{one_of(name for name in _GRAINS)})"
_LONG_UNIT = rf"(?P<unit>{one_of(name for name in _GRAINS if _GRAINS[name] != 'day')})"
_PAST = re.compile(
    r"\b(?:last|past|previous|prior|preceding|before|pasad[oa]s?|anterior(?:es)?|ultim[oa]s?|previ[oa]s?)\b"
)
_NEXT = re.compile(
    r"\b(?:next|coming|following|upcoming|proxim[oa]s?|siguientes?|que\s+vienen?|entrante|venider[oa]s?)\b"
)
_RANK = rf"(?:{one_of(word for word in ORDINALS)})"
_AND_RANK = rf"\s+(?:and|y|e|to|with|con|al?|versus|vs)\s+(?:(?:the|el|del?|of|in|en)\s+)*{_RANK}"
"""What follows a rank that shares its unit with the next: "the first and second quarter"."""
_SURE_MONTH = rf"(?:{one_of(month for month in MONTHS if month not in UNSURE_MONTHS)}\b\.?)"
_ADJECTIVE_BEFORE = (
    r"(?:this|the\s+current|current|last|past|previous|prior|next|coming|following|est[ea]|pasad[oa]|proxim[oa]|ultim[oa]|"
    r"anterior|actual|mism[oa]|penultim[oa]|all\s+(?:of\s+)?(?:this|last)|todo\s+(?:este|el)|the\s+whole|the\s+last)"
)
_ADJECTIVE_AFTER = (
    r"(?:pasad[oa]|anterior|actual|en\s+curso|que\s+viene|proxim[oa]|siguiente|entrante|ante\s?pasad[oa]|corriente)"
)
_NEAR_MONTH = (
    r"(?:this|last|next|este|proximo|pasado)\s+(?:month|mes)|mes(?:\s+(?:pasado|anterior|que\s+viene|proximo))?|month"
)
_TABLE: tuple[tuple[str, Resolve], ...] = (
    *LONG_PERIODS,
    (r"(?P<unity>ytd|year[- ]to[- ]date)|(?P<unitq>qtd|quarter[- ]to[- ]date)|(?P<unitm>mtd|month[- ]to[- ]date)|"
     r"(?P<unitw>wtd|week[- ]to[- ]date)", _to_date),
    (rf"(?:en\s+)?(?:lo\s+que\s+(?:va|llevamos|llevo)|lo\s+que\s+ha\s+transcurrido)\s+(?:de|del)\s+(?:el\s+|la\s+|este\s+|esta\s+)?"
     rf"(?P<unit>{one_of(_GRAINS)})", _to_date),
    (rf"(?:so\s+far\s+)?this\s+(?P<unit>{one_of(_GRAINS)})\s+so\s+far|so\s+far\s+this\s+(?P<unit2>{one_of(_GRAINS)})|"
     rf"(?:est[ea]\s+)(?P<unit3>{one_of(_GRAINS)})\s+hasta\s+(?:hoy|ahora|la\s+fecha)|(?P<unit4>ano|mes)\s+hasta\s+la\s+fecha", _to_date),
    (rf"(?:(?:the|los|en|in)\s+)*(?:(?P<side>first|last|primeros|ultimos)\s+(?P<amount>{NUMBER})|(?P<amount2>{NUMBER})\s+(?P<side2>primeros|ultimos))\s+(?:days|dias)\s+"
     rf"(?:of|in|del?)\s+(?:(?:the|el)\s+)?(?:(?P<month>{MONTH}){YEAR}|(?P<near>{_NEAR_MONTH}))", _first_days),
    (rf"(?:(?:the|los|las|el|la|in|en|over|during|durante)\s+)*(?:last|past|previous|preceding|ultim[oa]s?|pasad[oa]s|anteriores|previ[oa]s|next|coming|following|proxim[oa]s?|siguientes)\s+"
     rf"(?P<amount>{NUMBER}|{one_of(_FEW)})\s+(?:full\s+|whole\s+)?{_UNIT}", _last_units),
    (rf"(?:(?:the|los|las|en|durante)\s+)*(?P<amount>{NUMBER})\s+(?:ultim[oa]s|proxim[oa]s|pasad[oa]s|siguientes)\s+{_UNIT}", _last_units),
    (rf"(?:(?:the|los|las|en|durante)\s+)*(?P<amount>{NUMBER})\s+{_UNIT}\s+(?:anteriores|pasad[oa]s|previ[oa]s|que\s+vienen|siguientes)", _last_units),
    (rf"(?:from\s+|del?\s+|desde\s+|between\s+|entre\s+)?(?:the\s+|el\s+)?(?P<one>\d{{1,2}})(?:st|nd|rd|th)?\s*(?:to|al?|and|y|-|–|through|thru|until|till|hasta)"
     rf"\s*(?:the\s+|el\s+)?(?P<other>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+|de\s+)?(?P<month>{MONTH}){YEAR}", _day_range),
    (r"(?:from\s+|del?\s+|desde\s+|between\s+|entre\s+)?(?:the\s+|el\s+)?(?P<one>\d{1,2})(?:st|nd|rd|th)?\s*(?:to|al?|and|y|-|–|through|thru|until|till|hasta)"
     r"\s*(?:the\s+|el\s+)?(?P<other>\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+|de\s+|del\s+)?(?:el\s+)?(?P<near>(?:this|last|next|este|proximo|pasado)\s+(?:month|mes)|"
     r"mes\s+(?:pasado|anterior|que\s+viene|proximo|actual))", _near_day_range),
    (rf"(?P<month>{MONTH})\s+(?P<one>\d{{1,2}})(?:st|nd|rd|th)?\s*(?:to|-|–|through|thru|until)\s*(?P<other>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:]){YEAR}",
     _day_range),
    (rf"(?P<month>{MONTH})\s+(?:between|from|entre|del?)\s+(?:the\s+|el\s+)?(?P<one>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:and|to|y|al?)\s+"
     rf"(?:the\s+|el\s+)?(?P<other>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:]){YEAR}", _day_range),
    (rf"(?:(?:the|la|el|a)\s+)?(?P<part>{_RANK}\s+(?:week|semana)|(?:{_RANK}\s+)?(?:quincena|half)|{_RANK}\s+mitad|end|beginning|start|middle|mid|late|early|"
     rf"finales|final|fin|principios|comienzos|mediados|inicios)(?:\s+|-)(?:(?:of|de|del|in)\s+)?(?:(?:the|el)\s+)?"
     rf"(?:(?P<month>{MONTH}){YEAR}|(?P<near>{_NEAR_MONTH}))", _part_of),
    (rf"(?:(?:the|el|la)\s+)?(?:same|mism[oa])\s+{_LONG_UNIT}\s+(?:(?:of|in|del?|en)\s+)?(?:(?:the|el)\s+)?"
     r"(?:last\s+year|previous\s+year|year\s+before|ano\s+(?:pasado|anterior)|(?:pasado|anterior)\s+ano)", _same_unit),
    (rf"(?:(?:the|la)\s+)?(?P<nth>{_RANK})\s+(?:week|semana)\s+(?:of|in|del?)\s+(?:el\s+|the\s+)?(?P<year>\d{{4}}(?!\d)|{YEAR_WORDS})", _nth_week),
    (rf"(?P<month>{MONTH})(?=\s*[-–/]\s*{MONTH})", _month_or_quarter),
    (rf"(?:week|semana)\s+(?:number\s+|numero\s+|n[o.º]+\s*)?(?P<number>\d{{1,2}})(?!\d|\s*(?:de\s+\D|of\s+\D)){YEAR}", _week_number),
    (rf"(?:(?:the|el|in\s+the)\s+)*\b(?:q\s?(?P<quarter>[1-4])|t(?P<quarter2>[1-4])|(?P<quarter3>[1-4])\s?[qt])(?:[\s-]*(?P<year2>\d\d)\b(?!\d|:|%)|{YEAR})",
     _coded_quarter),
    (r"(?P<year>\d{4})\s?-?\s?q(?P<quarter>[1-4])", _month_or_quarter),
    (rf"(?:(?:the|el|in|en)\s+)*(?P<quarter>{_RANK})(?={_AND_RANK}\s+(?:quarter|trimestre))", _month_or_quarter),
    (rf"(?:(?:the|el|in|en)\s+)*(?P<half>{_RANK})(?={_AND_RANK}\s+(?:half|semestre))", _month_or_quarter),
    (rf"(?:(?:the|el|in|en)\s+)*(?P<quarter>{_RANK}|[1-4])\s+(?:quarter|trimestre){YEAR}", _month_or_quarter),
    (rf"(?:quarter|trimestre)\s+(?P<quarter>[1-4])(?!\d){YEAR}", _month_or_quarter),
    (rf"(?:(?:the|el|in|en)\s+)*(?:(?P<half>{_RANK})\s+(?:half(?!\s+(?:hour|an))|mitad|semestre|semester)|\bh(?P<half2>[12]))(?:\s+(?:of|del?)\s+(?:the\s+|el\s+)?(?:year|ano)\b)?{YEAR}",
     _coded_half),
    (rf"(?:pasad[oa]|ultim[oa])\s+mes\s+de\s+(?P<month>{MONTH})", _near_month),
    (rf"(?:(?:in|en|for|de|of|during|durante|since|by|until|hasta|desde|through|about|did|was)\s+)(?:all\s+of\s+|todo\s+)?(?:el\s+mes\s+de\s+)?(?P<month>{MONTH})(?!\s+(?:i|we|you|the|be)\b|\s*\d{{1,2}}\b(?!\d)){YEAR}",
     _month_or_quarter),
    (rf"(?P<month>{MONTH})/(?P<year>\d{{4}}|\d\d)(?!\d)", _month_or_quarter),
    (rf"(?P<month>{MONTH})(?:,?\s*(?:de|del|of|in|en)?\s*(?:el\s+|the\s+(?!year))?(?P<year>\d{{4}}(?![\d:])|'\d\d\b|{YEAR_WORDS}))", _month_or_quarter),
    (rf"(?:(?:this|last|past|next|este|pasado|proximo|siguiente|ultimo|el)\s+)(?P<month>{_SURE_MONTH})", _near_month),
    (rf"(?P<month>{_SURE_MONTH})(?:\s+(?P<near>pasado|que\s+viene|proximo))?(?!\s*\d{{1,2}}(?!\d))", _near_month),
    (r"(?P<month>march|may)(?=\W*(?:$|\b(?:to|and|vs|by|versus)\b|[?,]))", _month_or_quarter),
    (r"(?P<year>\d{4})[-/](?P<number>0?[1-9]|1[0-2])(?![\d/-])", _month_of_year),
    (r"(?<![\d/-])(?P<number>0?[1-9]|1[0-2])[-/](?P<year>20\d\d)(?!\d)", _month_of_year),
    (rf"(?:(?:the|el|la)\s+)?(?:penultim[oa]\s+{_LONG_UNIT}|(?P<unit2>{one_of(_GRAINS)})\s+(?:before\s+last|after\s+(?:the\s+)?next))", _before_last),
    (rf"hace\s+(?P<amount>{NUMBER})\s+{_LONG_UNIT}|(?P<amount2>{NUMBER})\s+(?P<unit2>{one_of(n for n in _GRAINS if _GRAINS[n] != 'day')})\s+ago",
     _units_ago),
    (r"(?:(?:the|el|este|this|my|last|next|proximo|pasado|past)\s+)*(?:week-?end|finde|fin\s+de\s+semana)"
     r"(?:\s+(?:pasado|que\s+viene|proximo|(?P<second>after\s+(?:the\s+)?next)))?", _weekend),
    (r"(?:my|mi)\s+(?P<unit>week|month|semana|mes)(?=\W*$|\s+(?:look|going|like|so)\w*)", _relative),
    (rf"(?:(?:the|el|la|los|in|en|over|during|durante)\s+)*(?:ultim[oa]|the\s+past|past)\s+{_UNIT}", _latest),
    (rf"(?:(?:the|el|la|in|en|de|del|of|for)\s+)*{_ADJECTIVE_BEFORE}\s+(?:full\s+|whole\s+|natural\s+)?{_LONG_UNIT}(?:\s+{_ADJECTIVE_AFTER})?", _relative),
    (rf"(?:(?:the|el|la|in|en|de|del|of|for)\s+)*{_LONG_UNIT}\s+{_ADJECTIVE_AFTER}", _relative),
    (r"(?:(?:of|for)\s+the|del|de\s+la)\s+(?P<unit>month|week|quarter|year|mes|semana|trimestre|ano)(?=\W*$|\s+(?:by|per|por|in|en|compar|vs)\b)",
     _relative),
    (r"(?<!antes\s)(?<!despues\s)(?<!partir\s)(?:(?:the|el|in|en|for|of|de|del|during|durante|ano|year|ejercicio|fy|fiscal\s+year|all\s+of|todo)\s*)*(?<![\d.,/:-])(?P<number>(?:19|20)\d\d)"
     r"(?![\d:%]|[.,/-]\d|\s*(?:€|euros?|eur|dollars|dolares|usd|km|kg|units|unidades|\+|\*))", _year),
    (r"(?:fy|ejercicio)\s?'?(?P<number>\d\d)(?!\d)", _year),
)  # fmt: skip


@cache
def period_forms() -> tuple[tuple[re.Pattern[str], Resolve], ...]:
    """The table, compiled when a period is first looked for."""
    return tuple((re.compile(rf"\b(?:{pattern})(?!\w)"), resolve) for pattern, resolve in _TABLE)
