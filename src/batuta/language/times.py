"""Times of day, stretches of hours and durations, in figures and words: "half past ten", "a las 4 menos cuarto", "from 9
to 11", "hora y media".

An hour without its half of the day ("at 4") is taken for office hours and keeps the other half as an alternative.
"""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from decimal import Decimal

from batuta.language.dates import BLANK, without_dates
from batuta.language.findings import Finding, TextSpan
from batuta.language.lexicon import NUMBER, SMALL_NUMBERS, UNITS_EN, UNITS_ES, one_of
from batuta.language.numbers import digits_value
from batuta.language.plain_text import PlainText

MAX_CHARS = 2_000
LATEST_EARLY_HOUR = 7
"""`at 3` is taken for the afternoon up to this hour: offices sleep at night."""
LATEST_NIGHT_HOUR = 5
"""`4:45` is taken for the afternoon up to this hour, `04:45` and `16:45` are not in doubt."""
HALF_A_DAY = 12 * 60

SPANISH_HOURS = {word: hour for word, hour in UNITS_ES.items() if 1 <= hour <= 12 and word not in ("un", "uno")}
ENGLISH_HOURS = {word: hour for word, hour in UNITS_EN.items() if 1 <= hour <= 12}
HOURS = SPANISH_HOURS | ENGLISH_HOURS
MINUTES = {
    **dict.fromkeys(("half", "media", "thirty", "treinta"), 30),
    **dict.fromkeys(("quarter", "a quarter", "cuarto", "fifteen", "quince", "un cuarto"), 15),
    **dict.fromkeys(("forty five", "forty-five", "cuarenta y cinco"), 45),
    **dict.fromkeys(("five", "cinco", "oh five"), 5),
    **dict.fromkeys(("ten", "diez"), 10),
    **dict.fromkeys(("twenty", "veinte"), 20),
    **dict.fromkeys(("twenty five", "twenty-five", "veinticinco"), 25),
}
"""The minutes before or after an hour: `half past`, `y cuarto`, `ten thirty`."""
DAY_PARTS = {
    **dict.fromkeys(("noon", "midday", "mediodia", "medio dia"), time(12)),
    **dict.fromkeys(("midnight", "medianoche", "media noche"), time(0)),
}

_PARTS_OF_DAY = {
    **dict.fromkeys(("morning", "mornings", "por la manana", "de la manana", "mananas"), (time(6), time(12))),
    **dict.fromkeys(("lunchtime", "midday", "mediodia"), (time(12), time(15))),
    **dict.fromkeys(("afternoon", "afternoons"), (time(12), time(18))),
    **dict.fromkeys(("tarde", "tardes"), (time(13), time(20))),
    **dict.fromkeys(("evening", "evenings"), (time(17), time(22))),
    **dict.fromkeys(("tonight", "night", "noche", "noches"), (time(19), time(23))),
}
"""When a part of the day begins and ends, as people speak of it in the language of the word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HourRange:
    """From a time of day to another; past midnight if it ends before it begins."""

    start: time
    end: time

    @property
    def minutes(self) -> int:
        """How long it is."""
        return (_minute_of(self.end) - _minute_of(self.start)) % (2 * HALF_A_DAY)


def find_times(text: str) -> list[Finding[time]]:
    """The times of day a text names, in order; those of a stretch ("from 9 to 11") are its start."""
    source = PlainText(text[:MAX_CHARS])
    found: list[Finding[time]] = []
    plain = _SOON.sub(lambda match: " " * len(match.group()), without_dates(source.plain))
    found += [Finding(value=each.value.start, span=each.span, text=each.text) for each in find_hour_ranges(text)]
    for match in (*_TIME.finditer(plain), *_TIME_TODAY.finditer(source.plain)):
        span = source.span(match.start(), match.end())
        if any(span.overlaps(other.span) for other in found):
            continue
        read = read_time(match.group(), context=source.plain)
        if read is not None:
            found.append(Finding(value=read[0], span=span, text=source.words(span), alternatives=read[1]))
    return sorted(found, key=lambda each: each.span)


def impossible_times(text: str) -> list[TextSpan]:
    """Where a text has the form of a time of day that no clock shows, such as `25:70`."""
    source = PlainText(text[:MAX_CHARS])
    matches = _TIME.finditer(without_dates(source.plain))
    return [source.span(m.start(), m.end()) for m in matches if read_time(m.group(), context="") is None]


def find_hour_ranges(text: str, *, is_near_day: bool = False) -> list[Finding[HourRange]]:
    """Stretches of hours: "from 9 to 11", "de 16:00 a 17:30", "2-4pm". Bare `10-11` counts only beside a day."""
    source = PlainText(text[:MAX_CHARS])
    found: list[Finding[HourRange]] = []
    plain = without_dates(source.plain)
    for pattern in _RANGES_NEAR_A_DAY if is_near_day else _RANGES:
        for match in pattern.finditer(plain):
            span = source.span(match.start(), match.end())
            read = _between(match["start"].strip(), f"{match['end']}{match['half'] or ''}".strip())
            if read and not any(span.overlaps(other.span) for other in found):
                found.append(Finding(value=read, span=span, text=source.words(span)))
    return sorted(found, key=lambda each: each.span)


def find_day_parts(text: str) -> list[Finding[HourRange]]:
    """The parts of a day that a text names: "in the morning", "por la tarde"."""
    source = PlainText(text[:MAX_CHARS])
    found = []
    for match in _PART_OF_DAY.finditer(source.plain):
        start, end = _PARTS_OF_DAY[" ".join(match["part"].split())]
        span = source.span(match.start(), match.end())
        found.append(Finding(value=HourRange(start=start, end=end), span=span, text=source.words(span)))
    return found


_PUT = re.compile(r"\b(?:squeeze|fit|slot|pencil|sneak|put)\s+$")
"""Before an "in" that is part of the verb: "squeeze in 20 minutes with Olga" says how long, and not when."""


def find_soon(text: str, *, now: datetime) -> list[Finding[datetime]]:
    """Moments said by their distance: "in two hours", "dentro de media hora", to the minute."""
    source = PlainText(text[:MAX_CHARS])
    found = []
    for match in _SOON.finditer(source.plain):
        if _PUT.search(source.plain, 0, match.start()):
            continue
        is_hours = (match["unit"] or match["unit2"]).startswith("h")
        minutes = float(_amount(match["amount"] or match["amount2"] or "un")) * (60 if is_hours else 1)
        minutes += 30 if match["more"] or match["more2"] else 0
        span = source.span(match.start(), match.end())
        moment = now.replace(second=0, microsecond=0) + timedelta(minutes=minutes)
        found.append(Finding(value=moment, span=span, text=source.words(span), reference=now))
    return found


def read_time(words: str, *, context: str = "") -> tuple[time, tuple[time, ...]] | None:
    """The time of day that words mean, and what else they may mean; none for a time that no clock shows."""
    plain = " ".join(PlainText(words).plain.split())
    named = next((value for name, value in DAY_PARTS.items() if re.search(rf"\b{name}\b", plain)), None)
    if named is not None and re.fullmatch(rf"(?:(?:at|al?|de|del)\s+)?(?:la\s+)?{one_of(DAY_PARTS)}", plain):
        return named, ()
    plain = _BRITISH_HALF.sub(r"half past \1", plain)
    plain = _TOGETHER.sub(r"\1:\2", _SHORT_HALVES.sub(r"\1m", plain))
    relative = _PAST_OR_TO.search(plain) or _TO_ES.search(plain)
    found = relative or _CLOCK.search(plain)
    if found is None:
        return None
    hour = _hour(found["hour"])
    minute = 0 if relative else int(found["minute"] or found["compact"] or 0)
    is_late = _AFTERNOON.search(plain) or _late_context(plain, context)
    is_morning = _MORNING.search(plain) or (hour <= 12 and not is_late and _EARLY.search(context))
    says_half = re.search(r"\d\s*[ap]\.?\s?m\b", plain) is not None
    if hour > 24 or minute > 59 or (says_half and not 1 <= hour <= 12):
        return None
    shift = _signed(relative["minutes"], relative["sign"]) if relative else _shift(plain[found.end() :])
    base = hour % 24 * 60 + minute + shift
    if is_late:
        later = HALF_A_DAY if 0 < hour < 12 else 0
        if hour == 12 and re.search(r"noche|night", plain) and not _PM.search(plain):
            later = HALF_A_DAY
        return _clock(base + later), ()
    if is_morning:
        return _clock(base - (HALF_A_DAY if hour == 12 else 0)), ()
    is_plain = not re.search(r"\d[:.]\d\d|\d\s*h|^0\d", plain)
    is_night = re.search(rf"(?<!\d)[1-{LATEST_NIGHT_HOUR}][:.]\d\d", plain) is not None
    if hour == 12 or hour > 12 or not (is_plain or is_night):
        return _clock(base), ()
    if 0 < hour <= LATEST_EARLY_HOUR:
        return _clock(base + HALF_A_DAY), (_clock(base),)
    return _clock(base), (_clock(base + HALF_A_DAY),)


def _hour(words: str) -> int:
    if words.isdigit():
        return int(words)
    return HOURS[words] if words in HOURS else DAY_PARTS[words].hour


def _late_context(plain: str, context: str) -> bool:
    """Whether the rest of the sentence says that it is late: "tonight at 8", "tomorrow afternoon at 4"."""
    if _MORNING.search(plain) or re.search(r"\d[:.]\d\d|\d\s*h\b", plain):
        return False
    return _LATE.search(context) is not None and not re.search(r"\bmorning\b|por la manana|de la manana", context)


def _clock(minutes: int) -> time:
    return time(minutes // 60 % 24, minutes % 60)


def _between(start: str, end: str) -> HourRange | None:
    """`2 to 4pm` begins in the afternoon, `10 to 2pm` does not, and `11 to 10` ends late."""
    said = _SAYS_HALF.search(end)
    last = read_time(end)
    shared = f"{start} {said.group().strip()}" if said and not _SAYS_HALF.search(start) else start
    first = read_time(shared)
    if first is None or last is None:
        return None
    if shared != start and _minute_of(last[0]) <= _minute_of(first[0]):
        first = read_time(start) or first
    ends = [last[0], *last[1]]
    starts = [first[0], *(first[1] if first[0].hour >= 12 else ())]
    pairs = [(one, other) for one in starts for other in ends if 0 < _minute_of(other) - _minute_of(one) <= HALF_A_DAY]
    one, other = pairs[0] if pairs else (first[0], _later_half(first[0], last[0], end))
    return HourRange(start=one, end=other)


def _later_half(start: time, end: time, words: str) -> time:
    """The end of `11:30-1:30`, which is in the afternoon; `22:00-06:00` ends in the morning."""
    is_on_dial = 1 <= start.hour <= 12 and 1 <= end.hour <= 12 and not words.startswith("0")
    later = _clock(_minute_of(end) + HALF_A_DAY)
    return later if is_on_dial and not _SAYS_HALF.search(words) and later > start else end


def _shift(after: str) -> int:
    """The minutes that words after the hour add or take."""
    found = _ADDED.match(after)
    if found is None:
        return 0
    if found["english"]:
        return MINUTES[" ".join(found["english"].split())]
    return _signed(found["minutes"], found["sign"])


def _signed(minutes: str, sign: str) -> int:
    plain = " ".join(minutes.split())
    amount = int(plain) if plain.isdigit() else MINUTES[plain]
    return amount * (-1 if sign in ("to", "menos", "para", "before", "til", "till", "of") else 1)


def _minute_of(moment: time) -> int:
    return moment.hour * 60 + moment.minute


_HALF = (
    r"(?:,?\s*(?:de|por|en|in|of|at|a)\s+(?:la\s+|the\s+)?(?:manana|madrugada|tarde|noche|morning|afternoon|evening|night|[ap]\.?m\b\.?)\b|"
    r"\s+del\s+mediodia\b)"
)
_MERIDIEM = r"(?:(?:\s*-?ish)?\s*(?:[ap]\.\s?m\b\.?|[ap]\s?m\b|hrs?\b|hs?\b|(?:o'?\s?clock|en\s+punto|sharp)\b(?:\s*[ap]\.?\s?m\b\.?)?))"
_COUNTED = r"(?!\s+(?!(?:de|del|con|para|en|por|horas?|el|la|los|las|a|al|y|o|minutos|min)\b)[a-z]{2,})"
"""After a number: nothing that it counts, such as `personas`."""
_MINUTES_ES = rf"(?:\s+(?:y|menos)\s+(?:{one_of(MINUTES)}\b|\d{{1,2}}\b{_COUNTED}))"
_MINUTES_EN = rf"(?:[\s-]+{one_of(('thirty', 'fifteen', 'forty five', 'forty-five', 'twenty', 'ten', 'oh five'))}\b)"
_DIGITS = r"\d{1,2}(?:[:.]\d\d(?!\d)|h\d\d(?!\d))?"
_SPANISH = one_of(SPANISH_HOURS) + r"\b"
_ENGLISH = one_of(ENGLISH_HOURS) + r"\b"
_BEFORE_AFTER = rf"(?:{one_of(('half', 'a quarter', 'quarter', 'five', 'ten', 'twenty', 'twenty five', 'twenty-five'))}|\d{{1,2}}(?:\s+min(?:ute)?s?)?)"
_SHORT_HALF = r"(?<=:\d\d)[ap]\b"
_RUN_TOGETHER = r"(?:1[0-2]|0?[1-9])[0-5]\d"
_AT_END = rf"(?=\W*$|\s*[,;?!{BLANK}]|\s+(?:on|with|in|con|el|en)\b)"
_BEFORE_ES = rf"(?<!\bpara\s)(?:faltan?\s+)?(?:{one_of(('un cuarto', 'cuarto', 'cinco', 'diez', 'veinte', 'veinticinco'))}|(?<=faltan\s)\d{{1,2}})\s+para\s+las?"
"""`diez para las seis`, as one says it in America; "para diez para las seis" is for ten people."""
_TIMES = (
    rf"{_BEFORE_ES}\s+(?:{_DIGITS}(?![\d%])|{_SPANISH}){_HALF}?",
    r"(?:at|a\s+las)\s+(?:[01]\d|2[0-3])[0-5]\d\s*(?:hours|hrs|horas|h)\b",
    rf"(?<![\d:.,])(?:(?:at|around|by)\s+)?{_RUN_TOGETHER}(?:\s*[ap]\.?\s?m\b\.?|{_HALF})",
    rf"(?:at|around|approximately)\s+{_RUN_TOGETHER}(?!\d){_AT_END}",
    rf"at\s+\d{{1,2}}\s+[0-5]\d{_AT_END}",
    r"for\s+\d{1,2}(?::\d\d)?\s*[ap]\.?m\b",
    rf"(?:(?:a|sobre|hacia|de|desde|para)\s+)?las?\s+(?:{_DIGITS}(?![\d%])|{_SPANISH}){_MINUTES_ES}?(?:{_MERIDIEM}|\s+horas\b)?{_HALF}?",
    rf"(?<={BLANK}[\s,])\s*(?:1[3-9]|2[0-3])\s+(?:hours|horas)\b",
    rf"(?:(?:at|around|by)\s+)?{_BEFORE_AFTER}\s+(?:past|to|til|till|before|after)\s+(?:\d{{1,2}}(?![\d:%])|{_ENGLISH}|noon\b|midday\b|midnight\b){_MERIDIEM}?{_HALF}?",
    rf"(?:at|around|by)\s+half\s+(?:\d{{1,2}}(?![\d:%])|{_ENGLISH}){_MERIDIEM}?{_HALF}?",
    rf"half\s+(?:\d{{1,2}}(?![\d:%])|{_ENGLISH})(?:{_MERIDIEM}|{_HALF})",
    rf"(?<={BLANK}\s)half\s+(?:\d{{1,2}}(?![\d:%])|{_ENGLISH})",
    rf"(?<!\bfor\s)(?:(?:at|around|by)\s+)?{_DIGITS}{_MERIDIEM}{_HALF}?",
    r"(?:(?:at|around|by)\s+)?\d{1,2}h\d\d(?!\d)",
    rf"(?:(?:at|around|by)\s+)?(?<![\d:])\d{{1,2}}:\d\d(?![\d:])(?:{_SHORT_HALF}|{_MERIDIEM})?{_HALF}?",
    rf"(?:at|around)\s+(?:\d{{1,2}}(?:\.\d\d)?(?!\d|[/:%,.]\d|\s*(?:%|percent|days|hours|people|minutes|euros|€))|{_ENGLISH}{_MINUTES_EN}?){_MERIDIEM}?{_HALF}?",
    rf"(?:{_ENGLISH}{_MINUTES_EN}?|\b\d{{1,2}}){_HALF}",
    rf"{_ENGLISH}{_MINUTES_EN}?{_MERIDIEM}",
    rf"(?<=\bto\s){_ENGLISH}{_MINUTES_EN}{_HALF}?",
    rf"(?:{_SPANISH}|(?<![\d:.,])\d{{1,2}})\s+(?:y|menos)\s+(?:cuarto|media)\b{_HALF}?",
    r"(?<!.)(?:1?\d|2[0-3])\.[0-5]\d(?=\W*$)",
    r"(?:at\s+|al?\s+)?(?:la\s+)?(?:noon|midday|medio\s?dia|midnight|media\s?noche)\b",
    rf"(?:it\s+is|it'?s)\s+\d{{1,2}}{_HALF}?(?=\s+(?:in|here|there|at)\b)",
    rf"(?<={BLANK}\s)(?:[7-9]|1\d|2[01])(?=\s*(?:$|[?!,;]|with\b|con\b|for\b|para\b|please\b|pls\b|por\s+favor\b))",
    rf"(?:(?<={BLANK}\s)|(?:say|about|tipo|aprox|approx)\s+)\d{{1,2}}\.[0-5]\d(?!\d|\s*(?:%|€|\$|euros?|eur|dollars?|dolares|k|m|km|kg)\b)",
)
_PAST_HOUR = rf"(?:(?:half|(?:a\s+)?quarter|five|ten|twenty|twenty[\s-]five)\s+past|(?:a\s+)?quarter\s+to)\s+(?:\d{{1,2}}(?!\d)|{_ENGLISH})"
_SPOKEN = rf"(?:{_PAST_HOUR}{_MERIDIEM}?|(?:{_DIGITS}(?!\d)|{_SPANISH}|{_ENGLISH}|noon|midday|mediodia){_MINUTES_ES}?{_MERIDIEM}?)"
_MARKED = rf"(?:\d{{1,2}}(?:[:.]\d\d(?!\d)(?:[ap]\b|{_MERIDIEM})?|[ap]\b|{_MERIDIEM}))"
_UNTIL = r"(?:\s+(?:to|untill?|till?|a|hasta)\s+(?:las?\s+)?|\s*[-–—]\s*)"
_RANGE_FORMS = (
    rf"(?:from|desde|de)\s+(?:las?\s+)?(?P<start>{_SPOKEN}){_UNTIL}(?P<end>{_SPOKEN})(?!\s*(?:%|de\s+\w+(?:o|e|l|re)\b|/))",
    rf"(?:from\s+)?(?P<start>{_MARKED}){_UNTIL}(?P<end>\d{{1,2}}(?::\d\d)?[ap]\b)",
    rf"(?:between|entre)\s+(?:las?\s+)?(?P<start>{_SPOKEN})\s+(?:and|y)\s+(?:las?\s+)?(?P<end>{_SPOKEN})",
    rf"a\s+las?\s+(?P<start>{_SPOKEN})\s+(?:a|hasta)\s+las?\s+(?P<end>{_SPOKEN})",
    rf"(?:at\s+|a\s+las?\s+)?(?<![\d:])(?P<start>{_MARKED}){_UNTIL}(?P<end>{_SPOKEN})",
    rf"(?:at\s+|a\s+las?\s+)?(?<![\d:/.-])(?P<start>\d{{1,2}})(?!\s+a\s+las?\b){_UNTIL}(?P<end>{_MARKED})",
)
_BARE_RANGE = r"(?<![-/.:\d])(?P<start>\d{1,2})\s*[-–—]\s*(?P<end>\d{1,2})(?![-/.:\d%])"
_SPOKEN_RANGE = r"(?<![-/.:\d])(?<!\bat\s)(?P<start>\d{1,2})\s+to\s+(?P<end>\d{1,2})(?![-/.:\d%])"
_TIME = re.compile("|".join(rf"\b(?:{each})" for each in _TIMES))
_RANGES, _RANGES_NEAR_A_DAY = (
    tuple(re.compile(rf"\b{each}(?P<half>{_HALF})?") for each in forms)
    for forms in (_RANGE_FORMS, (*_RANGE_FORMS, _BARE_RANGE, _SPOKEN_RANGE))
)
_FRACTIONS = {
    **dict.fromkeys(("half an", "half a", "media", "medio"), "0.5"),
    **dict.fromkeys(("a quarter of an", "quarter of an", "un cuarto de", "cuarto de"), "0.25"),
    **dict.fromkeys(("three quarters of an", "tres cuartos de"), "0.75"),
}
"""Parts of an hour, a day or a week."""
_FRACTION = one_of(_FRACTIONS).replace(r"\s+", r"[\s-]+")
_SOON_AMOUNT = rf"{_FRACTION}|\d{{1,2}}/\d{{1,2}}(?:\s+of\s+an)?|\d+[.,]\d+|{NUMBER}"
_SOON = re.compile(
    rf"\b(?:(?:with)?in|en|dentro\s+de|de\s+aqui\s+a)\s+(?:about\s+|unos\s+|unas\s+)?"
    rf"(?:(?P<amount>{_SOON_AMOUNT})\s*(?:more\s+)?(?:and\s+an?\s+(?=half))?|(?=hora\s+y\s+media))"
    r"(?P<more>half\s+(?=hours))?(?P<unit>hours?|horas?|hrs?|h|minutes?|mins?|minutos?)\b(?P<more2>\s+y\s+media|\s+and\s+a\s+half)?(?:'s?\s+time\b)?"
    rf"|\b(?P<amount2>{_SOON_AMOUNT})\s*(?P<unit2>hours?|hrs?|minutes?|mins?)\s+from\s+now\b"
)
_TIME_TODAY = re.compile(
    rf"(?<![\d:.,/])(?<!\bfor\s)\b(?:\d{{1,2}}|{_ENGLISH})(?=\s+(?:tonight|this\s+(?:evening|afternoon|morning))\b)"
)
_PAST_OR_TO = re.compile(
    rf"(?P<minutes>{one_of(('half', 'a quarter', 'quarter', 'five', 'ten', 'twenty', 'twenty five', 'twenty-five'))}|\d{{1,2}})"
    rf"(?:\s+min(?:ute)?s?)?\s+(?P<sign>past|to|till|til|before|after)\s+(?P<hour>\d{{1,2}}|{_ENGLISH}|noon|midday|midnight)"
)
_TO_ES = re.compile(
    rf"(?P<minutes>{one_of(MINUTES)}|\d{{1,2}})\s+(?P<sign>para)\s+las?\s+(?P<hour>\d{{1,2}}|{_SPANISH})"
)
_TOGETHER = re.compile(r"(?<![\d:.])(\d{1,2})\s?([0-5]\d)(?!\d)(?![:.]\d)")
"""`1030` and `10 30` are half past ten."""
_SHORT_HALVES = re.compile(r"((?:\b\d{1,2}|\d:\d\d)[ap])\b")
"""`9a` and `3:20p`, where a time is meant."""
_BRITISH_HALF = re.compile(rf"\bhalf\s+(\d{{1,2}}\b|{_ENGLISH})")
"""`half four` is half past four."""
_CLOCK = re.compile(
    rf"(?<![\d:])(?P<hour>\d{{1,2}}(?!\d)|\b(?:{_SPANISH}|{_ENGLISH}))(?:[:.](?P<minute>\d\d)|h(?P<compact>\d\d))?"
)
_ADDED = re.compile(
    rf"\s*(?:horas?\s+)?(?:(?P<sign>y|menos)\s+(?P<minutes>{one_of(MINUTES)}|\d{{1,2}})\b|[\s-]*(?P<english>thirty|fifteen|forty[ -]five|twenty|ten|oh five)\b)"
)
_MORNING = re.compile(r"(?:\d|clock)\s*a\.?\s?m\b|\ba\.?m\b|morning|madrugada|de la manana|por la manana|en la manana")
_PM = re.compile(r"\d\s*p\.?\s?m\b|\bp\.?m\b")
_AFTERNOON = re.compile(r"\d\s*p\.?\s?m\b|\bp\.?m\b|afternoon|evening|(?<!mid)night|tarde|(?<!media)noche|del mediodia")
_SAYS_HALF = re.compile(rf"[ap]\.?\s?m\b|{_HALF}|noon|midday|mediodia|morning|afternoon|evening|night|tarde|noche")
_PART_OF_DAY = re.compile(
    rf"(?<!mas\s)\b(?:(?:in|at|on|en|por|a|de)\s+)?(?:(?:the|la|el)\s+)?(?P<part>{one_of(_PARTS_OF_DAY)})\b"
)
_EARLY = re.compile(r"\b(?:(?:this|tomorrow|day|in the|early) morning|(?:por|de) la manana|esta manana)\b(?!s)")
"""Where a sentence speaks of a morning: "mañana por la mañana a las 7"."""
_LATE = re.compile(r"(?<!mas )\b(?:afternoon|evening|tonight|night|tarde|noche)\b(?!s)")


SECONDS = {
    **dict.fromkeys(("second", "seconds", "secs", "sec", "segundo", "segundos"), 1),
    **dict.fromkeys(("minute", "minutes", "min", "mins", "minuto", "minutos"), 60),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h", "hora", "horas", "horita"), 3_600),
    **dict.fromkeys(("day", "days", "dia", "dias"), 86_400),
    **dict.fromkeys(("week", "weeks", "semana", "semanas"), 604_800),
}

_AMOUNT = rf"(?:\d+(?:[.,]\d+)?|{_FRACTION}|{NUMBER}(?:\s+(?:and\s+a\s+half|y\s+medi[oa]))?)"
_LENGTH = re.compile(
    rf"\b(?P<amount>{_AMOUNT})\s*-?\s*(?P<unit>{one_of(SECONDS)})(?:\b|(?<=\dh)(?=\d\d\b))(?P<more>\s+(?:and\s+a\s+half|y\s+media|y\s+medio|and\s+a\s+quarter|y\s+cuarto))?"
    rf"(?:\s*(?:and|y|,)?\s*(?P<minutes>{NUMBER})\s*(?:min(?:ute)?s?|minutos?|m)?\b(?!\s*[ap]\.?m|:|\s+(?:de|of)\b))?"
)
_ENDS_A_LENGTH = re.compile(r"\s*(?:$|[?!.;,](?!\d)|(?:when|what|how|at\s+what|so|cuando|cuanto|a\s+que|que\s+hora)\b)")
"""What stands behind the minutes of a length that are not called so: nothing that they count."""
_BARE_HALF = re.compile(r"\b(?P<unit>hora)\s+y\s+(?P<part>media|cuarto)\b")


def find_durations(text: str) -> list[Finding[timedelta]]:
    """The lengths of time a text names. What they are counted from ("in two hours") is not theirs to say."""
    source = PlainText(text)
    found = []
    for match in _LENGTH.finditer(source.plain):
        seconds = _seconds(match)
        end = match.end("minutes") if match["minutes"] and _has_minutes(match) else match.end("unit")
        end = max(end, match.end("more") if match["more"] else end)
        if match["minutes"] and _has_minutes(match):
            end = match.end()
        span = source.span(match.start(), end)
        found.append(Finding(value=timedelta(seconds=float(seconds)), span=span, text=source.words(span)))
    taken = [each.span for each in found]
    for match in _BARE_HALF.finditer(source.plain):
        span = source.span(match.start(), match.end())
        if not any(span.overlaps(other) for other in taken):
            minutes = 90 if match["part"] == "media" else 75
            found.append(Finding(value=timedelta(minutes=minutes), span=span, text=source.words(span)))
    return sorted(found, key=lambda each: each.span)


def _has_minutes(match: re.Match[str]) -> bool:
    """Whether what follows hours are their minutes: "1 h 30", "two hours and 15 minutes", "una hora y 20"."""
    if SECONDS[match["unit"]] != 3_600:
        return False
    is_said = "min" in match.group() or re.search(r"h\s*\d{2}\b", match.group()) is not None
    is_last = re.fullmatch(r"[1-5]\d", match["minutes"]) is not None and _ENDS_A_LENGTH.match(match.string, match.end())
    return is_said or bool(is_last)


def _seconds(match: re.Match[str]) -> Decimal:
    unit = Decimal(SECONDS[match["unit"]])
    seconds = _amount(match["amount"]) * unit
    if match["more"]:
        seconds += unit * (Decimal("0.25") if re.search(r"quarter|cuarto", match["more"]) else Decimal("0.5"))
    if match["minutes"] and _has_minutes(match):
        seconds += _amount(match["minutes"]) * 60
    return seconds


def _amount(words: str) -> Decimal:
    """How many hours, days or weeks: `a couple of`, `half an`, `3/4`, `2.5`, `two and a half`."""
    plain = " ".join(words.replace("-", " ").split())
    if plain in _FRACTIONS:
        return Decimal(_FRACTIONS[plain])
    if half := re.search(r"\s(?:and a half|y medi[oa])$", plain):
        return _amount(plain[: half.start()]) + Decimal("0.5")
    if "/" in plain:
        part, whole = plain.split()[0].split("/")
        return Decimal(part) / (int(whole) or 1)
    if plain[0].isdigit():
        value, others = digits_value(plain, "en")
        return min([value, *others])
    return Decimal(SMALL_NUMBERS[plain])
