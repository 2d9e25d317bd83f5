"""A question as terms: each word with its stems in both languages and other words for it, counted."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from batuta.knowledge.words import folded, stems, stop_words, tokens

MAX_TERMS = 64
MAX_QUESTION_CHARS = 8_000

Synonyms = Mapping[str, frozenset[str]]
"""Other words for a word, folded and in lower case: translations too, so that one language finds the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One word of a question."""

    stems: frozenset[str]
    """In both languages."""
    others: frozenset[str] = frozenset()
    """Stems of words that mean the same; they count for less."""
    count: int = 1
    """How often the question has it."""

    @property
    def all_stems(self) -> frozenset[str]:
        """Every stem a passage may have for it."""
        return self.stems | self.others


def terms_of(question: str, synonyms: Synonyms | None = None) -> tuple[Term, ...]:
    """What a question asks about. A question of small words only is searched by those."""
    words = tokens(question[:MAX_QUESTION_CHARS])
    left_out = stop_words(question)
    kept = [word for word in words if word not in left_out] or words
    counts: Counter[tuple[frozenset[str], frozenset[str]]] = Counter()
    for word, number in Counter(kept).items():
        counts[_stems(word), _others(word, synonyms or {})] += number
    return tuple(Term(stems=own, others=others - own, count=n) for (own, others), n in counts.most_common(MAX_TERMS))


def _stems(word: str) -> frozenset[str]:
    plain = folded(word)
    return frozenset(stem for form in {word, plain} for stem in (*stems([form], "en"), *stems([form], "es")))


def _others(word: str, synonyms: Synonyms) -> frozenset[str]:
    return frozenset(stem for other in synonyms.get(folded(word), ()) for stem in _stems(other))
