"""What posting yields: entries of the general ledger, of customers and vendors, of stock and of tax.

Amounts are signed as in the general ledger, debit positive, credit negative: a customer's invoice is positive and their
payment negative, a vendor's invoice is negative. `amount` is in the currency of the document, `local` in the company's.
"""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum

from batuta.sandbox.ledger.amounts import ZERO
from batuta.sandbox.ledger.costing import StockCost

DimensionSet = tuple[tuple[str, str], ...]
"""Dimension and value codes, sorted by dimension."""


class Party(StrEnum):
    CUSTOMER = "Customer"
    VENDOR = "Vendor"


class EntryKind(StrEnum):
    """Document type of an entry, by its name in the API."""

    NONE = "_x0020_"
    PAYMENT = "Payment"
    INVOICE = "Invoice"
    CREDIT_MEMO = "Credit_x0020_Memo"


@dataclass(frozen=True, kw_only=True, slots=True)
class AccountEntry:
    """One entry of the general ledger, in local currency."""

    account: str
    amount: Decimal
    description: str = ""
    dimensions: DimensionSet = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PartyEntry:
    """One entry of a customer's or vendor's ledger."""

    party: Party
    number: str
    kind: EntryKind
    amount: Decimal
    local: Decimal
    due: date
    currency: str = ""
    description: str = ""
    sales_local: Decimal = ZERO


@dataclass(frozen=True, kw_only=True, slots=True)
class StockEntry:
    """One movement of an item; `cost` and `sales` are local currency."""

    item: str
    quantity: Decimal
    cost: Decimal
    sales: Decimal = ZERO
    correction: Decimal = ZERO
    line: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaxEntry:
    """Tax of one rate on a document, in local currency; a purchase with reverse charge has two sides."""

    business_group: str
    tax_group: str
    percent: Decimal
    base: Decimal
    tax: Decimal
    is_reverse_charge: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Accrual:
    """Goods received and not yet invoiced on a purchase order line; `value` is local currency."""

    quantity: Decimal = ZERO
    value: Decimal = ZERO


NOTHING_ACCRUED = Accrual()


@dataclass(frozen=True, kw_only=True, slots=True)
class Posting:
    """Everything that one document adds to the books."""

    accounts: tuple[AccountEntry, ...]
    parties: tuple[PartyEntry, ...] = ()
    stock: tuple[StockEntry, ...] = ()
    taxes: tuple[TaxEntry, ...] = ()
    costs: dict[str, StockCost] = field(default_factory=dict)
    accruals: dict[str, Accrual] = field(default_factory=dict)

    @property
    def difference(self) -> Decimal:
        """Debit less credit: zero for every posting that may be kept."""
        return sum((entry.amount for entry in self.accounts), ZERO)


class PostingError(ValueError):
    """The document cannot be posted; the message says why and what to change."""


class AccountSums:
    """Collects amounts by account and dimensions, as one entry each."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, DimensionSet], Decimal] = {}

    def add(self, account: str, amount: Decimal, dimensions: DimensionSet = ()) -> None:
        key = (account, dimensions)
        self._sums[key] = self._sums.get(key, ZERO) + amount

    def entries(self, description: str) -> tuple[AccountEntry, ...]:
        return tuple(
            AccountEntry(account=account, amount=amount, description=description, dimensions=dimensions)
            for (account, dimensions), amount in self._sums.items()
            if amount
        )

    def total(self) -> Decimal:
        return sum(self._sums.values(), ZERO)
