"""Corrections: what a rejected answer costs, what the model is told, and what stays in the conversation."""

import pytest
from pydantic import BaseModel

from batuta import AgentStep, Context, Conversation, Message, Rejected
from batuta.events import AttemptRejected, LlmRequest, LlmResponse
from batuta.steps.correction import MIN_FEEDBACK_TOKENS, feedback_on
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall
from batuta.tools import tool
from tests.unit.steps.adders import GOOD, Sum, adder


async def test_two_failures_and_a_success_leave_request_and_answer() -> None:
    """F-23: failed attempts never stay in the conversation."""
    conversation = Conversation()
    result = await adder(ScriptedModel([Reply("no"), Reply('{"total": "x"}'), GOOD])).run(
        "1 + 2", conversation=conversation
    )
    assert result.metrics.attempts == 3
    assert [message.text for message in conversation.messages] == ["1 + 2", '{"total": 3}']


async def test_a_failed_step_leaves_the_conversation_as_it_was() -> None:
    """F-80."""
    conversation = Conversation([Message.user("hello"), Message.assistant("hi")])
    result = await adder(ScriptedModel([Reply("no")] * 3)).run("1 + 2", conversation=conversation)
    assert result.is_error
    assert [message.text for message in conversation.messages] == ["hello", "hi"]


async def test_only_the_newest_rejection_is_quoted() -> None:
    """F-81: one last user message; the system prompt stays."""
    model = ScriptedModel([Reply("first mistake"), Reply("second mistake"), GOOD])
    await adder(model).run("1 + 2")
    third = model.requests[2]
    assert [message.role for message in third.messages] == ["user", "user"]
    assert "second mistake" in third.text
    assert "first mistake" not in third.text
    assert "Add." in third.system


async def test_every_rejection_is_an_event() -> None:
    """F-21a: every attempt is told even though only the valid one stays."""
    sink = CapturingSink()
    await adder(ScriptedModel([Reply("no"), GOOD])).run("1 + 2", sink=sink)
    (rejected,) = sink.of(AttemptRejected)
    assert (rejected.attempt, rejected.kind, rejected.answer) == (1, "structural", "no")
    assert len(sink.of(LlmRequest)) == len(sink.of(LlmResponse)) == 2


@pytest.mark.parametrize(
    ("limits", "judged"),
    [({}, 3), ({"max_attempts": 1}, 1), ({"max_attempts": 5}, 5), ({"max_structural": 2}, 2)],
)
async def test_an_always_invalid_model_stops_after_the_bound(limits: dict[str, int], judged: int) -> None:
    """F-20, F-24."""
    model = ScriptedModel([Reply(f"no {n}") for n in range(9)])
    result = await adder(model, **limits).run("1 + 2")
    assert len(model.requests) == judged
    assert result.error.last_answer == f"no {judged - 1}"
    assert [rejection.attempt for rejection in result.error.rejections] == list(range(1, judged + 1))


async def test_the_two_budgets_are_counted_apart() -> None:
    """F-21a: one structural failure does not use up the semantic budget."""

    async def small(value: Sum, ctx: Context) -> None:
        if value.total > 5:
            raise Rejected("too large")

    script = [Reply("no"), Reply('{"total": 9}'), GOOD]
    result = await adder(ScriptedModel(script), validate=small, max_structural=2, max_semantic=2).run("x")
    assert result.value.total == 3
    script = [Reply('{"total": 9}'), Reply('{"total": 8}'), GOOD]
    failed = await adder(ScriptedModel(script), validate=small, max_semantic=2).run("x")
    assert failed.error.category == "semantic"
    assert len(failed.error.rejections) == 2


async def test_rejections_of_both_kinds_together_use_up_the_attempts() -> None:
    """F-21a: `max_attempts` bounds the answers judged, whichever way each of them fails."""

    async def small(value: Sum, ctx: Context) -> None:
        raise Rejected("too large")

    model = ScriptedModel([Reply("no"), Reply('{"total": 9}'), Reply("no"), GOOD])
    result = await adder(model, validate=small).run("x")
    assert [rejection.kind for rejection in result.error.rejections] == ["structural", "semantic", "structural"]
    assert len(model.requests) == 3


async def test_semantic_validation_runs_only_after_the_structure_holds() -> None:
    seen: list[int] = []

    async def note(value: Sum, ctx: Context) -> None:
        seen.append(value.total)

    await adder(ScriptedModel([Reply("no"), GOOD]), validate=note).run("x")
    assert seen == [3]


async def test_an_output_checks_its_own_structure() -> None:
    """F-21: an optional `validate_structure` of the output."""

    class Even(BaseModel):
        total: int

        async def validate_structure(self) -> None:
            if self.total % 2:
                raise ValueError("the total must be even")

    model = ScriptedModel([Reply('{"total": 3}'), Reply('{"total": 4}')])
    result = await AgentStep(name="add", model=model, output=Even).run("x")
    assert result.value.total == 4
    assert "the total must be even" in model.requests[1].text


async def test_a_validator_that_breaks_fails_the_step_at_once() -> None:
    async def broken(value: Sum, ctx: Context) -> None:
        raise KeyError("bug")

    model = ScriptedModel([GOOD, GOOD])
    result = await adder(model, validate=broken).run("x")
    assert result.error.category == "logical"
    assert len(model.requests) == 1


async def test_a_validator_that_cannot_be_awaited_is_named() -> None:
    def sync(value: Sum, ctx: Context) -> None:
        """Not async."""

    result = await adder(ScriptedModel([GOOD]), validate=sync).run("x")
    assert "validate is no async def" in result.error.message


async def test_low_confidence_is_corrected() -> None:
    """T-9: a threshold per agent."""
    script = [Reply('{"total": 3, "confidence": 0.2}'), Reply('{"total": 3, "confidence": 0.9}')]
    sink = CapturingSink()
    result = await adder(ScriptedModel(script), min_confidence=0.5).run("x", sink=sink)
    assert result.value.confidence == 0.9
    assert [event.kind for event in sink.of(AttemptRejected)] == ["confidence"]


async def test_the_least_confidence_is_enough() -> None:
    model = ScriptedModel([Reply('{"total": 3, "confidence": 0.5}')])
    assert (await adder(model, min_confidence=0.5).run("x")).value.total == 3


def test_the_least_room_for_feedback_is_enough_for_it() -> None:
    """What `feedback_tokens` promises holds for the smallest value it takes."""
    text = feedback_on("x" * 9_000, Rejected("y" * 9_000, hint="z"), MIN_FEEDBACK_TOKENS)
    assert len(text) <= MIN_FEEDBACK_TOKENS * 4


@tool
async def look() -> str:
    """Look."""
    return "seen"


async def test_as_many_rounds_of_tools_as_allowed_are_allowed() -> None:
    """F-25: the limit is the last round that runs, not the first that fails."""
    asks = Reply(tool_calls=[ToolCall("look", {})])
    agent = adder(ScriptedModel([asks, asks, GOOD]), tools=[look], max_tool_iterations=2)
    assert (await agent.run("x")).value.total == 3


async def test_feedback_that_led_to_a_tool_is_still_the_last_word_after_it() -> None:
    """F-81: a model sees only what it is sent; without it, it would not know what was wrong."""
    model = ScriptedModel([Reply("no"), Reply(tool_calls=[ToolCall("look", {})]), GOOD])
    await adder(model, tools=[look]).run("x")
    assert "rejected" in model.requests[1].messages[-1].text
    assert [message.role for message in model.requests[2].messages] == ["user", "assistant", "tool", "user"]
    assert model.requests[2].messages[-1] == model.requests[1].messages[-1]
