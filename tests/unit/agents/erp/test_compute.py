"""Measures are sums of records that stay attached to them (A-5)."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from batuta.agents.erp.measures.compute import Figures, compute, keeps_beyond
from batuta.agents.erp.measures.model import load_measures, parse_measures, standard_measures
from batuta.agents.erp.measures.records import Books, MeasureError, MeasureRequest
from batuta.kernel.errors import ConfigurationError
from batuta.language.calendar_math import Period
from batuta.testing.erp import COMPANY, MemoryErp

TODAY = date(2026, 6, 30)
YEAR = Period(first=date(2026, 1, 1), last=TODAY)


def invoice(number: str, customer: str, posted: str, net: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"inv-{number}", "number": number, "customerName": customer, "sellToCountry": "ES", "salesperson": "AB",
        "postingDate": posted, "dueDate": posted, "status": "Open", "currencyCode": "EUR",
        "totalAmountExcludingTax": Decimal(net), "remainingAmount": Decimal(net),
        "customerId": f"id-{customer}", **more,
    }  # fmt: skip


def erp(**more: Any) -> MemoryErp:
    return MemoryErp(
        {
            "salesInvoices": [
                invoice("1", "Ana", "2026-01-10", "100.10"),
                invoice("2", "Bea", "2026-02-10", "50", sellToCountry="FR"),
                invoice("3", "Ana", "2026-02-20", "20.20", status="Paid", remainingAmount=Decimal(0)),
                invoice("4", "Ana", "2026-02-21", "999", status="Draft"),
                invoice("5", "Ana", "2025-02-20", "70", status="Paid", remainingAmount=Decimal(0)),
            ],
            "salesCreditMemos": [invoice("C1", "Ana", "2026-02-25", "10", status="Paid")],
            "agedAccountsReceivables": [],
            "currencyExchangeRates": [],
            **more,
        }
    )


async def asked(connector: MemoryErp, measure: str, **request: Any) -> Figures:
    books = Books(connector=connector, company=COMPANY, currency="EUR", today=TODAY)
    return await compute(books, standard_measures(), MeasureRequest(measure=measure, **request))


def table(figures: Figures) -> dict[tuple[str, ...], Decimal | None]:
    return {row.group: row.value for row in figures.rows}


async def test_sales_are_posted_invoices_less_credit_memos() -> None:
    figures = await asked(erp(), "sales", period=YEAR, split=("customer",))
    assert table(figures) == {("Ana",): Decimal("110.30"), ("Bea",): Decimal(50)}
    assert figures.total == Decimal("160.30")
    assert figures.currency == "EUR"


async def test_every_figure_is_the_sum_of_its_records() -> None:
    figures = await asked(erp(), "sales", period=YEAR, split=("month", "country"))
    for row in figures.rows:
        assert row.value == sum(one.amount for one in figures.records if one.group == row.group)
    assert {one.key for one in figures.records} == {"inv-1", "inv-2", "inv-3", "inv-C1"}


async def test_months_stand_in_the_order_of_time_and_customers_by_size() -> None:
    months = await asked(erp(), "sales", period=YEAR, split=("month",))
    assert [row.group for row in months.rows] == [("2026-01",), ("2026-02",)]
    customers = await asked(erp(), "receivables", split=("customer",), top=1)
    assert [row.group for row in customers.rows] == [("Ana",)]
    assert customers.is_cut
    assert customers.total == Decimal("150.10")
    smallest = await asked(erp(), "receivables", split=("customer",), is_ascending=True)
    assert [row.group for row in smallest.rows] == [("Bea",), ("Ana",)]


async def test_a_year_is_compared_month_by_month_with_the_one_before() -> None:
    figures = await asked(erp(), "sales", period=YEAR, compare_with=YEAR.year_before(), split=("month",))
    before = {row.group: row.before for row in figures.rows}
    assert before == {("2026-01",): Decimal(0), ("2026-02",): Decimal(70)}
    assert figures.total_before == Decimal(70)


async def test_a_filter_ignores_case_and_accents() -> None:
    figures = await asked(erp(), "sales", period=YEAR, only={"customer": ("ÁNA",)})
    assert figures.total == Decimal("110.30")


async def test_foreign_currency_is_converted_by_the_rate_of_its_day() -> None:
    rates = [
        {"id": "r1", "currencyCode": "USD", "startingDate": "2026-01-01", "exchangeRateAmount": Decimal(100),
         "relationalExchangeRateAmount": Decimal("91.23")},
        {"id": "r2", "currencyCode": "USD", "startingDate": "2026-03-01", "exchangeRateAmount": Decimal(100),
         "relationalExchangeRateAmount": Decimal(80)},
    ]  # fmt: skip
    connector = erp(currencyExchangeRates=rates)
    connector.records["salesInvoices"].append(invoice("6", "Cy", "2026-02-02", "10.05", currencyCode="USD"))
    figures = await asked(connector, "receivables", split=("customer",))
    assert table(figures)["Cy",] == Decimal("9.17")
    assert next(one for one in figures.records if one.label == "6").original == "10.05 USD"


async def test_what_falls_due_later_keeps_the_rate_of_its_posting() -> None:
    """The books hold what an invoice was posted at, whatever the rate is on the day it falls due."""
    rates = [
        {"id": f"r{number}", "currencyCode": "USD", "startingDate": start, "exchangeRateAmount": Decimal(100),
         "relationalExchangeRateAmount": Decimal(amount)}
        for number, (start, amount) in enumerate([("2026-01-01", "90"), ("2026-03-01", "80")])
    ]  # fmt: skip
    connector = erp(currencyExchangeRates=rates)
    late = invoice("6", "Cy", "2026-02-02", "10", currencyCode="USD", dueDate="2026-04-02")
    connector.records["salesInvoices"].append(late)
    figures = await asked(connector, "receivables_due", period=YEAR, split=("customer",))
    assert table(figures)["Cy",] == Decimal("9.00")


async def test_a_currency_without_a_rate_is_said_and_not_guessed() -> None:
    connector = erp()
    connector.records["salesInvoices"].append(invoice("6", "Cy", "2026-02-02", "10", currencyCode="USD"))
    with pytest.raises(MeasureError, match="exchange rate of USD"):
        await asked(connector, "receivables")


async def test_credits_that_were_not_applied_complete_the_ledgers_balance() -> None:
    """The figure is what the ledger says; what no open invoice explains is a row of its own."""
    connector = erp(
        agedAccountsReceivables=[
            {"customerId": "id-Ana", "balanceDue": Decimal("90.10")},
            {"customerId": "id-Bea", "balanceDue": Decimal(50)},
            {"customerId": "00000000-0000-0000-0000-000000000000", "balanceDue": Decimal("140.10")},
        ],
        customers=[{"id": "id-Ana", "number": "1", "displayName": "Ana", "country": "ES"}],
    )
    figures = await asked(connector, "receivables", split=("customer",))
    assert table(figures) == {("Ana",): Decimal("90.10"), ("Bea",): Decimal(50)}
    assert sum(one.amount for one in figures.records if one.group == ("Ana",)) == Decimal("90.10")
    assert [one.amount for one in figures.records if one.entity == "agedAccountsReceivables"] == [Decimal(-10)]
    only = await asked(connector, "receivables", only={"country": ("FR",)})
    assert only.total == Decimal(50)


async def test_ages_are_counted_from_the_due_date() -> None:
    figures = await asked(erp(), "receivables", split=("age",))
    assert table(figures) == {("> 90",): Decimal("150.10")}


async def test_only_what_is_late_enough_counts() -> None:
    figures = await asked(erp(), "overdue_receivables", late_by_days=150, split=("document",))
    assert table(figures) == {("1",): Decimal("100.10")}


async def test_a_ratio_divides_by_group_and_in_all() -> None:
    figures = await asked(erp(), "average_invoice", period=YEAR, split=("customer",))
    assert table(figures) == {("Ana",): Decimal("60.15"), ("Bea",): Decimal("50.00")}
    assert figures.total == Decimal("56.77")


async def test_a_split_that_no_source_knows_names_those_there_are() -> None:
    with pytest.raises(MeasureError, match="customer"):
        await asked(erp(), "receivables", split=("category",))


async def test_a_balance_of_another_day_is_refused() -> None:
    with pytest.raises(MeasureError, match="balance of today"):
        await asked(erp(), "receivables", compare_with=YEAR)


async def test_an_unknown_measure_names_those_there_are() -> None:
    with pytest.raises(ConfigurationError, match="receivables"):
        await asked(erp(), "happiness")


def test_every_measure_is_complete_in_both_languages() -> None:
    book = standard_measures()
    assert len(book.measures) >= 25
    for measure in book.measures.values():
        for texts in (measure.title, measure.basis, measure.words):
            assert texts.keys() == {"en", "es"}
        assert measure.words["en"]
        assert measure.words["es"]
        assert book.splits(measure)
    for source in (one for measure in book.measures.values() for group in measure.sources for one in group):
        assert set(source.records.dimensions) <= set(book.dimensions)


def test_a_workspace_adds_measures_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "measures.toml"
    file.write_text(
        """
        [measure.big_orders]
        title = { en = "Big orders", es = "Pedidos grandes" }
        kind = "balance"
        unit = "count"
        basis = { en = "b", es = "b" }
        words = { en = ["big orders"], es = ["pedidos grandes"] }
        sources = [[{ records = "unshipped_orders", amount = ["1"] }]]
        """,
        encoding="utf-8",
    )
    book = load_measures(file)
    assert book.measure("big_orders").sources[0][0].records.entity == "salesOrders"
    assert "sales" in book.measures


@pytest.mark.parametrize(
    "text",
    [
        "[measure.x",
        "[measure.x]\ntitle = 3",
        '[measure.x]\ntitle={en="a"}\nbasis={en="a"}\nwords={}\nkind="flow"\nunit="money"\nsources=[[{records="none",amount=["1"]}]]',
        '[measure.x]\ntitle={en="a"}\nbasis={en="a"}\nwords={}\nkind="ratio"\nunit="money"\nratio={over="a",by="b"}',
        '[measure.x]\ntitle={en="a"}\nbasis={en="a"}\nwords={}\nkind="flow"\nunit="money"',
    ],
)
def test_a_wrong_definition_says_where_it_stands(text: str) -> None:
    with pytest.raises(ConfigurationError):
        parse_measures(text, where="measures.toml")


async def test_only_figures_beyond_a_bound_are_kept_and_so_are_their_records() -> None:
    """A-5: the total is that of the rows that are shown."""
    keeps = keeps_beyond("above", Decimal(50), is_inclusive=False)
    figures = await asked(erp(), "sales", period=YEAR, split=("customer",), keeps=keeps)
    assert table(figures) == {("Ana",): Decimal("110.30")}
    assert figures.total == Decimal("110.30") == sum(one.amount for one in figures.records)
    assert keeps_beyond("above", Decimal(50), is_inclusive=True)(Decimal(50))
    assert not keeps_beyond("below", Decimal(50), is_inclusive=False)(Decimal(50))


async def test_a_share_is_of_everything_also_where_one_row_is_asked_for() -> None:
    figures = await asked(erp(), "sales", period=YEAR, only={"country": ("FR",)}, as_share=True)
    assert [(row.group, row.value, row.share) for row in figures.rows] == [(("FR",), Decimal(50), Decimal("31.2"))]
    with pytest.raises(MeasureError, match="something to divide by"):
        await asked(erp(), "sales", period=YEAR, as_share=True)


async def test_a_ranking_of_months_goes_by_size() -> None:
    months = await asked(erp(), "sales", period=YEAR, split=("month",), is_ranked=True)
    assert [row.group for row in months.rows] == [("2026-01",), ("2026-02",)]
    least = await asked(erp(), "sales", period=YEAR, split=("month",), is_ranked=True, is_ascending=True)
    assert [row.group for row in least.rows] == [("2026-02",), ("2026-01",)]


def customers(*names: str, **limits: int) -> dict[str, Any]:
    return {
        "customers": [
            {"id": f"id-{name}", "number": name, "displayName": name, "country": "ES", "balanceDue": Decimal(120),
             "creditLimit": Decimal(limits.get(name, 0))}
            for name in names
        ]
    }  # fmt: skip


async def test_customers_without_sales_are_those_on_file_without_an_invoice_in_the_period() -> None:
    february = Period(first=date(2026, 2, 1), last=date(2026, 2, 28))
    figures = await asked(
        erp(**customers("Ana", "Bea", "Cleo")), "sales", period=february, split=("customer",), is_absence=True
    )
    assert table(figures) == {("Cleo",): Decimal(1)}
    assert [(one.entity, one.key) for one in figures.records] == [("customers", "id-Cleo")]


async def test_new_customers_have_their_first_sale_in_the_period() -> None:
    """Who bought in the year before is not new, and neither is who never bought (A-5)."""
    books = erp(**customers("Ana", "Bea", "Cleo"))
    whole_year = await asked(books, "sales", period=YEAR, split=("customer",), is_newness=True)
    bought = {group for group, value in table(await asked(books, "sales", period=YEAR, split=("customer",))).items()}
    assert set(table(whole_year)) <= bought
    february = Period(first=date(2026, 2, 1), last=date(2026, 2, 28))
    january = Period(first=date(2026, 1, 1), last=date(2026, 1, 31))
    earlier = set(table(await asked(books, "sales", period=january, split=("customer",))))
    newer = await asked(books, "sales", period=february, split=("customer",), is_newness=True)
    assert earlier
    assert not set(table(newer)) & earlier
    assert {one.entity for one in whole_year.records} == {"customers"}


async def test_only_what_is_beyond_a_limit_is_over_the_credit_limit() -> None:
    figures = await asked(erp(**customers("Ana", "Bea", "Cleo", Ana=100, Bea=500)), "credit_excess")
    assert table(figures) == {("Ana",): Decimal(20)}
    assert figures.total == sum(one.amount for one in figures.records)


async def test_of_whom_nothing_is_owed_stands_in_no_list_of_balances() -> None:
    figures = await asked(erp(), "receivables", split=("customer",))
    assert ("Cleo",) not in table(figures)
    assert all(row.value for row in figures.rows)


async def test_an_empty_period_after_the_last_record_says_when_that_was() -> None:
    later = Period(first=date(2026, 5, 1), last=date(2026, 5, 31))
    assert (await asked(erp(), "sales", period=later)).newest == date(2026, 2, 25)
    assert (await asked(erp(), "sales", period=YEAR)).newest is None


async def test_who_bought_less_is_shown_alone_with_the_largest_fall_first() -> None:
    last_year = Period(first=date(2025, 1, 1), last=date(2025, 12, 31))
    more = await asked(erp(), "sales", period=YEAR, compare_with=last_year, split=("customer",), change="more")
    less = await asked(erp(), "sales", period=YEAR, compare_with=last_year, split=("customer",), change="less")
    assert list(table(more)) == [("Bea",), ("Ana",)]
    assert (table(less), less.records, less.total_before) == ({}, [], Decimal(0))


async def test_what_is_left_out_counts_in_no_row_and_no_total() -> None:
    figures = await asked(erp(), "sales", period=YEAR, split=("customer",), without={"country": ("fr",)})
    assert (table(figures), figures.total) == ({("Ana",): Decimal("110.30")}, Decimal("110.30"))


async def test_a_balance_leaves_out_the_credits_of_those_who_do_not_count() -> None:
    report = [{"id": "r1", "customerId": "id-Ana", "balanceDue": Decimal("90.10")}]
    people = [{"id": "id-Ana", "number": "1", "displayName": "Ana", "country": "ES"}]
    books = erp(agedAccountsReceivables=report, customers=people)
    assert (await asked(books, "receivables", without={"customer": ("ANA",)})).total == Decimal(50)


async def test_the_second_of_a_ranking_is_shown_alone() -> None:
    figures = await asked(erp(), "sales", period=YEAR, split=("customer",), is_ranked=True, place=2)
    assert (table(figures), figures.is_cut) == ({("Bea",): Decimal(50)}, True)
    with pytest.raises(MeasureError, match="only 2"):
        await asked(erp(), "sales", period=YEAR, split=("customer",), place=3)


async def test_of_a_partly_shipped_order_only_the_rest_is_still_to_ship() -> None:
    lines = [
        {"quantity": Decimal(3), "shippedQuantity": Decimal(1), "netAmount": Decimal("10.00")},
        {"quantity": Decimal(2), "shippedQuantity": Decimal(2), "netAmount": Decimal("8.00")},
    ]
    order = {"id": "o1", "number": "O1", "customerName": "Ana", "fullyShipped": False, "currencyCode": "EUR",
             "orderDate": "2026-06-01", "totalAmountExcludingTax": Decimal(18), "salesOrderLines": lines}  # fmt: skip
    books = erp(salesOrders=[order])
    assert (await asked(books, "amount_to_ship", split=("customer",))).total == Decimal("6.67")
    assert (await asked(books, "orders_to_ship")).total == Decimal(18)


@pytest.mark.parametrize("measure", ["sales", "units_sold", "gross_margin", "stock_quantity"])
async def test_of_a_service_the_item_ledger_has_no_figure(measure: str) -> None:
    """Nothing found of one would be a wrong figure: its sales stand in no item entry."""
    service = {"id": "s", "number": "S1", "displayName": "Assembly", "type": "Service", "inventory": Decimal(0)}
    connector = erp(items=[service], itemLedgerEntries=[])

    with pytest.raises(MeasureError, match="Assembly: a service"):
        await asked(connector, measure, period=YEAR, only={"item": ("Assembly",)})


async def test_late_orders_are_those_whose_delivery_date_is_past() -> None:
    def order(number: str, due: str, *, is_shipped: bool = False) -> dict[str, Any]:
        return {
            "id": number, "number": number, "customerName": "Ana", "orderDate": "2026-06-01", "currencyCode": "EUR",
            "requestedDeliveryDate": due, "fullyShipped": is_shipped, "totalAmountExcludingTax": Decimal(10),
        }  # fmt: skip

    orders = [
        order("1", "2026-06-29"), order("2", "2026-06-30"), order("3", "0001-01-01"),
        order("4", "2026-06-01", is_shipped=True),
    ]  # fmt: skip
    figures = await asked(erp(salesOrders=orders), "late_orders", split=("document",))

    assert table(figures) == {("1",): Decimal(10)}


async def test_purchase_orders_are_late_after_their_receipt_date_and_never_without_one() -> None:
    orders = [
        {
            "id": number, "number": number, "vendorName": "Sur", "orderDate": "2026-06-01", "currencyCode": "EUR",
            "requestedReceiptDate": due, "fullyReceived": False, "totalAmountExcludingTax": Decimal(7),
        }
        for number, due in (("1", "2026-06-29"), ("2", "2026-06-30"), ("3", "0001-01-01"))
    ]  # fmt: skip
    figures = await asked(erp(purchaseOrders=orders), "late_receipts", split=("document",))
    assert table(figures) == {("1",): Decimal(7)}


async def test_those_of_whom_there_is_something_are_counted_once() -> None:
    customers = [{"id": name, "number": name, "displayName": name, "country": "ES"} for name in ("Ana", "Bea", "Zoe")]
    figures = await asked(erp(customers=customers), "sales", period=YEAR, split=("customer",), is_presence=True)
    assert figures.total == Decimal(2)
    assert list(table(figures)) == [("Ana",), ("Bea",)]
    assert len(figures.records) == 2


async def test_turnover_is_the_cost_of_a_year_over_the_stock_of_today() -> None:
    def entry(number: int, day: str, kind: str, cost: str) -> dict[str, Any]:
        return {
            "id": str(number), "entryNumber": number, "itemNumber": "1", "sourceNumber": "", "documentNumber": "D",
            "postingDate": day, "entryType": kind, "costAmountActual": Decimal(cost),
        }  # fmt: skip

    entries = [
        entry(1, "2025-01-01", "Purchase", "1000"), entry(2, "2025-06-30", "Sale", "-500"),
        entry(3, "2025-07-01", "Sale", "-300"), entry(4, "2026-06-30", "Sale", "-100"),
    ]  # fmt: skip
    figures = await asked(erp(itemLedgerEntries=entries, items=[]), "stock_turnover")
    assert figures.total == Decimal("4.00")
