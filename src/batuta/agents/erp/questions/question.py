"""A business question while it is being settled: its words, its slots, and what is unknown in it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from batuta.agents.erp.measures.model import MeasureBook
from batuta.language.choices import index_of
from batuta.language.dialogue import owner_said
from batuta.language.findings import Finding, TextSpan
from batuta.language.folding import fold
from batuta.language.understanding import Synonyms

NOUNS: Mapping[str, re.Pattern[str]] = {
    "payables_due": re.compile(r"\b(?:bills?|facturas? de (?:compra|proveedor(?:es)?)|purchase invoices?)\b"),
    "invoiced": re.compile(r"\b(?<!\bwe )(?<!\bi )(?<!\bse )(?:invoices?|facturas?)\b"),
    "open_purchase_orders": re.compile(r"\b(?:purchase orders?|pedidos? de compra)\b"),
    "orders_to_ship": re.compile(r"\b(?:orders?|pedidos?)\b"),
    "open_quotes": re.compile(r"\b(?:quotes?|ofertas?|presupuestos?)\b"),
    "credit_memos": re.compile(r"\b(?:credit memos?|credit notes?|abonos?)\b"),
}  # fmt: skip
"""Kinds of documents, and the measure that is meant where none is named with them."""
INVOICING = re.compile(r"\b(?:we|i|se)\s+(?:invoice|bill|factura)$")
"""A verb that is written as a document is: "what did we invoice?" asks for no list of invoices."""
TRADER = r"(?:customers?|clients?|suppliers?|vendors?|clientes?|proveedor(?:es)?)"
PARTY = rf"(?:{TRADER}|items?|products?|articulos?|productos?)"
"""Who is traded with, and what: patterns of folded words."""
_PARTIES = re.compile(rf"\b{PARTY}\b")
_TO_PARTIES = re.compile(rf"\b(?:a|to)\s+\w+\s+{_PARTIES.pattern}")
"""Whom a Spanish pronoun announces: "¿cuánto les debemos a los proveedores?"."""
_HOW_MUCH = ("cuanto", "cuanta")
"""Has the stem of "cuántos", and counts nothing."""
_PERCENT = re.compile(r"(?<!\d)(?<!\d )%")


@dataclass
class FigureQuestion:
    """A question while it is being settled."""

    book: MeasureBook
    values: dict[str, Any]
    text: str
    plain: str
    today: date
    unknown: list[str] = field(default_factory=list)
    excluding: list[TextSpan] = field(default_factory=list)
    """Where words say that a name does not count."""

    @property
    def qualifier_findings(self) -> list[Finding[str]]:
        """What is said of the measure, and where."""
        return index_of(qualifier_words(self.book)).find(self.text)

    @property
    def qualifiers(self) -> dict[str, str]:
        """What is said of the measure, with the words that say it."""
        said = {each.value: each.text for each in self.qualifier_findings if fold(each.text) not in _HOW_MUCH}
        return said | ({"percent": "%"} if _PERCENT.search(self.plain) else {})

    @property
    def is_ranked(self) -> bool:
        return bool(self.values.get("ranking"))


def qualifier_words(book: MeasureBook) -> Synonyms:
    """Qualifiers by their words in both languages."""
    return {name: tuple(word for one in words.values() for word in one) for name, words in book.qualifiers.items()}


def dimension_words(book: MeasureBook, name: str) -> Synonyms:
    """A dimension by its words in both languages."""
    return {name: tuple(word for one in book.dimensions[name].words.values() for word in one)}


def names_documents(text: str) -> bool:
    return any(pattern.fullmatch(fold(text)) for pattern in NOUNS.values())


def unnamed_owner(text: str) -> str:
    """The word that says whose something is, where no party is named before it: "its overdue invoices"."""
    whose, plain = owner_said(text), fold(text)
    before = plain[: plain.index(whose)]
    is_named = _PARTIES.search(before) or noun_of(before) or _TO_PARTIES.search(plain)
    return "" if is_named else whose


def noun_of(plain: str) -> str:
    return next((measure for measure, pattern in NOUNS.items() if pattern.search(plain)), "")
