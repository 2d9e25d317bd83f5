"""Two figures of the same records set against each other: "stock against price" asks for the items."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from batuta.datasets.charts.vocabulary import AGAINST_WORDS
from batuta.language.folding import fold

COMPARED_FIELDS: Final[Mapping[str, Sequence[str]]] = {
    "items": ("stock|inventory|existencias?|inventario", "prices?|precios?", "costs?|costes?|costos?"),
    "customers": ("balances?|saldos?", "credit limits?|limites? de credito"),
    "vendors": ("balances?|saldos?",),
}
"""Patterns of what people call the figures of an entity, folded."""
_AGAINST = rf"(?:{'|'.join(AGAINST_WORDS)})\.?(?: (?:el|la|los|las|su|sus|the|their|its|unit))?"


def compared_entity(text: str, last: str) -> str | None:
    """The entity whose records hold both figures that a request sets against each other."""
    plain = fold(text)
    for entity, fields in COMPARED_FIELDS.items():
        either = "|".join(fields)
        found = re.search(rf"\b({either}) {_AGAINST} ({either})\b", plain)
        if found is not None and found[1] != found[2]:
            return entity
    return None
