"""A small set of posting groups for tests of posting."""

from datetime import date
from decimal import Decimal as Dec

from batuta.sandbox.ledger.entries import EntryKind, Party
from batuta.sandbox.ledger.setup import PostingSetup, TaxRate
from batuta.sandbox.ledger.trade import TradeDocument, TradeLine

SETUP = PostingSetup(
    receivables={"DOMESTIC": "2310", "EU": "2320", "EXPORT": "2320"},
    payables={"DOMESTIC": "5410", "EU": "5420", "EXPORT": "5420"},
    sales={("DOMESTIC", "RETAIL"): "6110", ("EU", "RETAIL"): "6120", ("EXPORT", "RETAIL"): "6130"},
    purchases={("DOMESTIC", "RETAIL"): "7110", ("EU", "RETAIL"): "7120"},
    sales_tax={
        ("DOMESTIC", "STANDARD"): TaxRate(percent=Dec(21)),
        ("DOMESTIC", "REDUCED"): TaxRate(percent=Dec(10)),
        ("EU", "STANDARD"): TaxRate(percent=Dec(0)),
        ("EXPORT", "STANDARD"): TaxRate(percent=Dec(0)),
    },
    purchase_tax={
        ("DOMESTIC", "STANDARD"): TaxRate(percent=Dec(21)),
        ("DOMESTIC", "REDUCED"): TaxRate(percent=Dec(10)),
        ("EU", "STANDARD"): TaxRate(percent=Dec(21), is_reverse_charge=True),
    },
)


def item_line(net: str, *, quantity: str = "1", tax: str = "0", moved: str | None = None, **more: object) -> TradeLine:
    values: dict[str, object] = {
        "id": "line",
        "number": "CHAIR",
        "product_group": "RETAIL",
        "tax_group": "STANDARD",
        "is_stocked": True,
        "quantity": Dec(quantity),
        "net": Dec(net),
        "tax": Dec(tax),
        "moved": Dec(quantity if moved is None else moved),
        "moved_value": Dec(net),
        **more,
    }
    return TradeLine(**values)  # type: ignore[arg-type]


def sales_invoice(*lines: TradeLine, **more: object) -> TradeDocument:
    return _document(Party.CUSTOMER, EntryKind.INVOICE, lines, more)


def sales_credit_memo(*lines: TradeLine, **more: object) -> TradeDocument:
    return _document(Party.CUSTOMER, EntryKind.CREDIT_MEMO, lines, more)


def purchase_invoice(*lines: TradeLine, **more: object) -> TradeDocument:
    return _document(Party.VENDOR, EntryKind.INVOICE, lines, more)


def purchase_credit_memo(*lines: TradeLine, **more: object) -> TradeDocument:
    return _document(Party.VENDOR, EntryKind.CREDIT_MEMO, lines, more)


def _document(party: Party, kind: EntryKind, lines: tuple[TradeLine, ...], more: dict[str, object]) -> TradeDocument:
    values: dict[str, object] = {
        "party": party,
        "kind": kind,
        "party_number": "10000",
        "business_group": "DOMESTIC",
        "description": "Invoice 1",
        "due": date(2026, 1, 31),
        "lines": lines,
        **more,
    }
    return TradeDocument(**values)  # type: ignore[arg-type]
