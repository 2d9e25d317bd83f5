"""Many inputs through one pipeline: bounded in flight, in order or as completed, errors as values (F-14)."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing

import pytest

from batuta import Context, Conversation, MemoryJournal, Message, Pipeline, action, step
from batuta.pipelines.batch import Progress
from tests.support.loops import run_in_virtual_time
from tests.support.runs import EventList, tasks_left, unbalanced


@step
async def slow_for_small(value: int) -> int:
    await asyncio.sleep(10 - value)
    if value == 3:
        raise ValueError(value)
    return value


slow = Pipeline("slow", slow_for_small)


async def numbers(count: int) -> AsyncIterator[int]:
    for number in range(count):
        yield number


@pytest.mark.parametrize("is_async", [False, True])
def test_results_come_in_the_order_of_the_inputs(is_async: bool) -> None:
    async def story() -> list[int | str]:
        inputs = numbers(6) if is_async else range(6)
        found = [result async for result in slow.map(inputs, max_concurrency=3)]
        return [result.error.message if result.is_error else result.value for result in found]

    assert run_in_virtual_time(story()) == [0, 1, 2, "3", 4, 5]


def test_results_come_as_they_are_completed() -> None:
    async def story() -> list[int]:
        return [result.value async for result in slow.map([0, 9, 5], ordered=False)]

    assert run_in_virtual_time(story()) == [9, 5, 0]


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("limit", [1, 2, 5])
def test_never_more_run_at_once_than_allowed(ordered: bool, limit: int) -> None:
    running, most = 0, 0

    @step
    async def work(value: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(value % 3)
        running -= 1
        return value

    async def story() -> list[int]:
        results = Pipeline("p", work).map(range(30), max_concurrency=limit, ordered=ordered)
        return [result.value async for result in results]

    assert sorted(run_in_virtual_time(story())) == list(range(30))
    assert most == limit


@pytest.mark.parametrize("ordered", [True, False])
def test_a_slow_taker_slows_the_batch(ordered: bool) -> None:
    """Results do not pile up behind somebody who does not take them."""
    begun: list[int] = []

    @step
    async def work(value: int) -> int:
        begun.append(value)
        return value

    async def story() -> None:
        async with aclosing(Pipeline("p", work).map(range(1000), max_concurrency=4, ordered=ordered)) as results:
            await anext(results)
            await asyncio.sleep(100)
            assert len(begun) <= 10

    run_in_virtual_time(story())


@pytest.mark.parametrize("ordered", [True, False])
def test_a_result_does_not_wait_for_the_next_input(ordered: bool) -> None:
    async def hourly() -> AsyncIterator[int]:
        for number in range(3):
            yield number
            await asyncio.sleep(3600)

    async def story() -> list[float]:
        loop = asyncio.get_running_loop()
        return [loop.time() async for _ in slow.map(hourly(), ordered=ordered)]

    assert run_in_virtual_time(story()) == [pytest.approx(10), pytest.approx(3609), pytest.approx(7208)]


async def test_progress_is_told_after_every_result() -> None:
    @step
    async def odd(value: int) -> int:
        return 1 // (value % 2)

    seen: list[Progress] = []
    async for _ in Pipeline("p", odd).map([1, 2, 3], on_progress=seen.append):
        pass
    assert seen == [Progress(1, 0, 3), Progress(2, 1, 3), Progress(3, 1, 3)]
    async for _ in Pipeline("p", odd).map(iter([1]), on_progress=seen.append):
        pass
    assert seen[-1] == Progress(1, 0, None)


@pytest.mark.parametrize("ordered", [True, False])
def test_closing_early_leaves_no_task(ordered: bool) -> None:
    async def story() -> None:
        sink = EventList()
        async with aclosing(slow.map(range(100), sink=sink, ordered=ordered)) as results:
            await anext(results)
        assert not tasks_left()
        assert not unbalanced(sink.events)

    run_in_virtual_time(story())


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("turns", range(0, 30, 3))
async def test_cancelling_whoever_takes_the_results_leaves_no_task(ordered: bool, turns: int) -> None:
    @step
    async def work(value: int) -> int:
        await asyncio.sleep(0)
        return value

    async def take() -> None:
        async with aclosing(Pipeline("p", work).map(range(50), ordered=ordered)) as results:
            async for _ in results:
                await asyncio.sleep(0)

    taker = asyncio.create_task(take())
    for _ in range(turns):
        await asyncio.sleep(0)
    taker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taker
    assert not tasks_left()


@pytest.mark.parametrize("ordered", [True, False])
def test_inputs_that_break_off_are_an_error_of_the_batch(ordered: bool) -> None:
    def broken() -> Iterator[int]:
        yield 9
        message = "no more"
        raise OSError(message)

    async def story() -> None:
        found: list[int] = []

        async def take() -> None:
            async for result in slow.map(broken(), ordered=ordered):
                found.append(result.value)  # noqa: PERF401 - what came before the error is kept

        with pytest.raises(OSError, match="no more"):
            await take()
        assert found == [9]
        assert not tasks_left()

    run_in_virtual_time(story())


async def test_no_inputs_give_no_results() -> None:
    assert [result async for result in slow.map([])] == []


def test_a_limit_below_one_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="max_concurrency is at least 1, got 0"):
        slow.map([1], max_concurrency=0)


@step
async def speak(value: int, ctx: Context) -> int:
    assert ctx.conversation is not None
    ctx.conversation.add(Message.user(str(value)))
    await asyncio.sleep(0)
    return len(ctx.conversation.messages)


async def test_every_run_has_its_own_copy_of_the_conversation() -> None:
    conversation = Conversation([Message.user("hello")])
    results = [r.value async for r in Pipeline("p", speak).map(range(5), conversation=conversation)]
    assert results == [2] * 5
    assert len(conversation.messages) == 1


async def test_every_run_of_a_batch_inside_a_step_has_its_own_copy_of_the_conversation() -> None:
    """F-90: else each would see what the others said so far, which is another thing every time."""

    @step
    async def all_of_them(count: int) -> list[int]:
        return [result.value async for result in Pipeline("p", speak).map(range(count))]

    conversation = Conversation([Message.user("hello")])
    assert (await all_of_them.run(5, conversation=conversation)).value == [2] * 5
    assert len(conversation.messages) == 1


async def test_a_batch_is_taken_up_again_with_the_rest_of_its_inputs() -> None:
    """Effects are kept under the content of an input, not under its place in the batch."""
    charged: list[int] = []

    @action(mode="idempotent")
    async def charge(value: int) -> int:
        charged.append(value)
        return value * 10

    pipeline, journal = Pipeline("p", charge), MemoryJournal()
    assert [r.value async for r in pipeline.map([1, 2, 2], journal=journal)] == [10, 20, 20]
    assert [r.value async for r in pipeline.map([2, 3], journal=journal)] == [20, 30]
    assert sorted(charged) == [1, 2, 2, 3]


async def test_every_input_has_its_own_effects_in_a_journal() -> None:
    """The recorded effect of one input is not taken for that of another; run again, nothing is repeated."""
    charged: list[int] = []

    @action(mode="idempotent")
    async def charge(value: int) -> int:
        charged.append(value)
        return value * 10

    pipeline, journal = Pipeline("p", charge), MemoryJournal()
    for _ in range(2):
        assert [r.value async for r in pipeline.map([1, 2, 3], journal=journal)] == [10, 20, 30]
    assert sorted(charged) == [1, 2, 3]
    assert len(journal) == 3
