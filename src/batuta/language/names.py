"""Names of people and companies, as they stand in a sentence: by titles, capitals and legal forms.

A name in small letters is taken only after a word that asks for one ("con ana", "with bob"): elsewhere it looks
like any other word. Names that are known (customers, vendors) are better found as values of a slot.
"""

import re

from batuta.language.findings import Finding, TextSpan
from batuta.language.folding import composed, fold
from batuta.language.lexicon import MONTHS, WEEKDAYS

TITLES = (
    r"(?:[Dd]ra?|[Ss]ra?|[Ss]rta|[Mm]rs?|[Mm]s|[Mm]iss|[Pp]rof|[Ll]ic|[Ii]ng|[Dd]octora?|[Pp]rofesora?|[Pp]rofessor|"
    r"[Ss]eñor(?:a|ita)?|[Dd]on|[Dd]oña|[Ll]icenciad[oa]|[Ii]ngenier[oa]|[Aa]bogad[oa])"
)
_NAME = r"[A-ZÁÉÍÓÚÑÜ][\w'’-]*"
_SMALL = r"(?:siempre|antes|ayer|mediod[ií]a|medianoche|primer[oa]?|finales|principios|mitad|partir|a|al|and|at|by|con|with|de|del|el|en|for|from|in|la|on|para|por|sobre|about|the|to|y|tomorrow|mañana|manana|hoy|today|me|you|us|ti|mi|el|of|off|back|quien|quién|quienes|quiénes|who|whom|que|qué|this|that|these|those|next|last|it|los|las|some|any|my|our|your|his|her|their|mis?|tus?|sus?|nuestr[oa]s?|est[ea]|es[ea]|est[ao]s)\b(?!-)"
_GROUP = r"(?:team|people|department|office|group|folks|guys)\b"
_PERSON = re.compile(
    rf"(?:(?:{TITLES}\b\.?\s+)(?:{_NAME}(?:\s+{_NAME})*|(?!{_SMALL})[^\W\d][\w'’-]*)|{_NAME}(?:\s+(?:(?:de|del|la|y|and|&)\s+)*{_NAME})*)"
)
_WITH = re.compile(
    rf"\b(?:[Ww]ith|[Cc]on|[Cc]all|[Ll]lamar\s+a|[Mm]eet|[Vv](?:er|eo|emos)\s+a|[Vv]ia|[Ll]o\s+de|(?:[Pp]on|[Mm]ete|[Aa]punta|[Aa]genda|[Rr]eserva|[Cc]ita)(?:me|nos)?\s+a|[Ww]/)\s+(?P<name>(?:(?:el|la|los|las|the|my|mi|mis|nuestr[oa]s?|our|his|her|their|sus?)\s+)?"
    rf"(?:(?:{TITLES}\b\.?\s+)?{_NAME}(?:\s+(?:(?:de|y|and|&)\s+)?{_NAME})*(?:\s+{_GROUP})?|"
    rf"{TITLES}\b\.?\s+(?!{_SMALL})[^\W\d][\w'’-]*|"
    rf"(?:equipo|departamento|gente|grupo)\s+de\s+\w+|(?!{_SMALL})[^\W\d][\w'’-]*(?:\s+{_GROUP})?))"
)
_COMPANY = re.compile(
    rf"\b{_NAME}(?:[\s&]+(?:de\s+|del\s+|la\s+|and\s+|y\s+)?(?:{_NAME}|&))*,?\s+(?:S\.?\s?L\.?U?\.?|S\.?\s?A\.?|[Ll]td\.?|[Ii]nc\.?|GmbH|LLC|Corp\.?|"
    r"B\.?V\.?|AG|PLC|[Cc]ompany|[Cc]o\.|[Ss]arl)(?!\w)"
)
_NAMED_AS_DAY = re.compile(
    r"\b(?:[Ww]ith|[Cc]on|[Mm]eet|[Vv]er\s+a|[Ll]lamar\s+a)\s+(?:[A-ZÁÉÍÓÚÑ][^\W\d]+\s*(?:,|\by\b|\band\b|&)\s*)*Domingo\b"
)
_NO_NAMES = frozenset(
    [
        "i",
        "what",
        "who",
        "when",
        "where",
        "how",
        "why",
        "is",
        "are",
        "the",
        "a",
        "an",
        "el",
        "la",
        "los",
        "las",
        "un",
        "una",
        "qué",
        "que",
        "cuanto",
        "cuánto",
        "cuando",
        "donde",
        "como",
        "book",
        "schedule",
        "cancel",
        "move",
        "show",
        "tell",
        "give",
        "please",
        "hola",
        "hello",
        "hi",
        "hey",
        "dime",
        "dame",
        "pon",
        "ponme",
        "agenda",
        "cita",
        "reunion",
        "reunión",
        "meeting",
        "call",
        "ok",
        "si",
        "no",
        "yes",
    ]
)


def find_companies(text: str) -> list[Finding[str]]:
    """Companies by their legal form: "Muebles García S.L.", "Contoso Ltd"."""
    text = composed(text)
    return [_found(text, match.start(), match.end()) for match in _COMPANY.finditer(text)]


def find_people(text: str) -> list[Finding[str]]:
    """People and what is met like one: after `with` and the like in any letters, elsewhere by capitals."""
    text = composed(text)
    found = [_found(text, *match.span("name")) for match in _WITH.finditer(text)]
    found = [each for each in found if fold(each.value.split()[0]) not in WEEKDAYS]
    for match in _PERSON.finditer(text):
        is_opening = not text[: match.start()].strip(" ¿¡\"'(") or text[: match.start()].rstrip()[-1:] in ".?!¿¡"
        words = fold(match.group()).split()
        is_common = words[0] in _NO_NAMES or words[0] in MONTHS or words[0] in WEEKDAYS
        span = TextSpan(start=match.start(), end=match.end())
        is_titled = re.match(rf"{TITLES}\b", match.group()) is not None
        if (is_titled or not (is_opening or is_common)) and not any(span.overlaps(each.span) for each in found):
            found.append(_found(text, match.start(), match.end()))
    return sorted(found, key=lambda each: each.span)


def find_contact(text: str) -> Finding[str] | None:
    """With whom something is: the first name after `with`, `con`, `call` and the like."""
    text = composed(text)
    for match in _WITH.finditer(text):
        if fold(match["name"].split()[0]) not in WEEKDAYS or match.start() in named_as_day(text):
            return _found(text, *match.span("name"))
    return None


def named_as_day(text: str) -> dict[int, int]:
    """Where a text names a person who is called as a day is: "con Domingo", with a capital that no Spanish day has."""
    return {match.start(): match.end() for match in _NAMED_AS_DAY.finditer(composed(text))}


def _found(text: str, start: int, end: int) -> Finding[str]:
    words = text[start:end].rstrip()
    return Finding(value=words, span=TextSpan(start=start, end=start + len(words)), text=words)
