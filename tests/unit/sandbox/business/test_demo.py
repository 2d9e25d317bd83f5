"""The demo companies: repeatable, sound books, interesting answers."""

from collections.abc import Iterator

import pytest

from batuta.sandbox.business import business_central
from batuta.sandbox.demo import DEMO_TODAY, create_demo
from batuta.sandbox.records import Records, SandboxStore
from tests.unit.sandbox.business.books_check import balance, check_books
from tests.unit.sandbox.business.shop import Shop


@pytest.fixture(scope="module")
def demo() -> Iterator[tuple[SandboxStore, list[str]]]:
    behaviour = business_central()
    store = SandboxStore(behaviour=behaviour)
    yield store, create_demo(store, behaviour)
    store.close()


@pytest.fixture
def shop(demo: tuple[SandboxStore, list[str]]) -> Shop:
    store, companies = demo
    return Shop(store, business_central(), companies[0])


def count(records: Records, statement: str) -> int:
    return int(records.sql(f"SELECT COUNT(*) FROM {statement}", (records.company,))[0][0])


def test_both_companies_have_sound_books(demo: tuple[SandboxStore, list[str]]) -> None:
    store, companies = demo
    for company in companies:
        check_books(store.records(company))


def test_the_companies_are_not_mixed_up(demo: tuple[SandboxStore, list[str]]) -> None:
    store, (first, second) = demo
    names = [{row["displayName"] for row in store.records(company).find("customers")} for company in (first, second)]
    assert not names[0] & names[1]
    assert len(store.records("").find("companies")) == 2


def test_the_working_date_is_fixed(demo: tuple[SandboxStore, list[str]]) -> None:
    assert demo[0].today() == DEMO_TODAY


def test_the_same_seed_gives_the_same_companies(demo: tuple[SandboxStore, list[str]]) -> None:
    behaviour = business_central()
    again = SandboxStore(behaviour=behaviour)
    create_demo(again, behaviour)
    for table in ("customers", "salesInvoices", "generalLedgerEntries", "dimensionSetLines", "_party_entries"):
        statement = f'SELECT * FROM "{table}" ORDER BY 1, 2, 3, 4'
        assert again.connection.execute(statement).fetchall() == demo[0].connection.execute(statement).fetchall()


def test_there_is_something_to_ask_about(shop: Shop) -> None:
    records = shop.records
    assert count(records, "salesInvoices WHERE company = ? AND status = 'Open' AND dueDate < '2026-09-30'") >= 5
    assert count(records, "salesInvoices WHERE company = ? AND status = 'Draft'") >= 1
    assert count(records, "customers WHERE company = ? AND blocked = 'All'") == 1
    assert count(records, "salesOrders WHERE company = ?") >= 2
    assert count(records, "purchaseInvoices WHERE company = ? AND status = 'Open'") >= 2
    assert count(records, "salesInvoices WHERE company = ? AND currencyCode <> 'EUR'") >= 2
    assert count(records, "salesQuotes WHERE company = ?") >= 1
    assert count(records, "salesCreditMemos WHERE company = ?") >= 1
    countries = records.sql("SELECT COUNT(DISTINCT country) FROM customers WHERE company = ?", (records.company,))
    assert countries[0][0] >= 4


def test_a_slow_payer_owes_most(shop: Shop) -> None:
    debtors = sorted(shop.find("customers"), key=lambda row: row["balanceDue"], reverse=True)
    assert debtors[0]["number"] == "10000"
    aged = next(row for row in shop.report("agedAccountsReceivables") if row["customerNumber"] == "10000")
    assert aged["period3Amount"] > 0


def test_overdue_invoices_are_of_different_ages(shop: Shop) -> None:
    total = next(row for row in shop.report("agedAccountsReceivables") if row["name"] == "Total")
    parts = [total[name] for name in ("currentAmount", "period1Amount", "period2Amount", "period3Amount")]
    assert all(part > 0 for part in parts)
    assert sum(parts) == total["balanceDue"]


def test_one_product_sells_at_a_loss(shop: Shop) -> None:
    margins = shop.records.sql(
        "SELECT itemNumber, SUM(salesAmountActual) + SUM(costAmountActual) FROM itemLedgerEntries WHERE company = ? "
        "AND entryType = 'Sale' GROUP BY itemNumber HAVING SUM(salesAmountActual) > 0",
        (shop.records.company,),
    )
    assert any(margin < 0 for _, margin in margins)
    assert sum(margin for _, margin in margins) > 0


def test_sales_follow_the_season(shop: Shop) -> None:
    months = dict(
        shop.records.sql(
            "SELECT substr(postingDate, 1, 7), COUNT(*) FROM salesInvoices WHERE company = ? GROUP BY 1",
            (shop.records.company,),
        )
    )
    assert months["2026-05"] > months["2026-01"]


def test_some_stock_has_run_low(shop: Shop) -> None:
    assert any(row["inventory"] <= 3 for row in shop.find("items", type="Inventory"))


def test_the_firm_earns_something_and_has_money_in_the_bank(shop: Shop) -> None:
    net = next(row for row in shop.report("incomeStatements") if row["display"] == "Net Income")
    assert net["netChange"] != 0
    assert balance(shop.records, "2920") > 0


def test_companies_that_were_left_half_made_are_not_kept() -> None:
    behaviour = business_central()
    store = SandboxStore(behaviour=behaviour)

    def give_up(name: str, done: float) -> None:
        del name
        if done > 0.02:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        create_demo(store, behaviour, progress=give_up)
    assert not store.records("").find("companies")


def test_an_unknown_size_is_refused() -> None:
    with pytest.raises(ValueError, match="choose one of S, M"):
        create_demo(SandboxStore(), business_central(), size="XXL")
