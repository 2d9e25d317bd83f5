"""Values of properties in Python and in SQLite.

| Edm type         | Python             | SQLite                          | unset                  |
|------------------|--------------------|---------------------------------|------------------------|
| String, enum     | str                | TEXT (enum: encoded member)     | "" or the first member |
| Guid             | str, lower case    | TEXT                            | zeros                  |
| Decimal          | Decimal            | INTEGER, scaled by 10^5         | 0                      |
| Int32, Int64     | int                | INTEGER                         | 0                      |
| Boolean          | bool               | INTEGER 0/1                     | False                  |
| Date             | date               | TEXT `2026-01-31`               | `0001-01-01`           |
| DateTimeOffset   | datetime (UTC)     | TEXT `2026-01-31T10:00:00.000Z` | `0001-01-01T00:00:00`  |

Business Central knows no null: an unset value is the zero of its type.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, TypeAlias

from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.schema import EdmProperty

Value: TypeAlias = str | int | bool | Decimal | date | datetime
"""What a property holds in Python."""
Row: TypeAlias = dict[str, Value]
"""One record: property name → value."""
SqlValue: TypeAlias = str | int | bytes | float | None

SCALE: Final = 5
UNSET_DATE: Final = date(1, 1, 1)
UNSET_TIME: Final = datetime(1, 1, 1, tzinfo=UTC)
UNSET_GUID: Final = "00000000-0000-0000-0000-000000000000"
LARGEST_DECIMAL: Final = Decimal(2**63 - 1).scaleb(-SCALE)
_UNIT: Final = Decimal(1).scaleb(-SCALE)
_ZERO: Final = Decimal(0)


def to_scaled(value: Decimal | int) -> int:
    """A decimal as the integer it is stored as, rounded half up to five places."""
    if not value:
        return 0
    number = Decimal(value)
    if abs(number) > LARGEST_DECIMAL:
        raise ApplicationError(
            f"The value {value} is too large for a decimal field.", code="Application_EvaluateException"
        )
    return int(number.quantize(_UNIT, ROUND_HALF_UP).scaleb(SCALE))


def from_scaled(stored: int) -> Decimal:
    """The stored integer as a decimal without trailing zeros."""
    if not stored:
        return _ZERO
    whole, rest = divmod(stored, 10**SCALE)
    return Decimal(stored).scaleb(-SCALE).normalize() if rest else Decimal(whole)


def time_text(moment: datetime) -> str:
    """UTC with milliseconds: texts compare as the moments do."""
    utc = moment.astimezone(UTC) if moment.year > 1 else moment.replace(tzinfo=UTC)
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def unset(prop: EdmProperty) -> Value:
    """The value of a property that has not been set."""
    if prop.enum is not None:
        return prop.enum.members[0].name
    if prop.options:
        return prop.options[0]
    return _UNSET.get(prop.type, "")


def encoder(prop: EdmProperty) -> Callable[[Value], SqlValue]:
    """How a Python value of this property is stored."""
    return _ENCODERS.get(prop.type, _text)


def decoder(prop: EdmProperty) -> Callable[[SqlValue], Value]:
    """How a stored value of this property is read."""
    return _DECODERS.get(prop.type, str)


def column_type(prop: EdmProperty) -> str:
    return "INTEGER" if prop.type in _INTEGERS else "TEXT"


def _text(value: Value) -> SqlValue:
    if isinstance(value, str):
        return value
    raise TypeError(f"a text is needed, not {value!r}")


def _guid(value: Value) -> SqlValue:
    return str(value).lower()


def _decimal(value: Value) -> SqlValue:
    if isinstance(value, Decimal | int):
        return to_scaled(value)
    raise TypeError(f"a Decimal is needed, not {value!r}")


def _integer(value: Value) -> SqlValue:
    if isinstance(value, int):
        return int(value)
    raise TypeError(f"an int is needed, not {value!r}")


def _date(value: Value) -> SqlValue:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a date is needed, not {value!r}")


def _time(value: Value) -> SqlValue:
    if isinstance(value, datetime):
        return time_text(value)
    raise TypeError(f"a datetime is needed, not {value!r}")


def _read_decimal(stored: SqlValue) -> Value:
    return from_scaled(int(stored or 0))


def _read_integer(stored: SqlValue) -> Value:
    return int(stored or 0)


def _read_flag(stored: SqlValue) -> Value:
    return bool(stored)


def _read_date(stored: SqlValue) -> Value:
    return date.fromisoformat(str(stored)) if stored else UNSET_DATE


def _read_time(stored: SqlValue) -> Value:
    return datetime.fromisoformat(str(stored)) if stored else UNSET_TIME


_INTEGERS: Final = frozenset({"Edm.Decimal", "Edm.Int32", "Edm.Int64", "Edm.Boolean"})
_UNSET: Final[dict[str, Value]] = {
    "Edm.Guid": UNSET_GUID,
    "Edm.Decimal": Decimal(0),
    "Edm.Int32": 0,
    "Edm.Int64": 0,
    "Edm.Boolean": False,
    "Edm.Date": UNSET_DATE,
    "Edm.DateTimeOffset": UNSET_TIME,
}
_ENCODERS: Final[dict[str, Callable[[Value], SqlValue]]] = {
    "Edm.Guid": _guid,
    "Edm.Decimal": _decimal,
    "Edm.Int32": _integer,
    "Edm.Int64": _integer,
    "Edm.Boolean": _integer,
    "Edm.Date": _date,
    "Edm.DateTimeOffset": _time,
}
_DECODERS: Final[dict[str, Callable[[SqlValue], Value]]] = {
    "Edm.Decimal": _read_decimal,
    "Edm.Int32": _read_integer,
    "Edm.Int64": _read_integer,
    "Edm.Boolean": _read_flag,
    "Edm.Date": _read_date,
    "Edm.DateTimeOffset": _read_time,
}
