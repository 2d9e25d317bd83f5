"""The day that words mean, seen from a day: a table of forms, English and Spanish.

A text may name its day more than once ("Thursday, 3 December"); all of it must agree. What looks like a day and has
none of these forms is handed on as it stands and resolves to nothing, so that somebody is asked instead of a day
being guessed.
"""

import calendar
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from batuta.agents.appointments.vocabulary import (
    DOUBTFUL,
    FEASTS,
    HARMLESS,
    LIMITS,
    MONTH,
    MONTHS,
    MONTHS_AHEAD,
    NOT_A_RANK,
    NOT_A_TIME,
    NUMBER,
    NUMBERS,
    ORDINALS,
    RELATIVE,
    SHORT_WEEKDAYS,
    UNITS,
    WEEKDAY,
    WEEKDAYS,
    WEEKS_AHEAD,
    one_of,
)
from batuta.llm.offline.words import folded

BLANK = "\0"
"""Stands for what has been read: neither a letter nor white space, so that nothing is read across it."""
SEPARATOR = "; "
DOUBT = "(?)"
"""After words that look like a day and were not understood."""
MONTHS_SEARCHED = 12
YEARS_SEARCHED = 9

_APOSTROPHES = {"’": "'", "´": "'"}

Match = re.Match[str]
Resolve = Callable[[Match, date], date | None]


@dataclass(frozen=True, slots=True)
class Form:
    """One way to name a day."""

    pattern: re.Pattern[str]
    resolve: Resolve


def aligned(text: str) -> str:
    """Folded, character by character: a place in it is the same place in the text."""
    return "".join(" " if char.isspace() else _APOSTROPHES.get(char) or folded(char)[:1] or BLANK for char in text)


def composed(text: str) -> str:
    """With accents joined to their letters, as `aligned` needs it."""
    return unicodedata.normalize("NFC", text)


def blanked(text: str, start: int, end: int) -> str:
    """A text whose part has been read."""
    return text[:start] + BLANK * (end - start) + text[end:]


def take_days(text: str) -> tuple[list[str], str]:
    """The words for days, in their order, and the text without them."""
    found: dict[int, str] = {}
    for form in FORMS:
        for match in form.pattern.finditer(aligned(text)):
            found[match.start()] = " ".join(match.group().split())
            text = blanked(text, *match.span())
    return [found[place] for place in sorted(found)], text


def limit_words(text: str) -> list[str]:
    """What makes a day a limit, such as `before`, in a text whose days alone have been taken out."""
    return [" ".join(match.group().split()) for match in _LIMITS.finditer(aligned(text))]


def doubtful_words(text: str) -> list[str]:
    """What looks like a day in a text without those that were understood."""
    plain = _HARMLESS.sub(lambda match: BLANK * len(match.group()), aligned(text))
    return [" ".join(match.group().split()) for match in _DOUBTFUL.finditer(plain)]


def resolve_date(words: str, today: date) -> date | None:
    """The one day that words mean; none if they mean none, several, or something not understood."""
    parts, rest = take_days(composed(words))
    if not parts or DOUBT in words or limit_words(rest) or doubtful_words(rest):
        return None
    days = {part: _resolved(part, today) for part in parts}
    if None in days.values():
        return None
    exact = {day for part, day in days.items() if not is_weekday(part)}
    weekdays = {day for part, day in days.items() if is_weekday(part)}
    if len(exact) > 1 or len({day.weekday() for day in weekdays if day}) > 1:
        return None
    if not exact:
        return weekdays.pop()
    [wanted] = exact
    return wanted if wanted and all(day and day.weekday() == wanted.weekday() for day in weekdays) else None


def resolve_span(words: str, today: date) -> tuple[date, date] | None:
    """The week or month that words mean, as its first day and the first one after it."""
    plain = " ".join(aligned(composed(words)).removesuffix(DOUBT).split())
    week = _WEEK.fullmatch(plain)
    if week:
        monday = _monday(today, WEEKS_AHEAD[week["week"]])
        return monday, monday + timedelta(days=7)
    month = _SOME_MONTH.fullmatch(plain)
    if month is None:
        return None
    first = _first_of(month["near"], month["month"], today)
    return first, _months_on(first, 1)


def is_weekday(words: str) -> bool:
    """Whether words only name a day of the week."""
    return _ONLY_WEEKDAY.fullmatch(aligned(words)) is not None


def _resolved(part: str, today: date) -> date | None:
    for form in FORMS:
        match = form.pattern.fullmatch(part)
        if match:
            try:
                return form.resolve(match, today)
            except (ValueError, OverflowError):
                return None
    return None


def _year_first(match: Match, today: date) -> date:
    return date(int(match["year"]), int(match["month"]), int(match["day"]))


def _numeric(match: Match, today: date) -> date:
    """Day first, as in Spain and most of the world; without a year the next such day."""
    return _dated(int(match["day"]), int(match["month"]), match["year"], today)


def _named(match: Match, today: date) -> date:
    return _dated(int(match["day"]), MONTHS[match["month"].rstrip(".")], match["year"], today)


def _dated(day: int, month: int, year: str | None, today: date) -> date:
    """Without a year the next such day; the 29th of February may be years ahead."""
    if year:
        return date(int(year) + (2000 if len(year) == 2 else 0), month, day)
    found = (_valid(today.year + ahead, month, day) for ahead in range(YEARS_SEARCHED))
    coming = [each for each in found if each is not None and each >= today]
    return coming[0] if coming else date(today.year, month, day)


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _day_of_month(match: Match, today: date) -> date | None:
    """The next such day, or that of the month that is named."""
    number, near = int(match["day"]), match.groupdict().get("near")
    if near and MONTHS_AHEAD[near]:
        return _months_on(today.replace(day=1), MONTHS_AHEAD[near]).replace(day=number)
    if near:
        return today.replace(day=number)
    firsts = (_months_on(today.replace(day=1), ahead) for ahead in range(MONTHS_SEARCHED))
    days = (_valid(first.year, first.month, number) for first in firsts)
    return next((day for day in days if day is not None and day >= today), None)


def _weekday_and_number(match: Match, today: date) -> date | None:
    day = _day_of_month(match, today)
    return day if day is not None and day.weekday() == WEEKDAYS[match["weekday"]] else None


def _relative(match: Match, today: date) -> date:
    return today + timedelta(days=RELATIVE[match["word"]])


def _ahead(match: Match, today: date) -> date:
    """So many days, weeks or months from a day."""
    amount = int(match["amount"]) if match["amount"].isdigit() else NUMBERS[match["amount"]]
    origin = match.groupdict().get("origin")
    start = _resolved(origin, today) if origin and origin not in ("now", "here") else today
    unit = UNITS[match["unit"]]
    if unit == "months":
        return _months_on(start or today, amount)
    return (start or today) + timedelta(days=amount * {"days": 1, "weeks": 7, "fortnights": 14}[unit])


def _in_week(match: Match, today: date) -> date:
    week, weekday = match["week"] or match["week_after"], match["weekday"] or match["weekday_before"]
    return _monday(today, WEEKS_AHEAD[week]) + timedelta(days=WEEKDAYS[weekday])


def _nth_weekday(match: Match, today: date) -> date:
    """Where that of the month or year has gone by, the next one is meant."""
    nth, weekday = ORDINALS[match["nth"]], WEEKDAYS[match["weekday"]]
    first = _first_of(match["near"], match["month"], today)
    if match["year"]:
        return _nth_of(first.replace(year=int(match["year"])), nth, weekday)
    found = _nth_of(first, nth, weekday)
    if found >= today:
        return found
    return _nth_of(_months_on(first, 12 if match["month"] else 1), nth, weekday)


def _nth_of(first: date, nth: int, weekday: int) -> date:
    days = calendar.monthrange(first.year, first.month)[1]
    matching = [first.replace(day=day) for day in range(1, days + 1) if first.replace(day=day).weekday() == weekday]
    return matching[nth - 1 if nth > 0 else nth]


def _feast(match: Match, today: date) -> date:
    month, day = FEASTS[match["feast"]]
    return _dated(day, month, None, today)


def _weekday(match: Match, today: date) -> date:
    """The next such day; today itself only if nothing says `next`."""
    name = match["weekday"]
    ahead = (WEEKDAYS.get(name, SHORT_WEEKDAYS.get(name, 0)) - today.weekday()) % 7
    is_later = re.search(r"\bnext\b|proximo|que\s+viene", match.group()) is not None
    return today + timedelta(days=7 if ahead == 0 and is_later else ahead)


def _monday(today: date, weeks: int) -> date:
    return today + timedelta(days=7 * weeks - today.weekday())


def _first_of(near: str | None, month: str | None, today: date) -> date:
    """The first day of a month: one seen from today, or the next that has the name."""
    first = today.replace(day=1)
    if month is None:
        return _months_on(first, MONTHS_AHEAD[near] if near else 0)
    number = MONTHS[month.rstrip(".")]
    return date(today.year + (number < today.month), number, 1)


def _months_on(day: date, months: int) -> date:
    """The same day some months later, or the last of a month that is too short."""
    years, month = divmod(day.month - 1 + months, 12)
    last = calendar.monthrange(day.year + years, month + 1)[1]
    return date(day.year + years, month + 1, min(day.day, last))


_NUMBER_OF_DAY = rf"(?P<day>\d{{1,2}}){NOT_A_TIME}"
_ORDINAL_DAY = rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th){NOT_A_RANK}"
_YEAR = r"(?:,?\s+(?:de\s+|del\s+)?(?P<year>\d{4})(?!\d|:))?"
_NEAR = rf"(?:(?:of|de|del|el)\s+)*(?P<near>{one_of(MONTHS_AHEAD)})"
_SPANISH_WEEKDAY = one_of(name for name in WEEKDAYS if not name.endswith("day"))
_ORIGIN = rf"(?P<origin>now|here|today|tomorrow|hoy|manana|{WEEKDAY})"

_NTH_WEEKDAY = (
    rf"(?:the\s+|el\s+)?(?P<nth>{one_of(ORDINALS)})\s+(?P<weekday>{WEEKDAY})\s+(?:(?:of|in|de|del|en)\s+)?"
    rf"(?:(?P<month>{MONTH}){_YEAR}|{_NEAR})"
)
_IN_SOME_TIME = (
    rf"(?:in|en|dentro\s+de|de\s+aqui\s+a)\s+(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})(?:'s?\s+time)?"
)
_DAY_OF_WEEK = (
    rf"(?:the\s+|la\s+)?(?P<week>{one_of(WEEKS_AHEAD)}),?\s+(?:on\s+|el\s+)?(?P<weekday>{WEEKDAY})|"
    rf"(?:el\s+)?(?P<weekday_before>{WEEKDAY}),?\s+(?:of\s+|in\s+|de\s+)?(?:the\s+|la\s+)?"
    rf"(?P<week_after>{one_of(WEEKS_AHEAD)})"
)
_DAY_MONTH = r"(?<!\bat\s)(?:dia\s+)?(?P<day>\d{1,2})(?:st|nd|rd|th)?\s*(?:de\s+|of\s+)?"
_TABLE: tuple[tuple[str, Resolve], ...] = (
    (r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?!\d)", _year_first),
    (r"(?P<day>\d{1,2})/(?P<month>\d{1,2})(?:/(?P<year>\d{4}|\d{2}))?(?![\d/])", _numeric),
    (r"(?P<day>\d{1,2})(?P<mark>[-.])(?P<month>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})(?!\d)", _numeric),
    (_NTH_WEEKDAY, _nth_weekday),
    (rf"{_DAY_MONTH}(?P<month>{MONTH}){_YEAR}", _named),
    (rf"(?P<month>{MONTH})\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?{NOT_A_TIME}{_YEAR}", _named),
    (rf"(?:on\s+)?(?:the\s+)?{_ORDINAL_DAY}\s+{_NEAR}", _day_of_month),
    (rf"(?:el\s+)?(?:dia\s+)?{_NUMBER_OF_DAY}\s+{_NEAR}", _day_of_month),
    (rf"{_NEAR},?\s+(?:on\s+)?the\s+{_ORDINAL_DAY}", _day_of_month),
    (rf"(?:el\s+)?(?P<weekday>{_SPANISH_WEEKDAY}),?\s+(?:dia\s+)?{_NUMBER_OF_DAY}", _weekday_and_number),
    (rf"(?:on\s+)?the\s+{_ORDINAL_DAY}", _day_of_month),
    (rf"(?:el\s+dia|el|dia)\s+{_NUMBER_OF_DAY}", _day_of_month),
    (rf"(?P<amount>{NUMBER})\s+(?P<unit>{one_of(UNITS)})\s+from\s+{_ORIGIN}", _ahead),
    (_IN_SOME_TIME, _ahead),
    (_DAY_OF_WEEK, _in_week),
    (rf"(?<!\bla\s)(?<!\bmedia\s)(?P<word>{one_of(RELATIVE)})", _relative),
    (rf"(?:(?:on|en|el)\s+)?(?P<feast>{one_of(FEASTS)})", _feast),
    (rf"(?:(?:next|this|proximo|este)\s+)?(?P<weekday>{WEEKDAY})(?:\s+(?:que\s+viene|proximo))?", _weekday),
    (rf"(?:on|next|this|el)\s+(?P<weekday>{one_of(SHORT_WEEKDAYS)})", _weekday),
)
FORMS = tuple(Form(re.compile(rf"\b(?:{pattern})\b"), resolve) for pattern, resolve in _TABLE)
"""In the order in which they are tried: the longer form before one that is part of it."""

_ONLY_WEEKDAY = re.compile(rf"(?:(?:el|on|this|este)\s+)*(?:{WEEKDAY}|{one_of(SHORT_WEEKDAYS)})")
_WEEK = re.compile(rf"(?:the\s+|la\s+)?(?P<week>{one_of(WEEKS_AHEAD)})")
_SOME_MONTH = re.compile(rf"(?:{_NEAR}|(?:in|en|of|de)\s+(?P<month>{MONTH}))")
_DOUBTFUL = re.compile(rf"(?<!\w)(?:{DOUBTFUL})(?!\w)")
_LIMITS = re.compile(rf"\b{LIMITS}")
_HARMLESS = re.compile(HARMLESS)
