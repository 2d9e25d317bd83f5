"""Payments of customers and to vendors: journals, application, status."""

from decimal import Decimal as Dec
from typing import Any

import pytest

from tests.unit.sandbox.business.books_check import balance, check_books
from tests.unit.sandbox.business.shop import Row, Shop

ZEROS = "11111111-1111-1111-1111-111111111111"


def payment(shop: Shop, customer: Row, amount: int, **values: Any) -> Row:
    journal = shop.journal()
    return shop.create(
        "customerPayments", journalId=journal["id"], customerId=customer["id"], amount=Dec(amount), **values
    )


def post(shop: Shop, kind: str = "customerPaymentJournals") -> None:
    shop.act("journals", "post", shop.one("journals", id=shop.journal(kind)["id"]))


class TestJournals:
    """Payment journals are journals too."""

    @pytest.mark.parametrize(
        ("set_name", "template"), [("customerPaymentJournals", "CASHRCPT"), ("vendorPaymentJournals", "PAYMENT")]
    )
    def test_each_has_a_twin_among_the_journals(self, shop: Shop, set_name: str, template: str) -> None:
        row = shop.create(set_name, code="extra")
        twin = shop.one("journals", id=row["id"])
        assert (twin["code"], twin["templateDisplayName"]) == ("EXTRA", template)

    @pytest.mark.parametrize("set_name", ["customerPaymentJournals", "vendorPaymentJournals"])
    def test_the_twin_follows_changes(self, shop: Shop, set_name: str) -> None:
        row = shop.create(set_name, code="EXTRA")
        shop.change(set_name, row, displayName="Other")
        assert shop.one("journals", id=row["id"])["displayName"] == "Other"

    @pytest.mark.parametrize("set_name", ["customerPaymentJournals", "vendorPaymentJournals"])
    def test_the_twin_goes_with_it(self, shop: Shop, set_name: str) -> None:
        row = shop.create(set_name, code="EXTRA")
        shop.remove(set_name, row)
        assert not shop.find("journals", id=row["id"])

    @pytest.mark.parametrize("set_name", ["customerPaymentJournals", "vendorPaymentJournals"])
    def test_a_code_is_there_once(self, shop: Shop, set_name: str) -> None:
        with shop.refused("already exists"):
            shop.create(set_name, code="BANK")


class TestLines:
    """Lines of payments."""

    def test_a_customer_by_number(self, shop: Shop) -> None:
        customer = shop.customer()
        row = shop.create("customerPayments", journalId=shop.journal()["id"], customerNumber=customer["number"])
        assert row["customerId"] == customer["id"]
        assert (row["description"], row["journalDisplayName"]) == ("Jardines Marola", "BANK")

    def test_id_and_number_must_agree(self, shop: Shop) -> None:
        customer, other = shop.customer(), shop.customer()
        with shop.refused("do not refer to the same"):
            payment(shop, customer, -1, customerNumber=other["number"])

    def test_a_customer_must_exist(self, shop: Shop) -> None:
        with shop.refused("customers"):
            shop.create("customerPayments", journalId=shop.journal()["id"], customerId=ZEROS)

    def test_an_invoice_by_number(self, shop: Shop) -> None:
        invoice = shop.sold()
        customer = shop.one("customers", id=invoice["customerId"])
        assert (
            payment(shop, customer, -1, appliesToInvoiceNumber=invoice["number"])["appliesToInvoiceId"] == invoice["id"]
        )

    def test_an_invoice_must_exist(self, shop: Shop) -> None:
        customer = shop.customer()
        with shop.refused("salesInvoices"):
            payment(shop, customer, -1, appliesToInvoiceNumber="000")

    def test_a_journal_is_needed(self, shop: Shop) -> None:
        customer = shop.customer()
        with shop.refused("journalId"):
            shop.create("customerPayments", customerId=customer["id"])

    def test_each_line_is_a_document_of_its_own(self, shop: Shop) -> None:
        customer = shop.customer()
        assert [payment(shop, customer, -1)["documentNumber"] for _ in range(2)] == ["G02001", "G02002"]

    def test_vendor_payments_have_their_own_numbers(self, shop: Shop) -> None:
        journal = shop.journal("vendorPaymentJournals")
        row = shop.create("vendorPayments", journalId=journal["id"], vendorId=shop.vendor()["id"], amount=Dec(1))
        assert row["documentNumber"] == "G04001"

    def test_a_line_can_be_changed_and_deleted(self, shop: Shop) -> None:
        row = payment(shop, shop.customer(), -1)
        assert shop.change("customerPayments", row, amount=Dec(-5))["amount"] == -5
        shop.remove("customerPayments", row)
        assert not shop.find("customerPayments", id=row["id"])


class TestCustomers:
    """What customers pay."""

    def test_a_payment_closes_its_invoice(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.paid(invoice)
        after = shop.again("salesInvoices", invoice)
        assert (after["status"], after["remainingAmount"]) == ("Paid", 0)
        check_books(shop.records)

    def test_bank_and_receivable_are_booked(self, shop: Shop) -> None:
        shop.paid(shop.sold())
        assert shop.booked("G02001") == {"2310": -242, "2920": 242}

    def test_the_line_is_gone(self, shop: Shop) -> None:
        shop.paid(shop.sold())
        assert not shop.find("customerPayments")

    def test_a_part_leaves_the_rest_open(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.paid(invoice, "100")
        after = shop.again("salesInvoices", invoice)
        assert (after["status"], after["remainingAmount"]) == ("Open", 142)

    def test_two_parts_close_it(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.paid(invoice, "100")
        shop.paid(invoice, "142")
        assert shop.again("salesInvoices", invoice)["status"] == "Paid"
        check_books(shop.records)

    def test_what_is_too_much_stays_to_their_credit(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.paid(invoice, "300")
        assert shop.again("salesInvoices", invoice)["status"] == "Paid"
        assert shop.one("customers", id=invoice["customerId"])["balanceDue"] == -58
        check_books(shop.records)

    def test_a_payment_without_an_invoice_stays_open(self, shop: Shop) -> None:
        customer = shop.customer()
        payment(shop, customer, -50)
        post(shop)
        assert shop.again("customers", customer)["balanceDue"] == -50

    def test_a_paid_invoice_cannot_be_paid_again(self, shop: Shop) -> None:
        invoice = shop.sold()
        shop.paid(invoice)
        with pytest.raises(Exception, match="already paid"):
            shop.paid(invoice)

    def test_a_draft_cannot_be_paid(self, shop: Shop) -> None:
        customer = shop.customer()
        draft = shop.document("salesInvoices", customer, shop.line(shop.item()))
        payment(shop, customer, -10, appliesToInvoiceId=draft["id"])
        with shop.refused("not posted"):
            post(shop)

    def test_an_invoice_of_somebody_else_is_refused(self, shop: Shop) -> None:
        invoice, other = shop.sold(), shop.customer()
        payment(shop, other, -10, appliesToInvoiceId=invoice["id"])
        with shop.refused("another customer"):
            post(shop)

    def test_the_amount_is_negative(self, shop: Shop) -> None:
        payment(shop, shop.customer(), 10)
        with shop.refused("must be negative"):
            post(shop)

    def test_a_blocked_customer_is_refused(self, shop: Shop) -> None:
        payment(shop, shop.customer(blocked="All"), -10)
        with shop.refused("blocked"):
            post(shop)

    def test_several_payments_are_posted_together(self, shop: Shop) -> None:
        invoices = [shop.sold(), shop.sold()]
        for invoice in invoices:
            payment(shop, shop.one("customers", id=invoice["customerId"]), -242, appliesToInvoiceId=invoice["id"])
        post(shop)
        assert [shop.again("salesInvoices", invoice)["status"] for invoice in invoices] == ["Paid", "Paid"]

    def test_one_bad_payment_keeps_the_others_back(self, shop: Shop) -> None:
        invoice = shop.sold()
        payment(shop, shop.one("customers", id=invoice["customerId"]), -242, appliesToInvoiceId=invoice["id"])
        payment(shop, shop.customer(), 10)
        with shop.refused("must be negative"):
            post(shop)
        assert shop.again("salesInvoices", invoice)["status"] == "Open"

    def test_a_rate_that_moved_is_a_gain_or_loss(self, shop: Shop) -> None:
        invoice = shop.sold(
            customer=shop.customer(country="US", currencyCode="USD"), postingDate=shop.store.today().replace(month=2)
        )
        shop.paid(invoice)
        assert shop.again("salesInvoices", invoice)["status"] == "Paid"
        assert balance(shop.records, "2320") == 0
        assert balance(shop.records, "9330") + balance(shop.records, "9340") != 0
        check_books(shop.records)


class TestVendors:
    """What we pay vendors."""

    def test_a_payment_closes_its_invoice(self, shop: Shop) -> None:
        invoice = shop.bought()
        shop.paid(invoice)
        assert shop.again("purchaseInvoices", invoice)["status"] == "Paid"
        assert shop.booked("G04001") == {"5410": Dec("145.20"), "2920": Dec("-145.20")}
        check_books(shop.records)

    def test_a_part_leaves_the_rest_open(self, shop: Shop) -> None:
        invoice = shop.bought()
        shop.paid(invoice, "100")
        assert shop.again("purchaseInvoices", invoice)["status"] == "Open"
        assert shop.one("vendors", id=invoice["vendorId"])["balance"] == Dec("45.20")

    def test_the_amount_is_positive(self, shop: Shop) -> None:
        journal = shop.journal("vendorPaymentJournals")
        shop.create("vendorPayments", journalId=journal["id"], vendorId=shop.vendor()["id"], amount=Dec(-1))
        with shop.refused("must be positive"):
            post(shop, "vendorPaymentJournals")

    def test_open_entries_can_be_marked_for_a_payment(self, shop: Shop) -> None:
        vendor = shop.vendor()
        first = shop.bought(vendor=vendor)
        second = shop.bought(vendor=vendor, vendorInvoiceNumber="F-2")
        journal = shop.journal("vendorPaymentJournals")
        shop.create("vendorPayments", journalId=journal["id"], vendorId=vendor["id"], amount=Dec("290.40"))
        for entry in shop.find("applyVendorEntries", vendorNumber=vendor["number"]):
            shop.change("applyVendorEntries", entry, applied=True)
        post(shop, "vendorPaymentJournals")
        assert [shop.again("purchaseInvoices", each)["status"] for each in (first, second)] == ["Paid", "Paid"]
        assert not shop.find("applyVendorEntries", vendorNumber=vendor["number"])
        check_books(shop.records)

    def test_without_a_payment_nothing_can_be_marked(self, shop: Shop) -> None:
        shop.bought()
        (entry,) = shop.find("applyVendorEntries")
        with shop.refused("no payment to vendor"):
            shop.change("applyVendorEntries", entry, applied=True)
