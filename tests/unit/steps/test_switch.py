"""A switch covers every member of its enum, or it cannot be built (F-8, F-85)."""

from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel

from batuta import Pipeline, PipelineTypeError, SwitchStep, step
from batuta.events import StepCompleted, StepStarted
from tests.support.runs import EventList


class Topic(Enum):
    SALES = "about buying"
    SUPPORT = "about problems"
    OTHER = "anything else"


class Empty(Enum):
    pass


class Chosen(BaseModel):
    option: Topic
    text: str = "hi"


class Ticket(BaseModel):
    kind: Topic


@step
async def sell(chosen: Chosen) -> str:
    return f"sold {chosen.text}"


@step
async def help_out(chosen: Chosen) -> int:
    return len(chosen.text)


@step
async def by_member(topic: Topic) -> str:
    return topic.name


@step
async def by_ticket(ticket: Ticket) -> str:
    return ticket.kind.name


NO_STEP: Any = len
NO_ENUM: Any = str
WORD: Any = "SALES"


async def test_the_member_decides_which_step_runs() -> None:
    """F-8: on an `option`, as an `Intention` has it."""
    switch = SwitchStep(Topic, {Topic.SALES: sell, Topic.SUPPORT: help_out, Topic.OTHER: sell}, name="route")
    sink = EventList()
    assert (await Pipeline("p", switch).run(Chosen(option=Topic.SUPPORT), sink=sink)).value == 2
    assert sink.paths(StepStarted) == ["p", "p/route", "p/route/help_out"]
    noted = next(event for event in sink.of(StepCompleted) if event.path == "p/route")
    assert noted.attributes == {"option": "SUPPORT", "route": "help_out"}
    assert (await switch.run(Chosen(option=Topic.OTHER))).value == "sold hi"


async def test_a_switch_may_route_on_the_member_itself() -> None:
    """F-85"""
    assert (await SwitchStep(Topic, {}, default=by_member).run(Topic.SALES)).value == "SALES"


async def test_a_switch_may_be_told_how_to_read_the_member() -> None:
    """F-85"""
    switch = SwitchStep(Topic, {}, default=by_ticket, on=lambda ticket: ticket.kind)
    assert (await switch.run(Ticket(kind=Topic.OTHER))).value == "OTHER"


async def test_an_input_of_any_type_is_read_as_it_comes() -> None:
    @step
    async def show(value: Any) -> str:
        return str(value)

    switch = SwitchStep(Topic, {}, default=show)
    assert (await switch.run(Topic.SALES)).value == "Topic.SALES"
    assert "option" in (await switch.run(Chosen(option=Topic.SALES))).value


def test_the_output_is_one_of_what_the_cases_give() -> None:
    switch = SwitchStep(Topic, {Topic.SALES: sell}, default=help_out)
    assert switch.output_type == str | int

    @step
    async def gives_nothing(chosen: Chosen) -> None: ...

    @step
    async def gives_anything(chosen: Chosen) -> Any: ...

    assert SwitchStep(Topic, {Topic.SALES: sell}, default=gives_nothing).output_type == str | None
    assert SwitchStep(Topic, {Topic.SALES: sell}, default=gives_anything).output_type is Any


@pytest.mark.parametrize("member", ["SALES", None, Topic])
async def test_what_is_no_member_fails_the_step(member: Any) -> None:
    switch = SwitchStep(Topic, {}, default=by_ticket, on=lambda _: member, name="route")
    error = (await Pipeline("p", switch).run(Ticket(kind=Topic.OTHER))).error
    assert error.path == "p/route"
    assert "is no member of Topic" in error.message


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (
            lambda: SwitchStep(Topic, {Topic.SALES: sell}),
            "switch: no case for SUPPORT, OTHER of Topic; add it, or give",
        ),
        (lambda: SwitchStep(Topic, {WORD: sell}, default=sell), "switch: 'SALES' is no member of Topic"),
        (lambda: SwitchStep(Topic, {Topic.SALES: NO_STEP}, default=sell), "switch: the case SALES is no step but"),
        (lambda: SwitchStep(Topic, {}, default=NO_STEP), "switch: the default is no step but"),
        (lambda: SwitchStep(Empty, {}, default=sell), "switch: a switch needs an enum with members"),
        (lambda: SwitchStep(NO_ENUM, {}, default=sell), "switch: a switch needs an enum with members"),
        (
            lambda: SwitchStep(Topic, {}, default=by_ticket),
            "cannot read a member of Topic off Ticket; say how with `on`",
        ),
        (
            lambda: SwitchStep(Topic, {Topic.SALES: sell}, default=by_ticket),
            "its cases do not take the same input: sell takes Chosen, by_ticket takes Ticket",
        ),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_a_switch_that_cannot_work_is_refused_when_built(build: Any, reason: str) -> None:
    """F-8"""
    with pytest.raises(PipelineTypeError, match=reason):
        build()
