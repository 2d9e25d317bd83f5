"""How long something takes: "45 minutes", "hora y media", "an hour and a quarter", "two days"."""

import re
from datetime import timedelta
from decimal import Decimal

from batuta.language.findings import Finding
from batuta.language.lexicon import NUMBER, SMALL_NUMBERS, one_of
from batuta.language.numbers import digits_value
from batuta.language.plain_text import PlainText

SECONDS = {
    **dict.fromkeys(("second", "seconds", "secs", "sec", "segundo", "segundos"), 1),
    **dict.fromkeys(("minute", "minutes", "min", "mins", "minuto", "minutos"), 60),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h", "hora", "horas", "horita"), 3_600),
    **dict.fromkeys(("day", "days", "dia", "dias"), 86_400),
    **dict.fromkeys(("week", "weeks", "semana", "semanas"), 604_800),
}

_AMOUNT = rf"(?:\d+(?:[.,]\d+)?|half\s+an|half\s+a|media|medio|(?:a\s+|un\s+|tres\s+)?(?:quarter\s+of\s+an|cuartos?\s+de)|{NUMBER})"
_LENGTH = re.compile(
    rf"\b(?P<amount>{_AMOUNT})\s*-?\s*(?P<unit>{one_of(SECONDS)})(?:\b|(?<=\dh)(?=\d\d\b))(?P<more>\s+(?:and\s+a\s+half|y\s+media|y\s+medio|and\s+a\s+quarter|y\s+cuarto))?"
    rf"(?:\s*(?:and|y|,)?\s*(?P<minutes>{NUMBER})\s*(?:min(?:ute)?s?|minutos?|m)?\b(?!\s*[ap]\.?m|:|\s+(?:de|of)\b))?"
)
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
    """Whether what follows hours are their minutes: "1 h 30", "two hours and 15 minutes"."""
    return (SECONDS[match["unit"]] == 3_600 and "min" in match.group()) or re.search(
        r"h\s*\d{2}\b", match.group()
    ) is not None


def _seconds(match: re.Match[str]) -> Decimal:
    unit = Decimal(SECONDS[match["unit"]])
    seconds = _amount(match["amount"]) * unit
    if match["more"]:
        seconds += unit * (Decimal("0.25") if re.search(r"quarter|cuarto", match["more"]) else Decimal("0.5"))
    if match["minutes"] and _has_minutes(match):
        seconds += _amount(match["minutes"]) * 60
    return seconds


def _amount(words: str) -> Decimal:
    plain = " ".join(words.split())
    if plain[0].isdigit():
        value, others = digits_value(plain, "en")
        return min([value, *others])
    if plain.startswith(("half", "medi")):
        return Decimal("0.5")
    if "quarter" in plain or "cuarto" in plain:
        return Decimal("0.75") if plain.startswith("tres") else Decimal("0.25")
    return Decimal(SMALL_NUMBERS[plain])
