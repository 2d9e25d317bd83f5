"""Requests of chat completions, OpenAI's own and those of compatible endpoints."""

import pytest

from batuta.kernel.errors import SettingsError
from batuta.kernel.messages import DocumentBlock, Message
from batuta.llm.model import ModelSettings, OutputSpec
from batuta.llm.openai.encode_chat import encode_request
from batuta.llm.providers import ChatDialect
from batuta.simulator import validate_request
from tests.unit.llm.encoding.conversations import (
    ATTACHMENTS,
    EVERYTHING,
    FIND,
    FOREIGN,
    HOLLOW,
    PERSON,
    TOOL_LOOP,
    asked,
    with_settings,
)

MODEL = "gpt-5"


@pytest.mark.parametrize("kind", EVERYTHING)
def test_every_conversation_is_accepted(kind: str) -> None:
    assert validate_request("openai_chat", encode_request(EVERYTHING[kind], MODEL)) == []


def test_a_plain_request_says_no_more_than_it_must() -> None:
    body = encode_request(asked(system="Be kind."), MODEL)
    assert body == {
        "model": MODEL,
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hi"}],
    }


def test_each_result_is_a_message_and_failures_say_so() -> None:
    messages = encode_request(TOOL_LOOP, MODEL)["messages"]
    assert messages[2:] == [
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
        {"role": "tool", "tool_call_id": "c2", "content": "Error: not JSON"},
        {"role": "user", "content": "and now?"},
    ]


def test_arguments_go_back_as_text_even_if_they_were_no_json() -> None:
    calls = encode_request(TOOL_LOOP, MODEL)["messages"][1]["tool_calls"]
    assert [call["function"]["arguments"] for call in calls] == ['{"q": "x"}', '{"q": ']


def test_thinking_and_foreign_blocks_stay_here() -> None:
    assert encode_request(FOREIGN, MODEL)["messages"][1] == {"role": "assistant", "content": "yes"}


def test_attachments_become_parts() -> None:
    parts = encode_request(ATTACHMENTS, MODEL)["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url", "image_url", "file", "text"]
    assert parts[2]["image_url"]["url"] == "https://example.com/a.png"
    assert parts[4]["text"] == "note:\nhello"


def test_a_document_by_address_is_refused_with_a_way_out() -> None:
    document = DocumentBlock(media_type="application/pdf", url="https://example.com/a.pdf")
    with pytest.raises(SettingsError, match="openai-responses"):
        encode_request(asked(Message.user("read", document)), MODEL)


def test_hollow_messages_leave_no_trace() -> None:
    roles = [message["role"] for message in encode_request(HOLLOW, MODEL)["messages"]]
    assert roles == ["system", "user", "user"]


def test_structured_output_is_strict_where_the_schema_can_be_closed() -> None:
    schema = encode_request(asked(output=PERSON), MODEL)["response_format"]["json_schema"]
    assert (schema["name"], schema["strict"]) == ("person", True)
    free = OutputSpec(name="free", schema={"type": "object", "additionalProperties": {"type": "integer"}})
    assert encode_request(asked(output=free), MODEL)["response_format"]["json_schema"]["strict"] is False


def test_settings_have_openais_names() -> None:
    body = encode_request(with_settings(max_tokens=9, thinking_budget_tokens=5, seed=1, stop=("x",)), MODEL)
    assert (body["max_completion_tokens"], body["reasoning_effort"]) == (9, "low")
    assert (body["seed"], body["stop"]) == (1, ["x"])


def test_compatible_endpoints_get_what_they_know() -> None:
    dialect = ChatDialect(max_tokens_field="max_tokens", has_effort=False, has_schema=False)
    request = asked(output=PERSON, settings=ModelSettings(max_tokens=9, thinking_budget_tokens=5))
    body = encode_request(request, "llama", dialect)
    assert body["max_tokens"] == 9
    assert not {"max_completion_tokens", "reasoning_effort", "response_format"} & set(body)


@pytest.mark.parametrize(("choice", "expected"), [("auto", None), ("required", "required"), ("none", "none")])
def test_the_choice_of_tools(choice: str, expected: str | None) -> None:
    assert encode_request(asked(tools=(FIND,), tool_choice=choice), MODEL).get("tool_choice") == expected
