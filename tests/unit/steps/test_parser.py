"""From text to typed objects: four strategies in order, no retry, bounded whatever the text (F-10)."""

import sys
import time
from typing import Annotated, Any

import json_repair
import pytest
from pydantic import BaseModel, Field

from batuta import ParserStep, Pipeline, parse_json, step
from batuta.events import StepCompleted
from batuta.kernel.errors import ErrorCategory, InvalidAnswerError, NoJsonFoundError
from batuta.steps.parser import MAX_TEXT, REPAIR_SECONDS
from tests.support.runs import EventList
from tests.unit.steps.parser_corpus import Case, Item, Order, failing_cases, found_cases

FOUND = list(found_cases())
FAILING = list(failing_cases())


def by_name(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", FOUND, ids=by_name)
def test_what_a_text_holds_is_found_by_the_first_strategy_that_can(case: Case) -> None:
    """F-10: direct, fenced, embedded, cleaned."""
    parsed = parse_json(case.text, case.into)
    assert parsed.strategy == case.strategy
    if case.value is not None:
        assert parsed.value == case.value


@pytest.mark.parametrize("case", FAILING, ids=by_name)
def test_what_a_text_does_not_hold_is_a_validation_error_in_good_time(case: Case) -> None:
    """F-10: also for a hostile text; a correction loop can act on it (F-70)."""
    assert case.fails is not None
    started = time.process_time()
    with pytest.raises(case.fails) as raised:
        parse_json(case.text, case.into)
    assert time.process_time() - started < REPAIR_SECONDS + 2
    assert raised.value.category is ErrorCategory.VALIDATION
    assert len(str(raised.value)) < 2_000


def test_the_corpus_is_large_enough() -> None:
    names = [case.name for case in (*FOUND, *FAILING)]
    assert len(names) >= 150
    assert len(set(names)) == len(names)


def test_a_mismatch_names_each_place() -> None:
    with pytest.raises(InvalidAnswerError, match=r"customer: Field required; items\.0\.sku: Field required"):
        parse_json('{"items": [{}]}', Order)


def test_an_answer_that_is_json_as_a_whole_is_not_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else can be found in it, and a repair would cost more than all the rest."""
    monkeypatch.setattr(json_repair, "loads", pytest.fail)
    with pytest.raises(InvalidAnswerError, match="quantity"):
        parse_json('{"sku": "a", "quantity": "many"}', Item)


def test_a_thousand_mismatches_are_not_all_told() -> None:
    with pytest.raises(InvalidAnswerError, match=r"0: Input should be .*; and 980 more$"):
        parse_json(str(["x"] * 1000).replace("'", '"'), list[int])


def test_a_text_beyond_the_limit_is_refused() -> None:
    with pytest.raises(InvalidAnswerError, match=f"at most {MAX_TEXT} are parsed"):
        parse_json(" " * (MAX_TEXT + 1), int)


def test_a_repair_leaves_a_profiler_as_it_was() -> None:
    def profiler(*_: Any) -> None: ...

    sys.setprofile(profiler)
    try:
        parse_json("{'a': 1}", dict[str, int])
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)


def test_a_type_that_cannot_be_remembered_is_taken_too() -> None:
    unhashable = Annotated[int, Field(json_schema_extra={"x": []}), []]
    assert parse_json("3", unhashable).value == 3


async def test_a_parser_step_tells_which_strategy_was_used() -> None:
    """F-10"""

    @step
    async def answer(value: int) -> str:
        return f"Sure! {{'sku': 'A', 'quantity': {value},}}"

    sink = EventList()
    pipeline = Pipeline("p", answer >> ParserStep(Item))
    assert (await pipeline.run(3, sink=sink)).value == Item(sku="A", quantity=3)
    told = next(event for event in sink.of(StepCompleted) if event.path == "p/parse")
    assert told.attributes == {"strategy": "cleaned"}


async def test_a_parser_step_never_asks_again() -> None:
    """F-10: it fails at once, as a validation error."""
    calls: list[int] = []

    @step
    async def answer(value: int) -> str:
        calls.append(value)
        return "no JSON"

    error = (await Pipeline("p", answer >> ParserStep(Item)).run(1)).error
    assert (error.category, error.code, error.path) == (ErrorCategory.VALIDATION, "JSON_INVALID", "p/parse")
    assert isinstance(error.exception, NoJsonFoundError)
    assert calls == [1]


def test_a_parser_step_has_the_type_it_parses_into() -> None:
    class Found(BaseModel):
        n: int

    parser = ParserStep(Found, name="read")
    assert (parser.name, parser.input_type, parser.output_type) == ("read", str, Found)
