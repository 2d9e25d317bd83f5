"""A request is read into the same facts whatever format it came in."""

import pytest

from batuta.simulator import PROVIDERS, Provider
from batuta.simulator.answers import Json
from batuta.simulator.wire import DIALECTS
from batuta.simulator.wire.asked import OfferedTool, ToolResult, WireRequest

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}

TOOL_LOOPS: dict[Provider, Json] = {
    "anthropic": {
        "model": "m-1",
        "stream": True,
        "thinking": {"type": "enabled", "budget_tokens": 2000},
        "tools": [{"name": "add", "input_schema": SCHEMA}],
        "tool_choice": {"type": "tool", "name": "add"},
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
        "messages": [
            {"role": "user", "content": "sum it"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "add", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "3"}]},
        ],
    },
    "openai_chat": {
        "model": "m-1",
        "stream": True,
        "reasoning_effort": "low",
        "tools": [{"type": "function", "function": {"name": "add", "parameters": SCHEMA}}],
        "tool_choice": {"type": "function", "function": {"name": "add"}},
        "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}},
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "sum it"}]},
            {"role": "assistant", "tool_calls": [{"id": "t1", "type": "function", "function": {"name": "add"}}]},
            {"role": "tool", "tool_call_id": "t1", "content": "3"},
        ],
    },
    "openai_responses": {
        "model": "m-1",
        "stream": True,
        "reasoning": {"effort": "low"},
        "tools": [{"type": "function", "name": "add", "parameters": SCHEMA}],
        "tool_choice": {"type": "function", "name": "add"},
        "text": {"format": {"type": "json_schema", "name": "n", "schema": SCHEMA}},
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "sum it"}]},
            {"type": "function_call", "call_id": "t1", "name": "add", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "t1", "output": "3"},
        ],
    },
    "google": {
        "model": "models/m-1",
        "stream": True,
        "tools": [{"function_declarations": [{"name": "add", "parameters": SCHEMA}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["add"]}},
        "generationConfig": {"responseSchema": SCHEMA, "thinkingConfig": {"includeThoughts": True}},
        "contents": [
            {"role": "user", "parts": [{"text": "sum it"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "add", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "add", "response": {"result": 3}}}]},
        ],
    },
}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_tool_loop_is_read_alike_in_every_format(provider: Provider) -> None:
    """F-46"""
    body = TOOL_LOOPS[provider]
    result = '{"result":3}' if provider == "google" else "3"

    assert DIALECTS[provider].read(body) == WireRequest(
        provider=provider,
        model="m-1",
        body=body,
        streaming=True,
        last_user_text="sum it",
        tools=(OfferedTool(name="add", parameters=SCHEMA),),
        tool_results=(ToolResult(name="add", text=result),),
        forced_tool="add",
        output_schema=SCHEMA,
        wants_thinking=True,
    )


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_empty_body_is_read_as_asking_for_nothing(provider: Provider) -> None:
    assert DIALECTS[provider].read({}) == WireRequest(provider=provider, model="", body={})


def test_a_plain_string_is_the_last_user_text_of_a_response_request() -> None:
    assert DIALECTS["openai_responses"].read({"input": "Hello"}).last_user_text == "Hello"
