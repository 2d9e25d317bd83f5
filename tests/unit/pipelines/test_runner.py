"""The runner wraps every step: hooks, events, deadline, result (F-3, F-5, F-6, F-74)."""

import asyncio
from typing import Any

import pytest

from batuta import Context, Pipeline, StepResult, step
from batuta.events import Event, HookFailed, StepCompleted, StepFailed, StepStarted
from batuta.kernel.errors import DeadlineExceededError, ErrorCategory, RecordingFailedError, StoreUnavailableError
from batuta.kernel.ids import is_uuid
from batuta.pipelines.context import invocation_of
from batuta.pipelines.scope import Scope
from tests.support.loops import VirtualTimeLoop, run_in_virtual_time
from tests.support.runs import EventList, SlowRecorder, tasks_left, unbalanced


@step
async def double(value: int) -> int:
    return value * 2


@step
async def divide(value: int) -> float:
    return 1 / value


class Notebook:
    """A hook that writes down what it sees."""

    def __init__(self, name: str = "", *, log: list[str] | None = None) -> None:
        self.log: list[str] = [] if log is None else log
        self.results: list[StepResult[Any]] = []
        self._name = name

    async def before(self, ctx: Context, value: Any) -> None:
        self.log.append(f"{self._name}before {ctx.path} {value}")

    async def after(self, ctx: Context, result: StepResult[Any]) -> None:
        self.log.append(f"{self._name}after {ctx.path} {result.error.message if result.is_error else result.value}")
        self.results.append(result)


class Refuses(Notebook):
    async def before(self, ctx: Context, value: Any) -> None:
        message = "not today"
        raise PermissionError(message)


class Stumbles(Notebook):
    async def after(self, ctx: Context, result: StepResult[Any]) -> None:
        message = "stumbled"
        raise RuntimeError(message)


class FullDisk:
    """A recorder that stops taking events."""

    def __init__(self, takes: int, error: Exception | None = None) -> None:
        self.events: list[Event] = []
        self._takes = takes
        self._error = error or OSError("disk full")

    async def record(self, event: Event) -> Event:
        if len(self.events) >= self._takes:
            raise self._error
        self.events.append(event)
        return event


async def test_every_step_is_told_with_its_place_and_time() -> None:
    """F-5"""
    sink = EventList()
    await Pipeline("p", double).run(4, sink=sink)
    started, completed = sink.of(StepStarted)[1], sink.of(StepCompleted)[0]
    assert (started.path, started.step_name, started.step_type) == ("p/double", "double", "FunctionStep")
    assert (started.pipeline_name, started.parent_step) == ("p", "p")
    assert completed.duration_ms >= 0
    assert [event.original_index for event in sink.events] == list(range(1, len(sink.events) + 1))


async def test_a_failure_is_told_with_category_code_and_message() -> None:
    sink = EventList()
    await divide.run(0, sink=sink)
    (failed,) = sink.of(StepFailed)
    assert (failed.category, failed.code, failed.message) == (
        ErrorCategory.LOGICAL,
        "ZERO_DIVISION",
        "division by zero",
    )
    assert not unbalanced(sink.events)


async def test_a_correlation_id_is_made_up_or_taken_and_reaches_every_event() -> None:
    """F-6"""
    sink, other = EventList(), EventList()
    await Pipeline("p", double).run(1, sink=sink)
    await Pipeline("p", double).run(1, sink=other, correlation_id="order-7")
    (made_up,) = {event.correlation_id for event in sink.events}
    assert made_up is not None
    assert is_uuid(made_up)
    assert {event.correlation_id for event in other.events} == {"order-7"}
    assert len({event.trace_id for event in other.events}) == 1


async def test_session_and_turn_reach_every_event_in_upper_case() -> None:
    sink = EventList()
    session = "0190c0de-0000-7000-8000-00000000abcd"
    await double.run(1, sink=sink, session_id=session, turn_id=session)
    assert {str(event.session_id) for event in sink.events} == {session.upper()}
    assert {str(event.turn_id) for event in sink.events} == {session.upper()}


async def test_what_a_step_notes_stands_on_its_last_event() -> None:
    @step
    async def noting(value: int, ctx: Context) -> float:
        ctx.note(rows=3)
        ctx.note(cached=False)
        return 1 / value

    sink = EventList()
    await noting.run(1, sink=sink)
    await noting.run(0, sink=sink)
    assert sink.of(StepCompleted)[0].attributes == sink.of(StepFailed)[0].attributes == {"rows": 3, "cached": False}


async def test_hooks_stand_around_every_step_like_brackets() -> None:
    """F-5"""
    log: list[str] = []
    await Pipeline("p", double).run(2, hooks=[Notebook("A ", log=log), Notebook("B ", log=log)])
    assert log == [
        "A before p 2", "B before p 2", "A before p/double 2", "B before p/double 2",
        "B after p/double 4", "A after p/double 4", "B after p 4", "A after p 4",
    ]  # fmt: skip


async def test_after_hooks_see_errors_and_how_long_it_took() -> None:
    notebook = Notebook()
    await divide.run(0, hooks=[notebook])
    assert notebook.log[-1] == "after divide division by zero"
    assert notebook.results[0].metrics.duration_seconds > 0


async def test_a_before_hook_that_raises_fails_the_step() -> None:
    """F-5: the function is not called, and the refusal is told."""
    called: list[int] = []

    @step
    async def work(value: int) -> int:
        called.append(value)
        return value

    sink = EventList()
    result = await work.run(1, hooks=[Refuses()], sink=sink)
    assert (result.error.message, result.error.path) == ("not today", "work")
    assert not called
    assert [type(event) for event in sink.events] == [StepStarted, StepFailed]


@pytest.mark.parametrize("value", [0, 1])
async def test_an_after_hook_that_raises_is_reported_and_changes_nothing(value: int) -> None:
    """F-5"""
    sink, other = EventList(), Notebook()
    plain, hooked = await divide.run(value), await divide.run(value, hooks=[other, Stumbles()], sink=sink)
    assert hooked.is_error == plain.is_error
    assert sink.of(HookFailed)[0].message == "stumbled"
    assert sink.of(HookFailed)[0].path == "divide"
    assert len(other.results) == 1


async def test_an_after_hook_that_raises_changes_nothing_even_if_that_cannot_be_recorded(
    caplog: pytest.LogCaptureFixture,
) -> None:
    result = await double.run(2, hooks=[Stumbles()], recorder=FullDisk(takes=2))
    assert result.value == 4
    assert "was not recorded" in caplog.text


async def test_no_exception_of_a_step_escapes() -> None:
    """F-3"""

    class BadWordsError(Exception):
        def __str__(self) -> str:
            message = "cannot even speak"
            raise RuntimeError(message)

    @step
    async def nasty(value: int) -> int:
        raise BadWordsError

    assert (await Pipeline("p", nasty).run(1)).is_error


async def test_cancellation_escapes_and_is_told() -> None:
    """F-3"""
    sink, begun = EventList(), asyncio.Event()

    @step
    async def wait(value: int) -> int:
        begun.set()
        await asyncio.Event().wait()
        return value

    run = asyncio.create_task(Pipeline("p", wait).run(1, sink=sink))
    await begun.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert {event.category for event in sink.of(StepFailed)} == {ErrorCategory.CANCELLED}
    assert not unbalanced(sink.events)
    assert not tasks_left()


@pytest.mark.parametrize("where", ["step", "pipeline", "run"])
def test_a_deadline_can_stand_on_a_step_a_pipeline_or_a_run(where: str) -> None:
    """F-74: the error names what did not finish."""

    async def story() -> None:
        @step(timeout=5 if where == "step" else None)
        async def wait(value: int) -> int:
            await asyncio.sleep(60)
            return value

        pipeline = Pipeline("p", wait, timeout=5 if where == "pipeline" else None)
        result = await pipeline.run(1, timeout=5 if where == "run" else None)
        assert isinstance(result.error.exception, DeadlineExceededError)
        assert result.error.category is ErrorCategory.TRANSIENT
        assert result.error.path == ("p/wait" if where == "step" else "p")
        assert asyncio.get_running_loop().time() == pytest.approx(5)

    run_in_virtual_time(story())


def test_an_inner_deadline_is_never_later_than_what_is_left_outside() -> None:
    """F-74"""

    async def story() -> None:
        seen: list[float] = []

        @step(timeout=60)
        async def look(value: int, ctx: Context) -> int:
            assert ctx.deadline is not None
            seen.append(ctx.deadline.remaining_seconds())
            return value

        @step
        async def pause(value: int) -> int:
            await asyncio.sleep(4)
            return value

        await Pipeline("p", pause >> look, timeout=10).run(1)
        await look.run(1)
        assert seen == [pytest.approx(6), pytest.approx(60)]

    run_in_virtual_time(story())


def test_a_timeout_that_is_the_steps_own_is_not_taken_for_the_deadline() -> None:
    async def story() -> None:
        @step(timeout=60)
        async def gives_up(value: int) -> int:
            async with asyncio.timeout(1):
                await asyncio.sleep(5)
            return value

        error = (await gives_up.run(1)).error
        assert isinstance(error.exception, TimeoutError)
        assert not isinstance(error.exception, DeadlineExceededError)

    run_in_virtual_time(story())


async def test_a_recorder_hears_every_event_before_the_observer() -> None:
    order: list[str] = []

    class Recorder:
        async def record(self, event: Event) -> Event:
            order.append(f"recorded {event.type}")
            return event

    class Observer:
        never_blocks = True

        def emit(self, event: Event) -> None:
            order.append(f"seen {event.type}")

    await double.run(1, recorder=Recorder(), sink=Observer())
    assert order == ["recorded step.started", "seen step.started", "recorded step.completed", "seen step.completed"]


@pytest.mark.parametrize("takes", [0, 1, 2, 3])
async def test_a_step_whose_events_cannot_be_recorded_fails_as_transient(takes: int) -> None:
    result = await Pipeline("p", double).run(1, recorder=FullDisk(takes))
    assert isinstance(result.error.exception, RecordingFailedError)
    assert result.error.category is ErrorCategory.TRANSIENT
    assert "disk full" in result.error.message


async def test_a_step_that_cannot_be_recorded_to_begin_does_not_begin() -> None:
    called: list[int] = []

    @step
    async def work(value: int) -> int:
        called.append(value)
        return value

    assert (await work.run(1, recorder=FullDisk(takes=0))).is_error
    assert not called


async def test_an_error_of_the_recorder_does_not_hide_the_error_of_the_step() -> None:
    result = await divide.run(0, recorder=FullDisk(takes=1, error=StoreUnavailableError("no database")))
    assert result.error.message == "division by zero"


async def test_a_slow_recorder_holds_up_the_run_but_loses_nothing() -> None:
    recorder = SlowRecorder()
    await Pipeline("p", double).run(1, recorder=recorder)
    assert not unbalanced(recorder.events)
    assert len(recorder.events) == 6


async def test_a_failed_step_leaves_the_type_and_the_stack_of_what_it_raised() -> None:
    """Once, where it was raised: the steps around it only pass the failure on."""
    sink = EventList()
    await Pipeline("p", divide).run(0, sink=sink)
    raised, around = sink.of(StepFailed)
    assert raised.error_type == "ZeroDivisionError"
    assert "return 1 / value" in str(raised.stack_trace)
    assert (around.path, around.error_type, around.stack_trace) == ("p", None, None)


async def test_notes_of_a_place_reach_its_event_from_every_scope_of_it() -> None:
    @step
    async def look(value: int, ctx: Context) -> int:
        invocation_of(ctx).within(Scope()).note(seen=value)
        return value

    sink = EventList()
    await look.run(7, sink=sink)
    assert sink.of(StepCompleted)[0].attributes == {"seen": 7}


async def test_metrics_tell_how_long_a_run_took() -> None:
    """F-3"""
    assert (await double.run(1)).metrics.duration_seconds > 0
    assert (await divide.run(0)).metrics.duration_seconds > 0


def test_the_virtual_loop_of_these_tests_takes_no_time() -> None:
    async def story() -> float:
        await asyncio.sleep(3600)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        return loop.moment

    assert run_in_virtual_time(story()) == pytest.approx(3600)
