"""Figures as people read them, in both languages."""

from decimal import Decimal

import pytest

from batuta.agents.erp.measures.model import MeasureUnit
from batuta.agents.erp.wording import amount_in_words


@pytest.mark.parametrize(
    ("value", "unit", "currency", "language", "text"),
    [
        ("1234567.8", "money", "EUR", "en", "1,234,567.80 €"),
        ("1234567.8", "money", "EUR", "es", "1.234.567,80 €"),
        ("-0.5", "money", "SEK", "es", "-0,50 SEK"),
        ("12.345", "percent", None, "es", "12,3 %"),
        ("45", "days", None, "en", "45.0 days"),
        ("1200", "count", None, "es", "1.200"),
        ("1200.50", "quantity", None, "en", "1,200.5"),
    ],
)
def test_an_amount_is_written_as_its_language_does(
    value: str, unit: MeasureUnit, currency: str | None, language: str, text: str
) -> None:
    assert amount_in_words(Decimal(value), unit, currency, language) == text


def test_what_cannot_be_divided_is_a_dash() -> None:
    assert amount_in_words(None, "percent", None, "en") == "—"
