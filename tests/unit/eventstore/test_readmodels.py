"""Row changes: fewer statements, the same effect."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batuta.eventstore.memory import MemoryStore
from batuta.eventstore.readmodels import Upsert, in_waves, nanos
from batuta.eventstore.statements import dollar, question_mark, shape_of, upsert

CHANGES = st.builds(
    lambda row, values, add, initial, is_guarded: Upsert(
        table="t",
        key={"id": row},
        values=values,
        add=add,
        initial=initial,
        only_while_null="b" if is_guarded else None,
    ),
    row=st.integers(1, 3),
    values=st.dictionaries(st.sampled_from("ab"), st.integers(0, 5)),
    add=st.dictionaries(st.sampled_from("mn"), st.integers(1, 5)),
    initial=st.dictionaries(st.sampled_from("xy"), st.integers(0, 5)),
    is_guarded=st.booleans(),
)


def applied(changes: list[Upsert]) -> dict[Any, Any]:
    store = MemoryStore()
    store.apply(changes)
    return store.tables


@given(st.lists(CHANGES, max_size=12))
def test_waves_have_the_effect_of_the_single_changes(changes: list[Upsert]) -> None:
    waves = in_waves(changes)
    assert applied([change for wave in waves for change in wave]) == applied(changes)


@given(st.lists(CHANGES, max_size=12))
def test_a_wave_touches_a_row_once(changes: list[Upsert]) -> None:
    for wave in in_waves(changes):
        rows = [change.key["id"] for change in wave]
        assert len(rows) == len(set(rows))


@pytest.mark.parametrize(
    ("cost", "expected"),
    [(None, None), (Decimal(0), 0), (Decimal("0.0000000014"), 1), (Decimal("12.5"), 12_500_000_000)],
)
def test_money_is_kept_in_whole_billionths(cost: Decimal | None, expected: int | None) -> None:
    assert nanos(cost) == expected


def test_a_change_becomes_one_statement_in_both_dialects() -> None:
    change = Upsert(table="t", key={"id": 1}, values={"a": 2}, add={"n": 3}, initial={"x": 4}, only_while_null="a")
    assert upsert(shape_of(change), question_mark) == (
        "INSERT INTO t (id, a, n, x) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (id) DO UPDATE SET a = excluded.a, n = t.n + excluded.n WHERE t.a IS NULL"
    )
    assert "VALUES ($1, $2, $3, $4)" in upsert(shape_of(change), dollar)
    assert "VALUES ($1, $2, $3, $4), ($5, $6, $7, $8) ON" in upsert(shape_of(change), dollar, rows=2)


def test_a_change_of_nothing_makes_the_row_only() -> None:
    change = Upsert(table="t", key={"id": 1}, initial={"x": 4})
    assert upsert(shape_of(change), question_mark).endswith("ON CONFLICT (id) DO NOTHING")
