"""The seven kinds of sales and purchase documents, as a table of what differs between them."""

from dataclasses import dataclass

from batuta.sandbox.ledger.entries import EntryKind, Party


@dataclass(frozen=True, kw_only=True)
class DocumentSpec:
    """Names of a document's properties and sets."""

    set: str
    noun: str
    party: Party
    kind: EntryKind
    date: str
    price: str
    is_order: bool = False
    is_quote: bool = False
    posted_series: str = ""
    external: str = "externalDocumentNumber"

    @property
    def lines(self) -> str:
        return self.set.removesuffix("s") + "Lines"

    @property
    def is_purchase(self) -> bool:
        return self.party is Party.VENDOR

    @property
    def party_set(self) -> str:
        return "vendors" if self.is_purchase else "customers"

    @property
    def party_name(self) -> str:
        return "vendor" if self.is_purchase else "customer"

    @property
    def bill_to(self) -> str:
        """Prefix of the party that pays or is paid."""
        return "payTo" if self.is_purchase else "billTo"

    @property
    def bill_to_party(self) -> str:
        return "payToVendor" if self.is_purchase else "billToCustomer"

    @property
    def trade_with(self) -> str:
        return "buyFrom" if self.is_purchase else "sellTo"

    @property
    def person(self) -> str:
        return "purchaser" if self.is_purchase else "salesperson"

    @property
    def to_move(self) -> str:
        """The quantity of an order line that the next posting moves."""
        return "receiveQuantity" if self.is_purchase else "shipQuantity"

    @property
    def moved(self) -> str:
        return "receivedQuantity" if self.is_purchase else "shippedQuantity"

    @property
    def is_fully_moved(self) -> str:
        return "fullyReceived" if self.is_purchase else "fullyShipped"


_SALES, _PURCHASE = Party.CUSTOMER, Party.VENDOR
_INVOICE, _CREDIT = EntryKind.INVOICE, EntryKind.CREDIT_MEMO
DOCUMENTS = {
    spec.set: spec
    for spec in (
        DocumentSpec(
            set="salesQuotes", noun="Sales quote", party=_SALES, kind=_INVOICE, date="documentDate", price="unitPrice",
            is_quote=True,
        ),
        DocumentSpec(
            set="salesOrders", noun="Sales order", party=_SALES, kind=_INVOICE, date="orderDate", price="unitPrice",
            is_order=True,
        ),
        DocumentSpec(
            set="salesInvoices", noun="Sales invoice", party=_SALES, kind=_INVOICE, date="invoiceDate",
            price="unitPrice", posted_series="postedSalesInvoices",
        ),
        DocumentSpec(
            set="salesCreditMemos", noun="Sales credit memo", party=_SALES, kind=_CREDIT, date="creditMemoDate",
            price="unitPrice", posted_series="postedSalesCreditMemos",
        ),
        DocumentSpec(
            set="purchaseOrders", noun="Purchase order", party=_PURCHASE, kind=_INVOICE, date="orderDate",
            price="directUnitCost", is_order=True, external="",
        ),
        DocumentSpec(
            set="purchaseInvoices", noun="Purchase invoice", party=_PURCHASE, kind=_INVOICE, date="invoiceDate",
            price="unitCost", posted_series="postedPurchaseInvoices", external="vendorInvoiceNumber",
        ),
        DocumentSpec(
            set="purchaseCreditMemos", noun="Purchase credit memo", party=_PURCHASE, kind=_CREDIT,
            date="creditMemoDate", price="unitCost", posted_series="postedPurchaseCreditMemos",
            external="vendorCreditMemoNumber",
        ),
    )
}  # fmt: skip
"""By the name of their entity set."""
LINE_SETS = {spec.lines: spec for spec in DOCUMENTS.values()}
POSTED_STATES = frozenset({"Open", "Paid", "Canceled", "Corrective"})


def is_posted(spec: DocumentSpec, status: str) -> bool:
    return not spec.is_order and not spec.is_quote and status in POSTED_STATES
