"""OData filters as data, rendered only in forms that a service is known to obey.

    AllOf(Compare("status", "eq", "Open"), Compare("dueDate", "lt", date(2026, 10, 1)))
    -> status eq 'Open' and dueDate lt 2026-10-01

Business Central ignores some forms silently and then answers with every row (`in` lists, lambda expressions), and
refuses `or` over two fields. A list becomes `or` on one field; the rest cannot be written down here at all.
"""

import re
from collections.abc import Iterator, Mapping
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
_BARE = re.compile(r"[0-9A-Za-z.:+-]{1,60}")
"""Numbers, dates, times and booleans: nothing that could end a literal."""
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


def render(where: Filter, types: Mapping[str, str] | None = None) -> str:
    """The filter as OData text. Raises `ConfigurationError` for one that cannot be sent.

    With `types` (field to `Edm.Guid` and the like) texts are written as their field's type wants them; without, a text
    that looks like a GUID is one, and everything else is quoted, as Business Central has it.
    """
    text = _render(where, types or {})
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


def typed_literal(value: FilterValue, type_name: str | None) -> str:
    """A value as its type writes it; a text of an enum type carries the type's name."""
    if not isinstance(value, str) or type_name is None:
        return literal(value)
    if type_name == "Edm.Guid":
        if not _GUID.fullmatch(value):
            raise ConfigurationError(f"{value[:60]!r} is no GUID")
        return value.lower()
    if type_name == "Edm.String":
        return literal_text(value)
    if not type_name.startswith("Edm."):
        return f"{type_name}{literal_text(value)}"
    if not _BARE.fullmatch(value):
        raise ConfigurationError(f"{value[:60]!r} is no {type_name.removeprefix('Edm.')}")
    return value


def _render(where: Filter, types: Mapping[str, str]) -> str:
    if isinstance(where, AllOf):
        if not where.parts:
            raise ConfigurationError("AllOf needs at least one condition")
        return " and ".join(_render(part, types) for part in where.parts)
    if not _NAME.fullmatch(where.field):
        raise ConfigurationError(f"{where.field!r} is no field name")
    if isinstance(where, Compare):
        return f"{where.field} {where.operator} {typed_literal(where.value, types.get(where.field))}"
    if isinstance(where, Matches):
        return f"{where.how}({where.field},{literal_text(where.text)})"
    if not where.values:
        raise ConfigurationError(f"{where.field}: a list of values to look for is empty")
    alternatives = " or ".join(
        f"{where.field} eq {typed_literal(value, types.get(where.field))}" for value in where.values
    )
    return f"({alternatives})" if len(where.values) > 1 else alternatives


def literal_text(text: str) -> str:
    """A text in quotes, whatever it looks like."""
    return "'" + text.replace("'", "''") + "'"
