"""Sales credit memos: posting, application, cancelling."""

from decimal import Decimal

import pytest

from tests.unit.sandbox.business.books_check import check_books
from tests.unit.sandbox.business.shop import Row, Shop


def credited(shop: Shop, customer: Row | None = None, quantity: int = 1, **values: object) -> Row:
    memo = shop.document(
        "salesCreditMemos", customer or shop.customer(), shop.line(shop.item(stock=5), quantity), **values
    )
    shop.act("salesCreditMemos", "post", memo)
    return shop.again("salesCreditMemos", memo)


def test_posting_keeps_the_id_and_changes_the_number(shop: Shop) -> None:
    memo = credited(shop)
    assert (memo["number"], memo["status"]) == ("104001", "Open")


def test_the_books_get_the_opposite_of_an_invoice(shop: Shop) -> None:
    assert shop.booked(credited(shop)["number"]) == {"2310": -121, "6110": 100, "5610": 21, "7190": -60, "2110": 60}


def test_goods_come_back(shop: Shop) -> None:
    memo = credited(shop)
    entry = shop.one("itemLedgerEntries", documentNumber=memo["number"])
    assert (entry["quantity"], entry["documentType"]) == (1, "Sales_x0020_Credit_x0020_Memo")


def test_the_customer_has_it_to_their_credit(shop: Shop) -> None:
    customer = shop.customer()
    credited(shop, customer)
    assert shop.again("customers", customer)["balanceDue"] == -121


@pytest.mark.parametrize("action", ["post", "postAndSend"])
def test_posting_twice_is_refused(shop: Shop, action: str) -> None:
    memo = credited(shop)
    with shop.refused("already posted"):
        shop.act("salesCreditMemos", action, memo)


def test_an_empty_one_is_not_posted(shop: Shop) -> None:
    memo = shop.create("salesCreditMemos", customerId=shop.customer()["id"])
    with shop.refused("nothing to post"):
        shop.act("salesCreditMemos", "post", memo)


def test_one_for_an_invoice_is_applied_to_it(shop: Shop) -> None:
    customer = shop.customer()
    invoice = shop.sold(customer=customer, quantity=2)
    memo = credited(shop, customer, invoiceId=invoice["id"])
    assert memo["status"] == "Paid"
    assert shop.again("salesInvoices", invoice)["remainingAmount"] == 121
    check_books(shop.records)


def test_an_invoice_by_number_fills_in_its_id(shop: Shop) -> None:
    invoice = shop.sold()
    memo = shop.create("salesCreditMemos", customerId=invoice["customerId"], invoiceNumber=invoice["number"])
    assert memo["invoiceId"] == invoice["id"]


def test_an_unknown_invoice_is_refused(shop: Shop) -> None:
    customer = shop.customer()
    with shop.refused("salesInvoices"):
        shop.create("salesCreditMemos", customerId=customer["id"], invoiceNumber="999")


def test_a_draft_invoice_cannot_be_credited(shop: Shop) -> None:
    customer = shop.customer()
    draft = shop.document("salesInvoices", customer, shop.line(shop.item()))
    memo = shop.document("salesCreditMemos", customer, shop.line(shop.item()), invoiceId=draft["id"])
    with shop.refused("not posted"):
        shop.act("salesCreditMemos", "post", memo)


def test_cancelling_posts_an_invoice(shop: Shop) -> None:
    customer = shop.customer()
    memo = credited(shop, customer)
    shop.act("salesCreditMemos", "cancel", memo)
    assert shop.again("salesCreditMemos", memo)["status"] == "Canceled"
    assert shop.one("salesInvoices", customerId=customer["id"])["status"] == "Corrective"
    assert shop.again("customers", customer)["balanceDue"] == 0
    check_books(shop.records)


def test_one_whose_opposite_would_round_to_another_amount_is_not_cancelled(shop: Shop) -> None:
    customer = shop.customer(currencyCode="USD")
    memo = shop.document(
        "salesCreditMemos",
        customer,
        {**shop.line(shop.item(stock=5), 1), "unitPrice": Decimal("33.34")},
        currencyCode="USD",
    )
    shop.act("salesCreditMemos", "post", memo)
    shop.change("currencies", shop.one("currencies", code="USD"), amountRoundingPrecision=1)
    with shop.refused("round"):
        shop.act("salesCreditMemos", "cancel", memo)


def test_cancelling_twice_is_refused(shop: Shop) -> None:
    memo = credited(shop)
    shop.act("salesCreditMemos", "cancel", memo)
    with shop.refused("already canceled"):
        shop.act("salesCreditMemos", "cancel", memo)


def test_one_that_was_applied_cannot_be_cancelled(shop: Shop) -> None:
    customer = shop.customer()
    invoice = shop.sold(customer=customer, quantity=2)
    memo = credited(shop, customer, invoiceId=invoice["id"])
    with shop.refused("paid or applied"):
        shop.act("salesCreditMemos", "cancel", memo)


def test_a_draft_cannot_be_cancelled(shop: Shop) -> None:
    memo = shop.document("salesCreditMemos", shop.customer(), shop.line(shop.item()))
    with shop.refused("not posted"):
        shop.act("salesCreditMemos", "cancel", memo)


def test_the_corrective_one_of_a_cancelled_invoice_stays(shop: Shop) -> None:
    invoice = shop.sold()
    shop.act("salesInvoices", "cancel", invoice)
    memo = shop.one("salesCreditMemos", invoiceId=invoice["id"])
    with shop.refused("already corrective"):
        shop.act("salesCreditMemos", "cancel", memo)


def test_a_reason_must_exist(shop: Shop) -> None:
    customer = shop.customer()
    with shop.refused("customerReturnReasons"):
        shop.create(
            "salesCreditMemos",
            customerId=customer["id"],
            customerReturnReasonId="11111111-1111-1111-1111-111111111111",
        )
