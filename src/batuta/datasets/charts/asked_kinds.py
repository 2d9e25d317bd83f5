"""The kind of chart that a request names as such, whatever the columns of its table are called: "as a line"."""

import re
from dataclasses import dataclass

from batuta.datasets.charts.asked_names import folded
from batuta.datasets.charts.vocabulary import KIND_WORDS, LOOSE_KIND_WORDS, Words

KINDS: Words = {kind: (*words, *LOOSE_KIND_WORDS.get(kind, ())) for kind, words in KIND_WORDS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedKind:
    """A kind of chart, and where a folded text says it."""

    kind: str
    span: tuple[int, int]


def kind_named(text: str) -> NamedKind | None:
    """The kind after "as a" in a folded text with a space at both ends."""
    for kind, words in KINDS.items():
        named = "|".join(sorted(map(folded, words), key=len, reverse=True))
        if match := re.search(rf" (?:as|como) (?:an? |una? )?(?:{named})(?= )", text):
            return NamedKind(kind=kind, span=match.span())
    return None
