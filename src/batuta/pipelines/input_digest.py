"""What tells one input of a run from another, so that a journal is not taken for another input's.

    JSON, a dataclass, a pydantic model   -> the digest of its JSON
    an object of another class            -> the digest of its class and its state, as `copy` would take it
    anything else                         -> nothing: a lock, a function, an iterator, an object without state

No address of an object is part of it, nor the order of a set, which is each process's own: so it is the same in every
process.
"""

import copyreg
import hashlib
import operator
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError, to_json

_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)
_PROTOCOL = 4
"""Of `__reduce_ex__`: the form in which slots are part of the state."""


def digest_of(value: Any) -> str | None:
    """What tells one input from another; nothing for a value that could not be known again."""
    return json_digest_of(value) or _digest(value, by_state=True)


def json_digest_of(value: Any) -> str | None:
    """The same, only for what can be written as JSON."""
    return _digest(value, by_state=False)


def _digest(value: Any, *, by_state: bool) -> str | None:
    if isinstance(value, Iterator):
        return None  # looking at it would use it up
    try:
        plain = _without_sets(value)
        text = _as_text(plain) if by_state else to_json(plain)
    except (PydanticSerializationError, RecursionError, ValueError):
        return None
    return hashlib.sha256(text).hexdigest()


def _without_sets(value: Any) -> Any:
    """The same with a sorted list in the place of every set. A value that holds none is left as it is."""
    if isinstance(value, str | int | float | None):
        return value
    data = _ANYTHING.dump_python(value, warnings=False)  # of models and data classes what they hold
    ordered = _ordered(data)
    return value if ordered is data else ordered


def _as_text(data: Any) -> bytes:
    return to_json(data, bytes_mode="base64", fallback=_state_of)


def _ordered(data: Any) -> Any:
    if isinstance(data, set | frozenset):
        return sorted((_ordered(item) for item in data), key=_as_text)
    if isinstance(data, dict):
        items = {key: _ordered(item) for key, item in data.items()}
        return items if any(items[key] is not item for key, item in data.items()) else data
    if isinstance(data, list | tuple):
        members = [_ordered(item) for item in data]
        return members if any(map(operator.is_not, members, data)) else data
    return data


def _state_of(value: Any) -> Any:
    """The class of an object and all it holds. Raises if it has no state, or one that cannot be seen."""
    return _without_sets(_seen_state_of(value))


def _seen_state_of(value: Any) -> Any:
    if isinstance(value, type):
        return _name_of(value)
    reduced = value.__reduce_ex__(_PROTOCOL)
    if isinstance(reduced, str):
        return [_name_of(type(value)), reduced]
    make, args, state, *items = (*reduced, None, None, None)[:5]
    contents = [_without_caches(type(value), state), *(list(pairs) for pairs in items if pairs is not None)]
    if make is copyreg.__newobj__ and len(args) == 1 and not any(contents):  # type: ignore[attr-defined]
        raise TypeError(f"{type(value).__qualname__} has no state by which it could be known again")
    return [_name_of(type(value)), args, contents]


def _without_caches(owner: type, state: Any) -> Any:
    """State without what `cached_property` keeps there: an object is the same before and after it was looked at."""
    if isinstance(state, tuple):  # of its dictionary and of its slots
        return [_without_caches(owner, part) for part in state]
    if not isinstance(state, dict):
        return state
    return {name: kept for name, kept in state.items() if not isinstance(getattr(owner, name, None), cached_property)}


def _name_of(owner: type) -> str:
    return f"{owner.__module__}.{owner.__qualname__}"
