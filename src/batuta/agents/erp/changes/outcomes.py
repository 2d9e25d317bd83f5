"""Whether a write took place and what arose from it, found out from the records themselves.

A changed version alone proves nothing: another person may have been there. So each kind of change is looked for by what
it leaves: the values it set, the state a document has after it, the invoice of an order, the entries of a journal.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from batuta.agents.erp.changes.lookups import ErpLookup
from batuta.agents.erp.changes.steps import MAKE_ACTIONS, invoices_of_order, journal_lines
from batuta.connectors.erp import ErpCompany, ErpRecord, RecordChange
from batuta.connectors.odata.filters import Compare
from batuta.kernel.errors import MissingRecordError, RecordChangedError, ToolFailedError

JOURNALS = "journals"
SHIPPING = ("shipAndInvoice", "receiveAndInvoice")
_CANCELED = ("Canceled", "Corrective")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOutcome:
    """A change that took place."""

    change: RecordChange
    company: ErpCompany
    record: ErpRecord | None
    """The record it left: the same, or the order a quote became, or the invoice of an order; none after a deletion."""
    before: str = ""
    """The number the record had when it was shown."""


Seen = Mapping[str, Any]


async def require_unchanged(lookup: ErpLookup, change: RecordChange, seen: Seen) -> None:
    """Refuse an action on what is not as it was shown: an action has no If-Match of its own."""
    if change.kind != "action" or change.record_id is None:
        return
    if change.entity == JOURNALS:
        if "lines" not in seen:
            raise ToolFailedError(
                "a journal is posted with `seen`: the ids and versions of its lines, from `next_step`"
            )
        there = {one.id: one.etag for one in await journal_lines(lookup, change.record_id)}
        if there != seen["lines"]:
            raise RecordChangedError(f"the journal {change.record_id} has other lines now", status=409)
        return
    current = await lookup.get(change.entity, change.record_id)
    if change.etag and current.etag != change.etag:
        raise RecordChangedError(f"{change.entity} {change.record_id} has another version now", status=409)


async def found_done(lookup: ErpLookup, change: RecordChange, seen: Seen) -> WriteOutcome | None:
    """What a change brought whose answer was lost, or `None` if it did not take place."""
    assert change.record_id is not None
    if change.kind == "action" and change.entity == JOURNALS:
        return await _posted_journal(lookup, change, seen)
    try:
        current = await lookup.get(change.entity, change.record_id)
    except MissingRecordError:
        return await _of_a_missing_record(lookup, change, seen)
    is_done = change.kind == "create"
    if change.kind == "update":
        is_done = _has_values(current, change.values)
    if change.kind == "action":
        is_done = _has_acted(change, current)
    if change.kind == "action" and change.action in SHIPPING:
        is_done = bool(await _new_invoices(lookup, change, seen))
    return await what_arose(lookup, change, seen, current) if is_done else None


async def what_arose(lookup: ErpLookup, change: RecordChange, seen: Seen, record: ErpRecord | None) -> WriteOutcome:
    """The outcome of a change that took place: what a document became where it became another."""
    found = record
    if change.kind == "action":
        if change.action in MAKE_ACTIONS.values():
            found = await _made(lookup, change, seen) or record
        elif change.action in SHIPPING:
            found = next(iter(await _new_invoices(lookup, change, seen)), record)
        elif change.entity == JOURNALS and (invoice := seen.get("invoice")):
            entity = "salesInvoices" if seen.get("entity") == "customerPayments" else "purchaseInvoices"
            found = await lookup.get(entity, str(invoice))
    return WriteOutcome(change=change, company=lookup.company, record=found, before=str(seen.get("number") or ""))


async def _of_a_missing_record(lookup: ErpLookup, change: RecordChange, seen: Seen) -> WriteOutcome | None:
    """A record that is gone was deleted, or became another one."""
    if change.kind == "delete":
        return WriteOutcome(change=change, company=lookup.company, record=None, before=str(seen.get("number") or ""))
    if change.kind != "action":
        return None
    is_found = True
    if change.action in MAKE_ACTIONS.values():
        is_found = await _made(lookup, change, seen) is not None
    elif change.action in SHIPPING and seen.get("number"):
        is_found = bool(await _new_invoices(lookup, change, seen))
    return await what_arose(lookup, change, seen, None) if is_found else None


async def _posted_journal(lookup: ErpLookup, change: RecordChange, seen: Seen) -> WriteOutcome | None:
    """A journal was posted if its lines are gone and their document stands in the ledger."""
    there = {one.id for one in await journal_lines(lookup, str(change.record_id))}
    if there & set(seen.get("lines", ())):
        return None
    number = str(seen.get("number") or "")
    entries = await lookup.read("generalLedgerEntries", Compare("documentNumber", "eq", number), limit=1)
    return await what_arose(lookup, change, seen, None) if entries else None


async def _new_invoices(lookup: ErpLookup, change: RecordChange, seen: Seen) -> list[ErpRecord]:
    known = set(seen.get("invoices", ()))
    number = str(seen.get("number") or "")
    if not number:
        return []
    return [one for one in await invoices_of_order(lookup, change.entity, number) if one.id not in known]


async def _made(lookup: ErpLookup, change: RecordChange, seen: Seen) -> ErpRecord | None:
    """The order or invoice that a quote became: of its customer, with its total, and not there before."""
    target = next(entity for entity, action in MAKE_ACTIONS.items() if action == change.action)
    customer, known = str(seen.get("customer") or ""), set(seen.get("documents", ()))
    if not customer:
        return None
    newest = await lookup.read(target, Compare("customerId", "eq", customer), order_by=("number desc",), limit=200)
    same = [one for one in newest if _is_equal(one.values.get("totalAmountIncludingTax"), seen.get("total"))]
    return next((one for one in same if one.id not in known), None)


def _has_acted(change: RecordChange, current: ErpRecord) -> bool:
    status = current.values.get("status")
    match change.action:
        case "post" | "postAndSend":
            return status not in (None, "Draft")
        case "cancel" | "cancelAndSend":
            return status in _CANCELED
        case _ if change.action in MAKE_ACTIONS.values():
            return False
        case _:
            return current.etag != change.etag


def _has_values(current: ErpRecord, wanted: Mapping[str, Any]) -> bool:
    return all(_is_equal(current.values.get(name), value) for name, value in wanted.items())


def _is_equal(now: Any, wanted: Any) -> bool:
    if now == wanted:
        return True
    try:
        return Decimal(str(now)) == Decimal(str(wanted))
    except InvalidOperation:
        return str(now or "") == str(wanted or "")
