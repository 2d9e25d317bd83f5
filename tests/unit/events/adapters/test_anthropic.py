"""Anthropic's Messages API: blocks, stop reasons, usage, and what a stream can do wrong."""

import logging
from typing import Any

import pytest

from batuta.events import AssistantMessage, ContentRefused, ToolRequest, ToolResponse, Usage
from batuta.events.adapters import AnthropicAdapter
from batuta.kernel.errors import (
    BatutaError,
    MalformedAnswerError,
    ProviderRejectedError,
    ProviderTimeoutError,
    ProviderUnavailableError,
    RateLimitedError,
)
from batuta.kernel.messages import OpaqueBlock, StopReason, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultBlock
from tests.replay.wire_fixtures import streamed, whole
from tests.unit.events.adapters.seen import read_stream

ADAPTER = AnthropicAdapter()


def _message(*content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": list(content), **fields}


@pytest.mark.parametrize(
    ("reason", "canonical"),
    [
        ("end_turn", "success"),
        ("stop_sequence", "success"),
        ("tool_use", "success"),
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "max_tokens"),
        ("pause_turn", "paused"),
        ("refusal", "refused"),
        (None, "success"),
    ],
)
def test_stop_reasons_are_those_of_the_table(reason: str | None, canonical: StopReason) -> None:
    assert ADAPTER.normalize_stop_reason(reason) == canonical


def test_an_unknown_stop_reason_is_named_in_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "batuta.events"):
        assert ADAPTER.normalize_stop_reason("out_of_ink") == "success"
    assert "'out_of_ink'" in caplog.text


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ({"type": "text", "text": "x"}, "text"),
        ({"type": "thinking", "thinking": "x"}, "thinking"),
        ({"type": "redacted_thinking", "data": "x"}, "thinking"),
        ({"type": "tool_use", "id": "1", "name": "a", "input": {}}, "tool_use"),
        ({"type": "server_tool_use", "id": "1", "name": "a", "input": {}}, "tool_use"),
        ({"type": "web_search_tool_result", "tool_use_id": "1", "content": []}, "tool_result"),
        ({"type": "container_upload", "file_id": "f"}, "opaque"),
        ({"type": "text", "text": 7}, "opaque"),
        (None, "opaque"),
    ],
)
def test_block_types_are_detected(block: Any, expected: str) -> None:
    assert ADAPTER.detect_block_type(block) == expected


def test_cached_tokens_are_added_to_the_input() -> None:
    """Anthropic's `input_tokens` leaves them out."""
    assert ADAPTER.extract_usage(whole("anthropic", "cached_usage")) == Usage(
        input=145, output=7, cache_read=100, cache_write=40
    )


def test_thinking_tokens_are_part_of_the_output() -> None:
    assert ADAPTER.extract_usage(whole("anthropic", "reasoning_usage")) == Usage(input=5, output=90, thinking=60)


@pytest.mark.parametrize("message", [{}, {"usage": None}, {"usage": 7}, {"usage": {}}, None, "text"])
def test_a_message_that_counts_nothing_has_no_usage(message: Any) -> None:
    """Unknown is `None`, never zero."""
    assert ADAPTER.extract_usage(message) is None


def test_redacted_thinking_keeps_its_data() -> None:
    """E-13."""
    answer = ADAPTER.read_message(whole("anthropic", "hidden_thinking"))

    assert answer.content[0] == ThinkingBlock(text="", redacted="ZW5jcnlwdGVk", extra={"anthropic": {}})


def test_server_side_tools_are_no_calls_to_answer() -> None:
    answer = ADAPTER.read_message(whole("anthropic", "server_tool"))

    call, result, _ = answer.content
    assert isinstance(call, ToolCallBlock)
    assert isinstance(result, ToolResultBlock)
    assert (call.is_server_side, result.is_server_side, result.tool_name) == (True, True, "web_search")
    assert answer.tool_calls == ()
    assert answer.as_message().tool_results == ()


def test_server_side_blocks_are_kept_whole_for_the_way_back() -> None:
    message = whole("anthropic", "server_tool")

    call, result, _ = ADAPTER.read_message(message).content

    assert isinstance(call, ToolCallBlock)
    assert isinstance(result, ToolResultBlock)
    assert [call.extra["anthropic"], result.extra["anthropic"]] == message["content"][:2]


def test_a_failed_server_side_tool_says_why() -> None:
    error = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    block = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": error}

    response = ADAPTER.normalize_message(_message(block), 1)[0]

    assert isinstance(response, ToolResponse)
    assert (response.success, response.error) == (False, "max_uses_exceeded")


def test_output_of_server_side_code_is_readable() -> None:
    ran = {"type": "code_execution_result", "stdout": "3\n", "stderr": "", "return_code": 0, "content": []}
    block = {"type": "code_execution_tool_result", "tool_use_id": "srv_1", "content": ran}

    [result] = ADAPTER.read_message(_message(block)).content

    assert isinstance(result, ToolResultBlock)
    assert (result.content, result.tool_name) == ("3\n", "code_execution")


def test_citations_say_source_place_and_words() -> None:
    [_, event] = ADAPTER.normalize_message(whole("anthropic", "citations"), 1)

    assert isinstance(event, AssistantMessage)
    page, document = event.citations
    assert (page.url, page.title, page.quote) == ("https://example.test/prices", "Prices", "prices rose")
    assert (document.source, document.place, document.quote) == ("Tarifas", "characters 3-9", "subió")
    assert document.raw is not None
    assert document.raw["type"] == "char_location"


def test_a_refusal_is_told_with_the_explanation() -> None:
    events = ADAPTER.normalize_message(whole("anthropic", "refusal"), 1)

    assert isinstance(events[-1], ContentRefused)
    assert events[-1].reason == "This could harm somebody."
    assert events[-1].model == "claude-sonnet-4-5"


def test_an_answer_cut_while_thinking_still_says_so() -> None:
    thinking = {"type": "thinking", "thinking": "Hm", "signature": "s"}

    events = ADAPTER.normalize_message(_message(thinking, stop_reason="max_tokens"), 1)

    assert [event.type for event in events] == ["thinking", "assistant_message"]
    assert isinstance(events[1], AssistantMessage)
    assert (events[1].content, events[1].stop_reason) == ("", "max_tokens")


def test_an_empty_text_beside_a_tool_call_gives_no_event() -> None:
    """E-13."""
    use = {"type": "tool_use", "id": "1", "name": "a", "input": {}}

    assert [event.type for event in ADAPTER.normalize_message(_message({"type": "text", "text": ""}, use), 1)] == [
        "tool_request"
    ]


@pytest.mark.parametrize("given", ["not json", "[1]", '{"a": NaN}', '{"a":' * 500])
def test_arguments_that_are_no_object_stay_as_they_came(given: str) -> None:
    use = {"type": "tool_use", "id": "1", "name": "a", "input": given}

    [event] = ADAPTER.normalize_message(_message(use), 1)

    assert isinstance(event, ToolRequest)
    assert (event.args, event.invalid_args) == ({}, given)


def test_an_unknown_block_is_kept_and_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    """E-13."""
    block = {"type": "smell", "notes": ["rose"]}

    with caplog.at_level(logging.WARNING, "batuta.events"):
        answers = [ADAPTER.read_message(_message(block)) for _ in range(3)]

    assert answers[0].content == (OpaqueBlock(provider="anthropic", data=block),)
    assert len([record for record in caplog.records if "smell" in record.getMessage()]) == 1


def test_text_with_half_a_surrogate_pair_can_be_stored() -> None:
    [block] = ADAPTER.read_message(_message({"type": "text", "text": "a\ud83d b \ud83d\ude00"})).content

    assert block == TextBlock(text="a\ufffd b 😀")


STATED: list[tuple[str, type[BatutaError]]] = [
    ("overloaded_error", ProviderUnavailableError),
    ("api_error", ProviderUnavailableError),
    ("timeout_error", ProviderTimeoutError),
    ("rate_limit_error", RateLimitedError),
    ("invalid_request_error", ProviderRejectedError),
    ("something_new", ProviderUnavailableError),
]


@pytest.mark.parametrize(("kind", "expected"), STATED)
def test_a_failure_stated_in_a_stream_is_raised_as_what_it_is(kind: str, expected: type[BatutaError]) -> None:
    reader = ADAPTER.stream()
    reader.feed(streamed("anthropic", "text")[0])

    with pytest.raises(expected, match="Too busy") as caught:
        reader.feed({"type": "error", "error": {"type": kind, "message": "Too busy."}})
    assert type(caught.value) is expected


def test_a_stream_keeps_what_came_before_it_broke() -> None:
    chunks = streamed("anthropic", "text_and_tools")
    reader = ADAPTER.stream()
    for chunk in chunks[:-4]:
        reader.feed(chunk)

    with pytest.raises(ProviderUnavailableError):
        reader.close()
    assert reader.partial.text == "I will create it."
    assert reader.partial.tool_calls[0].invalid_args is not None


def test_events_of_the_sdks_own_making_are_passed_over() -> None:
    """The SDK's stream helper repeats every delta as an event of its own."""
    chunks = streamed("anthropic", "text")
    helped = [*chunks[:4], {"type": "text", "text": "The order", "snapshot": "The order"}, *chunks[4:]]

    assert read_stream(ADAPTER, helped).text == "The order is ready."


def test_a_delta_of_an_unknown_kind_is_kept_with_its_block() -> None:
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "smell"}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "smell_delta", "note": "rose"}}
    chunks = [*streamed("anthropic", "text")[:1], start, delta, *streamed("anthropic", "text")[-2:]]

    [block] = read_stream(ADAPTER, chunks).content

    assert isinstance(block, OpaqueBlock)
    assert block.data["deltas"] == [{"type": "smell_delta", "note": "rose"}]


def test_a_block_event_without_an_index_is_malformed() -> None:
    with pytest.raises(MalformedAnswerError, match="index"):
        ADAPTER.stream().feed({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x"}})
