"""The facts of a sentence that can be compared: numbers, dates, units and names (A-10). Pure.

A number is compared by value, whatever divides its thousands; one that can be read in two ways (`1,250`) is right if
either reading is. A date is compared as a day, or by its parts. A name is a word with a capital that no sentence start
explains, or a code.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from batuta.knowledge.cite.units import MONTHS, NUMBER_WORDS, OPENERS, UNITS, WEEKDAYS
from batuta.knowledge.words import folded

Day = tuple[int | None, int, int]
"""Year, if it is said, month and day."""

_NUMBER = re.compile(r"(?<![\w.,])[+-]?\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)?")
_TOKEN = re.compile(r"[€$£¥%]|\d+(?:[.,]\d+)*|[^\W\d_]+")
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAYS = (
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|º)?\s+(?:de\s+|of\s+)?(?P<month>{_MONTH})\b\.?(?:,?\s+(?:de[l]?\s+|of\s+)?(?P<year>\d{{4}}))?"
    ),
    re.compile(rf"\b(?P<month>{_MONTH})\b\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year>\d{{4}}))?"),
)
_MONTH_OF_YEAR = re.compile(rf"\b(?P<month>{_MONTH})\b\.?,?\s+(?:de[l]?\s+|of\s+)?(?P<year>\d{{4}})\b")
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b")
_NUMERIC = re.compile(r"\b(?P<first>\d{1,2})[/.-](?P<second>\d{1,2})[/.-](?P<year>\d{4}|\d{2})\b")
_CODE = re.compile(r"(?<!\w)(?=[\w/.-]*\d)(?=[\w/.-]*[^\W\d_])[\w]+(?:[/.-]\w+)*")
_CAPITAL = re.compile(r"[^\W\d_][\w’'&-]*")
_START = re.compile(r"^[\W_]*$|[.!?:;]\W*$|[\"“«(]\s*$|[-–—|]\s+$")
_SYMBOLS = frozenset("€$£¥")
_RATES = frozenset({"per", "por", "al", "cada", "each", "every"})
_POSSESSIVE = re.compile(r"[’']s\b", re.IGNORECASE)
_ORDINAL = re.compile(r"^\d+(?:st|nd|rd|th|h|pm|am|º|ª)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a text says that can be checked."""

    numbers: tuple[frozenset[Decimal], ...]
    """Each as the values it may stand for."""
    days: tuple[frozenset[Day], ...]
    months: frozenset[int]
    weekdays: frozenset[int]
    units: frozenset[str]
    quantities: tuple[tuple[frozenset[Decimal], str], ...]
    """Numbers with the unit beside them."""
    names: tuple[str, ...]
    """As written."""


def facts_in(text: str) -> Facts:
    """The facts of a sentence."""
    plain = folded(text).lower()
    days, rest = _days_in(plain)
    return Facts(
        numbers=tuple(_readings(match.group()) for match in _NUMBER.finditer(_without_codes(rest))) + _spoken(rest),
        days=days,
        months=frozenset(MONTHS[match["month"]] for match in _MONTH_OF_YEAR.finditer(rest)),
        weekdays=frozenset(WEEKDAYS[word] for word in _WORD.findall(plain) if word in WEEKDAYS),
        units=_units_in(rest),
        quantities=tuple((readings, unit) for readings, unit in _quantities_in(rest) if unit),
        names=tuple(_names_in(text)),
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """What some quoted texts hold, ready to be asked."""

    text: str
    """The quotes, and the titles and headings they stand under."""
    common_words: frozenset[str] = frozenset()
    """Words that the documents write small, so that a capital at the start of a sentence is no name."""

    def missing(self, facts: Facts) -> list[str]:
        """The facts that stand nowhere in it, as a reader would name them."""
        plain = folded(self.text).lower()
        own_days, _ = _days_in(plain)
        numbers = {value for match in _NUMBER.finditer(plain) for value in _readings(match.group())}
        numbers |= {value for readings in _spoken(plain) for value in readings}
        days = {day for readings in own_days for day in readings}
        months = {MONTHS[word] for word in _WORD.findall(plain) if word in MONTHS} | {day[1] for day in days}
        weekdays = {WEEKDAYS[word] for word in _WORD.findall(plain) if word in WEEKDAYS}
        units = {UNITS[token] for token in _TOKEN.findall(plain) if token in UNITS}
        return [
            *(_shown(readings) for readings in facts.numbers if not readings & numbers),
            *(_day(readings) for readings in facts.days if not _is_known(readings, days, numbers, months)),
            *(f"month {month}" for month in sorted(facts.months - months)),
            *(f"weekday {weekday}" for weekday in sorted(facts.weekdays - weekdays)),
            *sorted(facts.units - units),
            *_unsaid(facts.quantities, plain, units),
            *(name for name in facts.names if not self._has_name(name)),
        ]

    def _has_name(self, name: str) -> bool:
        plain = f" {' '.join(_words(self.text))} "
        wanted = " ".join(_words(name))
        return f" {wanted} " in plain or wanted in self.common_words


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", _POSSESSIVE.sub("", folded(text).lower()))


def _readings(written: str) -> frozenset[Decimal]:
    """The values that a number may stand for: `1.250` is a thousand and more, or one and a quarter."""
    digits = re.sub(r"[ \u00a0\u202f'’+-]", "", written)
    marks = [char for char in digits if char in ".,"]
    if not marks:
        return frozenset({Decimal(digits)})
    if len(set(marks)) == 2:
        decimal = marks[-1]
        thousands = "," if decimal == "." else "."
        return frozenset(
            {Decimal(digits.replace(thousands, "").replace(decimal, "."))} if marks.count(decimal) == 1 else ()
        )
    groups = re.split(r"[.,]", digits)
    as_thousands = Decimal("".join(groups)) if all(len(group) == 3 for group in groups[1:]) else None
    as_decimal = Decimal(".".join(groups)) if len(groups) == 2 else None
    values = {value for value in (as_thousands, as_decimal) if value is not None}
    return frozenset(values or {Decimal("".join(groups))})


def _spoken(plain: str) -> tuple[frozenset[Decimal], ...]:
    """Numbers written as words, where a unit follows: "three days", but not "two documents"."""
    tokens = _TOKEN.findall(plain)
    return tuple(
        frozenset({Decimal(NUMBER_WORDS[word])})
        for word, following in pairwise([*tokens, ""])
        if word in NUMBER_WORDS and following in UNITS
    )


def _units_in(plain: str) -> frozenset[str]:
    """Units next to a number: before it (`€ 5`) or after it (`5 days`)."""
    tokens = _TOKEN.findall(plain)
    found = set()
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else ""
        is_counted = before[:1].isdigit() or before in NUMBER_WORDS or before in _RATES
        is_before = token in _SYMBOLS and at + 1 < len(tokens) and tokens[at + 1][0].isdigit()
        if token in UNITS and (is_counted or is_before):
            found.add(UNITS[token])
    return frozenset(found)


def _quantities_in(plain: str) -> Iterator[tuple[frozenset[Decimal], str]]:
    """Every number with its unit, and with none where none stands beside it."""
    words = ["", *_TOKEN.findall(plain), ""]
    for before, token, after in zip(words, words[1:], words[2:], strict=False):
        if token[:1].isdigit():
            readings = _readings(token)
        elif token in NUMBER_WORDS:
            readings = frozenset({Decimal(NUMBER_WORDS[token])})
        else:
            continue
        yield readings, UNITS.get(after) or (UNITS[before] if before in _SYMBOLS else "")


def _unsaid(wanted: tuple[tuple[frozenset[Decimal], str], ...], plain: str, units: set[str]) -> Iterator[str]:
    """Quantities whose number the evidence has with another unit only: "20 days a year" does not say "20 years"."""
    said: dict[Decimal, set[str]] = {}
    for readings, unit in _quantities_in(plain):
        for value in readings:
            said.setdefault(value, set()).add(unit)
    for readings, unit in wanted:
        beside = set().union(*(said.get(value, set()) for value in readings))
        if beside and unit not in beside and not ("" in beside and unit in units):
            yield f"{_shown(readings)} {unit}"


def _days_in(plain: str) -> tuple[tuple[frozenset[Day], ...], str]:
    """Dates, and the text without them."""
    found: list[frozenset[Day]] = []

    def take(match: re.Match[str]) -> str:
        readings = _read_day(match)
        if not readings:
            return match.group()
        found.append(readings)
        return " " * len(match.group())

    rest = plain
    for pattern in (_ISO, _NUMERIC, *_DAYS):
        rest = pattern.sub(take, rest)
    return tuple(found), rest


def _read_day(match: re.Match[str]) -> frozenset[Day]:
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else None
    year = year + 2000 if year is not None and year < 100 else year
    if "first" in parts:
        one, other = int(parts["first"]), int(parts["second"])
        pairs = {(other, one), (one, other)}
    else:
        month = parts["month"]
        pairs = {(int(month) if month.isdigit() else MONTHS[month], int(parts["day"]))}
    return frozenset((year, month, day) for month, day in pairs if 1 <= month <= 12 and 1 <= day <= 31)


def _is_known(readings: frozenset[Day], days: set[Day], numbers: set[Decimal], months: set[int]) -> bool:
    """Whether a day is said: as a day, or each of its parts, as in "from 1 to 5 March 2026"."""
    if readings & days:
        return True
    if any((None, month, day) in days for year, month, day in readings if year is None):
        return True
    if any(year is None and any(known[1:] == (month, day) for known in days) for year, month, day in readings):
        return True
    said = numbers | {Decimal(part) for day in days for part in (day[0], day[2]) if part is not None}
    return any(
        month in months and Decimal(day) in said and (year is None or Decimal(year) in said)
        for year, month, day in readings
        if len(readings) == 1
    )


def _names_in(text: str) -> Iterator[str]:
    codes = [match.group() for match in _CODE.finditer(text) if not _ORDINAL.match(match.group())]
    yield from codes
    for match in _CAPITAL.finditer(text):
        word = _POSSESSIVE.sub("", match.group())
        if not word[0].isupper() or any(word in code for code in codes):
            continue
        plain = folded(word).lower()
        if plain in MONTHS or plain in WEEKDAYS or plain in UNITS or plain == "i":
            continue
        starts = _START.search(text[: match.start()]) is not None
        is_shouted = len(word) > 1 and word.isupper()
        if not starts or is_shouted or plain not in OPENERS:
            yield word


def _without_codes(plain: str) -> str:
    """Digits of a code are not a number of their own."""
    return _CODE.sub(lambda match: match.group() if _ORDINAL.match(match.group()) else " ", plain)


def _shown(readings: frozenset[Decimal]) -> str:
    return str(max(readings, default=Decimal(0)))


def _day(readings: frozenset[Day]) -> str:
    year, month, day = min(readings, key=lambda each: each[1:])
    return f"{day}/{month}" + (f"/{year}" if year else "")
