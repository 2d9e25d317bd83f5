"""Sales orders: shipping and invoicing, whole and in part."""

from decimal import Decimal as Dec
from typing import Any

import pytest

from tests.unit.sandbox.business.books_check import check_books
from tests.unit.sandbox.business.shop import TODAY, Row, Shop


def order(shop: Shop, quantity: int = 10, **values: Any) -> Row:
    return shop.document("salesOrders", shop.customer(), shop.line(shop.item(stock=50), quantity), **values)


def ship(shop: Shop, row: Row, shipped: int | None = None, invoiced: int | None = None) -> None:
    (line,) = shop.lines("salesOrders", row)
    changes = {"shipQuantity": shipped, "invoiceQuantity": invoiced}
    given = {name: Dec(value) for name, value in changes.items() if value is not None}
    if given:
        shop.change("salesOrderLines", line, **given)
    shop.act("salesOrders", "shipAndInvoice", row)


def test_a_new_line_ships_and_invoices_everything(shop: Shop) -> None:
    (line,) = shop.lines("salesOrders", order(shop))
    assert (line["shipQuantity"], line["invoiceQuantity"], line["shippedQuantity"], line["invoicedQuantity"]) == (
        10,
        10,
        0,
        0,
    )


def test_shipping_everything_makes_an_invoice_and_a_shipment(shop: Shop) -> None:
    row = order(shop, externalDocumentNumber="PO-1")
    ship(shop, row)
    invoice = shop.one("salesInvoices", orderNumber=row["number"])
    shipment = shop.one("salesShipments", orderNumber=row["number"])
    assert (invoice["status"], invoice["orderId"], invoice["number"]) == ("Open", row["id"], "103001")
    assert (invoice["totalAmountIncludingTax"], invoice["remainingAmount"]) == (1210, 1210)
    assert (shipment["number"], shipment["customerPurchaseOrderReference"]) == ("102001", "PO-1")
    assert shop.find("salesShipmentLines", documentId=shipment["id"])[0]["quantity"] == 10


def test_an_order_that_is_invoiced_whole_is_gone(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row)
    assert not shop.find("salesOrders", id=row["id"])
    assert not shop.lines("salesOrders", row)


def test_revenue_tax_and_cost_are_booked_under_the_invoice(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row)
    number = shop.one("salesInvoices", orderNumber=row["number"])["number"]
    assert shop.booked(number) == {"2310": 1210, "6110": -1000, "5610": -210, "7190": 600, "2110": -600}


def test_the_stock_entry_names_the_shipment(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row)
    entry = shop.find("itemLedgerEntries", entryType="Sale")[0]
    assert (entry["documentNumber"], entry["documentType"]) == ("102001", "Sales_x0020_Shipment")
    assert (entry["quantity"], entry["salesAmountActual"], entry["costAmountActual"]) == (-10, 1000, -600)


def test_a_part_can_be_shipped_and_invoiced(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row, 4, 4)
    (line,) = shop.lines("salesOrders", row)
    assert (line["shippedQuantity"], line["invoicedQuantity"], line["shipQuantity"], line["invoiceQuantity"]) == (
        4,
        4,
        6,
        6,
    )
    assert shop.again("salesOrders", row)["status"] == "Open"
    assert shop.one("salesInvoices", orderNumber=row["number"])["totalAmountExcludingTax"] == 400


def test_the_rest_can_follow(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row, 4, 4)
    ship(shop, row)
    assert [each["totalAmountExcludingTax"] for each in shop.find("salesInvoices", orderNumber=row["number"])] == [
        400,
        600,
    ]
    assert not shop.find("salesOrders", id=row["id"])


def test_more_can_be_shipped_than_invoiced(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row, 10, 3)
    assert shop.again("salesOrders", row)["fullyShipped"] is True
    assert shop.one("salesInvoices", orderNumber=row["number"])["totalAmountExcludingTax"] == 300
    check_books(shop.records)


def test_what_was_shipped_earlier_can_be_invoiced_alone(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row, 10, 3)
    ship(shop, row)
    assert len(shop.find("salesShipments", orderNumber=row["number"])) == 1
    invoices = shop.find("salesInvoices", orderNumber=row["number"])
    assert shop.booked(invoices[1]["number"]) == {"2310": 847, "6110": -700, "5610": -147}
    entry = shop.find("itemLedgerEntries", entryType="Sale")[0]
    assert entry["salesAmountActual"] == 1000


def test_goods_shipped_without_an_invoice_are_booked_under_the_shipment(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row, 5, 0)
    assert not shop.find("salesInvoices", orderNumber=row["number"])
    assert shop.booked("102001") == {"7190": 300, "2110": -300}
    check_books(shop.records)


def test_more_cannot_be_invoiced_than_shipped(shop: Shop) -> None:
    row = order(shop)
    with pytest.raises(Exception, match="only 2 have been moved"):
        ship(shop, row, 2, 5)


@pytest.mark.parametrize(
    ("prop", "value"), [("shipQuantity", 11), ("invoiceQuantity", 11), ("shipQuantity", -1), ("invoiceQuantity", -1)]
)
def test_quantities_to_post_stay_within_what_is_left(shop: Shop, prop: str, value: int) -> None:
    (line,) = shop.lines("salesOrders", order(shop))
    with shop.refused(prop):
        shop.change("salesOrderLines", line, **{prop: Dec(value)})


def test_nothing_to_ship_is_refused(shop: Shop) -> None:
    row = order(shop)
    with pytest.raises(Exception, match="nothing to post"):
        ship(shop, row, 0, 0)


def test_an_empty_order_is_refused(shop: Shop) -> None:
    row = shop.create("salesOrders", customerId=shop.customer()["id"])
    with shop.refused("nothing to post"):
        shop.act("salesOrders", "shipAndInvoice", row)


def test_the_quantity_cannot_fall_below_what_is_shipped(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row, 4, 4)
    (line,) = shop.lines("salesOrders", row)
    with shop.refused("already posted"):
        shop.change("salesOrderLines", line, quantity=Dec(3))


def test_a_changed_quantity_changes_what_is_left(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row, 4, 4)
    line = shop.change("salesOrderLines", shop.lines("salesOrders", row)[0], quantity=Dec(7))
    assert (line["shipQuantity"], line["invoiceQuantity"]) == (3, 3)


def test_a_line_shipped_in_part_cannot_be_deleted(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row, 4, 4)
    (line,) = shop.lines("salesOrders", row)
    with shop.refused("posted in part"):
        shop.remove("salesOrderLines", line)


def test_a_line_shipped_in_part_stays_about_its_item(shop: Shop) -> None:
    row, other = order(shop), shop.item()
    ship(shop, row, 4, 4)
    (line,) = shop.lines("salesOrders", row)
    with shop.refused("posted in part"):
        shop.change("salesOrderLines", line, itemId=other["id"])


def test_an_order_line_is_not_negative(shop: Shop) -> None:
    row = shop.create("salesOrders", customerId=shop.customer()["id"])
    item = shop.item()
    with shop.refused("must not be negative"):
        shop.create("salesOrderLines", documentId=row["id"], **shop.line(item, -1))


def test_discounts_are_shared_over_the_invoices_of_an_order(shop: Shop) -> None:
    row = order(shop, quantity=3)
    shop.change("salesOrderLines", shop.lines("salesOrders", row)[0], discountAmount=Dec(10))
    shop.change("salesOrders", row, discountAmount=Dec(10))
    for _ in range(3):
        ship(shop, row, 1, 1)
    invoices = shop.find("salesInvoices", orderNumber=row["number"])
    assert sum(each["totalAmountExcludingTax"] for each in invoices) == 280
    assert sum(each["discountAmount"] for each in invoices) == 10
    check_books(shop.records)


def test_account_lines_are_invoiced_with_the_goods(shop: Shop) -> None:
    row = order(shop, quantity=1)
    account = shop.one("accounts", number="6410")
    shop.create("salesOrderLines", documentId=row["id"], accountId=account["id"], quantity=Dec(1), unitPrice=Dec(30))
    shop.act("salesOrders", "shipAndInvoice", row)
    invoice = shop.one("salesInvoices", orderNumber=row["number"])
    assert shop.booked(invoice["number"])["6410"] == -30


def test_the_due_date_runs_from_the_posting_date(shop: Shop) -> None:
    customer = shop.customer(paymentTermsId=shop.one("paymentTerms", code="CM")["id"])
    row = shop.document("salesOrders", customer, shop.line(shop.item(stock=1)))
    shop.act("salesOrders", "shipAndInvoice", row)
    assert shop.one("salesInvoices", orderNumber=row["number"])["dueDate"] == TODAY.replace(day=30)


def test_selling_more_than_there_is_leaves_a_negative_stock(shop: Shop) -> None:
    item = shop.item(stock=1)
    row = shop.document("salesOrders", shop.customer(), shop.line(item, 3))
    shop.act("salesOrders", "shipAndInvoice", row)
    assert shop.again("items", item)["inventory"] == -2
    check_books(shop.records)


def test_an_order_in_a_foreign_currency_is_booked_in_local_currency(shop: Shop) -> None:
    row = shop.document(
        "salesOrders", shop.customer(country="US", currencyCode="USD"), shop.line(shop.item(stock=9), 3)
    )
    shop.act("salesOrders", "shipAndInvoice", row)
    invoice = shop.one("salesInvoices", orderNumber=row["number"])
    rate = shop.find("currencyExchangeRates")[5]["relationalExchangeRateAmount"] / 100
    assert invoice["currencyCode"] == "USD"
    assert shop.booked(invoice["number"])["2320"] == round(invoice["totalAmountIncludingTax"] * rate, 2)
    check_books(shop.records)


def test_an_order_shipped_and_not_invoiced_cannot_be_deleted(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row, 4, 0)
    with shop.refused("not invoiced yet"):
        shop.remove("salesOrders", row)


def test_the_rest_of_an_order_can_be_dropped(shop: Shop) -> None:
    row = order(shop)
    ship(shop, row, 4, 4)
    shop.remove("salesOrders", row)
    assert not shop.find("salesOrders", id=row["id"])
    check_books(shop.records)


def test_goods_of_an_order_come_back_at_the_cost_they_left_with(shop: Shop) -> None:
    item = shop.item(stock=10)
    row = shop.document("salesOrders", shop.customer(), shop.line(item, 10))
    shop.act("salesOrders", "shipAndInvoice", row)
    purchase = shop.document(
        "purchaseInvoices", shop.vendor(), shop.line(item, 5, unitCost=Dec(90)), vendorInvoiceNumber="1"
    )
    shop.act("purchaseInvoices", "post", purchase)
    shop.act("salesInvoices", "cancel", shop.one("salesInvoices", orderNumber=row["number"]))
    assert shop.again("items", item)["unitCost"] == 70
    check_books(shop.records)
