"""Tokens add up; a cost that is not known stays unknown (F-45)."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from batuta.kernel.messages import Answer
from batuta.kernel.usage import NO_USAGE, Usage, add_costs


def test_usage_adds_field_by_field() -> None:
    first = Usage(input=1, output=2, thinking=1, cache_read=4, cache_write=5)
    assert first + first == Usage(input=2, output=4, thinking=2, cache_read=8, cache_write=10)
    assert first + NO_USAGE == first
    assert first.total == 3


@pytest.mark.parametrize("count", [-1, 1.5, "3", None])
def test_what_is_no_count_is_refused(count: Any) -> None:
    with pytest.raises(ValueError, match="counted from 0 in whole numbers"):
        Usage(input=count)


def test_a_model_that_holds_it_reads_and_writes_it_as_json() -> None:
    """Answers and events hold it: they read what they wrote, and refuse what is no count with an error of their own."""
    text = Answer(content=(), usage=Usage(input=3, cache_read=1)).model_dump_json()
    assert Answer.model_validate_json(text).usage == Usage(input=3, cache_read=1)
    with pytest.raises(ValidationError, match="counted from 0"):
        Answer.model_validate({"content": (), "usage": {"input": -1}})


def test_the_schema_says_that_counts_begin_at_zero() -> None:
    properties = Answer.model_json_schema()["$defs"]["Usage"]["properties"]
    assert {name: field["minimum"] for name, field in properties.items()} == dict.fromkeys(
        ("input", "output", "thinking", "cache_read", "cache_write"), 0
    )


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
