"""E-10: messages as LangChain's own packages make them give the events of the answers they were made of."""

import logging
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from batuta.events import AssistantMessage, ContentRefused, Event, Thinking, ToolRequest, ToolResponse, Usage
from batuta.events.adapters import AnthropicAdapter, GoogleAdapter, OpenAIChatAdapter, adapter_for
from tests.replay.wire_fixtures import whole
from tests.replay.written_wire import FEATURES
from tests.unit.events.adapters.langchain_forms import FORMS, anthropic_model, at_once, google_model, in_chunks

_CHAT = {
    "thinking": "the package leaves out fields OpenAI itself does not send",
    "hidden_thinking": "the package leaves out fields OpenAI itself does not send",
    "server_tool": "the package leaves out annotations",
    "citations": "the package leaves out annotations",
}
_RESPONSES = {"unknown_block": "the package leaves out items it does not know"}
_GOOGLE = {
    "server_tool": "the language of the code is a number",
    "citations": "the package leaves out recitations",
    "refusal": "the package leaves out the explanation",
    "pause": "the package does not know the finish reason",
    "unknown_block": "the package leaves out files",
}
DIFFERENT: dict[str, dict[str, str]] = {
    "anthropic": {"unknown_block": "the package adds a field to blocks it does not know"},
    "anthropic streamed": {
        "citations": "neighbouring texts are one",
        "unknown_block": "the package leaves out blocks it does not know",
    },
    "chat": _CHAT,
    "chat streamed": {
        **_CHAT,
        "refusal": "the package leaves out streamed refusals",
        "unknown_block": "the package leaves out streamed audio",
    },
    "responses": _RESPONSES,
    "responses streamed": _RESPONSES,
    "responses v0": _RESPONSES,
    "responses v1": {**_RESPONSES, "server_tool": "results are in LangChain's own form"},
    "google": _GOOGLE,
    "google streamed": _GOOGLE,
}
"""What a package itself loses or changes, by form and feature, and why."""

EQUAL = [(form, feature) for form in FORMS for feature in FEATURES if feature not in DIFFERENT.get(form, {})]
CHANGED = [(form, feature) for form, features in DIFFERENT.items() for feature in features]

pytestmark = pytest.mark.filterwarnings("ignore")  # the packages warn of what they think of our settings


def _seen(event: Event) -> dict[str, Any]:
    """What LangChain can keep: ids of its own making, and blocks for sending back, aside."""
    aside = {"event_id", "timestamp", "tool_use_id", "details", "citations"}
    return {**event.model_dump(mode="json", exclude=aside), "cited": _cited(event)}


def _cited(event: Event) -> list[tuple[str, str | None, int | None]]:
    citations = event.citations if isinstance(event, AssistantMessage) else ()
    return [(citation.source, citation.url, citation.start) for citation in citations]


@pytest.mark.parametrize(("form", "feature"), EQUAL)
def test_a_langchain_message_gives_the_events_of_its_answer(form: str, feature: str) -> None:
    provider, make = FORMS[form]
    adapter = adapter_for(provider)

    told = adapter.normalize_message(make(feature), 1)

    assert list(map(_seen, told)) == list(map(_seen, adapter.normalize_message(whole(provider, feature), 1)))


@pytest.mark.parametrize(("form", "feature"), CHANGED)
def test_what_a_package_changes_is_still_read(form: str, feature: str) -> None:
    provider, make = FORMS[form]
    message = make(feature)

    answer = adapter_for(provider).read_message(message)

    assert answer.text == (message.text or answer.text)
    assert answer.usage == adapter_for(provider).read_message(whole(provider, feature)).usage


def test_tool_calls_pair_with_the_ids_langchain_gave_them() -> None:
    message = at_once(google_model("parallel_tools"))

    events = GoogleAdapter().normalize_message(message, 1)

    assert [event.tool_use_id for event in events if isinstance(event, ToolRequest)] == [
        call["id"] for call in message.tool_calls
    ]


def test_a_thought_signature_of_a_google_call_is_kept_for_the_way_back() -> None:
    [call] = GoogleAdapter().read_message(at_once(google_model("hidden_thinking"))).tool_calls

    assert call.extra == {"google": {"thought_signature": "ZW5jcnlwdGVk/+8="}}


def test_arguments_of_a_summed_stream_are_read_from_their_pieces() -> None:
    [request] = AnthropicAdapter().read_message(in_chunks(anthropic_model("tool_call"))).tool_calls

    assert request.args["customer"] == "ACME"


def test_arguments_langchain_could_not_parse_stay_as_they_came() -> None:
    call = {"type": "invalid_tool_call", "id": "call_1", "name": "order", "args": '{"a": ', "error": "cut"}
    [request] = OpenAIChatAdapter().normalize_message(AIMessage("", invalid_tool_calls=[call]), 1)

    assert isinstance(request, ToolRequest)
    assert (request.args, request.invalid_args) == ({}, '{"a": ')


def test_a_refusal_beside_the_content_is_told() -> None:
    [said, refused] = OpenAIChatAdapter().normalize_message(AIMessage("", additional_kwargs={"refusal": "No."}), 1)

    assert isinstance(said, AssistantMessage)
    assert said.content == "No."
    assert isinstance(refused, ContentRefused)
    assert refused.reason == "No."


def test_string_content_is_a_text() -> None:
    """E-13."""
    [event] = AnthropicAdapter().normalize_message(AIMessage("Hello."), 4)

    assert isinstance(event, AssistantMessage)
    assert (event.content, event.original_index, event.usage, event.model) == ("Hello.", 4, None, "unknown")


def test_a_list_of_strings_and_blocks_is_read_in_order() -> None:
    message = AIMessage(content=["One.", {"type": "thinking", "thinking": "Hm."}, "Two."])

    events = AnthropicAdapter().normalize_message(message, 1)

    assert [getattr(event, "content", None) for event in events] == ["One.", "Hm.", "Two."]


def test_reasoning_beside_the_content_is_thinking() -> None:
    message = AIMessage("Yes.", additional_kwargs={"reasoning_content": "Is it?"})

    [thinking, _] = OpenAIChatAdapter().normalize_message(message, 1)

    assert isinstance(thinking, Thinking)
    assert thinking.content == "Is it?"


def test_a_block_langchain_had_no_word_for_is_read_as_the_providers() -> None:
    native = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}}
    message = AIMessage(content=[{"type": "non_standard", "value": native}])

    [request] = AnthropicAdapter().normalize_message(message, 1)

    assert isinstance(request, ToolRequest)
    assert (request.is_server_side, request.args) == (True, {"query": "x"})


def test_server_tools_in_the_standard_form_are_read() -> None:
    call = {"type": "server_tool_call", "id": "srv_1", "name": "search", "args": {"q": "x"}}
    result = {"type": "server_tool_result", "tool_call_id": "srv_1", "status": "error", "output": "offline"}
    message = AIMessage(content=[call, result])

    [request, response] = AnthropicAdapter().normalize_message(message, 1)

    assert isinstance(request, ToolRequest)
    assert isinstance(response, ToolResponse)
    assert (response.tool_name, response.success, response.error) == ("search", False, "offline")


@pytest.mark.parametrize(
    ("metadata", "counted", "expected"),
    [
        ({"usage": {"input_tokens": 60, "output_tokens": 9}}, None, Usage(input=60, output=9)),
        ({"usage": {"input_tokens": 5, "cache_read_input_tokens": 7}}, None, Usage(input=12, cache_read=7)),
        ({}, {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}, Usage(input=3, output=2)),
        ({"usage": {"other": 1}}, {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}, Usage(input=3, output=2)),
        ({}, None, None),
    ],
)
def test_usage_comes_from_the_metadata_else_from_langchains_count(
    metadata: dict[str, Any], counted: Any, expected: Usage | None
) -> None:
    """E-10's usage rule: `response_metadata.usage`, else `usage_metadata`, else nothing."""
    message = AIMessage("x", response_metadata=metadata, usage_metadata=counted)

    assert AnthropicAdapter().extract_usage(message) == expected


def test_usage_of_service_tiers_and_cache_ages_is_summed() -> None:
    counted: Any = {
        "input_tokens": 100,
        "output_tokens": 50,
        "total_tokens": 150,
        "input_token_details": {"priority_cache_read": 20, "cache_creation": 0, "ephemeral_5m_input_tokens": 30},
        "output_token_details": {"priority_reasoning": 10, "priority": 40},
    }

    assert OpenAIChatAdapter().extract_usage(AIMessage("x", usage_metadata=counted)) == Usage(
        input=100, output=50, thinking=10, cache_read=20, cache_write=30
    )


def test_an_unknown_stop_reason_is_success_with_a_warning_that_names_it(caplog: pytest.LogCaptureFixture) -> None:
    message = AIMessage("x", response_metadata={"stop_reason": "bored"})

    with caplog.at_level(logging.WARNING, "batuta.events"):
        [event] = AnthropicAdapter().normalize_message(message, 1)

    assert isinstance(event, AssistantMessage)
    assert event.stop_reason == "success"
    assert "bored" in caplog.text
