"""What comes again and again: "every Monday", "todos los martes", "cada dos semanas", "monthly", "weekdays"."""

import re
from dataclasses import dataclass
from typing import Literal

from batuta.language.findings import Finding
from batuta.language.lexicon import NUMBER, WEEKDAY, WEEKDAYS, one_of, small_number
from batuta.language.plain_text import PlainText

Frequency = Literal["daily", "weekly", "monthly", "quarterly", "yearly"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """How often: every `interval` units, on the weekdays that are named (Monday is 0)."""

    frequency: Frequency
    interval: int = 1
    weekdays: tuple[int, ...] = ()


_UNITS: dict[str, Frequency] = {
    **dict.fromkeys(("day", "days", "dia", "dias", "morning", "manana", "mananas", "tarde", "tardes"), "daily"),
    **dict.fromkeys(("week", "weeks", "semana", "semanas"), "weekly"),
    **dict.fromkeys(("month", "months", "mes", "meses"), "monthly"),
    **dict.fromkeys(("quarter", "quarters", "trimestre", "trimestres"), "quarterly"),
    **dict.fromkeys(("year", "years", "ano", "anos"), "yearly"),
}
_ADVERBS: dict[str, Frequency] = {
    **dict.fromkeys(("daily", "a diario", "diariamente", "diario", "diaria"), "daily"),
    **dict.fromkeys(("weekly", "semanal", "semanalmente"), "weekly"),
    **dict.fromkeys(("monthly", "mensual", "mensualmente"), "monthly"),
    **dict.fromkeys(("quarterly", "trimestral", "trimestralmente"), "quarterly"),
    **dict.fromkeys(("yearly", "annually", "anual", "anualmente"), "yearly"),
}
_EVERY = r"(?:every|each|cada|todos\s+los|todas\s+las)"
_DAYS = rf"(?P<days>{WEEKDAY}s?(?:\s*(?:,|and|y|e)\s*(?:los\s+)?{WEEKDAY}s?)*)"
_PLURAL = rf"(?:on|los)\s+(?P<plural>{WEEKDAY}s?(?:\s*(?:,|and|y|e)\s*(?:los\s+)?{WEEKDAY}s?)*)"
_PATTERN = re.compile(
    rf"\b(?:{_EVERY}\s+(?P<other>other\s+|second\s+)?(?:(?P<amount>{NUMBER})\s+)?(?:{_DAYS}|(?P<unit>{one_of(_UNITS)}))"
    rf"|(?P<working>(?:on\s+)?weekdays|every\s+weekday|(?:los\s+)?dias\s+laborables|entre\s+semana)|(?P<adverb>{one_of(_ADVERBS)})|{_PLURAL})\b"
)


def find_recurrences(text: str) -> list[Finding[Recurrence]]:
    """What a text asks to repeat."""
    source = PlainText(text)
    found = []
    for match in _PATTERN.finditer(source.plain):
        value = _recurrence(match)
        if value is not None:
            span = source.span(match.start(), match.end())
            found.append(Finding(value=value, span=span, text=source.words(span)))
    return found


def _recurrence(match: re.Match[str]) -> Recurrence | None:
    interval = small_number(match["amount"]) if match["amount"] else 2 if match["other"] else 1
    if match["working"]:
        return Recurrence(frequency="weekly", weekdays=(0, 1, 2, 3, 4))
    if match["adverb"]:
        return Recurrence(frequency=_ADVERBS[" ".join(match["adverb"].split())])
    if match["unit"]:
        return Recurrence(frequency=_UNITS[match["unit"]], interval=interval)
    named = match["days"] or match["plural"]
    words = re.findall(r"[a-z]+", named)
    days = [WEEKDAYS.get(word, WEEKDAYS.get(word.removesuffix("s"))) for word in words]
    is_repeated = match["days"] or any(word.endswith("days") or word in ("sabados", "domingos") for word in words)
    is_repeated = is_repeated or match.group().startswith("los ")
    known = tuple(dict.fromkeys(day for day in days if day is not None))
    return Recurrence(frequency="weekly", interval=interval, weekdays=known) if is_repeated and known else None
