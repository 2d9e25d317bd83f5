"""Periods that are no unit of a calendar: seasons, decades, centuries, parts of a year, and what is left of a unit."""

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from batuta.language.calendar_math import Grain, Period, Reference, months_on, unit_of
from batuta.language.date_forms import YEAR_WORDS, year_number
from batuta.language.feasts import easter_sunday
from batuta.language.lexicon import ORDINALS, one_of

Match = re.Match[str]
Resolve = Callable[[Match, Reference], Sequence[Period]]

SEASONS = {
    **dict.fromkeys(("spring", "primavera"), ((3, 21), (6, 20))),
    **dict.fromkeys(("summer", "verano"), ((6, 21), (9, 22))),
    **dict.fromkeys(("autumn", "fall", "otono"), ((9, 23), (12, 20))),
    **dict.fromkeys(("winter", "invierno"), ((12, 21), (3, 20))),
}
"""First and last day, in the northern hemisphere."""
DECADES = {
    **dict.fromkeys(("twenties", "veinte"), 20), **dict.fromkeys(("thirties", "treinta"), 30), **dict.fromkeys(("forties", "cuarenta"), 40),
    **dict.fromkeys(("fifties", "cincuenta"), 50), **dict.fromkeys(("sixties", "sesenta"), 60), **dict.fromkeys(("seventies", "setenta"), 70),
    **dict.fromkeys(("eighties", "ochenta"), 80), **dict.fromkeys(("nineties", "noventa"), 90),
}  # fmt: skip
ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}
PARTS_OF_YEAR = {"early": (1, 6), "mid": (4, 9), "late": (7, 12)}
"""First and last month of what people mean, generously."""
MONTHS_OF = {"bimestre": 2, "cuatrimestre": 4}
_UNITS: dict[str, Grain] = {
    **dict.fromkeys(("week", "semana"), "week"), **dict.fromkeys(("month", "mes"), "month"),
    **dict.fromkeys(("quarter", "trimestre"), "quarter"), **dict.fromkeys(("year", "ano"), "year"),
}  # fmt: skip
_GONE = re.compile(r"\b(?:last|past|previous|pasad[oa]|anterior|ultim[oa])\b")
_THIS = re.compile(r"(?:(?:the|in|en)\s+)*(?:this|current|este|esta)\b")
_COMING = re.compile(r"\b(?:next|coming|proxim[oa]|que\s+viene|siguiente)\b")


def _season(match: Match, reference: Reference) -> list[Period]:
    start, end = SEASONS[match["season"]]

    def of(year: int) -> Period:
        return Period(first=date(year, *start), last=date(year + (end < start), *end))

    if match["year"]:
        return [of(year_number(match["year"], reference.today))]
    around = [of(reference.today.year + ahead) for ahead in (-2, -1, 0, 1, 2)]
    gone = [each for each in around if each.last < reference.today]
    coming = [each for each in around if each.first > reference.today]
    now = [each for each in around if each.covers(reference.today)]
    if _GONE.search(match.group()):
        return gone[-1:]
    if _COMING.search(match.group()):
        return coming[:1]
    if not now and _THIS.match(match.group()):
        return [of(reference.today.year)]
    return now or (coming[:1] if reference.prefer == "future" else gone[-1:])


def _decade(match: Match, reference: Reference) -> list[Period]:
    words, century = match["decade"], reference.today.year // 100 * 100
    if words.isdigit() and len(words) == 4:
        first = int(words)
    else:
        number = int(words) if words.isdigit() else DECADES[words]
        first = century + number if century + number <= reference.today.year else century - 100 + number
    return [_years(first, 10)] if first % 10 == 0 else []


def _near_decade(match: Match, reference: Reference) -> list[Period]:
    shift = -1 if _GONE.search(match.group()) else 1 if _COMING.search(match.group()) else 0
    return [_years(reference.today.year // 10 * 10 + 10 * shift, 10)]


def _century(match: Match, reference: Reference) -> list[Period]:
    words = match["century"]
    if words is None:
        shift = -1 if _GONE.search(match.group()) else 1 if _COMING.search(match.group()) else 0
        number = (reference.today.year - 1) // 100 + 1 + shift
    else:
        number = int(words) if words.isdigit() else _roman(words)
    return [_years(100 * (number - 1) + 1, 100)] if 1 <= number <= 99 else []


def _roman(words: str) -> int:
    values = [ROMAN[letter] for letter in words]
    return sum(-one if one < other else one for one, other in zip(values, [*values[1:], 0], strict=True))


def _years(first: int, count: int) -> Period:
    return Period(first=date(first, 1, 1), last=date(first + count - 1, 12, 31))


def _year_range(match: Match, reference: Reference) -> list[Period]:
    first, last = int(match["one"]), int(match["other"])
    return [_years(first, last - first + 1)] if 0 < last - first <= 100 else []


def _part_of_year(match: Match, reference: Reference) -> list[Period]:
    words = match["part"]
    kind = "mid" if re.match(r"mid|mediados", words) else "late" if re.match(r"end|late|final|fin", words) else "early"
    year, (first, last) = year_number(match["year"], reference.today), PARTS_OF_YEAR[kind]
    return [Period(first=date(year, first, 1), last=months_on(date(year, last, 1), 1) - timedelta(days=1))]


def _rest(match: Match, reference: Reference) -> list[Period]:
    """From today to the end of the unit."""
    return [Period(first=reference.today, last=unit_of(_UNITS[match["unit"]], reference.today).last)]


def _several_months(match: Match, reference: Reference) -> list[Period]:
    length, rank = MONTHS_OF[match["unit"]], ORDINALS[match["rank"]]
    year = year_number(match["year"], reference.today) if match["year"] else reference.today.year
    number = 12 // length if rank == -1 else rank
    if not 1 <= number <= 12 // length:
        return []
    first = date(year, length * (number - 1) + 1, 1)
    return [Period(first=first, last=months_on(first, length) - timedelta(days=1))]


def _holy_week(match: Match, reference: Reference) -> list[Period]:
    """From Palm Sunday to Easter Sunday."""
    if match["year"]:
        last = easter_sunday(year_number(match["year"], reference.today))
    else:
        years = [easter_sunday(reference.today.year + ahead) for ahead in (-1, 0, 1)]
        coming = [day for day in years if day >= reference.today]
        gone = [day for day in years if day < reference.today]
        last = coming[0] if reference.prefer == "future" else gone[-1]
    return [Period(first=last - timedelta(days=7), last=last)]


_YEAR = rf"(?:,?\s*(?:(?:de|del|of|in|en)\s+)?(?:el\s+|the\s+)?(?P<year>(?:19|20)\d\d(?!\d)|{YEAR_WORDS}))"
_NEAR = r"(?:this|current|last|next|past|coming|est[ea]|pasad[oa]|proxim[oa]|siguiente|ultim[oa])"
_SEASON = one_of(SEASONS)
LONG_PERIODS: tuple[tuple[str, Resolve], ...] = (
    (r"(?:(?:from|de|desde)\s+)?(?<![\d/.-])(?P<one>(?:19|20)\d\d)\s*[-–/]\s*(?P<other>(?:19|20)\d\d)(?![\d/-])", _year_range),
    (rf"(?:(?:the|el|la|in|en)\s+)*(?P<season>{_SEASON}){_YEAR}", _season),
    (rf"(?:(?:the|el|la|in|en)\s+)*(?:{_NEAR}\s+)(?P<season>{_SEASON})(?P<year>\0)?", _season),
    (r"(?:(?:el|la|en|este|esta)\s+)+(?P<season>primavera|verano|otono|invierno)(?:\s+(?:pasad[oa]|que\s+viene|proxim[oa]|anterior))?(?P<year>\0)?",
     _season),
    (r"(?:in|during|over)\s+(?:the\s+)?(?P<season>spring|summer|autumn|winter)(?P<year>\0)?", _season),
    (rf"(?:(?:the|in|en|de|los|las|decada|decade|of|anos)\s+)*(?:(?:los\s+(?:anos\s+)?|anos\s+)(?P<decade>[1-9]0|{one_of(DECADES)})(?!\s*(?:%|€|euros?|dias|anos|mejores|primeros|ultimos|[a-z]+s\b)))",
     _decade),
    (r"(?:(?:the|in|decade|of|decada|de|los)\s+)*(?P<decade>(?:(?:19|20)[0-9]0)|[2-9]0)'?s\b", _decade),
    (rf"(?:the|in\s+the)\s+(?P<decade>{one_of(word for word in DECADES if word.endswith('ies'))})", _decade),
    (rf"(?:(?:the|la|in|en)\s+)*(?:{_NEAR}\s+(?:decade|decada)|(?:decada)\s+(?:pasada|anterior|proxima|actual|que\s+viene))", _near_decade),
    (r"(?:(?:the|el|in|en)\s+)*(?:siglo\s+(?P<century>[ivxl]+|\d{1,2})|siglo\s+(?:pasado|actual|que\s+viene)|(?:this|last|next|este|pasado|proximo)\s+(?:century|siglo))",
     _century),
    (r"(?:(?:the|in)\s+)*(?P<century>\d{1,2})(?:st|nd|rd|th)\s+century", _century),
    (r"(?:(?:a|the|in|at)\s+)*(?P<part>early|mid|late|beginning|start|middle|end|principios|comienzos|inicios|mediados|finales)(?:\s+|-)"
     rf"(?:(?:of|de|del|in)\s+)?(?:(?:the|el)\s+)?(?P<year>(?:19|20)\d\d(?!\d)|{YEAR_WORDS})", _part_of_year),
    (rf"(?:(?:the|el|la|lo|for|durante|en)\s+)*(?:rest|remainder|resto|que\s+(?:queda|resta))\s+(?:of|del?)\s+(?:(?:the|this|el|la|este|esta)\s+)?(?P<unit>{one_of(_UNITS)})",
     _rest),
    (rf"(?:(?:the|el|in|en)\s+)*(?P<rank>{one_of(ORDINALS)})\s+(?P<unit>bimestre|cuatrimestre)(?:{_YEAR})?", _several_months),
    (rf"(?:(?:the|la|in|en)\s+)*(?:semana\s+santa|holy\s+week)(?:{_YEAR})?", _holy_week),
)  # fmt: skip
