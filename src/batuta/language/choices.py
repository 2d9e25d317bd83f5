"""Values that a request names by one of their words: measures, customers, kinds of chart. Typing errors are forgiven."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from batuta.language.common_words import COMMON_WORDS
from batuta.language.findings import Finding, TextSpan
from batuta.language.folding import SOUNDS_LIKE, aligned, composed, nearest, singular, stem
from batuta.language.understanding import Slot, Synonyms
from batuta.language.vocabulary import filler_stems

MAX_WORDS = 6
SHORTEST_PART = 4
"""A part of a longer name ("cardoza" of "Cronus Cardoza Ltd") is enough if no other has it; a single word from this
length on."""


SHORTENED = {"q": "que", "k": "que"}
"""What people type for a word that phrases have: "tenemos q pagar"."""
OWN = "="
"""Before a short word that is not known, which has no stem to share."""
MAX_KEPT = 4096
"""How many words are remembered with what they were mended to."""
SHORTEST_OWN = 4
"""A shorter value that has words is a code and no word: `DE` is Germany, and the commonest word of Spanish."""
AUXILIARIES = frozenset(
    {
        "hemos",
        "han",
        "ha",
        "he",
        "se",
        "nos",
        "have",
        "has",
        "had",
        "did",
        "do",
        "we",
        "been",
        "que",
        "that",
        "yet",
        "still",
        "already",
        "aun",
        "todavia",
        "ya",
    }
)
"""Verbs and pronouns that may stand between the words of a phrase: "el IVA que hemos repercutido" is "IVA repercutido"."""
_GROUPING_WORDS = frozenset({"by", "per", "por", "segun", "cada"})
"""Before a word that says what figures are grouped by: "por planetas" means no category that is called "Plantas"."""


class ChoiceIndex:
    """Values by their words. Names are distinguished more finely than words: "barras" are bars, and no "Barro".

    Figures are grouped by a field: what records are called, in names or other words, is not guessed behind "by".
    """

    def __init__(
        self, items: Iterable[tuple[str, Sequence[str]]], *, is_names: bool = False, is_of_records: bool = False
    ) -> None:
        self._stem = singular if is_names else stem
        self._is_of_records = is_names or is_of_records
        self._phrases: dict[tuple[str, ...], list[str]] = defaultdict(list)
        parts: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self._words: set[str] = set()
        for value, synonyms in items:
            own = value.replace("_", " ")
            for phrase in dict.fromkeys((*synonyms, *([own] if len(own) >= SHORTEST_OWN or not synonyms else []))):
                words = [word for word, _, _ in words_with_places(phrase)]
                key = tuple(self._stem(word) for word in words)
                if key and value not in self._phrases[key]:
                    self._phrases[key].append(value)
                self._words.update(words)
                for size in range(1, min(len(key), MAX_WORDS)):
                    for at in range(len(key) - size + 1):
                        part = key[at : at + size]
                        if not {stem(words[at]), stem(words[at + size - 1])} & filler_stems():
                            parts[part].add(value)
        self._parts = {part: next(iter(values)) for part, values in parts.items() if len(values) == 1}
        self._shared = {part: sorted(values) for part, values in parts.items() if len(values) > 1}
        self._first_stems = {key[0] for key in (*self._phrases, *self._parts)}
        self._near: dict[str, list[str]] = defaultdict(list)
        for word in sorted(self._words):
            self._near[word[0]].append(word)
        self._mending: dict[str, str] = {}
        self._longest = min(max((len(key) for key in self._phrases), default=1), MAX_WORDS)

    def find(self, text: str, *, takes_parts: bool = False) -> list[Finding[str]]:
        """What a text names, the longest words first; several values of one phrase are alternatives."""
        text = composed(text)
        words = words_with_places(text)
        found: list[Finding[str]] = []
        self._add(found, text, words, takes_parts=takes_parts)
        apart = [each for each in words if each[0] not in AUXILIARIES]
        if len(apart) < len(words):
            self._add(found, text, apart, takes_parts=False)
        return sorted(found, key=lambda each: each.span)

    def find_shared(self, text: str) -> list[Finding[str]]:
        """Parts that several names have ("Peñaverde"), with all of those that may be meant; the longest words first."""
        text = composed(text)
        words, found = words_with_places(text), list[Finding[str]]()
        stems = [self._stem(word) for word, _, _ in words]
        for size in range(min(self._longest, len(words)), 0, -1):
            for at in range(len(words) - size + 1):
                values = self._shared.get(tuple(stems[at : at + size]))
                span = TextSpan(start=words[at][1], end=words[at + size - 1][2])
                is_name = values is not None and (size > 1 or _tells_a_name(words[at][0]))
                if values and is_name and not any(span.overlaps(each.span) for each in found):
                    shown = text[span.start : span.end]
                    found.append(Finding(value=values[0], span=span, text=shown, alternatives=tuple(values[1:])))
        return sorted(found, key=lambda each: each.span)

    def _add(
        self, found: list[Finding[str]], text: str, words: Sequence[tuple[str, int, int]], *, takes_parts: bool
    ) -> None:
        """Add what some words name, where nothing is found yet."""
        mended = [self._mended(word) for word, _, _ in words]
        stems = [near if near[0] == OWN else self._stem(word) for (word, _, _), near in zip(words, mended, strict=True)]
        begins = [at for at in range(len(words)) if {stems[at], mended[at]} & self._first_stems]
        for size in range(min(self._longest, len(words)), 0, -1):
            for at in begins:
                if at + size > len(words):
                    break
                values = self._phrases.get(tuple(stems[at : at + size]))
                if values is None and takes_parts and (size > 1 or _tells_a_name(words[at][0])):
                    part = tuple(stems[at : at + size])
                    values = [self._parts[part]] if part in self._parts else None
                is_grouping = self._is_of_records and at > 0 and words[at - 1][0] in _GROUPING_WORDS
                if values is None and not is_grouping:
                    meant = tuple(mended[at : at + size])
                    values = self._phrases.get(meant)
                    if values is None and takes_parts and size > 1 and meant in self._parts:
                        values = [self._parts[meant]]  # one mistyped word beside a right one: "terrasas sotomar"
                if values is None:
                    continue
                span = TextSpan(start=words[at][1], end=words[at + size - 1][2])
                if not any(span.overlaps(each.span) for each in found):
                    shown = text[span.start : span.end]
                    found.append(Finding(value=values[0], span=span, text=shown, alternatives=tuple(values[1:])))

    def _mended(self, word: str) -> str:
        """The stem of the word that a mistyped one means, else its own."""
        if word not in self._mending:
            if len(self._mending) >= MAX_KEPT:
                self._mending.clear()
            is_known = word in self._words or word in COMMON_WORDS or stem(word) in filler_stems()
            close = (
                () if is_known else [*self._near.get(word[0], ()), *self._near.get(SOUNDS_LIKE.get(word[0], ""), ())]
            )
            # "sal" is no "sales", though both have one stem
            is_own = len(word) < SHORTEST_PART and not is_known
            self._mending[word] = f"{OWN}{word}" if is_own else self._stem(nearest(word, close) or word)
        return self._mending[word]


def _tells_a_name(word: str) -> bool:
    """Whether a word alone may stand for the name it is a part of: "países" is no short form of "Países Bajos"."""
    return len(word) >= SHORTEST_PART and word not in COMMON_WORDS


@lru_cache(maxsize=256)
def words_with_places(text: str) -> Sequence[tuple[str, int, int]]:
    """The folded words of a text and where they begin and end."""
    words: list[tuple[str, int, int]] = []
    start = None
    plain = aligned(text)
    for place, char in enumerate(f"{plain} "):
        if char.isalnum() and start is None:
            start = place
        elif not char.isalnum() and start is not None:
            word = plain[start:place]
            words.append((SHORTENED.get(word, word), start, place))
            start = None
    return words


def index_of(values: Synonyms, *, is_names: bool = False, is_of_records: bool = False) -> ChoiceIndex:
    """The index of some values, made once for the same values."""
    return _index(tuple((value, tuple(words)) for value, words in values.items()), is_names, is_of_records)


def index_for(slot: Slot) -> ChoiceIndex:
    """The index of what a slot takes now. Values that are fixed are looked at once."""
    if callable(slot.values):
        return index_of(slot.values(), is_names=slot.takes_names, is_of_records=True)
    known = _FIXED.get(id(slot.values))
    if known is None or known[0] is not slot.values:
        known = _FIXED[id(slot.values)] = (slot.values, index_of(slot.values))
    return known[1]


_FIXED: dict[int, tuple[Synonyms, ChoiceIndex]] = {}
"""By the identity of values that are data of a slot; kept beside their index, so that an identity is never used again."""


@lru_cache(maxsize=64)
def _index(items: tuple[tuple[str, tuple[str, ...]], ...], is_names: bool, is_of_records: bool) -> ChoiceIndex:
    return ChoiceIndex(items, is_names=is_names, is_of_records=is_of_records)
