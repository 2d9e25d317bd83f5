"""Reports from ledgers: trial balance, financial statements, aged receivables and payables.

Every figure is a sum of entries; these functions only decide which sums stand on which line.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from batuta.sandbox.ledger.amounts import ZERO, total
from batuta.sandbox.ledger.dates import apply_formula

ASSETS, LIABILITIES, EQUITY = "Assets", "Liabilities", "Equity"
INCOME, COST, EXPENSE = "Income", "Cost_x0020_of_x0020_Goods_x0020_Sold", "Expense"
RESULT_CATEGORIES = (INCOME, COST, EXPENSE)


@dataclass(frozen=True, kw_only=True, slots=True)
class ChartAccount:
    """A line of the chart of accounts; `totals` holds the first and last number that a total sums."""

    number: str
    name: str
    category: str
    sub_category: str = ""
    kind: str = "Posting"
    totals: tuple[str, str] | None = None
    id: str = ""

    @property
    def is_posting(self) -> bool:
        return self.kind == "Posting"


@dataclass(frozen=True, kw_only=True, slots=True)
class StatementLine:
    text: str
    amount: Decimal | None
    kind: str
    indentation: int


def account_amount(account: ChartAccount, sums: Mapping[str, Decimal]) -> Decimal:
    """The sum of an account, or of all that a total stands for."""
    if account.is_posting:
        return sums.get(account.number, ZERO)
    if account.totals is None:
        return ZERO
    first, last = account.totals
    return total(amount for number, amount in sums.items() if first <= number <= last)


def balance_sheet(chart: Sequence[ChartAccount], balances: Mapping[str, Decimal]) -> tuple[StatementLine, ...]:
    """Assets against liabilities and equity; the result that is not yet closed is part of equity."""
    result = _of(chart, balances, RESULT_CATEGORIES)
    lines: list[StatementLine] = []
    lines += _section(chart, balances, ASSETS, "Assets", sign=1)
    lines += _section(chart, balances, LIABILITIES, "Liabilities", sign=-1)
    lines += _section(chart, balances, EQUITY, "Equity", sign=-1, extra=(("Net Income Not Yet Closed", -result),))
    owed = -_of(chart, balances, (LIABILITIES, EQUITY)) - result
    lines.append(StatementLine(text="Total Liabilities and Equity", amount=owed, kind="total", indentation=0))
    return tuple(lines)


def income_statement(chart: Sequence[ChartAccount], changes: Mapping[str, Decimal]) -> tuple[StatementLine, ...]:
    """Income less cost of goods sold less expenses."""
    income, cost = -_of(chart, changes, (INCOME,)), _of(chart, changes, (COST,))
    expense = _of(chart, changes, (EXPENSE,))
    lines: list[StatementLine] = []
    lines += _section(chart, changes, INCOME, "Income", sign=-1)
    lines += _section(chart, changes, COST, "Cost of Goods Sold", sign=1)
    lines.append(StatementLine(text="Gross Profit", amount=income - cost, kind="total", indentation=0))
    lines += _section(chart, changes, EXPENSE, "Expense", sign=1)
    lines.append(StatementLine(text="Net Income", amount=income - cost - expense, kind="total", indentation=0))
    return tuple(lines)


def cash_flow_statement(
    chart: Sequence[ChartAccount], changes: Mapping[str, Decimal], cash_at_start: Decimal
) -> tuple[StatementLine, ...]:
    """The indirect method: the result, and what moved in everything that is not cash."""
    result = -_of(chart, changes, RESULT_CATEGORIES)
    lines = [StatementLine(text="Net Income", amount=result, kind="detail", indentation=1)]
    flow = result
    for heading, belongs in _CASH_SECTIONS:
        moved = [
            (account.sub_category or account.name, -changes.get(account.number, ZERO))
            for account in chart
            if account.is_posting and account.sub_category != CASH and belongs(account)
        ]
        section = total(amount for _, amount in moved)
        lines.append(StatementLine(text=heading, amount=None, kind="header", indentation=0))
        lines += _grouped(moved)
        lines.append(StatementLine(text=f"Net Cash from {heading}", amount=section, kind="total", indentation=0))
        flow += section
    lines.append(StatementLine(text="Net Cash Increase for the Period", amount=flow, kind="total", indentation=0))
    lines.append(
        StatementLine(text="Cash at Beginning of the Period", amount=cash_at_start, kind="detail", indentation=0)
    )
    lines.append(
        StatementLine(text="Cash at End of the Period", amount=cash_at_start + flow, kind="total", indentation=0)
    )
    return tuple(lines)


CASH = "Cash"
FIXED_ASSETS = "Fixed Assets"
_CASH_SECTIONS: tuple[tuple[str, Callable[[ChartAccount], bool]], ...] = (
    (
        "Operating Activities",
        lambda account: (
            account.category == LIABILITIES or (account.category == ASSETS and account.sub_category != FIXED_ASSETS)
        ),
    ),
    ("Investing Activities", lambda account: account.category == ASSETS and account.sub_category == FIXED_ASSETS),
    ("Financing Activities", lambda account: account.category == EQUITY),
)


def retained_earnings_statement(
    chart: Sequence[ChartAccount], at_start: Mapping[str, Decimal], changes: Mapping[str, Decimal]
) -> tuple[StatementLine, ...]:
    """What was earned before, what is earned now, what was paid out or brought in."""
    kept = [account for account in chart if account.is_posting and account.sub_category == RETAINED_EARNINGS]
    before = -total(at_start.get(account.number, ZERO) for account in kept) - _of(chart, at_start, RESULT_CATEGORIES)
    result = -_of(chart, changes, RESULT_CATEGORIES)
    moved = -total(changes.get(account.number, ZERO) for account in kept)
    return (
        StatementLine(text="Retained Earnings, Period Start", amount=before, kind="detail", indentation=0),
        StatementLine(text="Net Income", amount=result, kind="detail", indentation=0),
        StatementLine(text="Distributions and Transfers", amount=moved, kind="detail", indentation=0),
        StatementLine(
            text="Retained Earnings, Period End", amount=before + result + moved, kind="total", indentation=0
        ),
    )


RETAINED_EARNINGS = "Retained Earnings"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgedAmounts:
    """Open amounts of a customer or vendor by how long they are overdue."""

    balance: Decimal
    current: Decimal
    periods: tuple[Decimal, Decimal, Decimal]


def aged(open_amounts: Iterable[tuple[date, Decimal]], as_of: date, period: str) -> AgedAmounts:
    """Sort open amounts by due date: not due, then one, two, and more periods overdue."""
    first = apply_formula(f"-{period}", as_of)
    second = apply_formula(f"-{period}", first)
    balance = current = ZERO
    periods = [ZERO, ZERO, ZERO]
    for due, amount in open_amounts:
        balance += amount
        if due >= as_of:
            current += amount
        else:
            periods[0 if due >= first else 1 if due >= second else 2] += amount
    return AgedAmounts(balance=balance, current=current, periods=(periods[0], periods[1], periods[2]))


def _of(chart: Sequence[ChartAccount], sums: Mapping[str, Decimal], categories: Sequence[str]) -> Decimal:
    return total(
        sums.get(account.number, ZERO) for account in chart if account.is_posting and account.category in categories
    )


def _section(
    chart: Sequence[ChartAccount],
    sums: Mapping[str, Decimal],
    category: str,
    heading: str,
    *,
    sign: int,
    extra: Sequence[tuple[str, Decimal]] = (),
) -> list[StatementLine]:
    """A heading, one line per sub-category that has an amount, and the total."""
    amounts = [
        (account.sub_category or account.name, sign * sums.get(account.number, ZERO))
        for account in chart
        if account.is_posting and account.category == category
    ]
    amounts += extra
    return [
        StatementLine(text=heading, amount=None, kind="header", indentation=0),
        *_grouped(amounts),
        StatementLine(
            text=f"Total {heading}", amount=total(amount for _, amount in amounts), kind="total", indentation=0
        ),
    ]


def _grouped(amounts: Iterable[tuple[str, Decimal]]) -> list[StatementLine]:
    sums: dict[str, Decimal] = {}
    for text, amount in amounts:
        sums[text] = sums.get(text, ZERO) + amount
    return [
        StatementLine(text=text, amount=amount, kind="detail", indentation=1) for text, amount in sums.items() if amount
    ]
