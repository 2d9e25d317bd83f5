"""Dimensions: presets, sets of documents and lines, entries, rules of presets."""

from decimal import Decimal as Dec

import pytest

from tests.unit.sandbox.business.shop import Row, Shop

UNKNOWN = "11111111-1111-1111-1111-111111111111"
HEADERS = (
    "salesQuotes",
    "salesOrders",
    "salesInvoices",
    "salesCreditMemos",
    "purchaseOrders",
    "purchaseInvoices",
    "purchaseCreditMemos",
)


def party(shop: Shop, set_name: str) -> Row:
    return shop.vendor() if set_name.startswith("purchase") else shop.customer()


class TestPresets:
    """Default dimensions of customers, vendors, items and employees."""

    @pytest.mark.parametrize("kind", ["Customer", "Vendor", "Item", "Employee"])
    def test_a_preset_knows_its_parent_and_codes(self, shop: Shop, kind: str) -> None:
        owner = {"Customer": shop.customer, "Vendor": shop.vendor, "Item": shop.item,
                 "Employee": lambda: shop.create("employees", givenName="Ana")}[kind]()  # fmt: skip
        row = shop.preset(owner, "AREA", "NORTH")
        assert (row["parentType"], row["dimensionCode"], row["dimensionValueCode"]) == (kind, "AREA", "NORTH")

    def test_a_dimension_is_preset_once(self, shop: Shop) -> None:
        customer = shop.customer()
        shop.preset(customer, "AREA", "NORTH")
        with shop.refused("already has a default dimension"):
            shop.preset(customer, "AREA", "SOUTH")

    def test_a_parent_is_needed(self, shop: Shop) -> None:
        dimension = shop.dimension("AREA")
        with shop.refused("needs a customer"):
            shop.create("defaultDimensions", parentId=UNKNOWN, dimensionId=dimension["id"])

    def test_a_dimension_must_exist(self, shop: Shop) -> None:
        customer = shop.customer()
        with shop.refused("dimensions"):
            shop.create("defaultDimensions", parentId=customer["id"], dimensionId=UNKNOWN)

    def test_a_value_must_be_one_of_the_dimension(self, shop: Shop) -> None:
        customer = shop.customer()
        with shop.refused("has no value"):
            shop.create(
                "defaultDimensions",
                parentId=customer["id"],
                dimensionId=shop.dimension("AREA")["id"],
                dimensionValueId=shop.dimension_value("DEPARTMENT", "ADM")["id"],
            )

    def test_a_value_can_change(self, shop: Shop) -> None:
        row = shop.preset(shop.customer(), "AREA", "NORTH")
        other = shop.dimension_value("AREA", "SOUTH")
        assert shop.change("defaultDimensions", row, dimensionValueId=other["id"])["dimensionValueCode"] == "SOUTH"

    def test_the_dimension_is_fixed(self, shop: Shop) -> None:
        row = shop.preset(shop.customer(), "AREA", "NORTH")
        with shop.refused("dimensionId"):
            shop.change("defaultDimensions", row, dimensionId=shop.dimension("DEPARTMENT")["id"])


@pytest.mark.parametrize("set_name", HEADERS)
class TestDocuments:
    """Dimensions of documents and their lines."""

    def test_a_document_takes_the_presets_of_its_party(self, shop: Shop, set_name: str) -> None:
        owner = party(shop, set_name)
        shop.preset(owner, "AREA", "NORTH")
        assert shop.dimensions(shop.document(set_name, owner)) == {"AREA": "NORTH"}

    def test_a_global_dimension_shows_as_shortcut(self, shop: Shop, set_name: str) -> None:
        owner = party(shop, set_name)
        shop.preset(owner, "CUSTOMERGROUP", "LARGE")
        assert shop.document(set_name, owner)["shortcutDimension2Code"] == "LARGE"

    def test_a_line_takes_those_of_its_document_and_item(self, shop: Shop, set_name: str) -> None:
        owner, item = party(shop, set_name), shop.item()
        shop.preset(owner, "AREA", "NORTH")
        shop.preset(item, "DEPARTMENT", "PROD")
        document = shop.document(set_name, owner, shop.line(item))
        assert shop.dimensions(shop.lines(set_name, document)[0]) == {"AREA": "NORTH", "DEPARTMENT": "PROD"}

    def test_a_dimension_added_later_does_not_reach_older_lines(self, shop: Shop, set_name: str) -> None:
        document = shop.document(set_name, party(shop, set_name), shop.line(shop.item()))
        shop.create("dimensionSetLines", parentId=document["id"], code="AREA", valueCode="EAST")
        assert shop.dimensions(document) == {"AREA": "EAST"}
        assert shop.dimensions(shop.lines(set_name, document)[0]) == {}

    def test_a_dimension_added_first_is_inherited(self, shop: Shop, set_name: str) -> None:
        document = shop.document(set_name, party(shop, set_name))
        shop.create("dimensionSetLines", parentId=document["id"], code="AREA", valueCode="EAST")
        shop.create(set_name.removesuffix("s") + "Lines", documentId=document["id"], **shop.line(shop.item()))
        assert shop.dimensions(shop.lines(set_name, document)[0]) == {"AREA": "EAST"}

    def test_a_global_dimension_added_later_shows_as_shortcut(self, shop: Shop, set_name: str) -> None:
        document = shop.document(set_name, party(shop, set_name))
        shop.create("dimensionSetLines", parentId=document["id"], code="DEPARTMENT", valueCode="ADM")
        assert shop.again(set_name, document)["shortcutDimension1Code"] == "ADM"

    def test_a_shortcut_that_changes_changes_the_set(self, shop: Shop, set_name: str) -> None:
        document = shop.document(set_name, party(shop, set_name), shortcutDimension1Code="ADM")
        shop.change(set_name, document, shortcutDimension1Code="SALES")
        assert shop.dimensions(document) == {"DEPARTMENT": "SALES"}

    def test_an_emptied_shortcut_leaves_the_set(self, shop: Shop, set_name: str) -> None:
        document = shop.document(set_name, party(shop, set_name), shortcutDimension1Code="ADM")
        shop.change(set_name, document, shortcutDimension1Code="")
        assert shop.dimensions(document) == {}

    def test_an_unknown_shortcut_is_refused(self, shop: Shop, set_name: str) -> None:
        owner = party(shop, set_name)
        with shop.refused("has no value"):
            shop.document(set_name, owner, shortcutDimension1Code="NOWHERE")


class TestSetLines:
    """Single dimensions of a document."""

    def draft(self, shop: Shop) -> Row:
        return shop.document("salesInvoices", shop.customer())

    def test_by_id_or_code(self, shop: Shop) -> None:
        document, value = self.draft(shop), shop.dimension_value("AREA", "EAST")
        row = shop.create("dimensionSetLines", parentId=document["id"], id=value["dimensionId"], valueId=value["id"])
        assert (row["code"], row["valueCode"], row["displayName"], row["valueDisplayName"]) == (
            "AREA",
            "EAST",
            "Area",
            "East",
        )
        assert row["parentType"] == "Sales_x0020_Invoice"

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            ({}, '"id" or the "code"'),
            ({"code": "AREA"}, '"valueId" or the "valueCode"'),
            ({"code": "COLOUR", "valueCode": "RED"}, "dimensions"),
            ({"code": "AREA", "valueCode": "MOON"}, "has no value"),
            ({"id": UNKNOWN, "valueCode": "EAST"}, "dimensions"),
        ],
    )
    def test_dimension_and_value_are_needed_and_exist(self, shop: Shop, values: Row, words: str) -> None:
        document = self.draft(shop)
        with shop.refused(words):
            shop.create("dimensionSetLines", parentId=document["id"], **values)

    def test_id_and_code_must_agree(self, shop: Shop) -> None:
        document = self.draft(shop)
        with shop.refused("do not refer to the same"):
            shop.create(
                "dimensionSetLines",
                parentId=document["id"],
                id=shop.dimension("AREA")["id"],
                code="DEPARTMENT",
                valueCode="ADM",
            )

    def test_a_dimension_is_there_once(self, shop: Shop) -> None:
        document = self.draft(shop)
        shop.create("dimensionSetLines", parentId=document["id"], code="AREA", valueCode="EAST")
        with shop.refused("already has a value"):
            shop.create("dimensionSetLines", parentId=document["id"], code="AREA", valueCode="NORTH")

    def test_a_value_can_change(self, shop: Shop) -> None:
        document = self.draft(shop)
        row = shop.create("dimensionSetLines", parentId=document["id"], code="AREA", valueCode="EAST")
        shop.change("dimensionSetLines", row, valueCode="NORTH")
        assert shop.dimensions(document) == {"AREA": "NORTH"}

    def test_the_dimension_is_fixed(self, shop: Shop) -> None:
        document = self.draft(shop)
        row = shop.create("dimensionSetLines", parentId=document["id"], code="AREA", valueCode="EAST")
        with shop.refused("cannot be changed"):
            shop.change("dimensionSetLines", row, code="DEPARTMENT", valueCode="ADM")

    def test_a_dimension_can_be_removed(self, shop: Shop) -> None:
        document = shop.document("salesInvoices", shop.customer(), shortcutDimension1Code="ADM")
        shop.remove("dimensionSetLines", shop.find("dimensionSetLines", parentId=document["id"])[0])
        assert shop.dimensions(document) == {}
        assert shop.again("salesInvoices", document)["shortcutDimension1Code"] == ""

    def test_a_parent_is_needed(self, shop: Shop) -> None:
        with shop.refused("reached through"):
            shop.create("dimensionSetLines", parentId=UNKNOWN, code="AREA", valueCode="EAST")

    def test_a_posted_document_keeps_its_dimensions(self, shop: Shop) -> None:
        invoice = shop.sold()
        with shop.refused("posted"):
            shop.create("dimensionSetLines", parentId=invoice["id"], code="AREA", valueCode="EAST")

    def test_an_entry_keeps_its_dimensions(self, shop: Shop) -> None:
        entry = shop.find("generalLedgerEntries", documentNumber=shop.sold()["number"])[0]
        with shop.refused("posted"):
            shop.create("dimensionSetLines", parentId=entry["id"], code="AREA", valueCode="EAST")


class TestEntries:
    """From the preset to the entry."""

    def test_revenue_has_the_dimensions_of_its_line(self, shop: Shop) -> None:
        customer, item = shop.customer(), shop.item(stock=5)
        shop.preset(customer, "AREA", "NORTH")
        shop.preset(item, "DEPARTMENT", "PROD")
        invoice = shop.sold(customer=customer, item=item)
        entries = {
            entry["accountNumber"]: shop.dimensions(entry)
            for entry in shop.find("generalLedgerEntries", documentNumber=invoice["number"])
        }
        assert entries["6110"] == {"AREA": "NORTH", "DEPARTMENT": "PROD"}
        assert entries["2310"] == {"AREA": "NORTH"}

    def test_lines_with_other_dimensions_have_entries_of_their_own(self, shop: Shop) -> None:
        first, second = shop.item(type="Service"), shop.item(type="Service")
        shop.preset(first, "DEPARTMENT", "PROD")
        draft = shop.document("salesInvoices", shop.customer(), shop.line(first), shop.line(second))
        shop.act("salesInvoices", "post", draft)
        number = shop.again("salesInvoices", draft)["number"]
        assert len(shop.find("generalLedgerEntries", documentNumber=number, accountNumber="6410")) == 2

    @pytest.mark.parametrize("set_name", ["salesShipments", "salesInvoices"])
    def test_what_an_order_makes_has_its_dimensions(self, shop: Shop, set_name: str) -> None:
        order = shop.document(
            "salesOrders", shop.customer(), shop.line(shop.item(stock=1)), shortcutDimension1Code="SALES"
        )
        shop.act("salesOrders", "shipAndInvoice", order)
        made = shop.one(set_name, orderNumber=order["number"])
        assert shop.dimensions(made) == {"DEPARTMENT": "SALES"}

    def test_payments_have_those_of_the_customer(self, shop: Shop) -> None:
        customer = shop.customer()
        shop.preset(customer, "AREA", "NORTH")
        shop.paid(shop.sold(customer=customer))
        entry = shop.find("generalLedgerEntries", documentNumber="G02001")[0]
        assert shop.dimensions(entry) == {"AREA": "NORTH"}


class TestRules:
    """Rules that presets set for posting."""

    def draft(self, shop: Shop, rule: str, value: str = "NORTH") -> Row:
        customer = shop.customer()
        draft = shop.document("salesInvoices", customer, shop.line(shop.item()))
        shop.preset(customer, "AREA", value, postingValidation=rule)
        return draft

    def test_a_mandatory_dimension_must_be_there(self, shop: Shop) -> None:
        draft = self.draft(shop, "Code_x0020_Mandatory")
        with shop.refused("Select a value of dimension AREA"):
            shop.act("salesInvoices", "post", draft)

    def test_a_mandatory_dimension_may_have_any_value(self, shop: Shop) -> None:
        draft = self.draft(shop, "Code_x0020_Mandatory")
        shop.create("dimensionSetLines", parentId=draft["id"], code="AREA", valueCode="SOUTH")
        shop.act("salesInvoices", "post", draft)
        assert shop.again("salesInvoices", draft)["status"] == "Open"

    def test_a_fixed_value_must_be_that_value(self, shop: Shop) -> None:
        draft = self.draft(shop, "Same_x0020_Code")
        shop.create("dimensionSetLines", parentId=draft["id"], code="AREA", valueCode="SOUTH")
        with shop.refused("must be NORTH"):
            shop.act("salesInvoices", "post", draft)

    def test_a_dimension_can_be_forbidden(self, shop: Shop) -> None:
        draft = self.draft(shop, "No_x0020_Code")
        shop.create("dimensionSetLines", parentId=draft["id"], code="AREA", valueCode="SOUTH")
        with shop.refused("must not be used"):
            shop.act("salesInvoices", "post", draft)

    def test_rules_of_items_are_checked_on_lines(self, shop: Shop) -> None:
        item = shop.item()
        draft = shop.document("salesInvoices", shop.customer(), shop.line(item))
        shop.preset(item, "DEPARTMENT", "PROD", postingValidation="Code_x0020_Mandatory")
        with shop.refused("for item"):
            shop.act("salesInvoices", "post", draft)


def test_an_unused_dimension_leaves_no_trace(shop: Shop) -> None:
    assert shop.dimensions(shop.sold(quantity=1)) == {}
    assert (
        Dec(0)
        == shop.records.sql("SELECT COUNT(*) FROM dimensionSetLines WHERE company = ?", (shop.records.company,))[0][0]
    )
