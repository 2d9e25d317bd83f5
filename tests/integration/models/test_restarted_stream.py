"""A stream that breaks and begins anew, over real sockets: whoever follows it sees no text twice (F-30, E-20)."""

import pytest

from batuta import AgentStep
from batuta.events import AssistantMessage, ContentDelta, Event, StreamDiscarded, UserMessage
from batuta.events.fold import EMPTY, fold
from batuta.kernel.ids import SessionId, TurnId, new_id
from batuta.testing import CapturingSink
from tests.integration.models.stage import Stage

WORDS = "A rather long answer, so that a stream of it has several events to be cut between, each with some words."
SESSION, TURN = SessionId(new_id()), TurnId(new_id())


def shown(events: list[Event]) -> list[str]:
    """The text on a screen after each of these events, streamed or stored."""
    view = fold([UserMessage(content="tell", session_id=SESSION, turn_id=TURN)], EMPTY)
    texts = []
    for event in events:
        view = fold([event.model_copy(update={"session_id": SESSION, "turn_id": TURN})], view)
        said = [item.content for item in view.turns[0].items if item.kind == "assistant_message"]
        texts.append("".join([*said, *(stream.content for stream in view.turns[0].streams)]))
    return texts


@pytest.mark.parametrize("kind", ["cut_mid_event", "cut_between_events", "reset_mid_stream"])
async def test_nobody_sees_the_text_of_a_restarted_stream_twice(stage: Stage, kind: str) -> None:
    stage.play({"answers": [{"text": WORDS, "fault": {"kind": kind, "after_events": 6, "times": 2}}]})
    agent = AgentStep(name="teller", model=stage.protected, output=str, is_streaming=True)
    sink = CapturingSink()
    result = await agent.run("tell", sink=sink)
    assert result.value == WORDS
    assert result.metrics.retries == 2
    assert [event.reason for event in sink.of(StreamDiscarded)] == ["retried"] * 2
    (message,) = sink.of(AssistantMessage)
    assert {event.message_id for event in (*sink.of(StreamDiscarded), *sink.of(ContentDelta))} == {message.message_id}
    texts = shown(sink.events)
    assert all(WORDS.startswith(text) for text in texts)
    assert texts[-1] == WORDS


async def test_what_was_shown_of_an_answer_that_never_came_is_taken_away(stage: Stage) -> None:
    stage.play({"answers": [{"text": WORDS, "fault": {"kind": "reset_mid_stream", "after_events": 6, "times": 9}}]})
    agent = AgentStep(name="teller", model=stage.protected, output=str, is_streaming=True)
    sink = CapturingSink()
    result = await agent.run("tell", sink=sink)
    assert result.is_error
    assert [event.reason for event in sink.of(StreamDiscarded)] == ["retried", "retried", "failed"]
    texts = shown(sink.events)
    assert any(texts)
    assert not texts[-1]
