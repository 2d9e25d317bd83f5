"""Whose a figure is: what is owed by customers, or to vendors, where the words alone do not say it."""

import re
from collections.abc import Mapping, Sequence

from batuta.agents.erp.access import DESCRIBED, ErpAccess
from batuta.agents.erp.questions.question import FigureQuestion, noun_of
from batuta.language.choices import index_of
from batuta.language.findings import Finding
from batuta.language.folding import fold

_US = "US"
_UNITED_STATES = re.compile(r"\bU\.?S\b")
_BILLS = "payables_due"
_OF_CUSTOMERS = frozenset({"receivables", "receivables_due", "overdue_receivables"})
_OF_VENDORS = frozenset({"payables", "payables_due", "overdue_payables"})
_OWED_EITHER_WAY = frozenset(
    {
        "pendiente de pago",
        "pendientes de pago",
        "por pagar",
        "left to pay",
        "still to pay",
        "to pay",
        "must pay",
        "pendiente de pagar",
        "pendientes de pagar",
        "queda por pagar",
        "quedan por pagar",
        "pagos pendientes",
        "facturas por pagar",
    }
)
"""What may be the customer's to pay as well as ours, folded."""
_OWED_TO_US = re.compile(r"\b(?:us|me|nos|collect\w*|cobr\w+)\b")


def of_vendors(question: FigureQuestion, names: Sequence[str], said: Mapping[str, str], access: ErpAccess) -> list[str]:
    """What is unpaid, late or due of purchase invoices, or of the invoices of a vendor, is owed to vendors alone."""
    noun = noun_of(question.plain)
    is_bill = noun == _BILLS
    is_from_vendor = noun == "invoiced" and _is_from_vendor(question, access)
    if not (is_bill or is_from_vendor) or _OWED_TO_US.search(question.plain):
        return list(names)
    turned = [
        question.book.measures[name].variants.get("to_vendors", name) if name in _OF_CUSTOMERS else name
        for name in names
    ]
    if turned == ["purchases"] and {"due", "overdue"} & set(said):
        return ["payables"]
    owed = [name for name in turned if name in _OF_VENDORS]
    return list(dict.fromkeys(owed if is_bill and owed else turned))


def of_customers(
    question: FigureQuestion, names: Sequence[str], found: Sequence[Finding[str]], access: ErpAccess
) -> list[str]:
    """What is "pendiente de pago" of a customer is owed to us: the words say who pays only where no party is named."""
    only: Sequence[str] = question.values.get("only") or ()
    is_customer = bool(only) and all(
        access.values_named("customer", name) and not access.values_named("vendor", name) for name in only
    )
    is_open = all(fold(each.text) in _OWED_EITHER_WAY for each in found if each.value == "payables")
    return ["receivables" if name == "payables" and is_customer and is_open else name for name in names]


def _is_from_vendor(question: FigureQuestion, access: ErpAccess) -> bool:
    """Whether a vendor is named, by the name: of a number it is not known whose it is."""
    return any(
        access.values_named("vendor", name)
        and not access.values_named("customer", name)
        and not typed_numbers(question, access, "vendor", name)
        for name in question.values.get("only") or ()
    )


def names_vendors_only(question: FigureQuestion, access: ErpAccess) -> bool:
    """Whether all who are named are vendors: what they sell us is bought."""
    only: Sequence[str] = question.values.get("only") or ()
    return bool(only) and all(
        access.values_named("vendor", name) and not access.values_named("customer", name) for name in only
    )


def described_names(question: FigureQuestion, access: ErpAccess) -> list[str]:
    """What is said in other words than its name, and not as a part of a longer one: "Mesa Roble" names no category."""
    said: Sequence[str] = question.values.pop("described", None) or ()
    if not said:
        return []
    named = index_of(access.all_names(), is_names=True).find(question.text, takes_parts=True)
    found = index_of(access.names(DESCRIBED), is_of_records=True).find(question.text)
    covered = {
        each.value
        for each in found
        if any(each.span.overlaps(one.span) and len(one.text) > len(each.text) for one in named)
    }
    return [name for name in said if name not in covered]


def settle_united_states(question: FigureQuestion, access: ErpAccess) -> None:
    """Read "US vendors" as those of a country: in capitals the word is no pronoun."""
    only: Sequence[str] = question.values.get("only") or ()
    is_country = _UNITED_STATES.search(question.text) is not None and not question.text.isupper()
    if is_country and _US not in only and access.values_named("country", _US):
        question.values["only"] = [*only, _US]


def typed_numbers(question: FigureQuestion, access: ErpAccess, kind: str, name: str) -> set[str]:
    """The numbers of a record by which the question calls it."""
    words = {fold(word) for word in access.names(kind).get(name, ())} - {fold(name)}
    return {word for word in words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", question.plain)}
