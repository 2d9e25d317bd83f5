"""The limits of strict schemas, as the providers publish them."""

from typing import Any

import pytest

from batuta.simulator.rules.schemas import anthropic_output, openai_root, openai_strict


def closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        "$defs": {"Node": {"type": "object", "properties": {}, "additionalProperties": False}},
    }


CIRCLE = {"type": "array", "items": {"$ref": "#/$defs/Node"}}
ANTHROPIC: dict[str, tuple[dict[str, Any], str]] = {
    "a range": (closed(a={"type": "number", "minimum": 0}), "properties minimum are not supported"),
    "a length": (closed(a={"type": "string", "maxLength": 3}), "properties maxLength are not supported"),
    "a long list": (closed(a={"type": "array", "items": {"type": "string"}, "minItems": 2}), "minItems"),
    "an open object": (closed(a={"type": "object"}), "additionalProperties"),
    "a circle": ({**closed(), "$defs": {"Node": CIRCLE}}, "circular"),
}
OPENAI: dict[str, tuple[dict[str, Any], str]] = {
    "words beside a reference": (closed(a={"$ref": "#/$defs/Node", "description": "x"}), "$ref cannot have keywords"),
    "oneOf": (closed(a={"oneOf": [{"type": "string"}]}), "'oneOf' is not permitted"),
    "no type": (closed(a={"title": "A"}), "must have a 'type' key"),
    "an unknown format": (closed(a={"type": "string", "format": "uri"}), "'uri' is not a valid format"),
    "look-around": (closed(a={"type": "string", "pattern": "^(?!x)"}), "look-around"),
    "an optional property": ({**closed(a={"type": "string"}), "required": []}, "missing a"),
}


@pytest.mark.parametrize("kind", ANTHROPIC)
def test_anthropic_refuses(kind: str) -> None:
    schema, words = ANTHROPIC[kind]
    assert any(words in problem for problem in anthropic_output(schema, "schema"))


@pytest.mark.parametrize("kind", OPENAI)
def test_openai_refuses(kind: str) -> None:
    schema, words = OPENAI[kind]
    assert any(words in problem for problem in openai_strict(schema, "schema"))


def test_openai_refuses_an_answer_that_is_no_object() -> None:
    assert list(openai_root({"type": "array"}, "schema"))


def test_both_take_a_plain_closed_schema() -> None:
    schema = closed(a={"type": "string", "format": "date"}, b={"$ref": "#/$defs/Node"})
    assert [*anthropic_output(schema, "s"), *openai_strict(schema, "s"), *openai_root(schema, "s")] == []
