"""Moments: a day and a time that belong together, in a zone. "pasado mañana a las 4 menos cuarto", "in two hours"."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal

from batuta.language.dates import MAX_CHARS, find_dates
from batuta.language.findings import Finding, Language
from batuta.language.plain_text import PlainText
from batuta.language.times import find_soon, find_times

_NOW = re.compile(
    r"(?<!\bfrom\s)(?<!\bfrom\sright\s)\b(?:(?:right|just|justo)\s+(?:now|ahora)|now|ahora(?:\s+mismo)?|ahorita|at\s+(?:this|the)\s+(?:moment|time)|en\s+este\s+momento|asap|"
    r"as\s+soon\s+as\s+possible|lo\s+(?:antes|mas\s+pronto)\s+posible|cuanto\s+antes|tan\s+pronto\s+como\s+\w+(?:\s+posible)?)\b"
)
ClockChange = Literal["skipped", "doubled"]


def find_moments(text: str, *, now: datetime, language: Language | None = None) -> list[Finding[datetime]]:
    """The moments a text names, seen from `now` (which has a zone): each time with the day it stands beside.

    A time without a day is the next such time. A day without a time is no moment: see `find_dates`.
    """
    days = find_dates(text, now=now, language=language)
    found = find_soon(text, now=now)
    for each in find_times(text):
        if any(each.span.overlaps(other.span) for other in found):
            continue
        day = min(days, key=lambda one: _distance(one, each), default=None)
        options = [_moment(day.value if day else None, value, now) for value in (each.value, *each.alternatives)]
        if day is not None:
            options += [_moment(other, each.value, now) for other in day.alternatives]
        span = each.span.joined(day.span) if day else each.span
        found.append(
            Finding(
                value=options[0],
                span=span,
                text=text[span.start : span.end],
                alternatives=tuple(options[1:]),
                reference=now,
            )
        )
    return sorted(found, key=lambda one: one.span) or _now(text, now)


def _now(text: str, now: datetime) -> list[Finding[datetime]]:
    """The moment itself, where a text names no other."""
    source = PlainText(text[:MAX_CHARS])
    spans = [source.span(match.start(), match.end()) for match in _NOW.finditer(source.plain)][:1]
    return [Finding(value=now, span=span, text=source.words(span), reference=now) for span in spans]


def settle(day: date, wanted: time, zone: tzinfo) -> tuple[datetime, ClockChange | None]:
    """A wall time in a zone, and what the clocks did to it: skipped times move on, doubled ones mean the first."""
    local = datetime.combine(day, wanted, zone)
    real = local.astimezone(UTC).astimezone(zone)
    if real.replace(tzinfo=None) != local.replace(tzinfo=None):
        return real, "skipped"
    if local.utcoffset() != local.replace(fold=1).utcoffset():
        return local, "doubled"
    return local, None


def _distance(day: Finding[date], at: Finding[time]) -> int:
    return min(abs(day.span.end - at.span.start), abs(at.span.end - day.span.start))


def _moment(day: date | None, wanted: time, now: datetime) -> datetime:
    zone = now.tzinfo or UTC
    if day is not None:
        return settle(day, wanted, zone)[0]
    moment = settle(now.date(), wanted, zone)[0]
    return moment if moment > now else settle(now.date() + timedelta(days=1), wanted, zone)[0]
