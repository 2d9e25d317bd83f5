"""Actions in their three modes: passed on, rolled back, drained, reconciled, replaced in a dry run (F-9, F-11)."""

import asyncio
from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel

from batuta import ActionStep, Context, MemoryJournal, Pipeline, PipelineTypeError, StepResult, action, step
from batuta.events import StepCompleted, StepFailed, StepStarted
from batuta.kernel.approvals import ApprovalDecision, ApprovalRequest
from batuta.kernel.errors import ErrorCategory
from tests.support.loops import run_in_virtual_time
from tests.support.runs import EventList, tasks_left, unbalanced


class Receipt(BaseModel):
    number: int


@step
async def fail(value: int) -> int:
    message = "no"
    raise ValueError(message)


async def test_an_action_passes_its_input_on_unless_it_returns_a_value() -> None:
    """F-9"""
    seen: list[int] = []

    @action(mode="idempotent")
    async def note(value: int) -> None:
        seen.append(value)

    @action(mode="idempotent")
    async def charge(value: int) -> Receipt:
        return Receipt(number=value)

    assert (note.output_type, charge.output_type) == (int, Receipt)
    assert (await Pipeline("p", note >> charge).run(7)).value == Receipt(number=7)
    assert seen == [7]


async def test_an_action_that_may_return_anything_does_not_pass_its_input_on() -> None:
    @action(mode="idempotent")
    async def anything(value: int) -> Any:
        return "text"

    assert (await anything.run(7)).value == "text"


async def test_an_action_may_ask_for_its_context() -> None:
    @action(mode="idempotent")
    async def where(value: int, ctx: Context) -> str:
        return ctx.path

    assert (await Pipeline("p", where).run(1)).value == "p/where"


async def test_annotations_of_an_action_may_name_what_is_local() -> None:
    class Local(BaseModel):
        n: int

    @action(mode="idempotent")
    async def make(value: "int") -> "Local":
        return Local(n=value)

    assert make.output_type is Local


async def test_an_action_may_fail_without_raising() -> None:
    """F-3: also with a journal, which keeps no failure."""

    @action(mode="idempotent")
    async def refuse(value: int) -> StepResult[int]:
        return StepResult.from_error("full", category=ErrorCategory.TRANSIENT)

    for journal in (None, MemoryJournal()):
        error = (await Pipeline("p", refuse).run(1, journal=journal)).error
        assert (error.path, error.message, error.category) == ("p/refuse", "full", "transient")


async def test_completed_transactional_actions_are_rolled_back_in_reverse_order() -> None:
    """F-9"""
    undone: list[Any] = []

    async def refund(receipt: Receipt) -> None:
        undone.append(receipt)

    @action(mode="transactional", rollback=undone.append)
    async def reserve(value: int) -> None: ...

    @action(mode="transactional", rollback=refund)
    async def charge(value: int) -> Receipt:
        return Receipt(number=value)

    @step
    async def broken(receipt: Receipt) -> int:
        raise KeyError(receipt.number)

    sink = EventList()
    result = await Pipeline("p", reserve >> charge >> broken).run(5, sink=sink)
    assert undone == [Receipt(number=5), 5]
    assert result.error.path == "p/broken"
    assert sink.paths(StepCompleted)[-2:] == ["p/charge/rollback", "p/reserve/rollback"]
    assert not unbalanced(sink.events)


async def test_an_action_that_failed_itself_is_not_rolled_back() -> None:
    undone: list[int] = []

    @action(mode="transactional", rollback=undone.append)
    async def charge(value: int) -> None:
        message = "declined"
        raise ValueError(message)

    assert (await Pipeline("p", charge).run(1)).error.path == "p/charge"
    assert not undone


async def test_a_success_undoes_nothing() -> None:
    undone: list[int] = []

    @action(mode="transactional", rollback=undone.append)
    async def reserve(value: int) -> None: ...

    assert (await Pipeline("p", reserve).run(1)).value == 1
    assert not undone


async def test_a_rollback_that_fails_is_told_and_does_not_keep_the_others_from_running() -> None:
    undone: list[str] = []

    async def cannot(_: int) -> None:
        message = "no way back"
        raise OSError(message)

    @action(mode="transactional", rollback=lambda _: undone.append("first"))
    async def first(value: int) -> None: ...

    @action(mode="transactional", rollback=cannot)
    async def second(value: int) -> None: ...

    sink = EventList()
    result = await Pipeline("p", first >> second >> fail).run(1, sink=sink)
    assert undone == ["first"]
    assert result.error.path == "p/fail"
    assert "p/second/rollback" in sink.paths(StepFailed)
    (left,) = result.error.rollback_failures
    assert (left.path, left.message) == ("p/second/rollback", "no way back")


def test_a_rollback_that_hangs_is_given_up_after_a_while() -> None:
    """F-9: in good time, and the others still run."""
    undone: list[str] = []

    @action(mode="transactional", rollback=lambda _: undone.append("first"))
    async def first(value: int) -> None: ...

    @action(mode="transactional", rollback=lambda _: asyncio.sleep(1_000_000))
    async def second(value: int) -> None: ...

    async def story() -> None:
        sink = EventList()
        assert (await Pipeline("p", first >> second >> fail).run(1, sink=sink)).error.path == "p/fail"
        assert undone == ["first"]
        assert [(event.path, event.code) for event in sink.of(StepFailed)][1] == (
            "p/second/rollback",
            "DEADLINE_EXCEEDED",
        )
        assert asyncio.get_running_loop().time() == pytest.approx(30)

    run_in_virtual_time(story())


def test_a_rollback_has_time_although_the_deadline_that_caused_it_has_passed() -> None:
    """F-74"""
    undone: list[int] = []

    async def put_back(value: int) -> None:
        await asyncio.sleep(5)
        undone.append(value)

    @action(mode="transactional", rollback=put_back)
    async def take(value: int) -> None: ...

    @step
    async def wait(value: int) -> int:
        await asyncio.sleep(60)
        return value

    async def story() -> None:
        assert (await Pipeline("p", take >> wait, timeout=10).run(3)).error.code == "DEADLINE_EXCEEDED"
        assert undone == [3]

    run_in_virtual_time(story())


def test_a_fire_and_forget_action_is_not_waited_for_but_not_lost() -> None:
    """F-9: the run goes on, and drains it before it returns."""
    log: list[str] = []

    @action(mode="fire_and_forget")
    async def notify(value: int) -> None:
        await asyncio.sleep(10)
        log.append("notified")

    @step
    async def work(value: int) -> int:
        log.append("worked")
        return value

    async def story() -> None:
        sink = EventList()
        assert (await Pipeline("p", notify >> work).run(1, sink=sink)).value == 1
        assert log == ["worked", "notified"]
        assert sink.paths(StepCompleted) == ["p/notify", "p/work", "p", "p/notify/background"]
        assert not tasks_left()

    run_in_virtual_time(story())


def test_a_fire_and_forget_action_that_does_not_end_is_cancelled_and_told() -> None:
    """F-9: drained or reported."""

    @action(mode="fire_and_forget")
    async def notify(value: int) -> None:
        await asyncio.sleep(1_000_000)

    async def story() -> None:
        sink = EventList()
        assert (await Pipeline("p", notify).run(1, sink=sink)).value == 1
        assert [(event.path, event.category) for event in sink.of(StepFailed)] == [("p/notify/background", "cancelled")]
        assert not tasks_left()

    run_in_virtual_time(story())


def test_the_timeout_of_a_fire_and_forget_action_is_that_of_its_work() -> None:
    @action(mode="fire_and_forget", timeout=2)
    async def notify(value: int) -> None:
        await asyncio.sleep(1_000_000)

    async def story() -> None:
        sink = EventList()
        await notify.run(1, sink=sink)
        assert sink.of(StepFailed)[0].code == "UNKNOWN_OUTCOME"
        assert asyncio.get_running_loop().time() == pytest.approx(2)

    run_in_virtual_time(story())


async def test_a_fire_and_forget_action_that_fails_does_not_fail_the_run() -> None:
    @action(mode="fire_and_forget")
    async def notify(value: int) -> None:
        message = "no mail"
        raise OSError(message)

    sink = EventList()
    assert (await Pipeline("p", notify).run(1, sink=sink)).value == 1
    assert sink.of(StepFailed)[0].message == "no mail"


async def test_background_work_of_background_work_is_owned_too() -> None:
    done: list[int] = []

    @action(mode="fire_and_forget")
    async def inner(value: int) -> None:
        await asyncio.sleep(0)
        done.append(value)

    @action(mode="fire_and_forget")
    async def outer(value: int, ctx: Context) -> None:
        await asyncio.sleep(0)
        await ctx.invoke(inner, value)

    await outer.run(4)
    assert done == [4]
    assert not tasks_left()


async def test_reconciling_is_a_step_of_its_own() -> None:
    """F-5: nothing of the user's runs without a trace."""
    charged: list[int] = []

    async def was_charged(value: int) -> Receipt | None:
        return Receipt(number=value) if value in charged else None

    @action(mode="transactional", rollback=charged.remove, reconcile=was_charged)
    async def charge(value: int) -> Receipt:
        charged.append(value)
        raise ConnectionResetError

    sink = EventList()
    assert (await charge.run(1, journal=MemoryJournal(), sink=sink)).value == Receipt(number=1)
    assert charged == [1]
    assert sink.paths(StepStarted) == ["charge", "charge/reconcile"]


@pytest.mark.parametrize(("has_happened", "calls"), [(True, 1), (False, 2)])
async def test_an_action_that_returns_nothing_is_reconciled_by_yes_or_no(has_happened: bool, calls: int) -> None:
    called: list[int] = []

    @action(mode="transactional", rollback=called.remove, reconcile=lambda _: has_happened)
    async def send(value: int) -> None:
        called.append(value)
        if len(called) == 1:
            raise TimeoutError

    journal = MemoryJournal()
    assert (await send.run(1, journal=journal)).is_error is not has_happened
    assert (await send.run(1, journal=journal)).value == 1
    assert len(called) == calls


class Parcel:
    def __init__(self, city: str) -> None:
        self.city = city
        self._weight = 3


class Crate(Parcel):
    def __str__(self) -> str:
        return f"a crate for {self.city}"


class Sack:
    __slots__ = ("city",)


@pytest.mark.parametrize(
    ("value", "shown"), [(Parcel("Vigo"), {"city": "Vigo"}), (Crate("Vigo"), "a crate for Vigo"), (Sack(), "Sack")]
)
async def test_an_object_is_shown_to_the_person_who_is_asked_about_it(value: Any, shown: Any) -> None:
    """O-3: its address would say nothing, and be another one after a restart."""
    asked: list[Any] = []

    class Clerk:
        async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
            asked.append(request.args["value"])
            return ApprovalDecision.reject("it is done", by="clerk")

    @action(mode="transactional", rollback=lambda _: None)
    async def send(parcel: Any) -> None:
        raise ConnectionResetError

    assert (await send.run(value, journal=MemoryJournal(), approver=Clerk())).value is value
    assert asked == [shown]


async def test_a_dry_run_acts_on_nothing() -> None:
    """F-11: stand-ins are passed on, everything else runs."""
    acted: list[str] = []

    @action(mode="transactional", rollback=print)
    async def reserve(value: int) -> None:
        acted.append("reserve")

    @action(mode="idempotent", stand_in=lambda value: Receipt(number=-value))
    async def charge(value: int) -> Receipt:
        acted.append("charge")
        return Receipt(number=value)

    @action(mode="fire_and_forget")
    async def notify(receipt: Receipt) -> None:
        acted.append("notify")

    @step
    async def number(receipt: Receipt) -> int:
        return receipt.number

    assert (await Pipeline("p", reserve >> charge >> notify >> number).run(3, dry_run=True)).value == -3
    assert not acted


async def test_a_stand_in_may_be_a_plain_value() -> None:
    @action(mode="idempotent", stand_in=Receipt(number=0))
    async def charge(value: int) -> Receipt:
        return Receipt(number=value)

    assert (await charge.run(3, dry_run=True)).value == Receipt(number=0)


async def test_a_dry_run_of_an_action_without_stand_in_says_what_is_missing() -> None:
    @action(mode="idempotent")
    async def charge(value: int) -> Receipt:
        return Receipt(number=value)

    message = (await charge.run(3, dry_run=True)).error.message
    assert "charge: a dry run does not act, and this action returns Receipt; say what to return" in message


class Signed(Receipt):
    by: str


@pytest.mark.parametrize(
    ("returned", "declared", "goes_on_with"),
    [
        (Signed(number=1, by="ana"), Receipt, Receipt(number=1)),
        ((1, 2), Any, [1, 2]),
        ({1: date(2026, 11, 18)}, dict, {"1": "2026-11-18"}),
    ],
)
async def test_a_run_with_a_journal_goes_on_with_what_its_repetition_finds(
    returned: Any, declared: Any, goes_on_with: Any
) -> None:
    """F-90: the journal keeps JSON of the declared type; a run that was not interrupted sees no more than that."""
    seen: list[Any] = []

    async def charge(value: int) -> Any:
        return returned

    charge.__annotations__["return"] = declared
    acted: Any = action(mode="transactional", rollback=lambda outcome: seen.append(("undo", outcome)))(charge)

    @step
    async def look(value: Any) -> int:
        seen.append(("next", value))
        raise ValueError(len(seen))

    journal = MemoryJournal()
    assert (await Pipeline("p", acted >> look).run(1, journal=journal)).is_error
    assert seen == [("next", goes_on_with), ("undo", goes_on_with)]


async def test_an_outcome_that_could_not_be_read_again_is_refused_at_once() -> None:
    """And not only after an interruption; what was done is undone."""
    undone: list[Any] = []

    @action(mode="transactional", rollback=undone.append)
    async def scan(value: int) -> bytes:
        return b"\xff"

    result = await Pipeline("p", scan).run(1, journal=MemoryJournal())
    assert (result.error.code, undone) == ("CONFIGURATION", [b"\xff"])
    assert "scan brought a bytes that no journal can keep" in result.error.message


async def test_a_result_that_no_journal_can_keep_is_refused_with_the_name_of_the_action() -> None:
    class Handle:
        pass

    @action(mode="idempotent")
    async def open_file(value: int) -> Handle:
        return Handle()

    assert not (await open_file.run(1)).is_error
    message = (await open_file.run(1, journal=MemoryJournal())).error.message
    assert "open_file: Handle cannot be kept in a journal" in message


async def work(value: int) -> None: ...


async def gives(value: int) -> int:
    return value


@pytest.mark.parametrize(
    ("function", "options", "reason"),
    [
        (work, {"mode": "sometimes"}, "work: mode is one of fire_and_forget, transactional, idempotent"),
        (work, {"mode": "transactional"}, "work: a transactional action has a rollback, and only such an action"),
        (work, {"mode": "idempotent", "rollback": print}, "work: a transactional action has a rollback"),
        (work, {"mode": "transactional", "rollback": "undo"}, "work: rollback is a function, got 'undo'"),
        (work, {"mode": "transactional", "rollback": fail}, "work: rollback is a function"),
        (gives, {"mode": "fire_and_forget"}, "gives: a fire_and_forget action is not awaited, so it returns None"),
        (len, {"mode": "idempotent"}, "len: a step is made of an async function"),
        (work, {"mode": "idempotent", "timeout": 0}, "work: a timeout is a number of seconds above zero"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_an_action_that_cannot_work_is_refused_when_built(function: Any, options: Any, reason: str) -> None:
    with pytest.raises(PipelineTypeError, match=reason):
        ActionStep(function, **options)
