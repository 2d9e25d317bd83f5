"""Stock at moving average cost.

What comes in raises quantity and value; what goes out leaves at the average, and the last piece takes the whole value
with it. Selling before buying is allowed: it leaves at the known unit cost, and the goods that arrive later correct the
cost of what was already sold (`correction`), so that the stock is never worth something else than was paid for it.
"""

from dataclasses import dataclass, replace
from decimal import Decimal

from batuta.sandbox.ledger.amounts import ZERO, rounded

UNIT = Decimal("0.00001")


@dataclass(frozen=True, kw_only=True, slots=True)
class StockCost:
    """What is in stock of an item, in base units and local currency; `unit_cost` is the last known average."""

    quantity: Decimal = ZERO
    value: Decimal = ZERO
    unit_cost: Decimal = ZERO


@dataclass(frozen=True, kw_only=True, slots=True)
class Movement:
    """A change of stock: signed quantity and cost, and what it corrects in the cost of earlier sales."""

    quantity: Decimal
    cost: Decimal
    correction: Decimal
    after: StockCost


def received(stock: StockCost, quantity: Decimal, cost: Decimal) -> Movement:
    """Goods come in at a known cost."""
    covered = min(quantity, -stock.quantity) if stock.quantity < 0 else ZERO
    correction = ZERO
    if covered:
        left_at = stock.value if covered == -stock.quantity else -rounded(-stock.value * covered / -stock.quantity)
        correction = rounded(cost * covered / quantity) + left_at
    now = StockCost(
        quantity=stock.quantity + quantity, value=stock.value + cost - correction, unit_cost=stock.unit_cost
    )
    return Movement(quantity=quantity, cost=cost, correction=correction, after=_averaged(now, cost / quantity))


def issued(stock: StockCost, quantity: Decimal) -> Movement:
    """Goods go out at average cost; `quantity` is positive."""
    if stock.quantity > 0 and quantity == stock.quantity:
        cost = stock.value
    elif stock.quantity > 0 and quantity < stock.quantity:
        cost = rounded(stock.value * quantity / stock.quantity)
    else:
        held = max(stock.quantity, ZERO)
        cost = (stock.value if held else ZERO) + rounded((quantity - held) * stock.unit_cost)
    now = replace(stock, quantity=stock.quantity - quantity, value=stock.value - cost)
    return Movement(quantity=-quantity, cost=-cost, correction=ZERO, after=now)


def _averaged(stock: StockCost, latest: Decimal) -> StockCost:
    unit = stock.value / stock.quantity if stock.quantity > 0 else latest
    return replace(stock, unit_cost=rounded(unit, UNIT))
