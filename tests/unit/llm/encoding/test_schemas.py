"""Structures as developers declare them reach each provider in the form it takes, or not at all."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Generic, Literal, TypeVar

import pytest
from pydantic import BaseModel, Field, HttpUrl, TypeAdapter

from batuta import AgentStep, RouterAgentStep
from batuta.llm.anthropic import encode as anthropic
from batuta.llm.encoding.schemas import anthropic_schema, openai_schema
from batuta.llm.model import OutputSpec
from batuta.llm.openai import encode_chat as openai_chat
from batuta.llm.openai import encode_responses as openai_responses
from batuta.simulator import Provider, validate_request
from batuta.testing import ScriptedModel
from tests.unit.llm.encoding.conversations import asked

T = TypeVar("T")


class Line(BaseModel):
    item: str = Field(min_length=1, max_length=40, pattern="^[a-z]+$")
    count: int = Field(1, ge=1, le=99)


class Order(BaseModel):
    number: str = Field(examples=["A-1"])
    lines: list[Line] = Field(min_length=2, max_length=9)
    first: Line = Field(description="the one to pack first")
    second: Line | None = Field(None, description="may be missing")
    confidence: float = Field(ge=0, le=1)


class Money(BaseModel):
    amount: Decimal
    due: date
    page: HttpUrl


class Card(BaseModel):
    kind: Literal["card"]


class Cash(BaseModel):
    kind: Literal["cash"]


class Payment(BaseModel):
    means: Annotated[Card | Cash, Field(discriminator="kind")]


class Node(BaseModel):
    name: str
    children: list["Node"] = []


class Free(BaseModel):
    facts: dict[str, int]


class Anything(BaseModel):
    value: Any


class Pair(BaseModel):
    both: tuple[int, str]


class Unique(BaseModel):
    tags: set[str]


class Box(BaseModel, Generic[T]):
    content: T


class Topic(Enum):
    SALES = "questions about buying"
    HELP = "something is broken"


OUTPUTS: dict[str, Any] = {
    "limits": Order,
    "money": Money,
    "a discriminated union": Payment,
    "recursion": Node,
    "free keys": Free,
    "anything": Anything,
    "a tuple": Pair,
    "a set": Unique,
    "a generic": Box[int],
    "a list": list[Line],
    "a union": Card | Cash,
    "an optional": Line | None,
    "a number": int,
    "an enum": Topic,
}
ENCODERS: dict[Provider, Callable[..., Any]] = {
    "anthropic": anthropic.encode_request,
    "openai_chat": openai_chat.encode_request,
    "openai_responses": openai_responses.encode_request,
}


@pytest.mark.parametrize("provider", ENCODERS)
@pytest.mark.parametrize("kind", OUTPUTS)
def test_no_declared_output_makes_a_request_that_is_refused(kind: str, provider: Provider) -> None:
    """F-29, F-85."""
    agent = AgentStep(name="reads orders, fast", model=ScriptedModel([]), output=OUTPUTS[kind])
    body = ENCODERS[provider](asked(output=agent.output_spec), "a-model")
    assert validate_request(provider, body) == []


@pytest.mark.parametrize("provider", ENCODERS)
def test_a_router_is_taken_natively_by_every_provider(provider: Provider) -> None:
    """F-26, F-29: its confidence has a range, which Anthropic refuses in a schema."""
    router = RouterAgentStep(Topic, model=ScriptedModel([]))
    body = ENCODERS[provider](asked(output=router.output_spec), "a-model")
    assert validate_request(provider, body) == []
    assert "output_config" in body or "response_format" in body or "text" in body


NATIVE = ["limits", "money", "a discriminated union", "a set", "a generic"]


@pytest.mark.parametrize("kind", NATIVE)
def test_what_can_be_said_strictly_is(kind: str) -> None:
    schema = TypeAdapter(OUTPUTS[kind]).json_schema()
    assert anthropic_schema(schema) is not None
    assert openai_schema(schema) is not None


@pytest.mark.parametrize("kind", ["free keys", "anything", "a tuple"])
def test_what_would_change_its_shape_is_not_said_strictly(kind: str) -> None:
    schema = TypeAdapter(OUTPUTS[kind]).json_schema()
    assert anthropic_schema(schema) is None
    assert openai_schema(schema) is None


def test_recursion_is_for_openai_alone() -> None:
    schema = Node.model_json_schema()
    assert anthropic_schema(schema) is None
    strict = openai_schema(schema)
    assert strict is not None
    assert strict["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}


def test_openai_keeps_the_limits_that_it_takes() -> None:
    strict = openai_schema(Order.model_json_schema())
    assert strict is not None
    assert strict["$defs"]["Line"]["properties"]["count"]["maximum"] == 99
    assert strict["$defs"]["Line"]["properties"]["item"]["pattern"] == "^[a-z]+$"
    assert strict["properties"]["first"] == {"$ref": "#/$defs/Line"}


def test_the_schema_given_is_not_changed() -> None:
    schema = Order.model_json_schema()
    anthropic_schema(schema)
    openai_schema(schema)
    assert schema == Order.model_json_schema()


def test_an_answer_that_is_no_object_is_left_to_the_parser_of_openai() -> None:
    output = OutputSpec(name="lines", schema=TypeAdapter(list[Line]).json_schema())
    assert "response_format" not in openai_chat.encode_request(asked(output=output), "gpt-5")
    assert "text" not in openai_responses.encode_request(asked(output=output), "gpt-5")
