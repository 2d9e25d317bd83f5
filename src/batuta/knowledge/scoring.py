"""One ranking for every store: BM25 over body and headings, in Python, on the first hundred that a store finds.

A store's own rank decides who is looked at, this decides who comes first: the same passages get the same scores on
SQLite and PostgreSQL. Statistics are those of the passages that the asking person may see, so that another owner's
documents change nothing in a ranking.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from batuta.knowledge.query import Term

K1 = 1.2
B = 0.75
HEADING_B = 0.5
TITLE_WORDS = 6.0
"""Of an ordinary title: a longer one says less by each of its words."""
OTHER_WORD = 0.6
"""How much a synonym counts, against the word itself; in another language it is the word itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Of the passages in scope."""

    passages: int
    mean_body: float
    mean_heading: float
    counts: tuple[int, ...]
    """In how many passages each term of the question stands, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stems:
    """The stems of a passage, each between two blanks, so that counting one is a search for a string."""

    body: str
    heading: str

    @property
    def body_length(self) -> int:
        """How many stems the body has."""
        return _length(self.body)

    @property
    def heading_length(self) -> int:
        """How many the headings have."""
        return _length(self.heading)

    @property
    def distinct(self) -> set[str]:
        """Every stem once."""
        return {*self.body.split(), *self.heading.split()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well a passage fits a question."""

    value: float
    """For ordering."""
    coverage: float
    """The share of the question's weight that it knows, 0 to 1."""
    strength: float
    """BM25 over the weight of the question: low where nothing is about what was asked."""


def joined(words: Sequence[str]) -> str:
    """Stems as `Stems` keeps them."""
    return "".join(f" {word} " for word in words)


def weights(terms: Sequence[Term], statistics: Statistics) -> list[float]:
    """How much each term tells: what stands nowhere tells most."""
    total = statistics.passages
    return [
        math.log(1 + (total - count + 0.5) / (count + 0.5)) for _, count in zip(terms, statistics.counts, strict=True)
    ]


def score(
    terms: Sequence[Term],
    weights: Sequence[float],
    statistics: Statistics,
    stems: Stems,
    *,
    other_word: float = OTHER_WORD,
) -> Score:
    """BM25 of the two fields, summed, times half and half of the share of the question covered."""
    bodies, headings = stems.body.split(), stems.heading.split()
    body_counts, heading_counts = Counter(bodies), Counter(headings)
    body_norm = _norm(len(bodies), statistics.mean_body, B)
    heading_norm = _norm(len(headings), statistics.mean_heading, HEADING_B)
    total = bm25 = covered = 0.0
    for term, weight in zip(terms, weights, strict=True):
        total += weight * term.count
        body, heading = _count(term, body_counts, other_word), _count(term, heading_counts, other_word)
        if not body and not heading:
            continue
        bm25 += weight * term.count * (_saturated(body, body_norm) + _saturated(heading, heading_norm))
        covered += weight * term.count * min(1.0, max(body, heading))
    if not total:
        return Score(value=0.0, coverage=0.0, strength=0.0)
    coverage = covered / total
    return Score(value=bm25 * (0.5 + 0.5 * coverage), coverage=coverage, strength=bm25 / total)


def with_title(
    found: Score,
    terms: Sequence[Term],
    weights: Sequence[float],
    title: Sequence[str],
    *,
    other_word: float = OTHER_WORD,
) -> Score:
    """A score and the title of the document as a field of its own: beside many headings it counts too little."""
    counts = Counter(title)
    norm = _norm(len(title), TITLE_WORDS, B)
    evidence = sum(
        weight * term.count * _saturated(count, norm)
        for term, weight in zip(terms, weights, strict=True)
        if (count := _count(term, counts, other_word))
    )
    return replace(found, value=found.value + evidence * (0.5 + 0.5 * found.coverage))


def _count(term: Term, counts: Mapping[str, int], other_word: float) -> float:
    own = term.stems & counts.keys()
    if own:
        return float(sum(counts[stem] for stem in own))
    return other_word if term.others and not term.others.isdisjoint(counts) else 0.0


def _norm(length: int, mean: float, b: float) -> float:
    return 1 - b + b * length / mean if mean else 1.0


def _length(stems: str) -> int:
    return stems.count("  ") + 1 if stems else 0


def _saturated(count: float, norm: float) -> float:
    return count * (K1 + 1) / (count + K1 * norm)
