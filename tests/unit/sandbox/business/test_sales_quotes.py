"""Sales quotes: sending, making orders and invoices of them."""

from decimal import Decimal as Dec

import pytest

from tests.unit.sandbox.business.shop import Row, Shop


def quote(shop: Shop, **values: object) -> Row:
    line = shop.line(shop.item(stock=5), 2, discountPercent=Dec(10))
    return shop.document("salesQuotes", shop.customer(salespersonCode="MR"), line, **values)


def test_sending_marks_a_quote_as_sent(shop: Shop) -> None:
    row = quote(shop)
    shop.act("salesQuotes", "send", row)
    sent = shop.again("salesQuotes", row)
    assert sent["status"] == "Sent"
    assert sent["sentDate"].date() == shop.store.today()


def test_an_empty_quote_is_not_sent(shop: Shop) -> None:
    row = shop.create("salesQuotes", customerId=shop.customer()["id"])
    with shop.refused("nothing to send"):
        shop.act("salesQuotes", "send", row)


@pytest.mark.parametrize(("action", "target"), [("makeOrder", "salesOrders"), ("makeInvoice", "salesInvoices")])
class TestMaking:
    """A quote becomes an order or an invoice."""

    def test_header_and_lines_are_taken_over(self, shop: Shop, action: str, target: str) -> None:
        row = quote(shop, externalDocumentNumber="REQ-7")
        shop.act("salesQuotes", action, row)
        made = shop.one(target, customerId=row["customerId"])
        assert (made["status"], made["salesperson"], made["externalDocumentNumber"]) == ("Draft", "MR", "REQ-7")
        assert made["totalAmountIncludingTax"] == row["totalAmountIncludingTax"]
        (line,) = shop.lines(target, made)
        assert (line["quantity"], line["unitPrice"], line["discountPercent"]) == (2, 100, 10)

    def test_the_quote_is_gone(self, shop: Shop, action: str, target: str) -> None:
        del target
        row = quote(shop)
        shop.act("salesQuotes", action, row)
        assert not shop.find("salesQuotes", id=row["id"])
        assert not shop.lines("salesQuotes", row)

    def test_dimensions_are_taken_over(self, shop: Shop, action: str, target: str) -> None:
        row = quote(shop, shortcutDimension1Code="SALES")
        shop.act("salesQuotes", action, row)
        assert shop.dimensions(shop.one(target, customerId=row["customerId"])) == {"DEPARTMENT": "SALES"}

    def test_an_empty_quote_is_refused(self, shop: Shop, action: str, target: str) -> None:
        del target
        row = shop.create("salesQuotes", customerId=shop.customer()["id"])
        with shop.refused("nothing to take over"):
            shop.act("salesQuotes", action, row)

    def test_what_was_made_can_be_posted(self, shop: Shop, action: str, target: str) -> None:
        row = quote(shop)
        shop.act("salesQuotes", action, row)
        post = "shipAndInvoice" if target == "salesOrders" else "post"
        shop.act(target, post, shop.one(target, customerId=row["customerId"]))
        assert shop.one("salesInvoices", customerId=row["customerId"])["status"] == "Open"


def test_an_order_made_of_a_quote_ships_everything(shop: Shop) -> None:
    row = quote(shop)
    shop.act("salesQuotes", "makeOrder", row)
    (line,) = shop.lines("salesOrders", shop.one("salesOrders", customerId=row["customerId"]))
    assert (line["shipQuantity"], line["invoiceQuantity"], line["shippedQuantity"]) == (2, 2, 0)
