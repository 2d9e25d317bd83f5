"""Headers of all seven kinds of documents: numbers, defaults, changes, deletion."""

from datetime import date, timedelta
from decimal import Decimal as Dec
from typing import Any

import pytest

from tests.unit.sandbox.business.shop import TODAY, Row, Shop

SALES = ("salesQuotes", "salesOrders", "salesInvoices", "salesCreditMemos")
PURCHASES = ("purchaseOrders", "purchaseInvoices", "purchaseCreditMemos")
DATES = {
    "salesQuotes": "documentDate", "salesOrders": "orderDate", "salesInvoices": "invoiceDate",
    "salesCreditMemos": "creditMemoDate", "purchaseOrders": "orderDate", "purchaseInvoices": "invoiceDate",
    "purchaseCreditMemos": "creditMemoDate",
}  # fmt: skip
NUMBERS = {
    "salesQuotes": "1001", "salesOrders": "101001", "salesInvoices": "102001", "salesCreditMemos": "1001",
    "purchaseOrders": "106001", "purchaseInvoices": "107001", "purchaseCreditMemos": "1001",
}  # fmt: skip


def party(shop: Shop, set_name: str, **values: Any) -> tuple[str, Row]:
    if set_name in PURCHASES:
        return "vendor", shop.vendor(**values)
    return "customer", shop.customer(**values)


@pytest.mark.parametrize("set_name", SALES + PURCHASES)
class TestEveryDocument:
    """What holds for each kind of document."""

    def test_it_takes_the_next_number(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name)
        first = shop.create(set_name, **{f"{name}Id": row["id"]})
        second = shop.create(set_name, **{f"{name}Id": row["id"]})
        assert first["number"] == NUMBERS[set_name]
        assert int(second["number"]) == int(first["number"]) + 1

    def test_it_is_a_draft_dated_today(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name)
        document = shop.create(set_name, **{f"{name}Id": row["id"]})
        assert (document["status"], document[DATES[set_name]], document["postingDate"]) == ("Draft", TODAY, TODAY)

    def test_it_takes_name_and_address_of_its_party(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name, displayName="Vivo", addressLine1="Calle 1", city="Sevilla", country="ES")
        document = shop.create(set_name, **{f"{name}Id": row["id"]})
        prefix = "buyFrom" if name == "vendor" else "sellTo"
        assert document[f"{name}Name"] == "Vivo"
        assert (document[f"{prefix}AddressLine1"], document[f"{prefix}City"]) == ("Calle 1", "Sevilla")
        assert document[f"{'payTo' if name == 'vendor' else 'billTo'}Name"] == "Vivo"

    def test_the_party_can_be_named_by_number(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name)
        assert shop.create(set_name, **{f"{name}Number": row["number"]})[f"{name}Id"] == row["id"]

    def test_id_and_number_of_the_party_must_agree(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name)
        _, other = party(shop, set_name)
        with shop.refused("do not refer to the same"):
            shop.create(set_name, **{f"{name}Id": row["id"], f"{name}Number": other["number"]})

    def test_a_party_is_needed(self, shop: Shop, set_name: str) -> None:
        with shop.refused("Id"):
            shop.create(set_name)

    def test_it_takes_the_currency_of_its_party(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name, currencyCode="USD")
        assert shop.create(set_name, **{f"{name}Id": row["id"]})["currencyCode"] == "USD"

    def test_a_currency_that_was_given_decides(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name)
        document = shop.create(set_name, **{f"{name}Id": row["id"], "currencyCode": "USD"})
        assert document["currencyId"] == shop.one("currencies", code="USD")["id"]

    def test_an_unknown_currency_is_refused(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name)
        with shop.refused("currencies"):
            shop.create(set_name, **{f"{name}Id": row["id"], "currencyCode": "ZZZ"})

    def test_somebody_else_can_pay(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name)
        _, payer = party(shop, set_name, displayName="Holding", city="Madrid")
        prefix = "payToVendor" if name == "vendor" else "billToCustomer"
        document = shop.create(set_name, **{f"{name}Id": row["id"], f"{prefix}Number": payer["number"]})
        assert document[f"{prefix}Id"] == payer["id"]
        assert document[f"{'payTo' if name == 'vendor' else 'billTo'}Name"] == "Holding"

    def test_changing_the_party_changes_what_came_from_it(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name)
        _, other = party(shop, set_name, displayName="Otra", city="Bilbao")
        document = shop.change(
            set_name, shop.create(set_name, **{f"{name}Id": row["id"]}), **{f"{name}Id": other["id"]}
        )
        assert document[f"{name}Number"] == other["number"]
        assert document[f"{'buyFrom' if name == 'vendor' else 'sellTo'}City"] == "Bilbao"

    def test_deleting_a_draft_deletes_its_lines(self, shop: Shop, set_name: str) -> None:
        _, row = party(shop, set_name)
        document = shop.document(set_name, row, shop.line(shop.item()))
        shop.remove(set_name, document)
        assert not shop.lines(set_name, document)
        assert not shop.find(set_name, id=document["id"])

    def test_a_shortcut_dimension_becomes_part_of_its_set(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name)
        document = shop.create(set_name, **{f"{name}Id": row["id"], "shortcutDimension1Code": "ADM"})
        assert shop.dimensions(document) == {"DEPARTMENT": "ADM"}


@pytest.mark.parametrize(
    "set_name", ["salesQuotes", "salesInvoices", "salesCreditMemos", "purchaseInvoices", "purchaseCreditMemos"]
)
class TestDueDates:
    """Documents that fall due."""

    def test_terms_decide(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name, paymentTermsId=shop.one("paymentTerms", code="30 DAYS")["id"])
        document = shop.create(set_name, **{f"{name}Id": row["id"], DATES[set_name]: date(2026, 3, 1)})
        assert document["dueDate"] == date(2026, 3, 31)

    def test_without_terms_a_document_is_due_at_once(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name)
        assert shop.create(set_name, **{f"{name}Id": row["id"]})["dueDate"] == TODAY

    def test_a_due_date_that_was_given_is_kept(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name)
        due = TODAY + timedelta(days=5)
        assert shop.create(set_name, **{f"{name}Id": row["id"], "dueDate": due})["dueDate"] == due

    def test_another_date_moves_the_due_date(self, shop: Shop, set_name: str) -> None:
        name, row = party(shop, set_name, paymentTermsId=shop.one("paymentTerms", code="CM")["id"])
        document = shop.create(set_name, **{f"{name}Id": row["id"]})
        assert shop.change(set_name, document, **{DATES[set_name]: date(2026, 2, 3)})["dueDate"] == date(2026, 2, 28)


@pytest.mark.parametrize("set_name", SALES)
class TestSalesDocuments:
    """What only sales documents have."""

    def test_the_salesperson_comes_from_the_customer(self, shop: Shop, set_name: str) -> None:
        document = shop.create(set_name, customerId=shop.customer(salespersonCode="MR")["id"])
        assert document["salesperson"] == "MR"

    def test_terms_that_do_not_exist_are_refused(self, shop: Shop, set_name: str) -> None:
        customer = shop.customer()
        with shop.refused("paymentTerms"):
            shop.create(set_name, customerId=customer["id"], paymentTermsId="11111111-1111-1111-1111-111111111111")

    def test_phone_and_mail_come_from_the_customer(self, shop: Shop, set_name: str) -> None:
        document = shop.create(set_name, customerId=shop.customer(email="a@b.example", phoneNumber="1")["id"])
        assert (document["email"], document["phoneNumber"]) == ("a@b.example", "1")


@pytest.mark.parametrize("set_name", ["purchaseOrders", "purchaseInvoices"])
def test_goods_bought_are_shipped_to_us(shop: Shop, set_name: str) -> None:
    document = shop.create(set_name, vendorId=shop.vendor()["id"])
    assert document["shipToName"] == "Sierra Clara Exterior, S.L."
    assert document["shipToCity"] == "Valencia"


def test_other_terms_move_the_due_date(shop: Shop) -> None:
    invoice = shop.create("salesInvoices", customerId=shop.customer()["id"], invoiceDate=date(2026, 1, 10))
    changed = shop.change("salesInvoices", invoice, paymentTermsId=shop.one("paymentTerms", code="14 DAYS")["id"])
    assert changed["dueDate"] == date(2026, 1, 24)


@pytest.mark.parametrize("prop", ["invoiceDate", "dueDate", "customerId", "currencyCode", "discountAmount", "email"])
def test_a_posted_invoice_cannot_be_changed(shop: Shop, prop: str) -> None:
    invoice = shop.sold()
    other: dict[str, Any] = {
        "invoiceDate": date(2026, 1, 1), "dueDate": date(2026, 1, 1), "customerId": shop.customer()["id"],
        "currencyCode": "USD", "discountAmount": Dec(1), "email": "x@y.example",
    }  # fmt: skip
    with shop.refused("is posted"):
        shop.change("salesInvoices", invoice, **{prop: other[prop]})


def test_a_posted_invoice_can_get_a_promised_date(shop: Shop) -> None:
    assert shop.change("salesInvoices", shop.sold(), promisedPayDate=TODAY)["promisedPayDate"] == TODAY


def test_a_posted_invoice_cannot_be_deleted(shop: Shop) -> None:
    invoice = shop.sold()
    with shop.refused("cannot be deleted"):
        shop.remove("salesInvoices", invoice)


def test_another_customer_may_be_taxed_differently(shop: Shop) -> None:
    invoice = shop.document("salesInvoices", shop.customer(), shop.line(shop.item()))
    changed = shop.change("salesInvoices", invoice, customerId=shop.customer(country="FR")["id"])
    assert (changed["totalTaxAmount"], changed["totalAmountIncludingTax"]) == (0, 100)


def test_a_discount_is_not_negative(shop: Shop) -> None:
    customer = shop.customer()
    with shop.refused("discountAmount"):
        shop.create("salesInvoices", customerId=customer["id"], discountAmount=Dec(-1))


def test_a_discount_is_rounded_to_cents(shop: Shop) -> None:
    invoice = shop.document("salesInvoices", shop.customer(), shop.line(shop.item()))
    assert shop.change("salesInvoices", invoice, discountAmount=Dec("1.005"))["discountAmount"] == Dec("1.01")
