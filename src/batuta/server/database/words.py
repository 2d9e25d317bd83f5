"""Words, whatever their language: without case and accents, found by how they begin. Pure.

`fold("¿Cuándo?")` is `"¿cuando?"`; both databases fold in the same way (`migrations/versions/0003_words.py`).
"""

import re
import unicodedata
from collections.abc import Sequence

MOST_WORDS = 12
AROUND = 80
"""Characters shown before and after the first match."""

Span = tuple[int, int]

_BETWEEN = re.compile(r"[\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")


def fold(text: str) -> str:
    """The text without case and accents."""
    lower = text.lower()
    return lower if lower.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFKD", lower))


def words_of(query: str) -> list[str]:
    """The words to look for, folded."""
    return [word for word in _BETWEEN.split(fold(query)) if word][:MOST_WORDS]


def excerpt(text: str, words: Sequence[str]) -> tuple[str, tuple[Span, ...]]:
    """The part of a text around the first match, and the places of all matches in it."""
    matches = places(text, words)
    first = matches[0] if matches else (0, 0)
    begin, end = max(0, first[0] - AROUND), first[1] + AROUND
    part = ("…" if begin else "") + text[begin:end] + ("…" if end < len(text) else "")
    return part, tuple(places(part, words))


def places(text: str, words: Sequence[str]) -> list[Span]:
    """Where in a text its words begin like one of these."""
    if not words:
        return []
    folded, origins = _folded(text)
    longest_first = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    found = re.finditer(rf"(?<![^\W_])(?:{longest_first})", folded)
    return [(origins[match.start()], origins[match.end() - 1] + 1) for match in found]


def _folded(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters the place in the original."""
    folded: list[str] = []
    origins: list[int] = []
    for place, character in enumerate(text):
        for part in unicodedata.normalize("NFKD", character.lower()):
            if not "\u0300" <= part <= "\u036f":
                folded.append(part)
                origins.append(place)
    return "".join(folded), origins
