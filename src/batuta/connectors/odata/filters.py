"""OData filters as data, rendered only in forms that a service is known to obey.

    AllOf(Compare("status", "eq", "Open"), Compare("dueDate", "lt", date(2026, 10, 1)))
    -> status eq 'Open' and dueDate lt 2026-10-01

Business Central ignores some forms silently and then answers with every row (`in` lists, lambda expressions), and
refuses `or` over two fields. A list becomes `or` on one field; the rest cannot be written down here at all.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Literal

from batuta.kernel.errors import ConfigurationError

Operator = Literal["eq", "ne", "gt", "ge", "lt", "le"]
TextMatch = Literal["startswith", "endswith", "contains"]
FilterValue = str | int | bool | Decimal | date | datetime

MAX_FILTER_CHARS = 6_000
"""Longer ones do not fit an address everywhere."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*")
_GUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True)
class Compare:
    """A field compared with a value."""

    field: str
    operator: Operator
    value: FilterValue


@dataclass(frozen=True, slots=True)
class Matches:
    """A text field that begins with, ends with or contains a text."""

    field: str
    how: TextMatch
    text: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """A field that equals one of several values."""

    field: str
    values: tuple[FilterValue, ...]


@dataclass(frozen=True, slots=True, init=False)
class AllOf:
    """Every one of several conditions."""

    parts: tuple["Filter", ...]

    def __init__(self, *parts: "Filter") -> None:
        object.__setattr__(self, "parts", parts)


Filter = Compare | Matches | OneOf | AllOf


def render(where: Filter) -> str:
    """The filter as OData text. Raises `ConfigurationError` for one that cannot be sent."""
    text = _render(where)
    if len(text) > MAX_FILTER_CHARS:
        raise ConfigurationError(f"a filter of {len(text)} characters is too long; ask for fewer values at once")
    return text


def fields_of(where: Filter) -> Iterator[str]:
    """The fields a filter looks at."""
    if isinstance(where, AllOf):
        for part in where.parts:
            yield from fields_of(part)
    else:
        yield where.field


def literal(value: FilterValue) -> str:
    """A value as OData writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, int):
        return str(value)
    if _GUID.fullmatch(value):
        return value.lower()
    return "'" + value.replace("'", "''") + "'"


def _render(where: Filter) -> str:
    if isinstance(where, AllOf):
        if not where.parts:
            raise ConfigurationError("AllOf needs at least one condition")
        return " and ".join(_render(part) for part in where.parts)
    if not _NAME.fullmatch(where.field):
        raise ConfigurationError(f"{where.field!r} is no field name")
    if isinstance(where, Compare):
        return f"{where.field} {where.operator} {literal(where.value)}"
    if isinstance(where, Matches):
        return f"{where.how}({where.field},{literal_text(where.text)})"
    if not where.values:
        raise ConfigurationError(f"{where.field}: a list of values to look for is empty")
    alternatives = " or ".join(f"{where.field} eq {literal(value)}" for value in where.values)
    return f"({alternatives})" if len(where.values) > 1 else alternatives


def literal_text(text: str) -> str:
    """A text in quotes, whatever it looks like."""
    return "'" + text.replace("'", "''") + "'"
