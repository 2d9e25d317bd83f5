"""Amounts of a document and its lines: discounts, tax by rate, rounding.

    priced lines -> line amounts -> discount of the document shared out -> tax once per rate -> totals

Tax is rounded once per rate and document, as it stands on a tax return, and then shared out over the lines so that the
lines always add up to the document.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

ZERO = Decimal(0)
CENT = Decimal("0.01")
HUNDRED = Decimal(100)


def rounded(amount: Decimal, precision: Decimal = CENT) -> Decimal:
    """Round half away from zero, as on paper."""
    if precision == CENT:
        return amount.quantize(CENT, ROUND_HALF_UP)
    return (amount / precision).quantize(Decimal(1), ROUND_HALF_UP) * precision


def shared_out(total: Decimal, weights: Sequence[Decimal], precision: Decimal = CENT) -> tuple[Decimal, ...]:
    """Split a total in proportion to weights so that the parts add up to it exactly."""
    whole = sum(weights, ZERO)
    if not whole:
        return (*(ZERO for _ in weights[:-1]), total) if weights else ()
    parts: list[Decimal] = []
    seen = given = ZERO
    for weight in weights:
        seen += weight
        upto = rounded(total * seen / whole, precision)
        parts.append(upto - given)
        given = upto
    return tuple(parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class PricedLine:
    """What a person enters on a line; `discount` is an amount of the document's currency for the whole line."""

    quantity: Decimal
    unit_price: Decimal
    discount: Decimal = ZERO
    tax_percent: Decimal = ZERO

    def gross(self, precision: Decimal) -> Decimal:
        return rounded(self.quantity * self.unit_price, precision)


@dataclass(frozen=True, kw_only=True, slots=True)
class LineAmounts:
    """Amounts of a line before (`amount`, `tax`) and after (`net`, `net_tax`) the discount of the document."""

    amount: Decimal
    tax: Decimal
    discount_share: Decimal
    net: Decimal
    net_tax: Decimal


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentAmounts:
    lines: tuple[LineAmounts, ...]
    discount: Decimal

    @property
    def net(self) -> Decimal:
        return sum((line.net for line in self.lines), ZERO)

    @property
    def tax(self) -> Decimal:
        return sum((line.net_tax for line in self.lines), ZERO)

    @property
    def total(self) -> Decimal:
        return self.net + self.tax


def document_amounts(
    lines: Sequence[PricedLine],
    *,
    discount: Decimal = ZERO,
    prices_include_tax: bool = False,
    precision: Decimal = CENT,
) -> DocumentAmounts:
    """Amounts of every line, with the document's discount shared out by line amount.

    With `prices_include_tax` prices and discounts contain the tax, which is then taken out of them.
    """
    entered = [line.gross(precision) - line.discount for line in lines]
    percents = [line.tax_percent for line in lines]
    before = _net_and_tax(entered, percents, prices_include_tax, precision)
    shares = shared_out(discount, entered, precision)
    if not discount:
        after = before
    else:
        kept = [amount - share for amount, share in zip(entered, shares, strict=True)]
        after = _net_and_tax(kept, percents, prices_include_tax, precision)
    return DocumentAmounts(
        lines=tuple(
            LineAmounts(amount=amount, tax=tax, discount_share=amount - net, net=net, net_tax=net_tax)
            for (amount, tax), (net, net_tax) in zip(before, after, strict=True)
        ),
        discount=discount,
    )


def _net_and_tax(
    entered: Sequence[Decimal], percents: Sequence[Decimal], prices_include_tax: bool, precision: Decimal
) -> list[tuple[Decimal, Decimal]]:
    result = [(amount, ZERO) for amount in entered]
    for percent in set(percents):
        if not percent:
            continue
        places = [at for at, other in enumerate(percents) if other == percent]
        amounts = [entered[at] for at in places]
        whole = sum(amounts, ZERO)
        base = whole / (1 + percent / HUNDRED) if prices_include_tax else whole
        tax = whole - rounded(base, precision) if prices_include_tax else rounded(whole * percent / HUNDRED, precision)
        for at, amount, part in zip(places, amounts, shared_out(tax, amounts, precision), strict=True):
            result[at] = (amount - part, part) if prices_include_tax else (amount, part)
    return result


def part_of(amount: Decimal, before: Decimal, now: Decimal, whole: Decimal, precision: Decimal = CENT) -> Decimal:
    """The share of an amount for `now` of `whole`, after `before`: all shares together give the amount."""
    if not whole:
        return ZERO
    return rounded(amount * (before + now) / whole, precision) - rounded(amount * before / whole, precision)


def percent_of(part: Decimal, whole: Decimal) -> Decimal:
    return rounded(part * HUNDRED / whole, Decimal("0.00001")) if whole else ZERO


def total(amounts: Iterable[Decimal]) -> Decimal:
    return sum(amounts, ZERO)
