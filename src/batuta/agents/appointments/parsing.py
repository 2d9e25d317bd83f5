"""What a request says, found by rules: English and Spanish, no model. The fallback of the parsing agent, and what the
tools use.
"""

import re
from dataclasses import dataclass
from itertools import islice

from batuta.agents.appointments.days import (
    DOUBT,
    SEPARATOR,
    aligned,
    blanked,
    composed,
    doubtful_words,
    limit_words,
    take_days,
)
from batuta.agents.appointments.models import Language, ParsedRequest, RequestKind
from batuta.agents.appointments.temporal import Hours, take_hours
from batuta.agents.appointments.vocabulary import KINDS, PERSON_TITLES
from batuta.llm.offline.words import folded, language_of

CONFIDENCE = 0.65
MAX_CHARS = 1_000
MAX_TARGETS = 12
"""How many places of a text may say where something is moved to."""

_DURATION = re.compile(
    r"(?:\bfor\b|\bdurante\b|\bde\b)?\s*(?P<amount>\d+(?:[.,]\d+)?|an?|una?|half\s+an|media)\s*-?\s*"
    r"(?P<unit>minutes?|mins?|minutos?|hours?|horas?|hrs?|h)\b"
)
_UNIT_MINUTES = {"m": 1, "h": 60}
_AMOUNTS = {"a": 1.0, "an": 1.0, "un": 1.0, "una": 1.0, "half an": 0.5, "media": 0.5}
_NAME = r"[A-ZÁÉÍÓÚÑ][\w'’-]*"
_SMALL_WORD = r"(?:a|al|and|at|by|con|de|del|el|en|for|from|in|la|on|para|por|sobre|about|the|to|y)\b"
_CONTACT = re.compile(
    rf"\b(?:(?:[Ww]ith|[Cc]on)|(?:[Cc]all|[Ll]lamar\s+a)(?=\s+[A-ZÁÉÍÓÚÑ]))\s+(?P<name>(?:(?:el|la|the|my|mi)\s+)?(?:"
    rf"(?:{PERSON_TITLES}\b\.?\s+)?{_NAME}(?:\s+(?:(?:de|y|and|&)\s+)?{_NAME})*|"
    rf"{PERSON_TITLES}\b\.?\s+(?!{_SMALL_WORD})[^\W\d][\w'’-]*|"
    rf"(?:equipo|departamento)\s+de\s+\w+|[\w'’-]+(?:\s+team)?))"
)
_PLACE = re.compile(
    rf"\b(?:[Aa]t|[Ii]n|[Ee]n)\s+(?P<place>(?:(?:the|el|la)\s+)?(?:(?:room|sala|office|oficina|despacho)\s+[\w-]+|"
    rf"{_NAME}(?:\s+(?:(?:de|del|la|of)\s+)*{_NAME})*))"
)
_QUOTED = re.compile(r"[\"“«]([^\"”»]{1,120})[\"”»]")
_SUBJECT = re.compile(r"\b(?:about|regarding|sobre|para\s+hablar\s+de)\s+(?P<subject>[^,.;\0]{2,80})", re.IGNORECASE)
_LOOSE_END = re.compile(r"(?:\s+(?:on|at|in|from|the|with|for|el|la|a|al|de|en|con|para|por))+\s*$", re.IGNORECASE)
_MOVE = re.compile(
    r"\b(?:move|make\s+it|change|reschedule|shift|postpone|push|mueve\w*|mover|cambia\w*|reprograma\w*|aplaza\w*|pospon\w*|adelanta\w*|"
    r"retrasa\w*|pasa)\b"
)
_CANCEL = re.compile(
    r"\b(?:cancel|delete|remove|drop|call\s+off|cancela\w*|borra\w*|elimina\w*|anula\w*|quita\w*|suprime)\b"
)
_ASK = re.compile(
    r"\b(?:free|available|availability|busy|libre|libres|disponible|disponibilidad|hueco|huecos|ocupad[oa])\b"
)
_TARGET = re.compile(r"\s(?:to|para|al|a)\s")
_PLAIN_KIND = {"en": "Appointment", "es": "Cita"}
_WITH = {"en": "with", "es": "con"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a text says of day and time, and what is left of it: the rest is as long, with blanks."""

    date: str | None
    hours: Hours | None
    rest: str


def parse_request(text: str) -> ParsedRequest:
    """What a request says. It never fails; what is not said is `None`."""
    text = composed(text)[:MAX_CHARS]
    language: Language = language_of(text)
    intent = intent_of(text)
    target = _target(text) if intent is RequestKind.RESCHEDULING else text
    whole, reading = read(text), read(target)
    contact = _contact(whole.rest)
    is_from_to = intent is RequestKind.RESCHEDULING and target is text
    time, minutes = _start_and_length(reading.hours, is_from_to=is_from_to)
    found = [name for name, value in (("contact", contact), ("date", reading.date), ("time", time)) if value]
    return ParsedRequest(
        intent=intent,
        language=language,
        date_text=reading.date,
        time_text=time,
        duration_minutes=_duration(whole.rest) if minutes is None else minutes,
        contact=contact,
        place=_place(reading.rest),
        title=_title(text, whole.rest, language, contact),
        confidence=CONFIDENCE if found else 0.2,
        reasoning=f"found by rules: {', '.join(found) or 'nothing'}",
    )


def read(text: str) -> Reading:
    """The day and time of a text. Words that look like a day and are not understood are part of its day, so that it
    resolves to none and is asked about.
    """
    unquoted = _without(_QUOTED, text)
    days, rest = take_days(unquoted)
    limits = limit_words(rest)
    hours, rest = take_hours(rest, days)
    doubtful = limits + doubtful_words(_without(_SUBJECT, _without(_CONTACT, rest)))
    date = SEPARATOR.join([*days, *(f"{words} {DOUBT}" for words in doubtful)])
    return Reading(date=date or None, hours=hours, rest=rest)


def intent_of(text: str) -> RequestKind:
    """Whether something is to be made, moved, cancelled, or only asked about."""
    plain = folded(text)
    if _CANCEL.search(plain):
        return RequestKind.CANCELLATION
    if _MOVE.search(plain):
        return RequestKind.RESCHEDULING
    return RequestKind.QUESTION if _ASK.search(plain) else RequestKind.CREATION


def date_words(text: str) -> str | None:
    """The words for a day, folded."""
    return read(composed(text)[:MAX_CHARS]).date


def _start_and_length(hours: Hours | None, *, is_from_to: bool) -> tuple[str | None, int | None]:
    """`from 10 to 11` is a start and a length; in "move it from 10 to 11" the second is the new start."""
    if hours is None:
        return None, None
    if is_from_to and hours.end_words:
        return hours.end_words, None
    return hours.words, hours.minutes


def _target(text: str) -> str:
    """The part of a request that says where something is moved to; all of it if that cannot be told."""
    for match in islice(_TARGET.finditer(text), MAX_TARGETS):
        rest = text[match.start() :]
        reading = read(rest)
        if match.start() > 0 and (reading.date or reading.hours):
            return rest
    return text


def _without(pattern: re.Pattern[str], text: str, group: str | int = 0) -> str:
    for match in pattern.finditer(text):
        text = blanked(text, *match.span(group))
    return text


def _contact(rest: str) -> str | None:
    found = _CONTACT.search(rest)
    return found["name"].strip() if found else None


def _place(rest: str) -> str | None:
    found = next((each for each in _PLACE.finditer(rest) if not doubtful_words(each.group())), None)
    return found["place"] if found else None


def _duration(text: str) -> int | None:
    found = _DURATION.search(folded(text))
    if found is None:
        return None
    words = " ".join(found["amount"].split())
    amount = _AMOUNTS[words] if words in _AMOUNTS else float(words.replace(",", "."))
    return int(amount * _UNIT_MINUTES[found["unit"][0]])


def _title(text: str, rest: str, language: Language, contact: str | None) -> str:
    quoted, subject = _QUOTED.search(text), _SUBJECT.search(rest)
    if quoted:
        return quoted.group(1)
    kind = _kind(_without(_SUBJECT, _without(_CONTACT, rest, "name")), language)
    if contact:
        kind = f"{kind} {_WITH[language]} {contact}"
    return f"{kind}: {_LOOSE_END.sub('', subject['subject']).strip()}" if subject else kind


def _kind(rest: str, language: Language) -> str:
    """The first word that says what it is, whoever it is with."""
    words = re.findall(r"\w+", aligned(rest))
    named = {folded(kind): kind for kind in KINDS[language].split()}
    return next((named[word] for word in words if word in named), _PLAIN_KIND[language])
