"""Steps are made of async functions with types, compose with >>, and are run by the runner alone (F-1, F-2, F-5)."""

import functools
import re
from datetime import timedelta
from typing import Any, Generic, TypeVar

import pytest
from pydantic import BaseModel

from batuta import Context, Pipeline, PipelineTypeError, Step, StepResult, step
from batuta.kernel.errors import ErrorCategory
from batuta.pipelines.step import Chain

T = TypeVar("T")


class Order(BaseModel):
    sku: str


@step
async def parse(text: str) -> Order:
    """Read an order."""
    return Order(sku=text)


@step
async def count(order: Order) -> int:
    return len(order.sku)


@step
async def shout(text: str, ctx: Context) -> str:
    return f"{text.upper()} at {ctx.path}"


def test_name_types_and_docstring_come_from_the_function() -> None:
    """F-2"""
    assert (parse.name, parse.input_type, parse.output_type) == ("parse", str, Order)
    assert parse.__doc__ == "Read an order."
    assert repr(parse) == "FunctionStep('parse': str -> Order)"


async def test_a_function_may_ask_for_its_context() -> None:
    """F-2"""
    assert (await shout.run("hi")).value == "HI at shout"


async def test_every_step_can_be_run_by_itself() -> None:
    """F-85"""
    result = await (parse >> count).run("abc")
    assert result.value == 3


def test_options_of_the_decorator_are_taken() -> None:
    @step(name="slow", timeout=2)
    async def work(value: int) -> int:
        return value

    assert (work.name, work.timeout) == ("slow", timedelta(seconds=2))


async def test_a_step_may_fail_without_raising() -> None:
    """F-3, F-85: `StepResult[T]` as a return type gives a `Step[In, T]`."""

    @step
    async def half(value: int) -> StepResult[int]:
        return (
            StepResult.of(value // 2)
            if value % 2 == 0
            else StepResult.from_error("odd", category=ErrorCategory.VALIDATION)
        )

    assert half.output_type is int
    assert (await half.run(4)).value == 2
    failed = await Pipeline("p", half).run(3)
    assert (failed.error.message, failed.error.path, failed.error.category) == ("odd", "p/half", "validation")


async def test_a_bare_step_result_says_nothing_about_its_type() -> None:
    @step
    async def anything(value: int) -> StepResult:  # type: ignore[type-arg]
        return StepResult.of("text")

    assert anything.output_type is Any


def test_a_step_of_nothing_is_not_taken_for_a_step_of_anything() -> None:
    """F-1: `-> None` is a type like any other."""

    @step
    async def log(text: str) -> None: ...

    with pytest.raises(PipelineTypeError, match=r"'log' gives None, but 'count' takes Order"):
        log >> count  # type: ignore[operator]


def test_a_step_object_cannot_be_called() -> None:
    """F-5: there is no public way to run a step around the runner."""
    for one in (parse, parse >> count, Pipeline("p", parse)):
        assert not callable(one)


def test_annotations_may_name_what_is_local() -> None:
    class Local(BaseModel):
        n: int

    async def make(value: "int") -> "Local":
        return Local(n=value)

    assert step(make).output_type is Local


async def sync_in_disguise(value: int, *, ctx: Context) -> int:
    return value


async def many(*values: int) -> int:
    return len(values)


async def no_parameters() -> int:
    return 1


async def three(a: int, b: int, c: int) -> int:
    return a


async def unannotated(value) -> int:  # type: ignore[no-untyped-def]
    return int(value)


async def returns_something(value: int):  # type: ignore[no-untyped-def]
    return value


async def second_is_no_context(value: int, factor: int) -> int:
    return value * factor


async def unknown_name(value: "Nowhere") -> int:  # type: ignore[name-defined] # noqa: F821
    return 1


async def broken_annotation(value: "int |") -> int:  # type: ignore[valid-type] # noqa: F722
    return 1


async def generator(value: int) -> Any:
    yield value


def plain(value: int) -> int:
    return value


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (plain, "plain: a step is made of an async function; write `async def plain(...)`"),
        (generator, "generator: a step is made of an async function"),
        (lambda value: value, "<lambda>: a step is made of an async function"),
        (42, "int: a step is made of an async function"),
        (no_parameters, "no_parameters: a step takes one value, and a Context if it wants one; got 0"),
        (three, "three: a step takes one value, and a Context if it wants one; got 3"),
        (many, "many: a step is called with its value and Context in order; '*values: int' does not fit"),
        (sync_in_disguise, "sync_in_disguise: a step is called with its value and Context in order"),
        (unannotated, "unannotated: parameter 'value' has no type annotation"),
        (returns_something, "returns_something: the return type is not annotated"),
        (second_is_no_context, "second_is_no_context: the second parameter of a step is its Context"),
        (unknown_name, "unknown_name: its annotations cannot be read: name 'Nowhere' is not defined"),
        (broken_annotation, "broken_annotation: its annotations cannot be read"),
        (functools.partial(three, 1, 2), "partial: parameter 'c' has no type annotation"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_a_function_that_is_no_step_is_refused_with_its_name_and_the_reason(function: Any, reason: str) -> None:
    """F-2, bad input"""
    with pytest.raises(PipelineTypeError, match=re.escape(reason)):
        step(function)


@pytest.mark.parametrize("name", ["", "a/b", "tab\t", "line\n"])
def test_a_name_that_would_break_a_path_is_refused(name: str) -> None:
    with pytest.raises(PipelineTypeError, match="cannot name a step"):
        parse.named(name)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), timedelta(0)])
def test_a_timeout_that_is_none_is_refused(timeout: float | timedelta) -> None:
    with pytest.raises(PipelineTypeError, match="slow: a timeout is a number of seconds above zero"):
        step(name="slow", timeout=timeout)(plain_async)


async def plain_async(value: int) -> int:
    return value


def test_a_mismatch_names_both_steps_and_both_types() -> None:
    """F-1"""
    with pytest.raises(PipelineTypeError, match=r"count >> parse: 'count' gives int, but 'parse' takes str"):
        count >> parse  # type: ignore[operator]


@pytest.mark.parametrize("other", [len, plain_async, None, "parse"])
def test_only_steps_compose(other: Any) -> None:
    with pytest.raises(PipelineTypeError, match="only steps compose; make a step of an async function with @step"):
        parse >> other


def test_composition_is_associative() -> None:
    """F-1: it does not matter where the brackets stand."""

    @step
    async def show(value: int) -> str:
        return str(value)

    left, right = (parse >> count) >> show, parse >> (count >> show)
    assert isinstance(left, Chain)
    assert isinstance(right, Chain)
    assert left.links == right.links == (parse, count, show)
    assert (left.input_type, left.output_type) == (str, str)


def test_a_renamed_step_is_another_one_and_leaves_the_first_as_it_is() -> None:
    again = parse.named("parse_again")
    assert (parse.name, again.name) == ("parse", "parse_again")


def test_a_subclass_declares_its_types_in_its_bases() -> None:
    class Price(Step[Order, float]):
        async def _perform(self, value: Order, ctx: Context) -> float:
            return 1.0

    class Discount(Price):
        pass

    assert (Price().input_type, Price().output_type, Price().name) == (Order, float, "Price")
    assert Discount().output_type is float


def test_a_generic_subclass_is_seen_through() -> None:
    class Swap(Step[T, str], Generic[T]):
        pass

    class SwapOrder(Swap[Order]):
        pass

    assert (SwapOrder().input_type, SwapOrder().output_type) == (Order, str)


async def test_a_step_that_says_nothing_fails_with_its_name() -> None:
    result = await Step[int, int]("empty").run(1)
    assert "empty: a step says what it does in `_perform`" in result.error.message
