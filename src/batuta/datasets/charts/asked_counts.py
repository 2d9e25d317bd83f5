"""What a request counts: rows, called as their table is, or the different names of a column.

"tickets per week" of a table called tickets      -> rows
"how many customers by country" of many orders    -> different customers
"orders of more than 40 hours by team"            -> rows whose hours are above 40
"""

import re
from dataclasses import dataclass

from batuta.datasets.charts.asked_names import folded
from batuta.datasets.charts.table_words import forms_of, names_of, table_words
from batuta.datasets.charts.vocabulary import (
    AGGREGATE_WORDS,
    BOUND_WORDS,
    BY_WORDS,
    CHART_FILLERS,
    CHART_WORDS,
    COLUMN_WORDS,
    FIGURES,
    OF_WORDS,
    SPLIT_WORDS,
)
from batuta.datasets.dataset import Column, Dataset
from batuta.language.folding import stem
from batuta.language.vocabulary import filler_stems

_COUNTING = "|".join(sorted(map(folded, AGGREGATE_WORDS["count"]), key=len, reverse=True))
_DIFFERENT = r"(?:(?:the|de|los|las|different|distinct|unique|distint[oa]s|diferentes|unic[oa]s) )*"
_BY = re.compile(rf"\s*(?:{'|'.join((*SPLIT_WORDS, *BY_WORDS))}) ")
_BEFORE_BY = re.compile(rf" (.+?) (?:(?:{'|'.join((*SPLIT_WORDS, *BY_WORDS, *BOUND_WORDS['at_least']))}) |~|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedColumn:
    """A column whose names are counted, and where a text says so."""

    column: Column
    is_each_once: bool
    """Whether each row has another name: then rows are counted."""
    span: tuple[int, int]


def counted_column(text: str, table: Dataset) -> CountedColumn | None:
    """The names that a folded text counts: "how many customers", "número de pedidos"."""
    match = re.search(rf" (?:{_COUNTING}) {_DIFFERENT}", text)
    if match is None:
        return None
    rest = text[match.end() :]
    named = {
        column: max(names, key=len)
        for column in table.columns
        if (names := [name for name in names_of(column) if rest.startswith(f"{name} ")])
    }
    if not named or any(column.is_numeric for column in named):
        return None
    column = max(named, key=lambda one: len(named[one]))
    values = [value for value in table.values(column.name) if value]
    if column.type != "text" or not values:
        return None
    is_once = len(set(values)) == len(values)
    end = match.end() + len(named[column]) + 1
    after = re.match(_DIFFERENT, text[end:])
    return CountedColumn(column=column, is_each_once=is_once, span=(match.start(), end + (after.end() if after else 0)))


def subject_of(text: str, table: Dataset) -> list[str]:
    """The words that a folded text is about: those before what figures are compared by, without words for charts.

    "Por país" is about nothing yet, though its last word ends as a plural does.
    """
    found = None if _BY.match(text) else _BEFORE_BY.match(text)
    words = found[1].split() if found else []
    silent = filler_stems((*CHART_FILLERS, *CHART_WORDS, *OF_WORDS))
    while words and stem(words[0]) in silent and not are_rows_of(words[0], table):
        words = words[1:]
    return words


def are_rows_of(word: str, table: Dataset) -> bool:
    """Whether a word in the plural is what a table calls its rows: "tickets", and not the consumption of a plant."""
    measured = {folded(one) for name in FIGURES for one in (name, *COLUMN_WORDS[name])}
    is_plural = word.endswith("s") and word not in measured
    return is_plural and any(word in forms_of(one) for one in table_words(table) if len(one) > 3)
