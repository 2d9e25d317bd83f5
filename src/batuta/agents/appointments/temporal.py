"""From words to a time of day, and to a moment in a time zone. Pure; safe where the clocks change."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from batuta.agents.appointments.days import aligned, blanked, composed
from batuta.agents.appointments.vocabulary import (
    ENGLISH_HOURS,
    HOURS,
    MINUTES,
    NUMBER,
    NUMBERS,
    SPANISH_HOURS,
    one_of,
)

LATEST_EARLY_HOUR = 7
"""`at 3` is taken for the afternoon up to this hour: offices sleep at night."""
HALF_A_DAY = 12 * 60

_HALF = r"(?:\s*(?:de|por|in|of|at)\s+(?:la\s+|the\s+)?(?:manana|tarde|noche|morning|afternoon|evening|night)\b)"
_MERIDIEM = r"(?:\s*(?:[ap]\.m\.?|[ap]m\b|hs?\b|o'?clock\b))"
_MINUTES_ES = rf"(?:\s+(?:y|menos)\s+{one_of(('media', 'cuarto', 'cinco', 'diez', 'veinte', 'veinticinco'))}\b)"
_MINUTES_EN = rf"(?:\s+{one_of(('thirty', 'fifteen', 'forty five', 'forty-five'))}\b)"
_DIGITS = r"\d{1,2}(?:[:.]\d\d(?!\d))?"
_SPANISH = one_of(SPANISH_HOURS) + r"\b"
_ENGLISH = one_of(ENGLISH_HOURS) + r"\b"
_BEFORE_AFTER = one_of(("half", "a quarter", "quarter", "five", "ten", "twenty", "twenty five", "twenty-five"))
_TIMES = (
    rf"(?:a\s+)?las?\s+(?:{_DIGITS}(?!\d)|{_SPANISH}){_MINUTES_ES}?(?:{_MERIDIEM}|\s+horas)?{_HALF}?",
    rf"(?:at\s+)?{_BEFORE_AFTER}\s+(?:past|to)\s+(?:\d{{1,2}}\b(?!:)|{_ENGLISH}){_MERIDIEM}?{_HALF}?",
    rf"(?<!\bfor\s)(?:at\s+)?{_DIGITS}{_MERIDIEM}{_HALF}?",
    rf"(?:at\s+)?\d{{1,2}}:\d\d(?!\d){_HALF}?",
    rf"at\s+(?:\d{{1,2}}(?:\.\d\d)?(?![\d/:%])|{_ENGLISH}{_MINUTES_EN}?){_MERIDIEM}?{_HALF}?",
    r"(?:at\s+|al?\s+)?(?:noon|midday|mediodia)\b",
)
_SPOKEN = rf"(?:(?:{_DIGITS}(?!\d)|{_SPANISH}|{_ENGLISH}){_MINUTES_ES}?{_MERIDIEM}?)"
_MARKED = rf"(?:\d{{1,2}}(?:[:.]\d\d(?!\d){_MERIDIEM}?|{_MERIDIEM}))"
_UNTIL = r"(?:\s+(?:to|until|till|a|hasta)\s+(?:las?\s+)?|\s*[-–—]\s*)"
_RANGES = (
    rf"(?:from|desde|de)\s+(?:las?\s+)?(?P<start>{_SPOKEN}){_UNTIL}(?P<end>{_SPOKEN})",
    rf"(?:between|entre)\s+(?:las?\s+)?(?P<start>{_SPOKEN})\s+(?:and|y)\s+(?:las?\s+)?(?P<end>{_SPOKEN})",
    rf"a\s+las?\s+(?P<start>{_SPOKEN})\s+(?:a|hasta)\s+las?\s+(?P<end>{_SPOKEN})",
    rf"(?:at\s+|a\s+las?\s+)?(?P<start>{_MARKED}){_UNTIL}(?P<end>{_SPOKEN})",
    rf"(?:at\s+|a\s+las?\s+)?(?P<start>\d{{1,2}}){_UNTIL}(?P<end>{_MARKED})",
)
_BARE_RANGE = r"(?<![-/.:])(?P<start>\d{1,2})\s*[-–—]\s*(?P<end>\d{1,2})(?![-/.:\d%])"
_TIME = re.compile("|".join(rf"\b(?:{each})" for each in _TIMES))
_RANGE, _RANGE_ON_A_DAY = (
    tuple(re.compile(rf"\b{each}(?P<half>{_HALF})?") for each in ranges)
    for ranges in (_RANGES, (*_RANGES, _BARE_RANGE))
)
_SOON = re.compile(
    rf"\b(?:in|en|dentro\s+de|de\s+aqui\s+a)\s+(?P<amount>half\s+an|media|{NUMBER})\s+"
    rf"(?P<unit>hours?|horas?|hrs?|minutes?|mins?|minutos?)(?:'s?\s+time)?\b"
)
_NOON = re.compile(r"\b(?:noon|midday|mediodia)\b")
_PAST_OR_TO = re.compile(rf"(?P<minutes>{_BEFORE_AFTER})\s+(?P<sign>past|to)\s+(?P<hour>\d{{1,2}}|{_ENGLISH})")
_CLOCK = re.compile(rf"(?<![\d:])(?P<hour>\d{{1,2}}(?!\d)|\b(?:{_SPANISH}|{_ENGLISH}))(?:[:.](?P<minute>\d\d))?")
_ADDED = re.compile(rf"\b(?P<sign>y|menos)\s+(?P<minutes>{one_of(MINUTES)})\b|(?P<english>{_MINUTES_EN})")
_MORNING = re.compile(r"\b\d*\s*a\.?m\b|morning|de la manana|por la manana")
_AFTERNOON = re.compile(r"\d\s*p\.?m\b|\bp\.?m\b|afternoon|evening|night|tarde|noche")
_SAYS_HALF = re.compile(rf"[ap]\.?m\b|{_HALF}|noon|midday|mediodia|morning|afternoon|evening|night|tarde|noche")
_LATE = re.compile(r"(?<!mas )\b(?:afternoon|evening|tonight|night|tarde|noche)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """The words for a start, and how long it is from there to the end, where one is said."""

    words: str
    minutes: int | None = None
    end_words: str | None = None


def take_hours(text: str, days: list[str]) -> tuple[Hours | None, str]:
    """The time named in a text whose days have been taken out, and the rest. `10-11` are hours only next to a day."""
    plain = aligned(text)
    soon = _SOON.search(plain)
    if soon and not _TIME.search(blanked(plain, *soon.span())):
        return Hours(words=" ".join(soon.group().split())), blanked(text, *soon.span())
    for pattern in _RANGE_ON_A_DAY if days else _RANGE:
        match = pattern.search(plain)
        if match:
            half = match["half"] or ""
            return _between(match["start"].strip(), f"{match['end']}{half}".strip()), blanked(text, *match.span())
    match = _TIME.search(plain)
    if match is None:
        return None, text
    words = " ".join(match.group().split())
    is_late = _LATE.search(" ".join((plain, *days))) and not _SAYS_HALF.search(words)
    return Hours(words=f"{words} de la noche" if is_late else words), blanked(text, *match.span())


def resolve_time(words: str) -> tuple[time, bool] | None:
    """The time of day that words mean, and whether its half of the day was assumed; see also `resolve_soon`."""
    plain = " ".join(aligned(composed(words)).split())
    if _SOON.search(plain):
        return None
    if _NOON.search(plain):
        return time(12), False
    relative = _PAST_OR_TO.search(plain)
    found = relative or _CLOCK.search(plain)
    if found is None:
        return None
    hour = int(found["hour"]) if found["hour"].isdigit() else HOURS[found["hour"]]
    minute = None if relative else found["minute"]
    if hour > 24 or int(minute or 0) > 59 or (hour > 12 and _MORNING.search(plain)):
        return None
    half, is_assumed = _half(hour, plain, has_minutes=minute is not None)
    shift = _signed(relative["minutes"], relative["sign"]) if relative else _shift(plain[found.end() :])
    minutes = hour * 60 + half + int(minute or 0) + shift
    return (time(minutes // 60, minutes % 60), is_assumed) if 0 <= minutes < 2 * HALF_A_DAY else None


def resolve_soon(words: str, now: datetime) -> datetime | None:
    """The moment that words such as `in two hours` mean, to the minute; none for a time of day."""
    found = _SOON.search(aligned(composed(words)))
    if found is None:
        return None
    said = " ".join(found["amount"].split())
    amount = 0.5 if said in ("half an", "media") else int(said) if said.isdigit() else NUMBERS[said]
    minutes = amount * (60 if found["unit"].startswith("h") else 1)
    return now.replace(second=0, microsecond=0) + timedelta(minutes=minutes)


def settle(day: date, wanted: time, zone: ZoneInfo) -> tuple[datetime, str | None]:
    """A wall time in a zone, and what the clocks did to it: skipped times move on, doubled ones mean the first."""
    local = datetime.combine(day, wanted, zone)
    real = local.astimezone(UTC).astimezone(zone)
    if real.replace(tzinfo=None) != local.replace(tzinfo=None):
        return real, "skipped"
    if local.utcoffset() != local.replace(fold=1).utcoffset():
        return local, "doubled"
    return local, None


def _between(start: str, end: str) -> Hours:
    """From a start to an end: `2 to 4pm` begins in the afternoon, `10 to 2pm` does not, and `11 to 10` ends late."""
    first, last, said = resolve_time(start), resolve_time(end), _SAYS_HALF.search(end)
    if first is None or last is None:
        return Hours(words=end if first else start)
    shared = f"{start} {said.group().strip()}" if said and not _SAYS_HALF.search(start) else start
    for words in (shared, start):
        minutes = _minutes_between(resolve_time(words), last)
        if minutes > 0:
            return Hours(words=words, minutes=minutes, end_words=end)
    late = _minutes_between(first, last) + HALF_A_DAY
    return Hours(words=start, minutes=0 if said or last[0].hour >= 12 else max(late, 0), end_words=end)


def _minutes_between(first: tuple[time, bool] | None, last: tuple[time, bool]) -> int:
    return _minute_of(last[0]) - _minute_of(first[0]) if first else 0


def _half(hour: int, words: str, *, has_minutes: bool) -> tuple[int, bool]:
    """The minutes to add for the half of the day, and whether it was assumed."""
    if _AFTERNOON.search(words):
        return (HALF_A_DAY if hour < 12 else 0), False
    if _MORNING.search(words):
        return (-HALF_A_DAY if hour == 12 else 0), False
    is_plain = not has_minutes and not re.search(r"\d\s*h", words)
    return (HALF_A_DAY, True) if is_plain and 0 < hour <= LATEST_EARLY_HOUR else (0, False)


def _shift(after: str) -> int:
    """The minutes that words after the hour add or take."""
    found = _ADDED.search(after)
    if found is None:
        return 0
    return MINUTES[found["english"].strip()] if found["english"] else _signed(found["minutes"], found["sign"])


def _signed(minutes: str, sign: str) -> int:
    return MINUTES[minutes] * (-1 if sign in ("to", "menos") else 1)


def _minute_of(moment: time) -> int:
    return moment.hour * 60 + moment.minute
