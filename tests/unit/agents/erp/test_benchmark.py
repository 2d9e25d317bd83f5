"""How the benchmark judges an answer (A-9)."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from batuta.agents.erp.benchmark.runner import shows_only
from batuta.datasets.dataset import Dataset
from batuta.events.datasets import Column, Provenance


def figure(value: str, column: str = "value") -> Dataset:
    source = Provenance(
        connector="c", company="c", query="q", retrieved_at=datetime(2026, 9, 30, tzinfo=UTC), record_count=1
    )
    columns = [Column(name=column, type="decimal", label="Sales")]
    return Dataset(name="sales", columns=columns, rows=[[Decimal(value)]], provenance=source, title="Sales")


@pytest.mark.parametrize(
    ("shown", "is_right"),
    [
        ([figure("100")], True),
        ([figure("100"), figure("7", column="amount")], True),
        ([figure("100"), figure("7")], False),
        ([figure("7")], False),
        ([], False),
    ],
)
def test_a_wrong_figure_beside_the_right_one_is_wrong(shown: list[Dataset], is_right: bool) -> None:
    assert shows_only(shown, {"": Decimal(100)}, {}) == is_right
