"""Two documents that say the same thing with another figure (A-10). Pure.

Two sentences say the same if they share nearly all their words; or, to a question, if both have everything that it is
about and each gives one quantity of the same unit.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import pairwise

from batuta.knowledge.cite.facts import facts_in
from batuta.knowledge.cite.units import NUMBER_WORDS
from batuta.knowledge.query import Term, terms_of
from batuta.knowledge.synonyms import others_for
from batuta.knowledge.words import STOP_WORDS, folded, language_of, stems, tokens

SAME_STATEMENT = 0.7
"""The share of words, figures aside, that two sentences have in common."""
LEAST_WORDS = 4
LEAST_TERMS = 2
"""That a question must be about, for two answers to it to be compared."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-zñáéíóú]|\d|[¿¡\"“«])|\n{2,}|\n(?=\s*[-*|])")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_OPENS = re.compile(r"\s*[¿¡\"“«(]?(?:[^\W\d_a-zñáéíóúü]|\d)")
_SAID = re.compile(r"[.!?]\s*$")
_CLOSED = re.compile(r"[.!?:;,\-–—(/&]\s*$")
_CELL = re.compile(r"([^|:]+): ([^|]*[^|\s])")
_PER = re.compile(r"\b(?:per|por|each|cada|an?|al)\s+(?:la\s+)?([a-z]+)")
_RATES = {
    word: words[0]
    for words in (
        ("person", "persona", "head", "employee", "empleado", "empleada"),
        ("hour", "hora"),
        ("day", "dia"),
        ("night", "noche"),
        ("week", "semana"),
        ("month", "mes"),
        ("quarter", "trimestre"),
        ("year", "ano"),
    )
    for word in words
}
"""What an amount may be for."""
LEAST_ROWS = 3
"""Lines one after the other that neither end nor go on a sentence: no paragraph is wrapped so."""
MAX_TITLE_CHARS = 70
SHORT_LINE = 0.6
"""Of the longest line, at the most, where a line that is not full was ended on purpose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence of a document."""

    document_id: str
    name: str
    text: str
    about: str = ""
    """What names its subject around it: the title, the heading."""


def sentences_in(text: str) -> list[str]:
    """The sentences of a passage, each on one line."""
    return [" ".join(part.split()) for part in _SENTENCE_END.split(lines_apart(text)) if part and part.strip()]


def lines_apart(text: str) -> str:
    """A text with an empty line after each line that is a title or a row of a table, not the beginning of a sentence,
    and before a title: pages give them as lines like any other.
    """
    lines = text.split("\n")
    longest = max(map(len, lines))
    ends = [_is_open(one) and _OPENS.match(other) is not None for one, other in pairwise(lines)]
    parts: list[str] = []
    for at, (line, is_end) in enumerate(zip(lines, (*ends, False), strict=True)):
        runs = (ends[first : first + LEAST_ROWS] for first in range(max(0, at - LEAST_ROWS + 1), at + 1))
        is_row = is_end and any(len(run) == LEAST_ROWS and all(run) for run in runs)
        is_title = is_end and len(line) <= min(MAX_TITLE_CHARS, SHORT_LINE * longest)
        if is_title and parts and _SAID.search(lines[at - 1]):
            parts[-1] += "\n"
        parts.append(f"{line}\n" if is_row or is_title else line)
    return "\n".join(parts)


def _is_open(line: str) -> bool:
    return bool(line.strip()) and not _CLOSED.search(line)


def contradictions(statements: Sequence[Statement], question: str = "") -> Iterator[tuple[Statement, Statement]]:
    """Pairs from two documents that differ in their figures and in little else, or that answer a question otherwise."""
    read = [(statement, *_parts(statement.text)) for statement in statements]
    answers = _answers(read, terms_of(question, others_for)) if question else {}
    for at, (one, words, numbers) in enumerate(read):
        for place, (other, other_words, other_numbers) in enumerate(read[at + 1 :], at + 1):
            differ = numbers and other_numbers and not (numbers <= other_numbers or other_numbers <= numbers)
            if not differ or one.document_id == other.document_id or _are_other_rows(one.text, other.text):
                continue
            is_otherwise = _differ(answers.get(at, {}), answers.get(place, {})) and _are_comparable(
                one.text, other.text
            )
            if _is_same(words, other_words) or is_otherwise:
                yield one, other


_Read = tuple[Statement, frozenset[str], frozenset[str]]


def _answers(read: Sequence[_Read], asked: Sequence[Term]) -> dict[int, dict[str, frozenset[Decimal]]]:
    """Of the statements that have all that is asked about: the one quantity of each unit. Words that no statement has,
    such as the verb of a question, are not what it is about.
    """
    around = [words | _named_around(statement) for statement, words, _ in read]
    known = [term for term in asked if any(term.all_stems & words for words in around)]
    if len(known) < LEAST_TERMS or all(term.stems & _units() for term in known):
        return {}
    return {
        at: _single(facts_in(statement.text).quantities)
        for at, (statement, words, _) in enumerate(read)
        if all(term.all_stems & around[at] for term in known) and any(term.all_stems & words for term in known)
    }


def _named_around(statement: Statement) -> frozenset[str]:
    """The words of a document's name, its title and a heading, in both languages."""
    words = tokens(f"{re.sub(r'[_.-]+', ' ', statement.name)} {statement.about}") if statement.about else ()
    return frozenset((*stems(words, "en"), *stems(words, "es")))


def _are_other_rows(one: str, other: str) -> bool:
    """Whether two rows of tables are about different things: their names differ, not only their figures."""
    rows = [[value for _, value in _CELL.findall(text) if value[:1].isalpha()] for text in (one, other)]
    return all(" | " in text for text in (one, other)) and rows[0] != rows[1]


@cache
def _units() -> frozenset[str]:
    """Words that only say in what something is counted: a question of nothing else is about anything."""
    english = ("day", "days", "week", "weeks", "month", "months", "year", "years", "hour", "hours", "euro", "euros")
    spanish = ("día", "días", "semana", "semanas", "mes", "meses", "año", "años", "hora", "horas", "euro", "euros")
    return frozenset((*stems(english, "en"), *stems(spanish, "es")))


def _single(quantities: Sequence[tuple[frozenset[Decimal], str]]) -> dict[str, frozenset[Decimal]]:
    units = Counter(unit for _, unit in quantities)
    return {unit: readings for readings, unit in quantities if units[unit] == 1}


def _differ(one: Mapping[str, frozenset[Decimal]], other: Mapping[str, frozenset[Decimal]]) -> bool:
    return any(one[unit].isdisjoint(other[unit]) for unit in one.keys() & other.keys())


def _are_comparable(one: str, other: str) -> bool:
    """Whether two figures may be for the same: 30 euros per person say nothing about 45 euros per day."""
    rates = [{_RATES[word] for word in _PER.findall(folded(text.lower())) if word in _RATES} for text in (one, other)]
    return not all(rates) or bool(rates[0] & rates[1])


def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    language = language_of(text)
    left_out = STOP_WORDS[language]  # "once" is eleven in Spanish only
    found = [token for token in tokens(text) if not token[0].isdigit()]
    spelt = {token: str(NUMBER_WORDS[token]) for token in found if token in NUMBER_WORDS and token not in left_out}
    words = stems((token for token in found if token not in spelt), language)
    return frozenset(words), frozenset((*_NUMBER.findall(text), *spelt.values()))


def _is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    shared, union = len(one & other), len(one | other)
    return min(len(one), len(other)) >= LEAST_WORDS and shared / union >= SAME_STATEMENT
