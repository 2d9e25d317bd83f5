"""Agents that stream: what is told while an answer arrives, and what is taken away again."""

import pytest

from batuta import AgentStep, Context, Rejected
from batuta.events import AssistantMessage, ContentDelta, StreamDiscarded, Thinking, ThinkingDelta
from batuta.testing import CapturingSink, Reply, ScriptedModel
from tests.unit.steps.adders import GOOD, adder


async def test_streaming_gives_the_same_result_and_tells_deltas() -> None:
    """F-30."""
    sink = CapturingSink()
    agent = AgentStep(
        name="a", model=ScriptedModel([Reply("one two three", thinking="hm")]), output=str, is_streaming=True
    )
    result = await agent.run("x", sink=sink)
    assert result.value == "one two three"
    assert "".join(event.delta for event in sink.of(ContentDelta)) == "one two three"
    (message,) = sink.of(AssistantMessage)
    assert {event.message_id for event in sink.of(ContentDelta)} == {message.message_id}
    assert [event.content for event in sink.of(Thinking)] == ["hm"]


async def test_a_structured_answer_streams_its_thoughts_and_its_json_only_if_it_speaks() -> None:
    """F-30: JSON is for code; whoever wants to show it says `is_speaking=True`."""
    for is_speaking, text in (({}, ""), ({"is_speaking": True}, '{"total": 3}')):
        sink = CapturingSink()
        model = ScriptedModel([Reply('{"total": 3}', thinking="one and two")])
        result = await adder(model, is_streaming=True, **is_speaking).run("x", sink=sink)
        assert result.value.total == 3
        assert "".join(event.delta for event in sink.of(ThinkingDelta)) == "one and two"
        assert "".join(event.delta for event in sink.of(ContentDelta)) == text


async def test_a_rejected_answer_that_was_shown_is_taken_away() -> None:
    """Whoever follows sees one answer, not every attempt."""

    async def short(text: str, ctx: Context) -> None:
        if len(text) > 5:
            raise Rejected("too long")

    sink = CapturingSink()
    model = ScriptedModel([Reply("far too long", thinking="hm"), Reply("short")])
    agent = AgentStep(name="a", model=model, output=str, is_streaming=True, validate=short)
    assert (await agent.run("x", sink=sink)).value == "short"
    (void,) = sink.of(StreamDiscarded)
    first = [event for event in sink.of(ContentDelta) if event.message_id == void.message_id]
    assert "".join(event.delta for event in first) == "far too long"
    assert void.reason == "rejected"
    (message,) = sink.of(AssistantMessage)
    assert message.message_id != void.message_id


async def test_a_refusal_that_was_shown_is_taken_away() -> None:
    sink = CapturingSink()
    agent = AgentStep(
        name="a", model=ScriptedModel([Reply("I would", stop_reason="refused")]), output=str, is_streaming=True
    )
    assert (await agent.run("x", sink=sink)).is_error
    assert [event.reason for event in sink.of(StreamDiscarded)] == ["failed"]


@pytest.mark.parametrize("is_streaming", [False, True])
async def test_nothing_is_taken_away_that_was_not_shown(is_streaming: bool) -> None:
    """Neither JSON that nobody saw, nor an answer that stands."""
    sink = CapturingSink()
    await adder(ScriptedModel([Reply("no"), GOOD]), is_streaming=is_streaming).run("x", sink=sink)
    talker = AgentStep(name="a", model=ScriptedModel([Reply("yes")]), output=str, is_streaming=is_streaming)
    await talker.run("x", sink=sink)
    assert not sink.of(StreamDiscarded)


async def test_structured_answers_are_not_told_as_messages() -> None:
    sink = CapturingSink()
    await adder(ScriptedModel([GOOD])).run("x", sink=sink)
    assert not sink.of(AssistantMessage)
