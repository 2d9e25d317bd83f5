"""The forms in which a day is named, as a table, English and Spanish, each with the days that it means.

The likeliest day comes first. `dates` looks for the forms in a text and joins what belongs together.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from batuta.language.calendar_math import (
    Reference,
    back_from,
    monday_of,
    month_end,
    months_on,
    nth_weekday,
    valid_date,
)
from batuta.language.feasts import FEASTS, MOVABLE
from batuta.language.lexicon import (
    MONTH,
    MONTHS,
    NUMBER,
    ORDINALS,
    SHORT_SPANISH_WEEKDAYS,
    SHORT_WEEKDAYS,
    TENS,
    UNITS_EN,
    UNITS_ES,
    UNSURE_WEEKDAYS,
    WEEKDAY,
    WEEKDAYS,
    WORKING_DAY,
    numbered,
    one_of,
    small_number,
)

YEARS_SEARCHED = 9
JUST_GONE = timedelta(days=31)
"""So far back a day may lie whose weekday and number are given, where the next such day is further away."""
SATURDAY = 5
YEARS_AHEAD_OF_TWO_DIGITS = 30
IDIOMATIC_FORTNIGHT = 15
"""So many days are two weeks as one speaks in Spanish, and a day more as one counts."""

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
                     "semana siguiente", "siguiente semana", "semana entrante"), 1),
    **dict.fromkeys(("week after next", "the week after next"), 2),
    **dict.fromkeys(("last week", "previous week", "semana pasada", "semana anterior", "pasada semana", "ultima semana"), -1),
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
class DateForm:
    """A pattern, what it means, and whether it is a weekday alone."""

    pattern: re.Pattern[str]
    resolve: Resolve
    is_weekday: bool


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
    return next(table[plain] for table in (_DAY_WORDS, ENGLISH_DAY_WORDS, LONG_ORDINALS, ORDINALS) if plain in table)


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
        return int(plain) if len(plain) > 2 else _whole_year(int(plain), today)
    if plain in _SPOKEN_YEARS:
        return _SPOKEN_YEARS[plain]
    return today.year + YEARS_AHEAD[re.sub(r"^(?:el|the|del)\s+(?!year\b)", "", plain)]


def _whole_year(last_digits: int, today: date) -> int:
    """The year of two digits: at most so many years ahead, else of the century before."""
    year = today.year // 100 * 100 + last_digits
    return year if year <= today.year + YEARS_AHEAD_OF_TWO_DIGITS else year - 100


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
    """Friday the 13th: the nearest day that is both, within a year. Where the next 13th is none, it may be meant too.

    One that has just gone by comes before one that is months away.
    """
    name = match["weekday"]
    wanted, nearest = (
        WEEKDAYS.get(name, SHORT_WEEKDAYS.get(name, 0)),
        _days_of_month(_day_number(match["day"]), reference),
    )
    both = [day for day in nearest if day.weekday() == wanted]
    if not both:
        return []
    gone = _days_of_month(_day_number(match["day"]), replace(reference, prefer="past"))[:1]
    is_gone = reference.prefer == "future" and bool(gone) and gone[0].weekday() == wanted
    far = is_gone and both[0] - reference.today > JUST_GONE >= reference.today - gone[0]
    return list(dict.fromkeys([*(gone if far else ()), *both[:1], *nearest[:1]]))


def _gone_day_of_month(match: Match, reference: Reference) -> list[date]:
    return _day_of_month(match, replace(reference, prefer="past"))


def _weekdays_on(match: Match, reference: Reference) -> list[date]:
    """`two Mondays from now`: the second one after today."""
    ahead = (WEEKDAYS[match["weekday"]] - reference.today.weekday()) % 7 or 7
    return [reference.today + timedelta(days=ahead, weeks=small_number(match["amount"]) - 1)]


def _relative(match: Match, reference: Reference) -> list[date]:
    return [reference.today + timedelta(days=RELATIVE[" ".join(match["word"].split())])]


def _day_after(match: Match, reference: Reference) -> list[date]:
    return [reference.today + timedelta(days=1)]


def _ahead(match: Match, reference: Reference) -> list[date]:
    """So many days, weeks, months or years from a day, or before it."""
    amount, unit = small_number(match["amount"]), UNITS[match["unit"]]
    said = match.group()
    sign = -1 if re.search(r"\bago\b|\bhace\b|\batras\b|\bbefore\b|\bantes\b|\bearlier\b", said) else 1
    origin = match.groupdict().get("origin")
    start = reference.today
    if origin and origin.split()[-1] not in ("now", "here", "ahora"):
        start = _simple_day(origin, reference) or start
    if unit == "fortnight":
        amount, unit = amount * 2, "week"
    if amount == IDIOMATIC_FORTNIGHT and match["unit"] == "dias" and start == reference.today and sign > 0:
        return [start + timedelta(days=amount), start + timedelta(weeks=2)]
    grain = {"day": "day", "week": "week", "month": "month", "year": "year"}[unit]
    return [back_from(grain, start, -sign * amount)]  # type: ignore[arg-type]


def _far(match: Match, reference: Reference) -> list[date]:
    """A distance of several units: "2 years, 1 month and 21 days ago"."""
    is_back = re.search(r"\bago\b|\bhace\b|\batras\b", match.group()) is not None
    day = reference.today
    units = [(small_number(each["amount"]), UNITS[each["unit"]]) for each in _AMOUNT_OF.finditer(match["distance"])]
    for unit in ("year", "month", "week", "fortnight", "day"):
        for amount, _ in (each for each in units if each[1] == unit):
            weeks, grain = (amount * 2, "week") if unit == "fortnight" else (amount, unit)
            day = back_from(grain, day, weeks if is_back else -weeks)  # type: ignore[arg-type]
    return [day]


def _working_days(match: Match, reference: Reference) -> list[date]:
    """So many days without those of weekends; feasts differ from place to place and are not left out."""
    left, day = small_number(match["amount"]), reference.today
    while left > 0:
        day += timedelta(days=1)
        left -= day.weekday() < SATURDAY
    return [day]


def _nth_working_day(match: Match, reference: Reference) -> list[date]:
    """The second or the last day of a month on which people work."""
    nth, first = _day_number(match["nth"]), _month_first(match, reference)
    days = [first + timedelta(days=number) for number in range(month_end(first).day)]
    return [[day for day in days if day.weekday() < SATURDAY][nth - (nth > 0)]]


def _weekday_in_weeks(match: Match, reference: Reference) -> list[date]:
    """`Thursday in two weeks`: that of the week so many weeks ahead."""
    weeks = timedelta(weeks=small_number(match["amount"]))
    return [monday_of(reference.today) + weeks + timedelta(days=WEEKDAYS[match["weekday"]])]


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
        found = nth_weekday(months_on(first, MONTHS_AHEAD.get(near, 0)), nth, weekday)
        is_over = near in ("the month", "mes") and found < today and reference.prefer == "future"
        return [nth_weekday(months_on(first, 1), nth, weekday) if is_over else found]
    first = first.replace(month=MONTHS[match["month"].rstrip(".")])
    if match["year"]:
        return [nth_weekday(first.replace(year=year_number(match["year"], today)), nth, weekday)]
    step = 12 if reference.prefer == "future" else -12
    candidates = [nth_weekday(months_on(first, months), nth, weekday) for months in (0, step)]
    return [day for day in candidates if (day >= today if step > 0 else day <= today)][:1]


def _feast(match: Match, reference: Reference) -> list[date]:
    name, today, said = " ".join(match["feast"].split()), reference.today, match.group()
    if re.match(r"(?:on\s+|el\s+|la\s+)*(?:last|pasad[oa])\s", said):
        reference = replace(reference, prefer="past", now=reference.now - timedelta(days=1))
    elif re.match(r"(?:on\s+|el\s+|la\s+)*(?:next|proxim[oa])\s", said):
        reference = replace(reference, prefer="future", now=reference.now + timedelta(days=1))
    today = reference.today
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
        return _next_weekday(number, today)
    if reference.prefer == "past":
        return [today - timedelta(days=(today.weekday() - number) % 7)]
    return [today + timedelta(days=ahead)]


def _next_weekday(number: int, today: date) -> list[date]:
    ahead = (number - today.weekday()) % 7
    coming, other = today + timedelta(days=ahead or 7), monday_of(today) + timedelta(days=number, weeks=1)
    if other == coming:
        return [coming]
    # tomorrow is not called "next Tuesday"
    return [other, coming] if ahead == 1 else [coming, other]


def _after_next(match: Match, reference: Reference) -> list[date]:
    """`the Monday after next`: a week after either day that `next Monday` may be."""
    return [day + timedelta(weeks=1) for day in _next_weekday(WEEKDAYS[match["weekday"]], reference.today)]


def _week_on(match: Match, reference: Reference) -> list[date]:
    """`a week on Friday`, `Friday week`: seven days after the next one."""
    number = WEEKDAYS[match["weekday"]]
    return [reference.today + timedelta(days=(number - reference.today.weekday()) % 7 + 7)]


def _edge(match: Match, reference: Reference) -> list[date]:
    """The first or last day of a month or year."""
    today = reference.today
    if match["year"]:
        year = _said_year(match["year"], today)
        return [date(year, 12, 31) if match["last"] else date(year, 1, 1)]
    first = _month_first(match, reference)
    return [month_end(first) if match["last"] else first]


def _nth_day(match: Match, reference: Reference) -> list[date]:
    """The third or the last day of a month or year."""
    nth = _day_number(match["nth"])
    if match["year"]:
        first = date(_said_year(match["year"], reference.today), 1, 1)
        return [date(first.year, 12, 31) if nth < 0 else first + timedelta(days=nth - 1)]
    first = _month_first(match, reference)
    return [month_end(first) if nth < 0 else first.replace(day=nth)]


def _said_year(words: str, today: date) -> int:
    return today.year if words in ("year", "ano") else year_number(words, today)


def _month_first(match: Match, reference: Reference) -> date:
    """The first day of the month that is named, or of one near today."""
    today = reference.today
    if not match["month"]:
        near = " ".join(match["near"].split())
        return months_on(today.replace(day=1), MONTHS_AHEAD.get(near, 0))
    number = MONTHS[match["month"].rstrip(".")]
    if match["of_year"]:
        return date(year_number(match["of_year"], today), number, 1)
    return date(today.year + (reference.prefer == "future" and number < today.month), number, 1)


def _short_edge(match: Match, reference: Reference) -> list[date]:
    """The end of this month, year or working week, as offices write it."""
    today = reference.today
    ends = {"m": month_end(today), "y": date(today.year, 12, 31), "w": monday_of(today) + timedelta(days=4)}
    return [ends[match["unit"][-1]]]


_FIRST_ORDINALS = numbered(1, "first second third fourth fifth sixth seventh eighth ninth")
_SPANISH_ORDINALS = numbered(1, "primero segundo tercero cuarto quinto sexto septimo octavo noveno")
_DAY_WORDS = {
    **{word: value for word, value in UNITS_ES.items() if 1 <= value <= 31 and word not in ("un", "una")},
    "treinta": TENS["treinta"], "treinta y uno": 31, "primero": 1,
}  # fmt: skip
ENGLISH_DAY_WORDS = {
    **{word: value for word, value in UNITS_EN.items() if value},
    **{f"twenty {word}": 20 + value for word, value in UNITS_EN.items() if 1 <= value <= 9},
    "twenty": 20, "thirty": 30, "thirty one": 31,
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
    "thirtieth": 30, "thirty first": 31, "vigesimo": 20, "trigesimo": 30, "trigesimo primero": 31, "undecimo": 11, "duodecimo": 12,
    **{f"decimo {word}": 10 + number for word, number in _SPANISH_ORDINALS.items()},
    **{f"vigesimo {word}": 20 + number for word, number in _SPANISH_ORDINALS.items()},
}  # fmt: skip
"""Days of a month beyond the tenth, as people write them out."""
_SPOKEN_YEARS = {
    **{f"dos mil {word}": 2000 + value for word, value in UNITS_ES.items() if 1 <= value <= 30},
    **{f"dos mil {ten} y {word}": 2000 + tens + value for ten, tens in TENS.items() if ten in ("treinta", "cuarenta", "cincuenta")
       for word, value in UNITS_ES.items() if 1 <= value <= 9},
    **{f"two thousand {joint}{word}": 2000 + value for joint in ("", "and ") for word, value in UNITS_EN.items() if value},
    **{f"two thousand {joint}{ten}{unit}": 2000 + tens + value for joint in ("", "and ") for ten, tens in (("twenty", 20), ("thirty", 30))
       for unit, value in {"": 0, **{f" {word}": number for word, number in UNITS_EN.items() if 1 <= number <= 9}}.items()},
    **{f"twenty {word}": 2000 + value for word, value in UNITS_EN.items() if 10 <= value <= 19},
    **{f"twenty {ten}{unit}": 2000 + tens + value for ten, tens in (("twenty", 20), ("thirty", 30))
       for unit, value in {"": 0, **{f" {word}": number for word, number in UNITS_EN.items() if 1 <= number <= 9}}.items()},
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
_ORIGIN = rf"(?P<origin>(?:right\s+)?now|here|today|tomorrow|hoy|manana|ahora|{WEEKDAY})"
_DAY_WORD = one_of(_DAY_WORDS)
_OF_YEAR = YEAR.replace("<year>", "<of_year>")
_RANK = one_of((*ORDINALS, *LONG_ORDINALS)).replace(r"\s+", r"[\s-]+")
_ENGLISH_DAY_WORD = one_of(ENGLISH_DAY_WORDS).replace(r"\s+", r"[\s-]+")
_LONG_ORDINAL = one_of(LONG_ORDINALS).replace(r"\s+", r"[\s-]+")
_ORDINAL_WORD = one_of(word for word, number in ORDINALS.items() if number > 0 and word.isalpha())

_NTH_WEEKDAY = (
    rf"(?:the\s+|el\s+)?(?P<nth>{one_of(ORDINALS)})\s+(?P<weekday>{WEEKDAY})\s+(?:(?:of|in|de|del|en)\s+)?"
    rf"(?:(?P<month>{MONTH}){YEAR}|(?:(?:of|de|del|el)\s+)*(?P<near>{one_of(MONTHS_AHEAD)}|mes))"
)
_DAY_OF_WEEK = (
    rf"(?:(?:of|in|the|la|de|en)\s+)*(?P<week>{one_of(WEEKS_AHEAD)})(?:'s|,)?\s+(?:on\s+|el\s+)?(?P<weekday>{WEEKDAY})|"
    rf"(?:el\s+)?(?P<weekday_before>{WEEKDAY}),?\s+(?:of\s+|in\s+|from\s+|de\s+)?(?:the\s+|la\s+)?"
    rf"(?P<week_after>{one_of(WEEKS_AHEAD)})"
)
_AGO = (
    rf"a\s+(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})\s+vista",
    rf"(?:hoy\s+)?hace\s+(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})",
    rf"(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})\s+(?:a\s+partir\s+de|desde)\s+{_ORIGIN}",
    rf"(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})\s+(?:ago|atras|earlier|hence)(?:\s+(?:today|hoy))?",
    rf"(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})\s+(?:from|after|before|despues\s+de|antes\s+de)\s+{_ORIGIN}",
    rf"(?:with)?in\s+(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})(?:'s?\s+time)?(?!\s+(?:of|ago))",
    rf"(?:en|dentro\s+de|de\s+aqui\s+a)\s+(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})(?!\s+de\b)",
)
_AMOUNT_OF = re.compile(rf"(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})\b")
_DISTANCE = rf"(?P<distance>{NUMBER}\s+{one_of(UNITS)}(?:(?:\s*,)?(?:\s+(?:and|y))?\s+{NUMBER}\s+{one_of(UNITS)})+)"
_FAR = (
    rf"{_DISTANCE}\s+(?:ago|atras|hence|from\s+(?:now|today))",
    rf"(?:hace|in|en|dentro\s+de|de\s+aqui\s+a)\s+{_DISTANCE}(?!\s+de\b)",
)
_WORKING_DAYS = (
    rf"(?:with)?in\s+(?P<amount>{NUMBER})\s+{WORKING_DAY}(?:'\s+time)?",
    rf"(?P<amount>{NUMBER})\s+{WORKING_DAY}\s+(?:from\s+(?:now|today)|later)",
    rf"(?:en|dentro\s+de|de\s+aqui\s+a)\s+(?P<amount>{NUMBER})\s+{WORKING_DAY}",
)
_EDGE = (
    r"(?:(?:the|el|al|a)\s+)?(?:(?P<last>end|last\s+day|ultimo\s+dia|fin|finales|final|cierre)|"
    r"first\s+day|primer\s+dia|beginning|start|principios?|inicio)\s+(?:of|in|de|del)\s+(?:(?:the|el|la)\s+)?"
    rf"(?:(?P<month>{MONTH}){_OF_YEAR}|(?P<near>{one_of(MONTHS_AHEAD)}|month|mes)|(?P<year>{YEAR_WORDS}|year|ano))"
)
_NTH_DAY = (
    rf"(?:the\s+|el\s+)?(?P<nth>{_RANK})\s+(?:day|dia)\s+(?:of|in|del?)\s+(?:(?:the|el)\s+)?"
    rf"(?:(?P<month>{MONTH}){_OF_YEAR}|(?P<near>{one_of(MONTHS_AHEAD)}|month|mes)|(?P<year>(?:19|20)\d\d(?!\d)|{YEAR_WORDS}|year|ano))"
)
_NTH_WORKING_DAY = (
    rf"(?:the\s+|el\s+)?(?P<nth>{one_of(ORDINALS)})\s+{WORKING_DAY}\s+(?:of|in|del?)\s+(?:(?:the|el)\s+)?"
    rf"(?:(?P<month>{MONTH}){_OF_YEAR}|(?P<near>{one_of(MONTHS_AHEAD)}|month|mes))"
)
_AFTER_DAY = r"(?=\W*$|,|\s+(?:at|with|to|through|until|from|by|del?|al?|con|por|hasta|\d{4})\b)"
"""What a day written out may stand before: "May first" is one, "we may first …" is none."""
_SHORT_WEEKDAY = one_of(SHORT_WEEKDAYS)
_SURE_SHORT_WEEKDAY = one_of(name for name in SHORT_WEEKDAYS if name not in UNSURE_WEEKDAYS)
_BESIDE_WEEKDAY = rf"\.?(?=,?\s+(?:(?:at|the|a\s+las?)\s+)?\d|,\s+{MONTH})"
"""After a short weekday that may be another word: a number, or a comma and a month."""
_TABLE: tuple[tuple[str, Resolve], ...] = (
    (r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?!\d)(?:t[\d:.]+z?)?", _year_first),
    (r"(?<![\d/.,])(?P<day>\d{1,2})/(?P<month>\d{1,2})(?:(?:/|,\s?(?=20\d\d))(?P<year>\d{4}|\d{2}))?(?![\d/]|\s+(?:of|de|del)\b)", _numeric),
    (r"(?<![\d/.,-])(?P<day>\d{1,2})(?P<mark>[-.])(?P<month>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})(?!\d)", _numeric),
    (r"(?:(?:on|el)\s+)(?P<day>\d{1,2})-(?P<month>\d{1,2})(?![-\d]|\s+(?:of|de|del|with|con)\b)(?P<year>\0)?", _numeric),
    (_NTH_WEEKDAY, _nth_weekday),
    (rf"(?:the\s+|el\s+)?(?P<nth>{one_of(ORDINALS)})\s+(?P<weekday>{WEEKDAY})\s+(?:of|in|de|del|en)\s+(?:el\s+|the\s+)?"
     rf"(?P<year>(?:19|20)\d\d(?!\d)|{one_of(YEARS_AHEAD)}|year|ano)", _nth_weekday_of_year),
    (r"(?:de\s+)?(?P<word>hoy|manana)\s+en\s+(?P<days>ocho|quince|8|15)(?:\s+dias)?", _idiom),
    (rf"(?<!\bat\s)(?:(?:the|el|dia)\s+)*(?P<day>\d{{1,2}})(?:st|nd|rd|th|ro|ero|er|º|°)?\s*(?:de\s+|of\s+|-)?(?P<month>{MONTH}){YEAR}",
     _named),
    (rf"(?:(?:the|el|dia)\s+)*(?P<day>{_DAY_WORD})\s+de\s+(?P<month>{MONTH}){YEAR}", _named),
    (rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[/.]\s?(?P<month>{MONTH})(?:[/\s](?P<year>\d{{4}}))?(?!\d)", _named),
    (rf"(?P<month>{MONTH})[/-](?P<day>\d{{1,2}})(?![\d-])(?P<year>\0)?", _named),
    (rf"at\s+(?P<day>\d{{1,2}}(?:st|nd|rd|th))\s+(?:of\s+)?(?P<month>{MONTH}){YEAR}", _named),
    (rf"(?:(?:the|el)\s+)?(?P<day>{_LONG_ORDINAL})\s+(?:(?:of|de)\s+)?(?P<month>{MONTH}){YEAR}", _named),
    (rf"(?P<month>{MONTH})\s+(?:the\s+)?(?P<day>{_LONG_ORDINAL}|(?:{_ORDINAL_WORD}|{_DAY_WORD}|{_ENGLISH_DAY_WORD}){_AFTER_DAY}){YEAR}",
     _named),
    (rf"(?:on\s+)?(?:the\s+|el\s+)?(?P<day>{_LONG_ORDINAL}|{_ORDINAL_WORD})\s+(?:of|del?)\s+(?P<near>{one_of(MONTHS_AHEAD)})",
     _day_of_month),
    (rf"(?:on\s+)?(?P<weekday>{_ENGLISH_WEEKDAY}),?\s+the\s+(?P<day>{_LONG_ORDINAL}|{_ORDINAL_WORD}|{_ENGLISH_DAY_WORD}){NOT_A_RANK}"
     r"(?!\s+(?:of|in)\b)", _weekday_and_number),
    (rf"(?:on\s+)?the\s+(?P<day>{_LONG_ORDINAL}){NOT_A_RANK}", _day_of_month),
    (rf"(?:(?:the|el)\s+)?(?P<day>{_ORDINAL_WORD})\s+(?:of|de)\s+(?P<month>{MONTH}){YEAR}", _named),
    (rf"(?P<month>{MONTH})\s+(?:the\s+)?(?P<day>\d{{1,2}}(?:st|nd|rd|th)?){NOT_A_TIME}(?![-–]\d){YEAR}", _named),
    (rf"(?:on\s+)?(?:the\s+)?{_ORDINAL_DAY}\s+{_NEAR}", _day_of_month),
    (rf"(?:el\s+)?(?:dia\s+)?{_NUMBER_OF_DAY}\s+{_NEAR}", _day_of_month),
    (rf"{_NEAR},?\s+(?:on\s+)?the\s+{_ORDINAL_DAY}", _day_of_month),
    (rf"(?:el\s+)?(?P<weekday>{_SPANISH_WEEKDAY}|{one_of(SHORT_SPANISH_WEEKDAYS)}),?\s+(?:dia\s+)?{_NUMBER_OF_DAY}", _weekday_and_number),
    (rf"(?:on\s+)?(?P<weekday>{_ENGLISH_WEEKDAY}),?\s+(?:the\s+)?(?P<day>1[3-9]|2\d|3[01]){NOT_A_TIME}"
     r"(?!\s*(?:people|persons|min|minutes|euros|%|€))", _weekday_and_number),
    (rf"(?:on\s+)?(?P<weekday>{_ENGLISH_WEEKDAY}|{_SHORT_WEEKDAY}),?\s+(?:the\s+)?{_ORDINAL_DAY}", _weekday_and_number),
    (rf"(?:on\s+)?the\s+{_ORDINAL_DAY}", _day_of_month),
    (r"(?:for|by)\s+the\s+(?P<day>\d{1,2})(?=\s*(?:$|[,.!?;](?!\d)|(?:at|with|from)\b))", _day_of_month),
    (rf"(?:el\s+)?pasado\s+(?:dia\s+)?{_NUMBER_OF_DAY}(?!\s+de\b)", _gone_day_of_month),
    (rf"(?:el\s+dia|el|dia|(?:(?<=[ap]m\s)|(?<=m\.\s)|(?<=horas\s))del)\s+{_NUMBER_OF_DAY}(?!\s+de\s+\d)", _day_of_month),
    (rf"(?:el\s+)?dia\s+(?P<day>{_DAY_WORD})(?!\s+de\b)", _day_of_month),
    (rf"(?:(?:on|en|el|la|this|next|last|est[ea]|proxim[oa]|pasad[oa])\s+)*(?P<feast>{one_of((*FEASTS, *MOVABLE))})(?!'s\b|\s+(?:eve|day|resolution|sale|party)){YEAR}", _feast),
    *((form, _working_days) for form in _WORKING_DAYS),
    (r"(?:in|en|dentro\s+de|de\s+aqui\s+a)\s+(?:an?\s+|un\s+)?(?:month\s+and\s+a\s+half|mes\s+y\s+medio)", _month_and_a_half),
    *((form, _far) for form in _FAR),
    (rf"(?:el\s+)?(?P<weekday>{WEEKDAY}),?\s+(?:in|de\s+aqui\s+a|(?:de\s+)?dentro\s+de)\s+(?P<amount>{NUMBER})\s+(?:weeks?|semanas?)(?:'s?\s+time)?",
     _weekday_in_weeks),
    *((form, _ahead) for form in _AGO),
    (_NTH_DAY, _nth_day),
    (_NTH_WORKING_DAY, _nth_working_day),
    (_EDGE, _edge),
    (r"(?P<unit>eom|eoy|eow)", _short_edge),
    (_DAY_OF_WEEK, _in_week),
    (rf"a\s+week\s+(?:on|from)\s+(?P<weekday>{WEEKDAY})", _week_on),
    (rf"(?P<weekday>{WEEKDAY})\s+week", _week_on),
    (rf"(?:the\s+)?(?P<weekday>{WEEKDAY})\s+after\s+next", _after_next),
    (rf"(?P<amount>{NUMBER})\s+(?P<weekday>{WEEKDAY})s?\s+from\s+(?:now|today)", _weekdays_on),
    (rf"(?<!\bla\s)(?<!\bmedia\s)(?P<word>{one_of(RELATIVE)})", _relative),
    (r"(?:the\s+)?day\s+after(?=\s*(?:$|[,.;!?]|(?:at|same)\b))", _day_after),
    (rf"(?:(?:next|this|last|past|previous|proximo|este|pasado|ultimo)\s+)?(?P<weekday>{WEEKDAY})"
     r"(?:\s+(?:que\s+viene|proximo|pasado|siguiente|anterior))?", _weekday),
    (rf"(?:on|next|this|last|el)\s+(?P<weekday>{_SHORT_WEEKDAY})(?!')", _weekday),
    (rf"(?P<weekday>{_SURE_SHORT_WEEKDAY})\.?(?!')", _weekday),
    (rf"(?P<weekday>{_SHORT_WEEKDAY}){_BESIDE_WEEKDAY}", _weekday),
    (rf"(?<!.)(?P<weekday>{_SHORT_WEEKDAY})\.?(?=\W*$)", _weekday),
)  # fmt: skip
"""In the order in which they are tried: the longer form before one that is part of it."""

NUMERIC_FORMS = 3
"""The forms at the beginning of the table that are all digits: `3/4` may also be a sum."""


@cache
def date_forms() -> tuple[DateForm, ...]:
    """The table, compiled when a date is first looked for."""
    return tuple(
        DateForm(re.compile(rf"\b(?:{pattern})(?!\w)"), resolve, resolve is _weekday) for pattern, resolve in _TABLE
    )
