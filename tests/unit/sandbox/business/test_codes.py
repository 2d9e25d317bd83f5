"""Records that people know by a code: currencies, terms, units, categories and the like."""

import pytest

from tests.unit.sandbox.business.shop import Shop

CODED = (
    "countriesRegions", "currencies", "itemCategories", "locations", "paymentMethods", "paymentTerms",
    "salespeoplePurchasers", "shipmentMethods", "taxAreas", "taxGroups", "unitsOfMeasure",
)  # fmt: skip


@pytest.mark.parametrize("set_name", CODED)
class TestCodes:
    """What holds for each of these sets."""

    def test_a_code_is_written_in_capitals(self, shop: Shop, set_name: str) -> None:
        assert shop.create(set_name, code="new1")["code"] == "NEW1"

    def test_a_code_is_needed(self, shop: Shop, set_name: str) -> None:
        with shop.refused("code"):
            shop.create(set_name, displayName="Nameless")

    def test_a_code_is_there_once(self, shop: Shop, set_name: str) -> None:
        shop.create(set_name, code="NEW1")
        with shop.refused("already exists"):
            shop.create(set_name, code="new1")

    def test_a_code_cannot_become_another_ones(self, shop: Shop, set_name: str) -> None:
        shop.create(set_name, code="NEW1")
        other = shop.create(set_name, code="NEW2")
        with shop.refused("already exists"):
            shop.change(set_name, other, code="NEW1")

    def test_what_is_not_used_can_be_deleted(self, shop: Shop, set_name: str) -> None:
        row = shop.create(set_name, code="NEW1")
        shop.remove(set_name, row)
        assert not shop.find(set_name, code="NEW1")


@pytest.mark.parametrize(
    ("set_name", "code", "prop"),
    [
        ("currencies", "USD", "currencyCode"),
        ("paymentTerms", "30 DAYS", "paymentTermsId"),
        ("paymentMethods", "BANK", "paymentMethodId"),
        ("shipmentMethods", "EXW", "shipmentMethodId"),
        ("salespeoplePurchasers", "MR", "salespersonCode"),
        ("countriesRegions", "FR", "country"),
    ],
)
def test_what_a_customer_uses_cannot_be_deleted(shop: Shop, set_name: str, code: str, prop: str) -> None:
    row = shop.one(set_name, code=code)
    shop.customer(**{prop: row["id"] if prop.endswith("Id") else code})
    with shop.refused("cannot be deleted"):
        shop.remove(set_name, row)


@pytest.mark.parametrize(
    ("set_name", "code", "prop"),
    [("itemCategories", "MESAS", "itemCategoryCode"), ("unitsOfMeasure", "BOX", "baseUnitOfMeasureCode"),
     ("taxGroups", "REDUCED", "taxGroupCode")],
)  # fmt: skip
def test_what_an_item_uses_cannot_be_deleted(shop: Shop, set_name: str, code: str, prop: str) -> None:
    shop.item(**{prop: code})
    with shop.refused("cannot be deleted"):
        shop.remove(set_name, shop.one(set_name, code=code))


@pytest.mark.parametrize("formula", ["30D", "1M", "CM", "1M(8D)", "CM+15D", ""])
def test_payment_terms_are_date_formulas(shop: Shop, formula: str) -> None:
    assert shop.create("paymentTerms", code="NEW1", dueDateCalculation=formula)["dueDateCalculation"] == formula


@pytest.mark.parametrize("formula", ["soon", "30", "thirty days"])
def test_payment_terms_that_are_no_formula_are_refused(shop: Shop, formula: str) -> None:
    with shop.refused("not a date formula"):
        shop.create("paymentTerms", code="NEW1", dueDateCalculation=formula)


def test_numbers_of_employees_and_contacts_come_from_series(shop: Shop) -> None:
    assert shop.create("employees", givenName="Ana")["number"] == "E00010"
    assert shop.create("contacts", displayName="Ana", type="Person")["number"] == "CT000001"
