"""Vendors: numbers, references, blocking, balances."""

from decimal import Decimal as Dec

import pytest

from batuta.sandbox.values import UNSET_GUID
from tests.unit.sandbox.business.shop import Shop


def test_a_new_vendor_takes_the_next_number(shop: Shop) -> None:
    assert [shop.vendor()["number"], shop.vendor()["number"]] == ["V00010", "V00011"]


def test_two_vendors_cannot_have_the_same_number(shop: Shop) -> None:
    shop.vendor(number="X1")
    with shop.refused("already exists"):
        shop.vendor(number="X1")


def test_a_vendor_is_paid_in_local_currency_unless_told_otherwise(shop: Shop) -> None:
    assert (shop.vendor()["currencyCode"], shop.vendor()["currencyId"]) == ("EUR", UNSET_GUID)


def test_a_currency_by_code_fills_in_its_id(shop: Shop) -> None:
    assert shop.vendor(currencyCode="USD")["currencyId"] == shop.one("currencies", code="USD")["id"]


@pytest.mark.parametrize(
    ("prop", "value", "words"),
    [
        ("currencyCode", "ZZZ", "currencies"),
        ("paymentTermsId", "11111111-1111-1111-1111-111111111111", "paymentTerms"),
        ("paymentMethodId", "11111111-1111-1111-1111-111111111111", "paymentMethods"),
        ("country", "XX", "countriesRegions"),
    ],
)
def test_what_a_vendor_names_must_exist(shop: Shop, prop: str, value: str, words: str) -> None:
    with shop.refused(words):
        shop.vendor(**{prop: value})


def test_the_balance_is_what_we_owe(shop: Shop) -> None:
    vendor = shop.vendor()
    invoice = shop.bought(vendor=vendor)
    assert shop.again("vendors", vendor)["balance"] == Dec("145.20")
    shop.paid(invoice)
    assert shop.again("vendors", vendor)["balance"] == 0


@pytest.mark.parametrize(
    ("blocked", "set_name", "is_refused"),
    [
        ("All", "purchaseOrders", True), ("All", "purchaseInvoices", True), ("All", "purchaseCreditMemos", False),
        ("Payment", "purchaseOrders", False), ("Payment", "purchaseInvoices", False),
    ],
)  # fmt: skip
def test_blocking_decides_which_documents_can_be_made(
    shop: Shop, blocked: str, set_name: str, is_refused: bool
) -> None:
    vendor = shop.vendor(blocked=blocked)
    if is_refused:
        with shop.refused("blocked"):
            shop.create(set_name, vendorId=vendor["id"])
    else:
        assert shop.create(set_name, vendorId=vendor["id"])["status"] == "Draft"


@pytest.mark.parametrize("blocked", ["All", "Payment"])
def test_a_blocked_vendor_is_not_paid(shop: Shop, blocked: str) -> None:
    invoice = shop.bought()
    shop.change("vendors", shop.one("vendors", id=invoice["vendorId"]), blocked=blocked)
    with pytest.raises(Exception, match="blocked"):
        shop.paid(invoice)


def test_a_vendor_without_documents_can_be_deleted(shop: Shop) -> None:
    vendor = shop.vendor()
    shop.remove("vendors", vendor)
    assert not shop.find("vendors", id=vendor["id"])


@pytest.mark.parametrize("set_name", ["purchaseOrders", "purchaseInvoices", "purchaseCreditMemos"])
def test_a_vendor_with_a_document_cannot_be_deleted(shop: Shop, set_name: str) -> None:
    vendor = shop.vendor()
    shop.create(set_name, vendorId=vendor["id"])
    with shop.refused("cannot be deleted"):
        shop.remove("vendors", vendor)
