"""Stock at moving average cost."""

from decimal import Decimal as Dec

from hypothesis import given
from hypothesis import strategies as st

from batuta.sandbox.ledger.costing import StockCost, issued, received

QUANTITIES = st.decimals(min_value="0.01", max_value="100", places=2)
MOVES = st.lists(st.tuples(QUANTITIES, st.one_of(st.none(), st.decimals(min_value="0", max_value="500", places=2))))


def test_receipts_make_an_average() -> None:
    first = received(StockCost(), Dec(10), Dec(100)).after
    second = received(first, Dec(10), Dec(140)).after
    assert (second.quantity, second.value, second.unit_cost) == (Dec(20), Dec(240), Dec(12))


def test_issues_leave_at_the_average() -> None:
    movement = issued(StockCost(quantity=Dec(20), value=Dec(240), unit_cost=Dec(12)), Dec(5))
    assert (movement.cost, movement.after.value) == (Dec(-60), Dec(180))


def test_the_last_piece_takes_the_whole_value() -> None:
    stock = received(StockCost(), Dec(3), Dec("10.00")).after
    for _ in range(3):
        stock = issued(stock, Dec(1)).after
    assert (stock.quantity, stock.value) == (Dec(0), Dec(0))


def test_goods_sold_before_they_arrive_leave_at_the_known_cost_and_are_corrected_later() -> None:
    sold = issued(StockCost(unit_cost=Dec(5)), Dec(10))
    assert sold.cost == Dec(-50)
    arrived = received(sold.after, Dec(15), Dec(90))
    assert arrived.correction == Dec(10)
    assert (arrived.after.quantity, arrived.after.value, arrived.after.unit_cost) == (Dec(5), Dec(30), Dec(6))


def test_a_partial_arrival_corrects_only_what_it_covers() -> None:
    sold = issued(StockCost(unit_cost=Dec(5)), Dec(10)).after
    arrived = received(sold, Dec(4), Dec(24))
    assert (arrived.correction, arrived.after.quantity, arrived.after.value) == (Dec(4), Dec(-6), Dec(-30))


@given(MOVES)
def test_value_is_the_sum_of_what_moved(moves: list[tuple[Dec, Dec | None]]) -> None:
    """No sequence of receipts and issues creates or loses value, and an empty stock is worth nothing."""
    stock, quantity, value = StockCost(unit_cost=Dec(3)), Dec(0), Dec(0)
    for amount, cost in moves:
        movement = issued(stock, amount) if cost is None else received(stock, amount, cost)
        stock = movement.after
        quantity += movement.quantity
        value += movement.cost - movement.correction
    assert (stock.quantity, stock.value) == (quantity, value)
    if stock.quantity == 0:
        assert stock.value == 0
