"""Lazy packages give what they list, and say so when they do not."""

import pytest

from batuta.kernel.lazy import lazy_exports

get, names = lazy_exports("shop", {"decimal": ("Decimal",), "datetime": ("timedelta", "date")})


def test_a_name_is_fetched_from_its_home() -> None:
    assert get("Decimal")("1.5") == get("Decimal")("1.50")
    assert names == ["Decimal", "date", "timedelta"]


def test_an_unknown_name_is_an_attribute_error_of_the_package() -> None:
    with pytest.raises(AttributeError, match="'shop' has no attribute 'Fraction'"):
        get("Fraction")
