"""How far from now something is, as people say it: "in two hours", "hace media hora"."""

import re

from batuta.llm.offline.lexicon import NUMBER_WORDS, UNIT_SECONDS

_AMOUNTS = {
    **NUMBER_WORDS,
    "a": 1,
    "an": 1,
    "un": 1,
    "una": 1,
    "half a": 0.5,
    "half an": 0.5,
    "media": 0.5,
    "medio": 0.5,
}
_LONGEST_FIRST = "|".join(sorted(map(re.escape, _AMOUNTS), key=len, reverse=True))
_UNITS = "|".join(sorted((word for word in UNIT_SECONDS if len(word) > 2), key=len, reverse=True))
_QUANTITY = rf"(\d{{1,9}}(?:[.,]\d{{1,9}})?|{_LONGEST_FIRST})\s+({_UNITS})(\s+and\s+a\s+half|\s+y\s+medi[ao])?"
_PAIR = re.compile(_QUANTITY)
_SPAN = re.sub(r"\((?!\?)", "(?:", rf"{_QUANTITY}(?:(?:\s+and|\s+y|,)\s+{_QUANTITY})?")
_LATER = re.compile(
    rf"\b(?:in|en|dentro\s+de|within)\s+({_SPAN})\b|\b({_SPAN})\s+(?:from\s+now|later|mas\s+tarde|despues)\b"
)
_AGO = re.compile(rf"\bhace\s+({_SPAN})\b|\b({_SPAN})\s+(?:ago|earlier|antes)\b")

_BARE_HALF = re.compile(r"\b(de|hace)\s+(hora\s+y\s+media)\b")
"""Spanish leaves the one out: "dentro de hora y media"."""


def minutes_from_now(plain: str) -> int | None:
    """The minutes that a folded text says lie between now and what it asks about; fewer than none if it is past."""
    plain = _BARE_HALF.sub(r"\1 una \2", plain)
    for pattern, sign in ((_AGO, -1), (_LATER, 1)):
        found = pattern.search(plain)
        if found is not None:
            return sign * round(_seconds(found.group()) / 60)
    return None


def _seconds(span: str) -> float:
    return sum(
        (_amount(amount) + (0.5 if half else 0)) * UNIT_SECONDS[unit] for amount, unit, half in _PAIR.findall(span)
    )


def _amount(text: str) -> float:
    return float(text.replace(",", ".")) if text[0].isdigit() else _AMOUNTS[text]
