"""Two documents that say the same thing with another figure (A-10). Pure.

Two sentences say the same if they share nearly all their words; or, to a question, if both have everything that it is
about and each gives one quantity of the same unit.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from batuta.knowledge.cite.facts import facts_in
from batuta.knowledge.query import Term, terms_of
from batuta.knowledge.words import language_of, stems, tokens

SAME_STATEMENT = 0.7
"""The share of words, figures aside, that two sentences have in common."""
LEAST_WORDS = 4
LEAST_TERMS = 2
"""That a question must be about, for two answers to it to be compared."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-zñáéíóú]|\d|[¿¡\"“«])|\n{2,}|\n(?=\s*[-*|])")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence of a document."""

    document_id: str
    name: str
    text: str


def sentences_in(text: str) -> list[str]:
    """The sentences of a passage, each on one line."""
    return [" ".join(part.split()) for part in _SENTENCE_END.split(text) if part and part.strip()]


def contradictions(statements: Sequence[Statement], question: str = "") -> Iterator[tuple[Statement, Statement]]:
    """Pairs from two documents that differ in their figures and in little else, or that answer a question otherwise."""
    read = [(statement, *_parts(statement.text)) for statement in statements]
    answers = _answers(read, terms_of(question)) if question else {}
    for at, (one, words, numbers) in enumerate(read):
        for place, (other, other_words, other_numbers) in enumerate(read[at + 1 :], at + 1):
            differ = numbers and other_numbers and not (numbers <= other_numbers or other_numbers <= numbers)
            if not differ or one.document_id == other.document_id:
                continue
            if _is_same(words, other_words) or _differ(answers.get(at, {}), answers.get(place, {})):
                yield one, other


_Read = tuple[Statement, frozenset[str], frozenset[str]]


def _answers(read: Sequence[_Read], asked: Sequence[Term]) -> dict[int, dict[str, frozenset[Decimal]]]:
    """Of the statements that have all that is asked about: the one quantity of each unit. Words that no statement has,
    such as the verb of a question, are not what it is about.
    """
    known = [term for term in asked if any(term.stems & words for _, words, _ in read)]
    if len(known) < LEAST_TERMS:
        return {}
    return {
        at: _single(facts_in(statement.text).quantities)
        for at, (statement, words, _) in enumerate(read)
        if all(term.stems & words for term in known)
    }


def _single(quantities: Sequence[tuple[frozenset[Decimal], str]]) -> dict[str, frozenset[Decimal]]:
    units = Counter(unit for _, unit in quantities)
    return {unit: readings for readings, unit in quantities if units[unit] == 1}


def _differ(one: Mapping[str, frozenset[Decimal]], other: Mapping[str, frozenset[Decimal]]) -> bool:
    return any(one[unit].isdisjoint(other[unit]) for unit in one.keys() & other.keys())


def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    words = [token for token in tokens(text) if not token[0].isdigit()]
    return frozenset(stems(words, language_of(text))), frozenset(_NUMBER.findall(text))


def _is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    shared, union = len(one & other), len(one | other)
    return min(len(one), len(other)) >= LEAST_WORDS and shared / union >= SAME_STATEMENT
