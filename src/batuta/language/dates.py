"""The days that words mean, seen from a moment: a table of forms, English and Spanish.

    find_dates("el viernes de la semana que viene", now=…)  ->  one finding: that Friday

What can be read in two ways (`3/4`, `next Friday`) keeps the other as an alternative. Words that have the form of a day
and mean none (`31 February`) are in `impossible_dates`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from batuta.language.calendar_math import (
    Preference,
    Reference,
    back_from,
    monday_of,
    month_end,
    months_on,
    nth_weekday,
    valid_date,
)
from batuta.language.detection import detect_language
from batuta.language.feasts import FEASTS, MOVABLE
from batuta.language.findings import Finding, Language, TextSpan
from batuta.language.lexicon import (
    MONTH,
    MONTHS,
    NUMBER,
    ORDINALS,
    SHORT_WEEKDAYS,
    TENS,
    UNITS_EN,
    UNITS_ES,
    WEEKDAY,
    WEEKDAYS,
    numbered,
    one_of,
    small_number,
)
from batuta.language.plain_text import PlainText

MAX_CHARS = 2_000
YEARS_SEARCHED = 9
SATURDAY = 5
BLANK = "\0"

Match = re.Match[str]
Resolve = Callable[[Match, Reference], Sequence[date]]
"""The likeliest day first; none at all where the words name a day that is not in the calendar."""

RELATIVE = {
    **dict.fromkeys(
        ("the day before yesterday", "day before yesterday", "anteayer", "antes de ayer", "antier", "ante ayer"), -2
    ),
    **dict.fromkeys(("yesterday", "ayer", "last night", "anoche"), -1),
    **dict.fromkeys(("today", "hoy", "tonight", "esta noche", "this morning", "esta manana", "esta tarde"), 0),
    **dict.fromkeys(("this afternoon", "this evening", "hoy dia", "hoy mismo"), 0),
    **dict.fromkeys(("tomorrow", "manana"), 1),
    **dict.fromkeys(("next day", "following day", "dia siguiente", "siguiente dia", "proximo dia", "dia proximo"), 1),
    **dict.fromkeys(("previous day", "dia anterior", "dia previo"), -1),
    **dict.fromkeys(("trasanteayer", "anteanteayer"), -3),
    **dict.fromkeys(("the day after tomorrow", "day after tomorrow", "overmorrow", "pasado manana"), 2),
}
WEEKS_AHEAD = {
    **dict.fromkeys(("this week", "esta semana", "esta misma semana"), 0),
    **dict.fromkeys(("next week", "the coming week", "semana que viene", "proxima semana", "semana proxima",
                     "semana siguiente", "semana entrante"), 1),
    **dict.fromkeys(("week after next", "the week after next"), 2),
    **dict.fromkeys(("last week", "previous week", "semana pasada", "semana anterior", "pasada semana"), -1),
}  # fmt: skip
MONTHS_AHEAD = {
    **dict.fromkeys(("this month", "the month", "this current month", "este mes", "mes actual", "mes en curso"), 0),
    **dict.fromkeys(("next month", "mes que viene", "proximo mes", "mes proximo", "mes siguiente", "mes entrante"), 1),
    **dict.fromkeys(("last month", "previous month", "mes pasado", "mes anterior", "pasado mes"), -1),
}
YEARS_AHEAD = {
    **dict.fromkeys(("this year", "este ano", "ano en curso", "current year", "ano actual"), 0),
    **dict.fromkeys(("next year", "ano que viene", "proximo ano", "ano proximo", "ano siguiente"), 1),
    **dict.fromkeys(("last year", "previous year", "the year before", "ano pasado", "ano anterior", "pasado ano"), -1),
    **dict.fromkeys(("the year before last", "year before last", "hace dos anos", "two years ago"), -2),
}
UNITS = {
    **dict.fromkeys(("day", "days", "dia", "dias"), "day"),
    **dict.fromkeys(("week", "weeks", "semana", "semanas"), "week"),
    **dict.fromkeys(("fortnight", "fortnights", "quincena", "quincenas"), "fortnight"),
    **dict.fromkeys(("month", "months", "mes", "meses"), "month"),
    **dict.fromkeys(("year", "years", "ano", "anos"), "year"),
}


@dataclass(frozen=True, slots=True)
class _Form:
    pattern: re.Pattern[str]
    resolve: Resolve
    is_weekday: bool


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
    reads = _joined(source.plain, _readings(source.plain, reference))
    for read in (_shifted(source.plain, each) for each in reads):
        if read.days:
            span = source.span(read.start, read.end)
            others = tuple(dict.fromkeys(read.days[1:])) if is_english or not _is_numeric(source.words(span)) else ()
            found.append(
                Finding(value=read.days[0], span=span, text=source.words(span), alternatives=others, reference=now)
            )
    return found


def impossible_dates(text: str, *, now: datetime) -> list[TextSpan]:
    """Where a text has the form of a day that is not in the calendar, such as `31 February`."""
    source = PlainText(text[:MAX_CHARS])
    reads = _readings(source.plain, Reference(now=now, prefer="future"))
    return [source.span(read.start, read.end) for read in reads if not read.days]


def without_dates(plain: str, *, is_numeric_too: bool = True) -> str:
    """A plain text whose days are blanked out, so that what is left can be read for times and numbers."""
    for form in _forms() if is_numeric_too else _forms()[_NUMERIC_FORMS:]:
        plain = form.pattern.sub(lambda match: BLANK * len(match.group()), plain)
    return plain


def _readings(plain: str, reference: Reference) -> list[_Read]:
    """Each form in turn takes its words out of the text, so that a shorter form does not read them again."""
    reads = []
    for form in _forms():
        for match in form.pattern.finditer(plain):
            try:
                days = tuple(form.resolve(match, reference))
            except (ValueError, OverflowError, IndexError):
                days = ()
            reads.append(_Read(match.start(), match.end(), days, form.is_weekday))
            plain = plain[: match.start()] + BLANK * (match.end() - match.start()) + plain[match.end() :]
    return sorted(reads, key=lambda read: read.start)


def _joined(plain: str, reads: list[_Read]) -> list[_Read]:
    """A weekday next to an exact day is one finding: "Thursday, 3 December"; where they disagree, both are possible."""
    joined: list[_Read] = []
    for read in reads:
        last = joined[-1] if joined else None
        beside = None if last is None else _BESIDE.fullmatch(plain[last.end : read.start])
        if last and beside and last.is_weekday and last.days and read.days and not read.is_weekday:
            day = _weekday_beside(last.days[0].weekday(), read.days[0], is_before=beside["before"] is not None)
            joined[-1] = _Read(last.start, read.end, (day,), is_weekday=False)
            continue
        touches = last is not None and re.fullmatch(
            r"[\s,(]*(?:(?:the|el|dia|day|on)\s+)*", plain[last.end : read.start]
        )
        if last is None or not touches or last.is_weekday == read.is_weekday or not (last.days and read.days):
            joined.append(read)
            continue
        exact, weekday = (read, last) if last.is_weekday else (last, read)
        agreeing = [day for day in exact.days if day.weekday() == weekday.days[0].weekday()]
        days = tuple(agreeing) or (*exact.days, *weekday.days)
        joined[-1] = _Read(last.start, read.end, days, is_weekday=False)
    return joined


def _weekday_beside(weekday: int, day: date, *, is_before: bool) -> date:
    """The Friday before Christmas: the nearest such weekday on one side of a day, never the day itself."""
    distance = ((day.weekday() - weekday) if is_before else (weekday - day.weekday())) % 7 or 7
    return day + timedelta(days=-distance if is_before else distance)


def _shifted(plain: str, read: _Read) -> _Read:
    """A day that is said by its distance from another: "two days after Christmas", "el día antes del 3 de mayo"."""
    before = _DISTANCE.search(plain, 0, read.start)
    if before is None:
        return read
    amount = small_number(before["amount"]) if before["amount"] else 1
    unit = UNITS[before["unit"]] if before["unit"] else "day"
    amount, unit = (amount * 2, "week") if unit == "fortnight" else (amount, unit)
    sign = 1 if re.match(r"before|antes|prior", before["side"]) else -1
    days = tuple(back_from(unit, day, sign * amount) for day in read.days)  # type: ignore[arg-type]
    return _Read(before.start(), read.end, days, is_weekday=False)


def _is_numeric(words: str) -> bool:
    return not any(char.isalpha() for char in words)


def _year_first(match: Match, reference: Reference) -> list[date]:
    return [date(int(match["year"]), int(match["month"]), int(match["day"]))]


def _numeric(match: Match, reference: Reference) -> list[date]:
    """Day first, as in Spain and most of the world; month first where only that is a date, else as an alternative."""
    first, second, year = int(match["day"]), int(match["month"]), match["year"]
    found = [_dated(day, month, year, reference) for day, month in ((first, second), (second, first))]
    return [day for day in found if day is not None]


def _named(match: Match, reference: Reference) -> list[date]:
    found = _dated(_day_number(match["day"]), MONTHS[match["month"].rstrip(".")], match["year"], reference)
    return [found] if found else []


def _day_number(words: str) -> int:
    plain = " ".join(words.replace("-", " ").split())
    digits = re.match(r"\d+", plain)
    if digits:
        return int(digits.group())
    return next(table[plain] for table in (_DAY_WORDS, LONG_ORDINALS, ORDINALS) if plain in table)


def _dated(day: int, month: int, year: str | None, reference: Reference) -> date | None:
    """Without a year the nearest such day in the preferred direction; the 29th of February may be years away."""
    if not 1 <= month <= 12:
        return None
    today = reference.today
    if year:
        return valid_date(year_number(year, today), month, day)
    step = 1 if reference.prefer == "future" else -1
    years = (today.year + step * ahead for ahead in range(YEARS_SEARCHED))
    found = [each for each in (valid_date(year, month, day) for year in years) if each is not None]
    fitting = [each for each in found if (each >= today if step > 0 else each <= today)]
    return next(iter(fitting or found), None)


def year_number(words: str, today: date) -> int:
    """The year of `2026`, `26` or `last year`."""
    plain = " ".join(words.split()).lstrip("'")
    if plain.isdigit():
        return int(plain) + (2000 if len(plain) == 2 else 0)
    if plain in _SPOKEN_YEARS:
        return _SPOKEN_YEARS[plain]
    return today.year + YEARS_AHEAD[re.sub(r"^(?:el|the|del)\s+(?!year\b)", "", plain)]


def _day_of_month(match: Match, reference: Reference) -> list[date]:
    """The nearest such day in the preferred direction, or that of the month that is named."""
    number, near, today = _day_number(match["day"]), match.groupdict().get("near"), reference.today
    if near:
        return [months_on(today.replace(day=1), MONTHS_AHEAD[" ".join(near.split())]).replace(day=number)]
    return _days_of_month(number, reference)[:1]


def _days_of_month(number: int, reference: Reference) -> list[date]:
    """The days of that number within a year, the nearest first, in the preferred direction."""
    today, step = reference.today, 1 if reference.prefer == "future" else -1
    firsts = [months_on(today.replace(day=1), step * ahead) for ahead in range(13)]
    days = [day for day in (valid_date(first.year, first.month, number) for first in firsts) if day is not None]
    return [day for day in days if (day >= today if step > 0 else day <= today)]


def _weekday_and_number(match: Match, reference: Reference) -> list[date]:
    """Friday the 13th: the nearest day that is both, within a year. Where the next 13th is none, it may be meant too."""
    wanted, nearest = WEEKDAYS[match["weekday"]], _days_of_month(_day_number(match["day"]), reference)
    both = [day for day in nearest if day.weekday() == wanted]
    return list(dict.fromkeys([*both[:1], *nearest[:1]])) if both else []


def _gone_day_of_month(match: Match, reference: Reference) -> list[date]:
    return _day_of_month(match, replace(reference, prefer="past"))


def _weekdays_on(match: Match, reference: Reference) -> list[date]:
    """`two Mondays from now`: the second one after today."""
    ahead = (WEEKDAYS[match["weekday"]] - reference.today.weekday()) % 7 or 7
    return [reference.today + timedelta(days=ahead, weeks=small_number(match["amount"]) - 1)]


def _relative(match: Match, reference: Reference) -> list[date]:
    return [reference.today + timedelta(days=RELATIVE[" ".join(match["word"].split())])]


def _ahead(match: Match, reference: Reference) -> list[date]:
    """So many days, weeks, months or years from a day, or before it."""
    amount, unit = small_number(match["amount"]), UNITS[match["unit"]]
    said = match.group()
    sign = -1 if re.search(r"\bago\b|\bhace\b|\batras\b|\bbefore\b|\bantes\b|\bearlier\b", said) else 1
    origin = match.groupdict().get("origin")
    start = reference.today
    if origin and origin not in ("now", "here", "ahora"):
        start = _simple_day(origin, reference) or start
    if unit == "fortnight":
        amount, unit = amount * 2, "week"
    grain = {"day": "day", "week": "week", "month": "month", "year": "year"}[unit]
    return [back_from(grain, start, -sign * amount)]  # type: ignore[arg-type]


def _working_days(match: Match, reference: Reference) -> list[date]:
    """So many days without those of weekends; feasts differ from place to place and are not left out."""
    left, day = small_number(match["amount"]), reference.today
    while left > 0:
        day += timedelta(days=1)
        left -= day.weekday() < SATURDAY
    return [day]


def _month_and_a_half(match: Match, reference: Reference) -> list[date]:
    return [months_on(reference.today, 1) + timedelta(days=15)]


def _simple_day(words: str, reference: Reference) -> date | None:
    plain = " ".join(words.split())
    if plain in RELATIVE:
        return reference.today + timedelta(days=RELATIVE[plain])
    if plain in WEEKDAYS:
        return reference.today + timedelta(days=(WEEKDAYS[plain] - reference.today.weekday()) % 7)
    return None


def _in_week(match: Match, reference: Reference) -> list[date]:
    week, weekday = match["week"] or match["week_after"], match["weekday"] or match["weekday_before"]
    monday = monday_of(reference.today) + timedelta(weeks=WEEKS_AHEAD[" ".join(week.split())])
    return [monday + timedelta(days=WEEKDAYS[weekday])]


def _nth_weekday(match: Match, reference: Reference) -> list[date]:
    """Where that of the month or year has gone by (or has not come), the next (or last) one is meant."""
    nth, weekday, today = ORDINALS[match["nth"]], WEEKDAYS[match["weekday"]], reference.today
    first = today.replace(day=1)
    if match["near"]:
        near = " ".join(match["near"].split())
        found = nth_weekday(months_on(first, MONTHS_AHEAD[near]), nth, weekday)
        is_over = near == "the month" and found < today and reference.prefer == "future"
        return [nth_weekday(months_on(first, 1), nth, weekday) if is_over else found]
    first = first.replace(month=MONTHS[match["month"].rstrip(".")])
    if match["year"]:
        return [nth_weekday(first.replace(year=year_number(match["year"], today)), nth, weekday)]
    step = 12 if reference.prefer == "future" else -12
    candidates = [nth_weekday(months_on(first, months), nth, weekday) for months in (0, step)]
    return [day for day in candidates if (day >= today if step > 0 else day <= today)][:1]


def _feast(match: Match, reference: Reference) -> list[date]:
    name, today = " ".join(match["feast"].split()), reference.today
    if name in FEASTS:
        month, day = FEASTS[name]
        found = _dated(day, month, match["year"], reference)
        return [found] if found else []
    if match["year"]:
        return [MOVABLE[name](year_number(match["year"], today))]
    days = [MOVABLE[name](today.year + ahead) for ahead in (-1, 0, 1)]
    if reference.prefer == "future":
        return [next(day for day in days if day >= today)]
    return [next(day for day in reversed(days) if day <= today)]


def _idiom(match: Match, reference: Reference) -> list[date]:
    """`de hoy en ocho` is a week away, `en quince` two, though counted literally a day later."""
    start = reference.today + timedelta(days=RELATIVE[match["word"]])
    weeks = 1 if match["days"] in ("ocho", "8") else 2
    return [start + timedelta(weeks=weeks), start + timedelta(weeks=weeks, days=1)]


def _nth_weekday_of_year(match: Match, reference: Reference) -> list[date]:
    is_this = match["year"] in ("year", "ano")
    year = reference.today.year if is_this else year_number(match["year"], reference.today)
    nth, weekday = ORDINALS[match["nth"]], WEEKDAYS[match["weekday"]]
    if nth < 0:
        return [nth_weekday(date(year, 12, 1), nth, weekday)]
    return [nth_weekday(date(year, 1, 1), 1, weekday) + timedelta(weeks=nth - 1)]


def _weekday(match: Match, reference: Reference) -> list[date]:
    """The nearest such day; `next` may also mean the one of next week, and `last` the one of last week."""
    name = match["weekday"]
    today, number = reference.today, WEEKDAYS.get(name, SHORT_WEEKDAYS.get(name, 0))
    ahead, said = (number - today.weekday()) % 7, match.group()
    of_week = monday_of(today) + timedelta(days=number)
    if re.search(r"\blast\b|\bpasado\b|\bprevious\b|\bultimo\b|\banterior\b|\bpast\b", said):
        before = today - timedelta(days=(today.weekday() - number) % 7 or 7)
        other = of_week - timedelta(weeks=1)
        return [before] if other == before else [before, other]
    if re.search(r"\bnext\b|proximo|que\s+viene|siguiente", said):
        coming = today + timedelta(days=ahead or 7)
        other = of_week + timedelta(weeks=1)
        if other == coming:
            return [coming]
        # tomorrow is not called "next Tuesday"
        return [other, coming] if ahead == 1 else [coming, other]
    if reference.prefer == "past":
        return [today - timedelta(days=(today.weekday() - number) % 7)]
    return [today + timedelta(days=ahead)]


def _week_on(match: Match, reference: Reference) -> list[date]:
    """`a week on Friday`, `Friday week`: seven days after the next one."""
    number = WEEKDAYS[match["weekday"]]
    return [reference.today + timedelta(days=(number - reference.today.weekday()) % 7 + 7)]


def _edge(match: Match, reference: Reference) -> list[date]:
    """The first or last day of a month or year."""
    today = reference.today
    first = today.replace(day=1)
    if match["year"]:
        year = today.year + YEARS_AHEAD.get(" ".join(match["year"].split()), 0)
        return [date(year, 12, 31) if match["last"] else date(year, 1, 1)]
    if match["month"]:
        number = MONTHS[match["month"].rstrip(".")]
        first = date(today.year + (reference.prefer == "future" and number < today.month), number, 1)
    elif match["near"]:
        first = months_on(first, MONTHS_AHEAD.get(" ".join(match["near"].split()), 0))
    return [month_end(first) if match["last"] else first]


def _short_edge(match: Match, reference: Reference) -> list[date]:
    """The end of this month, year or working week, as offices write it."""
    today = reference.today
    ends = {"m": month_end(today), "y": date(today.year, 12, 31), "w": monday_of(today) + timedelta(days=4)}
    return [ends[match["unit"][-1]]]


_FIRST_ORDINALS = numbered(1, "first second third fourth fifth sixth seventh eighth ninth")
_DAY_WORDS = {
    **{word: value for word, value in UNITS_ES.items() if 1 <= value <= 31 and word not in ("un", "una")},
    "treinta": TENS["treinta"], "treinta y uno": 31, "primero": 1,
}  # fmt: skip
NOT_A_TIME = (
    r"(?!\d|[.,]\d|\s*(?:[:%/€$]|[ap]\.?m\b|hs?\b|o'?clock\b|horas?\b|hours?\b|min|euros?|eur\b|dias\b|days\b|"
    r"por\s+ciento|percent|clientes|customers|productos|items|units|unidades|veces|times))"
)
"""After a number that is a day of a month."""
NOT_A_RANK = (
    r"(?!\w|\s+(?:floor|street|avenue|quarter|half|time|round|meeting|interview|visit|session|call|week|month))"
)
"""After an ordinal that is a day of a month."""
LONG_ORDINALS = {
    **numbered(11, "eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"),
    **{f"twenty {word}": 20 + number for word, number in _FIRST_ORDINALS.items()},
    "thirtieth": 30, "thirty first": 31,
}  # fmt: skip
"""Days of a month beyond the tenth, as people write them out."""
_SPOKEN_YEARS = {
    **{f"dos mil {word}": 2000 + value for word, value in UNITS_ES.items() if 1 <= value <= 30},
    **{f"dos mil {ten} y {word}": 2000 + tens + value for ten, tens in TENS.items() if ten in ("treinta", "cuarenta", "cincuenta")
       for word, value in UNITS_ES.items() if 1 <= value <= 9},
    **{f"two thousand {joint}{word}": 2000 + value for joint in ("", "and ") for word, value in UNITS_EN.items() if value},
    **{f"twenty {word}": 2000 + value for word, value in UNITS_EN.items() if 10 <= value <= 19},
    "dos mil": 2000, "two thousand": 2000,
}  # fmt: skip
"""Years as people say them: "dos mil dieciséis", "twenty sixteen"."""
YEAR_WORDS = one_of((*YEARS_AHEAD, *_SPOKEN_YEARS))
_NUMBER_OF_DAY = rf"(?P<day>\d{{1,2}}){NOT_A_TIME}"
_ORDINAL_DAY = rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)){NOT_A_RANK}"
YEAR = rf"(?:(?:,?\s*|-)(?:(?:de|del|of|in|en)\s+)?(?:el\s+|the\s+(?!year))?(?P<year>\d{{4}}(?![\d:])|'\d\d\b|{YEAR_WORDS}))?"
_NEAR = rf"(?:(?:of|de|del|el)\s+)*(?P<near>{one_of(MONTHS_AHEAD)})"
_SPANISH_WEEKDAY = one_of(name for name in WEEKDAYS if not name.endswith("day"))
_ENGLISH_WEEKDAY = one_of(name for name in WEEKDAYS if name.endswith("day"))
_ORIGIN = rf"(?P<origin>now|here|today|tomorrow|hoy|manana|ahora|{WEEKDAY})"
_DAY_WORD = one_of(_DAY_WORDS)
_LONG_ORDINAL = one_of(LONG_ORDINALS).replace(r"\s+", r"[\s-]+")
_ORDINAL_WORD = one_of(word for word, number in ORDINALS.items() if number > 0 and word.isalpha())

_NTH_WEEKDAY = (
    rf"(?:the\s+|el\s+)?(?P<nth>{one_of(ORDINALS)})\s+(?P<weekday>{WEEKDAY})\s+(?:(?:of|in|de|del|en)\s+)?"
    rf"(?:(?P<month>{MONTH}){YEAR}|{_NEAR})"
)
_DAY_OF_WEEK = (
    rf"(?:(?:of|in|the|la|de|en)\s+)*(?P<week>{one_of(WEEKS_AHEAD)}),?\s+(?:on\s+|el\s+)?(?P<weekday>{WEEKDAY})|"
    rf"(?:el\s+)?(?P<weekday_before>{WEEKDAY}),?\s+(?:of\s+|in\s+|de\s+)?(?:the\s+|la\s+)?"
    rf"(?P<week_after>{one_of(WEEKS_AHEAD)})"
)
_AGO = (
    rf"(?:hoy\s+)?hace\s+(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})",
    rf"(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})\s+(?:a\s+partir\s+de|desde)\s+{_ORIGIN}",
    rf"(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})\s+(?:ago|atras|earlier)(?:\s+(?:today|hoy))?",
    rf"(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})\s+(?:from|after|before|despues\s+de|antes\s+de)\s+{_ORIGIN}",
    rf"(?:with)?in\s+(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})(?:'s?\s+time)?(?!\s+(?:of|ago))",
    rf"(?:en|dentro\s+de|de\s+aqui\s+a)\s+(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})(?!\s+de\b)",
)
_WORKING_DAYS = (
    rf"(?:with)?in\s+(?P<amount>{NUMBER})\s+(?:working|business)\s+days(?:'\s+time)?",
    rf"(?P<amount>{NUMBER})\s+(?:working|business)\s+days\s+(?:from\s+(?:now|today)|later)",
    rf"(?:en|dentro\s+de|de\s+aqui\s+a)\s+(?P<amount>{NUMBER})\s+dias\s+(?:habiles|laborables|de\s+trabajo)",
)
_EDGE = (
    r"(?:(?:the|el|al|a)\s+)?(?:(?P<last>end|last\s+day|ultimo\s+dia|fin|finales|final|cierre)|"
    r"first\s+day|primer\s+dia|beginning|start|principios?|inicio)\s+(?:of|de|del)\s+(?:(?:the|el|la)\s+)?"
    rf"(?:(?P<month>{MONTH})|(?P<near>{one_of(MONTHS_AHEAD)}|month|mes)|(?P<year>{YEAR_WORDS}|year|ano))"
)
_DISTANCE = re.compile(
    rf"\b(?:(?:the\s+|el\s+)?(?:day|dia)|(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)}))\s+"
    r"(?P<side>after|before|following|prior\s+to|despues|antes|posterior)\s*(?:of|de|del|al?)?\s*(?:the\s+|el\s+)?$"
)
_BESIDE = re.compile(
    r"\s+(?:(?P<before>before|antes\s+del?|anterior\s+al?|previo\s+al?)|after|despues\s+del?|siguiente\s+al?)\s*(?:the\s+|el\s+)?"
)
"""Between a weekday and the day it is said from."""
_TABLE: tuple[tuple[str, Resolve], ...] = (
    (r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?!\d)(?:t[\d:.]+z?)?", _year_first),
    (r"(?<![\d/.,])(?P<day>\d{1,2})/(?P<month>\d{1,2})(?:/(?P<year>\d{4}|\d{2}))?(?![\d/]|\s+(?:of|de|del)\b)", _numeric),
    (r"(?<![\d/.,-])(?P<day>\d{1,2})(?P<mark>[-.])(?P<month>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})(?!\d)", _numeric),
    (_NTH_WEEKDAY, _nth_weekday),
    (rf"(?:the\s+|el\s+)?(?P<nth>{one_of(ORDINALS)})\s+(?P<weekday>{WEEKDAY})\s+(?:of|in|de|del|en)\s+(?:el\s+|the\s+)?"
     rf"(?P<year>(?:19|20)\d\d(?!\d)|{one_of(YEARS_AHEAD)}|year|ano)", _nth_weekday_of_year),
    (r"(?:de\s+)?(?P<word>hoy|manana)\s+en\s+(?P<days>ocho|quince|8|15)(?:\s+dias)?", _idiom),
    (rf"(?<!\bat\s)(?:(?:the|el|dia)\s+)*(?P<day>\d{{1,2}})(?:st|nd|rd|th|ro|ero|er|º|°)?\s*(?:de\s+|of\s+|-)?(?P<month>{MONTH}){YEAR}",
     _named),
    (rf"(?:(?:the|el|dia)\s+)*(?P<day>{_DAY_WORD})\s+de\s+(?P<month>{MONTH}){YEAR}", _named),
    (rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[/.]\s?(?P<month>{MONTH})(?:[/\s](?P<year>\d{{4}}))?(?!\d)", _named),
    (rf"(?P<month>{MONTH})/(?P<day>\d{{1,2}})(?!\d)(?P<year>\0)?", _named),
    (rf"at\s+(?P<day>\d{{1,2}}(?:st|nd|rd|th))\s+(?:of\s+)?(?P<month>{MONTH}){YEAR}", _named),
    (rf"(?:the\s+)?(?P<day>{_LONG_ORDINAL})\s+(?:of\s+)?(?P<month>{MONTH}){YEAR}", _named),
    (rf"(?P<month>{MONTH})\s+(?:the\s+)?(?P<day>{_LONG_ORDINAL}){YEAR}", _named),
    (rf"(?:on\s+)?(?:the\s+|el\s+)?(?P<day>{_LONG_ORDINAL}|{_ORDINAL_WORD})\s+(?:of|del?)\s+(?P<near>{one_of(MONTHS_AHEAD)})",
     _day_of_month),
    (rf"(?:on\s+)?the\s+(?P<day>{_LONG_ORDINAL}){NOT_A_RANK}", _day_of_month),
    (rf"(?:the\s+)?(?P<day>{_ORDINAL_WORD})\s+of\s+(?P<month>{MONTH}){YEAR}", _named),
    (rf"(?P<month>{MONTH})\s+(?:the\s+)?(?P<day>\d{{1,2}}(?:st|nd|rd|th)?){NOT_A_TIME}(?![-–]\d){YEAR}", _named),
    (rf"(?:on\s+)?(?:the\s+)?{_ORDINAL_DAY}\s+{_NEAR}", _day_of_month),
    (rf"(?:el\s+)?(?:dia\s+)?{_NUMBER_OF_DAY}\s+{_NEAR}", _day_of_month),
    (rf"{_NEAR},?\s+(?:on\s+)?the\s+{_ORDINAL_DAY}", _day_of_month),
    (rf"(?:el\s+)?(?P<weekday>{_SPANISH_WEEKDAY}),?\s+(?:dia\s+)?{_NUMBER_OF_DAY}", _weekday_and_number),
    (rf"(?:on\s+)?(?P<weekday>{_ENGLISH_WEEKDAY}),?\s+(?:the\s+)?(?P<day>1[3-9]|2\d|3[01]){NOT_A_TIME}"
     r"(?!\s*(?:people|persons|min|minutes|euros|%|€))", _weekday_and_number),
    (rf"(?:on\s+)?(?P<weekday>{_ENGLISH_WEEKDAY}),?\s+(?:the\s+)?{_ORDINAL_DAY}", _weekday_and_number),
    (rf"(?:on\s+)?the\s+{_ORDINAL_DAY}", _day_of_month),
    (rf"(?:el\s+)?pasado\s+(?:dia\s+)?{_NUMBER_OF_DAY}(?!\s+de\b)", _gone_day_of_month),
    (rf"(?:el\s+dia|el|dia)\s+{_NUMBER_OF_DAY}(?!\s+de\s+\d)", _day_of_month),
    (rf"(?:el\s+)?dia\s+(?P<day>{_DAY_WORD})(?!\s+de\b)", _day_of_month),
    (rf"(?:(?:on|en|el|la)\s+)?(?P<feast>{one_of((*FEASTS, *MOVABLE))})(?!'s\b|\s+(?:eve|day|resolution|sale|party)){YEAR}", _feast),
    *((form, _working_days) for form in _WORKING_DAYS),
    (r"(?:in|en|dentro\s+de|de\s+aqui\s+a)\s+(?:an?\s+|un\s+)?(?:month\s+and\s+a\s+half|mes\s+y\s+medio)", _month_and_a_half),
    *((form, _ahead) for form in _AGO),
    (_EDGE, _edge),
    (r"(?P<unit>eom|eoy|eow)", _short_edge),
    (_DAY_OF_WEEK, _in_week),
    (rf"a\s+week\s+(?:on|from)\s+(?P<weekday>{WEEKDAY})", _week_on),
    (rf"(?P<weekday>{WEEKDAY})\s+(?:week|after\s+next)", _week_on),
    (rf"(?P<amount>{NUMBER})\s+(?P<weekday>{WEEKDAY})s?\s+from\s+(?:now|today)", _weekdays_on),
    (rf"(?<!\bla\s)(?<!\bmedia\s)(?P<word>{one_of(RELATIVE)})", _relative),
    (rf"(?:(?:next|this|last|past|previous|proximo|este|pasado|ultimo)\s+)?(?P<weekday>{WEEKDAY})"
     r"(?:\s+(?:que\s+viene|proximo|pasado|siguiente|anterior))?", _weekday),
    (rf"(?:on|next|this|last|el)\s+(?P<weekday>{one_of(SHORT_WEEKDAYS)})", _weekday),
)  # fmt: skip
"""In the order in which they are tried: the longer form before one that is part of it."""

_NUMERIC_FORMS = 3
"""The forms at the beginning of the table that are all digits: `3/4` may also be a sum."""
_COMPILED: list[_Form] = []


def _forms() -> list[_Form]:
    """The table, compiled when a date is first looked for."""
    if not _COMPILED:
        _COMPILED.extend(
            _Form(re.compile(rf"\b(?:{pattern})(?!\w)"), resolve, resolve is _weekday) for pattern, resolve in _TABLE
        )
    return _COMPILED
