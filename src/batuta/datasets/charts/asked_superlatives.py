"""Figures that are asked for by an adjective or a verb: "the cheapest", "la más cara", "how much are the city bikes".

"which is the cheapest model"   -> the figures of the price, the smallest one
"¿cuánto cuestan las urbanas?"  -> the figures of the price
"""

import re
from collections.abc import Mapping
from typing import Any

from batuta.datasets.charts.asked_names import folded
from batuta.datasets.charts.table_words import names_of
from batuta.datasets.charts.vocabulary import COLUMN_WORDS, SUPERLATIVES
from batuta.datasets.dataset import Column, Dataset

_COSTS = (
    r" how much (?:is|are|for) (?!(?:the |all )*(?:total|sum|average))| how much (?:does|do) (?:\w+ )+?cost(?= )|"
    r" (?:que|cuanto) (?:cuestan?|valen?)(?= )"
)
_PRICE = frozenset(map(folded, ("price", *COLUMN_WORDS["price"])))


def asks_price(text: str) -> bool:
    """Whether a text asks for what things cost without naming a price."""
    return re.search(_COSTS, f" {folded(text)} ") is not None


def prices_of(table: Dataset) -> list[Column]:
    """The columns of a table that say what one of something costs: no figures that are added up."""
    return [
        column for column in table.columns if column.is_numeric and not column.is_additive and _PRICE & names_of(column)
    ]


def tells_apart(table: Dataset, column: Column) -> bool:
    """Whether no two rows say the same in a column, and none says nothing."""
    values = [value for value in table.values(column.name) if value not in (None, "")]
    return len(values) == len(table.rows) == len(set(values))


def is_only_sum(changes: Mapping[str, Any], table: Dataset) -> bool:
    """Whether rows of one value are asked for, and the only figure of the table adds up: "how much did Acme buy?"."""
    figures = [column for column in table.columns if column.is_numeric]
    return "only" in changes and "y" not in changes and len(figures) == 1 and figures[0].is_additive


def asked_superlative(text: str, table: Dataset) -> tuple[dict[str, Any], str]:
    """The parts of a request that such a word names, and the text without it. What ranks first is a row, by the name
    that only it has: where rows have no such name, nothing is read.
    """
    plain = f" {folded(text)} "
    key = next((one for one in table.columns if one.type == "text" and tells_apart(table, one)), None)
    for words, order, names in SUPERLATIVES:
        column = next((one for one in table.columns if one.is_numeric and names & names_of(one)), None)
        if key is not None and column is not None and (match := re.search(rf" (?:{words})(?= )", plain)):
            rest = f"{plain[: match.start()]} {plain[match.end() :]}".strip()
            return {"x": key.name, "y": [column.name], "top": 1, "order": order, "kind": "table"}, rest
    costs = prices_of(table)
    has_figure = any(f" {name} " in plain for one in table.columns if one.is_numeric for name in names_of(one))
    if len(costs) != 1 or has_figure or (match := re.search(_COSTS, plain)) is None:
        return {}, text
    return {"y": [costs[0].name]}, f"{plain[: match.start()]} how much {plain[match.end() :]}".strip()
