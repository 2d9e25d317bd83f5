"""From words to a moment, by reference time and time zone. Pure; safe where the clocks change."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from batuta.agents.appointments.models import Language
from batuta.kernel.extras import load_extra

_DAY_NAMES = (
    ("monday", "lunes"),
    ("tuesday", "martes"),
    ("wednesday", "miercoles"),
    ("thursday", "jueves"),
    ("friday", "viernes"),
    ("saturday", "sabado"),
    ("sunday", "domingo"),
)
WEEKDAYS = {word: number for number, words in enumerate(_DAY_NAMES) for word in words}
RELATIVE = {
    "yesterday": -1,
    "ayer": -1,
    "today": 0,
    "tonight": 0,
    "esta noche": 0,
    "hoy": 0,
    "tomorrow": 1,
    "manana": 1,
    "day after tomorrow": 2,
    "the day after tomorrow": 2,
    "pasado manana": 2,
}
_HOUR_NAMES = ("una", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce")
HOURS = {word: hour for hour, word in enumerate(_HOUR_NAMES, 1)}
MINUTES = {"y media": 30, "y cuarto": 15, "menos cuarto": -15}
LATEST_EARLY_HOUR = 7
"""`at 3` is taken for the afternoon up to this hour: offices sleep at night."""

_IN_DAYS = re.compile(r"(?:in|en|dentro de)\s+(\d+)\s+(day|dia|week|semana)")
_WEEKDAY = re.compile(rf"\b({'|'.join(WEEKDAYS)})\b")
_NEXT_WEEK = re.compile(r"next\s+week|proxima\s+semana|semana\s+que\s+viene")
_NUMERIC = re.compile(r"(\d{1,2})/(\d{1,2})(?:/(\d{2,4}))?")
_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?|(?P<word>" + "|".join(HOURS) + r")\b")
_MORNING = re.compile(r"a\.?m|morning|de la manana|por la manana")
_AFTERNOON = re.compile(r"p\.?m|afternoon|evening|tarde|noche")


def resolve_date(words: str, today: date, language: Language) -> date | None:
    """The day that words mean, seen from a day."""
    plain = " ".join(words.split())
    for rule in (_relative, _in_days, _iso, _numeric, _weekday, _next_week):
        found = rule(plain, today)
        if found is not None:
            return found
    return _parsed(plain, today, language)


def resolve_time(words: str) -> tuple[time, bool] | None:
    """The time of day that words mean, and whether its half of the day was assumed."""
    if re.search(r"noon|midday|mediodia", words):
        return time(12), False
    found = _CLOCK.search(words)
    if found is None:
        return None
    hour = HOURS[found["word"]] if found["word"] else int(found["hour"])
    minutes = hour * 60 + int(found["minute"] or 0)
    minutes += next((shift for word, shift in MINUTES.items() if word in words), 0)
    minutes, is_assumed = _in_half(minutes, words, has_minutes=bool(found["minute"]))
    return (time(minutes // 60, minutes % 60), is_assumed) if 0 <= minutes < 24 * 60 else None


def settle(day: date, wanted: time, zone: ZoneInfo) -> tuple[datetime, str | None]:
    """A wall time in a zone, and what the clocks did to it: skipped times move on, doubled ones mean the first."""
    local = datetime.combine(day, wanted, zone)
    real = local.astimezone(UTC).astimezone(zone)
    if real.replace(tzinfo=None) != local.replace(tzinfo=None):
        return real, "skipped"
    if local.utcoffset() != local.replace(fold=1).utcoffset():
        return local, "doubled"
    return local, None


def _in_half(minutes: int, words: str, *, has_minutes: bool) -> tuple[int, bool]:
    hour = minutes // 60
    if _AFTERNOON.search(words):
        return (minutes + 720 if hour < 12 else minutes), False
    if _MORNING.search(words):
        return (minutes - 720 if hour == 12 else minutes), False
    is_plain = not has_minutes and not re.search(r"\d\s*h", words)
    if is_plain and 0 < hour <= LATEST_EARLY_HOUR:
        return minutes + 720, True
    return minutes, False


def _relative(words: str, today: date) -> date | None:
    return today + timedelta(days=RELATIVE[words]) if words in RELATIVE else None


def _in_days(words: str, today: date) -> date | None:
    found = _IN_DAYS.fullmatch(words.rstrip("s"))
    if found is None:
        return None
    return today + timedelta(days=int(found[1]) * (7 if found[2] in ("week", "semana") else 1))


def _iso(words: str, today: date) -> date | None:
    try:
        return date.fromisoformat(words)
    except ValueError:
        return None


def _numeric(words: str, today: date) -> date | None:
    """Day first, as in Spain and most of the world; without a year the next such day."""
    found = _NUMERIC.fullmatch(words)
    if found is None:
        return None
    year = int(found[3]) if found[3] else today.year
    try:
        day = date(year + 2000 if year < 100 else year, int(found[2]), int(found[1]))
    except ValueError:
        return None
    return day if found[3] or day >= today else day.replace(year=day.year + 1)


def _weekday(words: str, today: date) -> date | None:
    """The next such day; today itself only if nothing says `next`."""
    found = _WEEKDAY.search(words)
    if found is None:
        return None
    ahead = (WEEKDAYS[found[1]] - today.weekday()) % 7
    if _NEXT_WEEK.search(words):
        monday = today - timedelta(days=today.weekday()) + timedelta(days=7)
        return monday + timedelta(days=WEEKDAYS[found[1]])
    is_later = re.search(r"\bnext\b|proximo|que viene", words) is not None
    return today + timedelta(days=7 if ahead == 0 and is_later else ahead)


def _next_week(words: str, today: date) -> date | None:
    return today + timedelta(days=7 - today.weekday()) if _NEXT_WEEK.fullmatch(words.removeprefix("la ")) else None


def _parsed(words: str, today: date, language: Language) -> date | None:
    """What is left to dateparser: days with the names of months."""
    dateparser: Any = load_extra("dateparser", extra="appointments", needed_for="dates in words")
    base = datetime.combine(today, time(12))
    found = dateparser.parse(
        words,
        languages=["en", "es"] if language == "en" else ["es", "en"],
        settings={"RELATIVE_BASE": base, "PREFER_DATES_FROM": "future", "DATE_ORDER": "DMY"},
    )
    return None if found is None else found.date()
