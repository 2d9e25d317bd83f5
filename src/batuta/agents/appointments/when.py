"""When a request is meant: the words for its day and time, and the one day and time they mean, by `language`.

A day that is not understood, or could be several, is handed on with a mark and resolves to none, so that the user is
asked instead of a day being guessed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from batuta.language.dates import find_dates, impossible_dates
from batuta.language.findings import Finding, TextSpan
from batuta.language.folding import aligned, composed
from batuta.language.lexicon import ORDINALS, UNITS_ES, WEEKDAY, one_of
from batuta.language.moments import settle
from batuta.language.names import find_contact, named_as_day
from batuta.language.periods import find_periods
from batuta.language.recurrences import Recurrence, RecurrenceBounds, find_recurrences, recurrence_bounds
from batuta.language.times import (
    find_day_parts,
    find_durations,
    find_hour_ranges,
    find_soon,
    find_times,
    impossible_times,
    read_time,
)

__all__ = [
    "When",
    "days_beside",
    "is_weekday",
    "other_day",
    "read_when",
    "resolve_date",
    "resolve_repeats",
    "resolve_soon",
    "resolve_span",
    "resolve_time",
    "settle",
    "shifted_day",
    "unread_figures",
    "week_said",
]

BLANK = "\0"
SEPARATOR = "; "
DOUBT = "(?)"
"""After words that look like a day and were not understood."""

ANY_DAY = datetime(2026, 1, 15, 12, tzinfo=UTC)
"""Where only the words are looked for, any day will do."""
_SUBJECT = re.compile(r"\b(?:about|regarding|sobre|para\s+hablar\s+de)\s+[^,.;\0]{2,80}", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“«][^\"”»]{1,120}[\"”»]")
_LIMIT = re.compile(
    r"\b(?:before|after|by|until|till|antes\s+del?|despues\s+del?|hasta|desde|a\s+partir\s+del?|not|except|but|excepto|salvo|other|otro)"
    r"\s+(?:on\s+|the\s+|el\s+)?$"
)
"""In front of a day that is not itself the one that is meant."""
_SIDE = re.compile(
    r"(?:(?P<before>before|antes\s+del?)|(?P<after>after|despues\s+del?)|by|until|till|hasta)\s+(?:on\s+|the\s+|el\s+)?"
)
_LIMIT_OF_TIME = re.compile(
    r"\b(?:before|after|until|till|(?:earlier|later|sooner)\s+than|antes\s+del?|despues\s+del?|hasta|pasad[ao]s)\s+(?:at\s+|a\s+|el\s+)?$"
)
"""In front of a time at which nothing begins: when it does is asked."""
_OF_A = re.compile(r"^(?:(?:the|el|la|de|of)\s+)+")
DAYS_AHEAD = 365
"""How far "after Wednesday" reaches."""
_GONE = re.compile(
    rf"\b(?:(?:last|past|previous|ultimo|pasado)\s+{WEEKDAY}$|{WEEKDAY}\s+(?:pasado|anterior)|ago|hace)\b"
)
_NOT_A_RANK = r"(?!\w|\s+(?:floor|street|avenue|quarter|time|round|meeting|interview|visit|session|call|planta|piso))"
_DOUBTFUL = re.compile(
    rf"\b(?:on\s+(?:the\s+)?\d{{1,2}}\b(?![:.]?\d|\s*(?:[ap]m|[ap]\.m))|\d{{1,2}}(?:st|nd|rd|th){_NOT_A_RANK}|"
    rf"(?:on|by)\s+the\s+(?:{one_of(ORDINALS)}|\w+(?:enth|ieth|fth|ghth|inth)){_NOT_A_RANK}|"
    rf"el\s+{one_of(word for word, value in UNITS_ES.items() if 1 < value < 31 and word not in ('un', 'una'))}\b(?!\s+de\s+\w+)|"
    rf"(?:every|each|cada)\s+(?:\d+|{one_of(UNITS_ES)}|{one_of(ORDINALS)}|two|three|four|other|otr[oa])|"
    rf"(?:next|coming)\s+few\s+days|\w+\s+(?:days?|weeks?|months?|dias?|semanas?)\s+(?:later|despues)|pasado|easter|thanksgiving|"
    rf"semana\s+santa|pascua|new\s+year(?!'?s\s)|ramadan|some(?:day|time)|algun\s+dia|(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)\b(?!\w)|"
    rf"\d{{1,2}}[-–]\d{{1,2}}(?![-–.:\d])|\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?|{WEEKDAY}s?|tomorrow|yesterday|today|hoy|ayer)\b"
)
"""What looks like a day in the words that are left."""
_EVERY = re.compile(r"\b(?:every|each|cada|tod[oa]s)\b")
_ADVERB = re.compile(
    r"(?<!\bthe\s)(?<!\bmy\s)(?<!\bour\s)(?<!\ba\s)\b(?:\w+ly|daily|\w+mente)(?=\s*(?:$|[,.;!?]|(?:on|at|from|every|starting|until|for|in|los|las|el|a|por|desde|hasta)\b))"
)
"""How often something comes, where it stands as an adverb and is no part of a name such as "the weekly meeting"."""
_EXCEPT = re.compile(
    r"\b(?:except|excluding|but\s+not|excepto|salvo|menos|quitando)\s+(?!cuarto|quarter|veinte|diez|cinco|\d)[^,.;\0]+"
)
_FIGURE = re.compile(r"(?<![\w.,-])\d+(?:[.,:/-]\d+)*(?![\w-])")
_WEEKDAY = re.compile(
    rf"(?:(?:el|on|this|este|the)\s+)*(?:{WEEKDAY}|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|lun|mie|jue|vie|sab|dom)"
)
_SHIFTED = re.compile(r" \((?:\+(?P<days>\d+)|the other)\)$")
_IT_IS = r"\W*(?:(?:no|the\s+one|el|al|del?|la|that|ese|for|on|in|en|para)\W+)*"
_SHIFTS = (
    (re.compile(rf"{_IT_IS}(?:(?:the\s+)?other(?:\s+(?:one|week|{WEEKDAY}))?|(?:otr[oa])(?:\s+(?:semana|{WEEKDAY}))?)\W*"), "(the other)"),
    (re.compile(
        rf"{_IT_IS}(?:(?:the\s+)?(?:week\s+after|following\s+week)(?:\s+that)?|(?:a|one)\s+week\s+later|semana\s+(?:siguiente|despues)|una\s+semana\s+(?:despues|mas\s+tarde))\W*"
    ), "(+7)"),
    (re.compile(
        rf"{_IT_IS}(?:(?:the\s+)?(?:day\s+after|(?:following|next)\s+day)(?:\s+that)?|(?:a|one)\s+day\s+later|dia\s+(?:siguiente|despues)|un\s+dia\s+(?:despues|mas\s+tarde))\W*"
    ), "(+1)"),
)  # fmt: skip
"""What is said of a day that was named before, and the mark that stands behind its words then."""


_BESIDE = re.compile(
    r"(?:(?:on|to|for|the|el|al)\s+)*(?:(?P<after>(?:next|following)\s+day|day\s+after|dia\s+(?:siguiente|despues)|siguiente\s+dia)|"
    r"day\s+before|previous\s+day|dia\s+(?:anterior|antes|previo))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """The words of a text for its day and time, how long it takes if it says so, and the text without them."""

    date: str | None
    time: str | None
    minutes: int | None
    end_time: str | None
    repeats: str | None
    """The words for how it repeats, from when and until when."""
    part: str | None
    """The words for the part of the day."""
    rest: str
    """As long as the text, with blanks for what has been read."""


def read_when(text: str) -> When:
    """The day and time of a text, in its own words."""
    text = composed(text)
    plain = _blanked(text, [_span(match) for match in _QUOTED.finditer(text)])
    repeats, again = _repeats(plain)
    plain = _blanked(plain, again)
    people = [TextSpan(start=start, end=end) for start, end in named_as_day(plain).items()]
    whole, plain = plain, _blanked(plain, people)
    soon = find_soon(plain, now=ANY_DAY)
    dates = [each for each in find_dates(plain, now=ANY_DAY) if not any(each.span.overlaps(s.span) for s in soon)]
    unsure = [span for span in impossible_dates(plain, now=ANY_DAY) if not any(span.overlaps(s.span) for s in soon)]
    start, minutes, end, spans = _hours(plain, dates, soon)
    read = [each.span for each in dates] + unsure + spans
    rest = _blanked(whole, read + [each.span for each in soon])
    contact = find_contact(rest)
    aside = [_span(match) for match in _SUBJECT.finditer(rest)] + ([contact.span] if contact else [])
    doubts = _doubts(_blanked(plain, aside), dates, [each for each in soon if each.span in spans])
    doubts += _leftovers(_blanked(rest, aside + [span for span, _ in doubts]))
    words = [each.text for each in dates] + [text[span.start : span.end] for span in unsure]
    words += [f"{words} {DOUBT}" for _, words in doubts]
    parts = find_day_parts(plain)
    return When(
        date=SEPARATOR.join(words) or None, time=start, minutes=minutes, end_time=end, repeats=repeats,
        part=parts[0].text if parts else None, rest=rest,
    )  # fmt: skip


def unread_figures(rest: str) -> tuple[str, ...]:
    """The times and numbers in what is left of a text: nothing is booked or moved that leaves one of them out."""
    left = rest.replace(BLANK, " ")
    spans = [each.span for each in find_times(left)] + [each.span for each in find_durations(left)]
    numbers = [_span(match) for match in _FIGURE.finditer(aligned(left))]
    spans += [span for span in numbers if not any(span.overlaps(other) for other in spans)]
    return tuple(left[span.start : span.end].strip() for span in sorted(spans))


def shifted_day(words: str, later: str) -> str | None:
    """The words for a day, with what a later message says about it alone: "the other one", "the week after"."""
    said = next((mark for pattern, mark in _SHIFTS if pattern.fullmatch(aligned(composed(later)))), None)
    return f"{words} {said}" if said else None


def days_beside(words: str) -> int | None:
    """How far from the day of what is moved words are that name none themselves: "the day after", "al día siguiente"."""
    found = _BESIDE.fullmatch(aligned(composed(words)).strip())
    return None if found is None else 1 if found["after"] else -1


def resolve_date(words: str, today: date) -> date | None:
    """The one day that words mean; none if they mean none, several, or something not understood."""
    if DOUBT in words:
        return None
    if shift := _SHIFTED.search(words):
        said = words[: shift.start()]
        day = resolve_date(said, today)
        if day is None or not shift["days"]:
            return other_day(said, today)
        return day + timedelta(days=int(shift["days"]))
    now = datetime.combine(today, time(12), UTC)
    text = composed(words)
    found = find_dates(text, now=now)
    rest = _blanked(text, [each.span for each in found])
    if not found or _doubts(text, found, []) or impossible_dates(text, now=now) or _leftovers(rest):
        return None
    if any(_disagrees(each) for each in found):
        return None
    days = {each.value for each in found if not is_weekday(each.text)} or {each.value for each in found}
    weekdays = {each.value.weekday() for each in found if is_weekday(each.text)}
    if len(days) > 1:
        return None
    [day] = days
    return day if weekdays <= {day.weekday()} else None


def other_day(words: str, today: date) -> date | None:
    """The other day that words may mean as well: said on a Monday, "next Thursday" may be that of either week."""
    day = None if _SHIFTED.search(words) else resolve_date(words, today)
    found = find_dates(composed(words), now=datetime.combine(today, time(12), UTC)) if day else []
    others = {other for each in found for other in each.alternatives if other >= today} - {day}
    return min(others) if len(found) == 1 and others else None


def resolve_span(words: str, today: date) -> tuple[date, date] | None:
    """The week, month or other stretch that words mean, as its first day and the first one after it."""
    now = datetime.combine(today, time(12), UTC)
    said = words.replace(DOUBT, "").split(SEPARATOR)[-1].strip()
    limit = _SIDE.match(aligned(composed(said)))
    day = resolve_date(said[limit.end() :], today) if limit else None
    if limit is not None and day is not None:
        ends = day if limit["before"] else day + timedelta(days=1)
        return (ends, today + timedelta(days=DAYS_AHEAD)) if limit["after"] else (today, max(ends, today))
    found = find_periods(words.replace(DOUBT, ""), now=now, prefer="future")
    longer = [each.value for each in found if each.value.grain != "day"]
    if len(longer) != 1:
        return None
    return longer[0].first, longer[0].last + timedelta(days=1)


def week_said(words: str) -> str | None:
    """The words for a week, where they name no day in it."""
    found = find_periods(words, now=ANY_DAY, prefer="future")
    is_week = len(found) == 1 and found[0].value.grain == "week"
    return _OF_A.sub("", found[0].text) if is_week else None


def resolve_repeats(words: str, today: date) -> tuple[Recurrence, RecurrenceBounds] | None:
    """How something repeats, from when and until when; none if words say it in two ways."""
    found = find_recurrences(words)
    said = [each.value for each in found]
    known = {each for each in said if each.names_its_days} or set(said)
    if _unread_exceptions(words, found):
        return None
    if len(known) != 1 or len({each.frequency for each in said}) != 1:
        return None
    [recurrence] = known
    every = max(each.interval for each in said)
    bounds = recurrence_bounds(words, now=datetime.combine(today, time(12), UTC))
    return replace(recurrence, interval=every), bounds


def _unread_exceptions(text: str, found: Sequence[Finding[Recurrence]]) -> list[TextSpan]:
    """Where a text excepts what is no part of how it repeats: "every day except feasts", not "… except Fridays"."""
    spans = [_span(match) for match in _EXCEPT.finditer(aligned(composed(text)))]
    return [span for span in spans if not any(each.span.start <= span.start < each.span.end for each in found)]


def resolve_time(words: str) -> tuple[time, bool] | None:
    """The time of day that words mean, and whether its half of the day was assumed; see also `resolve_soon`."""
    if find_soon(words, now=ANY_DAY):
        return None
    read = read_time(words)
    if read is None or impossible_times(words) or re.search(r"(?<!\d)24:|\b24h\b", words):
        return None
    return read[0], bool(read[1]) and read[0].hour >= 12


def resolve_soon(words: str, now: datetime) -> datetime | None:
    """The moment that words such as `in two hours` mean, to the minute; none for a time of day."""
    found = find_soon(words, now=now.astimezone(UTC))
    return found[0].value.astimezone(now.tzinfo) if found else None


def is_weekday(words: str) -> bool:
    """Whether words only name a day of the week."""
    return _WEEKDAY.fullmatch(aligned(composed(words)).strip()) is not None


def _hours(
    text: str, dates: Sequence[Finding[date]], soon: Sequence[Finding[datetime]]
) -> tuple[str | None, int | None, str | None, list[TextSpan]]:
    """The words for the start, the length and the words for the end where a stretch is said, and where they stand."""
    without = _blanked(text, [each.span for each in dates]).replace(BLANK, " ")
    ranges = [
        each
        for each in find_hour_ranges(without, is_near_day=bool(dates))
        # "room 12 tomorrow at 16:00": a number before a day begins no stretch, unless it is said to ("from 9 on Friday to 11")
        if not (each.text[:1].isdigit() and any(each.span.overlaps(day.span) for day in dates))
    ]
    if ranges:
        value, span = ranges[0].value, ranges[0].span
        return f"{value.start:%H:%M}", value.minutes or None, f"{value.end:%H:%M}", [span]
    bad = impossible_times(without) or _odd_times(without)
    plain = aligned(text)
    times = [
        each
        for each in find_times(text)
        if not any(each.span.overlaps(other.span) for other in dates)
        and not _LIMIT_OF_TIME.search(plain[: each.span.start] + ("de " if each.text.startswith("de ") else ""))
    ]
    if soon and not times:
        return soon[0].text, None, None, [soon[0].span]
    if bad and not times:
        return text[bad[0].start : bad[0].end], None, None, [bad[0]]
    if not times:
        return None, None, None, []
    first = times[0]
    words = first.text if first.alternatives or _says_itself(first.text) else f"{first.value:%H:%M}"
    return words, None, None, [first.span]


def _repeats(text: str) -> tuple[str | None, list[TextSpan]]:
    """The words for how something repeats, and where they stand; "weekly" alone may be a part of its name."""
    found = find_recurrences(text)
    plain = aligned(text)
    adverbs = {_span(match) for match in _ADVERB.finditer(plain)}
    if not any(
        each.value.names_its_days or _EVERY.search(aligned(each.text)) or each.span in adverbs for each in found
    ):
        return None, []
    spans = [each.span for each in found] + list(recurrence_bounds(text, now=ANY_DAY).spans)
    spans += _unread_exceptions(text, found)  # which days those are is to be asked
    return SEPARATOR.join(text[span.start : span.end] for span in sorted(spans)), spans


def _odd_times(text: str) -> list[TextSpan]:
    """Numbers that stand where a time does and are none: `at 30`, `from 10 to 25:00`."""
    found = re.finditer(
        r"\b(?:at|a\s+las)\s+(?:2[5-9]|[3-9]\d)\b(?!\s*(?:%|€|euros|minut))|\b\d{1,2}\s+(?:to|a)\s+(?:2[5-9]|[3-9]\d):\d\d",
        aligned(text),
    )
    return [_span(match) for match in found]


def _says_itself(words: str) -> bool:
    """Whether words mean the same outside of their sentence: `10am`, but not `8` of "tonight at 8"."""
    read = read_time(words)
    return read is not None and not read[1]


def _doubts(text: str, dates: Sequence[Finding[date]], soon: Sequence[Finding[Any]]) -> list[tuple[TextSpan, str]]:
    """What is said about days and names no single one: weeks, repetitions, limits, days that are not in the calendar."""
    plain = aligned(text)
    doubts = [
        (each.span, each.text) for each in find_periods(text, now=ANY_DAY, prefer="future") if each.value.grain != "day"
    ]
    limits = [(each, limit.start()) for each in dates if (limit := _LIMIT.search(plain[: each.span.start]))]
    doubts += [(each.span, text[start : each.span.end]) for each, start in limits]
    doubts += [
        (each.span, each.text)
        for each in dates
        if _GONE.search(aligned(each.text)) and not re.search(r"\d{4}", each.text)
    ]
    if soon and any(resolved.value != ANY_DAY.date() for resolved in dates):
        doubts += [
            (each.span, each.text) for each in soon if not find_times(_blanked(text, [each.span]).replace(BLANK, " "))
        ]
    inside = [each.span for each in dates]
    return [
        (span, words) for span, words in doubts if not any(other.covers(span) and other != span for other in inside)
    ]


def _leftovers(text: str) -> list[tuple[TextSpan, str]]:
    """What looks like a day in what is left, names of people aside."""
    contact = find_contact(text.replace(BLANK, " "))
    rest = _blanked(text, [contact.span] if contact else [])
    return [(_span(match), match.group()) for match in _DOUBTFUL.finditer(aligned(rest).replace(BLANK, " "))]


def _disagrees(found: Finding[date]) -> bool:
    """Whether a weekday and a date beside it are not the same day; a week more or less is only a way to speak."""
    is_numeric = not any(char.isalpha() for char in found.text)
    return not is_numeric and any(abs((other - found.value).days) != 7 for other in found.alternatives)


def _span(match: re.Match[str]) -> TextSpan:
    return TextSpan(start=match.start(), end=match.end())


def _blanked(text: str, spans: Sequence[TextSpan]) -> str:
    """A text whose parts have been read: nothing is read across a blank."""
    for span in spans:
        text = text[: span.start] + BLANK * (span.end - span.start) + text[span.end :]
    return text
