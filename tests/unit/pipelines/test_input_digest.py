"""Inputs are told from one another by what they hold, the same way in every process."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest
from pydantic import BaseModel

from batuta import MemoryJournal, Pipeline, action
from batuta.kernel.errors import JournalMismatchError
from batuta.pipelines.input_digest import digest_of
from batuta.pipelines.journal import RUN_INPUT, Effect, Recorded


class Order:
    def __init__(self, number: int) -> None:
        self.number = number

    @cached_property
    def label(self) -> str:
        return f"order {self.number}"


class PrivateOrder:
    def __init__(self, number: int) -> None:
        self._number = number

    @property
    def number(self) -> int:
        return self._number


class SlottedOrder:
    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class OtherOrder(Order): ...


@dataclass
class Envelope:
    number: int
    content: Any


class Stateless: ...


class Locked:
    def __init__(self, number: int) -> None:
        self.number = number
        self.lock = threading.Lock()


def envelope(number: int) -> Envelope:
    return Envelope(1, Order(number))


MAKERS: list[Callable[[int], Any]] = [Order, PrivateOrder, SlottedOrder, envelope, lambda n: {"orders": [Order(n)]}]
UNKNOWN: list[Callable[[int], Any]] = [
    Locked,
    lambda n: Stateless(),
    lambda n: lambda: n,
    lambda n: iter([n]),
    lambda n: object(),
]


@action(mode="idempotent")
async def charge(order: Any) -> str:
    inside = getattr(order, "content", order)
    inside = inside["orders"][0] if isinstance(inside, dict) else inside
    return f"charged {getattr(inside, 'number', '?')}"


@pytest.mark.parametrize("make", MAKERS)
def test_equal_content_has_one_digest_and_other_content_another(make: Callable[[int], Any]) -> None:
    assert digest_of(make(1)) == digest_of(make(1)) is not None
    assert digest_of(make(1)) != digest_of(make(2))


def test_the_class_counts_and_what_is_cached_does_not() -> None:
    seen = Order(1)
    assert seen.label == "order 1"
    assert digest_of(seen) == digest_of(Order(1)) != digest_of(OtherOrder(1))


@pytest.mark.parametrize("make", UNKNOWN)
def test_what_could_not_be_known_again_has_no_digest(make: Callable[[int], Any]) -> None:
    assert digest_of(make(1)) is None


def test_what_holds_itself_has_no_digest() -> None:
    ring = Order(1)
    ring.number = ring  # type: ignore[assignment]
    assert digest_of(ring) is None


def test_an_iterator_is_not_used_up() -> None:
    numbers = iter([1, 2])
    assert digest_of(numbers) is None
    assert list(numbers) == [1, 2]


def test_another_process_comes_to_the_same_digest() -> None:
    script = "from tests.unit.pipelines.test_input_digest import *; print(digest_of(envelope(7)))"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == digest_of(envelope(7))


class Labels(BaseModel):
    names: frozenset[str]


WORDS = ("late", "urgent", "paid", "abroad", "returned", "new")
HOLDING_SETS: dict[str, Callable[[], Any]] = {
    "a set": lambda: {*WORDS},
    "a model": lambda: Labels(names=frozenset(WORDS)),
    "a data class": lambda: Envelope(1, {"all": [frozenset((word, "x") for word in WORDS)]}),
    "an object": lambda: Order(frozenset(WORDS)),  # type: ignore[arg-type] # whatever it holds
}


def test_the_order_of_a_set_is_no_part_of_it() -> None:
    """It is another one in each process: a batch would do again what another process did."""
    names = "tests.unit.pipelines.test_input_digest"
    script = f"from {names} import *; print(*[digest_of(make()) for make in HOLDING_SETS.values()])"
    told = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={**os.environ, **seed}
        ).stdout
        for seed in ({"PYTHONHASHSEED": str(number)} for number in range(1, 4))
    }
    assert len(told) == 1
    assert len({*told.pop().split()} - {"None"}) == len(HOLDING_SETS)


def test_sets_that_hold_something_else_are_told_apart() -> None:
    assert digest_of(Labels(names=frozenset({"late"}))) != digest_of(Labels(names=frozenset({"paid"})))
    assert digest_of({"a": {1, 2}}) != digest_of({"a": {1, 3}})


@pytest.mark.parametrize("make", MAKERS)
async def test_a_journal_is_refused_to_another_input_that_is_no_json(make: Callable[[int], Any]) -> None:
    pipeline, journal = Pipeline("p", charge), MemoryJournal()
    assert (await pipeline.run(make(1), journal=journal)).value == "charged 1"
    assert (await pipeline.run(make(1), journal=journal)).value == "charged 1"
    error = (await pipeline.run(make(2), journal=journal)).error
    assert isinstance(error.exception, JournalMismatchError)
    assert "another input" in error.message


@pytest.mark.parametrize("make", MAKERS)
async def test_a_batch_goes_on_with_the_rest_of_inputs_that_are_no_json(make: Callable[[int], Any]) -> None:
    pipeline, journal = Pipeline("p", charge), MemoryJournal()
    first = [r.value async for r in pipeline.map([make(1), make(2)], journal=journal)]
    second = [r.value async for r in pipeline.map([make(2), make(3)], journal=journal)]
    assert [first, second] == [["charged 1", "charged 2"], ["charged 2", "charged 3"]]
    assert len(journal) == 3


@pytest.mark.parametrize("make", UNKNOWN)
async def test_an_input_that_cannot_be_known_again_has_a_journal_to_itself(make: Callable[[int], Any]) -> None:
    pipeline, journal, batch = Pipeline("p", charge), MemoryJournal(), MemoryJournal()
    assert not (await pipeline.run(make(1), journal=journal)).is_error
    again = await pipeline.run(make(1), journal=journal)
    assert isinstance(again.error.exception, JournalMismatchError)
    assert "dataclass or a pydantic model), or use a new journal" in again.error.message
    assert not any([r.is_error async for r in pipeline.map([make(1), make(2)], journal=batch)])
    assert all([r.is_error async for r in pipeline.map([make(2), make(3)], journal=batch)])


async def test_a_known_input_does_not_take_over_the_journal_of_an_unknown_one() -> None:
    for first, second in ((Locked(1), Order(1)), (Order(1), Locked(1))):
        pipeline, journal = Pipeline("p", charge), MemoryJournal()
        await pipeline.run(first, journal=journal)
        assert (await pipeline.run(second, journal=journal)).is_error


async def test_a_journal_that_was_begun_without_a_digest_is_still_read() -> None:
    """A run or a batch of an earlier version is taken up again and does nothing twice."""
    charged: list[int] = []

    @action(mode="idempotent")
    async def count(order: Order) -> str:
        charged.append(order.number)
        return f"charged {order.number}"

    pipeline, journal = Pipeline("p", count), MemoryJournal()
    for place in ("", "input 1/"):
        run_input = Effect(key=f"{place}p:{RUN_INPUT}", kind="read", name=RUN_INPUT)
        await journal.record(run_input, {"digest": None, "run_key": "before"})
        journal._known[f"{place}p/count:count"] = Recorded("charged before")
    assert (await pipeline.run(Order(1), journal=journal)).value == "charged before"
    results = [r.value async for r in pipeline.map([Order(1), Order(2)], journal=journal)]
    assert results == ["charged before", "charged 2"]
    assert charged == [2]
