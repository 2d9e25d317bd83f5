"""What a request says, found by rules: English and Spanish, no model. The fallback of the parsing agent, and what the
tools use.
"""

import re

from batuta.agents.appointments.models import Intent, Language, ParsedRequest
from batuta.llm.offline.words import folded, language_of

CONFIDENCE = 0.65
MAX_CHARS = 1_000

_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|enero|febrero|marzo|abril|"
    "mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|lunes|martes|miercoles|jueves|viernes|sabado|domingo"
_NEXT_WEEK = r"(?:next\s+week|(?:la\s+)?(?:semana\s+que\s+viene|proxima\s+semana))"
_DATES = (
    r"\d{4}-\d{2}-\d{2}",
    r"\d{1,2}/\d{1,2}(?:/\d{2,4})?",
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s+(?:de\s+|of\s+)?(?:{_MONTHS})(?:\s+(?:de\s+|del\s+)?\d{{4}})?",
    rf"(?:{_MONTHS})\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?",
    r"(?:the\s+)?day\s+after\s+tomorrow|pasado\s+manana",
    rf"(?:(?:next|this|proximo|este)\s+)?(?:{_DAYS})(?:\s+(?:que\s+viene|proximo))?(?:\s+(?:de\s+la\s+)?{_NEXT_WEEK})?",
    r"(?:in|en|dentro\s+de)\s+\d{1,3}\s+(?:days?|dias?|weeks?|semanas?)",
    r"today|tonight|esta\s+noche|tomorrow|yesterday|ayer|hoy|(?<!la\s)(?<!de\s)manana",
    rf"{_NEXT_WEEK}|this\s+week|esta\s+semana",
)
_HALF = r"\s*(?:de|por|in|of)\s+(?:la\s+|the\s+)?(?:manana|tarde|noche|morning|afternoon|evening)"
_MERIDIEM = r"(?:am|pm|a\.m\.?|p\.m\.?|h(?:oras)?)"
_HOURS = "una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce"
_QUARTERS = r"(?:y\s+media|y\s+cuarto|menos\s+cuarto)"
_TIMES = (
    rf"(?:a\s+)?las?\s+(?:\d{{1,2}}(?::\d\d)?|{_HOURS})(?:\s+{_QUARTERS})?(?:\s*{_MERIDIEM}\b|{_HALF})?",
    rf"(?:at\s+)?\d{{1,2}}(?:[:.]\d\d)?\s*(?:am|pm|a\.m\.?|p\.m\.?|hs?)\b(?:{_HALF})?",
    rf"(?:at\s+)?\d{{1,2}}:\d\d(?:{_HALF})?",
    rf"at\s+\d{{1,2}}(?!\d|[/:])(?:{_HALF})?",
    r"(?:at\s+|al?\s+)?(?:noon|midday|mediodia)",
)
_HALF_SAID = re.compile(r"[ap]\.?m|noon|midday|mediodia|manana|tarde|noche|morning|afternoon|evening")
_DATE = re.compile("|".join(rf"\b(?:{each})\b" for each in _DATES))
_TIME = re.compile("|".join(rf"\b(?:{each})" for each in _TIMES))
_DURATION = re.compile(
    r"(?:\bfor\b|\bdurante\b|\bde\b)?\s*(?P<amount>\d+(?:[.,]\d+)?|an?|una?|half\s+an|media)\s*-?\s*"
    r"(?P<unit>minutes?|mins?|minutos?|hours?|horas?|hrs?)\b"
)
_UNIT_MINUTES = {"m": 1, "h": 60}
_AMOUNTS = {"a": 1.0, "an": 1.0, "un": 1.0, "una": 1.0, "half an": 0.5, "media": 0.5}
_NAME = r"[A-ZÁÉÍÓÚÑ][\w'’-]*"
_CONTACT = re.compile(
    rf"\b(?:(?:[Ww]ith|[Cc]on)|(?:[Cc]all|[Ll]lamar\s+a)(?=\s+[A-ZÁÉÍÓÚÑ]))\s+(?P<name>(?:(?:el|la|the|my|mi)\s+)?(?:(?:[Dd]ra?|[Ss]ra?|[Mm]rs?|[Mm]s|[Pp]rof)\.?\s+)?"
    rf"(?:{_NAME}(?:\s+(?:(?:de|y|and|&)\s+)?{_NAME})*|(?:equipo|departamento)\s+de\s+\w+|[\w'’-]+(?:\s+team)?))"
)
_PLACE = re.compile(
    rf"\b(?:[Aa]t|[Ii]n|[Ee]n)\s+(?P<place>(?:(?:the|el|la)\s+)?(?:(?:room|sala|office|oficina|despacho)\s+[\w-]+|"
    rf"{_NAME}(?:\s+(?:(?:de|del|la|of)\s+)*{_NAME})*))"
)
_QUOTED = re.compile(r"[\"“«]([^\"”»]{1,120})[\"”»]")
_SUBJECT = re.compile(r"\b(?:about|regarding|sobre|para\s+hablar\s+de)\s+(?P<subject>[^,.;]{2,80})", re.IGNORECASE)
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
_KINDS: dict[Language, str] = {
    "en": "Meeting Call Lunch Dinner Interview",
    "es": "Reunión Llamada Comida Cena Entrevista",
}
_PLAIN_KIND = {"en": "Appointment", "es": "Cita"}
_WITH = {"en": "with", "es": "con"}


def parse_request(text: str) -> ParsedRequest:
    """What a request says. It never fails; what is not said is `None`."""
    text = text[:MAX_CHARS]
    language: Language = language_of(text)
    intent = intent_of(text)
    target = _target(text) if intent is Intent.RESCHEDULING else text
    contact = _contact(text)
    date = date_words(target)
    time = _at_night(time_words(target), date)
    found = [name for name, value in (("contact", contact), ("date", date), ("time", time)) if value]
    return ParsedRequest(
        intent=intent,
        language=language,
        date_text=date,
        time_text=time,
        duration_minutes=_duration(text),
        contact=contact,
        place=_place(target),
        title=_title(text, language, contact),
        confidence=CONFIDENCE if found else 0.2,
        reasoning=f"found by rules: {', '.join(found) or 'nothing'}",
    )


def intent_of(text: str) -> Intent:
    """Whether something is to be made, moved, cancelled, or only asked about."""
    plain = folded(text)
    if _CANCEL.search(plain):
        return Intent.CANCELLATION
    if _MOVE.search(plain):
        return Intent.RESCHEDULING
    return Intent.QUESTION if _ASK.search(plain) else Intent.CREATION


def date_words(text: str) -> str | None:
    """The words for a day, folded."""
    plain = _TIME.sub(lambda match: " " * len(match.group()), folded(text))
    found = _DATE.search(plain)
    return found.group().strip() if found else None


def time_words(text: str) -> str | None:
    """The words for a time of day, folded."""
    found = _TIME.search(folded(text))
    return found.group().strip() if found else None


def _at_night(time: str | None, date: str | None) -> str | None:
    """`tonight at 9` is in the evening."""
    is_open = time is not None and not _HALF_SAID.search(time)
    return f"{time} de la noche" if is_open and date in ("tonight", "esta noche") else time


def _target(text: str) -> str:
    """The part of a request that says where something is moved to; all of it if that cannot be told."""
    for match in _TARGET.finditer(text):
        rest = text[match.start() :]
        if match.start() > 0 and (date_words(rest) or time_words(rest)):
            return rest
    return text


def _contact(text: str) -> str | None:
    names = (found["name"].strip() for found in _CONTACT.finditer(text))
    return next(
        (name for name in names if not _DATE.fullmatch(plain := folded(name)) and not _TIME.fullmatch(plain)), None
    )


def _place(text: str) -> str | None:
    for found in _PLACE.finditer(text):
        plain = folded(found["place"])
        if not _DATE.search(plain) and not _TIME.search(folded(found.group())):
            return found["place"]
    return None


def _duration(text: str) -> int | None:
    found = _DURATION.search(folded(text))
    if found is None:
        return None
    words = " ".join(found["amount"].split())
    amount = _AMOUNTS[words] if words in _AMOUNTS else float(words.replace(",", "."))
    return int(amount * _UNIT_MINUTES[found["unit"][0]])


def _title(text: str, language: Language, contact: str | None) -> str:
    quoted, subject = _QUOTED.search(text), _SUBJECT.search(text)
    if quoted:
        return quoted.group(1)
    plain = folded(text)
    kind = next((kind for kind in _KINDS[language].split() if folded(kind) in plain), _PLAIN_KIND[language])
    if contact:
        kind = f"{kind} {_WITH[language]} {contact}"
    return f"{kind}: {subject['subject'].strip()}" if subject else kind
