"""A history that a client sends back as it was received is accepted; one that lost a piece is refused (F-46)."""

from typing import Any

import anthropic
import openai
import pytest
from google.genai import errors as google_errors
from google.genai import types as google_types

from batuta.simulator import Simulator
from tests.integration.simulator.clients import Clients, read_google

PROMPT = 'use tool add with {"a": 1, "b": 2} and tool sub with {"a": 9, "b": 4}'
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
NAMES = ("add", "sub")
ANTHROPIC: dict[str, Any] = {
    "model": "claude-sonnet-5",
    "max_tokens": 4096,
    "thinking": {"type": "enabled", "budget_tokens": 2048},
    "tools": [{"name": name, "input_schema": SCHEMA} for name in NAMES],
}
CHAT_TOOLS: list[Any] = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in NAMES]
RESPONSES_TOOLS: list[Any] = [
    {"type": "function", "name": name, "parameters": SCHEMA, "strict": False} for name in NAMES
]


async def test_anthropic_accepts_its_thinking_and_calls_back(clients: Clients, simulator: Simulator) -> None:
    asked: Any = {"role": "user", "content": PROMPT}
    first = await clients.anthropic.messages.create(**ANTHROPIC, messages=[asked])
    results: Any = [
        {"type": "tool_result", "tool_use_id": block.id, "content": "3"}
        for block in first.content
        if block.type == "tool_use"
    ]

    second = await clients.anthropic.messages.create(
        **ANTHROPIC,
        messages=[asked, {"role": "assistant", "content": first.content}, {"role": "user", "content": results}],
    )

    assert second.content[-1].model_dump()["text"] == "add answered 3; sub answered 3"
    assert [request.problems for request in simulator.requests] == [[], []]


async def test_anthropic_refuses_a_call_without_its_result(clients: Clients, simulator: Simulator) -> None:
    asked: Any = {"role": "user", "content": PROMPT}
    first = await clients.anthropic.messages.create(**ANTHROPIC, messages=[asked])

    with pytest.raises(anthropic.BadRequestError) as caught:
        await clients.anthropic.messages.create(
            **ANTHROPIC, messages=[asked, {"role": "assistant", "content": first.content}, asked]
        )

    assert "`tool_use` without a `tool_result`" in caught.value.message
    assert simulator.requests[-1].status == 400


async def test_anthropic_refuses_thinking_that_was_changed(clients: Clients) -> None:
    asked: Any = {"role": "user", "content": "Hello"}
    first = await clients.anthropic.messages.create(**ANTHROPIC, messages=[asked])
    changed: Any = [{**block.model_dump(exclude_none=True)} for block in first.content]
    changed[0]["thinking"] = "Something else."

    with pytest.raises(anthropic.BadRequestError, match="invalid `signature`"):
        await clients.anthropic.messages.create(
            **ANTHROPIC, messages=[asked, {"role": "assistant", "content": changed}, asked]
        )


async def test_chat_accepts_its_calls_back(clients: Clients) -> None:
    asked: Any = {"role": "user", "content": PROMPT}
    first = await clients.openai.chat.completions.create(model="gpt-5", messages=[asked], tools=CHAT_TOOLS)
    message: Any = first.choices[0].message
    results: Any = [{"role": "tool", "tool_call_id": call.id, "content": "3"} for call in message.tool_calls]

    second = await clients.openai.chat.completions.create(
        model="gpt-5", messages=[asked, message, *results], tools=CHAT_TOOLS
    )

    assert second.choices[0].message.content == "add answered 3; sub answered 3"


async def test_chat_refuses_a_missing_tool_message(clients: Clients) -> None:
    asked: Any = {"role": "user", "content": PROMPT}
    first = await clients.openai.chat.completions.create(model="gpt-5", messages=[asked], tools=CHAT_TOOLS)
    message: Any = first.choices[0].message
    only_one: Any = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "3"}

    with pytest.raises(openai.BadRequestError, match="must be followed by tool messages"):
        await clients.openai.chat.completions.create(
            model="gpt-5", messages=[asked, message, only_one], tools=CHAT_TOOLS
        )


async def test_responses_accept_their_items_back(clients: Clients) -> None:
    asked: Any = {"role": "user", "content": PROMPT}
    request: Any = {"model": "gpt-5", "tools": RESPONSES_TOOLS, "reasoning": {"effort": "low"}}
    first = await clients.openai.responses.create(**request, input=[asked])
    items: Any = [item.model_dump(exclude_none=True) for item in first.output]
    outputs: Any = _outputs(first)

    second = await clients.openai.responses.create(**request, input=[asked, *items, *outputs])

    assert [item.type for item in first.output] == ["reasoning", "function_call", "function_call"]
    assert second.output_text == "add answered 3; sub answered 3"


async def test_responses_refuse_calls_without_their_reasoning(clients: Clients) -> None:
    asked: Any = {"role": "user", "content": PROMPT}
    request: Any = {"model": "gpt-5", "tools": RESPONSES_TOOLS, "reasoning": {"effort": "low"}}
    first = await clients.openai.responses.create(**request, input=[asked])
    calls: Any = [item.model_dump(exclude_none=True) for item in first.output if item.type == "function_call"]

    with pytest.raises(openai.BadRequestError, match="without its required 'reasoning' item"):
        await clients.openai.responses.create(**request, input=[asked, *calls, *_outputs(first)])


async def test_responses_continue_a_stored_response(clients: Clients) -> None:
    first = await clients.openai.responses.create(model="gpt-5", input=PROMPT, tools=RESPONSES_TOOLS)

    second = await clients.openai.responses.create(
        model="gpt-5", previous_response_id=first.id, input=_outputs(first), tools=RESPONSES_TOOLS
    )

    assert "answered 3" in second.output_text
    assert second.previous_response_id == first.id


async def test_responses_refuse_an_open_call_of_a_stored_response(clients: Clients) -> None:
    first = await clients.openai.responses.create(model="gpt-5", input=PROMPT, tools=RESPONSES_TOOLS)

    with pytest.raises(openai.BadRequestError, match="no tool output found"):
        await clients.openai.responses.create(model="gpt-5", previous_response_id=first.id, input="And?")


async def test_responses_refuse_to_continue_what_was_not_stored(clients: Clients) -> None:
    first = await clients.openai.responses.create(model="gpt-5", input="Hello", store=False)

    with pytest.raises(openai.BadRequestError, match="is stored"):
        await clients.openai.responses.create(model="gpt-5", previous_response_id=first.id, input="And?")


def _outputs(response: Any) -> Any:
    calls = [item for item in response.output if item.type == "function_call"]
    return [{"type": "function_call_output", "call_id": call.call_id, "output": "3"} for call in calls]


GOOGLE_CONFIG = google_types.GenerateContentConfig(
    tools=[
        google_types.Tool(
            function_declarations=[
                google_types.FunctionDeclaration(name=name, parameters_json_schema=SCHEMA) for name in NAMES
            ]
        )
    ],
    thinking_config=google_types.ThinkingConfig(include_thoughts=True),
)


def _google_results(content: google_types.Content) -> google_types.Content:
    calls = [part.function_call for part in content.parts or [] if part.function_call]
    answers = [
        google_types.Part(
            function_response=google_types.FunctionResponse(id=call.id, name=call.name, response={"result": 3})
        )
        for call in calls
    ]
    return google_types.Content(role="user", parts=answers)


async def _google_first(clients: Clients) -> tuple[google_types.Content, google_types.Content]:
    asked = google_types.Content(role="user", parts=[google_types.Part(text=PROMPT)])
    first = await clients.google.aio.models.generate_content(
        model="gemini-3-pro", contents=[asked], config=GOOGLE_CONFIG
    )
    assert first.candidates
    content = first.candidates[0].content
    assert content is not None
    return asked, content


async def test_google_accepts_its_signed_calls_back(clients: Clients) -> None:
    asked, content = await _google_first(clients)

    second = await clients.google.aio.models.generate_content(
        model="gemini-3-pro", contents=[asked, content, _google_results(content)], config=GOOGLE_CONFIG
    )

    assert read_google([second]).text == 'add answered {"result":3}; sub answered {"result":3}'


async def test_google_refuses_calls_without_their_signature(clients: Clients) -> None:
    asked, content = await _google_first(clients)
    for part in content.parts or []:
        part.thought_signature = None

    with pytest.raises(google_errors.ClientError, match="missing its thought_signature"):
        await clients.google.aio.models.generate_content(
            model="gemini-3-pro", contents=[asked, content, _google_results(content)], config=GOOGLE_CONFIG
        )


async def test_google_refuses_fewer_responses_than_calls(clients: Clients) -> None:
    asked, content = await _google_first(clients)
    results = _google_results(content)
    results.parts = (results.parts or [])[:1]

    with pytest.raises(google_errors.ClientError, match="must equal the number of function call parts"):
        await clients.google.aio.models.generate_content(
            model="gemini-3-pro", contents=[asked, content, results], config=GOOGLE_CONFIG
        )


async def test_a_scenario_may_waive_the_rules_but_still_names_the_breach(
    clients: Clients, simulator: Simulator
) -> None:
    simulator.play({"answers": ["Fine."], "check_requests": False})

    message = await clients.anthropic.messages.create(
        model="claude", max_tokens=99, messages=[{"role": "assistant", "content": "I start"}]
    )

    assert message.content[0].model_dump()["text"] == "Fine."
    assert "first message" in simulator.requests[0].problems[0]
