"""What an agent is declared with: outputs, prompts, numbers and names, refused when they make no sense."""

import json
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel

from batuta import AgentStep, ChatAgentStep, PipelineTypeError
from batuta.steps.correction import MIN_FEEDBACK_TOKENS
from batuta.testing import Reply, ScriptedModel
from tests.unit.steps.adders import GOOD, Sum, adder


@pytest.mark.parametrize(
    ("output", "text", "value"),
    [
        (str, "hello", "hello"),
        (list[int], "[1, 2]", [1, 2]),
        (Sum | None, "null", None),
        (Sum | None, '{"total": 1}', Sum(total=1)),
        (dict[str, int], '{"a": 1}', {"a": 1}),
    ],
)
async def test_output_takes_any_type_form(output: Any, text: str, value: object) -> None:
    """F-85."""
    agent = AgentStep(name="any", model=ScriptedModel([Reply(text)]), output=output)
    assert (await agent.run("x")).value == value


async def test_a_pydantic_input_is_sent_as_json_and_a_template_is_filled() -> None:
    """F-20b."""

    class Order(BaseModel):
        sku: str
        quantity: int

    plain = ScriptedModel([Reply("ok")])
    await AgentStep(name="a", model=plain, input=Order, output=str).run(Order(sku="A", quantity=2))
    assert plain.requests[0].messages[0].text == '{"sku":"A","quantity":2}'
    filled = ScriptedModel([Reply("ok")])
    agent = AgentStep(name="a", model=filled, input=Order, output=str, prompt="{quantity} of {sku} {{now}}")
    await agent.run(Order(sku="A", quantity=2))
    assert filled.requests[0].messages[0].text == "2 of A {now}"


async def test_the_structure_is_told_as_json() -> None:
    """F-29: a provider without a mechanism of its own reads a schema, not a Python dictionary."""
    model = ScriptedModel([GOOD])
    await adder(model).run("x")
    assert json.loads(model.requests[0].system.splitlines()[-1]) == Sum.model_json_schema()


async def test_fields_are_written_into_a_template_as_a_reader_expects_them() -> None:
    """F-20b: dates and amounts without quotes, formats as they are asked for, members by their value."""

    class Size(str, Enum):  # noqa: UP042 - many write it so
        LARGE = "large"

    class Order(BaseModel):
        due: date
        total: Decimal
        size: Size
        tags: list[str]

    model = ScriptedModel([Reply("ok")])
    prompt = "{size} by {due}, {due:%d %B}: {total} ({total:.1f}) {tags}"
    agent = AgentStep(name="a", model=model, input=Order, output=str, prompt=prompt)
    await agent.run(Order(due=date(2026, 1, 2), total=Decimal("9.50"), size=Size.LARGE, tags=["x"]))
    assert model.requests[0].messages[0].text == 'large by 2026-01-02, 02 January: 9.50 (9.5) ["x"]'


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prompt": "{colour}"}, "colour"),
        ({"prompt": "{unclosed"}, "template"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"max_semantic": 4}, "max_semantic"),
        ({"max_tool_iterations": 0}, "max_tool_iterations"),
        ({"tools": [lambda: 1]}, "tool"),
        ({"temprature": 1}, "temprature"),
        ({"prompt": "{input:{width}}"}, "width"),
        ({"fallback": "by rule"}, "a fallback is a step"),
        ({"description": ["Writes Python."]}, "description is text"),
        ({"prompt": 7}, "prompt is text"),
        ({"settings": {"temperature": 0.2}}, "ModelSettings"),
        ({"tags": ["file"]}, "a tag is declared as"),
    ],
)
def test_wrong_declarations_are_found_when_built(options: dict[str, Any], words: str) -> None:
    with pytest.raises(PipelineTypeError, match=words):
        adder(ScriptedModel([]), **options)


def test_a_model_that_is_none_is_found_when_built() -> None:
    nothing: Any = None
    with pytest.raises(PipelineTypeError, match="a model is a name"):
        adder(nothing)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("feedback_tokens", -1),
        ("feedback_tokens", MIN_FEEDBACK_TOKENS - 1),
        ("min_confidence", 7),
        ("min_confidence", -0.1),
        ("min_confidence", float("nan")),
        ("max_attempts", 0),
        ("max_attempts", 2.5),
        ("max_structural", 0),
        ("max_semantic", True),
        ("max_tool_iterations", 0),
        ("timeout", -1),
    ],
)
def test_a_number_that_makes_no_sense_is_refused_when_the_agent_is_built(option: str, value: Any) -> None:
    with pytest.raises(PipelineTypeError, match=r"^a: "):
        AgentStep(name="a", model=ScriptedModel([]), output=Sum, **{option: value})


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("nonsense", "a model is named provider:model"),
        ("", "a model is named provider:model"),
        ("openai:", "a model is named provider:model"),
        ("opnai:gpt-5.2", "unknown provider 'opnai'"),
        ("offline:other", "there is one offline model"),
    ],
)
def test_a_name_that_no_provider_answers_to_is_refused_when_the_agent_is_built(model: str, reason: str) -> None:
    """F-41: the first call would be too late. Neither a key nor an SDK is needed to tell."""
    with pytest.raises(PipelineTypeError, match=f"^a: {reason}"):
        AgentStep(name="a", model=model, output=str)
    with pytest.raises(PipelineTypeError, match=r"^chat: summary_model: "):
        ChatAgentStep(name="chat", model=ScriptedModel([]), summary_model=model)
    good = AgentStep(name="a", model="anthropic/claude-sonnet-4-6", output=str)
    with pytest.raises(PipelineTypeError, match=reason), good.override(model=model):
        pass


def test_instructions_of_a_wrong_type_are_found_when_built() -> None:
    with pytest.raises(PipelineTypeError, match="write: instructions is text"):
        AgentStep(name="write", model=ScriptedModel([]), output=str, instructions=["Write."])  # type: ignore[call-overload]
