"""The rules of OpenAI's responses (F-46): what it accepts, and what it refuses with which reason."""

from typing import Any

import pytest

from batuta.simulator import validate_request

ASK = {"role": "user", "content": "What is 1 + 2?"}
CLOSED = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
TOOL = {"type": "function", "name": "add", "parameters": CLOSED}
REASONING = {"type": "reasoning", "id": "rs_0a1b", "summary": []}


def call(call_id: str, item_id: str | None = None) -> dict[str, Any]:
    item = {"type": "function_call", "call_id": call_id, "name": "add", "arguments": "{}"}
    return {**item, "id": item_id} if item_id else item


def output(call_id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": "3"}


def body(*items: dict[str, Any], **extra: Any) -> dict[str, Any]:
    return {"model": "gpt-5", "input": list(items), **extra}


ACCEPTED: dict[str, dict[str, Any]] = {
    "a plain string": {"model": "gpt-5", "input": "Hello"},
    "one question": body(ASK),
    "a tool loop": body(ASK, call("a"), output("a")),
    "outputs apart from their calls": body(ASK, call("a"), call("b"), ASK, output("b"), output("a")),
    "reasoning before its call": body(ASK, REASONING, call("a", "fc_0a1b_1"), output("a")),
    "reasoning before its message": body(ASK, REASONING, {"role": "assistant", "content": "3"}, ASK),
    "a continued response nobody can judge": body(output("a"), previous_response_id="resp_1"),
    "a forced function": body(ASK, tools=[TOOL], tool_choice={"type": "function", "name": "add"}),
    "a strict schema": body(
        ASK, text={"format": {"type": "json_schema", "name": "n", "strict": True, "schema": CLOSED}}
    ),
    "a server tool": body(ASK, tools=[{"type": "web_search"}]),
}

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "nothing at all": ({"model": "gpt-5"}, "one of input"),
    "no model": ({"input": "Hello"}, "model: field required"),
    "an input of the wrong type": ({"model": "gpt-5", "input": 3}, "a string or an array"),
    "a call without an output": (body(ASK, call("a")), "no tool output found for function_call a"),
    "one of two outputs missing": (body(ASK, call("a"), call("b"), output("a")), "function_call b"),
    "an output without a call": (body(ASK, output("a")), "no tool call found for function_call_output with call_id a"),
    "an output twice": (body(ASK, call("a"), output("a"), output("a")), "more than one function_call_output"),
    "an output before its call": (body(ASK, output("a"), call("a")), "stands before its call"),
    "reasoning at the end": (body(ASK, REASONING), "without its required following item"),
    "reasoning before a user": (body(ASK, REASONING, ASK), "without its required following item"),
    "a call robbed of its reasoning": (
        body(ASK, call("a", "fc_0a1b_1"), output("a")),
        "without its required 'reasoning' item 'rs_0a1b'",
    ),
    "a call under its call id": (body(ASK, call("a", "call_1"), output("a")), "begins with 'fc'"),
    "a message under a wrong id": (body(ASK, {"role": "assistant", "content": "3", "id": "rs_1"}), "begins with 'msg'"),
    "an unknown role": (body({"role": "tool", "content": "x"}), "input[0].role"),
    "input text by the assistant": (
        body(ASK, {"role": "assistant", "content": [{"type": "input_text", "text": "3"}]}),
        "'input_text' does not fit",
    ),
    "output text by the user": (
        body({"role": "user", "content": [{"type": "output_text", "text": "3"}]}),
        "'output_text' does not fit",
    ),
    "arguments that are no string": (
        body(ASK, {**call("a"), "arguments": {}}, output("a")),
        "arguments: must be a string",
    ),
    "an output that is an object": (body(ASK, call("a"), {**output("a"), "output": {}}), "output: must be a string"),
    "the tools of chat completions": (
        body(ASK, tools=[{"type": "function", "function": {"name": "add"}}]),
        "beside type",
    ),
    "the format of chat completions": (body(ASK, response_format={"type": "text"}), "moved to text.format"),
    "a function without a name": (body(ASK, tools=[{"type": "function", "parameters": CLOSED}]), "tools[0].name"),
    "two functions of one name": (body(ASK, tools=[TOOL, TOOL]), "unique, add"),
    "a choice of an unknown function": (
        body(ASK, tool_choice={"type": "function", "name": "x"}),
        "not among the tools",
    ),
    "a strict schema left open": (
        body(ASK, text={"format": {"type": "json_schema", "name": "n", "strict": True, "schema": {"type": "object"}}}),
        "text.format.schema",
    ),
    "two ways to continue": (body(ASK, previous_response_id="r", conversation="c"), "cannot be used together"),
    "too few output tokens": (body(ASK, max_output_tokens=5), "at least 16"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_it_accepts(name: str) -> None:
    assert validate_request("openai_responses", ACCEPTED[name]) == []


@pytest.mark.parametrize("name", REFUSED)
def test_it_refuses_and_says_why(name: str) -> None:
    request, reason = REFUSED[name]

    assert reason in "; ".join(validate_request("openai_responses", request))


def test_an_output_may_answer_a_call_of_the_previous_response() -> None:
    request = body(output("a"), previous_response_id="resp_1")

    assert validate_request("openai_responses", request, earlier=[ASK, call("a")]) == []


def test_a_call_of_the_previous_response_still_needs_its_output() -> None:
    request = body(ASK, previous_response_id="resp_1")

    assert "no tool output found" in validate_request("openai_responses", request, earlier=[ASK, call("a")])[0]


def test_an_unknown_previous_response_is_refused() -> None:
    request = body(ASK, previous_response_id="resp_9")

    assert "'resp_9'" in validate_request("openai_responses", request, earlier=None)[0]
