"""Any event the catalogue holds, built from the fields its model declares."""

import types
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin

import annotated_types
from hypothesis import strategies as st
from pydantic import AwareDatetime, BaseModel, JsonValue, StringConstraints
from pydantic.fields import FieldInfo

from batuta.events import Event
from batuta.kernel.id_fields import UPPER_UUID
from batuta.kernel.usage import Usage

_uuids = st.uuids().map(lambda value: str(value).upper())
_text = st.text(max_size=20)
_moments = st.datetimes(min_value=datetime(2000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis adds the zone
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | _text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_text, inner, max_size=3),
    max_leaves=5,
)
_money = st.decimals(min_value=0, max_value=1000, places=6, allow_nan=False)
_tokens = st.integers(0, 2**53)

_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: _text,
    bool: st.booleans(),
    type(None): st.none(),
    AwareDatetime: _moments,
    Decimal: _money,
    Usage: st.builds(Usage, input=_tokens, output=_tokens, thinking=_tokens, cache_read=_tokens, cache_write=_tokens),
}

_NUMBERS: dict[Any, Callable[[Any, Any], st.SearchStrategy[Any]]] = {int: st.integers, float: st.floats}


def events(model: type[Event]) -> st.SearchStrategy[Event]:
    """Events of one type, through their constructor."""
    derived = {"type", "version", "persistence", "is_internal"}
    return _instances(model, without=derived).map(lambda fields: model(**fields))


def _instances(model: type[BaseModel], without: set[str]) -> st.SearchStrategy[dict[str, Any]]:
    fields = {name: field for name, field in model.model_fields.items() if name not in without}
    return st.fixed_dictionaries({name: _of_field(field) for name, field in fields.items()})


def _of_field(field: FieldInfo) -> st.SearchStrategy[Any]:
    return _of(field.annotation, tuple(field.metadata))


def _of(annotation: Any, metadata: tuple[Any, ...] = ()) -> st.SearchStrategy[Any]:
    if isinstance(annotation, NewType):
        return _of(annotation.__supertype__, metadata)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is JsonValue or annotation is Any:
        return _json
    if origin is Annotated:
        return _of(arguments[0], (*arguments[1:], *metadata))
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of([_of(argument, metadata) for argument in arguments])
    if origin is tuple:
        return st.lists(_of(arguments[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(_text, _of(arguments[1]), max_size=3)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return st.sampled_from(list(annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _instances(annotation, without=set()).map(lambda fields: annotation(**fields))
    return _constrained(annotation, metadata)


def _constrained(plain: Any, metadata: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    """A plain value within the limits its field declares."""
    flat = [inner for outer in metadata for inner in (outer.metadata if isinstance(outer, FieldInfo) else [outer])]
    strings = [constraint for constraint in flat if isinstance(constraint, StringConstraints)]
    if strings:
        return _uuids if strings[0] == UPPER_UUID else st.text("0123456789abcdef", min_size=32, max_size=32)
    low = next((constraint.ge for constraint in flat if isinstance(constraint, annotated_types.Ge)), 0)
    high = next((constraint.le for constraint in flat if isinstance(constraint, annotated_types.Le)), 2**53)
    return _NUMBERS[plain](low, high) if plain in _NUMBERS else _PLAIN[plain]
