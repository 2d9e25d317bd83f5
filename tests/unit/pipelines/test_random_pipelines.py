"""What holds for every pipeline, held against a thousand random ones (F-5, F-9, F-13)."""

import asyncio
from collections import Counter
from datetime import timedelta

import pytest

from batuta.events import StepCompleted, StepFailed, StepStarted
from batuta.pipelines.bounds import Bounds
from tests.support.loops import run_in_virtual_time
from tests.support.runs import EventList, tasks_left, unbalanced
from tests.unit.pipelines.random_pipelines import Maker

PIPELINES = 1_000
BATCHES = 10


def seeds(batch: int) -> range:
    size = PIPELINES // BATCHES
    return range(batch * size, (batch + 1) * size)


def ends_of(sink: EventList) -> Counter[str]:
    return Counter(event.step_name for event in (*sink.of(StepCompleted), *sink.of(StepFailed)))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_every_call_of_a_user_function_has_one_started_and_one_ended_event(batch: int) -> None:
    """F-5: nothing runs without a trace. A function stands for its step, a background action for its own."""

    async def story(seed: int) -> None:
        maker, sink = Maker(seed), EventList()
        await maker.pipeline().run(seed, sink=sink)
        started = Counter(event.step_name for event in sink.of(StepStarted))
        told = Counter(
            f"{event.parent_step}/rollback" if event.step_name == "rollback" else event.step_name
            for event in sink.of(StepStarted)
            if event.step_name == "rollback" or event.step_name in maker.calls
        )
        assert not unbalanced(sink.events), seed
        assert ends_of(sink) == started, seed
        assert told == maker.calls, seed
        assert not tasks_left(), seed

    for seed in seeds(batch):
        run_in_virtual_time(story(seed))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_bounds_are_never_exceeded(batch: int) -> None:
    """F-13: executions and time, with failures, deadlines and rollbacks."""

    async def story(seed: int) -> tuple[Bounds, int, timedelta]:
        sink, pipeline = EventList(), Maker(seed, failure_rate=0.2 if seed % 2 else 0.0).pipeline()
        loop = asyncio.get_running_loop()
        before = loop.time()
        await pipeline.run(seed, sink=sink)
        return pipeline.bounds(), len(sink.of(StepStarted)), timedelta(seconds=loop.time() - before)

    for seed in seeds(batch):
        bounds, executions, time = run_in_virtual_time(story(seed))
        assert bounds.executions is not None
        assert executions <= bounds.executions, seed
        assert bounds.time is not None
        assert time <= bounds.time + bounds.cleanup + timedelta(milliseconds=1), seed
        assert bounds.model_calls == bounds.tool_rounds == bounds.attempts == 0
        assert bounds.cost == 0


def test_the_random_pipelines_are_worth_the_name() -> None:
    """They succeed and fail, act and undo, and some reach their bound exactly."""

    async def story(seed: int) -> tuple[bool, bool, bool]:
        maker, sink = Maker(seed, failure_rate=0.0 if seed % 2 else 0.2), EventList()
        pipeline = maker.pipeline()
        result = await pipeline.run(seed, sink=sink)
        is_reached = len(sink.of(StepStarted)) == pipeline.bounds().executions
        return result.is_error, any("rollback" in name for name in maker.calls), is_reached

    outcomes = [run_in_virtual_time(story(seed)) for seed in range(100)]
    for position in range(3):
        assert 5 < sum(outcome[position] for outcome in outcomes) < 95
