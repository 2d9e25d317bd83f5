"""Values of a dataset: one Python type for each column type, and the way to it from what tools and files hold."""

import math
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal, localcontext
from typing import Any

from batuta.events.datasets import Cell, ColumnType

Value = str | int | float | Decimal | bool | date | datetime | None

NO_VALUE = "—"
"""Stands in a column of text for what a record does not have."""
MAX_TEXT_CHARS = 32_767
"""The longest text of a cell; what spreadsheets hold too."""
MAX_INTEGER = 2**63


class UnfitValueError(ValueError):
    """A value is none of its column's type."""


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise UnfitValueError
    # What no database and no file takes: a zero byte, and half of a surrogate pair.
    text = value if value.isascii() else value.encode("utf-8", "replace").decode()
    text = text if "\x00" not in text else text.replace("\x00", "?")
    return text if len(text) <= MAX_TEXT_CHARS else f"{text[: MAX_TEXT_CHARS - 1]}…"


def _integer(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, (float, Decimal)) and value != int(value)):
        raise UnfitValueError
    number = int(value)
    if not -MAX_INTEGER <= number < MAX_INTEGER:
        raise UnfitValueError
    return number


def _decimal(value: Any) -> Decimal:
    if isinstance(value, bool):
        raise UnfitValueError
    # A float's shortest form is what its writer meant: 0.1, not 0.1000000000000000055.
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite() or number.adjusted() > 27 or _exponent(number) < -10:
        raise UnfitValueError
    return number


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _float(value: Any) -> float:
    number = float(value)
    if isinstance(value, bool) or not math.isfinite(number):
        raise UnfitValueError
    return number


def _date(value: Any) -> date:
    if isinstance(value, datetime):
        raise UnfitValueError
    return value if isinstance(value, date) else date.fromisoformat(value)


def _datetime(value: Any) -> datetime:
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise UnfitValueError
    return value


CONVERTERS: dict[ColumnType, Callable[[Any], Value]] = {
    "text": _text,
    "integer": _integer,
    "decimal": _decimal,
    "float": _float,
    "date": _date,
    "datetime": _datetime,
    "boolean": _boolean,
}
"""From what a tool holds, or from a cell of JSON, to the value. Raises `ValueError`, `TypeError` or
`InvalidOperation` for what is none."""


def trimmed(value: Decimal) -> Decimal:
    """A decimal without the zeros that a fixed scale added, with two places at least."""
    with localcontext(prec=60):
        short = value.normalize()
        exponent = short.as_tuple().exponent
        return short.quantize(Decimal("0.01")) if isinstance(exponent, int) and exponent > -2 else short


def from_cell(cell: Cell, column_type: ColumnType) -> Value:
    """A value as it was before JSON."""
    return None if cell is None else CONVERTERS[column_type](cell)
