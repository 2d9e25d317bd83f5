"""Limits on an amount: "more than 5,000", "menos de 60 días"."""

import re

from batuta.language.findings import TextSpan
from batuta.language.folding import aligned

_AMOUNT = r"(?P<amount>\d[\d.,]*(?:\s?(?:k|mil|thousand)\b)?)"
_BOUND_UNIT = r"\s*(?P<unit>days?|dias?|€|eur(?:os?)?\b|%|units?|unidades)?"
BOUND = re.compile(
    r"(?:(?P<above>\b(?:more\s+than|over|above|greater\s+than|larger\s+than|higher\s+than|exceed(?:s|ing)?|at\s+least|"
    r"mas\s+de|mayor(?:es)?\s+(?:de|que|a)|superior(?:es)?\s+a|supera[n]?|por\s+encima\s+de|al\s+menos|(?:como\s+)?minimo)|>=?)|"
    r"(?P<below>\b(?:less\s+than|under|below|fewer\s+than|lower\s+than|smaller\s+than|at\s+most|"
    r"menos\s+de|menor(?:es)?\s+(?:de|que|a)|inferior(?:es)?\s+a|por\s+debajo\s+de|como\s+maximo)|<=?))"
    rf"\s*(?:los\s+|las\s+|€\s*|eur\s*)?{_AMOUNT}{_BOUND_UNIT}"
)
"""Matches folded text: the side (`above` or `below`), the `amount` and its `unit`, where it has one."""


def bound_spans(text: str) -> list[TextSpan]:
    """Where a text limits an amount: a number there is neither a year nor the number of a record."""
    return [TextSpan(start=each.start(), end=each.end()) for each in BOUND.finditer(aligned(text))]
