"""Amounts of documents: rounding, discounts, tax."""

from decimal import Decimal as Dec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batuta.sandbox.ledger.amounts import PricedLine, document_amounts, part_of, rounded, shared_out

MONEY = st.decimals(min_value="-10000", max_value="10000", places=2)
LINES = st.lists(
    st.builds(
        PricedLine,
        quantity=st.decimals(min_value="0", max_value="500", places=2),
        unit_price=st.decimals(min_value="0", max_value="2000", places=3),
        discount=st.just(Dec(0)),
        tax_percent=st.sampled_from([Dec(0), Dec(4), Dec(10), Dec(21)]),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.parametrize(
    ("amount", "precision", "expected"),
    [("0.005", "0.01", "0.01"), ("-0.005", "0.01", "-0.01"), ("2.675", "0.01", "2.68"), ("12.3", "0.05", "12.30"),
     ("12.33", "0.05", "12.35"), ("1234", "10", "1230")],
)  # fmt: skip
def test_amounts_round_half_away_from_zero(amount: str, precision: str, expected: str) -> None:
    assert rounded(Dec(amount), Dec(precision)) == Dec(expected)


@given(MONEY, st.lists(st.decimals(min_value="0", max_value="1000", places=2), min_size=1, max_size=10))
def test_parts_add_up_to_the_total(total: Dec, weights: list[Dec]) -> None:
    assert sum(shared_out(total, weights)) == total


@given(LINES, st.decimals(min_value="0", max_value="50", places=2), st.booleans())
def test_lines_add_up_to_the_document(lines: list[PricedLine], discount: Dec, prices_include_tax: bool) -> None:
    amounts = document_amounts(lines, discount=discount, prices_include_tax=prices_include_tax)
    entered = sum((line.gross(Dec("0.01")) for line in lines), Dec(0))
    assert amounts.net == sum(line.net for line in amounts.lines)
    assert amounts.total == (entered - discount if prices_include_tax else entered - discount + amounts.tax)


def test_tax_is_rounded_once_per_rate_and_not_per_line() -> None:
    lines = [PricedLine(quantity=Dec(1), unit_price=Dec("0.12"), tax_percent=Dec(21)) for _ in range(3)]
    amounts = document_amounts(lines)
    assert amounts.tax == Dec("0.08")
    assert [line.net_tax for line in amounts.lines] == [Dec("0.03"), Dec("0.02"), Dec("0.03")]


def test_each_rate_is_taxed_by_itself() -> None:
    lines = [
        PricedLine(quantity=Dec(1), unit_price=Dec(100), tax_percent=Dec(21)),
        PricedLine(quantity=Dec(1), unit_price=Dec(100), tax_percent=Dec(10)),
        PricedLine(quantity=Dec(1), unit_price=Dec(100)),
    ]
    assert [line.net_tax for line in document_amounts(lines).lines] == [Dec(21), Dec(10), Dec(0)]


def test_a_discount_of_the_document_lowers_the_base_of_the_tax() -> None:
    lines = [
        PricedLine(quantity=Dec(1), unit_price=Dec(300), tax_percent=Dec(21)),
        PricedLine(quantity=Dec(1), unit_price=Dec(100), tax_percent=Dec(21)),
    ]
    amounts = document_amounts(lines, discount=Dec(40))
    assert [line.discount_share for line in amounts.lines] == [Dec(30), Dec(10)]
    assert (amounts.net, amounts.tax, amounts.total) == (Dec(360), Dec("75.60"), Dec("435.60"))


def test_prices_that_include_tax_have_it_taken_out() -> None:
    amounts = document_amounts(
        [PricedLine(quantity=Dec(2), unit_price=Dec("60.50"), tax_percent=Dec(21))], prices_include_tax=True
    )
    assert (amounts.net, amounts.tax, amounts.total) == (Dec("100.00"), Dec("21.00"), Dec("121.00"))


@given(MONEY, st.lists(st.integers(min_value=0, max_value=9), min_size=1, max_size=6))
def test_shares_of_partial_deliveries_add_up(amount: Dec, quantities: list[int]) -> None:
    whole, before, given_out = Dec(sum(quantities)), Dec(0), Dec(0)
    for quantity in quantities:
        given_out += part_of(amount, before, Dec(quantity), whole)
        before += quantity
    assert given_out == (amount if whole else 0)
