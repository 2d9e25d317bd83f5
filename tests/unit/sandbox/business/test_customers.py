"""Customers: numbers, defaults, references, blocking, balances."""

from decimal import Decimal as Dec

import pytest

from batuta.sandbox.values import UNSET_GUID
from tests.unit.sandbox.business.shop import Shop


def test_a_new_customer_takes_the_next_number(shop: Shop) -> None:
    assert [shop.customer()["number"], shop.customer()["number"]] == ["C00010", "C00011"]


def test_a_number_that_was_given_is_kept_and_written_in_capitals(shop: Shop) -> None:
    assert shop.customer(number="abc1")["number"] == "ABC1"


def test_the_series_skips_a_number_that_was_taken_by_hand(shop: Shop) -> None:
    shop.customer(number="C00010")
    assert shop.customer()["number"] == "C00011"


def test_two_customers_cannot_have_the_same_number(shop: Shop) -> None:
    shop.customer(number="X1")
    with shop.refused("already exists"):
        shop.customer(number="x1")


@pytest.mark.parametrize("name", ["", "   "])
def test_a_customer_needs_a_name(shop: Shop, name: str) -> None:
    with shop.refused("displayName"):
        shop.customer(displayName=name)


def test_the_name_cannot_be_emptied(shop: Shop) -> None:
    customer = shop.customer()
    with shop.refused("displayName"):
        shop.change("customers", customer, displayName=" ")


def test_a_customer_pays_in_local_currency_unless_told_otherwise(shop: Shop) -> None:
    customer = shop.customer()
    assert (customer["currencyCode"], customer["currencyId"]) == ("EUR", UNSET_GUID)


def test_the_code_of_the_local_currency_has_no_id(shop: Shop) -> None:
    assert shop.customer(currencyCode="EUR")["currencyId"] == UNSET_GUID


def test_a_currency_by_code_fills_in_its_id(shop: Shop) -> None:
    assert shop.customer(currencyCode="USD")["currencyId"] == shop.one("currencies", code="USD")["id"]


def test_a_currency_by_id_fills_in_its_code(shop: Shop) -> None:
    assert shop.customer(currencyId=shop.one("currencies", code="USD")["id"])["currencyCode"] == "USD"


def test_a_code_in_small_letters_is_found(shop: Shop) -> None:
    assert shop.customer(currencyCode="usd")["currencyCode"] == "USD"


def test_id_and_code_of_a_currency_must_agree(shop: Shop) -> None:
    with shop.refused("do not refer to the same"):
        shop.customer(currencyId=shop.one("currencies", code="USD")["id"], currencyCode="GBP")


def test_a_currency_can_be_taken_away_again(shop: Shop) -> None:
    customer = shop.change("customers", shop.customer(currencyCode="USD"), currencyCode="")
    assert (customer["currencyCode"], customer["currencyId"]) == ("EUR", UNSET_GUID)


@pytest.mark.parametrize(
    ("prop", "value", "words"),
    [
        ("currencyCode", "ZZZ", "currencies"),
        ("currencyId", "11111111-1111-1111-1111-111111111111", "currencies"),
        ("paymentTermsId", "11111111-1111-1111-1111-111111111111", "paymentTerms"),
        ("shipmentMethodId", "11111111-1111-1111-1111-111111111111", "shipmentMethods"),
        ("paymentMethodId", "11111111-1111-1111-1111-111111111111", "paymentMethods"),
        ("taxAreaId", "11111111-1111-1111-1111-111111111111", "taxAreas"),
        ("country", "XX", "countriesRegions"),
        ("salespersonCode", "NOBODY", "salespeoplePurchasers"),
    ],
)
def test_what_a_customer_names_must_exist(shop: Shop, prop: str, value: str, words: str) -> None:
    with shop.refused(words):
        shop.customer(**{prop: value})
    customer = shop.customer()
    with shop.refused(words):
        shop.change("customers", customer, **{prop: value})


@pytest.mark.parametrize(
    ("set_name", "prop"),
    [
        ("paymentTerms", "paymentTermsId"),
        ("shipmentMethods", "shipmentMethodId"),
        ("paymentMethods", "paymentMethodId"),
    ],
)
def test_terms_and_methods_are_named_by_id(shop: Shop, set_name: str, prop: str) -> None:
    chosen = shop.find(set_name)[0]["id"]
    assert shop.customer(**{prop: chosen})[prop] == chosen


@pytest.mark.parametrize(("country", "area"), [("ES", "DOMESTIC"), ("", "DOMESTIC"), ("FR", "EU"), ("US", "EXPORT")])
def test_the_tax_area_follows_the_country(shop: Shop, country: str, area: str) -> None:
    assert shop.customer(country=country)["taxAreaId"] == shop.one("taxAreas", code=area)["id"]


def test_a_tax_area_that_was_given_decides(shop: Shop) -> None:
    export = shop.one("taxAreas", code="EXPORT")
    customer = shop.customer(country="ES", taxAreaId=export["id"])
    assert (customer["taxAreaId"], customer["taxAreaDisplayName"]) == (export["id"], "Export")


def test_a_country_is_written_in_capitals(shop: Shop) -> None:
    assert shop.customer(country="fr")["country"] == "FR"


def test_a_salesperson_is_written_in_capitals(shop: Shop) -> None:
    assert shop.customer(salespersonCode="mr")["salespersonCode"] == "MR"


def test_the_balance_is_what_is_open(shop: Shop) -> None:
    customer = shop.customer()
    invoice = shop.sold(customer=customer)
    assert shop.again("customers", customer)["balanceDue"] == Dec(242)
    shop.paid(invoice, "42")
    assert shop.again("customers", customer)["balanceDue"] == Dec(200)


def test_a_customer_without_entries_can_be_deleted(shop: Shop) -> None:
    customer = shop.customer()
    shop.preset(customer, "AREA", "NORTH")
    shop.remove("customers", customer)
    assert not shop.find("customers", id=customer["id"])
    assert not shop.find("defaultDimensions", parentId=customer["id"])


@pytest.mark.parametrize("set_name", ["salesQuotes", "salesOrders", "salesInvoices", "salesCreditMemos"])
def test_a_customer_with_a_document_cannot_be_deleted(shop: Shop, set_name: str) -> None:
    customer = shop.customer()
    shop.create(set_name, customerId=customer["id"])
    with shop.refused("cannot be deleted"):
        shop.remove("customers", customer)


def test_a_customer_with_entries_cannot_be_renumbered(shop: Shop) -> None:
    customer = shop.customer()
    shop.sold(customer=customer)
    with shop.refused("cannot be renumbered"):
        shop.change("customers", customer, number="OTHER")


def test_a_customer_without_entries_can_be_renumbered(shop: Shop) -> None:
    assert shop.change("customers", shop.customer(), number="other")["number"] == "OTHER"


def test_a_number_cannot_be_emptied(shop: Shop) -> None:
    customer = shop.customer()
    with shop.refused("Number must not be blank"):
        shop.change("customers", customer, number="")


@pytest.mark.parametrize(
    ("blocked", "set_name", "is_refused"),
    [
        ("All", "salesQuotes", True), ("All", "salesOrders", True), ("All", "salesInvoices", True),
        ("All", "salesCreditMemos", False), ("Invoice", "salesQuotes", True), ("Invoice", "salesOrders", True),
        ("Invoice", "salesInvoices", True), ("Invoice", "salesCreditMemos", False), ("Ship", "salesQuotes", True),
        ("Ship", "salesOrders", True), ("Ship", "salesInvoices", False), ("Ship", "salesCreditMemos", False),
        ("_x0020_", "salesOrders", False),
    ],
)  # fmt: skip
def test_blocking_decides_which_documents_can_be_made(
    shop: Shop, blocked: str, set_name: str, is_refused: bool
) -> None:
    customer = shop.customer(blocked=blocked)
    if is_refused:
        with shop.refused("blocked"):
            shop.create(set_name, customerId=customer["id"])
    else:
        assert shop.create(set_name, customerId=customer["id"])["status"] == "Draft"


@pytest.mark.parametrize(
    ("set_name", "action", "blocked"),
    [("salesInvoices", "post", "All"), ("salesInvoices", "post", "Invoice"), ("salesCreditMemos", "post", "All"),
     ("salesOrders", "shipAndInvoice", "All"), ("salesOrders", "shipAndInvoice", "Ship"),
     ("salesOrders", "shipAndInvoice", "Invoice"), ("salesQuotes", "makeOrder", "All"),
     ("salesQuotes", "makeInvoice", "All")],
)  # fmt: skip
def test_a_customer_who_was_blocked_meanwhile_gets_nothing(
    shop: Shop, set_name: str, action: str, blocked: str
) -> None:
    customer = shop.customer()
    document = shop.document(set_name, customer, shop.line(shop.item(stock=5)))
    shop.change("customers", customer, blocked=blocked)
    with shop.refused("blocked"):
        shop.act(set_name, action, document)
