"""The default scenario answers from the request alone."""

from typing import Any

import pytest

from batuta.simulator.answers import PlannedThinking, PlannedToolCall, Text
from batuta.simulator.echo import echo
from batuta.simulator.samples import sample
from batuta.simulator.wire.asked import OfferedTool, ToolResult, WireRequest

ADD = OfferedTool(name="add", parameters={"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}}})


def asked(text: str = "", **facts: Any) -> WireRequest:
    return WireRequest(provider="anthropic", model="m", body={}, last_user_text=text, **facts)


def test_it_repeats_what_was_said() -> None:
    assert echo(asked("Hello")).blocks == (Text(text="You said: Hello"),)


def test_it_calls_a_tool_when_told_to() -> None:
    """F-46"""
    (call,) = echo(asked('Please use tool add with {"a": 1, "b": {"c": "}"}} now')).blocks

    assert call == PlannedToolCall(type="tool_call", name="add", arguments={"a": 1, "b": {"c": "}"}})


def test_two_tools_in_one_sentence_are_parallel_calls() -> None:
    blocks = echo(asked('use tool add with {"a": 1} and tool files.read with {}')).blocks

    assert [block.name for block in blocks if isinstance(block, PlannedToolCall)] == ["add", "files.read"]


def test_arguments_that_are_no_json_make_no_call() -> None:
    (block,) = echo(asked("use tool add with {a: 1")).blocks

    assert isinstance(block, Text)


def test_it_repeats_a_tool_result_instead_of_calling_again() -> None:
    question = asked("use tool add with {}", tool_results=(ToolResult(name="add", text="3"),))

    assert echo(question).blocks == (Text(text="add answered 3"),)


@pytest.mark.parametrize("forced", ["add", "*"])
def test_a_forced_tool_is_called_with_sample_arguments(forced: str) -> None:
    (call,) = echo(asked("Hello", tools=(ADD,), forced_tool=forced)).blocks

    assert call == PlannedToolCall(type="tool_call", name="add", arguments={"a": 3})


def test_a_schema_is_filled() -> None:
    (block,) = echo(asked("Hello", output_schema={"type": "object", "properties": {"ok": {"type": "boolean"}}})).blocks

    assert block == Text(text='{"ok": false}')


def test_it_thinks_when_thinking_is_asked_for() -> None:
    assert isinstance(echo(asked("Hello", wants_thinking=True)).blocks[0], PlannedThinking)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "minLength": 6}, "textxx"),
        ({"type": "string", "maxLength": 2}, "te"),
        ({"type": "string", "format": "date"}, "2026-01-01"),
        ({"type": "integer", "exclusiveMinimum": 4}, 5),
        ({"type": "number", "maximum": -2}, -2),
        ({"type": "INTEGER"}, 0),
        ({"type": ["null", "string"]}, None),
        ({"enum": ["red", "green"]}, "red"),
        ({"const": 7}, 7),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, False),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [0, 0]),
        ({"type": "array", "items": {"type": "integer"}, "minItems": "1"}, [0]),
        ({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b"]}, {"b": "text"}),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "integer"}}}, 0),
        ({"$ref": "#"}, "text"),
    ],
)
def test_a_sample_fits_its_schema(schema: dict[str, Any], value: Any) -> None:
    assert sample(schema) == value


def test_a_schema_that_contains_itself_has_a_finite_sample() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#"}}}

    assert "None" in str(sample(node))
