"""Pictures in a message or in a tool's result reach the model as pictures, not as base64 text (F-40, F-92)."""

import json
from typing import Any

import pytest
from pydantic import BaseModel

from batuta.kernel.messages import ImageBlock, Message, TextBlock, ToolResultBlock, separated
from batuta.llm.anthropic import encode as anthropic
from batuta.llm.google import encode as google
from batuta.llm.model import ModelRequest
from batuta.llm.openai import encode_chat as openai_chat
from batuta.llm.openai import encode_responses as openai_responses
from batuta.steps.agent import AgentStep
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools.tool import tool

ENCODED = "aGVsbG8="
PICTURE = ImageBlock(media_type="image/png", data=ENCODED.encode())
ENCODERS = {
    "anthropic": anthropic.encode_request,
    "chat": openai_chat.encode_request,
    "responses": openai_responses.encode_request,
    "google": google.encode_request,
}


class Invoice(BaseModel):
    """Something with a picture in it."""

    number: int
    scan: ImageBlock


async def asked(value: Any, **options: Any) -> Message:
    model = ScriptedModel([Reply("seen")])
    agent: AgentStep[Any, str] = AgentStep(name="look", model=model, input=type(value), output=str, **options)
    await agent.run(value)
    return model.requests[0].messages[-1]


@pytest.mark.parametrize("value", [PICTURE, Message.user("What is it?", PICTURE), Invoice(number=7, scan=PICTURE)])
async def test_a_picture_in_the_input_is_attached(value: Any) -> None:
    message = await asked(value)
    assert PICTURE in message.content
    assert ENCODED not in message.text


async def test_a_template_names_the_picture_that_is_attached() -> None:
    message = await asked(Invoice(number=7, scan=PICTURE), prompt="Check invoice {number}: {scan}")
    assert message.content == (TextBlock(text="Check invoice 7: [image]"), PICTURE)


@pytest.mark.parametrize("dialect", ENCODERS)
async def test_a_picture_that_a_tool_gives_reaches_every_provider_as_one(dialect: str) -> None:
    @tool(effect="read")
    async def draw(what: str) -> list[Any]:
        """Draw something."""
        return ["a cat", PICTURE]

    model = ScriptedModel([Reply(tool_calls=[ToolCall("draw", {"what": "cat"})]), Reply("a cat")])
    await AgentStep(name="look", model=model, output=str, tools=[draw]).run("draw a cat")
    (result,) = model.requests[1].tool_results
    assert (result.content, result.attachments) == ('["a cat","[image 1]"]', (PICTURE,))
    body = ENCODERS[dialect](model.requests[1], "a-model")
    assert pictures_in(body) == 1


def pictures_in(body: Any) -> int:
    """How often the picture stands where a provider looks for one."""
    if isinstance(body, dict):
        own = body.get("type") in ("image", "image_url", "input_image") or "inline_data" in body
        return int(own) + (0 if own else sum(map(pictures_in, body.values())))
    return sum(map(pictures_in, body)) if isinstance(body, list) else 0


async def test_a_result_that_comes_from_a_journal_has_its_picture_again() -> None:
    """It is written as JSON and read again."""
    block = ToolResultBlock(tool_use_id="1", content="x", attachments=(PICTURE,))
    assert ToolResultBlock.model_validate(json.loads(block.model_dump_json())) == block
    assert ModelRequest(messages=(Message.tool([block]),)).messages[0].content == (block,)


def test_a_value_without_attachments_stays_as_it_is() -> None:
    value = {"rows": [{"name": "x"}]}
    assert separated(value) == (value, ())
