"""Routers: free text becomes a member of an enum."""

import json
from enum import Enum
from typing import Any

import pytest

from batuta import Conversation, Intention, Message, Option, PipelineTypeError, RouterAgentStep
from batuta.testing import Reply, ScriptedModel


class Intent(Enum):
    SUM = Option("add numbers", examples=["1 + 1", "what is two and two"])
    TALK = "anything else"


def reply(option: str, **others: Any) -> Reply:
    return Reply(json.dumps({"option": option, "reasoning": "r", "prompt": "p", "confidence": 0.9, **others}))


async def test_the_prompt_is_made_of_descriptions_and_examples() -> None:
    """F-26."""
    model = ScriptedModel([reply("SUM")])
    result = await RouterAgentStep(Intent, model=model).run("1 + 1")
    request = model.requests[0]
    assert result.value == Intention[Intent](
        option=Intent.SUM, reasoning="r", prompt="p", confidence=0.9, request="1 + 1"
    )
    for words in ("SUM", "add numbers", "what is two and two", "TALK", "anything else"):
        assert words in request.system
    assert request.settings.temperature == 0.3


async def test_a_router_reads_the_conversation_and_never_writes_it() -> None:
    """F-80."""
    conversation = Conversation([Message.user("hello"), Message.assistant("hi")])
    model = ScriptedModel([reply("TALK")])
    await RouterAgentStep(Intent, model=model).run("and you?", conversation=conversation)
    assert [message.text for message in model.requests[0].messages] == ["hello", "hi", "and you?"]
    assert len(conversation.messages) == 2


@pytest.mark.parametrize("wrong", [reply("DANCE"), reply("SUM", confidence=7), Reply("sum, I think")])
async def test_an_answer_outside_the_enum_is_corrected(wrong: Reply) -> None:
    model = ScriptedModel([wrong, reply("SUM")])
    result = await RouterAgentStep(Intent, model=model).run("1 + 1")
    assert result.value.option is Intent.SUM
    assert result.metrics.cognitive_retries == 1


def test_members_travel_by_name() -> None:
    """F-86."""
    intention = Intention[Intent](option=Intent.SUM, request="x")
    dumped = intention.model_dump(mode="json")
    assert dumped["option"] == "SUM"
    assert Intention[Intent].model_validate(dumped) == intention


class Twins(Enum):
    A = "the same"
    B = "the same"  # noqa: PIE796 - what is refused


class Cousins(Enum):
    A = Option("the same", examples=["x"])
    B = Option("the same")


class Empty(Enum):
    pass


class Numbers(Enum):
    ONE = 1


@pytest.mark.parametrize("options", [Twins, Cousins, Empty, Numbers, "not an enum"])
def test_an_enum_that_cannot_be_told_apart_is_refused(options: Any) -> None:
    """F-86."""
    with pytest.raises(PipelineTypeError):
        RouterAgentStep(options, model=ScriptedModel([]))
