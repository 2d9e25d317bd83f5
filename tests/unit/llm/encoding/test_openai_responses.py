"""Requests of the Responses API."""

import pytest

from batuta.kernel.messages import (
    ContentBlock,
    DocumentBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from batuta.llm.openai.encode_responses import encode_request
from batuta.simulator import validate_request
from tests.unit.llm.encoding.conversations import (
    ATTACHMENTS,
    CALL,
    EVERYTHING,
    FIND,
    FOREIGN,
    PERSON,
    RESULT,
    TOOL_LOOP,
    asked,
    with_settings,
)

MODEL = "gpt-5"
REASONING = ThinkingBlock(text="hm", signature="encrypted", extra={"openai": {"id": "rs_1"}})


@pytest.mark.parametrize("kind", EVERYTHING)
def test_every_conversation_is_accepted(kind: str) -> None:
    assert validate_request("openai_responses", encode_request(EVERYTHING[kind], MODEL)) == []


def test_nothing_is_kept_by_the_provider_and_reasoning_comes_encrypted() -> None:
    body = encode_request(asked(system="Be kind."), MODEL)
    assert (body["store"], body["include"]) == (False, ["reasoning.encrypted_content"])
    assert body["instructions"] == "Be kind."


def test_calls_and_results_are_items_of_their_own() -> None:
    items = encode_request(TOOL_LOOP, MODEL)["input"]
    assert [item["type"] for item in items] == [
        "message",
        "message",
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
        "message",
    ]
    assert items[5]["output"] == "Error: not JSON"


def test_reasoning_goes_back_before_what_it_led_to() -> None:
    request = asked(Message.user("hi"), Message.assistant([REASONING, CALL]), Message.tool([RESULT]))
    items = encode_request(request, MODEL)["input"]
    assert items[1] == {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "encrypted_content": "encrypted",
    }
    assert items[2]["type"] == "function_call"


def test_reasoning_that_led_to_nothing_stays_here() -> None:
    request = asked(Message.user("hi"), Message.assistant([TextBlock(text="yes"), REASONING]), Message.user("go on"))
    assert "reasoning" not in [item["type"] for item in encode_request(request, MODEL)["input"]]


def test_foreign_thinking_stays_here() -> None:
    assert [item["type"] for item in encode_request(FOREIGN, MODEL)["input"]] == ["message"] * 3


def test_an_item_that_is_both_call_and_result_is_sent_once() -> None:
    item = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    blocks: list[ContentBlock] = [
        ToolCallBlock(id="ws_1", name="web_search", is_server_side=True, extra={"openai": item}),
        ToolResultBlock(tool_use_id="ws_1", content="", is_server_side=True, extra={"openai": item}),
        TextBlock(text="found"),
    ]
    items = encode_request(asked(Message.user("hi"), Message.assistant(blocks), Message.user("?")), MODEL)["input"]
    assert [entry["type"] for entry in items] == ["message", "web_search_call", "message", "message"]


def test_attachments_become_input_parts() -> None:
    at_address = DocumentBlock(media_type="application/pdf", url="https://example.com/a.pdf")
    parts = encode_request(ATTACHMENTS, MODEL)["input"][0]["content"]
    assert [part["type"] for part in parts] == ["input_text", "input_image", "input_image", "input_file", "input_text"]
    [_, file] = encode_request(asked(Message.user("read", at_address)), MODEL)["input"][0]["content"]
    assert file == {"type": "input_file", "file_url": "https://example.com/a.pdf"}


def test_settings_have_their_names_here() -> None:
    body = encode_request(with_settings(max_tokens=99, thinking_budget_tokens=9_000, temperature=1.0), MODEL)
    assert (body["max_output_tokens"], body["temperature"]) == (99, 1.0)
    assert body["reasoning"] == {"effort": "high", "summary": "auto"}


def test_structured_output_and_tools_stand_flat() -> None:
    body = encode_request(asked(output=PERSON, tools=(FIND,), tool_choice="required"), MODEL)
    assert (body["text"]["format"]["name"], body["text"]["format"]["strict"]) == ("person", True)
    assert (body["tools"][0]["name"], body["tool_choice"]) == ("find", "required")
