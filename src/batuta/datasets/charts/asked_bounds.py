"""Limits that a request names: "only those above 10,000", "tickets of more than 40 hours by team"."""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from batuta.datasets.charts.asked_names import folded
from batuta.datasets.charts.vocabulary import BOUND_WORDS
from batuta.datasets.dataset import Column
from batuta.language.numbers import find_numbers

_WORDS = "|".join(sorted({word for words in BOUND_WORDS.values() for word in words}, key=len, reverse=True))


def asked_bounds(text: str) -> tuple[dict[str, Decimal], str]:
    """What a text compares figures with ("more than 10,000"), and the text without it."""
    found: dict[str, Decimal] = {}
    for number in reversed(find_numbers(text)):
        before = f" {folded(text[: number.span.start])}"
        meant = [
            (len(word), name) for name, words in BOUND_WORDS.items() for word in words if before.endswith(f" {word}")
        ]
        if meant:
            found[max(meant)[1]] = number.value
            text = f"{text[: number.span.start]} {text[number.span.end :]}"
    return found, text


def bounded_figure(
    text: str, columns: Sequence[Column], span_of: Callable[[Column], tuple[int, int] | None]
) -> Column | None:
    """The figure that stands right after the words for a limit in a text without its number: "more than hours"."""
    for column in columns:
        span = span_of(column) if column.is_numeric else None
        if span is not None and re.search(rf" (?:{_WORDS}) $", text[: span[0]]):
            return column
    return None
