"""The journal seam: a recorded effect is returned, not repeated; an unknown outcome is never guessed."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter

from batuta import Context, MemoryJournal, Pipeline, StepError, StepResult, action, step
from batuta.events.emitter import TurnNaming
from batuta.kernel.errors import (
    CannotHelpError,
    ErrorCategory,
    JournalMismatchError,
    ProviderTimeoutError,
    ProviderUnavailableError,
    Rejected,
    StepFailedError,
    Suspended,
    UnknownOutcomeError,
    WriteNotDoneError,
)
from batuta.pipelines.journal import DONE, MAX_BEGUN, Effect, Pending, Recorded
from batuta.pipelines.journaling import LOOK_UP_DELAYS_SECONDS, Doing, do_once, perform, undoing_of
from batuta.steps.parallel import Branch, ParallelStep

WRITE = Effect(key="p/charge:charge", kind="write", name="charge")
READ = Effect(key="p/read:read", kind="read", name="read")
NUMBER = TypeAdapter(int)


class Outside:
    """Something that is reached, and counts how often."""

    def __init__(self, *outcomes: int | Exception) -> None:
        self._outcomes = list(outcomes)
        self.calls = 0

    async def act(self) -> int:
        self.calls += 1
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


async def test_an_effect_happens_once() -> None:
    journal, outside = MemoryJournal(), Outside(7)
    for _ in range(3):
        assert await perform(journal, WRITE, outside.act, NUMBER) == 7
    assert outside.calls == 1
    assert len(journal) == 1


async def test_a_write_is_intended_before_it_is_done() -> None:
    journal = MemoryJournal()

    async def act() -> int:
        assert await journal.recall(WRITE) == Pending()
        return 1

    await perform(journal, WRITE, act, NUMBER)
    assert await journal.recall(WRITE) == Recorded(1)


async def test_a_read_is_not_intended_and_may_be_tried_again() -> None:
    journal, outside = MemoryJournal(), Outside(ProviderTimeoutError("late"), 5)
    with pytest.raises(ProviderTimeoutError):
        await perform(journal, READ, outside.act, NUMBER)
    assert await perform(journal, READ, outside.act, NUMBER) == 5


async def test_a_write_that_surely_did_not_happen_may_be_tried_again() -> None:
    journal, outside = MemoryJournal(), Outside(Rejected("no such customer"), 5)
    with pytest.raises(Rejected):
        await perform(journal, WRITE, outside.act, NUMBER)
    assert await perform(journal, WRITE, outside.act, NUMBER) == 5


@pytest.mark.parametrize("error", [ProviderTimeoutError("late"), ConnectionResetError(), TimeoutError()])
async def test_a_write_that_broke_off_has_an_unknown_outcome(error: Exception) -> None:
    journal, outside = MemoryJournal(), Outside(error, 5)
    with pytest.raises(UnknownOutcomeError, match="its answer was lost") as at_once:
        await perform(journal, WRITE, outside.act, NUMBER)
    assert at_once.value.__cause__ is error
    with pytest.raises(UnknownOutcomeError, match="charge was begun before an interruption") as raised:
        await perform(journal, WRITE, outside.act, NUMBER)
    assert raised.value.effect_key == WRITE.key
    assert outside.calls == 1


async def test_what_a_lost_write_brought_is_looked_up_at_once() -> None:
    journal, outside = MemoryJournal(), Outside(TimeoutError())

    async def reconcile(_: Pending) -> int | None:
        return 7

    assert await perform(journal, WRITE, outside.act, NUMBER, reconcile) == 7
    assert (outside.calls, await journal.recall(WRITE)) == (1, Recorded(7))


async def test_a_lost_write_that_did_not_take_place_is_a_failure_and_may_be_tried_again() -> None:
    journal, outside = MemoryJournal(), Outside(TimeoutError(), 7)

    async def reconcile(_: Pending) -> int | None:
        return None

    with pytest.raises(WriteNotDoneError, match="it did not take place"):
        await perform(journal, WRITE, outside.act, NUMBER, reconcile)
    assert await perform(journal, WRITE, outside.act, NUMBER, reconcile) == 7


async def test_looking_up_is_tried_again_while_the_other_side_is_away() -> None:
    journal, outside, waits = MemoryJournal(), Outside(TimeoutError()), list[float]()
    answers: list[int | Exception] = [ConnectionError("still away"), ConnectionError("still away"), 7]

    async def reconcile(_: Pending) -> int | None:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    doing = Doing(effect=WRITE, act=outside.act, codec=NUMBER, reconcile=reconcile, sleep=sleep)
    assert await do_once(journal, doing) == 7
    assert waits == list(LOOK_UP_DELAYS_SECONDS)


async def test_an_effect_is_undone_once() -> None:
    journal, outside = MemoryJournal(), Outside(1)
    await perform(journal, WRITE, outside.act, NUMBER)
    undone: list[int] = []

    async def undo() -> bool:
        undone.append(1)
        return True

    for _ in range(2):
        await do_once(journal, Doing(effect=undoing_of(WRITE), act=undo, codec=DONE))
    assert undone == [1]


async def test_a_value_comes_back_as_it_was() -> None:
    """Kept as JSON, read as the type: also by a strict model."""

    class Invoice(BaseModel):
        model_config = ConfigDict(strict=True, frozen=True)
        due: date
        lines: tuple[int, ...]

    journal, codec = MemoryJournal(), TypeAdapter(Invoice)
    invoice = Invoice(due=date(2026, 1, 31), lines=(1, 2))

    async def act() -> Invoice:
        return invoice

    assert await perform(journal, READ, act, codec) == await perform(journal, READ, act, codec) == invoice


class CancelledWhile(MemoryJournal):
    """Cancels whoever uses it during one operation."""

    def __init__(self, operation: str) -> None:
        super().__init__()
        self._operation: str | None = operation

    async def _pass(self, operation: str, task: "asyncio.Task[Any] | None") -> None:
        if operation == self._operation and task is not None:
            self._operation = None
            task.cancel()
            await asyncio.sleep(0)

    async def intend(self, effect: Effect) -> None:
        await super().intend(effect)
        await self._pass("intend", self.user)

    async def record(self, effect: Effect, value: Any) -> None:
        await self._pass("record", self.user)
        await super().record(effect, value)

    user: "asyncio.Task[Any] | None" = None


@pytest.mark.parametrize(("operation", "calls"), [("intend", 1), ("record", 1)])
async def test_a_cancellation_while_the_journal_writes_leaves_no_doubt(operation: str, calls: int) -> None:
    """Cancelled before it began, it may be done; cancelled while it is recorded, it is recorded."""
    journal, outside = CancelledWhile(operation), Outside(7)
    journal.user = asyncio.create_task(perform(journal, WRITE, outside.act, NUMBER))
    with pytest.raises(asyncio.CancelledError):
        await journal.user
    assert await perform(journal, WRITE, outside.act, NUMBER) == 7
    assert outside.calls == calls


async def test_keys_tell_repetitions_of_a_step_apart() -> None:
    """The same code run again asks for the same keys."""
    keys: list[str] = []

    @step
    async def look(value: int, ctx: Context) -> int:
        keys.append(ctx.key)
        return value

    @step
    async def asks(value: int, ctx: Context) -> int:
        for _ in range(3):
            await ctx.invoke(look, value)
        return value

    pipeline = Pipeline("p", asks >> look)
    await pipeline.run(1, journal=MemoryJournal())
    first, keys[:] = list(keys), []
    await pipeline.run(1, journal=MemoryJournal())
    assert first == keys == ["p/asks/look", "p/asks/look~2", "p/asks/look~3", "p/look"]


async def test_a_step_may_have_effects_of_its_own() -> None:
    fetched: list[str] = []

    @step
    async def fetch(url: str, ctx: Context) -> str:
        async def get() -> str:
            fetched.append(url)
            return f"page {url}"

        return await ctx.effect(get, TypeAdapter(str), kind="read", name="get")

    journal = MemoryJournal()
    for _ in range(2):
        assert (await fetch.run("a", journal=journal)).value == "page a"
    assert (await fetch.run("a")).value == "page a"
    assert fetched == ["a", "a"]


@pytest.mark.parametrize("journal", [None, MemoryJournal()])
async def test_a_write_whose_answer_is_always_lost_is_not_begun_for_ever(journal: MemoryJournal | None) -> None:
    """O-3: a person says each time that it did not happen; the last question says that it is not begun again."""
    outside = Outside(*[ProviderTimeoutError("no answer") for _ in range(MAX_BEGUN)])
    asked: list[bool] = []

    async def it_did_not_happen(pending: Pending) -> int | None:
        asked.append(pending.is_last)
        return None

    doing = Doing(effect=WRITE, act=outside.act, codec=NUMBER, ask=it_did_not_happen)
    with pytest.raises(WriteNotDoneError, match="its answer was lost") as raised:
        await do_once(journal, doing)
    assert str(raised.value.__cause__) == "no answer"
    assert outside.calls == MAX_BEGUN
    assert asked == [False] * (MAX_BEGUN - 1) + [True]


async def test_what_failed_beside_a_step_that_waits_is_not_done_again() -> None:
    """F-90: when the run goes on, the branch that failed and was rolled back fails again, and does nothing twice."""
    done: list[str] = []

    @action(mode="transactional", rollback=lambda _: done.append("undo"))
    async def reserve(value: int) -> None:
        done.append("reserve")

    @step
    async def charge(value: int) -> int:
        done.append("charge")
        raise ValueError(value)

    @step
    async def wait(value: int) -> int:
        message = "somebody decides"
        raise Suspended(message, waiting_for="approval")

    left = Pipeline("left", reserve >> charge)
    beside = ParallelStep(
        list, [Branch(left, merge=list.append), Branch(wait, merge=list.append)], on_failure="collect"
    )
    journal = MemoryJournal()
    for _ in range(3):
        with pytest.raises(Suspended):
            await beside.run(1, journal=journal, naming=TurnNaming("turn"))
    assert done == ["reserve", "charge", "undo"]


async def test_what_was_rolled_back_is_done_again_by_a_repeated_run() -> None:
    """F-9 with a journal: after the second run the effect stands, once."""
    stock = 10
    is_broken = True

    async def put_back(value: int) -> None:
        nonlocal stock
        stock += value

    @action(mode="transactional", rollback=put_back)
    async def take(value: int) -> None:
        nonlocal stock
        stock -= value

    @step
    async def pay(value: int) -> int:
        if is_broken:
            message = "card refused"
            raise ValueError(message)
        return value

    pipeline, journal = Pipeline("p", take >> pay), MemoryJournal()
    assert (await pipeline.run(3, journal=journal)).is_error
    assert stock == 10
    is_broken = False
    assert (await pipeline.run(3, journal=journal)).value == 3
    assert stock == 7


async def test_what_an_earlier_run_did_is_rolled_back_by_a_later_failure() -> None:
    undone: list[int] = []

    @action(mode="transactional", rollback=undone.append)
    async def take(value: int) -> int:
        return value * 2

    @step
    async def fail(value: int) -> int:
        raise KeyError(value)

    journal = MemoryJournal()
    await take.run(3, journal=journal)
    await Pipeline("take", take >> fail).run(3, journal=journal)
    assert undone == [6]


async def test_a_rollback_that_fails_is_tried_again_by_a_repeated_run() -> None:
    async def cannot(_: int) -> None:
        message = "no way back"
        raise OSError(message)

    @action(mode="transactional", rollback=cannot)
    async def take(value: int) -> None: ...

    @step
    async def fail(value: int) -> int:
        raise KeyError(value)

    pipeline, journal = Pipeline("p", take >> fail), MemoryJournal()
    for _ in range(2):
        error = (await pipeline.run(1, journal=journal)).error
        assert (error.path, [failure.message for failure in error.rollback_failures]) == ("p/fail", ["no way back"])


async def test_an_action_that_is_done_can_be_undone_while_its_outcome_is_still_being_recorded() -> None:
    """F-9: cancelled between the act and its record, it is rolled back, and a repeated run does it again."""
    stock = 10

    async def put_back(value: int) -> None:
        nonlocal stock
        stock += value

    @action(mode="transactional", rollback=put_back)
    async def take(value: int) -> None:
        nonlocal stock
        stock -= value

    pipeline, journal = Pipeline("p", take), CancelledWhile("record")
    journal.user = asyncio.create_task(pipeline.run(3, journal=journal))
    with pytest.raises(asyncio.CancelledError):
        await journal.user
    assert stock == 10
    assert (await pipeline.run(3, journal=journal)).value == 3
    assert stock == 7


async def test_a_journal_of_another_input_is_refused_and_not_answered_from() -> None:
    """Its effects belong to the input they were made of."""
    calls: list[int] = []

    @action(mode="idempotent")
    async def charge(value: int) -> int:
        calls.append(value)
        return value * 10

    journal = MemoryJournal()
    pipeline = Pipeline("p", charge)
    assert (await pipeline.run(1, journal=journal)).value == 10
    assert (await pipeline.run(1, journal=journal)).value == 10
    error = (await pipeline.run(2, journal=journal)).error
    assert isinstance(error.exception, JournalMismatchError)
    assert "journal of its own for each input" in error.message
    assert calls == [1]


async def test_a_write_that_may_still_arrive_is_not_begun_again() -> None:
    """The process that sent it died; it is looked up, and not found, before it arrives."""
    journal, outside = MemoryJournal(), Outside()
    arrived: list[str] = []
    waited: list[float] = []
    await journal.intend(WRITE)

    async def look_up(_: Pending) -> int | None:
        return 7 if arrived else None

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        arrived.append("late")

    doing = Doing(
        effect=WRITE,
        act=outside.act,
        codec=NUMBER,
        reconcile=look_up,
        sleep=sleep,
        settles_within=timedelta(seconds=30),
    )
    assert await do_once(journal, doing) == 7
    assert outside.calls == 0
    assert 29 < sum(waited) <= 30


async def test_a_person_is_asked_about_a_write_when_it_can_arrive_no_more() -> None:
    journal, outside = MemoryJournal(), Outside()
    order: list[str] = []
    await journal.intend(WRITE)

    async def sleep(seconds: float) -> None:
        order.append("settled")

    async def ask(_: Pending) -> int | None:
        order.append("asked")
        return 7

    settles = timedelta(seconds=30)
    doing = Doing(effect=WRITE, act=outside.act, codec=NUMBER, ask=ask, sleep=sleep, settles_within=settles)
    assert await do_once(journal, doing) == 7
    assert order == ["settled", "asked"]


async def test_what_was_begun_long_ago_is_not_waited_for() -> None:
    journal, outside = MemoryJournal(), Outside(7)
    await journal.intend(WRITE)

    async def look_up(_: Pending) -> int | None:
        return None

    async def sleep(seconds: float) -> None:
        pytest.fail("there is nothing to wait for")

    doing = Doing(
        effect=WRITE,
        act=outside.act,
        codec=NUMBER,
        reconcile=look_up,
        sleep=sleep,
        now=lambda: datetime.now(UTC) + timedelta(minutes=1),
        settles_within=timedelta(seconds=30),
    )
    assert await do_once(journal, doing) == 7


class SoldOutError(Exception):
    """An error of a user's own, whose constructor wants more than a message."""

    def __init__(self, sku: str, left: int) -> None:
        super().__init__(f"{left} of {sku} left")
        self.left = left


@pytest.mark.parametrize(
    ("failing", "seen"),
    [
        (SoldOutError("A-100", 2), ("2 of A-100 left", "logical", "SOLD_OUT", "SoldOutError", 2)),
        (
            ProviderUnavailableError("down", status=529),
            ("down", "transient", "PROVIDER_UNAVAILABLE", "ProviderUnavailableError", None),
        ),
        (CannotHelpError("not mine"), ("not mine", "logical", "CANNOT_HELP", "CannotHelpError", None)),
        (ValueError(), ("ValueError", "logical", "VALUE", "ValueError", None)),
        (KeyError("gone"), ("'gone'", "logical", "KEY", "KeyError", None)),
        (
            StepResult.from_error("not for sale", category="validation"),
            ("not for sale", "validation", "ERROR", None, None),
        ),
        (
            StepResult.from_error(
                StepError(message="later", category=ErrorCategory.TRANSIENT, code="BUSY", last_answer="?")
            ),
            ("later", "transient", "BUSY", None, None),
        ),
    ],
)
async def test_a_step_that_went_on_from_a_failure_sees_the_same_when_it_is_repeated(
    failing: Exception | StepResult[Any], seen: tuple[Any, ...]
) -> None:
    """F-90: class, fields, category and code of what failed, raised or returned, are those of the first time."""
    facts: list[tuple[Any, ...]] = []
    tried: list[int] = []

    @step
    async def charge(value: int) -> int:
        tried.append(value)
        if isinstance(failing, Exception):
            raise failing
        return failing  # type: ignore[return-value] # a step may return its failure

    @step
    async def careful(value: int, ctx: Context) -> int:
        try:
            return await ctx.invoke(charge, value)
        except StepFailedError as failed:
            error = failed.error
            kind = None if error.exception is None else type(error.exception).__name__
            facts.append(
                (error.message, error.category.value, error.code, kind, getattr(error.exception, "left", None))
            )
            await ctx.go_on()
        message = "somebody decides"
        raise Suspended(message, waiting_for="approval")

    journal = MemoryJournal()
    for _ in range(2):
        with pytest.raises(Suspended):
            await careful.run(1, journal=journal, naming=TurnNaming("turn"))
    assert tried == [1]
    assert facts == [seen, seen]
