"""Tokens add up; a cost that is not known stays unknown (F-45)."""

from decimal import Decimal

import pytest
from pydantic import ValidationError

from batuta.kernel.usage import NO_USAGE, Usage, add_costs


def test_usage_adds_field_by_field() -> None:
    first = Usage(input=1, output=2, thinking=1, cache_read=4, cache_write=5)
    assert first + first == Usage(input=2, output=4, thinking=2, cache_read=8, cache_write=10)
    assert first + NO_USAGE == first
    assert first.total == 3


def test_negative_tokens_are_refused() -> None:
    with pytest.raises(ValidationError):
        Usage(input=-1)


@pytest.mark.parametrize(
    ("first", "second", "total"),
    [
        (Decimal("0.1"), Decimal("0.2"), Decimal("0.3")),
        (None, Decimal("0.2"), None),
        (Decimal("0.1"), None, None),
        (None, None, None),
    ],
)
def test_a_sum_with_an_unknown_cost_is_unknown(
    first: Decimal | None, second: Decimal | None, total: Decimal | None
) -> None:
    """Unknown is `None`, never 0."""
    assert add_costs(first, second) == total
