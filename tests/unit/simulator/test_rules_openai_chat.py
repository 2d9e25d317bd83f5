"""The rules of OpenAI's chat completions (F-46): what it accepts, and what it refuses with which reason."""

from typing import Any

import pytest

from batuta.simulator import validate_request

ASK = {"role": "user", "content": "What is 1 + 2?"}
CLOSED = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
TOOL = {"type": "function", "function": {"name": "add", "parameters": CLOSED}}


def call(*ids: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": call_id, "type": "function", "function": {"name": "add", "arguments": "{}"}} for call_id in ids
        ],
    }


def answer(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "3"}


def body(*messages: dict[str, Any], **extra: Any) -> dict[str, Any]:
    return {"model": "gpt-4.1", "messages": list(messages), **extra}


def schema_format(schema: dict[str, Any], **extra: Any) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "sum", "schema": schema, **extra}}}


ACCEPTED = {
    "one question": body(ASK),
    "a system prompt anywhere": body({"role": "developer", "content": "Be brief."}, ASK),
    "a tool loop": body(ASK, call("a"), answer("a")),
    "parallel calls answered in another order": body(ASK, call("a", "b"), answer("b"), answer("a")),
    "two rounds of calls": body(ASK, call("a"), answer("a"), call("b"), answer("b"), ASK),
    "a refusal in the history": body(ASK, {"role": "assistant", "refusal": "No."}, ASK),
    "a strict schema": body(ASK, **schema_format(CLOSED, strict=True)),
    "an open schema that is not strict": body(ASK, **schema_format({"type": "object"})),
    "json mode that says json": body(
        {"role": "user", "content": "Answer in JSON"}, response_format={"type": "json_object"}
    ),
    "usage in a stream": body(ASK, stream=True, stream_options={"include_usage": True}),
    "a forced tool": body(ASK, tools=[TOOL], tool_choice={"type": "function", "function": {"name": "add"}}),
}

REFUSED = {
    "no messages": (body(), "messages: must not be empty"),
    "no model": ({"messages": [ASK]}, "model: field required"),
    "an unknown role": (body({"role": "model", "content": "x"}), "messages[0].role"),
    "a user message without content": (body({"role": "user", "content": None}), "messages[0].content"),
    "an assistant that says nothing": (body(ASK, {"role": "assistant"}), "needs content or tool_calls"),
    "an empty list of calls": (body(ASK, {"role": "assistant", "content": "x", "tool_calls": []}), "empty array"),
    "a call without an answer": (body(ASK, call("a"), ASK), "missing a"),
    "a call at the end": (body(ASK, call("a")), "missing a"),
    "one of two answers missing": (body(ASK, call("a", "b"), answer("a")), "missing b"),
    "an answer after something else": (body(ASK, call("a"), ASK, answer("a")), "no call a is open"),
    "an answer without a call": (body(ASK, answer("a")), "must respond to a preceding message"),
    "an answer to a call of an earlier round": (
        body(ASK, call("a"), answer("a"), ASK, answer("a")),
        "no call a is open",
    ),
    "an answer with a wrong id": (body(ASK, call("a"), answer("x")), "no call x is open"),
    "an answer twice": (body(ASK, call("a"), answer("a"), answer("a")), "was answered before"),
    "arguments that are no string": (
        body(
            ASK, {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"arguments": {}}}]}
        ),
        "arguments: must be a string",
    ),
    "a call without a type": (
        body(ASK, {"role": "assistant", "tool_calls": [{"id": "a", "function": {"arguments": "{}"}}]}, answer("a")),
        "needs an id and the type",
    ),
    "a function name with spaces": (
        body(ASK, tools=[{"type": "function", "function": {"name": "add it"}}]),
        "'add it' must match",
    ),
    "two functions of one name": (body(ASK, tools=[TOOL, TOOL]), "unique, add"),
    "an empty list of tools": (body(ASK, tools=[]), "tools: must not be an empty array"),
    "a choice without tools": (body(ASK, tool_choice="required"), "tool_choice: only allowed"),
    "parallel calls without tools": (body(ASK, parallel_tool_calls=False), "parallel_tool_calls: only allowed"),
    "a choice of an unknown function": (
        body(ASK, tools=[TOOL], tool_choice={"type": "function", "function": {"name": "x"}}),
        "'x' is not among the tools",
    ),
    "json mode without the word": (body(ASK, response_format={"type": "json_object"}), "the word 'json'"),
    "a strict schema left open": (
        body(ASK, **schema_format({"type": "object", "properties": {}}, strict=True)),
        "'additionalProperties' must be supplied and false",
    ),
    "a strict schema with an optional field": (
        body(ASK, **schema_format({**CLOSED, "required": []}, strict=True)),
        "missing a",
    ),
    "a strict schema open deep inside": (
        body(ASK, **schema_format({**CLOSED, "properties": {"a": {"items": {"type": "object"}}}}, strict=True)),
        "schema.properties.a.items",
    ),
    "a schema without a name": (
        body(ASK, response_format={"type": "json_schema", "json_schema": {"schema": CLOSED}}),
        "json_schema.name",
    ),
    "stream options without a stream": (body(ASK, stream_options={"include_usage": True}), "stream is enabled"),
    "max_tokens for a reasoning model": ({**body(ASK, max_tokens=10), "model": "gpt-5"}, "max_completion_tokens"),
    "a temperature above two": (body(ASK, temperature=3), "between 0 and 2"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_it_accepts(name: str) -> None:
    assert validate_request("openai_chat", ACCEPTED[name]) == []


@pytest.mark.parametrize("name", REFUSED)
def test_it_refuses_and_says_why(name: str) -> None:
    request, reason = REFUSED[name]

    assert reason in "; ".join(validate_request("openai_chat", request))
