"""What a message names in the tables that it brings: rows by their values, columns by their names (A-6). Pure.

"¿Cuánto cuesta la Duero eBike Plus?"   -> one row, by a value that no other row has
"¿Cuánto hemos vendido a Acme?"         -> three rows, by a value that many rows may have
"""

from collections.abc import Sequence
from dataclasses import dataclass

from batuta.datasets.charts.asked_names import folded
from batuta.datasets.charts.asked_superlatives import asked_superlative, asks_price, prices_of, tells_apart
from batuta.datasets.charts.asking import reading_of
from batuta.datasets.charts.table_words import named_values, names_of
from batuta.datasets.dataset import Column, Dataset
from batuta.datasets.values import Value
from batuta.language.folding import stem
from batuta.language.vocabulary import STOP_WORDS, filler_stems

MAX_ROWS = 20_000
"""Of a table whose every value is compared with a message."""
SHORTEST = 3
"""Letters of a word that names a row by a part of its value."""
_SMALL = frozenset(word for words in STOP_WORDS.values() for word in words.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMention:
    """What a message names in the table that it names most of."""

    rows: int = 0
    """Rows that have all the values it names; none if it names no value."""
    is_by_key: bool = False
    """Whether one of those values stands in a column that tells the rows apart: no two say the same."""
    names_column: bool = False
    adds_up: bool = False
    """Whether figures of a column it names can be added up."""
    unread: tuple[str, ...] = ()
    """Its words that mean nothing in the table."""

    @property
    def is_about_table(self) -> bool:
        """Whether a column or a value is named."""
        return self.names_column or self.rows > 0


def mentioned(text: str, tables: Sequence[Dataset]) -> TableMention:
    """What a message names, of the table that it names most of."""
    found = [_mentioned(text, table) for table in tables if len(table.rows) <= MAX_ROWS]
    return max(found, key=_closeness, default=TableMention())


def _closeness(mention: TableMention) -> tuple[bool, bool, bool, int]:
    return mention.rows > 0, mention.is_by_key, mention.names_column, -len(mention.unread)


def _mentioned(text: str, table: Dataset) -> TableMention:
    plain = f" {folded(text)} "
    columns = _columns_in(plain, table)
    rows, is_by_key = _rows_in(plain, table)
    is_ranked = bool(asked_superlative(text, table)[0]) and not asks_price(text)
    asked = [column for _, column in columns]
    if not asked and asks_price(text):
        asked = prices_of(table)
    return TableMention(
        rows=len(rows),
        is_by_key=is_by_key,
        names_column=bool(asked) and (bool(columns) or bool(rows) or is_ranked),
        adds_up=any(column.is_numeric and column.is_additive for column in asked),
        unread=reading_of(text, table).unread,
    )


def _columns_in(plain: str, table: Dataset) -> list[tuple[str, Column]]:
    """The columns that a folded text names, each by its longest name there."""
    found = [
        (max(names, key=len), column)
        for column in table.columns
        if (names := [name for name in names_of(column) if f" {name} " in plain])
    ]
    return [pair for pair in found if not any(pair[0] != name and f" {pair[0]} " in f" {name} " for name, _ in found)]


def _rows_in(plain: str, table: Dataset) -> tuple[Sequence[Sequence[Value]], bool]:
    """The rows that a folded text names, by whole values and then by words of them; and whether by one of its own."""
    texts = [place for place, column in enumerate(table.columns) if column.type == "text"]
    whole, rest = _whole_values(plain, table)
    rows = list(table.rows)
    places: set[int] = set()
    for place in texts:
        held = [value for value in whole if any(row[place] == value for row in table.rows)]
        if held and (kept := [row for row in rows if row[place] in held]):
            rows, places = kept, places | {place}
    for word in _words_for_values(rest, table):
        at = [place for place in texts if any(word in _words(row[place]) for row in rows)]
        kept = [row for row in rows if any(word in _words(row[place]) for place in at)]
        if kept:
            rows, places = kept, places | set(at)
    if not places:
        return (), False
    return rows, any(tells_apart(table, table.columns[place]) for place in places)


def _whole_values(plain: str, table: Dataset) -> tuple[list[str], str]:
    """The values that stand in a text, the longest first where they overlap; and the text without them."""
    columns = {name for column in table.columns for name in names_of(column)}
    known, found = named_values(table), []
    for name in sorted(known, key=len, reverse=True):
        if name and name not in columns and f" {name} " in plain:
            plain = plain.replace(f" {name} ", " ~ ")
            found.append(known[name])
    return found, plain


def _words_for_values(rest: str, table: Dataset) -> list[str]:
    """The words that may be a part of a value: of no column's name, and with a meaning of their own."""
    columns = {stem(word) for column in table.columns for name in names_of(column) for word in name.split()}
    return [
        word
        for word in dict.fromkeys(rest.split())
        if len(word) >= SHORTEST
        and word not in _SMALL
        and stem(word) not in columns
        and stem(word) not in filler_stems()
    ]


def _words(value: Value) -> list[str]:
    return folded(value).split() if isinstance(value, str) else []
