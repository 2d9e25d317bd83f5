"""Every measure, against the ledgers of the demo companies, computed here from the raw reads (A-5)."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.measures.compute import Figures, compute
from batuta.agents.erp.measures.model import standard_measures
from batuta.agents.erp.measures.records import Books, MeasureRequest
from batuta.connectors.business_central.connector import BusinessCentral, BusinessCentralSettings
from batuta.connectors.erp import RecordQuery
from batuta.connectors.http import InProcessTransport
from batuta.language.calendar_math import Period
from batuta.sandbox.demo import DEMO_TODAY
from batuta.sandbox.service import Sandbox
from tests.integration.erp.conftest import handle_of

CENTS_PER_DOCUMENT = Decimal("0.01")
"""By how much a document in foreign currency may differ: it is posted line by line, and rounded so."""


async def raw(books: Books, entity: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    async for page in books.connector.pages(books.company.id, RecordQuery(entity=entity)):
        rows += [dict(record.values) for record in page.records]
    return rows


async def ledger(books: Books, period: Period | None, *categories: str, within: str = "") -> Decimal:
    """Credit less debit of the posting accounts of some categories, entry by entry."""
    accounts = {
        row["number"]
        for row in await raw(books, "accounts")
        if row["accountType"] == "Posting" and row["category"] in categories and within in row["subCategory"]
    }
    return sum(
        (
            row["creditAmount"] - row["debitAmount"]
            for row in await raw(books, "generalLedgerEntries")
            if row["accountNumber"] in accounts
            and (period is None or period.covers(date.fromisoformat(row["postingDate"])))
        ),
        Decimal(0),
    )


def year(books: Books) -> Period:
    return Period(first=books.today.replace(month=1, day=1), last=books.today)


async def asked(books: Books, measure: str, **request: Any) -> Figures:
    period = request.pop("period", year(books))
    return await compute(books, standard_measures(), MeasureRequest(measure=measure, period=period, **request))


@pytest.fixture(params=[0, 1], ids=["spanish", "portuguese"])
async def books(request: pytest.FixtureRequest, access: ErpAccess) -> Books:
    company = (await access.companies())[request.param]
    return await access.books(company.display_name)


async def test_sales_are_what_the_sales_accounts_hold(books: Books) -> None:
    figures = await asked(books, "sales")
    other = await ledger(books, year(books), "Income", within="Exchange")
    expected = await ledger(books, year(books), "Income") - other
    foreign = sum(1 for one in figures.records if one.original)
    assert figures.total is not None
    assert abs(figures.total - expected) <= CENTS_PER_DOCUMENT * foreign
    assert (await asked(books, "sales", split=("account",))).total == expected


async def test_receivables_are_what_the_control_accounts_hold(books: Books) -> None:
    figures = await asked(books, "receivables", split=("customer",))
    assert figures.total == -await ledger(books, None, "Assets", within="Receivable")


async def test_payables_are_what_the_control_accounts_hold(books: Books) -> None:
    accounts = {row["number"] for row in await raw(books, "accounts") if row["displayName"].startswith("Vendors")}
    entries = [row for row in await raw(books, "generalLedgerEntries") if row["accountNumber"] in accounts]
    held = sum((row["creditAmount"] - row["debitAmount"] for row in entries), Decimal(0))
    assert (await asked(books, "payables")).total == held


async def test_stock_is_worth_what_the_inventory_account_holds(books: Books) -> None:
    assert (await asked(books, "stock_value")).total == -await ledger(books, None, "Assets", within="Inventory")


async def test_cash_is_what_the_bank_accounts_hold(books: Books) -> None:
    assert (await asked(books, "cash")).total == -await ledger(books, None, "Assets", within="Cash")


async def test_cost_of_sales_is_what_its_account_holds(books: Books) -> None:
    expected = -await ledger(books, year(books), "Cost_x0020_of_x0020_Goods_x0020_Sold", within="Cost of Goods")
    assert (await asked(books, "cost_of_sales")).total == expected


async def test_net_income_is_the_whole_income_statement(books: Books) -> None:
    expected = await ledger(books, year(books), "Income", "Cost_x0020_of_x0020_Goods_x0020_Sold", "Expense")
    assert (await asked(books, "net_income")).total == expected


async def test_what_falls_due_over_all_days_is_what_is_open_of_the_invoices(books: Books) -> None:
    always = Period(first=date(2000, 1, 1), last=date(2100, 1, 1))
    invoices = [row for row in await raw(books, "salesInvoices") if row["status"] == "Open"]

    figures = await asked(books, "receivables_due", period=always)

    assert len(figures.records) == len(invoices) > 0
    assert {one.key for one in figures.records} == {row["id"] for row in invoices}


async def test_payments_in_and_out_change_the_bank_by_their_difference(books: Books) -> None:
    accounts = {
        row["number"]
        for row in await raw(books, "accounts")
        if row["accountType"] == "Posting" and "Cash" in row["subCategory"]
    }
    entries = [
        row
        for row in await raw(books, "generalLedgerEntries")
        if row["accountNumber"] in accounts
        and row["documentType"] == "Payment"
        and year(books).covers(date.fromisoformat(row["postingDate"]))
    ]

    received, made = await asked(books, "payments_received"), await asked(books, "payments_made")

    assert received.total
    assert made.total
    assert received.total - made.total == sum(row["debitAmount"] - row["creditAmount"] for row in entries)


async def test_vat_is_the_difference_between_sales_with_and_without_it(books: Books) -> None:
    with_vat, without, vat = [
        (await asked(books, name)).total or Decimal(0) for name in ("sales_with_vat", "sales", "sales_vat")
    ]

    assert abs(with_vat - without - vat) <= CENTS_PER_DOCUMENT * 50


async def test_units_in_stock_are_the_sum_of_all_movements(books: Books) -> None:
    moved = sum((row["quantity"] for row in await raw(books, "itemLedgerEntries")), Decimal(0))
    assert (await asked(books, "stock_quantity")).total == moved


@pytest.mark.parametrize("measure", sorted(standard_measures().measures))
async def test_every_figure_of_every_measure_is_the_sum_of_its_records(access: ErpAccess, measure: str) -> None:
    """For each split a measure has; ratios divide such sums."""
    books = await access.books()
    book = standard_measures()
    if book.measures[measure].ratio is not None:
        return  # a ratio has no records of its own; its two measures are in this test
    for split in book.splits(book.measures[measure]):
        figures = await asked(books, measure, split=(split,))
        for row in figures.rows:
            assert row.value == sum(one.amount for one in figures.records if one.group == row.group)
        assert figures.total == sum((row.value or Decimal(0) for row in figures.rows), Decimal(0))


async def test_a_year_and_its_months_agree(books: Books) -> None:
    months = await asked(books, "sales", split=("month",), compare_with=year(books).year_before())
    assert months.total == sum((row.value or Decimal(0) for row in months.rows), Decimal(0))
    assert months.total_before == (await asked(books, "sales", period=year(books).year_before())).total


async def test_a_figure_of_several_kinds_of_documents_is_read_from_one_state(sandbox: Sandbox) -> None:
    """A document that is posted between two reads would give a sum that never was."""
    asked_of: list[str] = []
    answer = handle_of(sandbox)

    def handle(method: str, url: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        asked_of.append(f"{method} {url.rpartition('/')[2]} {headers.get('Isolation', '')}")
        return answer(method, url, headers, body)

    connector = BusinessCentral(
        BusinessCentralSettings(root="http://sandbox.local/api/v2.0"), InProcessTransport(handle)
    )
    books = await ErpAccess(connector=connector, today=lambda: DEMO_TODAY).books()
    asked_of.clear()
    figures = await asked(books, "vat_payable")
    assert asked_of[0] == "POST $batch snapshot"
    assert len(figures.queries) == 4
    assert not [one for one in asked_of if "Invoices" in one or "CreditMemos" in one]
