"""Values that a request names by one of their words: measures, customers, kinds of chart. Typing errors are forgiven."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from batuta.language.findings import Finding, TextSpan
from batuta.language.folding import aligned, composed, nearest, stem
from batuta.language.understanding import Synonyms

MAX_WORDS = 6
SHORTEST_PART = 4
"""A single word of a longer name ("cardoza" of "Cronus Cardoza Ltd") is enough from this length on, if no other has it."""


SHORTEST_OWN = 4
"""A shorter value that has words is a code and no word: `DE` is Germany, and the commonest word of Spanish."""


class ChoiceIndex:
    """Values by their words."""

    def __init__(self, items: Iterable[tuple[str, Sequence[str]]]) -> None:
        self._phrases: dict[tuple[str, ...], list[str]] = defaultdict(list)
        parts: dict[str, set[str]] = defaultdict(set)
        self._words: set[str] = set()
        for value, synonyms in items:
            own = value.replace("_", " ")
            for phrase in dict.fromkeys((*synonyms, *([own] if len(own) >= SHORTEST_OWN or not synonyms else []))):
                words = [word for word, _, _ in words_with_places(phrase)]
                key = tuple(stem(word) for word in words)
                if key and value not in self._phrases[key]:
                    self._phrases[key].append(value)
                self._words.update(words)
                if len(words) > 1:
                    for word in words:
                        parts[stem(word)].add(value)
        self._parts = {part: next(iter(values)) for part, values in parts.items() if len(values) == 1}
        self._longest = min(max((len(key) for key in self._phrases), default=1), MAX_WORDS)

    def find(self, text: str, *, takes_parts: bool = False) -> list[Finding[str]]:
        """What a text names, the longest words first; several values of one phrase are alternatives."""
        text = composed(text)
        words = words_with_places(text)
        found: list[Finding[str]] = []
        for size in range(self._longest, 0, -1):
            for at in range(len(words) - size + 1):
                piece = words[at : at + size]
                span = TextSpan(start=piece[0][1], end=piece[-1][2])
                if any(span.overlaps(each.span) for each in found):
                    continue
                values = self._named(tuple(word for word, _, _ in piece), takes_parts=takes_parts)
                if values:
                    shown = text[span.start : span.end]
                    found.append(Finding(value=values[0], span=span, text=shown, alternatives=tuple(values[1:])))
        return sorted(found, key=lambda each: each.span)

    def _named(self, words: tuple[str, ...], *, takes_parts: bool) -> list[str]:
        key = tuple(stem(word) for word in words)
        values = self._phrases.get(key)
        if values:
            return values
        if len(words) == 1 and takes_parts and len(words[0]) >= SHORTEST_PART and key[0] in self._parts:
            return [self._parts[key[0]]]
        mended = tuple(word if word in self._words else nearest(word, self._words) or word for word in words)
        return self._phrases.get(tuple(stem(word) for word in mended), []) if mended != words else []


def words_with_places(text: str) -> list[tuple[str, int, int]]:
    """The folded words of a text and where they begin and end."""
    words: list[tuple[str, int, int]] = []
    start = None
    plain = aligned(text)
    for place, char in enumerate(f"{plain} "):
        if char.isalnum() and start is None:
            start = place
        elif not char.isalnum() and start is not None:
            words.append((plain[start:place], start, place))
            start = None
    return words


def index_of(values: Synonyms) -> ChoiceIndex:
    """The index of some values, made once for the same values."""
    return _index(tuple((value, tuple(words)) for value, words in values.items()))


@lru_cache(maxsize=64)
def _index(items: tuple[tuple[str, tuple[str, ...]], ...]) -> ChoiceIndex:
    return ChoiceIndex(items)
