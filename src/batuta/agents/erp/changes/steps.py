"""The steps of a workflow over documents: which write comes next, and what it has to know to be found done.

    quote  --make:salesOrders-->  order  --post-->  posted invoice  --pay-->  payment line  --post_payment-->  paid

Each write carries what tells whether it took place: the lines of a journal, the invoices an order had before it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from batuta.agents.erp.changes.lookups import ErpLookup
from batuta.connectors.erp import ErpRecord, RecordQuery
from batuta.connectors.odata.filters import Compare

POST_ACTIONS: Mapping[str, str] = {
    "salesOrders": "shipAndInvoice", "purchaseOrders": "receiveAndInvoice", "salesInvoices": "post",
    "salesCreditMemos": "post", "purchaseInvoices": "post", "purchaseCreditMemos": "post",
}  # fmt: skip
"""What posts a document of each kind."""
MAKE_ACTIONS: Mapping[str, str] = {"salesOrders": "makeOrder", "salesInvoices": "makeInvoice"}
PAYMENTS: Mapping[str, tuple[str, str, str, int]] = {
    "salesInvoices": ("customerPaymentJournals", "customerPayments", "customerId", -1),
    "purchaseInvoices": ("vendorPaymentJournals", "vendorPayments", "vendorId", 1),
}
"""Journals, lines, the party's field and the sign of a payment for each kind of invoice."""
_PARTY_SETS = {"customerId": "customers", "vendorId": "vendors"}
_NO_PAYMENTS = ("All", "Payment")
"""Ways of being blocked in which no payment can be posted."""
LINE_SETS = ("customerPayments", "vendorPayments")
MAX_LINES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class NextWrite:
    """A write of a workflow."""

    tool: str
    args: Mapping[str, Any]


async def next_write(
    lookup: ErpLookup,
    record: ErpRecord,
    step: str,
    then: Sequence[str],
    *,
    today: date,
    amount: Decimal | None = None,
) -> NextWrite | str:
    """The write that a step is for a record; the name of a phrase that says why there is none."""
    company = lookup.company.display_name
    if step == "pay":
        return await _payment(lookup, record, then, today=today, amount=amount)
    if step == "post_payment":
        return await _payment_posting(lookup, record, then)
    target = step.removeprefix("make:") if step.startswith("make:") else ""
    action = MAKE_ACTIONS.get(target) if target else "cancel" if step == "cancel" else POST_ACTIONS.get(record.entity)
    if action is None:
        return "no_step"
    args = {
        "entity": record.entity, "record_id": record.id, "etag": record.etag, "action": action, "company": company,
        "seen": await _seen(lookup, record, action),
    }  # fmt: skip
    return NextWrite(tool="run_action", args=_with_steps(args, then))


async def _seen(lookup: ErpLookup, record: ErpRecord, action: str) -> dict[str, Any]:
    """What tells afterwards whether an action took place and what arose from it."""
    seen: dict[str, Any] = {"number": record.values.get("number", "")}
    if action in ("shipAndInvoice", "receiveAndInvoice"):
        seen["invoices"] = [one.id for one in await invoices_of_order(lookup, record.entity, str(seen["number"]))]
    if action in MAKE_ACTIONS.values():
        target = next(entity for entity, name in MAKE_ACTIONS.items() if name == action)
        seen["customer"] = record.values.get("customerId", "")
        seen["total"] = str(record.values.get("totalAmountIncludingTax", ""))
        there = await lookup.read(target, Compare("customerId", "eq", str(seen["customer"])), limit=MAX_LINES)
        seen["documents"] = [one.id for one in there if str(one.values["totalAmountIncludingTax"]) == seen["total"]]
    return seen


async def _payment(
    lookup: ErpLookup, invoice: ErpRecord, then: Sequence[str], *, today: date, amount: Decimal | None
) -> NextWrite | str:
    if invoice.entity not in PAYMENTS:
        return "no_step"
    journals, lines, party, sign = PAYMENTS[invoice.entity]
    left = Decimal(str(invoice.values.get("remainingAmount") or invoice.values.get("totalAmountIncludingTax") or 0))
    if str((await lookup.get(_PARTY_SETS[party], str(invoice.values[party]))).values.get("blocked")) in _NO_PAYMENTS:
        return "party_blocked"
    paid = sign * (amount if amount is not None else left)
    entered = await _entered_alike(lookup, invoice, paid)
    if entered is not None:  # its posting was refused or not approved: the line is there already
        return await _payment_posting(lookup, entered, then)
    journal = await _empty_journal(lookup, journals, lines)
    if journal is None:
        return "no_journal"
    values = {
        "journalId": journal.id, party: invoice.values[party], "postingDate": today.isoformat(),
        "amount": float(paid), "appliesToInvoiceId": invoice.id,
    }  # fmt: skip
    args = {"entity": lines, "values": values, "company": lookup.company.display_name}
    return NextWrite(tool="create_record", args=_with_steps(args, ("post_payment", *then)))


async def _empty_journal(lookup: ErpLookup, journals: str, lines: str) -> ErpRecord | None:
    """A batch without lines: posting one posts everything in it."""
    async for page in lookup.access.connector.pages(lookup.company.id, RecordQuery(entity=journals)):
        for journal in page.records:
            if not await journal_lines(lookup, journal.id, (lines,)):
                return journal
    return None


async def entered_payments(lookup: ErpLookup) -> list[ErpRecord]:
    """The payments in all journals that are not posted yet."""
    found: list[ErpRecord] = []
    for journals, lines, _, _ in PAYMENTS.values():
        if journals in lookup.access.catalogue.entities:
            async for page in lookup.access.connector.pages(lookup.company.id, RecordQuery(entity=journals)):
                for journal in page.records:
                    found += await journal_lines(lookup, journal.id, (lines,))
    return found


async def _entered_alike(lookup: ErpLookup, invoice: ErpRecord, paid: Decimal) -> ErpRecord | None:
    """The same payment, alone in its journal."""
    lines = await entered_payments(lookup)
    same = [one for one in lines if one.values.get("appliesToInvoiceId") == invoice.id]
    is_same = len(same) == 1 and Decimal(str(same[0].values.get("amount"))) == paid
    others = [one for one in lines if same and one.values.get("journalId") == same[0].values.get("journalId")]
    return same[0] if is_same and len(others) == 1 else None


async def _payment_posting(lookup: ErpLookup, line: ErpRecord, then: Sequence[str]) -> NextWrite | str:
    if line.entity not in LINE_SETS:
        return "no_step"
    journal_id = str(line.values["journalId"])
    journal = await lookup.get("journals", journal_id)
    there = await journal_lines(lookup, journal_id)
    args = {
        "entity": "journals", "record_id": journal_id, "etag": journal.etag, "action": "post",
        "company": lookup.company.display_name,
        "seen": {
            "lines": {one.id: one.etag for one in there}, "number": line.values.get("documentNumber", ""),
            "invoice": line.values.get("appliesToInvoiceId", ""), "entity": line.entity,
        },
    }  # fmt: skip
    return NextWrite(tool="run_action", args=_with_steps(args, then))


async def journal_lines(lookup: ErpLookup, journal_id: str, sets: Sequence[str] = LINE_SETS) -> list[ErpRecord]:
    """The payments that a journal holds."""
    found: list[ErpRecord] = []
    for entity in sets:
        if entity in lookup.access.catalogue.entities:
            found += await lookup.read(entity, Compare("journalId", "eq", journal_id), limit=MAX_LINES)
    return found


async def invoices_of_order(lookup: ErpLookup, entity: str, number: str) -> list[ErpRecord]:
    """The posted invoices of an order, the newest first."""
    invoices = "purchaseInvoices" if entity == "purchaseOrders" else "salesInvoices"
    return await lookup.read(invoices, Compare("orderNumber", "eq", number), order_by=("number desc",))


def _with_steps(args: dict[str, Any], then: Sequence[str]) -> dict[str, Any]:
    return {**args, **({"then": list(then)} if then else {})}
