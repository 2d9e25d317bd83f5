"""A question as terms: each word with its stems in both languages and other words for it, counted."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from batuta.knowledge.words import folded, stems, stop_words, tokens

MAX_TERMS = 64
LEAST_ROOT = 4
LONGEST_ENDING = 4
"""Letters that kin have in common at least, and that one of them may have more."""
MAX_KIN = 8
MAX_QUESTION_CHARS = 8_000
_PAST = re.compile(r"\w{2,}(?:aron|ieron|ó)$")

Synonyms = Callable[[str], frozenset[str]]
"""From a folded word to other words for it: translations too, so that one language finds the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One word of a question."""

    stems: frozenset[str]
    """In both languages."""
    others: frozenset[str] = frozenset()
    """Stems of words that mean the same; they count for less."""
    count: int = 1
    """How often the question has it."""
    is_past_verb: bool = False
    """Whether it is a Spanish verb that tells what was done: documents often have another one for it."""

    @property
    def all_stems(self) -> frozenset[str]:
        """Every stem a passage may have for it."""
        return self.stems | self.others


def terms_of(question: str, synonyms: Synonyms | None = None) -> tuple[Term, ...]:
    """What a question asks about. A question of small words only is searched by those."""
    words = tokens(question[:MAX_QUESTION_CHARS])
    left_out = stop_words(question)
    kept = [word for word in words if word not in left_out] or words
    counts: Counter[tuple[frozenset[str], frozenset[str], bool]] = Counter()
    for word, number in Counter(kept).items():
        counts[_stems(word), _others(word, synonyms), _PAST.search(word) is not None] += number
    return tuple(
        Term(stems=own, others=others - own, count=number, is_past_verb=is_past)
        for (own, others, is_past), number in counts.most_common(MAX_TERMS)
    )


@dataclass(frozen=True, slots=True)
class Roots:
    """Where the kin of unknown stems stand in a sorted list: what goes on as they do, and what they begin with."""

    stems: tuple[str, ...]

    @property
    def beginnings(self) -> tuple[str, ...]:
        """Each stem without up to so many letters of its end: "driver" may be known as "drive"."""
        shortest = ((stem, max(LEAST_ROOT, len(stem) - LONGEST_ENDING)) for stem in self.stems)
        return tuple(sorted({stem[:length] for stem, least in shortest for length in range(least, len(stem))}))

    @property
    def ranges(self) -> tuple[tuple[str, str], ...]:
        """From and to, both without: "limpi" may be known as "limpiez"."""
        return tuple((stem, stem + "z" * (LONGEST_ENDING + 1)) for stem in self.stems)


def roots_of(terms: Sequence[Term], counts: Sequence[int]) -> Roots:
    """Of the terms that stand in no passage, the stems that are words and long enough to have kin."""
    unknown = {stem for term, count in zip(terms, counts, strict=True) if not count for stem in term.stems}
    return Roots(tuple(sorted(stem for stem in unknown if len(stem) >= LEAST_ROOT and stem.isalpha())))


def without_unknown_verbs(terms: Sequence[Term], counts: Sequence[int]) -> tuple[Term, ...]:
    """Without the verbs that stand nowhere, if anything is left: what is asked about tells more than how."""
    kept = tuple(term for term, count in zip(terms, counts, strict=True) if count or not term.is_past_verb)
    return kept if any(counts) else tuple(terms)


def with_kin(terms: Sequence[Term], roots: Roots, known: Collection[str]) -> tuple[Term, ...]:
    """Terms that stand nowhere, with the stems of the same root that do: who asks who "drives" means the "driver"."""
    unknown = frozenset(roots.stems)
    return tuple(
        replace(term, others=term.others | _kin(term, known)) if term.stems & unknown else term for term in terms
    )


def are_kin(one: str, other: str) -> bool:
    """Whether one stem is the other with a short ending: "drive" and "driver", "limpi" and "limpiez"."""
    short, long = sorted((one, other), key=len)
    ending = len(long) - len(short)
    return len(short) >= LEAST_ROOT and ending <= min(LONGEST_ENDING, len(short) - 2) and long.startswith(short)


def _kin(term: Term, known: Collection[str]) -> frozenset[str]:
    found = [stem for stem in known if any(are_kin(stem, own) for own in term.stems)]
    return frozenset(sorted(found, key=lambda stem: (len(stem), stem))[:MAX_KIN])


def _stems(word: str) -> frozenset[str]:
    plain = folded(word)
    return frozenset(stem for form in {word, plain} for stem in (*stems([form], "en"), *stems([form], "es")))


def _others(word: str, synonyms: Synonyms | None) -> frozenset[str]:
    return frozenset(stem for other in synonyms(folded(word)) for stem in _stems(other)) if synonyms else frozenset()
