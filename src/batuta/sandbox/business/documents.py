"""Headers of sales and purchase documents: numbers, defaults from customer or vendor, changes, deletion."""

from datetime import date

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business.company import local_currency
from batuta.sandbox.business.dimensions import (
    DimensionWriter,
    dimension_set,
    preset_dimensions,
    remove_sets,
    replace_set,
    shortcut_codes,
    with_shortcuts,
)
from batuta.sandbox.business.fields import day, is_set, number, reference, text
from batuta.sandbox.business.lines import retax_lines
from batuta.sandbox.business.series import take_number
from batuta.sandbox.business.specs import DOCUMENTS, DocumentSpec, is_posted
from batuta.sandbox.business.totals import update_totals
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.amounts import rounded
from batuta.sandbox.ledger.dates import DateFormulaError, apply_formula
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row

CREATE_REFUSED = {
    "All": {"salesQuotes", "salesOrders", "salesInvoices", "purchaseOrders", "purchaseInvoices"},
    "Invoice": {"salesQuotes", "salesOrders", "salesInvoices"},
    "Ship": {"salesQuotes", "salesOrders"},
}
"""Which documents a blocked customer or vendor cannot have; credit memos are always allowed."""
KEPT_AFTER_POSTING = frozenset({"promisedPayDate", "disputeStatusId", "disputeStatus", "lastModifiedDateTime"})
_ADDRESS = {
    "AddressLine1": "addressLine1",
    "AddressLine2": "addressLine2",
    "City": "city",
    "Country": "country",
    "State": "state",
    "PostCode": "postalCode",
}


def register(behaviour: Behaviour) -> None:
    for spec in DOCUMENTS.values():
        _register_document(behaviour, spec)


def _register_document(behaviour: Behaviour, spec: DocumentSpec) -> None:
    @behaviour.on_insert(spec.set)
    def complete(records: Records, values: Row) -> Row:
        return new_header(records, spec, values)

    @behaviour.after_insert(spec.set)
    def give_dimensions(records: Records, row: Row) -> None:
        used = new_document_dimensions(records, spec, row)
        DimensionWriter(records).write(spec.set, [(text(row, "id"), used)])

    @behaviour.on_update(spec.set)
    def check_change(records: Records, row: Row, changes: Row) -> Row:
        return changed_header(records, spec, row, changes)

    @behaviour.after_update(spec.set)
    def follow_change(records: Records, before: Row, row: Row) -> None:
        if is_posted(spec, text(row, "status")):
            return
        payers = (f"{spec.party_name}Id", f"{spec.bill_to_party}Id")
        if any(before.get(name) != row.get(name) for name in payers):
            retax_lines(records, spec, row)
        watched = (*payers, "discountAmount", "pricesIncludeTax", "currencyCode")
        if any(before.get(name) != row.get(name) for name in watched):
            update_totals(records, spec, text(row, "id"))

    @behaviour.on_delete(spec.set)
    def remove_lines(records: Records, row: Row) -> None:
        if is_posted(spec, text(row, "status")):
            raise ApplicationError(f"{spec.noun} {text(row, 'number')} is posted and cannot be deleted.")
        if spec.is_order:
            _refuse_open_movements(records, spec, row)
        remove_document_lines(records, spec, text(row, "id"))


def _refuse_open_movements(records: Records, spec: DocumentSpec, row: Row) -> None:
    lines = records.find(spec.lines, documentId=text(row, "id"))
    if any(number(line, spec.moved) != number(line, "invoicedQuantity") for line in lines):
        raise ApplicationError(
            f"{spec.noun} {text(row, 'number')} cannot be deleted: goods have been moved that are not invoiced yet."
        )


def new_header(records: Records, spec: DocumentSpec, values: Row) -> Row:
    """The values of a new document: what was given, else what the customer or vendor says."""
    party = party_of(records, spec, values)
    check_not_blocked(spec, party)
    table = records.store.table(spec.set)
    defaults = {name: value for name, value in header_defaults(records, spec, party).items() if name in table.columns}
    _take_discount(values)
    header: Row = {**defaults, **values, "number": take_number(records, spec.set), "status": "Draft"}
    _complete_bill_to(records, spec, header, values, party)
    today = records.store.today()
    for name in (spec.date, "postingDate"):
        header.setdefault(name, today)
    if "dueDate" in table.columns and "dueDate" not in values:
        header["dueDate"] = due_date(records, header, day(header, spec.date))
    header.update(shortcut_codes(records, new_document_dimensions(records, spec, header)))
    return header


def party_of(records: Records, spec: DocumentSpec, values: Row) -> Row:
    key = reference(values, f"{spec.party_name}Id")
    found = records.get(spec.party_set, key) if key else None
    if found is None:
        raise ApplicationError(f'Give the "{spec.party_name}Id" or the "{spec.party_name}Number" of the document.')
    return found


def check_not_blocked(spec: DocumentSpec, party: Row) -> None:
    if spec.set in CREATE_REFUSED.get(text(party, "blocked"), set()):
        raise ApplicationError(
            f"You cannot create this type of document when {spec.party_name.capitalize()} {text(party, 'number')} is "
            f"blocked with type {text(party, 'blocked')}."
        )


def header_defaults(records: Records, spec: DocumentSpec, party: Row) -> Row:
    """Everything a document takes over from its customer or vendor."""
    name = text(party, "displayName")
    values: Row = {
        f"{spec.party_name}Id": party["id"],
        f"{spec.party_name}Number": party["number"],
        f"{spec.party_name}Name": name,
        f"{spec.bill_to}Name": name,
        f"{spec.bill_to_party}Id": party["id"],
        f"{spec.bill_to_party}Number": party["number"],
        "currencyId": party["currencyId"],
        "currencyCode": text(party, "currencyCode") or local_currency(records),
        "paymentTermsId": party["paymentTermsId"],
        "phoneNumber": party["phoneNumber"],
        "email": party["email"],
        "discountAppliedBeforeTax": True,
    }
    for prefix in (spec.trade_with, spec.bill_to):
        values.update({f"{prefix}{suffix}": party[source] for suffix, source in _ADDRESS.items()})
    if spec.is_purchase:
        own = (records.find("companyInformation") or [{}])[0]
        values["shipToName"] = text(own, "displayName")
        values.update({f"shipTo{suffix}": text(own, source) for suffix, source in _ADDRESS.items()})
    else:
        values.update(shipToName=name, shipmentMethodId=party["shipmentMethodId"], salesperson=party["salespersonCode"])
        values.update({f"shipTo{suffix}": party[source] for suffix, source in _ADDRESS.items()})
    return values


def _take_discount(values: Row) -> None:
    if "discountAmount" in values:
        if number(values, "discountAmount") < 0:
            raise ApplicationError('The "discountAmount" must not be negative.')
        values["discountAmount"] = rounded(number(values, "discountAmount"))


def _complete_bill_to(records: Records, spec: DocumentSpec, header: Row, values: Row, party: Row) -> None:
    payer = reference(values, f"{spec.bill_to_party}Id")
    if payer is None or payer == party["id"]:
        header.update({f"{spec.bill_to_party}Id": party["id"], f"{spec.bill_to_party}Number": party["number"]})
        return
    found = records.get(spec.party_set, payer) or party
    header[f"{spec.bill_to}Name"] = found["displayName"]
    header.update({f"{spec.bill_to}{suffix}": found[source] for suffix, source in _ADDRESS.items()})
    table = records.store.table(spec.set)
    if "paymentTermsId" in table.columns and "paymentTermsId" not in values:
        header["paymentTermsId"] = found["paymentTermsId"]


def due_date(records: Records, header: Row, start: date) -> date:
    """When a document falls due by its payment terms; vendors' invoices have those of the vendor."""
    terms_id = reference(header, "paymentTermsId")
    if terms_id is None and "vendorId" in header:
        vendor = records.get("vendors", text(header, "vendorId"))
        terms_id = reference(vendor, "paymentTermsId") if vendor else None
    terms = records.get("paymentTerms", terms_id) if terms_id else None
    try:
        return apply_formula(text(terms, "dueDateCalculation"), start) if terms else start
    except DateFormulaError as error:
        raise ApplicationError(str(error), code="Application_EvaluateException") from None


def new_document_dimensions(records: Records, spec: DocumentSpec, header: Row) -> tuple[tuple[str, str], ...]:
    base = preset_dimensions(records, text(header, f"{spec.party_name}Id"))
    given = {name: header[name] for name in header if name.startswith("shortcutDimension") and header[name] != ""}
    return with_shortcuts(records, base, given)


def changed_header(records: Records, spec: DocumentSpec, row: Row, changes: Row) -> Row:
    """Check a change of a header and add what follows from it."""
    changed = {name: value for name, value in changes.items() if row.get(name) != value}
    if is_posted(spec, text(row, "status")):
        refused = sorted(changed.keys() - KEPT_AFTER_POSTING)
        if refused:
            raise ApplicationError(
                f"{spec.noun} {text(row, 'number')} is posted: {', '.join(refused)} cannot be changed any more."
            )
        return changes
    _take_discount(changes)
    party_key = f"{spec.party_name}Id"
    if party_key in changed:
        party = party_of(records, spec, changes)
        check_not_blocked(spec, party)
        table = records.store.table(spec.set)
        defaults = {name: v for name, v in header_defaults(records, spec, party).items() if name in table.columns}
        changes = {**defaults, **changes}
    if {spec.date, "paymentTermsId", party_key} & changed.keys() and "dueDate" in row and "dueDate" not in changes:
        merged = {**row, **changes}
        changes["dueDate"] = due_date(records, merged, day(merged, spec.date))
    shortcuts = {name for name in changed if name.startswith("shortcutDimension")}
    if shortcuts:
        used = with_shortcuts(
            records, dimension_set(records, text(row, "id")), {name: changes[name] for name in shortcuts}
        )
        replace_set(records, spec.set, text(row, "id"), used)
        changes.update(shortcut_codes(records, used))
    if "postingDate" in changed and not is_set(day(changes, "postingDate")):
        raise ApplicationError("Posting Date must have a value.")
    return changes


def remove_document_lines(records: Records, spec: DocumentSpec, document: str) -> None:
    lines = [text(line, "id") for line in records.find(spec.lines, documentId=document)]
    remove_sets(records, [document, *lines])
    records.sql(
        f'DELETE FROM "{spec.lines}" WHERE company = ? AND documentId = ?',
        (records.company, document),
    )
