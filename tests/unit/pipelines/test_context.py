"""The context of a step is frozen and the only way to have another step run (F-5, F-6)."""

import pytest

from batuta import Context, Conversation, Message, Pipeline, step
from batuta.events import AgentDecisionRecorded, StepProgress, StepStarted
from batuta.pipelines.context import current_context
from tests.support.runs import EventList


@step
async def double(value: int) -> int:
    return value * 2


async def test_a_context_cannot_be_changed() -> None:
    """F-6"""

    @step
    async def meddle(value: int, ctx: Context) -> int:
        for name in ("path", "deadline", "conversation", "correlation_id", "anything"):
            with pytest.raises(AttributeError):
                setattr(ctx, name, "other")
        with pytest.raises(AttributeError):
            del ctx.path
        with pytest.raises(TypeError):
            ctx.services["x"] = 1  # type: ignore[index]
        return value

    assert not (await meddle.run(1, services={"x": 0})).is_error


async def test_a_context_knows_its_run() -> None:
    """F-6"""

    @step
    async def look(value: int, ctx: Context) -> str:
        assert not ctx.is_dry_run
        assert not ctx.cancellation.is_requested
        assert ctx.deadline is None
        return f"{ctx.correlation_id} {ctx.step_name} {ctx.services['shop']}"

    assert (await look.run(1, correlation_id="c-1", services={"shop": "A"})).value == "c-1 look A"


async def test_an_invoked_step_stands_below_the_one_that_asked() -> None:
    """F-5: `main/router/sales`."""

    @step
    async def router(value: int, ctx: Context) -> int:
        return await ctx.invoke(double.named("sales"), value)

    sink = EventList()
    assert (await Pipeline("main", router).run(2, sink=sink)).value == 4
    assert sink.paths(StepStarted) == ["main", "main/router", "main/router/sales"]
    assert sink.of(StepStarted)[-1].parent_step == "router"


async def test_a_conversation_reaches_the_steps_and_can_be_replaced_for_a_child() -> None:
    @step
    async def says(value: int, ctx: Context) -> str:
        return ctx.conversation.messages[0].text if ctx.conversation else "nothing"

    @step
    async def asks(value: int, ctx: Context) -> str:
        other = Conversation([Message.user("other")])
        return f"{await ctx.invoke(says, value)}, {await ctx.invoke(says, value, conversation=other)}"

    conversation = Conversation([Message.user("hello")])
    assert (await Pipeline("p", asks).run(1, conversation=conversation)).value == "hello, other"
    assert (await Pipeline("p", says).run(1)).value == "nothing"


async def test_an_empty_conversation_is_a_conversation() -> None:
    @step
    async def look(value: int, ctx: Context) -> bool:
        return ctx.conversation is not None

    assert (await look.run(1, conversation=Conversation())).value


async def test_progress_and_decisions_are_events_of_the_run() -> None:
    @step
    async def work(value: int, ctx: Context) -> int:
        await ctx.progress("half", done=1, total=2)
        await ctx.decide("route", reasoning="because", confidence=0.9)
        return value

    sink = EventList()
    await Pipeline("p", work).run(1, sink=sink, correlation_id="c-1")
    (progress,), (decision,) = sink.of(StepProgress), sink.of(AgentDecisionRecorded)
    assert (progress.path, progress.done, progress.total) == ("p/work", 1, 2)
    assert (decision.agent_name, decision.decision_type, decision.confidence) == ("work", "route", 0.9)
    assert progress.correlation_id == decision.correlation_id == "c-1"


async def test_an_event_that_is_wrong_fails_the_step_that_told_it() -> None:
    @step
    async def work(value: int, ctx: Context) -> int:
        await ctx.decide("route", confidence=7)
        return value

    assert "confidence" in (await work.run(1, sink=EventList())).error.message


async def test_is10_nothing_is_left_of_a_context_when_the_run_is_over() -> None:
    await Pipeline("p", double).run(1)
    assert current_context.get() is None
