"""Arguments of Google's SDK; what it makes of them on the wire is checked over sockets."""

import pytest

from batuta.kernel.messages import ContentBlock, Message, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultBlock
from batuta.llm.google.encode import encode_request
from tests.unit.llm.encoding.conversations import (
    ATTACHMENTS,
    FIND,
    FOREIGN,
    HOLLOW,
    PERSON,
    TOOL_LOOP,
    asked,
    with_settings,
)

MODEL = "gemini-3-pro"
SIGNED = {"google": {"thought_signature": "aGVsbG8="}}


def test_a_plain_request_says_no_more_than_it_must() -> None:
    assert encode_request(asked(), MODEL) == {
        "model": MODEL,
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "config": {},
    }


def test_results_have_a_turn_of_their_own() -> None:
    contents = encode_request(TOOL_LOOP, MODEL)["contents"]
    assert [content["role"] for content in contents] == ["user", "model", "user", "user"]
    assert contents[2]["parts"] == [
        {"function_response": {"id": "c1", "name": "find", "response": {"output": "found"}}},
        {"function_response": {"id": "c2", "name": "find", "response": {"error": "not JSON"}}},
    ]


def test_signatures_go_back_as_bytes_on_texts_and_calls() -> None:
    blocks: list[ContentBlock] = [
        ThinkingBlock(text="hm"),
        TextBlock(text="I look.", extra=SIGNED),
        ToolCallBlock(id="1", name="f", extra=SIGNED),
    ]
    parts = encode_request(asked(Message.user("hi"), Message.assistant(blocks)), MODEL)["contents"][1]["parts"]
    assert parts == [
        {"text": "I look.", "thought_signature": b"hello"},
        {"function_call": {"id": "1", "name": "f", "args": {}}, "thought_signature": b"hello"},
    ]


def test_thoughts_and_foreign_blocks_stay_here() -> None:
    assert encode_request(FOREIGN, MODEL)["contents"][1]["parts"] == [{"text": "yes"}]


def test_code_that_google_ran_goes_back_and_a_search_it_made_does_not() -> None:
    code = {"executable_code": {"code": "1+1", "language": "PYTHON"}}
    blocks: list[ContentBlock] = [
        ToolCallBlock(id="1", name="code_execution", is_server_side=True, extra={"google": code}),
        ToolCallBlock(id="2", name="google_search", is_server_side=True, extra={"google": {}}),
        ToolResultBlock(tool_use_id="2", content="", is_server_side=True, extra={"google": {"web_search_queries": []}}),
        TextBlock(text="two"),
    ]
    parts = encode_request(asked(Message.user("hi"), Message.assistant(blocks)), MODEL)["contents"][1]["parts"]
    assert parts == [code, {"text": "two"}]


def test_attachments_by_content_and_by_address() -> None:
    parts = encode_request(ATTACHMENTS, MODEL)["contents"][0]["parts"]
    assert [next(iter(part)) for part in parts] == ["text", "inline_data", "file_data", "inline_data", "inline_data"]
    assert parts[1]["inline_data"] == {"mime_type": "image/png", "data": b"hello"}


def test_hollow_messages_leave_no_trace() -> None:
    arguments = encode_request(HOLLOW, MODEL)
    assert arguments["contents"] == [{"role": "user", "parts": [{"text": "hi"}, {"text": "hello?"}]}]
    assert arguments["config"] == {"system_instruction": "Be brief."}


def test_settings_have_googles_names() -> None:
    config = encode_request(
        with_settings(max_tokens=9, thinking_budget_tokens=5, temperature=0.1, seed=3, stop=("x",)), MODEL
    )["config"]
    assert config == {
        "max_output_tokens": 9,
        "thinking_config": {"thinking_budget": 5, "include_thoughts": True},
        "temperature": 0.1,
        "seed": 3,
        "stop_sequences": ["x"],
    }


@pytest.mark.parametrize(("choice", "mode"), [("auto", None), ("required", "ANY"), ("none", "NONE")])
def test_the_choice_of_tools(choice: str, mode: str | None) -> None:
    config = encode_request(asked(tools=(FIND,), tool_choice=choice), MODEL)["config"]
    assert config.get("tool_config", {}).get("function_calling_config", {}).get("mode") == mode
    assert config["tools"][0]["function_declarations"][0]["parameters_json_schema"] == FIND.schema


@pytest.mark.parametrize(("model", "has_schema"), [("gemini-3-pro", True), ("gemini-2.5-flash", False)])
def test_older_models_have_no_structured_output_beside_tools(model: str, has_schema: bool) -> None:
    alone = encode_request(asked(output=PERSON), model)["config"]
    beside_tools = encode_request(asked(output=PERSON, tools=(FIND,)), model)["config"]
    assert alone["response_mime_type"] == "application/json"
    assert ("response_json_schema" in beside_tools) is has_schema
