"""A pipeline is a named chain that stops at the first error, undoes what was done, and is itself a step (F-3, F-4)."""

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from batuta import Context, Pipeline, PipelineTypeError, Step, StepResult, action, step
from batuta.events import AgentPipelineCompleted, AgentPipelineStarted, StepStarted
from batuta.kernel.errors import ErrorCategory, StepFailedError
from tests.support.runs import EventList, unbalanced


@step
async def parse(text: str) -> int:
    return int(text)


@step
async def double(value: int) -> int:
    return value * 2


@step
async def show(value: int) -> str:
    return f"<{value}>"


async def test_values_go_from_step_to_step() -> None:
    result = await Pipeline("p", parse >> double >> show).run("21")
    assert result.value == "<42>"
    assert not result.is_error


async def test_the_first_error_stops_it_and_says_where() -> None:
    """F-3, F-4"""
    sink = EventList()
    result = await Pipeline("p", parse >> double >> show).run("many", sink=sink)
    error = result.error
    assert result.is_error
    assert (error.step_name, error.path, error.category, error.code) == ("parse", "p/parse", "logical", "VALUE")
    assert isinstance(error.exception, ValueError)
    assert "many" in error.message
    assert sink.paths(StepStarted) == ["p", "p/parse"]


async def test_a_pipeline_is_a_step_of_another() -> None:
    """F-5: nested paths."""
    sink = EventList()
    inner = Pipeline("inner", double >> show)
    result = await Pipeline("outer", parse >> inner).run("4", sink=sink)
    assert result.value == "<8>"
    assert sink.paths(StepStarted) == ["outer", "outer/parse", "outer/inner", "outer/inner/double", "outer/inner/show"]


async def test_a_run_inside_a_running_step_joins_it_as_a_child() -> None:
    """F-84"""
    inner = Pipeline("inner", double)

    @step
    async def delegate(value: int) -> int:
        return (await inner.run(value)).unwrap()

    sink = EventList()
    assert (await Pipeline("outer", delegate).run(3, sink=sink)).value == 6
    assert sink.paths(StepStarted) == ["outer", "outer/delegate", "outer/delegate/inner", "outer/delegate/inner/double"]
    assert len({event.correlation_id for event in sink.events}) == 1


async def test_a_joined_run_takes_no_options_that_belong_to_the_whole_run() -> None:
    @step
    async def delegate(value: int) -> int:
        return (await double.run(value, sink=EventList(), dry_run=True)).unwrap()

    result = await delegate.run(1)
    assert "double: this run joins 'delegate', which is running; dry_run, sink" in result.error.message


async def test_the_failure_of_a_joined_run_keeps_its_own_place() -> None:
    """F-84"""
    inner = Pipeline("inner", parse)

    @step
    async def delegate(text: str) -> int:
        return (await inner.run(text)).unwrap()

    assert (await Pipeline("outer", delegate).run("x")).error.path == "outer/delegate/inner/parse"


async def test_only_the_outermost_pipeline_is_told_as_one() -> None:
    sink = EventList()
    await Pipeline("outer", parse >> Pipeline("inner", double)).run("1", sink=sink)
    assert [event.pipeline_type for event in sink.of(AgentPipelineStarted)] == ["outer"]
    assert [(event.pipeline_type, event.status) for event in sink.of(AgentPipelineCompleted)] == [("outer", "success")]


async def test_a_failed_pipeline_is_told_as_failed() -> None:
    sink = EventList()
    await Pipeline("p", parse).run("x", sink=sink)
    (told,) = sink.of(AgentPipelineCompleted)
    assert (told.status, told.output_summary) == ("failed", None)
    assert not unbalanced(sink.events)


async def test_a_value_that_cannot_describe_itself_does_not_fail_the_run() -> None:
    class Mute:
        def __repr__(self) -> str:
            message = "no words"
            raise RuntimeError(message)

    @step
    async def make(value: int) -> Mute:
        return Mute()

    sink = EventList()
    assert not (await Pipeline("p", make).run(1, sink=sink)).is_error
    assert sink.of(AgentPipelineCompleted)[0].output_summary == "<Mute>"


async def test_a_long_value_is_summarised() -> None:
    class Report(BaseModel):
        text: str

    @step
    async def write(value: int) -> Report:
        return Report(text="x" * value)

    sink = EventList()
    await Pipeline("p", write).run(1000, sink=sink)
    summary = sink.of(AgentPipelineCompleted)[0].output_summary
    assert summary is not None
    assert len(summary) == 200
    assert summary.startswith('{"text":"xxx')


def test_a_duplicate_step_name_is_refused() -> None:
    with pytest.raises(PipelineTypeError, match=r"pipeline 'p' has two steps called 'double'; give one another name"):
        Pipeline("p", double >> double)
    assert len(Pipeline("p", double >> double.named("again")).steps) == 2


@pytest.mark.parametrize("steps", [None, [], [double], "double", test_values_go_from_step_to_step])
def test_a_pipeline_without_steps_is_refused(steps: Step[int, int]) -> None:
    with pytest.raises(PipelineTypeError, match="pipeline 'p' has no steps; give it one, or several joined by >>"):
        Pipeline("p", steps)


@pytest.mark.parametrize("name", ["", "  ", "a/b", "line\nbreak", 3])
def test_a_name_that_cannot_stand_in_a_path_is_refused(name: Any) -> None:
    with pytest.raises(PipelineTypeError, match="cannot name a step: names are printable, not empty, and hold no '/'"):
        Pipeline(name, double)


def test_a_pipeline_has_the_types_of_its_ends() -> None:
    pipeline = Pipeline("p", parse >> show)
    assert (pipeline.input_type, pipeline.output_type) == (str, str)
    with pytest.raises(PipelineTypeError, match="p >> double"):
        pipeline >> double  # type: ignore[operator]


async def test_an_option_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TypeError, match="p: no such option of a run: sinks"):
        await Pipeline("p", double).run(1, sinks=[])  # type: ignore[call-arg]


async def test_a_caught_failure_does_not_fail_the_step() -> None:
    """F-84: a failure becomes the caller's unless it is caught as `StepFailedError`."""

    @step
    async def careful(text: str, ctx: Context) -> int:
        try:
            return await ctx.invoke(parse, text)
        except StepFailedError as failure:
            return len(failure.error.path)

    assert (await Pipeline("p", careful).run("x")).value == len("p/careful/parse")


async def test_a_failure_that_is_not_caught_keeps_the_place_where_it_happened() -> None:
    """F-84"""

    @step
    async def careless(text: str, ctx: Context) -> int:
        return await ctx.invoke(parse, text)

    assert (await Pipeline("p", careless).run("x")).error.path == "p/careless/parse"


async def test_the_category_of_a_returned_error_survives_unwrapping() -> None:
    """F-70"""

    @step
    async def busy(value: int) -> StepResult[int]:
        return StepResult.from_error("later", category=ErrorCategory.TRANSIENT)

    @step
    async def unwraps(value: int) -> int:
        return (await busy.run(value)).unwrap()

    error = (await unwraps.run(1)).error
    assert error.category is ErrorCategory.TRANSIENT
    assert error.is_retryable


async def test_many_runs_of_one_pipeline_do_not_meet() -> None:
    pipeline = Pipeline("p", parse >> double)
    results = await asyncio.gather(*(pipeline.run(str(number)) for number in range(200)))
    assert [result.value for result in results] == [2 * number for number in range(200)]


async def test_rolling_back_goes_from_the_last_to_the_first_across_nested_pipelines() -> None:
    """F-9: also what a nested pipeline did that succeeded."""
    undone: list[str] = []

    def booking(name: str) -> Step[int, int]:
        @action(mode="transactional", name=name, rollback=lambda _: undone.append(name))
        async def book(value: int) -> None: ...

        return book

    @step
    async def fail(value: int) -> int:
        message = "no"
        raise ValueError(message)

    inner = Pipeline("inner", booking("b") >> booking("c"))
    result = await Pipeline("outer", booking("a") >> inner >> booking("d") >> fail).run(1)
    assert undone == ["d", "c", "b", "a"]
    assert result.error.path == "outer/fail"


async def test_a_run_of_a_bare_chain_rolls_back_too() -> None:
    """F-9, F-85: what is not in a pipeline is not forgotten."""
    undone: list[int] = []

    @action(mode="transactional", rollback=undone.append)
    async def reserve(value: int) -> None: ...

    @step
    async def fail(value: int) -> int:
        raise KeyError(value)

    assert (await (reserve >> fail).run(7)).is_error
    assert undone == [7]
