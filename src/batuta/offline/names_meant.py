"""Which of several names a reply means, where a part of them was said: "Peñaverde", and then "the hotel", "the second"."""

import re
from collections.abc import Sequence

from batuta.language.dialogue import ordinal_said
from batuta.language.folding import fold, stems_of
from batuta.language.vocabulary import filler_stems

LONGEST_CHOICE = 8
"""Words of a reply that only chooses."""
_ALL = re.compile(
    r"\W*(?:(?:of|de|a)\s+)?(?:all|both|tod[oa]s|amb[oa]s)(?:\s+(?:(?:of\s+)?them|ell[oa]s|together|junt[oa]s))?\W*"
)


def names_chosen(text: str, candidates: Sequence[str]) -> Sequence[str]:
    """The candidates that a reply chooses: by their place, by words that one alone has, or all; none where it is open."""
    plain = fold(text)
    if len(plain.split()) > LONGEST_CHOICE:
        return ()
    if _ALL.fullmatch(plain):
        return candidates
    place = ordinal_said(text)
    if place is not None:
        return candidates[place - 1 : place]
    said = stems_of(text) - filler_stems()
    having = [name for name in candidates if said and said <= stems_of(name)]
    return having if len(having) == 1 else ()
