"""What a table, its columns and its values may be called, folded: the words that a request is read against."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from batuta.datasets.charts.asked_names import folded, inflected
from batuta.datasets.charts.vocabulary import COLUMN_WORDS, COUNTRY_WORDS, FIGURES
from batuta.datasets.charts.words import UNIT_NAMES
from batuta.datasets.dataset import Column, Dataset
from batuta.datasets.values import Value
from batuta.language.folding import stem

MAX_VALUES = 2_000
"""Different values of a column that words are compared with."""
_LEGAL_FORM = re.compile(
    r"(?: (?:s ?l(?: ?u| ?p| ?l)?|s ?a(?: ?u)?|s ?c(?: ?p| ?a)?|s coop|y cia|e hijos|y hermanos|"
    r"ltd|limited|inc|llc|plc|corp|gmbh|ag|bv|b v|srl|s r l|sarl|lda|ltda|and co|co))+$"
)
"""At the end of a company's name, folded."""
_ARTICLES = ("el", "la", "los", "las", "the", "a", "al", "de", "del", "country", "pais", "cliente", "customer")


def names_of(column: Column) -> set[str]:
    """What a column may be called: its name, its label, each long word of them, and synonyms in both languages."""
    plain = {folded(column.name.replace("_", " ")), folded(column.title)}
    parts = {part for name in plain for part in name.split() if len(part) > 3}
    names = plain | (parts if len(plain | parts) > 1 else set())
    for key, words in COLUMN_WORDS.items():
        group = {folded(word) for word in (key, *words)}
        is_other = key in FIGURES and not column.is_numeric  # a channel of sales is no amount
        if group & names and not is_other:
            names = names | group
    return {form for name in names if name for form in forms_of(name)}


def is_called(column: Column, word: str) -> bool:
    """Whether a word names a column, or what is done on its day: "hires" of a column Hired."""
    is_day = column.type in ("date", "datetime")
    return word in names_of(column) or (is_day and stem(word) in {stem(name) for name in names_of(column)})


def are_alike(figures: Sequence[Column]) -> bool:
    """Whether figures are measured in the same: bars of them stand side by side."""
    return len({(one.unit, one.currency, one.currency_column, one.is_additive) for one in figures}) == 1


def named_values(table: Dataset) -> dict[str, str]:
    """The values of a table's texts by what people call them: without a legal form, as a country, inflected."""
    known: dict[str, str] = {}
    for column in table.columns:
        if column.type == "text":
            for value in different(table.values(column.name)):
                known.setdefault(folded(value), value)
    for words in COUNTRY_WORDS.values():
        held = next((known[folded(word)] for word in words if folded(word) in known), None)
        if held is not None:
            known |= {folded(word): held for word in words if len(word) > 3}
    shorts = Counter(short for name in known if (short := _without_legal_form(name)) not in known)
    known |= {short: known[name] for name in tuple(known) if shorts[short := _without_legal_form(name)] == 1}
    return known | inflected(known, {name for column in table.columns for name in names_of(column)})


def known_words(table: Dataset) -> set[str]:
    """Names of columns and values of texts: a month that is one of them is no time."""
    names = {name for column in table.columns for name in (folded(column.title), folded(column.name))}
    texts = (different(table.values(column.name)) for column in table.columns if column.type == "text")
    return names | {folded(value) for values in texts for value in values}


def table_words(table: Dataset) -> list[str]:
    """What a table is called, each word of it."""
    return folded(f"{table.name.replace('_', ' ')} {table.title}").split()


def forms_of(word: str) -> set[str]:
    """A word and its other number."""
    return {word, _singular(word), f"{word}s", f"{word}es"}


def is_period_column(column: Column, unit: str) -> bool:
    """Whether a column holds periods of a unit as text: `month`, `Mes`."""
    return column.type == "text" and folded(column.title) in {unit, *map(folded, UNIT_NAMES[unit].values())}


def different(values: Sequence[Value]) -> list[str]:
    """The texts of a column, each once."""
    return list(dict.fromkeys(str(value) for value in values if value))[:MAX_VALUES]


def values_beside(values: Sequence[str], table: Dataset) -> list[str]:
    """All values of the columns that hold one of some."""
    texts = [table.values(column.name) for column in table.columns if column.type == "text"]
    return list(dict.fromkeys(value for held in texts if set(values) & set(held) for value in different(held)))


def with_joints(words: Iterable[str]) -> list[str]:
    """Words as they stand before a name: "sin", "sin el", "without the"."""
    return [joined for word in words for joined in (word, *(f"{word} {article}" for article in _ARTICLES))]


def _without_legal_form(name: str) -> str:
    """The folded name of a company as people say it: without S.L., y Cía., Ltd."""
    return _LEGAL_FORM.sub("", name)


def _singular(word: str) -> str:
    return (
        word[:-2]
        if word.endswith("es") and len(word) > 5
        else word[:-1]
        if word.endswith("s") and len(word) > 4
        else word
    )
