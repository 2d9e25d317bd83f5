"""Posting of invoices and credit memos, cancellation and correction.

A posted document keeps its id and takes a number of the posted series. Cancelling posts the opposite document and
applies the two to one another; a corrective credit memo is a draft of that opposite, to be changed before it is posted.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business.applying import apply_entries, document_entry, refresh_document
from batuta.sandbox.business.books import (
    PostedDocument,
    business_group,
    check_posting_date,
    stock_costs,
    write_posting,
)
from batuta.sandbox.business.company import company_setup, exchange_rate
from batuta.sandbox.business.dimensions import check_presets, dimension_set
from batuta.sandbox.business.fields import day, flag, number, reference, text
from batuta.sandbox.business.quotes import copy_document
from batuta.sandbox.business.series import take_number
from batuta.sandbox.business.specs import DOCUMENTS, DocumentSpec, is_posted
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.amounts import rounded
from batuta.sandbox.ledger.entries import EntryKind, Posting, PostingError
from batuta.sandbox.ledger.trade import TradeDocument, TradeLine, post_trade
from batuta.sandbox.quirks import quirk_refusal
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row, Value, from_scaled, to_scaled

POST_REFUSED = {"All": {EntryKind.INVOICE, EntryKind.CREDIT_MEMO}, "Invoice": {EntryKind.INVOICE}}
STOCK_DOCUMENTS = {
    "salesInvoices": ("Sale", "Sales_x0020_Invoice"),
    "salesCreditMemos": ("Sale", "Sales_x0020_Credit_x0020_Memo"),
    "salesOrders": ("Sale", "Sales_x0020_Shipment"),
    "purchaseInvoices": ("Purchase", "Purchase_x0020_Invoice"),
    "purchaseCreditMemos": ("Purchase", "Purchase_x0020_Credit_x0020_Memo"),
    "purchaseOrders": ("Purchase", "Purchase_x0020_Receipt"),
}
"""Entry type and document type of the stock movements of each kind of document."""
OPPOSITE = {
    "salesInvoices": "salesCreditMemos",
    "salesCreditMemos": "salesInvoices",
    "purchaseCreditMemos": "purchaseInvoices",
}


def register(behaviour: Behaviour) -> None:
    for set_name in ("salesInvoices", "salesCreditMemos", "purchaseInvoices", "purchaseCreditMemos"):
        _register_post(behaviour, DOCUMENTS[set_name])
    for set_name in OPPOSITE:
        _register_cancel(behaviour, DOCUMENTS[set_name])
    behaviour.action("salesInvoices", "makeCorrectiveCreditMemo")(_make_corrective)
    behaviour.action("salesInvoices", "send")(_send)
    behaviour.action("salesCreditMemos", "send")(_send)


def _register_post(behaviour: Behaviour, spec: DocumentSpec) -> None:
    @behaviour.action(spec.set, "post", "postAndSend")
    def post(records: Records, row: Row, parameters: Mapping[str, Value]) -> None:
        del parameters
        post_document(records, spec, row)


def _register_cancel(behaviour: Behaviour, spec: DocumentSpec) -> None:
    @behaviour.action(spec.set, "cancel", "cancelAndSend")
    def cancel(records: Records, row: Row, parameters: Mapping[str, Value]) -> None:
        del parameters
        cancel_document(records, spec, row)


def post_document(records: Records, spec: DocumentSpec, row: Row) -> str:
    """Post a draft; its number afterwards."""
    if is_posted(spec, text(row, "status")):
        raise ApplicationError(f"{spec.noun} {text(row, 'number')} is already posted.")
    lines = [
        line for line in records.find(spec.lines, documentId=text(row, "id")) if text(line, "lineType") != "Comment"
    ]
    check_can_post(records, spec, row, lines)
    trade_lines = [_invoice_line(records, spec, line) for line in lines]
    posted_number = take_number(records, spec.posted_series)
    document = trade_document(records, spec, row, trade_lines)
    posting = posted(records, document)
    _check_not_credited_twice(records, spec, row)
    entry_ids = write_posting(records, posting, posted_header(spec, row, document, posted_number))
    remember_costs(records, posting)
    records.update(
        spec.set,
        text(row, "id"),
        values={
            "number": posted_number,
            "status": "Open",
            **({"remainingAmount": number(row, "totalAmountIncludingTax")} if "remainingAmount" in row else {}),
        },
    )
    invoice = reference(row, "invoiceId")
    if invoice and entry_ids:
        apply_entries(records, entry_ids[0], [document_entry(records, invoice)], day(row, "postingDate"))
        refresh_document(records, invoice)
    refresh_document(records, text(row, "id"))
    return posted_number


def _check_not_credited_twice(records: Records, spec: DocumentSpec, row: Row) -> None:
    """The credit memos of one invoice together come to no more than the invoice."""
    invoice_id = reference(row, "invoiceId") if spec.kind is EntryKind.CREDIT_MEMO else None
    if not invoice_id:
        return
    invoice = records.get(OPPOSITE[spec.set], invoice_id) or {}
    posted_memos = [
        memo
        for memo in records.find(spec.set, invoiceId=invoice_id)
        if is_posted(spec, text(memo, "status")) and text(memo, "status") != "Canceled"
    ]
    credited = sum((number(memo, "totalAmountIncludingTax") for memo in posted_memos), Decimal(0))
    if posted_memos and credited + number(row, "totalAmountIncludingTax") > number(invoice, "totalAmountIncludingTax"):
        raise quirk_refusal(
            "second_correction",
            f"{spec.noun} {text(row, 'number')} cannot be posted: with {text(posted_memos[-1], 'number')} it would "
            f"credit more than invoice {text(invoice, 'number')} comes to.",
        )


def check_can_post(records: Records, spec: DocumentSpec, row: Row, lines: Sequence[Row]) -> None:
    """Refuse what cannot be posted, before anything is written."""
    name = f"{spec.noun} {text(row, 'number')}"
    if not any(number(line, "quantity") for line in lines):
        raise ApplicationError(f"There is nothing to post: {name} has no lines with a quantity.")
    check_posting_date(records, day(row, "postingDate"))
    for key in {text(row, f"{spec.party_name}Id"), text(row, f"{spec.bill_to_party}Id")}:
        party = records.get(spec.party_set, key)
        if party is None:
            raise ApplicationError(f"The {spec.party_name} of {name} does not exist any more.")
        if spec.kind in POST_REFUSED.get(text(party, "blocked"), set()):
            raise ApplicationError(
                f"{name} cannot be posted: {spec.party_name} {text(party, 'number')} is blocked with type "
                f"{text(party, 'blocked')}."
            )
    if spec.is_purchase and spec.external:
        _check_external_number(records, spec, row)
    if not spec.is_order and number(row, "totalAmountIncludingTax") < 0:
        raise ApplicationError(f"The total of {name} must not be negative.")
    check_dimensions(records, spec, row, lines)


def _check_external_number(records: Records, spec: DocumentSpec, row: Row) -> None:
    """A vendor's invoice is posted once: by the number that the vendor gave it."""
    external = text(row, spec.external)
    if not external:
        raise ApplicationError(f'{spec.noun} {text(row, "number")} needs a "{spec.external}" before it can be posted.')
    found = records.sql(
        "SELECT document_number FROM _party_entries WHERE company = ? AND party_id = ? AND kind = ? AND "
        "external_number = ?",
        (records.company, text(row, "payToVendorId"), spec.kind.value, external),
    )
    if found:
        raise ApplicationError(
            f"{spec.noun} {external} already exists for this vendor: it was posted as {found[0][0]}."
        )


def check_dimensions(records: Records, spec: DocumentSpec, row: Row, lines: Sequence[Row]) -> None:
    party = text(row, f"{spec.party_name}Id")
    owner = f"{spec.party_name} {text(row, f'{spec.party_name}Number')}"
    check_presets(records, party, owner, dimension_set(records, text(row, "id")))
    for line in lines:
        item = reference(line, "itemId")
        if item:
            check_presets(
                records, item, f"item {text(line, 'lineObjectNumber')}", dimension_set(records, text(line, "id"))
            )


def _invoice_line(records: Records, spec: DocumentSpec, line: Row) -> TradeLine:
    """A line of an invoice or credit memo, which moves and invoices its whole quantity."""
    return trade_line(
        records,
        line,
        quantity=number(line, "quantity"),
        amounts=(number(line, "netAmount"), number(line, "netTaxAmount"), number(line, "invoiceDiscountAllocation")),
        moved=(number(line, "quantity"), number(line, "netAmount")),
        return_cost=_return_cost(records, line) if spec.kind is EntryKind.CREDIT_MEMO else None,
    )


def trade_line(
    records: Records,
    line: Row,
    *,
    quantity: Decimal,
    amounts: tuple[Decimal, Decimal, Decimal],
    moved: tuple[Decimal, Decimal],
    return_cost: Decimal | None = None,
) -> TradeLine:
    """A line to post; `amounts` are net, tax and share of the discount, `moved` a quantity and its value."""
    item_id = reference(line, "itemId")
    item = records.get("items", item_id) if item_id else None
    if item and flag(item, "blocked"):
        raise ApplicationError(f"Item {text(item, 'number')} is blocked.")
    is_stocked = bool(item) and text(item or {}, "type") == "Inventory"
    return TradeLine(
        id=text(line, "id"),
        number=text(line, "lineObjectNumber"),
        description=text(line, "description"),
        account="" if item else text(line, "lineObjectNumber"),
        product_group=text(item or {}, "generalProductPostingGroupCode"),
        tax_group=text(line, "taxCode"),
        is_stocked=is_stocked,
        quantity=quantity,
        net=amounts[0],
        tax=amounts[1],
        discount_share=amounts[2],
        moved=moved[0] if is_stocked else Decimal(0),
        moved_value=moved[1],
        return_cost=return_cost,
        dimensions=dimension_set(records, text(line, "id")),
    )


def _return_cost(records: Records, line: Row) -> Decimal | None:
    found = records.sql(
        "SELECT quantity, cost FROM _line_costs WHERE company = ? AND line = ?", (records.company, text(line, "id"))
    )
    if not found or not found[0][0]:
        return None
    quantity, cost = from_scaled(found[0][0]), from_scaled(found[0][1])
    return rounded(cost * number(line, "quantity") / quantity)


def remember_costs(records: Records, posting: Posting, lines: Mapping[str, str] | None = None) -> None:
    """Keep at which cost the goods of each line left, for when they come back; `lines` maps to other line ids."""
    records.sql_many(
        "INSERT OR REPLACE INTO _line_costs VALUES (?, ?, ?, ?)",
        [
            (
                records.company,
                (lines or {}).get(entry.line, entry.line),
                to_scaled(-entry.quantity),
                to_scaled(-entry.cost),
            )
            for entry in posting.stock
            if entry.quantity
        ],
    )


def trade_document(records: Records, spec: DocumentSpec, row: Row, lines: Sequence[TradeLine]) -> TradeDocument:
    setup = company_setup(records)
    payer = text(row, f"{spec.bill_to_party}Id")
    currency = text(row, "currencyCode")
    currency = "" if currency == setup.local_currency else currency
    word = "Order" if spec.is_order else "Invoice" if spec.kind is EntryKind.INVOICE else "Credit Memo"
    return TradeDocument(
        party=spec.party,
        kind=spec.kind,
        party_number=text(row, f"{spec.bill_to_party}Number"),
        business_group=business_group(records, payer),
        description=f"{word} {text(row, 'number')}",
        due=day(row, "dueDate") if "dueDate" in row else day(row, "postingDate"),
        lines=tuple(lines),
        currency=currency,
        rate=exchange_rate(records, currency, day(row, "postingDate")),
        dimensions=dimension_set(records, text(row, "id")),
    )


def posted(records: Records, document: TradeDocument) -> Posting:
    """Run a document through the posting functions with what its items cost now."""
    items = sorted({line.number for line in document.lines if line.is_stocked})
    try:
        return post_trade(document, company_setup(records).posting, stock_costs(records, items) if items else {})
    except PostingError as error:
        raise ApplicationError(str(error)) from None


def posted_header(
    spec: DocumentSpec, row: Row, document: TradeDocument, posted_number: str, stock_number: str = ""
) -> PostedDocument:
    stock_entry, stock_document = STOCK_DOCUMENTS[spec.set]
    return PostedDocument(
        number=posted_number,
        posting_date=day(row, "postingDate"),
        kind=spec.kind,
        id=text(row, "id"),
        external_number=text(row, spec.external) if spec.external else "",
        party=spec.party,
        party_number=document.party_number,
        stock_entry=stock_entry,
        stock_document=stock_document,
        stock_number=stock_number,
    )


def cancel_document(records: Records, spec: DocumentSpec, row: Row) -> None:
    """Post the opposite of a posted document and close the two against one another."""
    name, status = f"{spec.noun} {text(row, 'number')}", text(row, "status")
    if status in {"Canceled", "Corrective"}:
        raise ApplicationError(f"{name} cannot be cancelled: it is already {status.lower()}.")
    if not is_posted(spec, status):
        raise ApplicationError(f"{name} is not posted, so it cannot be cancelled. Delete it instead.")
    entry, charged = document_entry(records, text(row, "id")), _charged(records, text(row, "id"))
    if entry.remaining != charged:
        raise quirk_refusal("cancel_of_a_paid_document", name)
    opposite = DOCUMENTS[OPPOSITE[spec.set]]
    today = records.store.today()
    values: Row = {opposite.date: today, "postingDate": today, "dueDate": today}
    if spec.set == "salesInvoices":
        values.update(invoiceId=row["id"], invoiceNumber=row["number"])
    if opposite.is_purchase:
        values[opposite.external] = f"{text(row, spec.external)}-C"[:35]
    draft = copy_document(records, spec, row, opposite, values)
    counter = records.get(opposite.set, text(draft, "id")) or draft
    post_document(records, opposite, counter)
    if _charged(records, text(draft, "id")) != -charged:
        raise ApplicationError(
            f"{name} cannot be cancelled: under today's rounding its opposite would come to another amount. Make a "
            "credit memo or an invoice of that amount instead."
        )
    if spec.set != "salesInvoices":
        apply_entries(records, entry.id, [document_entry(records, text(draft, "id"))], today)
    records.update(opposite.set, text(draft, "id"), values={"status": "Corrective", **_nothing_left(records, opposite)})
    records.update(spec.set, text(row, "id"), values={"status": "Canceled", **_nothing_left(records, spec)})


def _charged(records: Records, document: str) -> Decimal:
    found = records.sql(
        "SELECT amount FROM _party_entries WHERE company = ? AND document_id = ?", (records.company, document)
    )
    return from_scaled(found[0][0]) if found else Decimal(0)


def _nothing_left(records: Records, spec: DocumentSpec) -> Row:
    return {"remainingAmount": Decimal(0)} if "remainingAmount" in records.store.table(spec.set).columns else {}


def _make_corrective(records: Records, row: Row, parameters: Mapping[str, Value]) -> None:
    del parameters
    spec = DOCUMENTS["salesInvoices"]
    if not is_posted(spec, text(row, "status")):
        raise ApplicationError(f"{spec.noun} {text(row, 'number')} is not posted, so there is nothing to correct.")
    if text(row, "status") == "Canceled":
        raise ApplicationError(f"{spec.noun} {text(row, 'number')} is cancelled, so there is nothing to correct.")
    for memo in records.find("salesCreditMemos", invoiceId=text(row, "id")):
        if text(memo, "status") != "Canceled":
            raise quirk_refusal(
                "second_correction",
                f"{spec.noun} {text(row, 'number')} cannot be corrected again: credit memo {text(memo, 'number')} was "
                "already made for it.",
            )
    today = records.store.today()
    values: Row = {"creditMemoDate": today, "postingDate": today, "dueDate": today}
    values.update(invoiceId=row["id"], invoiceNumber=row["number"])
    copy_document(records, spec, row, DOCUMENTS["salesCreditMemos"], values)


def _send(records: Records, row: Row, parameters: Mapping[str, Value]) -> None:
    """Sending leaves no trace in the books: the sandbox has no post office."""
    del parameters
    set_name = "salesInvoices" if records.get("salesInvoices", text(row, "id")) else "salesCreditMemos"
    if not is_posted(DOCUMENTS[set_name], text(row, "status")):
        raise ApplicationError("Only a posted document can be sent. Post it first.")
