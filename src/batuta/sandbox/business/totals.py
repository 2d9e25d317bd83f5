"""Totals of a document, recomputed from its lines whenever one of them changes."""

from decimal import Decimal

from batuta.sandbox.business.fields import flag, number, text
from batuta.sandbox.business.specs import DocumentSpec
from batuta.sandbox.ledger.amounts import (
    CENT,
    ZERO,
    DocumentAmounts,
    LineAmounts,
    PricedLine,
    document_amounts,
    rounded,
)
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row, SqlValue, to_scaled

AMOUNT_COLUMNS = (
    "amountExcludingTax", "totalTaxAmount", "amountIncludingTax", "invoiceDiscountAllocation", "netAmount",
    "netTaxAmount", "netAmountIncludingTax",
)  # fmt: skip


def precision_of(records: Records, currency: str) -> Decimal:
    """The smallest amount of a currency."""
    found = records.first("currencies", code=currency) if currency else None
    precision = number(found, "amountRoundingPrecision") if found else ZERO
    return precision or CENT


def amounts_of(spec: DocumentSpec, header: Row, lines: list[Row], precision: Decimal = CENT) -> DocumentAmounts:
    """Amounts of a document by what is on its lines."""
    priced = [
        PricedLine(
            quantity=number(line, "quantity"),
            unit_price=number(line, spec.price),
            discount=number(line, "discountAmount"),
            tax_percent=number(line, "taxPercent"),
        )
        for line in lines
    ]
    return document_amounts(
        priced,
        discount=number(header, "discountAmount"),
        prices_include_tax=flag(header, "pricesIncludeTax"),
        precision=precision,
    )


def update_totals(records: Records, spec: DocumentSpec, document: str) -> None:
    """Store the amounts of all lines and the totals of their document."""
    header = records.get(spec.set, document)
    if header is None:
        return
    lines = records.find(spec.lines, documentId=document)
    precision = precision_of(records, text(header, "currencyCode"))
    header["discountAmount"] = min(number(header, "discountAmount"), _amount_of_lines(spec, lines, precision))
    amounts = amounts_of(spec, header, lines, precision)
    write_line_amounts(records, spec, lines, amounts)
    records.update(
        spec.set,
        document,
        values={
            "discountAmount": header["discountAmount"],
            "totalAmountExcludingTax": amounts.net,
            "totalTaxAmount": amounts.tax,
            "totalAmountIncludingTax": amounts.total,
        },
    )


def _amount_of_lines(spec: DocumentSpec, lines: list[Row], precision: Decimal) -> Decimal:
    """What a discount of the document is taken from: it shrinks with the lines, never below nothing."""
    amounts = (
        rounded(number(line, "quantity") * number(line, spec.price), precision) - number(line, "discountAmount")
        for line in lines
    )
    return max(sum(amounts, ZERO), ZERO)


def write_line_amounts(records: Records, spec: DocumentSpec, lines: list[Row], amounts: DocumentAmounts) -> None:
    names = [name for name in AMOUNT_COLUMNS if name in records.store.table(spec.lines).columns]
    changed: list[tuple[SqlValue, ...]] = []
    for line, row in zip(lines, map(line_values, amounts.lines), strict=True):
        if any(line[name] != row[name] for name in names):
            changed.append((*(to_scaled(row[name]) for name in names), records.company, text(line, "id")))
    assignments = ", ".join(f'"{name}" = ?' for name in names)
    records.sql_many(
        f'UPDATE "{spec.lines}" SET {assignments}, _version = _version + 1 WHERE company = ? AND id = ?',
        changed,
    )


def line_values(line: LineAmounts) -> dict[str, Decimal]:
    """The amounts of a line by the names of their properties."""
    return {
        "amountExcludingTax": line.amount,
        "totalTaxAmount": line.tax,
        "amountIncludingTax": line.amount + line.tax,
        "invoiceDiscountAllocation": line.discount_share,
        "netAmount": line.net,
        "netTaxAmount": line.net_tax,
        "netAmountIncludingTax": line.net + line.net_tax,
    }
