"""Posting of sales and purchase documents."""

from decimal import Decimal as Dec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batuta.sandbox.ledger.costing import StockCost
from batuta.sandbox.ledger.entries import Accrual, Posting, PostingError
from batuta.sandbox.ledger.trade import TradeDocument, post_trade
from tests.unit.sandbox.ledger.books import (
    SETUP,
    item_line,
    purchase_credit_memo,
    purchase_invoice,
    sales_credit_memo,
    sales_invoice,
)

IN_STOCK = {"CHAIR": StockCost(quantity=Dec(10), value=Dec(500), unit_cost=Dec(50))}


def booked(posting: Posting) -> dict[str, Dec]:
    sums: dict[str, Dec] = {}
    for entry in posting.accounts:
        sums[entry.account] = sums.get(entry.account, Dec(0)) + entry.amount
    return sums


def test_a_sales_invoice_books_receivable_revenue_tax_and_cost() -> None:
    posting = post_trade(sales_invoice(item_line("200", quantity="2", tax="42")), SETUP, IN_STOCK)
    assert booked(posting) == {
        "2310": Dec(242),
        "6110": Dec(-200),
        "5610": Dec(-42),
        "7190": Dec(100),
        "2110": Dec(-100),
    }
    assert posting.stock[0].quantity == -2
    assert posting.costs["CHAIR"].quantity == 8


def test_a_sales_credit_memo_is_the_opposite() -> None:
    posting = post_trade(sales_credit_memo(item_line("200", quantity="2", tax="42")), SETUP, IN_STOCK)
    assert booked(posting) == {
        "2310": Dec(-242),
        "6110": Dec(200),
        "5610": Dec(42),
        "7190": Dec(-100),
        "2110": Dec(100),
    }


def test_a_credit_memo_for_an_invoice_takes_goods_back_at_the_cost_they_left_with() -> None:
    line = item_line("200", quantity="2", return_cost=Dec(80))
    posting = post_trade(sales_credit_memo(line), SETUP, IN_STOCK)
    assert booked(posting)["2110"] == Dec(80)


def test_a_discount_of_the_document_has_an_account_of_its_own() -> None:
    line = item_line("190", discount_share=Dec(10), is_stocked=False, moved="0")
    assert booked(post_trade(sales_invoice(line), SETUP, {})) == {"6110": Dec(-200), "6910": Dec(10), "2310": Dec(190)}


def test_a_purchase_invoice_books_stock_input_tax_and_payable() -> None:
    posting = post_trade(purchase_invoice(item_line("300", quantity="5", tax="63")), SETUP, IN_STOCK)
    assert booked(posting) == {"2110": Dec(300), "5630": Dec(63), "5410": Dec(-363)}
    assert posting.costs["CHAIR"].value == Dec(800)


def test_a_purchase_within_the_union_owes_and_deducts_the_tax() -> None:
    document = purchase_invoice(item_line("100"), business_group="EU")
    posting = post_trade(document, SETUP, {})
    assert booked(posting) == {"2110": Dec(100), "5630": Dec(21), "5620": Dec(-21), "5420": Dec(-100)}
    assert posting.taxes[0].is_reverse_charge


def test_goods_sent_back_leave_at_average_cost_and_the_rest_is_an_adjustment() -> None:
    posting = post_trade(purchase_credit_memo(item_line("60")), SETUP, IN_STOCK)
    assert booked(posting) == {"5410": Dec(60), "2110": Dec(-50), "7170": Dec(-10)}


def test_goods_received_without_an_invoice_are_accrued() -> None:
    line = item_line("0", quantity="0", moved="4", moved_value=Dec(80))
    posting = post_trade(purchase_invoice(line), SETUP, {})
    assert booked(posting) == {"2110": Dec(80), "5510": Dec(-80)}
    assert not posting.parties
    assert posting.accruals == {"line": Accrual(quantity=Dec(4), value=Dec(80))}


def test_an_invoice_for_goods_received_earlier_clears_the_accrual() -> None:
    line = item_line("80", quantity="4", moved="0", accrual=Accrual(quantity=Dec(4), value=Dec(79)))
    posting = post_trade(purchase_invoice(line), SETUP, {})
    assert booked(posting) == {"5510": Dec(79), "7170": Dec(1), "5410": Dec(-80)}
    assert posting.accruals["line"] == Accrual()


def test_goods_shipped_without_an_invoice_leave_the_stock_and_owe_nothing() -> None:
    posting = post_trade(sales_invoice(item_line("0", quantity="0", moved="3")), SETUP, IN_STOCK)
    assert booked(posting) == {"7190": Dec(150), "2110": Dec(-150)}
    assert not posting.parties


def test_a_foreign_currency_is_converted_and_the_customer_takes_the_sum() -> None:
    lines = [item_line("10.01", is_stocked=False, moved="0"), item_line("10.02", is_stocked=False, moved="0")]
    posting = post_trade(sales_invoice(*lines, currency="USD", rate=Dec("0.9"), business_group="EXPORT"), SETUP, {})
    assert booked(posting) == {"6130": Dec("-18.03"), "2320": Dec("18.03")}
    assert (posting.parties[0].amount, posting.parties[0].local) == (Dec("20.03"), Dec("18.03"))


def test_entries_are_kept_apart_by_dimensions() -> None:
    lines = [
        item_line("10", dimensions=(("AREA", "N"),), is_stocked=False, moved="0"),
        item_line("20", dimensions=(("AREA", "S"),), is_stocked=False, moved="0"),
    ]
    posting = post_trade(sales_invoice(*lines), SETUP, {})
    assert {(entry.account, entry.dimensions) for entry in posting.accounts} == {
        ("6110", (("AREA", "N"),)),
        ("6110", (("AREA", "S"),)),
        ("2310", ()),
    }


@pytest.mark.parametrize(
    ("document", "part"),
    [
        (sales_invoice(item_line("1"), business_group="MOON"), "no posting group 'MOON'"),
        (sales_invoice(item_line("1", product_group="GOLD")), "product group 'GOLD'"),
        (sales_invoice(item_line("1", tax_group="ODD")), "product group 'ODD'"),
        (sales_invoice(item_line("1"), currency="XYZ", rate=Dec(0)), "no exchange rate"),
    ],
)
def test_a_missing_setup_is_named(document: TradeDocument, part: str) -> None:
    with pytest.raises(PostingError, match=part):
        post_trade(document, SETUP, {})


MONEY = st.decimals(min_value="0.01", max_value="5000", places=2)
LINES = st.lists(
    st.builds(
        lambda net, quantity, moved, tax, share: item_line(
            str(net), quantity=str(quantity), moved=str(moved), tax=str(tax), discount_share=share
        ),
        MONEY,
        st.integers(1, 20),
        st.integers(0, 20),
        st.decimals(min_value="0", max_value="100", places=2),
        st.decimals(min_value="0", max_value="10", places=2),
    ),
    min_size=1,
    max_size=5,
)


@given(
    LINES,
    st.sampled_from([sales_invoice, sales_credit_memo, purchase_invoice, purchase_credit_memo]),
    st.decimals(min_value="0.5", max_value="2", places=4),
)
def test_every_document_balances_and_stock_is_worth_what_the_account_says(  # type: ignore[no-untyped-def]
    lines, document, rate: Dec
) -> None:
    posting = post_trade(document(*lines, rate=rate), SETUP, IN_STOCK)
    assert posting.difference == 0
    assert posting.costs["CHAIR"].value - 500 == booked(posting).get("2110", 0)
