"""How a message relates to what was said before: a correction, an answer of yes or no, a negation, a reference back."""

import re
from datetime import UTC, datetime

from batuta.language.dates import find_dates
from batuta.language.folding import aligned, composed, fold
from batuta.language.times import find_times

LONGEST_NAME = 3
"""Words of a name that takes the place of another."""
_ANY_DAY = datetime(2026, 1, 15, 12, tzinfo=UTC)
"""Where only the words are looked for, any day will do."""
_CORRECTION = re.compile(
    r"^\W*(?:(?:no|nope|perdon|perdona|sorry|espera|wait|mejor|rather|actually|en\s+realidad|qu(?:iero|eria|ise)\s+decir|i\s+mean|i\s+meant|"
    r"correccion|correction|me\s+ref(?:iero|eria)\s+al?|digo|make\s+it|que\s+(?:sean?|dure)|mejor\s+dicho)\b[\s,.:;-]*)+(?P<rest>.*)$",
    re.DOTALL,
)
_DENIED = re.compile(
    r"^\W*(?:not\s+(?:(?:on|at|for)\s+)?(?P<denied>[^,;]{2,30})|(?:(?:el|a)\s+)?(?P<no>[^,;]{2,30}?)\s+no)\s*[,;]\s*(?:but\s+|sino\s+)?(?P<rest>.+)$",
    re.DOTALL,
)
"""Another day or time than the one that is denied: "not tomorrow, Wednesday", "mañana no, el jueves"."""
_FORBIDDEN = re.compile(r"\bno\s+(?:(?:me|nos|se|la|lo|las|los|le)\s+)+\w{3,}(?:es|as|eis|ais)\b")
_YES = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|yup|sure|ok|okay|please|do|it|go|ahead|right|correct|exactly|of|course|absolutely|si|claro|vale|dale|venga|correcto|eso|es|exacto|"
    r"por|favor|adelante|hazlo|perfecto|de|acuerdo|afirmativo|sip|that|one|the|first|gracias|thanks)\W*)+$"
)
_NO = re.compile(
    r"^\W*(?:(?:no|nope|nah|wait|espera)\W+)?(?:no|nope|nah|never\s?mind|forget\s+(?:it|about\s+it|that)|cancel(?!\s+(?:it|that))|stop|leave\s+it|dejalo|olvidalo|olvidate|dejemoslo|nada|da\s+igual|mejor\s+no|"
    r"ninguno|neither|none|not\s+now|ahora\s+no)(?:\W+(?:gracias|thanks|thank\s+you|please|por\s+favor|it|that|wait|espera|don'?t|no))*\W*$"
)
_FOLLOWS = re.compile(
    r"^[\s¿¡(]*(?:and(?!\s+then\s+\w+\s+\w+\s+\w+\s+\w+)|y|e|what\s+about|how\s+about|que\s+tal|que\s+hay\s+de|the\s+same|same|lo\s+mismo|lo\s+mismo\s+pero|igual|"
    r"now|ahora|but|pero|only|solo|just|instead|en\s+vez|as\s+an?|como|but\s+for|for|by|per|por|para|en|in|without|except|excluding|sin|excepto|salvo|split|broken\s+down|desglosad[oa]|"
    r"compared\s+(?:with|to|against)|in\s+comparison\s+(?:with|to)|versus|vs|against|comparad[oa]s?\s+con|"
    r"en\s+comparacion\s+con|frente\s+al?|(?:con\s+)?respecto\s+(?:al?|del?))\b"
)
BUYS_FROM_US = r"\bnos\s+(?:ha[n]?\s+)?compr(?:a|an|o|aron|ado)\b"
"""What is said of those who buy, as a pattern of folded text."""
_OF_THE_LAST = re.compile(
    r"\b(?:su|sus|suy[oa]s?|le|les|its|his|her|him|their|theirs)\b"
    rf"|\btienen?\W*$|{BUYS_FROM_US}(?=\W*$|\s+(?:este|esta|el|la|en|desde|hoy|ayer)\b)"
)
"""Whose something is, or who did it, by a pronoun or by the verb alone. "Nos han comprado" is said of those who buy."""
_REFERS = re.compile(
    r"\b(?:it|that|this|them|those|these|the\s+(?:same|result|total|last\s+one)|its|his|her|their|there|eso|esto|ese|esa|esos|esas|"
    r"lo|la|los|las|ello|el\s+resultado|ese\s+total|alli|ahi|mism[oa]s?|(?:\w{3,}(?:lo|la|los|las|le|les)))\b"
)
_TAKEN_BACK = re.compile(
    r"[\s,.;…–-]+(?:no[\s,]+)*(?:wait(?:[\s,]+no)?|i\s+mean|sorry|rather|actually|scratch\s+that|perdon[ae]?|disculp[ae]|espera|mejor(?:\s+dicho)?|qu(?:iero|eria|ise)\s+decir|digo)\b[\s,.;:]*"
)
_BEFORE_A_VALUE = re.compile(r"(?<!\S)(?:(?:el|al|la|las|on|at|the|for|a|para)\s+)+$", re.IGNORECASE)
_ONLY_SMALL_WORDS = re.compile(r"\W*(?:(?:el|la|las|the|on|at|a|para|for|to|al)\W+)*")
_NUMBER = re.compile(r"(?P<number>\d+(?:[.,]\d+)*)(?P<percent>\s*%)?")
_OTHER_NUMBER = re.compile(
    rf"\W*(?:(?:and|y|what\s+about|how\s+about|que\s+tal|(?:the\s+)?same|lo\s+mismo|igual)\s+)+(?:(?:of|for|on|de|para|con|with|el|the|sobre)\s+)*{_NUMBER.pattern}\W*"
)
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4,
    "primero": 1, "primera": 1, "primer": 1, "segundo": 2, "segunda": 2, "tercero": 3, "tercera": 3, "tercer": 3,
    "cuarto": 4, "cuarta": 4,
}  # fmt: skip
_ORDINAL = rf"(?P<ordinal>{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})"
_OTHER_ORDINAL = re.compile(
    r"\W*(?:(?:and|y|what\s+about|how\s+about|que\s+tal)\s+)?(?:(?:of|for|in|on|de|del|en|con|the|el|lo)\s+)*"
    rf"{_ORDINAL}(?:\s+(?:one|(?P<unit>quarter|trimestre|half|semestre)))?(?:\s+(?:of|in|de|del)\s+(?P<year>20\d\d))?\W*"
)
_PLACE = re.compile(rf"\W*(?:(?:the|el|la|lo|al?|to|of|del?)\s+)*{_ORDINAL}(?:\s+(?:one|de\s+ell[oa]s))?\W*")
_YEAR = re.compile(r"\b20\d\d\b")
_ORDINAL_PERIOD = re.compile(rf"\b{_ORDINAL}\s+(?P<unit>quarter|trimestre|half|semestre)\b")
_NUMBERED_PERIOD = re.compile(r"\b[qt](?P<number>[1-4])\b")


def corrected(text: str) -> str | None:
    """What a correction puts in the place of what was said ("no, el jueves" gives "el jueves"); none if it is none."""
    text = composed(text)
    plain = aligned(text)
    match = _DENIED.match(plain)
    denied = (match["denied"] or match["no"]) if match else ""
    if not (find_dates(denied, now=_ANY_DAY) or find_times(denied)):
        match = _CORRECTION.match(plain)
    if match is not None and _FORBIDDEN.search(plain, max(match.start("rest") - 3, 0)):
        return None  # "no, wait, no la canceles" forbids; it corrects nothing
    rest = text[match.start("rest") :].strip() if match else ""
    return rest if match and rest and any(char.isalnum() for char in rest) else None


def corrected_within(text: str, now: datetime) -> str:
    """A text without the day or time that its own words take back: "tomorrow, no wait, Wednesday at ten"."""
    text = composed(text)
    marker = _TAKEN_BACK.search(aligned(text))
    if marker is None:
        return text
    before, after = text[: marker.start()], text[marker.end() :]
    for said, instead in (
        (find_dates(before, now=now), find_dates(after, now=now)),
        (find_times(before), find_times(after)),
    ):
        if said and instead and _ONLY_SMALL_WORDS.fullmatch(fold(after[: instead[0].span.start])):
            kept = _BEFORE_A_VALUE.sub("", before[: said[-1].span.start])
            before = f"{kept.rstrip()}{before[said[-1].span.end :]}"
            return f"{before.rstrip(' ,.;')} {after.lstrip(' ,.;')}"
    return text


def with_other_number(request: str, text: str) -> str | None:
    """A request with another number in the place of its last one: "15% of 1,200", then "and of 2,000?" or "and 20%?"."""
    said = _OTHER_NUMBER.fullmatch(fold(text))
    if said is None:
        return None
    numbers = [each for each in _NUMBER.finditer(request) if bool(each["percent"]) == bool(said["percent"])]
    return (
        f"{request[: numbers[-1].start()]}{said['number']}{request[numbers[-1].end('number') :]}" if numbers else None
    )


def with_other_ordinal(request: str, text: str) -> str | None:
    """A request with another quarter or half year in the place of its own: "profit of Q3", then "and of the second?"."""
    said = _OTHER_ORDINAL.fullmatch(fold(text))
    if said is None:
        return None
    whole, plain = composed(request), aligned(composed(request))
    by_name, by_number = list(_ORDINAL_PERIOD.finditer(plain)), list(_NUMBERED_PERIOD.finditer(plain))
    before = by_name[-1] if by_name else by_number[-1] if by_number else None
    if before is None or (said["unit"] and said["unit"] != (before["unit"] if by_name else None)):
        return None
    start, end = before.span("ordinal" if by_name else "number")
    changed = f"{whole[:start]}{said['ordinal'] if by_name else _ORDINALS[said['ordinal']]}{whole[end:]}"
    if said["year"] and _YEAR.search(changed):
        return _YEAR.sub(said["year"], changed)
    return f"{changed.rstrip(' ?.!')} {said['year']}" if said["year"] else changed


def with_other_name(request: str, text: str) -> str | None:
    """A request with another word in the place of the one that is denied: "a call with Eva", then "not Eva, Rosa"."""
    said = _DENIED.match(aligned(composed(text)))
    denied = (said["denied"] or said["no"]).strip() if said else ""
    if said is None or not denied or len(re.findall(rf"\b{re.escape(denied)}\b", aligned(composed(request)))) != 1:
        return None
    instead = composed(text)[said.start("rest") :].strip(" .!")
    if len(instead.split()) > LONGEST_NAME or not instead:
        return None
    at = re.search(rf"\b{re.escape(denied)}\b", aligned(composed(request)))
    return None if at is None else f"{composed(request)[: at.start()]}{instead}{composed(request)[at.end() :]}"


def ordinal_said(text: str) -> int | None:
    """The place that a reply names and nothing else: "the second one", "el tercero"."""
    said = _PLACE.fullmatch(fold(text))
    return None if said is None else _ORDINALS[said["ordinal"]]


def is_yes(text: str) -> bool:
    """Whether a message says yes, and nothing else."""
    return bool(text.strip()) and _YES.match(fold(text)) is not None


def is_no(text: str) -> bool:
    """Whether a message says no or calls it off, and nothing else."""
    return _NO.match(fold(text)) is not None


def is_follow_up(text: str) -> bool:
    """Whether a message begins as one that goes on from the last: "and in March?", "ahora por país"."""
    return _FOLLOWS.match(fold(text)) is not None


def owner_said(text: str) -> str:
    """The words that say whose something is without a name: "show me its invoices", "¿qué margen tiene?"."""
    found = _OF_THE_LAST.search(fold(text))
    return found.group().strip() if found else ""


def refers_back(text: str) -> bool:
    """Whether a message speaks of something by a pronoun: "divide it by 3", "cancélala"."""
    return _REFERS.search(fold(text)) is not None
