"""The terms of a question: each word with the words that mean the same, cut to what their forms have in common."""

import re
from collections import defaultdict
from dataclasses import dataclass

from batuta.llm.offline.lexicon import AMOUNT_WORDS, CONCEPTS, STOP_WORDS
from batuta.llm.offline.words import folded, stem

MAX_TERMS = 24
OTHER_WORD = 0.7

_WORD = re.compile(r"[a-z0-9]+")
_STOP = frozenset(word for table in (*STOP_WORDS.values(), AMOUNT_WORDS) for word in table.split())


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a question asks about: the word itself, and others for it."""

    word: str
    others: frozenset[str]

    @property
    def query(self) -> str:
        """The term as full-text search takes it."""
        return "(" + " OR ".join(f'"{each}"*' for each in sorted({self.word, *self.others})) + ")"

    def known(self, words: frozenset[str]) -> float:
        """How well a text of these stems knows it: 1 for the word itself, less for one that means the same."""
        return 1.0 if self.word in words else OTHER_WORD if self.others & words else 0.0


def terms_of(question: str) -> list[Term]:
    """What a question asks about, without repetitions."""
    words = [word for word in _WORD.findall(folded(question)) if word not in _STOP]
    return [Term(stem(word), _SAME.get(word, frozenset())) for word in dict.fromkeys(words)][:MAX_TERMS]


def found_in(text: str) -> frozenset[str]:
    """The stems of a text."""
    return frozenset(stem(word) for word in _WORD.findall(folded(text)))


def _synonyms() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = defaultdict(set)
    for words in CONCEPTS.values():
        for word in words.split():
            groups[word].update(stem(other) for other in words.split())
    return {word: frozenset(stems) for word, stems in groups.items()}


_SAME = _synonyms()
