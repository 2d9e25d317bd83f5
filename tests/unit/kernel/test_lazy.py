"""Lazy packages give what they list, and say so when they do not."""

import sys
from types import ModuleType

import pytest

from batuta.kernel.lazy import lazy_exports

get, names = lazy_exports("shop", {"decimal": ("Decimal",), "datetime": ("timedelta", "date")})


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("shop")
    monkeypatch.setattr(module, "__getattr__", get, raising=False)
    monkeypatch.setitem(sys.modules, "shop", module)
    return module


def test_a_name_is_fetched_from_its_home_and_kept(shop: ModuleType) -> None:
    assert "Decimal" not in vars(shop)
    assert shop.Decimal("1.5") == shop.Decimal("1.50")
    assert "Decimal" in vars(shop)
    assert names == ["Decimal", "date", "timedelta"]


def test_an_unknown_name_is_an_attribute_error_of_the_package(shop: ModuleType) -> None:
    with pytest.raises(AttributeError, match="'shop' has no attribute 'Fraction'"):
        _ = shop.Fraction
