"""Which account takes what: posting groups of customers, vendors and items, and tax by business and product group."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from batuta.sandbox.ledger.amounts import ZERO
from batuta.sandbox.ledger.entries import PostingError


@dataclass(frozen=True, kw_only=True, slots=True)
class TaxRate:
    """Tax of a business and a product group; with reverse charge the buyer owes and deducts it."""

    percent: Decimal
    is_reverse_charge: bool = False

    @property
    def charged(self) -> Decimal:
        """The percentage that stands on the document."""
        return ZERO if self.is_reverse_charge else self.percent


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingSetup:
    """Account numbers by posting group. Keys: business group, product group, or both."""

    receivables: Mapping[str, str]
    payables: Mapping[str, str]
    sales: Mapping[tuple[str, str], str]
    purchases: Mapping[tuple[str, str], str]
    sales_tax: Mapping[tuple[str, str], TaxRate]
    purchase_tax: Mapping[tuple[str, str], TaxRate]
    inventory: str = "2110"
    cost_of_sales: str = "7190"
    stock_adjustment: str = "7170"
    received_not_invoiced: str = "5510"
    sales_discount: str = "6910"
    output_tax: str = "5610"
    acquisition_tax: str = "5620"
    input_tax: str = "5630"
    bank: str = "2920"
    exchange_gain: str = "9330"
    exchange_loss: str = "9340"

    def tax_rate(self, business: str, product: str, *, is_purchase: bool) -> TaxRate:
        rates = self.purchase_tax if is_purchase else self.sales_tax
        rate = rates.get((business, product))
        if rate is None:
            msg = f"There is no tax posting setup for business group '{business}' and product group '{product}'."
            raise PostingError(msg)
        return rate
