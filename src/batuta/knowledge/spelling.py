"""Which word a mistyped one stands for: a letter too many or too few, or two that changed places. Pure."""

from collections.abc import Collection
from itertools import takewhile

from batuta.knowledge.query import are_kin
from batuta.knowledge.words import STOP_WORDS, folded, stems

LEAST_ALIKE = 3
"""Letters at the beginning that are taken to be right."""
LEAST_LETTERS = 5
LEAST_REPLACED = 8
"""Letters of a word of which one may be another: of shorter ones that makes other words, moons of Mondays."""
_SMALL = frozenset(folded(word) for words in STOP_WORDS.values() for word in words)
_ALIKE = tuple(
    pair
    for one, other in (("y", "ll"), ("b", "v"), ("g", "j"), ("s", "z"), ("c", "s"), ("c", "z"), ("k", "qu"), ("k", "c"))
    for pair in ((one, other), (other, one))
)


def may_be_mistyped(word: str) -> bool:
    """Whether a word is long enough for a slip to be told from another word."""
    return len(word) >= LEAST_LETTERS and word.isalpha() and folded(word) not in _SMALL


def meant_by(word: str, known: Collection[str]) -> str:
    """The word that is one slip away, of some stems or the small words; nothing where none is or several are. Letters
    that Spanish doubles are another sound: a `perro` is no `pero`.
    """
    plain, known_stems = folded(word), frozenset(known)
    own = {plain, *stems((plain,), "en"), *stems((plain,), "es")}
    if any(are_kin(one, other) for one in own for other in known):
        return ""
    slips = {each for words in STOP_WORDS.values() for each in words if is_slip(plain, folded(each))}
    small = {each for each in slips if folded(each) not in (plain.replace("rr", "r"), plain.replace("ll", "l"))}
    if small:
        return min(small)
    heard = {each for each in _as_heard(plain) if known_stems & {*stems((each,), "en"), *stems((each,), "es")}}
    if heard:
        return min(heard)
    near = {each for each in known if len(each) >= LEAST_LETTERS and any(is_slip(one, each) for one in own)}
    return near.pop() if len(near) == 1 else ""


def _as_heard(word: str) -> list[str]:
    """The same sound in other letters: one that should or should not be double, and those that Spanish says alike."""
    doubled = [word[:at] + letter + word[at:] for at, letter in enumerate(word)]
    single = [word[:at] + word[at + 1 :] for at in range(1, len(word)) if word[at] == word[at - 1]]
    alike = [
        word[:at] + other + word[at + len(one) :]
        for one, other in _ALIKE
        for at in range(len(word))
        if word.startswith(one, at)
    ]
    return [*doubled, *single, *alike]


def is_slip(typed: str, meant: str) -> bool:
    """Whether one letter is missing, double, out of place or, in a long word, another."""
    if typed == meant or typed[:LEAST_ALIKE] != meant[:LEAST_ALIKE] or abs(len(typed) - len(meant)) > 1:
        return False
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(typed, meant, strict=False)))
    one, other = typed[at:], meant[at:]
    if len(one) > len(other):
        return one[1:] == other
    if len(other) > len(one):
        return other[1:] == one
    is_turned = one[:2] == other[:2][::-1] and one[2:] == other[2:]
    return is_turned or (len(meant) >= LEAST_REPLACED and one[1:] == other[1:])
