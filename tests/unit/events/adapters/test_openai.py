"""OpenAI's chat completions and Responses API: blocks, stop reasons, usage, failures."""

from typing import Any

import pytest

from batuta.events import AssistantMessage, ContentRefused, ToolRequest, ToolResponse, TurnPaused, Usage
from batuta.events.adapters import BaseAdapter, OpenAIChatAdapter, OpenAIResponsesAdapter
from batuta.kernel.errors import (
    BatutaError,
    ContentRefusedError,
    MalformedAnswerError,
    ProviderRejectedError,
    ProviderTimeoutError,
    ProviderUnavailableError,
    RateLimitedError,
)
from batuta.kernel.messages import OpaqueBlock, StopReason, ThinkingBlock, ToolCallBlock, ToolResultBlock
from tests.replay.wire_fixtures import streamed, whole

CHAT, RESPONSES = OpenAIChatAdapter(), OpenAIResponsesAdapter()


def _chat(finish: str = "stop", **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": None, **message}
    return {"id": "c", "model": "m", "choices": [{"index": 0, "finish_reason": finish, "message": said}]}


def _response(*items: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"id": "r", "object": "response", "model": "m", "status": "completed", "output": list(items), **fields}


@pytest.mark.parametrize("adapter", [CHAT, RESPONSES])
@pytest.mark.parametrize(
    ("reason", "canonical"),
    [
        ("stop", "success"),
        ("tool_calls", "success"),
        ("function_call", "success"),
        ("completed", "success"),
        ("length", "max_tokens"),
        ("max_output_tokens", "max_tokens"),
        ("content_filter", "refused"),
        ("refusal", "refused"),
    ],
)
def test_stop_reasons_are_those_of_the_table(adapter: BaseAdapter, reason: str, canonical: StopReason) -> None:
    assert adapter.normalize_stop_reason(reason) == canonical


@pytest.mark.parametrize(("adapter", "provider"), [(CHAT, "openai_chat"), (RESPONSES, "openai_responses")])
def test_cached_and_reasoning_tokens_are_parts_already(adapter: BaseAdapter, provider: str) -> None:
    assert adapter.extract_usage(whole(provider, "cached_usage")) == Usage(
        input=145, output=7, cache_read=100, cache_write=40
    )
    assert adapter.extract_usage(whole(provider, "reasoning_usage")) == Usage(input=5, output=90, thinking=60)


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ({"type": "text", "text": "x"}, "text"),
        ({"type": "output_text", "text": "x", "annotations": []}, "text"),
        ({"type": "refusal", "refusal": "no"}, "text"),
        ({"type": "reasoning", "summary": []}, "thinking"),
        ({"type": "function", "id": "1", "function": {"name": "a", "arguments": "{}"}}, "tool_use"),
        ({"type": "function_call", "call_id": "1", "name": "a", "arguments": "{}"}, "tool_use"),
        ({"type": "web_search_call", "id": "1", "status": "completed"}, "tool_use"),
        ({"type": "computer_call"}, "opaque"),
    ],
)
def test_block_types_are_detected(block: Any, expected: str) -> None:
    assert {CHAT.detect_block_type(block), RESPONSES.detect_block_type(block)} == {expected}


def test_a_refusal_is_said_and_told() -> None:
    for adapter, provider in ((CHAT, "openai_chat"), (RESPONSES, "openai_responses")):
        [said, refused] = adapter.normalize_message(whole(provider, "refusal"), 1)

        assert isinstance(said, AssistantMessage)
        assert (said.content, said.stop_reason) == ("I cannot help with that.", "refused")
        assert isinstance(refused, ContentRefused)
        assert refused.reason == "I cannot help with that."


def test_a_bare_chat_message_is_read_as_an_answer() -> None:
    answer = CHAT.read_message({"role": "assistant", "content": "Hello."})

    assert (answer.text, answer.model, answer.usage) == ("Hello.", "unknown", None)


@pytest.mark.parametrize("arguments", ["{", "[1]", "null", '"x"'])
def test_arguments_that_are_no_object_stay_as_they_came(arguments: str) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "a", "arguments": arguments}}

    [event] = CHAT.normalize_message(_chat("tool_calls", tool_calls=[call]), 1)

    assert isinstance(event, ToolRequest)
    assert (event.args, event.invalid_args) == ({}, arguments)


def test_free_text_for_a_custom_tool_is_its_argument() -> None:
    call = {"id": "1", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}
    item = {"type": "custom_tool_call", "id": "ct_1", "call_id": "1", "name": "sql", "input": "SELECT 1"}

    for answer in (CHAT.read_message(_chat(tool_calls=[call])), RESPONSES.read_message(_response(item))):
        assert [(one.id, one.name, one.args) for one in answer.tool_calls] == [("1", "sql", {"input": "SELECT 1"})]


def test_the_old_single_function_call_gets_an_id() -> None:
    message = _chat("function_call", function_call={"name": "a", "arguments": "{}"})

    [call] = CHAT.read_message(message).tool_calls

    assert (call.id, call.name) == ("call_c_1", "a")


def test_a_field_nobody_knows_is_kept() -> None:
    answer = CHAT.read_message(_chat(content="Look:", images=[{"image_url": {"url": "u"}}]))

    assert answer.content[1] == OpaqueBlock(
        provider="openai", data={"type": "images", "images": [{"image_url": {"url": "u"}}]}
    )


def test_content_in_parts_is_read_in_parts() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "text", "text": "Yes."}]

    answer = CHAT.read_message(_chat(content=parts))

    assert (answer.thinking, answer.text) == ("Hm.", "Yes.")


def test_reasoning_details_that_repeat_the_reasoning_are_read_once() -> None:
    details = [{"type": "reasoning.text", "text": "Hm."}, {"type": "reasoning.encrypted", "data": "x"}]

    both = CHAT.read_message(_chat(content="Yes.", reasoning="Hm.", reasoning_details=details))
    only = CHAT.read_message(_chat(content="Yes.", reasoning_details=details))

    assert both.thinking == only.thinking == "Hm."
    assert [block.redacted for block in both.content if isinstance(block, ThinkingBlock)] == [None, "x"]


def test_a_second_choice_of_a_stream_is_passed_over() -> None:
    reader = CHAT.stream()
    for index, words in ((0, "One"), (1, "Other"), (0, ".")):
        reader.feed({"choices": [{"index": index, "delta": {"content": words}}]})
    reader.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})

    assert reader.close().text == "One."


def test_an_item_keeps_the_ids_it_must_be_sent_back_with() -> None:
    thinking, text, call = RESPONSES.read_message(whole("openai_responses", "text_and_tools")).content

    assert isinstance(thinking, ThinkingBlock)
    assert thinking.extra == {"openai": {"id": "rs_1"}}
    assert getattr(text, "extra", None) == {"openai": {"id": "msg_1"}}
    assert isinstance(call, ToolCallBlock)
    assert (call.id, call.extra) == ("call_1", {"openai": {"id": "fc_call_1"}})


def test_encrypted_reasoning_is_the_signature_of_a_thought() -> None:
    [thinking, _] = RESPONSES.read_message(whole("openai_responses", "hidden_thinking")).content

    assert isinstance(thinking, ThinkingBlock)
    assert (thinking.text, thinking.signature) == ("", "ZW5jcnlwdGVk")


def test_a_tool_openai_ran_is_request_and_response() -> None:
    [search, found, code, ran, _] = RESPONSES.normalize_message(whole("openai_responses", "server_tool"), 1)

    assert isinstance(search, ToolRequest)
    assert (search.tool_name, search.args, search.is_server_side) == (
        "web_search",
        {"type": "search", "query": "prices"},
        True,
    )
    assert isinstance(found, ToolResponse)
    assert (found.tool_use_id, found.content) == ("ws_1", "https://example.test/prices")
    assert isinstance(code, ToolRequest)
    assert code.args == {"code": "print(3)", "container_id": "cntr_1"}
    assert isinstance(ran, ToolResponse)
    assert ran.content == "3\n"


def test_a_file_search_brings_what_it_found() -> None:
    item = {
        "type": "file_search_call",
        "id": "fs_1",
        "status": "completed",
        "queries": ["tarifas"],
        "results": [{"file_id": "f", "filename": "t.pdf", "text": "subió"}],
    }

    call, result = RESPONSES.read_message(_response(item)).content

    assert isinstance(call, ToolCallBlock)
    assert (call.name, call.args) == ("file_search", {"queries": ["tarifas"]})
    assert isinstance(result, ToolResultBlock)
    assert result.content == "subió"


def test_an_mcp_call_has_the_name_of_its_tool_and_its_error() -> None:
    item = {"type": "mcp_call", "id": "mcp_1", "name": "roll", "server_label": "dice", "arguments": '{"sides": 6}'}

    call, result = RESPONSES.read_message(_response({**item, "error": "offline", "output": None})).content

    assert isinstance(call, ToolCallBlock)
    assert (call.name, call.args) == ("roll", {"server_label": "dice", "sides": 6})
    assert isinstance(result, ToolResultBlock)
    assert (result.is_error, result.content) == (True, "offline")


def test_a_tool_that_still_runs_has_no_result() -> None:
    item = {"type": "web_search_call", "id": "ws_1", "status": "searching", "action": {"type": "search"}}

    assert [block.type for block in RESPONSES.read_message(_response(item)).content] == ["tool_call"]


def test_a_response_that_waits_is_paused() -> None:
    events = RESPONSES.normalize_message(_response(status="queued"), 1)

    assert isinstance(events[-1], TurnPaused)


FAILURES: list[tuple[str, type[BatutaError]]] = [
    ("server_error", ProviderUnavailableError),
    ("rate_limit_exceeded", RateLimitedError),
    ("vector_store_timeout", ProviderTimeoutError),
    ("invalid_prompt", ProviderRejectedError),
    ("bio_policy", ContentRefusedError),
]


@pytest.mark.parametrize(("code", "expected"), FAILURES)
def test_a_failed_response_is_raised_as_what_it_is(code: str, expected: type[BatutaError]) -> None:
    failed = _response(status="failed", error={"code": code, "message": "Sorry."})
    events = ({"type": "response.failed", "response": failed}, {"type": "error", "code": code, "message": "Sorry."})

    with pytest.raises(expected, match="Sorry") as caught:
        RESPONSES.read_message(failed)
    assert type(caught.value) is expected
    for event in events:
        with pytest.raises(expected, match="Sorry"):
            RESPONSES.stream().feed(event)


def test_an_error_in_a_chat_stream_is_raised() -> None:
    with pytest.raises(RateLimitedError, match="Slow down"):
        CHAT.stream().feed({"error": {"code": "rate_limit_exceeded", "message": "Slow down."}})


def test_a_cut_response_keeps_what_it_began() -> None:
    reader = RESPONSES.stream()
    chunks = streamed("openai_responses", "text_and_tools")
    begun = next(n for n, chunk in enumerate(chunks) if chunk["type"] == "response.function_call_arguments.delta")
    for chunk in chunks[: begun + 2]:
        reader.feed(chunk)

    with pytest.raises(ProviderUnavailableError):
        reader.close()
    partial = reader.partial
    assert partial.thinking == "I should look at the prices first.\n\nThen I answer."
    assert partial.text == "I will create it."
    assert partial.tool_calls[0].invalid_args == '{"customer": "ACME'
    assert partial.raw_stop_reason is None


def test_a_final_event_without_output_ends_with_the_items_that_came() -> None:
    chunks = streamed("openai_responses", "text_and_tools")
    bare = {**chunks[-1], "response": {**chunks[-1]["response"], "output": None}}
    reader = RESPONSES.stream()
    for chunk in [*chunks[:-1], bare]:
        reader.feed(chunk)

    assert reader.close() == RESPONSES.read_message(whole("openai_responses", "text_and_tools"))


@pytest.mark.parametrize("message", [{"choices": []}, {"choices": [7]}, {"choices": [{"message": None}]}])
def test_a_completion_without_a_message_is_malformed(message: Any) -> None:
    with pytest.raises(MalformedAnswerError):
        CHAT.read_message(message)
