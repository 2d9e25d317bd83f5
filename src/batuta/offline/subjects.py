"""One question about two things, as two questions."""

import re

from batuta.language.folding import fold
from batuta.language.vocabulary import CONCEPTS

_TWO_SUBJECTS = re.compile(
    r"(?P<opening>.*\b(?:for|on|about|of|para|sobre|de|en)\s+)(?:(?:the|los|las|el|la)\s+)?(?P<first>[^\W\d]+)"
    r"\s+(?:and|y|e)\s+(?:(?:for|on|about|of|para|sobre|de|en)\s+)?(?:(?:the|los|las|el|la)\s+)?(?P<second>[^\W\d]+)\W*$",
    re.IGNORECASE,
)
"""One question about two things: "how much for hotels and meals?"."""


def two_subjects(text: str) -> list[str]:
    """A question about two different things as two questions; nothing where it is one."""
    two = _TWO_SUBJECTS.match(text)
    if two is None:
        return []
    groups = [
        {name for name, words in CONCEPTS.items() if fold(two[side]) in words.split()} for side in ("first", "second")
    ]
    are_two = all(groups) and not groups[0] & groups[1]
    return [f"{two['opening']}{two[side]}" for side in ("first", "second")] if are_two else []
