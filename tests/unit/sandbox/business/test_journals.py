"""General journals: lines, balance, posting."""

from datetime import date
from decimal import Decimal as Dec
from typing import Any

import pytest

from tests.unit.sandbox.business.books_check import check_books
from tests.unit.sandbox.business.shop import TODAY, Row, Shop


def line(shop: Shop, account: str, amount: int, **values: Any) -> Row:
    journal = shop.journal("journals")
    return shop.create("journalLines", journalId=journal["id"], accountNumber=account, amount=Dec(amount), **values)


def post(shop: Shop) -> None:
    shop.act("journals", "post", shop.journal("journals"))


def test_a_journal_has_a_code_in_capitals(shop: Shop) -> None:
    journal = shop.create("journals", code="extra")
    assert (journal["code"], journal["displayName"], journal["templateDisplayName"]) == ("EXTRA", "EXTRA", "GENERAL")


def test_a_journal_needs_a_code(shop: Shop) -> None:
    with shop.refused("code"):
        shop.create("journals", displayName="x")


def test_a_code_is_there_once(shop: Shop) -> None:
    with shop.refused("already exists"):
        shop.create("journals", code="DEFAULT")


def test_a_journal_can_be_renamed(shop: Shop) -> None:
    assert shop.change("journals", shop.create("journals", code="A"), code="b")["code"] == "B"


def test_a_journal_does_not_take_the_code_of_another(shop: Shop) -> None:
    journal = shop.create("journals", code="A")
    with shop.refused("cannot be used"):
        shop.change("journals", journal, code="DEFAULT")


def test_a_balancing_account_by_id_shows_its_number(shop: Shop) -> None:
    journal = shop.create("journals", code="A", balancingAccountId=shop.one("accounts", number="2920")["id"])
    assert journal["balancingAccountNumber"] == "2920"


def test_deleting_a_journal_deletes_its_lines(shop: Shop) -> None:
    journal = shop.create("journals", code="A")
    shop.create("journalLines", journalId=journal["id"], accountNumber="8110", amount=Dec(1))
    shop.remove("journals", journal)
    assert not shop.find("journalLines", journalId=journal["id"])


def test_a_line_needs_a_journal(shop: Shop) -> None:
    with shop.refused("journalId"):
        shop.create("journalLines", accountNumber="8110", amount=Dec(1))


def test_an_account_by_number_fills_in_id_and_text(shop: Shop) -> None:
    row = line(shop, "8110", 10)
    assert (row["accountId"], row["description"]) == (shop.one("accounts", number="8110")["id"], "Rent")


def test_an_account_by_id_fills_in_its_number(shop: Shop) -> None:
    account = shop.one("accounts", number="8110")
    row = shop.create("journalLines", journalId=shop.journal("journals")["id"], accountId=account["id"], amount=Dec(1))
    assert row["accountNumber"] == "8110"


def test_id_and_number_must_agree(shop: Shop) -> None:
    account = shop.one("accounts", number="8110")
    with shop.refused("do not refer to the same"):
        line(shop, "8120", 1, accountId=account["id"])


def test_an_unknown_account_is_refused(shop: Shop) -> None:
    with shop.refused("accounts"):
        line(shop, "0000", 1)


@pytest.mark.parametrize(("kind", "target"), [("Customer", "customers"), ("Vendor", "vendors")])
def test_a_line_can_be_about_a_customer_or_vendor(shop: Shop, kind: str, target: str) -> None:
    party = shop.customer() if kind == "Customer" else shop.vendor()
    row = line(shop, party["number"], 1, accountType=kind)
    assert row["accountId"] == shop.one(target, id=party["id"])["id"]


def test_a_customer_is_not_found_among_accounts(shop: Shop) -> None:
    customer = shop.customer()
    with shop.refused("accounts"):
        line(shop, customer["number"], 1)


def test_lines_are_numbered_and_dated_today(shop: Shop) -> None:
    rows = [line(shop, "8110", 1), line(shop, "8110", 1)]
    assert [row["lineNumber"] for row in rows] == [10_000, 20_000]
    assert rows[0]["postingDate"] == TODAY


def test_lines_without_a_document_number_share_one(shop: Shop) -> None:
    rows = [line(shop, "8110", 10), line(shop, "2920", -10)]
    assert rows[0]["documentNumber"] == rows[1]["documentNumber"] == "G00001"


def test_the_journal_of_a_line_is_fixed(shop: Shop) -> None:
    row, other = line(shop, "8110", 1), shop.create("journals", code="OTHER")
    with shop.refused("journalId"):
        shop.change("journalLines", row, journalId=other["id"])


def test_posting_books_the_lines_and_empties_the_journal(shop: Shop) -> None:
    line(shop, "8110", 70, documentNumber="R1")
    line(shop, "2920", -70, documentNumber="R1")
    post(shop)
    assert shop.booked("R1") == {"8110": 70, "2920": -70}
    assert not shop.find("journalLines", journalId=shop.journal("journals")["id"])
    check_books(shop.records)


def test_a_balancing_account_completes_a_line(shop: Shop) -> None:
    line(shop, "8110", 70, documentNumber="R1", balancingAccountNumber="2920")
    post(shop)
    assert shop.booked("R1") == {"8110": 70, "2920": -70}


def test_lines_take_the_balancing_account_of_their_journal(shop: Shop) -> None:
    journal = shop.create("journals", code="A", balancingAccountId=shop.one("accounts", number="2920")["id"])
    row = shop.create("journalLines", journalId=journal["id"], accountNumber="8110", amount=Dec(9), documentNumber="R1")
    assert row["balancingAccountNumber"] == "2920"
    shop.act("journals", "post", journal)
    assert shop.booked("R1") == {"8110": 9, "2920": -9}


def test_a_document_out_of_balance_is_refused(shop: Shop) -> None:
    line(shop, "8110", 70)
    line(shop, "2920", -60)
    with shop.refused("out of balance by 10"):
        post(shop)


def test_each_document_must_balance_by_itself(shop: Shop) -> None:
    line(shop, "8110", 70, documentNumber="R1")
    line(shop, "2920", -70, documentNumber="R2")
    with shop.refused("out of balance"):
        post(shop)


def test_each_date_must_balance_by_itself(shop: Shop) -> None:
    line(shop, "8110", 70, documentNumber="R1")
    line(shop, "2920", -70, documentNumber="R1", postingDate=date(2026, 1, 5))
    with shop.refused("out of balance"):
        post(shop)


def test_one_bad_document_keeps_the_good_ones_back(shop: Shop) -> None:
    line(shop, "8110", 70, documentNumber="R1", balancingAccountNumber="2920")
    line(shop, "8110", 70, documentNumber="R2")
    with shop.refused("out of balance"):
        post(shop)
    assert not shop.booked("R1")


def test_an_empty_journal_is_refused(shop: Shop) -> None:
    with shop.refused("nothing to post"):
        post(shop)


def test_a_line_without_an_amount_is_refused(shop: Shop) -> None:
    line(shop, "8110", 0)
    with shop.refused("needs an amount"):
        post(shop)


@pytest.mark.parametrize("account", ["2310", "2110", "5410"])
def test_control_accounts_take_no_journal_lines(shop: Shop, account: str) -> None:
    line(shop, account, 10, balancingAccountNumber="2920")
    with shop.refused("direct posting"):
        post(shop)


def test_a_date_outside_the_allowed_period_is_refused(shop: Shop) -> None:
    line(shop, "8110", 10, balancingAccountNumber="2920", postingDate=date(1999, 1, 1))
    with shop.refused("allowed posting dates"):
        post(shop)


def test_a_customer_can_be_charged_by_journal(shop: Shop) -> None:
    customer = shop.customer()
    line(shop, customer["number"], 50, accountType="Customer", balancingAccountNumber="6410", documentNumber="R1")
    post(shop)
    assert shop.booked("R1") == {"2310": 50, "6410": -50}
    assert shop.again("customers", customer)["balanceDue"] == 50
    check_books(shop.records)


def test_a_bank_account_is_the_account_of_the_bank(shop: Shop) -> None:
    line(shop, "8110", 5, balanceAccountType="Bank_x0020_Account", balancingAccountNumber="B010", documentNumber="R1")
    post(shop)
    assert shop.booked("R1") == {"8110": 5, "2920": -5}


def test_entries_are_numbered_without_gaps(shop: Shop) -> None:
    line(shop, "8110", 5, balancingAccountNumber="2920")
    post(shop)
    numbers = [entry["entryNumber"] for entry in shop.find("generalLedgerEntries")]
    assert numbers == list(range(1, len(numbers) + 1))


def test_dimensions_of_a_line_reach_its_entries(shop: Shop) -> None:
    row = line(shop, "8110", 5, balancingAccountNumber="2920", documentNumber="R1")
    shop.create("dimensionSetLines", parentId=row["id"], code="DEPARTMENT", valueCode="ADM")
    post(shop)
    assert all(
        shop.dimensions(entry) == {"DEPARTMENT": "ADM"}
        for entry in shop.find("generalLedgerEntries", documentNumber="R1")
    )


def test_amounts_are_rounded_to_cents(shop: Shop) -> None:
    row = line(shop, "8110", 1)
    assert shop.change("journalLines", row, amount=Dec("1.005"))["amount"] == Dec("1.01")
