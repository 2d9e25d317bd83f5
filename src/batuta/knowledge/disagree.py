"""Two documents that say the same thing with another figure (A-10). Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from batuta.knowledge.words import language_of, stems, tokens

SAME_STATEMENT = 0.7
"""The share of words, figures aside, that two sentences have in common."""
LEAST_WORDS = 4

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


def contradictions(statements: Sequence[Statement]) -> Iterator[tuple[Statement, Statement]]:
    """Pairs from two documents that differ in their figures and in little else."""
    read = [(statement, *_parts(statement.text)) for statement in statements]
    for at, (one, words, numbers) in enumerate(read):
        for other, other_words, other_numbers in read[at + 1 :]:
            differ = numbers and other_numbers and not (numbers <= other_numbers or other_numbers <= numbers)
            if differ and one.document_id != other.document_id and _is_same(words, other_words):
                yield one, other


def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    words = [token for token in tokens(text) if not token[0].isdigit()]
    return frozenset(stems(words, language_of(text))), frozenset(_NUMBER.findall(text))


def _is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    shared, union = len(one & other), len(one | other)
    return min(len(one), len(other)) >= LEAST_WORDS and shared / union >= SAME_STATEMENT
