"""Right and wrong compositions, as users write them (F-1).

Checked by two static checkers: the right ones pass, the wrong ones need their `type: ignore`. Run by
`tests/typing/test_compositions.py`: the right ones build, the wrong ones raise `PipelineTypeError`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Generic, Literal, NewType, Protocol, TypedDict, TypeVar

from pydantic import BaseModel, Field

from batuta import Branch, Context, ParallelStep, ParserStep, Pipeline, Step, StepResult, SwitchStep, action, step

T = TypeVar("T")
UserId = NewType("UserId", int)


class Order(BaseModel):
    sku: str = ""


class PricedOrder(Order):
    total: float = 0.0


class Page(BaseModel, Generic[T]):
    items: list[T] = []


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Row(TypedDict):
    name: str


class Priced(Protocol):
    @property
    def total(self) -> float: ...

    def tax(self) -> float: ...


class Invoice(BaseModel):
    total: float = 0.0

    def tax(self) -> float:
        return self.total * 0.2


@step
async def start(text: str) -> str:
    return text


@step
async def to_int(text: str) -> int:
    return len(text)


@step
async def to_bool(text: str) -> bool:
    return bool(text)


@step
async def to_order(text: str) -> Order:
    return Order(sku=text)


@step
async def to_priced(text: str) -> PricedOrder:
    return PricedOrder(sku=text)


@step
async def to_optional(text: str) -> int | None:
    return len(text) or None


@step
async def to_union(text: str) -> int | str:
    return text


@step
async def to_nothing(text: str) -> None: ...


@step
async def to_ints(text: str) -> list[int]:
    return [len(text)]


@step
async def to_bools(text: str) -> list[bool]:
    return [bool(text)]


@step
async def to_dict(text: str) -> dict[str, int]:
    return {text: 1}


@step
async def to_pair(text: str) -> tuple[int, str]:
    return (1, text)


@step
async def to_user_id(text: str) -> UserId:
    return UserId(len(text))


@step
async def to_yes(text: str) -> Literal["yes"]:
    return "yes"


@step
async def to_color(text: str) -> Color:
    return Color(text)


@step
async def to_page_of_ints(text: str) -> Page[int]:
    return Page[int]()


@step
async def to_row(text: str) -> Row:
    return {"name": text}


@step
async def to_invoice(text: str) -> Invoice:
    return Invoice()


@step
async def to_short(text: str) -> Annotated[str, Field(max_length=3)]:
    return text[:3]


@step
async def to_any(text: str) -> Any:
    return text


@step
async def to_result(text: str) -> StepResult[int]:
    return StepResult.of(len(text))


@step
async def with_context(text: str, ctx: Context) -> int:
    return len(ctx.path)


@step
async def take_int(value: int) -> str:
    return str(value)


@step
async def take_float(value: float) -> str:
    return str(value)


@step
async def take_order(order: Order) -> str:
    return order.sku


@step
async def take_priced_order(order: PricedOrder) -> str:
    return order.sku


@step
async def take_optional(value: int | None) -> str:
    return str(value)


@step
async def take_union(value: int | str | None) -> str:
    return str(value)


@step
async def take_ints(values: list[int]) -> str:
    return str(values)


@step
async def take_sequence(values: Sequence[float]) -> str:
    return str(values)


@step
async def take_texts(values: Iterable[str]) -> str:
    return "".join(values)


@step
async def take_mapping(values: Mapping[str, float]) -> str:
    return str(values)


@step
async def take_numbers(pair: tuple[int, int]) -> str:
    return str(pair)


@step
async def take_user_id(value: UserId) -> str:
    return str(value)


@step
async def take_yes_or_no(value: Literal["yes", "no"]) -> str:
    return value


@step
async def take_red(value: Literal[Color.RED]) -> str:
    return value.name


@step
async def take_page_of_texts(page: Page[str]) -> str:
    return "".join(page.items)


@step
async def take_page_of_ints(page: Page[int]) -> str:
    return str(page.items)


@step
async def take_row(row: Row) -> str:
    return row["name"]


@step
async def take_priced(priced: Priced) -> str:
    return str(priced.tax())


@step
async def take_object(value: object) -> str:
    return str(value)


@step
async def take_color(color: Color) -> str:
    return color.name


@action(mode="idempotent")
async def save_order(order: Order) -> None: ...


text_pipeline = Pipeline("p", start)
switch = SwitchStep(Color, {Color.RED: take_color}, default=take_color.named("other"))
fan_out = ParallelStep(Order, [Branch(to_int, merge=lambda order, value: setattr(order, "sku", str(value)))])

RIGHT: dict[str, Callable[[], Step[str, Any]]] = {
    "same type": lambda: start >> to_int,
    "int for float": lambda: to_int >> take_float,
    "bool for int": lambda: to_bool >> take_int,
    "bool for float": lambda: to_bool >> take_float,
    "subclass": lambda: to_priced >> take_order,
    "optional for optional": lambda: to_optional >> take_optional,
    "value for optional": lambda: to_int >> take_optional,
    "nothing for optional": lambda: to_nothing >> take_optional,
    "union for wider union": lambda: to_union >> take_union,
    "list for same list": lambda: to_ints >> take_ints,
    "list for sequence": lambda: to_ints >> take_sequence,
    "text for iterable of texts": lambda: start >> take_texts,
    "dict for mapping": lambda: to_dict >> take_mapping,
    "new type for its base": lambda: to_user_id >> take_int,
    "new type for itself": lambda: to_user_id >> take_user_id,
    "literal for wider literal": lambda: to_yes >> take_yes_or_no,
    "literal for its type": lambda: to_yes >> to_int,
    "generic model for itself": lambda: to_page_of_ints >> take_page_of_ints,
    "typed dict for itself": lambda: to_row >> take_row,
    "model for protocol": lambda: to_invoice >> take_priced,
    "annotated for plain": lambda: to_short >> start,
    "anything for object": lambda: to_ints >> take_object,
    "any for int": lambda: to_any >> take_int,
    "value of a result": lambda: to_result >> take_int,
    "with context": lambda: with_context >> take_int,
    "action passes on": lambda: to_order >> save_order >> take_order,
    "action passes on the subclass": lambda: to_priced >> save_order,
    "parser": lambda: start >> ParserStep(Order) >> take_order,
    "switch": lambda: to_color >> switch >> to_int,
    "parallel": lambda: start >> fan_out >> take_order,
    "pipeline": lambda: Pipeline("p", start >> to_int) >> take_int,
}

WRONG: dict[str, Callable[[], Any]] = {
    "int for text": lambda: to_int >> start,  # type: ignore[operator]
    "float step for int": lambda: Pipeline("p", to_order) >> take_float,  # type: ignore[operator]
    "base for subclass": lambda: to_order >> take_priced_order,  # type: ignore[operator]
    "optional for value": lambda: to_optional >> take_int,  # type: ignore[operator]
    "union for one of it": lambda: to_union >> take_int,  # type: ignore[operator]
    "nothing for value": lambda: to_nothing >> take_int,  # type: ignore[operator]
    "list of bool for list of int": lambda: to_bools >> take_ints,  # type: ignore[operator]
    "list of int for iterable of texts": lambda: to_ints >> take_texts,  # type: ignore[operator]
    "text for sequence of numbers": lambda: start >> take_sequence,  # type: ignore[operator]
    "dict for list": lambda: to_dict >> take_ints,  # type: ignore[operator]
    "list for mapping": lambda: to_ints >> take_mapping,  # type: ignore[operator]
    "pair of other types": lambda: to_pair >> take_numbers,  # type: ignore[operator]
    "int for new type": lambda: to_int >> take_user_id,  # type: ignore[operator]
    "text for literal": lambda: start >> take_yes_or_no,  # type: ignore[operator]
    "enum for one member": lambda: to_color >> take_red,  # type: ignore[operator]
    "generic model of another type": lambda: to_page_of_ints >> take_page_of_texts,  # type: ignore[operator]
    "dict for typed dict": lambda: to_dict >> take_row,  # type: ignore[operator]
    "typed dict for mapping of numbers": lambda: to_row >> take_mapping,  # type: ignore[operator]
    "model without the members of a protocol": lambda: to_order >> take_priced,  # type: ignore[operator]
    "annotated for another type": lambda: to_short >> take_int,  # type: ignore[operator]
    "value of a result of another type": lambda: to_result >> start,  # type: ignore[operator]
    "action of another type": lambda: to_int >> save_order,  # type: ignore[operator]
    "parser of another type": lambda: start >> ParserStep(Order) >> take_int,  # type: ignore[operator]
    "parser after a model": lambda: to_order >> ParserStep(Order),  # type: ignore[operator]
    "switch after another type": lambda: to_int >> switch,  # type: ignore[operator]
    "after a switch": lambda: switch >> take_int,  # type: ignore[operator]
    "parallel after another type": lambda: to_int >> fan_out,  # type: ignore[operator]
    "after a parallel": lambda: fan_out >> take_int,  # type: ignore[operator]
    "pipeline after another type": lambda: to_int >> text_pipeline,  # type: ignore[operator]
    "in the middle of a chain": lambda: (start >> to_int) >> (start >> to_order),  # type: ignore[operator]
    "a function": lambda: start >> len,  # type: ignore[operator]
}
