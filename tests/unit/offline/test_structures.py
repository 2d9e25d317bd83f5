"""Whatever structure is asked for, the built-in model answers with a valid one (A-40)."""

import json
from enum import Enum
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from batuta.llm.model import OutputSpec
from batuta.offline.structures import Structure
from tests.unit.offline.asking import asked, request

scalars: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("string")},
        optional={"minLength": st.integers(0, 5), "maxLength": st.integers(5, 20)},
    ),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["integer", "number"])},
        optional={"minimum": st.integers(-5, 5), "maximum": st.integers(5, 20)},
    ),
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.fixed_dictionaries({"enum": st.lists(st.text(max_size=5) | st.integers(), min_size=1)}),
    st.fixed_dictionaries({"const": st.text(max_size=5)}),
    st.fixed_dictionaries({"type": st.just("number"), "exclusiveMinimum": st.integers(-3, 3)}),
    st.fixed_dictionaries({"type": st.just("integer"), "exclusiveMaximum": st.integers(-3, 3)}),
)


def compound(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    arrays = st.fixed_dictionaries({"type": st.just("array"), "items": inner}, optional={"minItems": st.integers(0, 3)})
    objects = st.dictionaries(st.text(min_size=1, max_size=8), inner, max_size=4).map(
        lambda properties: {"type": "object", "properties": properties, "required": list(properties)[::2]}
    )
    unions = st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)})
    return arrays | objects | unions


@given(st.recursive(scalars, compound, max_leaves=12), st.text(max_size=30))
def test_a_value_of_any_schema_is_valid(schema: dict[str, Any], text: str) -> None:
    jsonschema.validate(Structure(schema, text).value(), schema)


class Mood(Enum):
    HAPPY = "happy"
    SAD = "sad"


class Node(BaseModel):
    name: str
    mood: Mood
    parent: "Node | None" = None
    children: list["Node"] = []
    confidence: float = Field(ge=0, le=1)
    score: int = Field(gt=0)


async def test_a_model_that_refers_to_itself_is_filled_in() -> None:
    output = OutputSpec(name="Node", schema=Node.model_json_schema())
    answer = await asked(request("I am sad today", output=output))
    node = Node.model_validate_json(answer.text)
    assert node.mood is Mood.SAD
    assert node.confidence < 0.5


def test_a_schema_that_never_ends_ends() -> None:
    schema = {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "string"}]}}, "$ref": "#/$defs/a"}
    assert isinstance(Structure(schema, "x").value(), str)


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"$ref": "#/nowhere"}, {"type": []}])
def test_a_schema_that_says_nothing_gets_something(schema: dict[str, Any]) -> None:
    json.dumps(Structure(schema, "x").value())
