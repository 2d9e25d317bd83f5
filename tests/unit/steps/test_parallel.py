"""Branches side by side: own conversations, serialised merge, limits and both failure policies (F-7, F-84)."""

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from batuta import Branch, Conversation, Message, ParallelStep, Pipeline, PipelineTypeError, Step, StepError, step
from batuta.events import AgentPipelineCompleted, StepFailed
from batuta.kernel.errors import ErrorCategory
from batuta.pipelines.context import Context
from batuta.pipelines.journal import MemoryJournal
from tests.support.loops import run_in_virtual_time
from tests.support.runs import EventList, tasks_left, unbalanced


class Basket(BaseModel):
    items: list[str] = []
    notes: list[str] = []


def put(basket: Basket, item: str) -> None:
    basket.items.append(item)


def fetching(name: str, *, after: float = 0, error: Exception | None = None) -> Step[int, str]:
    @step(name=name)
    async def fetch(value: int) -> str:
        if after:
            await asyncio.sleep(after)
        if error is not None:
            raise error
        return f"{name}{value}"

    return fetch


def side_by_side(*steps: Step[int, str], **options: Any) -> Pipeline[int, Basket]:
    return Pipeline("p", ParallelStep(Basket, [Branch(one, merge=put) for one in steps], name="gather", **options))


def test_branches_run_at_the_same_time_and_are_merged_in_their_order() -> None:
    async def story() -> None:
        result = await side_by_side(fetching("a", after=3), fetching("b", after=1), fetching("c", after=2)).run(7)
        assert result.value.items == ["a7", "b7", "c7"]
        assert asyncio.get_running_loop().time() == pytest.approx(3)

    run_in_virtual_time(story())


def test_merging_never_overlaps() -> None:
    """F-7: a merge function may touch lists safely."""
    busy = False

    def careful(basket: Basket, item: str) -> None:
        nonlocal busy
        assert not busy
        busy = True
        basket.items.append(item)
        busy = False

    async def story() -> None:
        branches = [Branch(fetching(f"s{number}", after=number % 3), merge=careful) for number in range(20)]
        assert len((await ParallelStep(Basket, branches).run(1)).value.items) == 20

    run_in_virtual_time(story())


@pytest.mark.parametrize(("slots", "seconds"), [(1, 6), (2, 3), (3, 2), (6, 1), (None, 1)])
def test_no_more_branches_run_at_once_than_allowed(slots: int | None, seconds: int) -> None:
    async def story() -> None:
        await side_by_side(*(fetching(name, after=1) for name in "abcdef"), max_concurrency=slots).run(1)
        assert asyncio.get_running_loop().time() == pytest.approx(seconds)

    run_in_virtual_time(story())


def test_the_first_failure_cancels_the_siblings() -> None:
    """F-7, F-84: and its path is that of the innermost step."""

    async def story() -> None:
        sink = EventList()
        inner = Pipeline("inner", fetching("b", after=1, error=OSError("down")))
        result = await side_by_side(fetching("a", after=60), inner).run(1, sink=sink)
        assert (result.error.path, result.error.message) == ("p/gather/inner/b", "down")
        assert {event.path: event.category for event in sink.of(StepFailed)}["p/gather/a"] is ErrorCategory.CANCELLED
        assert asyncio.get_running_loop().time() == pytest.approx(1)
        assert not unbalanced(sink.events)
        assert not tasks_left()

    run_in_virtual_time(story())


def test_collecting_lets_all_of_them_end_and_keeps_every_failure() -> None:
    """F-84: `collect` keeps all."""

    async def story() -> None:
        steps = [fetching("a", after=1, error=OSError("x")), fetching("b", after=5), fetching("c", error=KeyError("y"))]
        result = await side_by_side(*steps, on_failure="collect").run(1)
        assert [cause.path for cause in result.error.causes] == ["p/gather/a", "p/gather/c"]
        assert (result.error.path, result.error.step_name) == ("p/gather/a", "a")
        assert asyncio.get_running_loop().time() == pytest.approx(5)

    run_in_virtual_time(story())


async def test_failures_can_be_settled_with_what_succeeded() -> None:
    def note(basket: Basket, errors: list[StepError]) -> None:
        basket.notes.extend(error.message for error in errors)

    sink = EventList()
    pipeline = side_by_side(fetching("a"), fetching("b", error=OSError("down")), on_failure="collect", on_failures=note)
    assert (await pipeline.run(1, sink=sink)).value == Basket(items=["a1"], notes=["down"])
    assert sink.of(AgentPipelineCompleted)[0].status == "partial_success"


async def test_what_failed_and_was_settled_is_not_tried_again_when_the_run_is_repeated() -> None:
    """F-90: the run went on without it; a write that is begun anew afterwards would happen behind its answer."""
    tries: list[str] = []

    @step(name="pay")
    async def pay(value: int, ctx: Context) -> str:
        async def act() -> str:
            tries.append("pay")
            raise OSError("the bank is closed")

        return await ctx.effect(act, TypeAdapter(str), kind="write", name="pay")

    pipeline = side_by_side(fetching("a"), pay, on_failure="collect", on_failures=lambda basket, errors: None)
    journal = MemoryJournal()
    for _ in range(2):
        assert (await pipeline.run(1, journal=journal)).value == Basket(items=["a1"])
    assert tries == ["pay"]


@pytest.mark.parametrize("policy", ["fail_fast", "collect"])
async def test_cancelling_reaches_every_branch(policy: str) -> None:
    sink = EventList()
    pipeline = side_by_side(fetching("a", after=1000), fetching("b", after=1000), on_failure=policy)
    run = asyncio.create_task(pipeline.run(1, sink=sink))
    for _ in range(5):
        await asyncio.sleep(0)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert sorted(sink.paths(StepFailed)) == ["p", "p/gather", "p/gather/a", "p/gather/b"]
    assert not tasks_left()


async def test_a_deadline_after_a_caught_parallel_failure_is_still_a_deadline() -> None:
    """A task that saw a branch fail is not marked as cancelled."""
    broken = side_by_side(fetching("a", error=OSError("down")), fetching("b", after=1000))

    @step(timeout=0.01)
    async def careful(value: int) -> int:
        assert (await broken.run(value)).is_error
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        await asyncio.Event().wait()
        return value

    assert (await Pipeline("outer", careful).run(1)).error.code == "DEADLINE_EXCEEDED"


async def test_every_branch_has_its_own_copy_of_the_conversation() -> None:
    """F-7"""

    @step
    async def speak(value: int, ctx: Context) -> str:
        assert ctx.conversation is not None
        ctx.conversation.add(Message.user("from a branch"))
        return str(len(ctx.conversation.messages))

    conversation = Conversation([Message.user("hello")])
    result = await side_by_side(speak, speak.named("other")).run(1, conversation=conversation)
    assert result.value.items == ["2", "2"]
    assert len(conversation.messages) == 1


async def test_a_branch_may_be_scoped_to_some_messages() -> None:
    """F-7"""

    @step
    async def read(value: int, ctx: Context) -> str:
        assert ctx.conversation is not None
        return " ".join(message.text for message in ctx.conversation.messages)

    conversation = Conversation([Message.user("question"), Message.assistant("answer")])
    branches = [
        Branch(read, merge=put, scope=lambda message: message.role == "user"),
        Branch(read.named("all"), merge=put),
    ]
    assert (await ParallelStep(Basket, branches).run(1, conversation=conversation)).value.items == [
        "question",
        "question answer",
    ]


@pytest.mark.parametrize("policy", ["fail_fast", "collect"])
async def test_a_merge_that_raises_fails_the_step_and_names_the_branch(policy: Any) -> None:
    """Bad input"""

    def broken(basket: Basket, item: str) -> None:
        message = "cannot merge"
        raise RuntimeError(message)

    parallel = ParallelStep(Basket, [Branch(fetching("a"), merge=broken)], name="gather", on_failure=policy)
    error = (await Pipeline("p", parallel).run(1)).error
    assert error.path == "p/gather"
    assert "gather: merging branch 'a' raised RuntimeError('cannot merge')" in error.message


async def test_any_factory_without_arguments_will_do() -> None:
    """F-85"""

    def make() -> list[str]:
        return ["start"]

    step_of_list = ParallelStep(list[str], [Branch(fetching("a"), merge=list.append)])
    step_of_function = ParallelStep(make, [Branch(fetching("a"), merge=list.append)])
    step_of_lambda = ParallelStep(lambda: ["start"], [Branch(fetching("a"), merge=list.append)])
    assert (step_of_list.output_type, step_of_function.output_type) == (list[str], list[str])
    assert step_of_lambda.output_type is Any
    assert (await step_of_function.run(1)).value == ["start", "a1"]


async def test_a_factory_that_raises_fails_the_step() -> None:
    def make() -> Basket:
        message = "no basket"
        raise RuntimeError(message)

    assert (await ParallelStep(make, [Branch(fetching("a"), merge=put)], name="gather").run(1)).error.path == "gather"


async def async_merge(basket: Basket, item: str) -> None: ...


@step
async def takes_text(value: str) -> str:
    return value


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: ParallelStep(Basket, [], name="gather"), "gather: a parallel step has at least one branch"),
        (
            lambda: ParallelStep(Basket, Branch(fetching("a"), merge=print), name="gather"),  # type: ignore[arg-type]
            "gather: the branches come in a list",
        ),
        (
            lambda: ParallelStep(Basket, [fetching("a")], name="gather"),  # type: ignore[arg-type]
            r"gather: a branch is Branch\(step, merge=…\)",
        ),
        (lambda: side_by_side(fetching("a"), max_concurrency=0), "gather: max_concurrency is at least 1, got 0"),
        (lambda: side_by_side(fetching("a"), on_failure="hope"), "gather: on_failure is 'fail_fast' or 'collect'"),
        (lambda: side_by_side(fetching("a"), fetching("a")), "gather: two branches are called 'a'"),
        (
            lambda: side_by_side(fetching("a"), takes_text),  # type: ignore[arg-type]
            "gather: its branches do not take the same input: a takes int, takes_text takes str",
        ),
        (lambda: Branch(put, merge=put), "a branch holds a step"),  # type: ignore[arg-type]
        (lambda: Branch(fetching("a"), merge=async_merge), "the merge of branch 'a' is async"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_what_cannot_work_is_refused_when_built(build: Any, reason: str) -> None:
    with pytest.raises(PipelineTypeError, match=reason):
        build()


def test_the_input_is_the_narrowest_that_fits_all_branches() -> None:
    @step
    async def takes_anything(value: object) -> str:
        return ""

    assert side_by_side(takes_anything, fetching("a")).input_type is int
