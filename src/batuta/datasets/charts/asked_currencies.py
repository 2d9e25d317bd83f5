"""The currency that a request keeps to: "hotel costs in euros" of a table whose rows say their own.

Amounts are never converted: another currency than the table has is not understood.
"""

import re
from dataclasses import dataclass

from batuta.datasets.charts.vocabulary import CURRENCY_WORDS
from batuta.datasets.dataset import Dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCurrency:
    """What a text says of a currency, and the text without it."""

    text: str
    only: str | None = None
    """The code to keep to, as the table writes it."""
    is_asked: bool = False
    """Whether amounts of a currency are asked for, so that nothing is counted."""
    unread: str | None = None
    """The word for a currency that the table does not have."""


def asked_currency(text: str, table: Dataset) -> AskedCurrency:
    """The currency that a folded text with a space at both ends asks for."""
    held = _held(table)
    for code, words in CURRENCY_WORDS.items():
        match = re.search(rf"(?: (?:in|en))? ({'|'.join(words)})(?= )|(?: (?:in|en)) ({code.lower()})(?= )", text)
        if match is None:
            continue
        rest = f"{text[: match.start()]}{text[match.end() :]}"
        if code in held:
            return AskedCurrency(text=rest, only=held[code], is_asked=True)
        own = {column.currency for column in table.columns if column.currency is not None}
        if code in own or not (own or held):  # a table that says no currency may be in any
            return AskedCurrency(text=rest, is_asked=bool(own))
        return AskedCurrency(text=text, unread=match[1] or match[2])
    return AskedCurrency(text=text)


def _held(table: Dataset) -> dict[str, str]:
    """Codes that rows of the table say, as they are written."""
    names = {column.currency_column for column in table.columns if column.currency_column is not None}
    values = [str(value) for name in sorted(names) for value in table.values(name) if value]
    return {value.strip().upper(): value for value in values}
