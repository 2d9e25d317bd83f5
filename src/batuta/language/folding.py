"""Texts made comparable: folded character by character, cut into words, and compared with tolerance for typing errors.

aligned("Próximo Miércoles")  ->  "proximo miercoles", as long as the text, so that places in it stay the same
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

STEM_LENGTH = 7
SHORTEST_MENDED = 5
"""Words below this length are too like others to be taken for a typing error."""

_APOSTROPHES = {"’": "'", "´": "'", "`": "'", "‘": "'"}
_WORD = re.compile(r"[a-z0-9][a-z0-9']*")
_SUFFIXES = (
    "aciones", "amente", "ciones", "mente", "iendo", "ando", "cion", "ings", "ing", "ies", "ers", "er", "ed", "es", "s",
)  # fmt: skip
_VOWELS = "aeiouy"
_SHORTEST = {"er": 4, "ers": 4}
"""How much of a word an ending leaves at least: "offer" is no form of "off"."""


def fold(text: str) -> str:
    """Lower case, without accents. It may be shorter than the text; see `aligned`."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def composed(text: str) -> str:
    """With accents joined to their letters, as `aligned` needs it."""
    return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=1024)
def aligned(text: str) -> str:
    """Folded one character for one: a place in it is the same place in the text."""
    return text.translate(_ALIGNED)


class _Aligning(dict[int, str]):
    """The folded form of each character, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = " " if char.isspace() else _APOSTROPHES.get(char) or fold(char)[:1] or " "
        return self[code]


_ALIGNED = _Aligning()


def words_of(text: str) -> list[str]:
    """The folded words of a text, numbers among them."""
    return _WORD.findall(fold(text).replace("’", "'"))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A folded word cut to what its forms have in common in both languages; rough, but the same for every text."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST.get(suffix, 3):
            word = word[: -len(suffix)]
            break
    if len(word) > 4 and word[-1] in _VOWELS:
        word = word[:-1]
    return word[:STEM_LENGTH]


@lru_cache(maxsize=8192)
def singular(word: str) -> str:
    """A folded word without the ending of a plural: "hoteles" and "hotel" are one, "barras" and "barro" are two."""
    if len(word) > 3 and word[-1] == "s":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's words."""
    return frozenset(stem(word) for word in words_of(text))


SOUNDS_LIKE = {"b": "v", "v": "b"}
"""First letters that Spanish writes for one sound: "bentas"."""


def is_near(word: str, other: str) -> bool:
    """Whether one edit (a letter more, less, changed, or two swapped) makes one folded word the other."""
    if word == other:
        return True
    if abs(len(word) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(word), len(other)) and word[start] == other[start]:
        start += 1
    a, b = word[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:] and len(a) > 1)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The one known word that a mistyped one means: none for short words, and none where several are as near."""
    if len(word) < SHORTEST_MENDED:
        return None
    begins = (word[0], SOUNDS_LIKE.get(word[0], word[0]))
    close = {each for each in known if len(each) >= SHORTEST_MENDED and each[0] in begins and is_near(word, each)}
    return close.pop() if len(close) == 1 else None
