"""Items: defaults, references, stock adjustments, average cost."""

from decimal import Decimal as Dec

import pytest

from tests.unit.sandbox.business.shop import TODAY, Shop


def test_a_new_item_takes_the_next_number(shop: Shop) -> None:
    assert [shop.item()["number"], shop.item()["number"]] == ["1000", "1001"]


def test_an_item_has_defaults(shop: Shop) -> None:
    item = shop.item()
    assert item["type"] == "Inventory"
    assert item["baseUnitOfMeasureCode"] == "PCS"
    assert item["generalProductPostingGroupCode"] == "RETAIL"
    assert item["inventoryPostingGroupCode"] == "RESALE"
    assert item["taxGroupCode"] == "STANDARD"


@pytest.mark.parametrize("kind", ["Service", "Non_x002D_Inventory"])
def test_what_is_not_stocked_has_no_inventory_group(shop: Shop, kind: str) -> None:
    item = shop.item(type=kind)
    assert (item["inventoryPostingGroupCode"], item["generalProductPostingGroupCode"]) == ("", "SERVICES")


@pytest.mark.parametrize(
    ("id_name", "code_name", "set_name", "code"),
    [
        ("taxGroupId", "taxGroupCode", "taxGroups", "REDUCED"),
        ("itemCategoryId", "itemCategoryCode", "itemCategories", "MESAS"),
        ("baseUnitOfMeasureId", "baseUnitOfMeasureCode", "unitsOfMeasure", "BOX"),
        ("generalProductPostingGroupId", "generalProductPostingGroupCode", "generalProductPostingGroups", "MISC"),
        ("inventoryPostingGroupId", "inventoryPostingGroupCode", "inventoryPostingGroups", "RESALE"),
    ],
)
class TestReferences:
    """An item names groups by id or code."""

    def test_by_code(self, shop: Shop, id_name: str, code_name: str, set_name: str, code: str) -> None:
        assert shop.item(**{code_name: code})[id_name] == shop.one(set_name, code=code)["id"]

    def test_by_id(self, shop: Shop, id_name: str, code_name: str, set_name: str, code: str) -> None:
        assert shop.item(**{id_name: shop.one(set_name, code=code)["id"]})[code_name] == code

    def test_both_must_agree(self, shop: Shop, id_name: str, code_name: str, set_name: str, code: str) -> None:
        with shop.refused("do not refer to the same"):
            shop.item(**{id_name: shop.one(set_name, code=code)["id"], code_name: "ELSE"})

    def test_an_unknown_code_is_refused(
        self, shop: Shop, id_name: str, code_name: str, set_name: str, code: str
    ) -> None:
        del id_name, code
        with shop.refused(set_name):
            shop.item(**{code_name: "ELSE"})

    def test_a_change_fills_in_the_other(
        self, shop: Shop, id_name: str, code_name: str, set_name: str, code: str
    ) -> None:
        item = shop.change("items", shop.item(), **{code_name: code})
        assert item[id_name] == shop.one(set_name, code=code)["id"]


def test_the_stock_of_a_new_item_cannot_be_given(shop: Shop) -> None:
    with shop.refused("inventory of a new item"):
        shop.create("items", displayName="Mesa", inventory=Dec(5))


def test_changing_the_stock_posts_an_adjustment(shop: Shop) -> None:
    item = shop.item(stock=5)
    entry = shop.one("itemLedgerEntries", itemNumber=item["number"])
    assert item["inventory"] == 5
    assert entry["entryType"] == "Positive_x0020_Adjmt_x002E_"
    assert (entry["quantity"], entry["costAmountActual"], entry["postingDate"]) == (5, 300, TODAY)
    assert shop.booked(entry["documentNumber"]) == {"2110": Dec(300), "7170": Dec(-300)}


def test_a_lower_stock_posts_a_negative_adjustment(shop: Shop) -> None:
    item = shop.change("items", shop.item(stock=5), inventory=Dec(2))
    entry = shop.find("itemLedgerEntries", itemNumber=item["number"])[-1]
    assert entry["entryType"] == "Negative_x0020_Adjmt_x002E_"
    assert (entry["quantity"], entry["costAmountActual"]) == (-3, -180)


def test_the_same_stock_posts_nothing(shop: Shop) -> None:
    item = shop.item(stock=5)
    shop.change("items", item, inventory=Dec(5))
    assert len(shop.find("itemLedgerEntries", itemNumber=item["number"])) == 1


def test_a_service_has_no_stock(shop: Shop) -> None:
    item = shop.item(type="Service")
    with shop.refused("has no stock"):
        shop.change("items", item, inventory=Dec(1))


def test_a_blocked_item_is_not_adjusted(shop: Shop) -> None:
    item = shop.item(blocked=True)
    with shop.refused("blocked"):
        shop.change("items", item, inventory=Dec(1))


@pytest.mark.parametrize("prop", ["unitPrice", "unitCost"])
def test_prices_are_not_negative(shop: Shop, prop: str) -> None:
    with shop.refused(prop):
        shop.item(**{prop: Dec(-1)})


def test_the_type_of_an_item_with_entries_is_fixed(shop: Shop) -> None:
    item = shop.item(stock=1)
    with shop.refused("type"):
        shop.change("items", item, type="Service")


def test_the_type_of_an_item_without_entries_can_change(shop: Shop) -> None:
    assert shop.change("items", shop.item(), type="Service")["type"] == "Service"


def test_the_unit_cost_of_an_item_with_entries_is_its_average(shop: Shop) -> None:
    item = shop.item(stock=1)
    with shop.refused("average of its entries"):
        shop.change("items", item, unitCost=Dec(1))


def test_the_price_of_an_item_with_entries_can_change(shop: Shop) -> None:
    assert shop.change("items", shop.item(stock=1), unitPrice=Dec(7))["unitPrice"] == 7


def test_buying_changes_the_average_cost(shop: Shop) -> None:
    item = shop.item(stock=10)
    row = shop.document(
        "purchaseInvoices", shop.vendor(), shop.line(item, 10, unitCost=Dec(80)), vendorInvoiceNumber="1"
    )
    shop.act("purchaseInvoices", "post", row)
    assert shop.again("items", item)["unitCost"] == 70
    assert shop.again("items", item)["inventory"] == 20


def test_selling_does_not_change_the_average_cost(shop: Shop) -> None:
    item = shop.item(stock=10)
    shop.sold(item=item, quantity=3)
    assert (shop.again("items", item)["unitCost"], shop.again("items", item)["inventory"]) == (60, 7)


def test_selling_what_is_not_there_leaves_a_negative_stock(shop: Shop) -> None:
    item = shop.item()
    shop.sold(item=item, quantity=3)
    assert shop.again("items", item)["inventory"] == -3


def test_goods_that_arrive_after_they_were_sold_correct_the_cost_of_the_sale(shop: Shop) -> None:
    item = shop.item()
    shop.sold(item=item, quantity=3)
    row = shop.document(
        "purchaseInvoices", shop.vendor(), shop.line(item, 3, unitCost=Dec(70)), vendorInvoiceNumber="1"
    )
    shop.act("purchaseInvoices", "post", row)
    sale = shop.find("itemLedgerEntries", itemNumber=item["number"])[0]
    assert sale["costAmountActual"] == -210
    assert shop.booked(shop.again("purchaseInvoices", row)["number"])["7190"] == 30


def test_an_item_without_entries_can_be_deleted(shop: Shop) -> None:
    item = shop.item()
    shop.remove("items", item)
    assert not shop.find("items", id=item["id"])


@pytest.mark.parametrize(
    "set_name",
    ["salesQuotes", "salesOrders", "salesInvoices", "salesCreditMemos", "purchaseOrders", "purchaseInvoices",
     "purchaseCreditMemos"],
)  # fmt: skip
def test_an_item_on_a_document_cannot_be_deleted(shop: Shop, set_name: str) -> None:
    item = shop.item()
    party = shop.vendor() if set_name.startswith("purchase") else shop.customer()
    shop.document(set_name, party, shop.line(item))
    with shop.refused("cannot be deleted"):
        shop.remove("items", item)


def test_an_item_with_movements_cannot_be_deleted(shop: Shop) -> None:
    item = shop.item(stock=1)
    with shop.refused("cannot be deleted"):
        shop.remove("items", item)


def test_a_variant_names_its_item_by_number(shop: Shop) -> None:
    item = shop.item()
    variant = shop.create("itemVariants", itemNumber=item["number"], code="RED", description="Red")
    assert variant["itemId"] == item["id"]


def test_a_variant_of_an_unknown_item_is_refused(shop: Shop) -> None:
    with shop.refused("items"):
        shop.create("itemVariants", itemNumber="NONE", code="RED")
