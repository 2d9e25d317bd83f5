"""The worst case of a pipeline, before anything runs; what has no bound is named (F-13)."""

from datetime import timedelta
from decimal import Decimal
from enum import Enum

import pytest

from batuta import Branch, Context, ParallelStep, Pipeline, SwitchStep, action, step
from batuta.pipelines.bounds import Bounds
from batuta.pipelines.runner import DRAIN_LIMIT

SECOND = timedelta(seconds=1)


@step(timeout=1)
async def one(value: int) -> int:
    return value


@step
async def open_end(value: int) -> int:
    return value


class Way(Enum):
    LEFT = "left"
    RIGHT = "right"


def test_steps_in_turn_add_up() -> None:
    bounds = Pipeline("p", one >> one.named("two")).bounds()
    assert (bounds.executions, bounds.time, bounds.unbounded) == (3, 2 * SECOND, ())


def test_a_step_without_a_timeout_is_named_with_its_path() -> None:
    bounds = Pipeline("outer", one >> Pipeline("inner", open_end)).bounds()
    assert bounds.time is None
    assert bounds.unbounded == ("outer/inner/open_end: no timeout",)
    assert bounds.executions == 4


def test_a_deadline_outside_bounds_the_time_inside() -> None:
    bounds = Pipeline("p", open_end, timeout=5).bounds()
    assert (bounds.time, bounds.unbounded) == (5 * SECOND, ())
    assert Pipeline("p", one, timeout=5).bounds().time == SECOND


def test_a_function_that_may_invoke_anything_has_no_bound() -> None:
    @step(timeout=2)
    async def asks(value: int, ctx: Context) -> int:
        return value

    bounds = Pipeline("p", asks).bounds()
    assert (bounds.executions, bounds.model_calls, bounds.cost) == (None, None, None)
    assert bounds.unbounded == ("p/asks: takes a Context and does not declare what it invokes",)
    assert bounds.time == 2 * SECOND


def test_a_function_that_says_what_it_invokes_has_a_bound() -> None:
    @step(timeout=10, invokes={one: 3})
    async def asks(value: int, ctx: Context) -> int:
        return value

    @step(timeout=10, invokes={})
    async def asks_nobody(value: int, ctx: Context) -> int:
        return value

    assert asks.bounds().executions == 4
    assert asks.children() == (one,)
    assert asks_nobody.bounds().executions == 1


@pytest.mark.parametrize(("slots", "time"), [(None, 1), (1, 3), (2, 2), (3, 1), (9, 1)])
def test_branches_take_the_time_of_the_longest_or_take_turns(slots: int | None, time: int) -> None:
    branches = [Branch(one.named(name), merge=list.append) for name in "abc"]
    bounds = ParallelStep(list[int], branches, max_concurrency=slots).bounds()
    assert (bounds.executions, bounds.time) == (4, time * SECOND)


def test_a_switch_costs_as_much_as_its_worst_case() -> None:
    long = Pipeline("long", one >> one.named("two"))
    bounds = SwitchStep(Way, {Way.LEFT: one, Way.RIGHT: long}, on=lambda _: Way.LEFT).bounds()
    assert (bounds.executions, bounds.time) == (4, 2 * SECOND)


def test_rollbacks_and_background_work_are_counted_apart() -> None:
    """No deadline of the run cuts them short, so a deadline does not lower them."""

    @action(mode="transactional", timeout=1, rollback=print)
    async def reserve(value: int) -> None: ...

    @action(mode="fire_and_forget", timeout=1)
    async def notify(value: int) -> None: ...

    @action(mode="idempotent", timeout=1, reconcile=print)
    async def mark(value: int) -> None: ...

    bounds = Pipeline("p", reserve >> notify >> mark, timeout=2).bounds()
    assert bounds.executions == 1 + 2 + 2 + 2
    assert bounds.time == 2 * SECOND
    assert bounds.cleanup == 2 * DRAIN_LIMIT


def test_bounds_combine_field_by_field() -> None:
    small = Bounds(executions=1, model_calls=2, tool_rounds=3, attempts=4, cost=Decimal(1), time=SECOND, cleanup=SECOND)
    open_bounds = Bounds(model_calls=None, cost=None, unbounded=("x: no bound",))
    both = small.then(small)
    assert (both.model_calls, both.tool_rounds, both.attempts, both.cost, both.cleanup) == (
        4,
        6,
        8,
        Decimal(2),
        2 * SECOND,
    )
    assert small.or_else(small) == small
    assert small.beside(small).time == SECOND
    mixed = small.then(open_bounds)
    assert (mixed.model_calls, mixed.cost, mixed.attempts, mixed.unbounded) == (None, None, 4, ("x: no bound",))
