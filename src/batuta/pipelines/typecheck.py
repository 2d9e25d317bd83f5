"""May a value of one type be given where another is asked for? The same answer as a static checker, when building.

    fits(given, asked)   list[int] -> Sequence[int]: yes    list[bool] -> list[int]: no (mutable, so invariant)

Where a type cannot be judged at run time (type variables, attributes set in `__init__`), the answer is yes: the
static checker has the last word.
"""

import collections
import collections.abc as abc
import dataclasses
import enum
import types
import typing
from typing import Any, Literal, get_args, get_origin

_UNION = (typing.Union, types.UnionType)
_TOWER: dict[type, tuple[type, ...]] = {float: (int,), complex: (int, float)}
_ITEMS: dict[type, type] = {str: str, bytes: int, bytearray: int, memoryview: int, range: int}
_COVARIANT, _INVARIANT = (True, False), (True, True)
_CONTRAVARIANT = (False, True)
"""Which ways round arguments have to fit: given into asked, asked into given."""

_MUTABLE = (
    list, set, dict, collections.deque, collections.defaultdict, collections.OrderedDict, collections.Counter,
    abc.MutableSequence, abc.MutableSet, abc.MutableMapping,
)  # fmt: skip


def fits(given: Any, asked: Any) -> bool:
    """Whether a value of type `given` may be passed where `asked` is expected."""
    given, asked = _plain(given), _plain(asked)
    if asked in (Any, object) or given is Any or given == asked:
        return True
    if isinstance(given, typing.TypeVar) or isinstance(asked, typing.TypeVar) or given is typing.Never:
        return True
    if isinstance(given, typing.NewType):
        return fits(given.__supertype__, asked)
    if isinstance(asked, typing.NewType):
        return False  # only the new type itself will do
    if get_origin(given) in _UNION:
        return all(fits(option, asked) for option in get_args(given))
    if get_origin(asked) in _UNION or get_origin(asked) is Literal:
        return _fits_some(given, asked)
    if get_origin(given) is Literal:
        return all(fits(type(value), asked) for value in get_args(given))
    return _fits_class(given, asked)


def type_name(annotation: Any) -> str:
    """A type as people write it."""
    if annotation is type(None):
        return "None"
    if type(annotation) is type:  # a plain class, as most are: a generic one looks like a class, too
        return annotation.__name__
    if get_origin(annotation) in _UNION:
        return " | ".join(type_name(option) for option in get_args(annotation))
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__name__
    if args := get_args(annotation):
        origin = get_origin(annotation)
        inner = ", ".join(_argument_name(a, is_value=origin is Literal) for a in args)
        return f"{getattr(origin, '__name__', str(origin))}[{inner}]"
    return getattr(annotation, "__name__", None) or str(annotation).removeprefix("typing.")


def arguments_as(given: Any, base: type) -> tuple[Any, ...] | None:
    """The type arguments that `given` has when seen as `base`: `dict[str, int]` as `Mapping` is `(str, int)`."""
    origin, args = _class_of(given), _args_of(given)
    if origin is base:
        return args or None
    parents = getattr(origin, "__orig_bases__", ())
    if not parents:
        return _seen_as_abstract(origin, args, base)
    parameters = dict(zip(getattr(origin, "__parameters__", ()), args, strict=False))
    for parent in parents:
        open_parameters = () if get_origin(parent) is typing.Generic else getattr(parent, "__parameters__", ())
        seen = parent[tuple(parameters.get(p, Any) for p in open_parameters)] if open_parameters else parent
        if _is_subclass(_class_of(seen), base):
            return arguments_as(seen, base)
    return None


def _argument_name(argument: Any, *, is_value: bool) -> str:
    if argument is Ellipsis:
        return "..."
    return repr(argument) if is_value else type_name(argument)


def _plain(annotation: Any) -> Any:
    """Without `Annotated` and aliases; `None` as its type; bare typing names as their classes."""
    while True:
        if annotation is None:
            return type(None)
        if get_origin(annotation) is typing.Annotated:
            annotation = get_args(annotation)[0]
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        elif not get_args(annotation) and isinstance(get_origin(annotation), type):
            return get_origin(annotation)  # typing.List and friends without arguments
        else:
            return annotation


def _fits_some(given: Any, asked: Any) -> bool:
    """Whether it fits one option of a union or literal, or each value it can have fits some option."""
    if get_origin(asked) is Literal:
        options = _values_of(asked)
        return bool(values := _values_of(given)) and values <= options
    if any(fits(given, option) for option in get_args(asked)):
        return True
    cases = _cases_of(given)
    return len(cases) > 1 and all(any(fits(case, option) for option in get_args(asked)) for case in cases)


def _cases_of(given: Any) -> list[Any]:
    """Each value of a type that has only a few, as a literal."""
    return [Literal[value] for _, value in _values_of(given)]


def _values_of(given: Any) -> set[tuple[type, Any]]:
    """The values of a literal, of `bool` or of an enum; `True` and `1` are not the same here."""
    if get_origin(given) is Literal:
        return {(type(value), value) for value in get_args(given)}
    if given is bool:
        return {(bool, True), (bool, False)}
    if isinstance(given, type) and issubclass(given, enum.Enum) and not issubclass(given, enum.Flag):
        return {(given, member) for member in given.__members__.values()}
    return set()


def _fits_class(given: Any, asked: Any) -> bool:
    given_class, asked_class = _class_of(given), _class_of(asked)
    if not isinstance(given_class, type) or not isinstance(asked_class, type):
        return True  # nothing we can judge here
    if typing.is_typeddict(given_class) or typing.is_typeddict(asked_class):
        return _typed_dict_fits(given_class, asked, asked_class)
    if any(issubclass(given_class, narrower) for narrower in _TOWER.get(asked_class, ())):
        return True
    if getattr(asked_class, "_is_protocol", False) and asked_class not in given_class.__mro__:
        return _fits_protocol(given_class, asked_class)
    return _is_subclass(given_class, asked_class) and _arguments_fit(given, asked, asked_class)


def _typed_dict_fits(given: Any, asked: Any, asked_class: Any) -> bool:
    """Structural: another typed dict with these keys, seen from a mapping of objects."""
    if not typing.is_typeddict(given):
        return False
    if not typing.is_typeddict(asked_class):
        return asked_class in (abc.Mapping, abc.Collection, abc.Iterable, abc.Sized) and (
            not get_args(asked) or asked_class is not abc.Mapping or fits(object, get_args(asked)[1])
        )
    given_types, asked_types = given.__annotations__, asked_class.__annotations__
    return all(
        key in given_types
        and (key in given.__required_keys__) == (key in asked_class.__required_keys__)
        and _same(given_types[key], kind)
        for key, kind in asked_types.items()
    )


def _fits_protocol(given: type, asked: type) -> bool:
    """A class fits a structural protocol if it has its members; abstract collections judge by themselves."""
    if asked.__module__ in ("collections.abc", "typing"):
        return issubclass(given, asked)
    parts = [part for part in asked.__mro__ if getattr(part, "_is_protocol", False)]
    members = {name: member for part in parts for name, member in vars(part).items() if not name.startswith("_")}
    methods = {name for name, member in members.items() if callable(member)}
    declared = {name for part in parts for name in getattr(part, "__annotations__", {})}
    return all(hasattr(given, name) for name in methods) and _has_data(given, declared | members.keys() - methods)


def _has_data(given: type, names: set[str]) -> bool:
    """Whether instances have these attributes. Only classes that declare all their fields can be judged."""
    if (fields := getattr(given, "model_fields", None)) is not None:
        return all(name in fields or hasattr(given, name) for name in names)
    if dataclasses.is_dataclass(given):
        declared = {field.name for field in dataclasses.fields(given)}
        return all(name in declared or hasattr(given, name) for name in names)
    return True


def _arguments_fit(given: Any, asked: Any, asked_class: type) -> bool:
    asked_args = _args_of(asked)
    if not asked_args:
        return True
    if asked_class is tuple:
        return _tuples_fit(arguments_as(given, tuple), asked_args)
    given_args = arguments_as(given, asked_class)
    if given_args is None or len(given_args) != len(asked_args):
        return True  # not known: the static checker judges
    ways = _ways_round(asked_class, len(asked_args))
    return all(
        (not forth or fits(g, a)) and (not back or fits(a, g))
        for g, a, (forth, back) in zip(given_args, asked_args, ways, strict=True)
    )


def _ways_round(asked_class: type, count: int) -> list[tuple[bool, bool]]:
    """How each argument of a class varies: as its type variables say, or as is known of the collections."""
    if asked_class in _MUTABLE:
        return [_INVARIANT] * count
    if asked_class is abc.Mapping:
        return [_INVARIANT, _COVARIANT]
    parameters = getattr(asked_class, "__parameters__", ())
    if len(parameters) != count:
        return [_COVARIANT] * count
    return [_way_of(parameter) for parameter in parameters]


def _way_of(parameter: Any) -> tuple[bool, bool]:
    if getattr(parameter, "__covariant__", False) or getattr(parameter, "__infer_variance__", False):
        return _COVARIANT
    return _CONTRAVARIANT if getattr(parameter, "__contravariant__", False) else _INVARIANT


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


def _seen_as_abstract(origin: Any, args: tuple[Any, ...], base: type) -> tuple[Any, ...] | None:
    """A mapping seen as an iterable is an iterable of its keys; a tuple one of all its items, a text of texts."""
    if origin in _ITEMS:
        return (_ITEMS[origin],)
    if not args:
        return None
    if isinstance(origin, type) and issubclass(origin, tuple):
        items = tuple(a for a in args if a is not Ellipsis)
        return (typing.Union[items],)  # noqa: UP007 - built at run time
    if len(args) == 2 and not issubclass(base, abc.Mapping) and not issubclass(base, dict):
        return args[:1]
    return args


def _class_of(annotation: Any) -> Any:
    """The class of `X[...]`, also of a pydantic model with type arguments, which is a class of its own."""
    generic = getattr(annotation, "__pydantic_generic_metadata__", None)
    if generic and generic["origin"]:
        return generic["origin"]
    return get_origin(annotation) or annotation


def _args_of(annotation: Any) -> tuple[Any, ...]:
    generic = getattr(annotation, "__pydantic_generic_metadata__", None)
    return generic["args"] if generic and generic["args"] else get_args(annotation)


def _is_subclass(given: Any, asked: type) -> bool:
    if not isinstance(given, type):
        return False
    # A protocol that is not checkable at run time may still be a declared parent.
    return asked in given.__mro__ or (not getattr(asked, "_is_protocol", False) and issubclass(given, asked))
