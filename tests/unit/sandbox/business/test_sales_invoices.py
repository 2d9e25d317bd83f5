"""Sales invoices: posting, cancelling, correcting."""

from datetime import date
from decimal import Decimal as Dec

import pytest

from tests.unit.sandbox.business.books_check import check_books
from tests.unit.sandbox.business.shop import TODAY, Shop


def test_posting_keeps_the_id_and_changes_the_number(shop: Shop) -> None:
    draft = shop.document("salesInvoices", shop.customer(), shop.line(shop.item()))
    assert draft["number"] == "102001"
    shop.act("salesInvoices", "post", draft)
    posted = shop.again("salesInvoices", draft)
    assert (posted["number"], posted["status"]) == ("103001", "Open")


def test_lines_keep_their_ids(shop: Shop) -> None:
    draft = shop.document("salesInvoices", shop.customer(), shop.line(shop.item()))
    before = [line["id"] for line in shop.lines("salesInvoices", draft)]
    shop.act("salesInvoices", "post", draft)
    assert [line["id"] for line in shop.lines("salesInvoices", draft)] == before


def test_what_remains_is_the_total(shop: Shop) -> None:
    assert shop.sold()["remainingAmount"] == 242


def test_a_draft_owes_nothing_yet(shop: Shop) -> None:
    customer = shop.customer()
    draft = shop.document("salesInvoices", customer, shop.line(shop.item()))
    assert draft["remainingAmount"] == 0
    assert shop.again("customers", customer)["balanceDue"] == 0


def test_posting_twice_is_refused(shop: Shop) -> None:
    invoice = shop.sold()
    with shop.refused("already posted"):
        shop.act("salesInvoices", "post", invoice)


def test_post_and_send_posts(shop: Shop) -> None:
    draft = shop.document("salesInvoices", shop.customer(), shop.line(shop.item()))
    shop.act("salesInvoices", "postAndSend", draft)
    assert shop.again("salesInvoices", draft)["status"] == "Open"


def test_a_draft_cannot_be_sent(shop: Shop) -> None:
    draft = shop.document("salesInvoices", shop.customer(), shop.line(shop.item()))
    with shop.refused("Post it first"):
        shop.act("salesInvoices", "send", draft)


def test_sending_a_posted_invoice_changes_nothing(shop: Shop) -> None:
    invoice = shop.sold()
    shop.act("salesInvoices", "send", invoice)
    assert shop.again("salesInvoices", invoice) == invoice


def test_an_empty_invoice_is_not_posted(shop: Shop) -> None:
    draft = shop.create("salesInvoices", customerId=shop.customer()["id"])
    with shop.refused("nothing to post"):
        shop.act("salesInvoices", "post", draft)


def test_an_invoice_of_texts_alone_is_not_posted(shop: Shop) -> None:
    draft = shop.document("salesInvoices", shop.customer(), {"description": "Hello"})
    with shop.refused("nothing to post"):
        shop.act("salesInvoices", "post", draft)


def test_a_date_outside_the_allowed_period_is_refused(shop: Shop) -> None:
    draft = shop.document("salesInvoices", shop.customer(), shop.line(shop.item()), postingDate=date(2001, 1, 1))
    with shop.refused("allowed posting dates"):
        shop.act("salesInvoices", "post", draft)


def test_an_item_blocked_meanwhile_is_refused(shop: Shop) -> None:
    item = shop.item(stock=5)
    draft = shop.document("salesInvoices", shop.customer(), shop.line(item))
    shop.change("items", item, blocked=True)
    with shop.refused("blocked"):
        shop.act("salesInvoices", "post", draft)


def test_a_negative_total_is_refused(shop: Shop) -> None:
    draft = shop.document("salesInvoices", shop.customer(), shop.line(shop.item(stock=1), -2))
    with shop.refused("must not be negative"):
        shop.act("salesInvoices", "post", draft)


def test_a_line_that_takes_goods_back_puts_them_into_stock(shop: Shop) -> None:
    item, back = shop.item(stock=5), shop.item(stock=5)
    draft = shop.document("salesInvoices", shop.customer(), shop.line(item, 3), shop.line(back, -1))
    shop.act("salesInvoices", "post", draft)
    assert shop.again("items", back)["inventory"] == 6
    check_books(shop.records)


@pytest.mark.parametrize(
    ("country", "receivable", "revenue"), [("ES", "2310", "6110"), ("FR", "2320", "6120"), ("US", "2320", "6130")]
)
def test_accounts_follow_from_where_the_customer_is(shop: Shop, country: str, receivable: str, revenue: str) -> None:
    booked = shop.booked(shop.sold(customer=shop.customer(country=country))["number"])
    assert booked[revenue] == -200
    assert booked[receivable] > 0


def test_a_service_has_no_cost_and_its_own_revenue(shop: Shop) -> None:
    invoice = shop.sold(item=shop.item(type="Service"), quantity=1)
    assert shop.booked(invoice["number"]) == {"2310": 121, "6410": -100, "5610": -21}
    assert not shop.find("itemLedgerEntries", documentNumber=invoice["number"])


def test_rates_are_taxed_apart(shop: Shop) -> None:
    draft = shop.document(
        "salesInvoices", shop.customer(), shop.line(shop.item()), shop.line(shop.item(taxGroupCode="REDUCED"))
    )
    shop.act("salesInvoices", "post", draft)
    assert shop.booked(shop.again("salesInvoices", draft)["number"])["5610"] == -31


def test_the_discount_of_the_document_has_its_account(shop: Shop) -> None:
    draft = shop.document("salesInvoices", shop.customer(), shop.line(shop.item(stock=5), 2), discountAmount=Dec(20))
    shop.act("salesInvoices", "post", draft)
    booked = shop.booked(shop.again("salesInvoices", draft)["number"])
    assert (booked["6110"], booked["6910"], booked["5610"]) == (-200, 20, Dec("-37.80"))


def test_somebody_else_who_pays_owes(shop: Shop) -> None:
    customer, payer = shop.customer(), shop.customer()
    shop.sold(customer=customer, billToCustomerId=payer["id"])
    assert shop.again("customers", payer)["balanceDue"] == 242
    assert shop.again("customers", customer)["balanceDue"] == 0


class TestCancelling:
    """A posted invoice is taken back whole."""

    def test_the_opposite_is_posted(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.act("salesInvoices", "cancel", invoice)
        memo = shop.one("salesCreditMemos", invoiceId=invoice["id"])
        assert memo["status"] == "Corrective"
        assert shop.booked(memo["number"]) == {
            account: -amount for account, amount in shop.booked(invoice["number"]).items()
        }

    def test_the_invoice_is_cancelled_and_owes_nothing(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.act("salesInvoices", "cancel", invoice)
        after = shop.again("salesInvoices", invoice)
        assert (after["status"], after["remainingAmount"]) == ("Canceled", 0)
        assert shop.one("customers", id=invoice["customerId"])["balanceDue"] == 0

    def test_goods_come_back_at_the_cost_they_left_with(self, shop: Shop) -> None:
        item = shop.item(stock=10)
        invoice = shop.sold(item=item, quantity=10)
        row = shop.document(
            "purchaseInvoices", shop.vendor(), shop.line(item, 5, unitCost=Dec(90)), vendorInvoiceNumber="1"
        )
        shop.act("purchaseInvoices", "post", row)
        shop.act("salesInvoices", "cancel", invoice)
        assert shop.again("items", item)["inventory"] == 15
        assert shop.again("items", item)["unitCost"] == 70
        check_books(shop.records)

    def test_not_twice(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.act("salesInvoices", "cancel", invoice)
        with shop.refused("already canceled"):
            shop.act("salesInvoices", "cancel", invoice)

    def test_not_when_paid(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.paid(invoice)
        with shop.refused("paid or applied"):
            shop.act("salesInvoices", "cancel", invoice)

    def test_not_when_paid_in_part(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.paid(invoice, "1")
        with shop.refused("paid or applied"):
            shop.act("salesInvoices", "cancel", invoice)

    def test_not_a_draft(self, shop: Shop) -> None:
        draft = shop.document("salesInvoices", shop.customer(), shop.line(shop.item()))
        with shop.refused("not posted"):
            shop.act("salesInvoices", "cancel", draft)

    def test_cancel_and_send_cancels(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.act("salesInvoices", "cancelAndSend", invoice)
        assert shop.again("salesInvoices", invoice)["status"] == "Canceled"


class TestCorrecting:
    """A draft of a credit memo for a posted invoice."""

    def test_a_draft_credit_memo_is_made(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.act("salesInvoices", "makeCorrectiveCreditMemo", invoice)
        memo = shop.one("salesCreditMemos", invoiceId=invoice["id"])
        assert (memo["status"], memo["invoiceNumber"], memo["creditMemoDate"]) == ("Draft", invoice["number"], TODAY)
        assert memo["totalAmountIncludingTax"] == invoice["totalAmountIncludingTax"]

    def test_the_invoice_stays_open_until_it_is_posted(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.act("salesInvoices", "makeCorrectiveCreditMemo", invoice)
        assert shop.again("salesInvoices", invoice)["status"] == "Open"

    def test_posting_it_closes_the_invoice(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.act("salesInvoices", "makeCorrectiveCreditMemo", invoice)
        memo = shop.one("salesCreditMemos", invoiceId=invoice["id"])
        shop.act("salesCreditMemos", "post", memo)
        assert shop.again("salesInvoices", invoice)["status"] == "Paid"
        assert shop.again("salesCreditMemos", memo)["status"] == "Paid"
        check_books(shop.records)

    def test_a_part_of_it_leaves_the_rest_open(self, shop: Shop) -> None:
        invoice = shop.sold(quantity=2)
        shop.act("salesInvoices", "makeCorrectiveCreditMemo", invoice)
        memo = shop.one("salesCreditMemos", invoiceId=invoice["id"])
        shop.change("salesCreditMemoLines", shop.lines("salesCreditMemos", memo)[0], quantity=Dec(1))
        shop.act("salesCreditMemos", "post", memo)
        after = shop.again("salesInvoices", invoice)
        assert (after["status"], after["remainingAmount"]) == ("Open", 121)

    def test_not_of_a_draft(self, shop: Shop) -> None:
        draft = shop.document("salesInvoices", shop.customer(), shop.line(shop.item()))
        with shop.refused("nothing to correct"):
            shop.act("salesInvoices", "makeCorrectiveCreditMemo", draft)

    def test_not_twice(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.act("salesInvoices", "makeCorrectiveCreditMemo", invoice)
        with shop.refused("cannot be corrected again: credit memo"):
            shop.act("salesInvoices", "makeCorrectiveCreditMemo", invoice)
        memo = shop.one("salesCreditMemos", invoiceId=invoice["id"])
        shop.act("salesCreditMemos", "post", memo)
        with shop.refused("cannot be corrected again: credit memo"):
            shop.act("salesInvoices", "makeCorrectiveCreditMemo", invoice)

    def test_again_after_the_draft_was_deleted(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.act("salesInvoices", "makeCorrectiveCreditMemo", invoice)
        shop.remove("salesCreditMemos", shop.one("salesCreditMemos", invoiceId=invoice["id"]))
        shop.act("salesInvoices", "makeCorrectiveCreditMemo", invoice)
        assert shop.one("salesCreditMemos", invoiceId=invoice["id"])["status"] == "Draft"

    def test_two_credit_memos_do_not_credit_more_than_the_invoice(self, shop: Shop) -> None:
        """Also those that a client makes by hand: parts are possible, together no more than was charged."""
        invoice = shop.sold(quantity=2)
        customer, item = shop.one("customers", id=invoice["customerId"]), shop.find("items")[-1]
        drafts = [
            shop.document("salesCreditMemos", customer, shop.line(item, 1, unitPrice=Dec(100)), invoiceId=invoice["id"])
            for _ in range(3)
        ]
        for draft in drafts[:2]:
            shop.act("salesCreditMemos", "post", draft)
        with shop.refused("would credit more than invoice"):
            shop.act("salesCreditMemos", "post", drafts[2])
        assert shop.again("salesInvoices", invoice)["status"] == "Paid"
        check_books(shop.records)

    def test_not_of_a_cancelled_invoice(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.act("salesInvoices", "cancel", invoice)
        with shop.refused("nothing to correct"):
            shop.act("salesInvoices", "makeCorrectiveCreditMemo", invoice)
