"""Posting of sales and purchase documents.

    sales:     receivable | revenue, output tax             and  cost of sales | inventory
    purchase:  inventory or expense, input tax | payable
    receipt without invoice:  inventory | received not invoiced, and back with the invoice

A credit memo is the same with the opposite sign. Each amount is converted to local currency by itself and the customer
or vendor takes the sum, so a document balances in both currencies.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from batuta.sandbox.ledger.amounts import HUNDRED, ZERO, rounded, total
from batuta.sandbox.ledger.costing import Movement, StockCost, issued, received
from batuta.sandbox.ledger.entries import (
    NOTHING_ACCRUED,
    AccountSums,
    Accrual,
    DimensionSet,
    EntryKind,
    Party,
    PartyEntry,
    Posting,
    PostingError,
    StockEntry,
    TaxEntry,
)
from batuta.sandbox.ledger.setup import PostingSetup


@dataclass(frozen=True, kw_only=True, slots=True)
class TradeLine:
    """A line to post: `quantity` and amounts are what is invoiced now, `moved` what goes through the warehouse now.

    `account` is set for a line on an account; otherwise the line is about an item and groups decide. `moved_value` is
    the net price of `moved` and only matters for purchases; `return_cost` the local cost at which goods came back.
    """

    id: str
    number: str
    description: str = ""
    account: str = ""
    product_group: str = ""
    tax_group: str = ""
    is_stocked: bool = False
    quantity: Decimal = ZERO
    net: Decimal = ZERO
    discount_share: Decimal = ZERO
    tax: Decimal = ZERO
    moved: Decimal = ZERO
    moved_value: Decimal = ZERO
    return_cost: Decimal | None = None
    accrual: Accrual = NOTHING_ACCRUED
    dimensions: DimensionSet = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class TradeDocument:
    """An invoice or credit memo to post; `rate` is local currency for one unit of the document's currency."""

    party: Party
    kind: EntryKind
    party_number: str
    business_group: str
    description: str
    due: date
    lines: tuple[TradeLine, ...]
    currency: str = ""
    rate: Decimal = Decimal(1)
    dimensions: DimensionSet = ()

    @property
    def is_purchase(self) -> bool:
        return self.party is Party.VENDOR

    @property
    def sign(self) -> int:
        """+1 where the party is debited: a sales invoice, a purchase credit memo."""
        return 1 if (self.kind is EntryKind.CREDIT_MEMO) == self.is_purchase else -1


def post_trade(document: TradeDocument, setup: PostingSetup, costs: Mapping[str, StockCost]) -> Posting:
    """Entries of a document, given what the items in it cost so far."""
    _check_setup(document, setup)
    return _TradePosting(document, setup, costs).posting()


def _check_setup(document: TradeDocument, setup: PostingSetup) -> None:
    control = setup.payables if document.is_purchase else setup.receivables
    if document.business_group not in control:
        msg = f"There is no posting group '{document.business_group}' for {document.party} {document.party_number}."
        raise PostingError(msg)
    if document.rate <= 0:
        msg = f"There is no exchange rate for currency '{document.currency}' on this date."
        raise PostingError(msg)


class _TradePosting:
    """Gathers the entries of one document line by line."""

    def __init__(self, document: TradeDocument, setup: PostingSetup, costs: Mapping[str, StockCost]) -> None:
        self.document = document
        self.setup = setup
        self.costs = dict(costs)
        self.sums = AccountSums()
        self.charged = ZERO
        self.stock: list[StockEntry] = []
        self.accruals: dict[str, Accrual] = {}

    def posting(self) -> Posting:
        document = self.document
        for line in document.lines:
            (self._purchase_line if document.is_purchase else self._sales_line)(line)
        taxes = self._taxes()
        party = self._party()
        if party is not None:
            control = self.setup.payables if document.is_purchase else self.setup.receivables
            self.sums.add(control[document.business_group], party.local, document.dimensions)
        return Posting(
            accounts=self.sums.entries(document.description),
            parties=(party,) if party else (),
            stock=tuple(self.stock),
            taxes=taxes,
            costs=self.costs,
            accruals=self.accruals,
        )

    def _local(self, amount: Decimal) -> Decimal:
        return amount if self.document.rate == 1 else rounded(amount * self.document.rate)

    def _charge(self, account: str, amount: Decimal, dimensions: DimensionSet) -> Decimal:
        """Book an amount of the document's currency that the customer or vendor answers for."""
        local = self._local(amount)
        self.sums.add(account, local, dimensions)
        self.charged += local
        return local

    def _sales_line(self, line: TradeLine) -> None:
        sign, setup, sales = -self.document.sign, self.setup, ZERO
        if line.net or line.discount_share:
            account = line.account or self._account(setup.sales, line)
            sales -= self._charge(account, sign * (line.net + line.discount_share), line.dimensions)
            if line.discount_share:
                sales -= self._charge(setup.sales_discount, -sign * line.discount_share, line.dimensions)
        if line.is_stocked and line.moved:
            self._move_sold(line, sales)
        elif line.is_stocked and sales:  # goods that left with an earlier shipment
            self.stock.append(StockEntry(item=line.number, quantity=ZERO, cost=ZERO, sales=sales, line=line.id))

    def _move_sold(self, line: TradeLine, sales: Decimal) -> None:
        """Take sold goods out of stock at average cost, or put returned ones back at theirs."""
        stock = self.costs.get(line.number, StockCost())
        quantity = abs(line.moved)
        if (line.moved > 0) == (self.document.sign > 0):
            movement = issued(stock, quantity)
        else:
            cost = line.return_cost if line.return_cost is not None else rounded(quantity * stock.unit_cost)
            movement = received(stock, quantity, cost)
        self._stock_entry(line, movement, sales)
        self.sums.add(self.setup.cost_of_sales, movement.correction - movement.cost, line.dimensions)
        self.sums.add(self.setup.inventory, movement.cost - movement.correction, line.dimensions)

    def _stock_entry(self, line: TradeLine, movement: Movement, sales: Decimal = ZERO) -> None:
        self.costs[line.number] = movement.after
        self.stock.append(
            StockEntry(
                item=line.number,
                quantity=movement.quantity,
                cost=movement.cost,
                sales=sales,
                correction=movement.correction,
                line=line.id,
            )
        )

    def _purchase_line(self, line: TradeLine) -> None:
        sign, setup = -self.document.sign, self.setup
        if not line.is_stocked:
            if line.net:
                account = line.account or self._account(setup.purchases, line)
                self._charge(account, sign * line.net, line.dimensions)
            return
        invoiced = self._charge(setup.received_not_invoiced, sign * line.net, line.dimensions)
        if line.moved and (line.moved > 0) == (sign > 0):
            self._receive(line, invoiced)
        elif line.moved:
            self._send_back(line, invoiced)
        else:
            self._settle(line, invoiced=invoiced, arrived=ZERO)

    def _receive(self, line: TradeLine, invoiced: Decimal) -> None:
        is_invoiced_whole = line.moved == line.quantity and not line.accrual.quantity
        worth = abs(invoiced if is_invoiced_whole else self._local(line.moved_value))
        movement = received(self.costs.get(line.number, StockCost()), abs(line.moved), worth)
        self._stock_entry(line, movement)
        self.sums.add(self.setup.inventory, movement.cost - movement.correction, line.dimensions)
        self.sums.add(self.setup.cost_of_sales, movement.correction, line.dimensions)
        self._settle(line, invoiced=invoiced, arrived=movement.cost)

    def _send_back(self, line: TradeLine, credited: Decimal) -> None:
        """Goods go back at average cost; what the vendor credits more or less than that is an adjustment."""
        movement = issued(self.costs.get(line.number, StockCost()), abs(line.moved))
        self._stock_entry(line, movement)
        self.sums.add(self.setup.inventory, movement.cost, line.dimensions)
        self.sums.add(self.setup.stock_adjustment, credited - movement.cost, line.dimensions)
        self.sums.add(self.setup.received_not_invoiced, -credited, line.dimensions)

    def _settle(self, line: TradeLine, *, invoiced: Decimal, arrived: Decimal) -> None:
        """Clear what is neither received nor invoiced any more; a remainder of price or rate is an adjustment."""
        left = Accrual(
            quantity=line.accrual.quantity + abs(line.moved) - abs(line.quantity),
            value=line.accrual.value + arrived - invoiced,
        )
        self.sums.add(self.setup.received_not_invoiced, -arrived, line.dimensions)
        if not left.quantity and left.value:
            self.sums.add(self.setup.received_not_invoiced, left.value, line.dimensions)
            self.sums.add(self.setup.stock_adjustment, -left.value, line.dimensions)
            left = NOTHING_ACCRUED
        if left != line.accrual:
            self.accruals[line.id] = left

    def _account(self, accounts: Mapping[tuple[str, str], str], line: TradeLine) -> str:
        account = accounts.get((self.document.business_group, line.product_group))
        if account is None:
            groups = f"'{self.document.business_group}' and product group '{line.product_group}'"
            msg = f"There is no general posting setup for business group {groups} (line '{line.description}')."
            raise PostingError(msg)
        return account

    def _taxes(self) -> tuple[TaxEntry, ...]:
        """One entry per tax group; reverse charge is owed and deducted at once."""
        document, setup, sign = self.document, self.setup, -self.document.sign
        groups: dict[str, list[TradeLine]] = {}
        for line in document.lines:
            if line.tax_group and line.net:
                groups.setdefault(line.tax_group, []).append(line)
        entries = []
        for group, lines in groups.items():
            rate = setup.tax_rate(document.business_group, group, is_purchase=document.is_purchase)
            base, tax = total(line.net for line in lines), total(line.tax for line in lines)
            if rate.is_reverse_charge and document.is_purchase:
                tax = rounded(base * rate.percent / HUNDRED)
                self._charge(setup.input_tax, sign * tax, document.dimensions)
                self._charge(setup.acquisition_tax, -sign * tax, document.dimensions)
            else:
                account = setup.input_tax if document.is_purchase else setup.output_tax
                self._charge(account, sign * tax, document.dimensions)
            entries.append(
                TaxEntry(
                    business_group=document.business_group,
                    tax_group=group,
                    percent=rate.percent,
                    base=self._local(sign * base),
                    tax=self._local(sign * tax),
                    is_reverse_charge=rate.is_reverse_charge,
                )
            )
        return tuple(entries)

    def _party(self) -> PartyEntry | None:
        """The customer or vendor takes what all charged accounts leave."""
        document = self.document
        if not any(line.quantity for line in document.lines):
            return None
        net = total(line.net for line in document.lines)
        return PartyEntry(
            party=document.party,
            number=document.party_number,
            kind=document.kind,
            amount=document.sign * (net + total(line.tax for line in document.lines)),
            local=-self.charged,
            due=document.due,
            currency=document.currency,
            description=document.description,
            sales_local=self._local(document.sign * net),
        )
