"""Answers that are not whole: cut off at a limit, or empty."""

from typing import Any

import pytest
from pydantic import BaseModel

from batuta import AgentStep, ChatAgentStep
from batuta.events import AssistantMessage
from batuta.steps.artefacts import Tag
from batuta.testing import CapturingSink, Reply, ScriptedModel
from tests.unit.steps.adders import UNASKED


class Basket(BaseModel):
    items: list[str]


@pytest.mark.parametrize("cut", ['{"items": ["chair", "tab', '```json\n{"items": ["chair"', "", "I think that"])
async def test_a_structure_that_was_cut_off_is_corrected_and_not_completed(cut: str) -> None:
    """F-20: what `max_tokens` left of an answer may be repairable, but it is not what the model meant."""
    model = ScriptedModel([Reply(cut, stop_reason="max_tokens"), Reply('{"items": ["chair", "table"]}')])
    result = await AgentStep(name="a", model=model, output=Basket).run("x")
    assert result.value == Basket(items=["chair", "table"])
    assert "more briefly" in model.requests[1].messages[-1].text


async def test_an_agent_that_is_always_cut_off_says_which_setting_does_it() -> None:
    model = ScriptedModel([Reply('{"items": ["chair", "tab', stop_reason="max_tokens")] * 3)
    result = await AgentStep(name="a", model=model, output=Basket).run("x")
    assert "max_tokens" in result.error.message


async def test_a_whole_structure_stays_valid_even_if_the_words_after_it_were_cut_off() -> None:
    model = ScriptedModel([Reply('{"items": []} As you can', stop_reason="max_tokens")])
    assert (await AgentStep(name="a", model=model, output=Basket).run("x")).value == Basket(items=[])


async def test_a_text_that_was_cut_off_is_corrected() -> None:
    """F-20: half a letter is not what was asked for, and nobody who gets it could tell."""
    sink = CapturingSink()
    model = ScriptedModel([Reply("Dear customer, we", stop_reason="max_tokens"), Reply("Dear customer. Bye.")])
    result = await AgentStep(name="a", model=model, output=str).run("write", sink=sink)
    assert result.value == "Dear customer. Bye."
    assert "more briefly" in model.requests[1].messages[-1].text
    assert [event.content for event in sink.of(AssistantMessage)] == ["Dear customer. Bye."]


async def test_a_text_that_is_always_cut_off_is_an_error_that_names_the_setting_and_has_the_text() -> None:
    model = ScriptedModel([Reply("Dear customer, we", stop_reason="max_tokens")] * 3)
    result = await AgentStep(name="a", model=model, output=str).run("write")
    assert "max_tokens" in result.error.message
    assert result.error.last_answer == "Dear customer, we"


async def test_a_text_that_was_cut_off_may_be_taken_and_is_marked() -> None:
    """E-7: in a chat a person reads it, and sees that it is not whole."""
    model = ScriptedModel([Reply("It is", stop_reason="max_tokens")] * 2)
    taking = AgentStep(name="a", model=model, output=str, takes_cut_text=True)
    for agent in (ChatAgentStep(name="a", model=model), taking):
        sink = CapturingSink()
        result = await agent.run("tell", sink=sink)
        assert result.value == "It is"
        assert [event.stop_reason for event in sink.of(AssistantMessage)] == ["max_tokens"]


@pytest.mark.parametrize("stop_reason", ["success", "max_tokens"])
@pytest.mark.parametrize("nothing", ["", " \n"])
async def test_an_empty_text_is_corrected(nothing: str, stop_reason: Any) -> None:
    """F-20: also in a chat, and also when thinking used up all tokens."""
    for agent in (ChatAgentStep(name="a", model=UNASKED), AgentStep(name="a", model=UNASKED, output=str)):
        model = ScriptedModel([Reply(nothing, stop_reason=stop_reason), Reply("Here.")])
        with agent.override(model=model):
            assert (await agent.run("x")).value == "Here."
        assert "the answer is empty" in model.requests[1].messages[-1].text


async def test_an_answer_that_is_an_artefact_alone_needs_no_words() -> None:
    """F-31: what stands between tags is not part of the text."""
    model = ScriptedModel([Reply('<file path="a.py">print(1)</file>')])
    result = await AgentStep(name="a", model=model, output=str, tags=[Tag("file")], is_streaming=True).run("x")
    assert result.value == ""
