"""Purchase orders, invoices and credit memos."""

from decimal import Decimal as Dec

import pytest

from tests.unit.sandbox.business.books_check import balance, check_books
from tests.unit.sandbox.business.shop import Row, Shop


def receive(shop: Shop, row: Row, received: int | None = None, invoiced: int | None = None) -> None:
    (line,) = shop.lines("purchaseOrders", row)
    given = {"receiveQuantity": received, "invoiceQuantity": invoiced}
    changes = {name: Dec(value) for name, value in given.items() if value is not None}
    if changes:
        shop.change("purchaseOrderLines", line, **changes)
    shop.act("purchaseOrders", "receiveAndInvoice", row)


def order(shop: Shop, quantity: int = 10) -> Row:
    return shop.document("purchaseOrders", shop.vendor(), shop.line(shop.item(), quantity))


class TestInvoices:
    """Purchase invoices."""

    def test_posting_keeps_the_id_and_changes_the_number(self, shop: Shop) -> None:
        invoice = shop.bought()
        assert (invoice["number"], invoice["status"]) == ("108001", "Open")

    def test_stock_tax_and_payable_are_booked(self, shop: Shop) -> None:
        assert shop.booked(shop.bought()["number"]) == {"2110": 120, "5630": Dec("25.20"), "5410": Dec("-145.20")}

    def test_goods_arrive(self, shop: Shop) -> None:
        item = shop.item()
        invoice = shop.bought(item=item, quantity=4)
        entry = shop.one("itemLedgerEntries", documentNumber=invoice["number"])
        assert (entry["entryType"], entry["quantity"], entry["costAmountActual"]) == ("Purchase", 4, 240)
        assert shop.again("items", item)["inventory"] == 4

    def test_the_number_of_the_vendor_is_needed(self, shop: Shop) -> None:
        draft = shop.document("purchaseInvoices", shop.vendor(), shop.line(shop.item()))
        with shop.refused("vendorInvoiceNumber"):
            shop.act("purchaseInvoices", "post", draft)

    def test_the_number_of_the_vendor_is_there_once(self, shop: Shop) -> None:
        vendor = shop.vendor()
        shop.bought(vendor=vendor)
        draft = shop.document("purchaseInvoices", vendor, shop.line(shop.item()), vendorInvoiceNumber="F-1")
        with shop.refused("already exists for this vendor"):
            shop.act("purchaseInvoices", "post", draft)

    def test_another_vendor_may_have_the_same_number(self, shop: Shop) -> None:
        shop.bought()
        assert shop.bought()["status"] == "Open"

    def test_posting_twice_is_refused(self, shop: Shop) -> None:
        invoice = shop.bought()
        with shop.refused("already posted"):
            shop.act("purchaseInvoices", "post", invoice)

    def test_a_purchase_within_the_union_owes_and_deducts_the_tax(self, shop: Shop) -> None:
        invoice = shop.bought(vendor=shop.vendor(country="FR"))
        assert invoice["totalTaxAmount"] == 0
        assert shop.booked(invoice["number"]) == {
            "2110": 120, "5630": Dec("25.20"), "5620": Dec("-25.20"), "5420": -120,
        }  # fmt: skip

    def test_an_import_carries_no_tax(self, shop: Shop) -> None:
        assert shop.booked(shop.bought(vendor=shop.vendor(country="US"))["number"]) == {"2110": 120, "5420": -120}

    def test_a_service_is_an_expense(self, shop: Shop) -> None:
        invoice = shop.bought(item=shop.item(type="Service"), quantity=1)
        assert shop.booked(invoice["number"])["7110"] == 60

    def test_an_account_line_is_an_expense(self, shop: Shop) -> None:
        account = shop.one("accounts", number="8110")
        line = {"accountId": account["id"], "quantity": Dec(1), "unitCost": Dec(500)}
        draft = shop.document("purchaseInvoices", shop.vendor(), line, vendorInvoiceNumber="R-1")
        shop.act("purchaseInvoices", "post", draft)
        assert shop.booked(shop.again("purchaseInvoices", draft)["number"])["8110"] == 500

    def test_a_discount_lowers_the_cost_of_the_goods(self, shop: Shop) -> None:
        item = shop.item()
        line = shop.line(item, 2, unitCost=Dec(50), discountPercent=Dec(10))
        draft = shop.document("purchaseInvoices", shop.vendor(), line, vendorInvoiceNumber="1", discountAmount=Dec(10))
        shop.act("purchaseInvoices", "post", draft)
        assert shop.again("items", item)["unitCost"] == 40

    def test_a_foreign_currency_is_converted(self, shop: Shop) -> None:
        invoice = shop.bought(vendor=shop.vendor(country="US", currencyCode="USD"), quantity=1)
        rate = shop.find("currencyExchangeRates")[5]["relationalExchangeRateAmount"] / 100
        assert shop.booked(invoice["number"])["5420"] == -round(invoice["totalAmountIncludingTax"] * rate, 2)
        check_books(shop.records)


class TestOrders:
    """Purchase orders."""

    def test_receiving_everything_makes_a_receipt_and_an_invoice(self, shop: Shop) -> None:
        row = order(shop)
        receive(shop, row)
        receipt = shop.one("purchaseReceipts", orderNumber=row["number"])
        invoice = shop.one("purchaseInvoices", orderNumber=row["number"])
        assert (receipt["number"], invoice["number"], invoice["status"]) == ("107001", "108001", "Open")
        assert shop.find("purchaseReceiptLines", documentId=receipt["id"])[0]["quantity"] == 10
        assert not shop.find("purchaseOrders", id=row["id"])

    def test_the_order_stands_in_for_the_number_of_the_vendor(self, shop: Shop) -> None:
        row = order(shop)
        receive(shop, row, 5, 5)
        receive(shop, row)
        numbers = [each["vendorInvoiceNumber"] for each in shop.find("purchaseInvoices", orderNumber=row["number"])]
        assert numbers == [f"{row['number']}-1", f"{row['number']}-2"]

    def test_goods_received_without_an_invoice_are_accrued(self, shop: Shop) -> None:
        row = order(shop)
        receive(shop, row, 10, 0)
        assert shop.booked("107001") == {"2110": 600, "5510": -600}
        assert shop.again("purchaseOrders", row)["fullyReceived"] is True
        check_books(shop.records)

    def test_the_invoice_clears_the_accrual(self, shop: Shop) -> None:
        row = order(shop)
        receive(shop, row, 10, 0)
        receive(shop, row)
        assert shop.booked("108001") == {"5510": 600, "5630": 126, "5410": -726}
        assert balance(shop.records, "5510") == 0
        check_books(shop.records)

    def test_a_price_that_changed_meanwhile_is_an_adjustment(self, shop: Shop) -> None:
        row = order(shop)
        receive(shop, row, 10, 0)
        shop.change("purchaseOrderLines", shop.lines("purchaseOrders", row)[0], directUnitCost=Dec(61))
        receive(shop, row)
        assert shop.booked("108001")["7170"] == 10
        check_books(shop.records)

    @pytest.mark.parametrize(("received", "invoiced"), [(7, 3), (3, 3), (10, 1), (1, 1)])
    def test_parts_add_up(self, shop: Shop, received: int, invoiced: int) -> None:
        row = order(shop)
        shop.change("purchaseOrderLines", shop.lines("purchaseOrders", row)[0], directUnitCost=Dec("33.333"))
        receive(shop, row, received, invoiced)
        check_books(shop.records)
        receive(shop, row)
        invoices = shop.find("purchaseInvoices", orderNumber=row["number"])
        assert abs(sum(each["totalAmountExcludingTax"] for each in invoices) - Dec("333.33")) <= Dec("0.01")
        assert balance(shop.records, "5510") == 0
        check_books(shop.records)

    def test_more_cannot_be_invoiced_than_received(self, shop: Shop) -> None:
        row = order(shop)
        with pytest.raises(Exception, match="only 2 have been moved"):
            receive(shop, row, 2, 5)

    def test_a_new_line_receives_and_invoices_everything(self, shop: Shop) -> None:
        (line,) = shop.lines("purchaseOrders", order(shop))
        assert (line["receiveQuantity"], line["invoiceQuantity"]) == (10, 10)

    @pytest.mark.parametrize("prop", ["receiveQuantity", "invoiceQuantity"])
    def test_quantities_to_post_stay_within_what_is_left(self, shop: Shop, prop: str) -> None:
        (line,) = shop.lines("purchaseOrders", order(shop))
        with shop.refused(prop):
            shop.change("purchaseOrderLines", line, **{prop: Dec(11)})

    def test_an_empty_order_is_refused(self, shop: Shop) -> None:
        row = shop.create("purchaseOrders", vendorId=shop.vendor()["id"])
        with shop.refused("nothing to post"):
            shop.act("purchaseOrders", "receiveAndInvoice", row)

    def test_a_line_received_in_part_cannot_be_deleted(self, shop: Shop) -> None:
        row = order(shop)
        receive(shop, row, 4, 4)
        (line,) = shop.lines("purchaseOrders", row)
        with shop.refused("posted in part"):
            shop.remove("purchaseOrderLines", line)


class TestCreditMemos:
    """Purchase credit memos."""

    def memo(self, shop: Shop, item: Row, price: int = 60, **values: object) -> Row:
        numbers = {"vendorCreditMemoNumber": "CM-1", **values}
        return shop.document("purchaseCreditMemos", shop.vendor(), shop.line(item, 2, unitCost=Dec(price)), **numbers)

    def test_goods_go_back(self, shop: Shop) -> None:
        item = shop.item(stock=5)
        memo = self.memo(shop, item)
        shop.act("purchaseCreditMemos", "post", memo)
        posted = shop.again("purchaseCreditMemos", memo)
        assert (posted["number"], posted["status"]) == ("109001", "Open")
        assert shop.again("items", item)["inventory"] == 3
        assert shop.booked("109001") == {"5410": Dec("145.20"), "5630": Dec("-25.20"), "2110": -120}

    def test_a_price_other_than_the_average_is_an_adjustment(self, shop: Shop) -> None:
        memo = self.memo(shop, shop.item(stock=5), price=70)
        shop.act("purchaseCreditMemos", "post", memo)
        assert shop.booked("109001")["7170"] == -20
        check_books(shop.records)

    def test_the_number_of_the_vendor_is_needed(self, shop: Shop) -> None:
        memo = self.memo(shop, shop.item(stock=5), vendorCreditMemoNumber="")
        with shop.refused("vendorCreditMemoNumber"):
            shop.act("purchaseCreditMemos", "post", memo)

    def test_posting_twice_is_refused(self, shop: Shop) -> None:
        memo = self.memo(shop, shop.item(stock=5))
        shop.act("purchaseCreditMemos", "post", memo)
        with shop.refused("already posted"):
            shop.act("purchaseCreditMemos", "post", memo)

    def test_one_for_an_invoice_is_applied_to_it(self, shop: Shop) -> None:
        vendor, item = shop.vendor(), shop.item()
        invoice = shop.bought(vendor=vendor, item=item, quantity=5)
        memo = shop.document(
            "purchaseCreditMemos", vendor, shop.line(item, 2), vendorCreditMemoNumber="1", invoiceId=invoice["id"]
        )
        shop.act("purchaseCreditMemos", "post", memo)
        assert shop.again("purchaseCreditMemos", memo)["status"] == "Paid"
        assert shop.again("vendors", vendor)["balance"] == Dec("217.80")

    def test_cancelling_buys_again(self, shop: Shop) -> None:
        item = shop.item(stock=5)
        memo = self.memo(shop, item)
        shop.act("purchaseCreditMemos", "post", memo)
        shop.act("purchaseCreditMemos", "cancel", memo)
        assert shop.again("purchaseCreditMemos", memo)["status"] == "Canceled"
        assert shop.again("items", item)["inventory"] == 5
        assert shop.one("purchaseInvoices", vendorId=memo["vendorId"])["status"] == "Corrective"
        check_books(shop.records)

    def test_a_draft_cannot_be_cancelled(self, shop: Shop) -> None:
        memo = self.memo(shop, shop.item(stock=5))
        with shop.refused("not posted"):
            shop.act("purchaseCreditMemos", "cancel", memo)
