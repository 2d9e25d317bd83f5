"""What a write brought, in words: the kind of document, its number, whose it is and how much."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from batuta.agents.erp.changes.outcomes import JOURNALS, SHIPPING, WriteOutcome
from batuta.agents.erp.changes.phrases import noun_of, phrase
from batuta.agents.erp.changes.steps import MAKE_ACTIONS
from batuta.agents.erp.measures.records import plain_member
from batuta.agents.erp.naming import field_label
from batuta.agents.erp.wording import amount_in_words
from batuta.connectors.erp import ErpRecord

_OF_VENDORS = ("purchaseInvoices", "vendorPayments")
_ACTIONS = {"post": "posted", "postAndSend": "posted", "cancel": "canceled", "cancelAndSend": "canceled"}


def outcome_in_words(outcome: WriteOutcome, language: str) -> str:
    """One sentence: what was done, with the number of the document it led to."""
    change = outcome.change
    what = record_in_words(outcome.record, language) if outcome.record else _gone(outcome, language)
    before = f"{noun_of(change.entity, language)} {outcome.before}".strip()
    match change.kind:
        case "create":
            return phrase("created", language, what=what)
        case "update":
            return phrase("updated", language, what=f"{what} ({_values(change.values, language)})")
        case "delete":
            return phrase("deleted", language, what=what)
        case _ if change.entity == JOURNALS:
            is_ours = outcome.record is not None and outcome.record.entity in _OF_VENDORS
            return phrase("vendor_payment_posted" if is_ours else "payment_posted", language, what=what)
        case _ if change.action in SHIPPING:
            done = "received" if change.action == "receiveAndInvoice" else "shipped"
            return phrase(done, language, before=before, what=what)
        case _ if change.action in MAKE_ACTIONS.values():
            return phrase("made", language, before=before[:1].upper() + before[1:], what=what)
        case _:
            return phrase(_ACTIONS.get(str(change.action), "done"), language, what=what, action=change.action)


def record_in_words(record: ErpRecord, language: str) -> str:
    """A record as a person names it: "invoice **103152** of Hoteles Ribalta, 1,234.50 €"."""
    values = record.values
    number = str(values.get("number") or values.get("documentNumber") or "")
    owner = str(values.get("customerName") or values.get("vendorName") or values.get("description") or "")
    called = str(values.get("displayName") or "")
    parts = [f"{noun_of(record.entity, language)} **{number}**" if number else noun_of(record.entity, language)]
    parts += [part for part in (called, owner if not called else "") if part]
    total = values.get("totalAmountIncludingTax", values.get("amount"))
    if total is not None:
        amount = abs(Decimal(str(total)))
        parts.append(amount_in_words(amount, "money", str(values.get("currencyCode") or ""), language))
    if status := _status(values, language):
        parts.append(status + _remaining(values, language))
    return ", ".join(parts)


_STATUS = {
    "en": {"Draft": "draft", "Open": "open", "Paid": "paid", "Canceled": "canceled", "Corrective": "corrective"},
    "es": {"Draft": "borrador", "Open": "pendiente", "Paid": "pagada", "Canceled": "anulada", "Corrective": "rectificativa"},
}  # fmt: skip


_FLAGS = {"en": ("no", "yes"), "es": ("no", "sí")}


def _status(values: Mapping[str, Any], language: str) -> str:
    return _STATUS[language].get(str(values.get("status") or ""), "")


def _remaining(values: Mapping[str, Any], language: str) -> str:
    """What is left to pay of a document that was paid in part."""
    if values.get("remainingAmount") is None or values.get("totalAmountIncludingTax") is None:
        return ""
    left, total = (abs(Decimal(str(values[name]))) for name in ("remainingAmount", "totalAmountIncludingTax"))
    if not 0 < left < total:
        return ""
    currency = str(values.get("currencyCode") or "")
    shown = [amount_in_words(amount, "money", currency, language) for amount in (left, total)]
    return ": " + phrase("remaining", language, left=shown[0], total=shown[1])


def _gone(outcome: WriteOutcome, language: str) -> str:
    return f"{noun_of(outcome.change.entity, language)} {outcome.before}".strip()


def _values(values: Mapping[str, Any], language: str) -> str:
    shown = []
    for name, value in values.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            text = amount_in_words(Decimal(str(value)), "money", None, language)
        elif isinstance(value, bool):
            text = _FLAGS[language][value]
        else:
            text = plain_member(value).strip() or "—"
        shown.append(phrase("set", language, field=field_label(name, language), value=text))
    return "; ".join(shown)
