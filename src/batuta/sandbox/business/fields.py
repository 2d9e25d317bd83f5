"""Typed reading of a record's properties."""

from datetime import date
from decimal import Decimal

from batuta.sandbox.values import UNSET_DATE, UNSET_GUID, Row


def text(row: Row, name: str) -> str:
    return str(row.get(name, ""))


def number(row: Row, name: str) -> Decimal:
    value = row.get(name, 0)
    return value if isinstance(value, Decimal) else Decimal(str(value))


def whole(row: Row, name: str) -> int:
    return int(number(row, name))


def day(row: Row, name: str) -> date:
    value = row.get(name, UNSET_DATE)
    return value if isinstance(value, date) else date.fromisoformat(str(value))


def flag(row: Row, name: str) -> bool:
    return bool(row.get(name, False))


def reference(row: Row, name: str) -> str | None:
    """The id that a property holds, or nothing where it is unset."""
    value = str(row.get(name, UNSET_GUID))
    return None if value in {UNSET_GUID, ""} else value


def is_set(moment: date) -> bool:
    return moment != UNSET_DATE
