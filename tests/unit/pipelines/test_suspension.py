"""A suspended run goes on later, somewhere else: nothing failed, nothing is undone, nothing is told to have ended."""

import asyncio

import pytest

from batuta import Branch, Cancellation, ParallelStep, Pipeline, action, step
from batuta.events import AgentPipelineCompleted, StepCompleted, StepFailed
from batuta.kernel.errors import Suspended
from tests.support.runs import EventList, tasks_left


@step
async def ask(value: int) -> int:
    message = "needs a decision"
    raise Suspended(message, waiting_for="approval 7")


async def test_a_suspended_run_is_not_told_to_have_ended() -> None:
    sink = EventList()
    with pytest.raises(Suspended, match="needs a decision"):
        await Pipeline("p", ask).run(1, sink=sink)
    assert not sink.of(StepFailed)
    assert not sink.of(StepCompleted)
    assert not sink.of(AgentPipelineCompleted)


async def test_a_suspended_run_undoes_nothing() -> None:
    undone: list[int] = []

    @action(mode="transactional", rollback=undone.append)
    async def reserve(value: int) -> None: ...

    with pytest.raises(Suspended):
        await Pipeline("p", reserve >> ask).run(1)
    assert not undone


async def test_the_siblings_of_a_branch_that_suspends_finish_first() -> None:
    """Nothing is torn off in the middle of an effect."""
    done: list[int] = []

    @step
    async def work(value: int) -> int:
        for _ in range(5):
            await asyncio.sleep(0)
        done.append(value)
        return value

    parallel = ParallelStep(list[int], [Branch(ask, merge=list.append), Branch(work, merge=list.append)])
    with pytest.raises(Suspended):
        await Pipeline("p", parallel).run(1)
    assert done == [1]
    assert not tasks_left()


async def test_a_suspended_run_no_longer_answers_to_its_handle() -> None:
    handle = Cancellation()
    with pytest.raises(Suspended):
        await ask.run(1, cancellation=handle)
    handle.cancel()
    await asyncio.sleep(0)  # the task that ran it goes on
