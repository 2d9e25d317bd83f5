"""Reports from the ledgers, with their filters and defaults."""

from datetime import date, timedelta
from decimal import Decimal as Dec
from typing import Any

import pytest

from batuta.sandbox.behaviour import FlowFilter
from tests.unit.sandbox.business.shop import TODAY, Row, Shop


def row(rows: list[Row], **equals: Any) -> Row:
    (found,) = [each for each in rows if all(each[name] == value for name, value in equals.items())]
    return found


def aged(shop: Shop, customer: Row, **filters: FlowFilter) -> Row:
    return row(shop.report("agedAccountsReceivables", **filters), customerId=customer["id"])


def owing(shop: Shop, *ages: int) -> Row:
    """A customer with an invoice of 121 due so many days ago each."""
    customer = shop.customer()
    for age in ages:
        shop.sold(customer=customer, quantity=1, postingDate=date(2026, 1, 5), dueDate=TODAY - timedelta(days=age))
    return customer


class TestTrialBalance:
    """Every account with its balance."""

    def test_debit_equals_credit(self, shop: Shop) -> None:
        shop.sold()
        shop.bought()
        rows = [each for each in shop.report("trialBalances") if each["accountType"] == "Posting"]
        debit = sum(Dec(each["balanceAtDateDebit"] or 0) for each in rows)
        credit = sum(Dec(each["balanceAtDateCredit"] or 0) for each in rows)
        assert debit == credit > 0

    def test_an_account_has_its_balance(self, shop: Shop) -> None:
        shop.sold()
        assert row(shop.report("trialBalances"), number="2310")["balanceAtDateDebit"] == "242.00"
        assert row(shop.report("trialBalances"), number="6110")["balanceAtDateCredit"] == "200.00"

    def test_totals_sum_their_range(self, shop: Shop) -> None:
        shop.sold()
        assert row(shop.report("trialBalances"), number="6995")["balanceAtDateCredit"] == "200.00"

    def test_it_stands_at_today(self, shop: Shop) -> None:
        shop.sold(postingDate=TODAY + timedelta(days=1))
        assert row(shop.report("trialBalances"), number="6110")["balanceAtDateCredit"] == ""
        assert shop.report("trialBalances")[0]["dateFilter"] == TODAY

    def test_it_stands_at_another_day(self, shop: Shop) -> None:
        shop.sold(postingDate=date(2026, 2, 1))
        before = FlowFilter(highest=date(2026, 1, 31))
        assert row(shop.report("trialBalances", dateFilter=before), number="6110")["balanceAtDateCredit"] == ""

    def test_a_range_gives_the_change_within(self, shop: Shop) -> None:
        shop.sold(postingDate=date(2026, 2, 1))
        shop.sold(postingDate=date(2026, 3, 1))
        march = FlowFilter(lowest=date(2026, 3, 1), highest=date(2026, 3, 31))
        found = row(shop.report("trialBalances", dateFilter=march), number="6110")
        assert (found["totalCredit"], found["balanceAtDateCredit"]) == ("200.00", "400.00")

    def test_every_account_is_listed_with_its_id(self, shop: Shop) -> None:
        accounts = {each["id"] for each in shop.find("accounts")}
        assert {each["accountId"] for each in shop.report("trialBalances")} == accounts


class TestStatements:
    """Balance sheet, income statement, cash flow, retained earnings."""

    def test_the_balance_sheet_balances(self, shop: Shop) -> None:
        shop.paid(shop.sold())
        shop.bought()
        lines = shop.report("balanceSheets")
        assets = row(lines, display="Total Assets")["balance"]
        assert assets == row(lines, display="Total Liabilities and Equity")["balance"] != 0

    def test_the_income_statement_ends_in_the_result(self, shop: Shop) -> None:
        shop.sold()
        lines = shop.report("incomeStatements")
        assert row(lines, display="Total Income")["netChange"] == 200
        assert row(lines, display="Gross Profit")["netChange"] == 80 + 1200

    def test_the_income_statement_begins_in_january(self, shop: Shop) -> None:
        setup = shop.one("generalLedgerSetup")
        shop.records.update("generalLedgerSetup", setup["id"], values={"allowPostingFrom": date(2025, 1, 1)})
        shop.sold(postingDate=date(2025, 12, 31))
        assert row(shop.report("incomeStatements"), display="Total Income")["netChange"] == 0

    def test_the_income_statement_of_a_month(self, shop: Shop) -> None:
        shop.sold(postingDate=date(2026, 2, 10))
        shop.sold(postingDate=date(2026, 3, 10))
        march = FlowFilter(lowest=date(2026, 3, 1), highest=date(2026, 3, 31))
        assert row(shop.report("incomeStatements", dateFilter=march), display="Total Income")["netChange"] == 200

    def test_the_cash_flow_ends_at_the_bank(self, shop: Shop) -> None:
        shop.paid(shop.sold())
        lines = shop.report("cashFlowStatements")
        assert row(lines, display="Cash at End of the Period")["netChange"] == 242

    def test_retained_earnings_grow_by_the_result(self, shop: Shop) -> None:
        shop.sold()
        result = row(shop.report("incomeStatements"), display="Net Income")["netChange"]
        lines = shop.report("retainedEarningsStatements")
        assert row(lines, display="Retained Earnings, Period End")["netChange"] == result

    @pytest.mark.parametrize(
        "set_name", ["balanceSheets", "incomeStatements", "cashFlowStatements", "retainedEarningsStatements"]
    )
    def test_lines_are_numbered_and_have_ids_that_stay(self, shop: Shop, set_name: str) -> None:
        first, second = shop.report(set_name), shop.report(set_name)
        assert [each["id"] for each in first] == [each["id"] for each in second]
        assert [each["lineNumber"] for each in first] == [10_000 * at for at in range(1, len(first) + 1)]


class TestAgedReceivables:
    """What customers owe, by how long."""

    @pytest.mark.parametrize(
        ("age", "where"),
        [(-10, "currentAmount"), (0, "currentAmount"), (1, "period1Amount"), (30, "period1Amount"),
         (31, "period2Amount"), (60, "period2Amount"), (61, "period3Amount"), (400, "period3Amount")],
    )  # fmt: skip
    def test_an_amount_stands_in_its_period(self, shop: Shop, age: int, where: str) -> None:
        found = aged(shop, owing(shop, age))
        assert (found[where], found["balanceDue"]) == (121, 121)

    def test_periods_add_up_to_the_balance(self, shop: Shop) -> None:
        found = aged(shop, owing(shop, -5, 10, 40, 90))
        parts = [found[name] for name in ("currentAmount", "period1Amount", "period2Amount", "period3Amount")]
        assert parts == [121, 121, 121, 121]
        assert found["balanceDue"] == 484

    def test_the_last_row_is_the_total(self, shop: Shop) -> None:
        owing(shop, 10)
        owing(shop, 20)
        assert shop.report("agedAccountsReceivables")[-1]["period1Amount"] == 242

    def test_another_period_length(self, shop: Shop) -> None:
        found = aged(shop, owing(shop, 10), periodLengthFilter=FlowFilter(lowest="7D", highest="7D"))
        assert (found["period2Amount"], found["periodLengthFilter"]) == (121, "7D")

    def test_a_period_that_is_none_is_refused(self, shop: Shop) -> None:
        with shop.refused("not a date formula"):
            shop.report("agedAccountsReceivables", periodLengthFilter=FlowFilter(lowest="soon"))

    def test_as_of_an_earlier_day_a_paid_invoice_is_open(self, shop: Shop) -> None:
        customer = owing(shop, 10)
        shop.paid(shop.one("salesInvoices", customerId=customer["id"]))
        assert aged(shop, customer)["balanceDue"] == 0
        earlier = FlowFilter(lowest=date(2026, 6, 10), highest=date(2026, 6, 10))
        assert aged(shop, customer, agedAsOfDate=earlier)["balanceDue"] == 121

    def test_as_of_a_day_before_the_invoice_nothing_is_owed(self, shop: Shop) -> None:
        early = FlowFilter(highest=date(2026, 1, 4))
        assert aged(shop, owing(shop, 10), agedAsOfDate=early)["balanceDue"] == 0

    def test_a_foreign_currency_is_counted_in_local_currency(self, shop: Shop) -> None:
        customer = shop.customer(country="US", currencyCode="USD")
        invoice = shop.sold(customer=customer)
        found = aged(shop, customer)
        assert found["currencyCode"] == "EUR"
        assert found["balanceDue"] == shop.booked(invoice["number"])["2320"]


def test_what_we_owe_is_positive(shop: Shop) -> None:
    invoice = shop.bought(dueDate=TODAY - timedelta(days=3))
    found = row(shop.report("agedAccountsPayables"), vendorId=invoice["vendorId"])
    assert found["period1Amount"] == found["balanceDue"] == Dec("145.20")


class TestCustomerFigures:
    """Figures about single customers and vendors."""

    def test_overdue_means_due_before_today(self, shop: Shop) -> None:
        customer = owing(shop, 0, 1)
        found = row(shop.report("customerFinancialDetails"), id=customer["id"])
        assert (found["balance"], found["overdueAmount"], found["totalSalesExcludingTax"]) == (242, 121, 200)

    def test_a_credit_memo_lowers_the_sales(self, shop: Shop) -> None:
        customer = owing(shop, 1)
        memo = shop.document("salesCreditMemos", customer, shop.line(shop.item()))
        shop.act("salesCreditMemos", "post", memo)
        assert row(shop.report("customerFinancialDetails"), id=customer["id"])["totalSalesExcludingTax"] == 0

    def test_sales_of_a_period(self, shop: Shop) -> None:
        customer = shop.customer()
        shop.sold(customer=customer, postingDate=date(2026, 2, 3))
        shop.sold(customer=customer, postingDate=date(2026, 3, 3))
        march = FlowFilter(lowest=date(2026, 3, 1), highest=date(2026, 3, 31))
        assert row(shop.report("customerSales"), customerId=customer["id"])["totalSalesAmount"] == 400
        assert (
            row(shop.report("customerSales", dateFilter_FilterOnly=march), customerId=customer["id"])[
                "totalSalesAmount"
            ]
            == 200
        )

    def test_purchases_are_positive(self, shop: Shop) -> None:
        invoice = shop.bought()
        assert row(shop.report("vendorPurchases"), vendorId=invoice["vendorId"])["totalPurchaseAmount"] == 120

    def test_the_net_change_of_an_account(self, shop: Shop) -> None:
        shop.sold()
        assert shop.one("accounts", number="6110")["netChange"] == -200
