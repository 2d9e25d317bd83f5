"""May a value of one type be given where another is asked for? The same answer as a static checker, when building.

    fits(given, asked)   list[int] -> Sequence[int]: yes    list[bool] -> list[int]: no (mutable, so invariant)

Where a type cannot be judged at run time (type variables, structural protocols), the answer is yes: the static
checker has the last word.
"""

import collections.abc
import types
import typing
from enum import Enum
from typing import Any, Literal, get_args, get_origin

_UNION = (typing.Union, types.UnionType)
_TOWER = {float: (int,), complex: (int, float)}
_INVARIANT = (list, set, dict, collections.deque, collections.defaultdict, collections.OrderedDict, collections.Counter)


def fits(given: Any, asked: Any) -> bool:
    """Whether a value of type `given` may be passed where `asked` is expected."""
    given, asked = _plain(given), _plain(asked)
    if asked in (Any, object) or given is Any or given == asked:
        return True
    if isinstance(given, typing.TypeVar) or isinstance(asked, typing.TypeVar) or given is typing.Never:
        return True
    if get_origin(given) in _UNION:
        return all(fits(option, asked) for option in get_args(given))
    if get_origin(asked) in _UNION:
        return _fits_some(given, get_args(asked))
    if get_origin(asked) is Literal:
        return get_origin(given) is Literal and set(get_args(given)) <= set(get_args(asked))
    if get_origin(given) is Literal:
        return all(fits(type(value), asked) for value in get_args(given))
    return _fits_class(given, asked)


def type_name(annotation: Any) -> str:
    """A type as people write it."""
    if annotation is type(None):
        return "None"
    if get_origin(annotation) in _UNION:
        return " | ".join(type_name(option) for option in get_args(annotation))
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__name__
    if args := get_args(annotation):
        origin = get_origin(annotation)
        inner = ", ".join(repr(a) if origin is Literal else type_name(a) for a in args)
        return f"{getattr(origin, '__name__', str(origin))}[{inner}]"
    return getattr(annotation, "__name__", None) or str(annotation).removeprefix("typing.")


def _plain(annotation: Any) -> Any:
    """Without `Annotated`, aliases and `NewType`; `None` as its type; bare typing names as their classes."""
    while True:
        if annotation is None:
            return type(None)
        if get_origin(annotation) is typing.Annotated:
            annotation = get_args(annotation)[0]
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        elif not get_args(annotation) and isinstance(get_origin(annotation), type):
            return get_origin(annotation)  # typing.List and friends without arguments
        else:
            return annotation


def _fits_some(given: Any, options: tuple[Any, ...]) -> bool:
    if any(fits(given, option) for option in options):
        return True
    if isinstance(given, type) and issubclass(given, Enum) and not issubclass(given, (str, int)):
        return False
    return given is bool and all(any(fits(Literal[value], option) for option in options) for value in (True, False))


def _fits_class(given: Any, asked: Any) -> bool:
    given_class, asked_class = get_origin(given) or given, get_origin(asked) or asked
    if not isinstance(given_class, type) or not isinstance(asked_class, type):
        return True  # nothing we can judge here
    if getattr(asked_class, "_is_protocol", False) and asked_class not in given_class.__mro__:
        return _fits_protocol(given_class, asked_class)
    if given_class in _TOWER.get(asked_class, ()):
        return True
    if typing.is_typeddict(asked_class) or typing.is_typeddict(given_class):
        return given_class is asked_class or asked_class in (dict, collections.abc.Mapping)
    return issubclass(given_class, asked_class) and _arguments_fit(given, asked, asked_class)


def _fits_protocol(given: type, asked: type) -> bool:
    """A class fits a structural protocol if it has its members; abstract collections judge by themselves."""
    if asked.__module__ in ("collections.abc", "typing"):
        return issubclass(given, asked)
    members = getattr(asked, "__protocol_attrs__", None) or (set(asked.__annotations__) | set(vars(asked)))
    return all(hasattr(given, name) for name in members if not name.startswith("_"))


def _arguments_fit(given: Any, asked: Any, asked_class: type) -> bool:
    asked_args = get_args(asked)
    if not asked_args:
        return True
    if asked_class is tuple:
        return _tuples_fit(_arguments_as(given, tuple), asked_args)
    given_args = _arguments_as(given, asked_class)
    if given_args is None or len(given_args) != len(asked_args):
        return True  # not known: the static checker judges
    if asked_class in _INVARIANT:
        return all(_same(g, a) for g, a in zip(given_args, asked_args, strict=True))
    return all(fits(g, a) for g, a in zip(given_args, asked_args, strict=True) if a is not Ellipsis)


def _same(given: Any, asked: Any) -> bool:
    return fits(given, asked) and fits(asked, given)


def _tuples_fit(given: tuple[Any, ...] | None, asked: tuple[Any, ...]) -> bool:
    if given is None:
        return True
    if len(asked) == 2 and asked[1] is Ellipsis:
        return all(fits(g, asked[0]) for g in given if g is not Ellipsis)
    if Ellipsis in given:
        return False
    return len(given) == len(asked) and all(fits(g, a) for g, a in zip(given, asked, strict=True))


def _arguments_as(given: Any, base: type) -> tuple[Any, ...] | None:
    """The type arguments that `given` has when seen as `base`: `dict[str, int]` as `Mapping` is `(str, int)`."""
    origin = get_origin(given) or given
    args = get_args(given)
    if origin is base or (args and base.__module__ in ("collections.abc", "typing")):
        return _seen_as_abstract(origin, args, base)
    for parent in getattr(origin, "__orig_bases__", ()):
        parameters = dict(zip(getattr(origin, "__parameters__", ()), args, strict=False))
        seen = parent[tuple(parameters.get(p, Any) for p in parent.__parameters__)] if _is_open(parent) else parent
        if isinstance(get_origin(seen) or seen, type) and issubclass(get_origin(seen) or seen, base):
            return _arguments_as(seen, base)
    return None


def _seen_as_abstract(origin: Any, args: tuple[Any, ...], base: type) -> tuple[Any, ...] | None:
    """A mapping seen as an iterable is an iterable of its keys; a tuple one of all its items."""
    if not args or origin is base:
        return args or None
    if isinstance(origin, type) and issubclass(origin, tuple):
        items = tuple(a for a in args if a is not Ellipsis)
        return (typing.Union[items],) if items else None  # noqa: UP007 - built at run time
    if len(args) == 2 and not issubclass(base, collections.abc.Mapping):
        return args[:1]
    return args


def _is_open(annotation: Any) -> bool:
    return bool(getattr(annotation, "__parameters__", ())) and get_origin(annotation) is not typing.Generic
