"""Filters are data, and are sent only in forms that a service obeys."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from batuta.connectors.odata.filters import AllOf, Compare, Filter, Matches, OneOf, render
from batuta.kernel.errors import ConfigurationError

GUID = "5D115C9C-44E3-EA11-BB43-000D3A2FEEA1"


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (Compare("number", "eq", "10000"), "number eq '10000'"),
        (Compare("displayName", "eq", "O'Neill"), "displayName eq 'O''Neill'"),
        (Compare("dueDate", "lt", date(2026, 10, 1)), "dueDate lt 2026-10-01"),
        (
            Compare("lastModifiedDateTime", "gt", datetime(2026, 1, 31, 10, tzinfo=UTC)),
            "lastModifiedDateTime gt 2026-01-31T10:00:00.000Z",
        ),
        (Compare("amount", "ge", Decimal("1E+3")), "amount ge 1000"),
        (Compare("blocked", "eq", True), "blocked eq true"),
        (Compare("customerId", "eq", GUID), f"customerId eq {GUID.lower()}"),
        (Matches("displayName", "contains", GUID), f"contains(displayName,'{GUID}')"),
        (OneOf("status", ("Open", "Paid")), "(status eq 'Open' or status eq 'Paid')"),
        (OneOf("status", ("Open",)), "status eq 'Open'"),
        (
            AllOf(OneOf("a", (1, 2)), Compare("b", "ne", "x")),
            "(a eq 1 or a eq 2) and b ne 'x'",
        ),
    ],
)
def test_a_filter_is_rendered_with_literals_of_its_types(where: Filter, text: str) -> None:
    assert render(where) == text


@pytest.mark.parametrize(
    "where",
    [
        Compare("number eq 'x' or 1", "eq", 1),
        Compare("", "eq", 1),
        OneOf("status", ()),
        AllOf(),
        OneOf("number", tuple(str(number) for number in range(2_000))),
    ],
)
def test_what_cannot_be_sent_is_refused(where: Filter) -> None:
    """A field name never carries syntax, and a list that would be cut off on its way is not sent."""
    with pytest.raises(ConfigurationError):
        render(where)
