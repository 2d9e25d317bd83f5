"""Lines of all seven kinds of documents: subject, price, discount, tax, totals."""

from decimal import Decimal as Dec
from typing import Any

import pytest

from batuta.sandbox.business.lines import add_lines
from batuta.sandbox.business.specs import DOCUMENTS
from tests.unit.sandbox.business.shop import Row, Shop

PRICES = {
    "salesQuotes": "unitPrice", "salesOrders": "unitPrice", "salesInvoices": "unitPrice",
    "salesCreditMemos": "unitPrice",
    "purchaseOrders": "directUnitCost", "purchaseInvoices": "unitCost", "purchaseCreditMemos": "unitCost",
}  # fmt: skip


def draft(shop: Shop, set_name: str, *lines: Row, **values: Any) -> Row:
    party = shop.vendor() if set_name.startswith("purchase") else shop.customer()
    return shop.document(set_name, party, *lines, **values)


def add(shop: Shop, set_name: str, document: Row, **values: Any) -> Row:
    return shop.create(set_name.removesuffix("s") + "Lines", documentId=document["id"], **values)


def totals(shop: Shop, set_name: str, document: Row) -> tuple[Any, ...]:
    row = shop.again(set_name, document)
    return row["totalAmountExcludingTax"], row["totalTaxAmount"], row["totalAmountIncludingTax"]


@pytest.mark.parametrize(("set_name", "price"), PRICES.items())
class TestEveryLine:
    """What holds for lines of each kind of document."""

    def test_an_item_brings_description_unit_and_price(self, shop: Shop, set_name: str, price: str) -> None:
        line = add(shop, set_name, draft(shop, set_name), itemId=shop.item()["id"], quantity=Dec(1))
        assert (line["lineType"], line["description"], line["unitOfMeasureCode"]) == ("Item", "Mesa Sabina", "PCS")
        assert line[price] == (60 if set_name.startswith("purchase") else 100)
        assert (line["taxCode"], line["taxPercent"]) == ("STANDARD", 21)

    def test_a_price_that_was_given_is_kept(self, shop: Shop, set_name: str, price: str) -> None:
        line = add(shop, set_name, draft(shop, set_name), itemId=shop.item()["id"], quantity=Dec(2), **{price: Dec(9)})
        assert (line[price], line["amountExcludingTax"]) == (9, 18)

    def test_an_item_by_number(self, shop: Shop, set_name: str, price: str) -> None:
        del price
        item = shop.item()
        line = add(shop, set_name, draft(shop, set_name), lineType="Item", lineObjectNumber=item["number"])
        assert line["itemId"] == item["id"]

    def test_an_account(self, shop: Shop, set_name: str, price: str) -> None:
        account = shop.one("accounts", number="8310")
        document = draft(shop, set_name)
        line = add(shop, set_name, document, accountId=account["id"], quantity=Dec(1), **{price: Dec(50)})
        assert (line["lineType"], line["lineObjectNumber"], line["description"]) == ("Account", "8310", "Advertising")

    def test_only_a_text(self, shop: Shop, set_name: str, price: str) -> None:
        del price
        line = add(shop, set_name, draft(shop, set_name), description="Thank you")
        assert (line["lineType"], line["amountIncludingTax"]) == ("Comment", 0)

    def test_lines_are_ten_thousand_apart(self, shop: Shop, set_name: str, price: str) -> None:
        del price
        document = draft(shop, set_name, shop.line(shop.item()), shop.line(shop.item()))
        assert [line["sequence"] for line in shop.lines(set_name, document)] == [10_000, 20_000]

    def test_a_sequence_is_there_once(self, shop: Shop, set_name: str, price: str) -> None:
        del price
        document = draft(shop, set_name, shop.line(shop.item()))
        with shop.refused("sequence"):
            add(shop, set_name, document, description="x", sequence=10_000)

    def test_totals_follow_every_new_line(self, shop: Shop, set_name: str, price: str) -> None:
        document = draft(shop, set_name, shop.line(shop.item(), 2, **{price: Dec(10)}))
        assert totals(shop, set_name, document) == (20, Dec("4.20"), Dec("24.20"))
        add(shop, set_name, document, **shop.line(shop.item(), 1, **{price: Dec(30)}))
        assert totals(shop, set_name, document) == (50, Dec("10.50"), Dec("60.50"))

    def test_totals_follow_a_changed_quantity(self, shop: Shop, set_name: str, price: str) -> None:
        document = draft(shop, set_name, shop.line(shop.item(), 2, **{price: Dec(10)}))
        line = shop.lines(set_name, document)[0]
        shop.change(set_name.removesuffix("s") + "Lines", line, quantity=Dec(3))
        assert totals(shop, set_name, document)[0] == 30

    def test_totals_follow_a_deleted_line(self, shop: Shop, set_name: str, price: str) -> None:
        document = draft(shop, set_name, shop.line(shop.item(), 2, **{price: Dec(10)}))
        shop.remove(set_name.removesuffix("s") + "Lines", shop.lines(set_name, document)[0])
        assert totals(shop, set_name, document) == (0, 0, 0)

    def test_a_discount_in_percent_becomes_an_amount(self, shop: Shop, set_name: str, price: str) -> None:
        line = shop.line(shop.item(), 3, **{price: Dec(10), "discountPercent": Dec(5)})
        document = draft(shop, set_name, line)
        assert shop.lines(set_name, document)[0]["discountAmount"] == Dec("1.50")
        assert totals(shop, set_name, document)[0] == Dec("28.50")

    def test_a_discount_as_amount_becomes_a_percentage(self, shop: Shop, set_name: str, price: str) -> None:
        line = shop.line(shop.item(), 4, **{price: Dec(10), "discountAmount": Dec(10)})
        assert shop.lines(set_name, draft(shop, set_name, line))[0]["discountPercent"] == 25

    def test_a_discount_in_percent_follows_the_quantity(self, shop: Shop, set_name: str, price: str) -> None:
        document = draft(shop, set_name, shop.line(shop.item(), 1, **{price: Dec(10), "discountPercent": Dec(10)}))
        line = shop.change(set_name.removesuffix("s") + "Lines", shop.lines(set_name, document)[0], quantity=Dec(5))
        assert line["discountAmount"] == 5

    def test_a_discount_of_the_document_is_shared_out(self, shop: Shop, set_name: str, price: str) -> None:
        document = draft(
            shop, set_name, shop.line(shop.item(), 3, **{price: Dec(10)}), shop.line(shop.item(), 1, **{price: Dec(10)})
        )
        shop.change(set_name, document, discountAmount=Dec(4))
        assert totals(shop, set_name, document) == (36, Dec("7.56"), Dec("43.56"))
        assert [line["netAmount"] for line in shop.lines(set_name, document)] == [27, 9]

    def test_item_and_account_exclude_one_another(self, shop: Shop, set_name: str, price: str) -> None:
        del price
        document, item = draft(shop, set_name), shop.item()
        with shop.refused("not both"):
            add(shop, set_name, document, itemId=item["id"], accountId=shop.one("accounts", number="8310")["id"])

    def test_id_and_number_of_the_item_must_agree(self, shop: Shop, set_name: str, price: str) -> None:
        del price
        document, item, other = draft(shop, set_name), shop.item(), shop.item()
        with shop.refused("do not refer to the same"):
            add(shop, set_name, document, itemId=item["id"], lineObjectNumber=other["number"])

    def test_type_and_subject_must_agree(self, shop: Shop, set_name: str, price: str) -> None:
        del price
        document, item = draft(shop, set_name), shop.item()
        with shop.refused("does not agree"):
            add(shop, set_name, document, itemId=item["id"], lineType="Account")

    def test_a_type_needs_a_subject(self, shop: Shop, set_name: str, price: str) -> None:
        del price
        document = draft(shop, set_name)
        with shop.refused("needs an"):
            add(shop, set_name, document, lineType="Item")

    @pytest.mark.parametrize("account", ["2310", "6100"])
    def test_control_accounts_and_totals_take_no_lines(
        self, shop: Shop, set_name: str, price: str, account: str
    ) -> None:
        del price
        document = draft(shop, set_name)
        with shop.refused("direct posting"):
            add(shop, set_name, document, accountId=shop.one("accounts", number=account)["id"])

    def test_a_blocked_item_is_refused(self, shop: Shop, set_name: str, price: str) -> None:
        del price
        document, item = draft(shop, set_name), shop.item(blocked=True)
        with shop.refused("blocked"):
            add(shop, set_name, document, itemId=item["id"])

    @pytest.mark.parametrize("prop", ["sequence", "documentId", "lineObjectNumber"])
    def test_some_properties_are_fixed(self, shop: Shop, set_name: str, price: str, prop: str) -> None:
        del price
        document, other = draft(shop, set_name, shop.line(shop.item())), draft(shop, set_name)
        line = shop.lines(set_name, document)[0]
        value: Any = {"sequence": 5, "documentId": other["id"], "lineObjectNumber": "ELSE"}[prop]
        with shop.refused(prop):
            shop.change(set_name.removesuffix("s") + "Lines", line, **{prop: value})

    def test_a_line_can_be_about_another_item(self, shop: Shop, set_name: str, price: str) -> None:
        document = draft(shop, set_name, shop.line(shop.item()))
        other = shop.item(displayName="Silla Jara", unitPrice=Dec(7), unitCost=Dec(3))
        line = shop.change(set_name.removesuffix("s") + "Lines", shop.lines(set_name, document)[0], itemId=other["id"])
        assert (line["lineObjectNumber"], line["description"]) == (other["number"], "Silla Jara")
        assert line[price] == (3 if set_name.startswith("purchase") else 7)

    def test_prices_are_not_negative(self, shop: Shop, set_name: str, price: str) -> None:
        document, item = draft(shop, set_name), shop.item()
        with shop.refused(price):
            add(shop, set_name, document, **shop.line(item, 1, **{price: Dec(-1)}))

    @pytest.mark.parametrize("percent", [-1, 101])
    def test_a_discount_is_a_percentage(self, shop: Shop, set_name: str, price: str, percent: int) -> None:
        del price
        document, item = draft(shop, set_name), shop.item()
        with shop.refused("between 0 and 100"):
            add(shop, set_name, document, **shop.line(item, 1, discountPercent=Dec(percent)))

    def test_a_text_has_no_quantity(self, shop: Shop, set_name: str, price: str) -> None:
        del price
        document = draft(shop, set_name)
        with shop.refused("no quantity"):
            add(shop, set_name, document, description="x", quantity=Dec(1))

    def test_a_document_is_needed(self, shop: Shop, set_name: str, price: str) -> None:
        del price
        with shop.refused("documentId"):
            shop.create(set_name.removesuffix("s") + "Lines", description="x")


@pytest.mark.parametrize(
    ("country", "tax_group", "percent"),
    [("ES", "STANDARD", 21), ("ES", "REDUCED", 10), ("ES", "LOW", 4), ("ES", "ZERO", 0), ("FR", "STANDARD", 0),
     ("US", "STANDARD", 0)],
)  # fmt: skip
def test_tax_follows_from_where_the_customer_is_and_what_is_sold(
    shop: Shop, country: str, tax_group: str, percent: int
) -> None:
    line = shop.line(shop.item(taxGroupCode=tax_group), 1)
    invoice = shop.document("salesInvoices", shop.customer(country=country), line)
    assert shop.lines("salesInvoices", invoice)[0]["taxPercent"] == percent


def test_an_unknown_tax_code_is_refused(shop: Shop) -> None:
    document, item = draft(shop, "salesInvoices"), shop.item()
    with shop.refused("taxGroups"):
        add(shop, "salesInvoices", document, **shop.line(item, 1, taxCode="ODD"))


def test_another_tax_code_changes_the_tax(shop: Shop) -> None:
    document = draft(shop, "salesInvoices", shop.line(shop.item()))
    line = shop.change("salesInvoiceLines", shop.lines("salesInvoices", document)[0], taxCode="REDUCED")
    assert (line["taxPercent"], line["totalTaxAmount"]) == (10, 10)


def test_a_price_is_converted_to_the_currency_of_the_document(shop: Shop) -> None:
    rate = shop.find("currencyExchangeRates")[5]["relationalExchangeRateAmount"] / 100
    document = draft(shop, "salesInvoices", shop.line(shop.item(unitPrice=Dec(92))), currencyCode="USD")
    assert shop.lines("salesInvoices", document)[0]["unitPrice"] == round(Dec(92) / rate, 5)


def test_a_unit_of_measure_by_code_fills_in_its_id(shop: Shop) -> None:
    document = draft(shop, "salesInvoices", shop.line(shop.item(), 1, unitOfMeasureCode="BOX"))
    assert shop.lines("salesInvoices", document)[0]["unitOfMeasureId"] == shop.one("unitsOfMeasure", code="BOX")["id"]


def test_a_posted_invoice_takes_no_more_lines(shop: Shop) -> None:
    invoice, item = shop.sold(), shop.item()
    with shop.refused("is posted"):
        add(shop, "salesInvoices", invoice, **shop.line(item))


def test_lines_of_a_posted_invoice_cannot_be_changed(shop: Shop) -> None:
    line = shop.lines("salesInvoices", shop.sold())[0]
    with shop.refused("is posted"):
        shop.change("salesInvoiceLines", line, quantity=Dec(9))


def test_lines_of_a_posted_invoice_cannot_be_deleted(shop: Shop) -> None:
    line = shop.lines("salesInvoices", shop.sold())[0]
    with shop.refused("is posted"):
        shop.remove("salesInvoiceLines", line)


def test_a_discount_of_the_document_shrinks_with_its_lines(shop: Shop) -> None:
    document = draft(shop, "salesInvoices", shop.line(shop.item()))
    shop.change("salesInvoices", document, discountAmount=Dec(80))
    shop.change("salesInvoiceLines", shop.lines("salesInvoices", document)[0], unitPrice=Dec(50))
    assert shop.again("salesInvoices", document)["discountAmount"] == 50
    assert totals(shop, "salesInvoices", document) == (0, 0, 0)


@pytest.mark.parametrize("set_name", PRICES)
def test_lines_added_together_are_the_same_as_one_after_another(shop: Shop, set_name: str) -> None:
    """The generator of demo companies adds lines in one go; nothing about the document may tell."""
    party = shop.vendor() if set_name.startswith("purchase") else shop.customer()
    shop.preset(party, "AREA", "EAST")
    first, second = shop.item(taxGroupCode="REDUCED"), shop.item(type="Service")
    shop.preset(first, "DEPARTMENT", "PROD")
    lines = [shop.line(first, "2.5", discountPercent=Dec(7)), shop.line(second, 3), shop.line(first, 1)]
    slow = shop.document(set_name, party, *lines)
    fast = shop.document(set_name, party)
    add_lines(shop.records, DOCUMENTS[set_name], fast, lines)

    def shown(document: Row) -> list[Any]:
        header = shop.again(set_name, document)
        rows = [header, *shop.lines(set_name, document)]
        own = {"id", "documentId", "number", "lastModifiedDateTime"}
        return [({k: v for k, v in row.items() if k not in own}, shop.dimensions(row)) for row in rows]

    assert shown(fast) == shown(slow)
