"""Financial statements and aged amounts."""

from datetime import date
from decimal import Decimal as Dec

from batuta.sandbox.ledger.statements import (
    CASH,
    FIXED_ASSETS,
    RETAINED_EARNINGS,
    ChartAccount,
    StatementLine,
    account_amount,
    aged,
    balance_sheet,
    cash_flow_statement,
    income_statement,
    retained_earnings_statement,
)

CHART = (
    ChartAccount(number="1110", name="Machines", category="Assets", sub_category=FIXED_ASSETS),
    ChartAccount(number="2310", name="Receivables", category="Assets", sub_category="Receivables"),
    ChartAccount(number="2920", name="Bank", category="Assets", sub_category=CASH),
    ChartAccount(number="2999", name="Assets", category="Assets", kind="End_x002D_Total", totals=("1000", "2999")),
    ChartAccount(number="3120", name="Retained", category="Equity", sub_category=RETAINED_EARNINGS),
    ChartAccount(number="5410", name="Payables", category="Liabilities", sub_category="Payables"),
    ChartAccount(number="6110", name="Sales", category="Income", sub_category="Sales"),
    ChartAccount(number="7190", name="Cost", category="Cost_x0020_of_x0020_Goods_x0020_Sold"),
    ChartAccount(number="8110", name="Rent", category="Expense", sub_category="Rent"),
)
BALANCES = {
    "1110": Dec(500), "2310": Dec(300), "2920": Dec(400), "3120": Dec(-700), "5410": Dec(-200), "6110": Dec(-1000),
    "7190": Dec(600),
    "8110": Dec(100),
}  # fmt: skip


def amount(lines: tuple[StatementLine, ...], text: str) -> Dec | None:
    return next(line.amount for line in lines if line.text == text)


def test_a_total_sums_its_range() -> None:
    assert account_amount(CHART[3], BALANCES) == Dec(1200)


def test_the_income_statement_ends_in_net_income() -> None:
    lines = income_statement(CHART, BALANCES)
    assert amount(lines, "Gross Profit") == Dec(400)
    assert amount(lines, "Net Income") == Dec(300)


def test_the_balance_sheet_balances() -> None:
    lines = balance_sheet(CHART, BALANCES)
    assert amount(lines, "Total Assets") == amount(lines, "Total Liabilities and Equity") == Dec(1200)
    assert amount(lines, "Net Income Not Yet Closed") == Dec(300)


def test_the_cash_flow_ends_at_the_balance_of_the_bank() -> None:
    changes = {account: value - (Dec(150) if account == "2920" else 0) for account, value in BALANCES.items()}
    changes["3120"] += Dec(150)
    lines = cash_flow_statement(CHART, changes, Dec(150))
    assert amount(lines, "Net Cash from Investing Activities") == Dec(-500)
    assert amount(lines, "Cash at End of the Period") == Dec(400)


def test_retained_earnings_grow_by_the_result() -> None:
    lines = retained_earnings_statement(
        CHART, {"3120": Dec(-500), "6110": Dec(-100)}, {"6110": Dec(-50), "3120": Dec(20)}
    )
    assert [line.amount for line in lines] == [Dec(600), Dec(50), Dec(-20), Dec(630)]


def test_open_amounts_are_aged_by_due_date() -> None:
    today = date(2026, 6, 30)
    dues = [
        (date(2026, 7, 1), Dec(1)),
        (today, Dec(2)),
        (date(2026, 6, 1), Dec(4)),
        (date(2026, 5, 10), Dec(8)),
        (date(2025, 1, 1), Dec(16)),
    ]
    result = aged(dues, today, "30D")
    assert (result.balance, result.current, result.periods) == (Dec(31), Dec(3), (Dec(4), Dec(8), Dec(16)))


def test_a_period_of_a_month_follows_the_calendar() -> None:
    result = aged([(date(2026, 2, 28), Dec(1)), (date(2026, 1, 31), Dec(2))], date(2026, 3, 31), "1M")
    assert result.periods == (Dec(1), Dec(2), Dec(0))
