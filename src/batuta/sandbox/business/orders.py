"""Orders: ship and invoice, receive and invoice, whole or in part.

What is moved now becomes a shipment or receipt, what is invoiced now an invoice that is posted at once. An order whose
lines are all invoiced is gone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business.applying import refresh_document
from batuta.sandbox.business.books import accruals_of, write_posting
from batuta.sandbox.business.dimensions import DimensionWriter, dimension_set
from batuta.sandbox.business.documents import due_date, remove_document_lines
from batuta.sandbox.business.fields import day, flag, number, text
from batuta.sandbox.business.posting import (
    check_can_post,
    posted,
    posted_header,
    remember_costs,
    trade_document,
    trade_line,
)
from batuta.sandbox.business.series import take_number
from batuta.sandbox.business.specs import DOCUMENTS, DocumentSpec
from batuta.sandbox.business.totals import line_values, precision_of
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.amounts import (
    ZERO,
    LineAmounts,
    PricedLine,
    document_amounts,
    part_of,
    rounded,
    shared_out,
)
from batuta.sandbox.ledger.entries import EntryKind
from batuta.sandbox.ledger.trade import TradeLine
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row, Value

_LINE_KINDS = {"Item": "Item", "Account": "G_x002F_L_x0020_Account", "Comment": "_x0020_"}
_NOT_COPIED = frozenset({"id", "number", "status", "lastModifiedDateTime", "documentId"})


def register(behaviour: Behaviour) -> None:
    _register_order(behaviour, DOCUMENTS["salesOrders"], "shipAndInvoice")
    _register_order(behaviour, DOCUMENTS["purchaseOrders"], "receiveAndInvoice")


def _register_order(behaviour: Behaviour, spec: DocumentSpec, name: str) -> None:
    @behaviour.action(spec.set, name)
    def post(records: Records, row: Row, parameters: Mapping[str, Value]) -> None:
        del parameters
        post_order(records, spec, row)


@dataclass(frozen=True, kw_only=True)
class _OrderPart:
    """What one posting does to a line of an order: quantities now, and the amounts of the invoice."""

    line: Row
    moved: Decimal
    invoiced: Decimal
    discount: Decimal
    amounts: LineAmounts
    moved_value: Decimal


def post_order(records: Records, spec: DocumentSpec, row: Row) -> str:
    """Move and invoice what the lines ask for; the number of the posted invoice, if there is one."""
    lines = records.find(spec.lines, documentId=text(row, "id"))
    parts = _parts(records, spec, row, [line for line in lines if text(line, "lineType") != "Comment"])
    check_can_post(records, spec, row, [part.line for part in parts])
    _check_blocked_for_shipping(records, spec, row, parts)
    moved_number = _write_movement(records, spec, row, parts)
    invoice, invoice_lines = _write_invoice(records, spec, row, parts)
    header = invoice or {**row, "number": moved_number}
    accruals = accruals_of(records, [text(part.line, "id") for part in parts]) if spec.is_purchase else {}
    trade_lines = [_trade_line(records, part) for part in parts]
    trade_lines = [replace(line, accrual=accruals[line.id]) if line.id in accruals else line for line in trade_lines]
    document = trade_document(records, spec, {**row, "dueDate": header.get("dueDate", row["postingDate"])}, trade_lines)
    posting = posted(records, document)
    target = {**header, "postingDate": row["postingDate"]}
    source = posted_header(spec, target, document, text(header, "number"), moved_number)
    if invoice is None:
        source = replace(source, kind=EntryKind.NONE, id="")
    elif spec.is_purchase:
        source = replace(source, external_number=text(invoice, "vendorInvoiceNumber"))
    write_posting(records, posting, source)
    if not spec.is_purchase:
        remember_costs(records, posting, invoice_lines)
    if invoice is not None:
        refresh_document(records, text(invoice, "id"))
    _advance(records, spec, row, parts)
    return text(invoice, "number") if invoice else ""


def _parts(records: Records, spec: DocumentSpec, row: Row, lines: Sequence[Row]) -> list[_OrderPart]:
    precision = precision_of(records, text(row, "currencyCode"))
    chosen = []
    for line in lines:
        moved, invoiced = number(line, spec.to_move), number(line, "invoiceQuantity")
        if text(line, "lineType") == "Account":
            moved = max(moved, ZERO)
        after = number(line, spec.moved) + moved
        # What is not moved yet cannot be invoiced; asking for the rest as usual means as much as is possible.
        allowed = after - number(line, "invoicedQuantity")
        if invoiced > allowed and invoiced != number(line, "quantity") - number(line, "invoicedQuantity"):
            raise ApplicationError(
                f"Line {line['sequence']} cannot be invoiced for {invoiced}: only {max(allowed, ZERO)} have been moved."
            )
        chosen.append((line, moved, min(invoiced, max(allowed, ZERO))))
    if not any(moved or invoiced for _, moved, invoiced in chosen):
        raise ApplicationError(f"There is nothing to post on {spec.noun.lower()} {text(row, 'number')}.")
    priced = [_priced(spec, line, invoiced, precision) for line, _, invoiced in chosen]
    amounts = document_amounts(
        priced,
        discount=_order_discount(spec, row, [(line, invoiced) for line, _, invoiced in chosen], priced, precision),
        prices_include_tax=flag(row, "pricesIncludeTax"),
        precision=precision,
    )
    return [
        _OrderPart(
            line=line,
            moved=moved,
            invoiced=invoiced,
            discount=own.discount,
            amounts=amount,
            moved_value=part_of(
                number(line, "netAmount"), number(line, spec.moved), moved, number(line, "quantity"), precision
            ),
        )
        for (line, moved, invoiced), own, amount in zip(chosen, priced, amounts.lines, strict=True)
        if moved or invoiced
    ]


def _priced(spec: DocumentSpec, line: Row, quantity: Decimal, precision: Decimal) -> PricedLine:
    """A line of the invoice; its share of the discount of the order line never exceeds its amount."""
    price = number(line, spec.price)
    share = _share(line, number(line, "discountAmount"), quantity, precision)
    return PricedLine(
        quantity=quantity,
        unit_price=price,
        discount=min(share, rounded(quantity * price, precision)),
        tax_percent=number(line, "taxPercent"),
    )


def _order_discount(
    spec: DocumentSpec,
    row: Row,
    invoiced: Sequence[tuple[Row, Decimal]],
    priced: Sequence[PricedLine],
    precision: Decimal,
) -> Decimal:
    """What the discount of the order gives to this invoice, at most the amount of its lines."""
    entered = [
        rounded(number(line, "quantity") * number(line, spec.price), precision) - number(line, "discountAmount")
        for line, _ in invoiced
    ]
    shares = shared_out(number(row, "discountAmount"), entered, precision)
    discount = sum(
        (_share(line, share, quantity, precision) for (line, quantity), share in zip(invoiced, shares, strict=True)),
        ZERO,
    )
    return min(discount, sum((line.gross(precision) - line.discount for line in priced), ZERO))


def _share(line: Row, amount: Decimal, quantity: Decimal, precision: Decimal) -> Decimal:
    """What an amount of an order line gives to the quantity that is invoiced now."""
    return part_of(amount, number(line, "invoicedQuantity"), quantity, number(line, "quantity"), precision)


def _check_blocked_for_shipping(records: Records, spec: DocumentSpec, row: Row, parts: Sequence[_OrderPart]) -> None:
    party = records.get(spec.party_set, text(row, f"{spec.party_name}Id")) or {}
    if text(party, "blocked") == "Ship" and any(part.moved for part in parts):
        raise ApplicationError(
            f"{spec.noun} {text(row, 'number')} cannot be shipped: customer {text(party, 'number')} is blocked with "
            "type Ship."
        )


def _trade_line(records: Records, part: _OrderPart) -> TradeLine:
    amounts = part.amounts
    return trade_line(
        records,
        part.line,
        quantity=part.invoiced,
        amounts=(amounts.net, amounts.net_tax, amounts.discount_share),
        moved=(part.moved, part.moved_value),
    )


def _write_movement(records: Records, spec: DocumentSpec, row: Row, parts: Sequence[_OrderPart]) -> str:
    """The shipment or receipt of what is moved now; its number."""
    if not any(part.moved for part in parts):
        return ""
    set_name = "purchaseReceipts" if spec.is_purchase else "salesShipments"
    moved_number = take_number(records, set_name)
    header = _copied(records, row, set_name)
    header.update(
        number=moved_number, orderNumber=row["number"], invoiceDate=row["orderDate"], dueDate=row["postingDate"]
    )
    if not spec.is_purchase:
        header.update(_codes(records, row))
    stored = records.insert(set_name, header)
    writer, line_set = DimensionWriter(records), set_name.removesuffix("s") + "Lines"
    writer.write(set_name, [(text(stored, "id"), dimension_set(records, text(row, "id")))])
    sets = []
    for part in (each for each in parts if each.moved):
        line = _copied(records, part.line, line_set)
        line.update(
            documentId=stored["id"],
            quantity=part.moved,
            lineType=_LINE_KINDS[text(part.line, "lineType")],
            **({"unitCost": part.line[spec.price]} if spec.is_purchase else {"documentNo": moved_number}),
        )
        new = records.insert(line_set, line)
        sets.append((text(new, "id"), dimension_set(records, text(part.line, "id"))))
    writer.write(line_set, sets)
    return moved_number


def _codes(records: Records, row: Row) -> Row:
    terms = records.get("paymentTerms", text(row, "paymentTermsId")) or {}
    method = records.get("shipmentMethods", text(row, "shipmentMethodId")) or {}
    return {
        "paymentTermsCode": text(terms, "code"),
        "shipmentMethodCode": text(method, "code"),
        "customerPurchaseOrderReference": text(row, "externalDocumentNumber"),
    }


def _write_invoice(
    records: Records, spec: DocumentSpec, row: Row, parts: Sequence[_OrderPart]
) -> tuple[Row | None, dict[str, str]]:
    """The posted invoice of what is invoiced now, and its lines by order line."""
    target = DOCUMENTS["purchaseInvoices" if spec.is_purchase else "salesInvoices"]
    lines = [part for part in parts if part.invoiced]
    if not lines:
        return None, {}
    net, tax = sum((p.amounts.net for p in lines), ZERO), sum((p.amounts.net_tax for p in lines), ZERO)
    header = _copied(records, row, target.set)
    header.update(
        number=take_number(records, target.posted_series),
        orderId=row["id"],
        orderNumber=row["number"],
        invoiceDate=row["postingDate"],
        status="Open",
        discountAmount=sum((_entered_discount(row, part.amounts) for part in lines), ZERO),
        totalAmountExcludingTax=net,
        totalTaxAmount=tax,
        totalAmountIncludingTax=net + tax,
    )
    header["dueDate"] = due_date(records, {**row, **header}, day(row, "postingDate"))
    if spec.is_purchase:
        header["vendorInvoiceNumber"] = _vendor_invoice_number(records, row)
    else:
        header["remainingAmount"] = net + tax
    stored = records.insert(target.set, header)
    by_order_line = _write_invoice_lines(records, spec, target, stored, lines)
    DimensionWriter(records).write(target.set, [(text(stored, "id"), dimension_set(records, text(row, "id")))])
    return stored, by_order_line


def _entered_discount(row: Row, amounts: LineAmounts) -> Decimal:
    """A line's share of the discount as it was entered: with tax where prices include it."""
    tax = amounts.tax - amounts.net_tax if flag(row, "pricesIncludeTax") else ZERO
    return amounts.discount_share + tax


def _vendor_invoice_number(records: Records, row: Row) -> str:
    """The API gives an order no place for the vendor's number: the order's own stands in, counted up."""
    found = records.sql(
        "SELECT COUNT(*) FROM purchaseInvoices WHERE company = ? AND orderId = ?", (records.company, text(row, "id"))
    )
    return f"{text(row, 'number')}-{int(found[0][0]) + 1}"


def _write_invoice_lines(
    records: Records, spec: DocumentSpec, target: DocumentSpec, invoice: Row, parts: Sequence[_OrderPart]
) -> dict[str, str]:
    sets, by_order_line = [], {}
    columns = records.store.table(target.lines).columns
    for part in parts:
        line = _copied(records, part.line, target.lines)
        line.update(
            documentId=invoice["id"],
            quantity=part.invoiced,
            discountAmount=part.discount,
            **{target.price: part.line[spec.price]},
        )
        line.update({name: value for name, value in line_values(part.amounts).items() if name in columns})
        stored = records.insert(target.lines, line)
        by_order_line[text(part.line, "id")] = text(stored, "id")
        sets.append((text(stored, "id"), dimension_set(records, text(part.line, "id"))))
    DimensionWriter(records).write(target.lines, sets)
    return by_order_line


def _copied(records: Records, row: Row, set_name: str) -> Row:
    columns = records.store.table(set_name).columns
    return {name: value for name, value in row.items() if name in columns and name not in _NOT_COPIED}


def _advance(records: Records, spec: DocumentSpec, row: Row, parts: Sequence[_OrderPart]) -> None:
    """Count what was posted; an order that is invoiced whole is removed."""
    for part in parts:
        moved = number(part.line, spec.moved) + part.moved
        invoiced = number(part.line, "invoicedQuantity") + part.invoiced
        quantity = number(part.line, "quantity")
        records.update(
            spec.lines,
            text(part.line, "id"),
            values={
                spec.moved: moved,
                "invoicedQuantity": invoiced,
                spec.to_move: quantity - moved,
                "invoiceQuantity": quantity - invoiced,
            },
        )
    lines = [
        line for line in records.find(spec.lines, documentId=text(row, "id")) if text(line, "lineType") != "Comment"
    ]
    if all(number(line, "invoicedQuantity") == number(line, "quantity") for line in lines):
        remove_document_lines(records, spec, text(row, "id"))
        records.delete(spec.set, text(row, "id"))
        return
    is_moved = all(number(line, spec.moved) == number(line, "quantity") for line in lines)
    records.update(spec.set, text(row, "id"), values={"status": "Open", spec.is_fully_moved: is_moved})
