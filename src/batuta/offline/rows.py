"""Rows of tables as sentences, "Item: Kayak | Price (GBP): 14": what they name, and which one has the most of something.

Pure.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from batuta.language.detection import detect_language
from batuta.language.folding import fold
from batuta.language.numbers import digits_value

MAX_ROWS = 10
"""Rows quoted for a question that several answer alike."""

_CELL = re.compile(r"(?P<label>[^|:]+): (?P<value>[^|]*)")
_RULE = re.compile(r"\|?[\s:|-]*-[\s:|-]*\|?")
"""The line below the names of the columns in Markdown."""
_LACKING = frozenset(("", "no", "none", "-", "–", "—", "0", "n/a", "false", "ninguno", "ninguna", "nada"))
_FIGURE = re.compile(r"-?\d[\d.,]*")
_MOST = (
    (r"most expensive|dearest|costs? (?:the )?most|mas car[oa]s?|cuesta mas", max, "price|fee|cost|amount|rate|precio|tarifa|cuota|importe|coste"),
    (r"cheapest|least expensive|costs? (?:the )?least|mas barat[oa]s?|mas economic[oa]s?|cuesta menos", min, "price|fee|cost|amount|rate|precio|tarifa|cuota|importe|coste"),
    (r"heaviest|mas pesad[oa]s?|pesa mas|weighs (?:the )?most", max, "weight|peso"),
    (r"lightest|mas liger[oa]s?|pesa menos|weighs (?:the )?least", min, "weight|peso"),
    (r"longest|mas larg[oa]s?", max, "length|duration|long|longitud|duracion|largo"),
    (r"shortest|mas cort[oa]s?", min, "length|duration|long|longitud|duracion|largo"),
    (r"biggest|largest|mas grandes?", max, "size|area|surface|capacity|tamano|superficie|capacidad"),
    (r"smallest|mas pequen[oa]s?", min, "size|area|surface|capacity|tamano|superficie|capacidad"),
)  # fmt: skip
"""What asks for the row that has the most or the least, and the columns that tell it."""


def is_row(text: str) -> bool:
    """Whether a sentence is a row with the names of its columns."""
    return " | " in text and ": " in text


def is_head(text: str, following: Sequence[str]) -> bool:
    """Whether it only names the columns of the rows that follow it."""
    return " | " in text and ": " not in text and any(is_row(each) or _RULE.fullmatch(each) for each in following)


def columns_of(row: str, text: str) -> str:
    """The names of the columns above a row of a table in Markdown; empty for another sentence."""
    lines = text.splitlines()
    heads = [one for one, other in pairwise(lines) if _RULE.fullmatch(other.strip())]
    return " ".join(heads) if row.startswith("|") else ""


def names_of(row: str) -> str:
    """What a row names: not the column in which it says no."""
    if not is_row(row):
        return row
    cells = [(cell["label"].strip(), cell["value"].strip()) for cell in _CELL.finditer(row)]
    return " | ".join(f"{label}: {value}" for label, value in cells if fold(value) not in _LACKING)


def without_extreme(question: str) -> str:
    """A question without the words that ask for what has the most or the least of something."""
    plain = fold(question)
    for asks, _, _ in _MOST:
        plain = re.sub(rf"\b(?:{asks})\b", " ", plain)
    return question if plain == fold(question) else plain


def asks_extreme(question: str) -> bool:
    """Whether a question asks for what has the most or the least of something."""
    return without_extreme(question) is not question


def extreme_of(question: str, rows: Sequence[str]) -> list[str]:
    """Of the rows of one table, those that have the most or the least of what a question asks for; nothing where that
    cannot be told.
    """
    plain = fold(question)
    for asks, choose, columns in _MOST:
        if not re.search(rf"\b(?:{asks})\b", plain):
            continue
        figures = [(row, _figure(row, columns)) for row in rows]
        known = [figure for _, figure in figures if figure is not None]
        if len(known) < 2:
            return []
        wanted = choose(known)
        return [row for row, figure in figures if figure == wanted]
    return []


def _figure(row: str, columns: str) -> Decimal | None:
    """The figure in the first column of a row that has one of some names."""
    for cell in _CELL.finditer(row):
        found = _FIGURE.search(cell["value"]) if re.search(rf"\b(?:{columns})", fold(cell["label"])) else None
        if found:
            return digits_value(found.group().rstrip(".,"), detect_language(row))[0]
    return None
