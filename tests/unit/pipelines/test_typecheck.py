"""What fits what, when a pipeline is built: the same answer as a static checker's (F-1)."""

import collections
import enum
from collections.abc import Callable, Collection, Iterable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, List, Literal, NamedTuple, NewType, Optional, Protocol, TypedDict, TypeVar  # noqa: UP035

import pytest
from pydantic import BaseModel

from batuta.pipelines.typecheck import fits, type_name

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
T_contra = TypeVar("T_contra", contravariant=True)


class Order(BaseModel):
    sku: str


class Priced(Order):
    total: float


class Page(BaseModel, Generic[T]):
    items: list[T]


class Box(Generic[T]): ...


class Source(Generic[T_co]): ...


class Drain(Generic[T_contra]): ...


class OrderBox(Box[Order]): ...


class Ints(list[int]): ...


class Named(Protocol):
    sku: str

    def show(self) -> str: ...


class Shown(Order):
    def show(self) -> str:
        return self.sku


class ShownWithoutSku(BaseModel):
    def show(self) -> str:
        return ""


@dataclass
class ShownData:
    sku: str

    def show(self) -> str:
        return self.sku


class SetsInInit:
    def __init__(self) -> None:
        self.sku = "x"

    def show(self) -> str:
        return self.sku


class DeclaredNamed(Named):
    sku = "x"


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Point(NamedTuple):
    x: int
    y: int


class Small(TypedDict):
    a: int


class Big(Small):
    b: str


class Loose(TypedDict, total=False):
    a: int


UserId = NewType("UserId", int)
AdminId = NewType("AdminId", UserId)

FITS: list[tuple[Any, Any]] = [
    (int, int), (bool, int), (int, float), (bool, float), (int, complex), (Priced, Order), (Order, object),
    (Order, Any), (Any, Order), (None, None), (type(None), None), (None, int | None), (int, Optional[int]),  # noqa: UP045
    (int | None, int | None), (int | str, str | int | None), (bool | int, int), (Annotated[int, "x"], int),
    (int, Annotated[int, "x"]), (UserId, int), (AdminId, UserId), (AdminId, int), (Literal["a"], str),
    (Literal["a"], Literal["a", "b"]), (Literal["a", 1], str | int), (bool, Literal[True, False]),
    (bool, Literal[True] | Literal[False]), (Color, Literal[Color.RED, Color.BLUE]), (Literal[Color.RED], Color),
    (list[int], list[int]), (list, list[int]), (List, list[int]), (list[int], list), (list[Any], list[int]),  # noqa: UP006
    (list[bool], Sequence[int]), (list[int], Iterable[float]), (list[int], Collection[int]), (Ints, list[int]),
    (Ints, Sequence[int]), (dict[str, bool], Mapping[str, int]), (dict[str, int], Iterable[str]),
    (collections.defaultdict[str, int], dict[str, int]), (collections.Counter[str], Mapping[str, int]),
    (tuple[int, str], tuple[int, str]), (tuple[bool, str], tuple[int, str]), (tuple[int, int], tuple[int, ...]),
    (tuple[int, str], Sequence[int | str]), (tuple, tuple[int, int]), (Point, tuple[int, int]), (set[int], set[int]),
    (frozenset[bool], collections.abc.Set[int]), (str, Sequence[str]), (str, Iterable[str]), (bytes, Iterable[int]),
    (range, Sequence[int]), (type[bool], type[int]), (Page[int], Page[int]), (Page[int], Page[Any]),
    (Page[int], BaseModel), (Page[int], Page), (Box[int], Box[int]), (Box, Box[int]), (OrderBox, Box[Order]),
    (Source[bool], Source[int]), (Drain[int], Drain[bool]), (Shown, Named), (ShownData, Named), (SetsInInit, Named),
    (DeclaredNamed, Named), (Big, Small), (Small, Mapping[str, object]), (Small, Mapping),
    (Callable[[int], str], Callable[[int], str]),
    (T, int), (int, T), (Color, Color), (Color, Color | None),
]  # fmt: skip

DOES_NOT_FIT: list[tuple[Any, Any]] = [
    (int, str), (float, int), (int, bool), (Order, Priced), (object, Order), (None, int), (int | None, int),
    (int | str, int), (int, UserId), (UserId, AdminId), (Annotated[int, "x"], str), (str, Literal["a"]),
    (Literal["a", "b"], Literal["a"]), (Literal[1], Literal[True]), (Literal["a"], int), (bool, Literal[True]),
    (Color, Literal[Color.RED]), (Color, int), (list[bool], list[int]), (list[int], list[str]), (list[int], set[int]),
    (list[bool], MutableSequence[int]), (Sequence[int], list[int]), (Ints, Sequence[str]), (Ints, list[str]),
    (dict[str, int], dict[str, float]), (dict[bool, int], Mapping[int, int]), (dict[str, int], Iterable[int]),
    (collections.OrderedDict[str, int], dict[str, str]), (tuple[int, str], tuple[int, int]),
    (tuple[int, int], tuple[int, int, int]), (tuple[int, ...], tuple[int, int]), (tuple[int, str], Sequence[int]),
    (tuple[str, ...], tuple[int, ...]), (str, Sequence[int]), (bytes, Iterable[str]), (range, Sequence[str]),
    (type[int], type[bool]),
    (Page[int], Page[str]), (Page[bool], Page[int]), (Order, Page[int]), (Box[bool], Box[int]), (OrderBox, Box[str]),
    (Source[int], Source[bool]), (Drain[bool], Drain[int]), (Order, Named), (ShownWithoutSku, Named), (Small, Big),
    (Small, Loose), (Small, dict[str, Any]), (dict[str, int], Small), (Small, Mapping[str, int]), (Order, Small),
    (Literal["a", 1], str),
]  # fmt: skip


def spoken(case: Any) -> str:
    return type_name(case)


@pytest.mark.parametrize(("given", "asked"), FITS, ids=spoken)
def test_a_type_that_fits_is_accepted(given: Any, asked: Any) -> None:
    """F-1"""
    assert fits(given, asked)


@pytest.mark.parametrize(("given", "asked"), DOES_NOT_FIT, ids=spoken)
def test_a_type_that_does_not_fit_is_refused(given: Any, asked: Any) -> None:
    """F-1"""
    assert not fits(given, asked)


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (None, "None"),
        (type(None), "None"),
        (int | None, "int | None"),
        (list[int | str], "list[int | str]"),
        (Literal["a", 1], "Literal['a', 1]"),
        (tuple[int, ...], "tuple[int, ...]"),
        (Page[int], "Page[int]"),
        (dict[str, Order], "dict[str, Order]"),
        (UserId, "UserId"),
        (Any, "Any"),
    ],
)
def test_types_are_named_as_people_write_them(annotation: Any, name: str) -> None:
    assert type_name(annotation) == name
