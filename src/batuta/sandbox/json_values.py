"""Values as they travel in JSON: written from stored columns, read from request bodies with every check of the type.

A body is untrusted: `read_value` gives a value of the right Python type or a `SandboxError` that names the property.
"""

import json
import re
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final

from batuta.sandbox.errors import ApplicationError, BadRequestError
from batuta.sandbox.filter_sql import enum_member, unknown_member
from batuta.sandbox.schema import EdmProperty
from batuta.sandbox.values import LARGEST_DECIMAL, SCALE, SqlValue, Value, unset

_LARGEST: Final = {"Edm.Int32": 2**31, "Edm.Int64": 2**63}
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")


def json_writer(prop: EdmProperty) -> Callable[[SqlValue], Any]:
    """How a stored value of this property is shown in JSON."""
    if prop.type.startswith("Collection("):
        return _collection
    return _WRITERS.get(prop.type, as_it_is)


def read_value(prop: EdmProperty, given: Any) -> Value:
    """The typed value that a body gives for a property."""
    if given is None:
        return unset(prop)  # Business Central stores no null: quirk `null_value`
    if prop.enum is not None:
        return _read_enum(prop, given)
    if prop.options:
        return _read_option(prop, given)
    reader = _READERS.get(prop.type)
    if reader is None:
        raise BadRequestError(f"'{prop.name}' of type {prop.type} cannot be written.")
    return reader(prop, given)


def _wrong(prop: EdmProperty, given: Any) -> BadRequestError:
    return BadRequestError(f"'{str(given)[:60]}' is not a value of type {prop.type} for '{prop.name}'.")


def _read_text(prop: EdmProperty, given: Any) -> Value:
    if not isinstance(given, str):
        raise _wrong(prop, given)
    if prop.max_length is not None and len(given) > prop.max_length:
        raise ApplicationError(
            f"The length of '{prop.name}' is {len(given)}, but it must be less than or equal to {prop.max_length} "
            "characters.",
            code="Application_StringExceededLength",
        )
    if "\x00" in given or any(0xD800 <= ord(letter) < 0xE000 for letter in given):
        raise _wrong(prop, ascii(given))
    return given


def _read_enum(prop: EdmProperty, given: Any) -> Value:
    assert prop.enum is not None
    if not isinstance(given, str):
        raise _wrong(prop, given)
    member = enum_member(prop.enum, given)
    if member is None:
        raise unknown_member(prop, given, prop.enum.names)
    return member


def _read_option(prop: EdmProperty, given: Any) -> Value:
    if not isinstance(given, str):
        raise _wrong(prop, given)
    if given not in prop.options:
        raise unknown_member(prop, given, prop.options)
    return given


def _read_guid(prop: EdmProperty, given: Any) -> Value:
    try:
        return str(uuid.UUID(given)) if isinstance(given, str) else _refuse_guid(prop, given)
    except ValueError:
        return _refuse_guid(prop, given)


def _refuse_guid(prop: EdmProperty, given: Any) -> str:
    raise ApplicationError(f"'{str(given)[:60]}' is not a GUID for '{prop.name}'.", code="Application_InvalidGUID")


def _read_decimal(prop: EdmProperty, given: Any) -> Value:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise _wrong(prop, given)
    value = Decimal(repr(given))
    if not value.is_finite() or abs(value) > LARGEST_DECIMAL:
        raise ApplicationError(f"The value of '{prop.name}' is too large.", code="Application_EvaluateException")
    return value


def _read_integer(prop: EdmProperty, given: Any) -> Value:
    if isinstance(given, bool) or not isinstance(given, int) or not -_LARGEST[prop.type] <= given < _LARGEST[prop.type]:
        raise _wrong(prop, given)
    return given


def _read_flag(prop: EdmProperty, given: Any) -> Value:
    if not isinstance(given, bool):
        raise _wrong(prop, given)
    return given


def _read_date(prop: EdmProperty, given: Any) -> Value:
    if not isinstance(given, str) or not _DATE.fullmatch(given):
        raise _wrong(prop, given)
    try:
        return date.fromisoformat(given)
    except ValueError as error:
        raise _wrong(prop, given) from error


def _read_time(prop: EdmProperty, given: Any) -> Value:
    if not isinstance(given, str) or "T" not in given:
        raise _wrong(prop, given)
    try:
        found = datetime.fromisoformat(given)
        return found.replace(tzinfo=UTC) if found.tzinfo is None or found.year == 1 else found.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise _wrong(prop, given) from error


_UNIT: Final = 10**SCALE


def as_it_is(stored: SqlValue) -> Any:
    return stored


def _decimal(stored: SqlValue) -> Any:
    scaled = int(stored or 0)
    return scaled / _UNIT if scaled % _UNIT else scaled // _UNIT


def _plain_number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _flag(stored: SqlValue) -> Any:
    return bool(stored)


def _time(stored: SqlValue) -> Any:
    return str(stored).replace(".000Z", "Z")


def _collection(stored: SqlValue) -> Any:
    return json.loads(str(stored)) if stored else []


_WRITERS: Final[dict[str, Callable[[SqlValue], Any]]] = {
    "Edm.Decimal": _decimal,
    "Edm.Boolean": _flag,
    "Edm.DateTimeOffset": _time,
}
_READERS: Final[dict[str, Callable[[EdmProperty, Any], Value]]] = {
    "Edm.String": _read_text,
    "Edm.Guid": _read_guid,
    "Edm.Decimal": _read_decimal,
    "Edm.Int32": _read_integer,
    "Edm.Int64": _read_integer,
    "Edm.Boolean": _read_flag,
    "Edm.Date": _read_date,
    "Edm.DateTimeOffset": _read_time,
}
