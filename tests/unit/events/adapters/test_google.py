"""Google's Gemini API: parts, grounding, finish reasons, usage, streamed arguments."""

from typing import Any

import pytest
from google.genai.types import GenerateContentResponse

from batuta.events import AssistantMessage, ContentRefused, ToolRequest, ToolResponse, TurnPaused, Usage
from batuta.events.adapters import GoogleAdapter
from batuta.kernel.errors import MalformedAnswerError, RateLimitedError
from batuta.kernel.messages import ImageBlock, StopReason, TextBlock, ToolCallBlock, ToolResultBlock
from tests.replay.wire_fixtures import whole

ADAPTER = GoogleAdapter()
URL = "https://example.test/prices"


def _answer(*parts: Any, finish: str = "STOP", **candidate: Any) -> dict[str, Any]:
    return {
        "candidates": [{"content": {"parts": list(parts)}, "finishReason": finish, **candidate}],
        "responseId": "r",
    }


@pytest.mark.parametrize(
    ("reason", "canonical"),
    [
        ("STOP", "success"),
        ("MAX_TOKENS", "max_tokens"),
        ("CONTINUATION", "paused"),
        ("SAFETY", "refused"),
        ("RECITATION", "refused"),
        ("PROHIBITED_CONTENT", "refused"),
        ("BLOCKLIST", "refused"),
        ("SPII", "refused"),
        ("IMAGE_SAFETY", "refused"),
    ],
)
def test_finish_reasons_are_those_of_the_table(reason: str, canonical: StopReason) -> None:
    assert ADAPTER.normalize_stop_reason(reason) == canonical


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"text": "x"}, "text"),
        ({"text": "x", "thought": True}, "thinking"),
        ({"functionCall": {"name": "a", "args": {}}}, "tool_use"),
        ({"function_call": {"name": "a", "args": {}}}, "tool_use"),
        ({"executableCode": {"code": "1", "language": "PYTHON"}}, "tool_use"),
        ({"codeExecutionResult": {"outcome": "OUTCOME_OK"}}, "tool_result"),
        ({"toolCall": {"toolType": "URL_CONTEXT"}}, "tool_use"),
        ({"fileData": {"fileUri": "u"}}, "opaque"),
        ({"functionCall": 7}, "opaque"),
    ],
)
def test_parts_are_known_by_their_field(part: Any, expected: str) -> None:
    assert ADAPTER.detect_block_type(part) == expected


def test_thoughts_are_added_to_the_output_and_cached_tokens_are_input_already() -> None:
    assert ADAPTER.extract_usage(whole("google", "reasoning_usage")) == Usage(input=5, output=90, thinking=60)
    assert ADAPTER.extract_usage(whole("google", "cached_usage")) == Usage(input=145, output=7, cache_read=100)


def test_tool_use_prompts_are_added_to_the_input() -> None:
    usage = {"promptTokenCount": 5, "toolUsePromptTokenCount": 40, "candidatesTokenCount": 1}

    assert ADAPTER.extract_usage({"usageMetadata": usage}) == Usage(input=45, output=1)


def test_calls_without_ids_get_ids_that_are_the_same_each_time() -> None:
    first, second = (ADAPTER.read_message(whole("google", "parallel_tools")).tool_calls for _ in range(2))

    assert [call.id for call in first] == ["call_gemini-fixture_1", "call_gemini-fixture_2"]
    assert first == second


def test_an_id_that_google_gave_is_kept() -> None:
    [call] = ADAPTER.read_message(_answer({"functionCall": {"id": "fc1", "name": "a"}})).tool_calls

    assert (call.id, call.args) == ("fc1", {})


def test_a_signature_goes_back_with_its_part_in_one_alphabet() -> None:
    """The SDK writes bytes as URL-safe base64, the wire does not."""
    message = whole("google", "hidden_thinking")

    for form in (message, GenerateContentResponse.model_validate(message)):
        [call] = ADAPTER.read_message(form).tool_calls
        assert call.extra == {"google": {"thought_signature": "ZW5jcnlwdGVk/+8="}}


def test_code_and_its_result_are_a_server_side_tool() -> None:
    call, result, _ = ADAPTER.read_message(whole("google", "server_tool")).content

    assert isinstance(call, ToolCallBlock)
    assert isinstance(result, ToolResultBlock)
    assert (call.name, call.args["code"], call.is_server_side) == ("code_execution", "print(3)", True)
    assert (result.tool_use_id, result.content, result.is_error) == (call.id, "3\n", False)


def test_failed_code_is_an_error() -> None:
    parts = [
        {"executableCode": {"code": "1/0", "language": "PYTHON"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "ZeroDivisionError"}},
    ]

    response = ADAPTER.normalize_message(_answer(*parts), 1)[1]

    assert isinstance(response, ToolResponse)
    assert (response.success, response.error) == (False, "ZeroDivisionError")


def test_a_search_is_a_server_side_tool_before_the_text_it_supports() -> None:
    [request, response, said] = ADAPTER.normalize_message(whole("google", "citations"), 1)

    assert isinstance(request, ToolRequest)
    assert (request.tool_name, request.args, request.is_server_side) == ("google_search", {"queries": ["prices"]}, True)
    assert isinstance(response, ToolResponse)
    assert response.tool_use_id == request.tool_use_id
    assert response.content == f"Prices {URL}"
    assert isinstance(said, AssistantMessage)
    assert [citation.url for citation in said.citations] == [URL, URL]


@pytest.mark.parametrize("name", ["citationSources", "citations"], ids=["Gemini API", "Vertex AI"])
def test_recitations_are_read_under_the_names_of_both_services(name: str) -> None:
    message = whole("google", "text")
    source = {"startIndex": 0, "endIndex": 9, "uri": URL, "license": "mit"}
    message["candidates"][0]["citationMetadata"] = {name: [source]}

    [said] = ADAPTER.normalize_message(message, 1)

    assert isinstance(said, AssistantMessage)
    assert [(citation.url, citation.start, citation.end) for citation in said.citations] == [(URL, 0, 9)]


def test_supports_are_counted_in_bytes_and_cited_in_characters() -> None:
    text = "Señor, precio: 3 €. Fin."
    quoted = "precio: 3 €."
    start = len(text[: text.index(quoted)].encode())
    grounding = {
        "groundingChunks": [{"web": {"uri": URL, "title": "P"}}],
        "groundingSupports": [
            {
                "segment": {"startIndex": start, "endIndex": start + len(quoted.encode()), "text": quoted},
                "groundingChunkIndices": [0, 9],
            }
        ],
    }

    events = ADAPTER.normalize_message(_answer({"text": text}, groundingMetadata=grounding), 1)

    assert isinstance(events[-1], AssistantMessage)
    [citation] = events[-1].citations
    assert citation.start is not None
    assert text[citation.start : citation.end] == quoted


def test_pages_that_were_read_are_a_server_side_tool() -> None:
    pages = {"urlMetadata": [{"retrievedUrl": URL, "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"}]}

    request = ADAPTER.normalize_message(_answer({"text": "x"}, urlContextMetadata=pages), 1)[0]

    assert isinstance(request, ToolRequest)
    assert (request.tool_name, request.args) == ("url_context", {"urls": [URL]})


def test_tools_google_names_itself_are_paired_by_id() -> None:
    parts = [
        {"toolCall": {"id": "t1", "toolType": "GOOGLE_MAPS", "args": {"q": "x"}}},
        {"toolResponse": {"id": "t1", "toolType": "GOOGLE_MAPS", "response": {"text": "here"}}},
    ]

    call, result = ADAPTER.read_message(_answer(*parts)).content

    assert isinstance(call, ToolCallBlock)
    assert isinstance(result, ToolResultBlock)
    assert (call.name, result.tool_use_id, result.content) == ("google_maps", "t1", "here")


def test_a_picture_is_an_image() -> None:
    [block] = ADAPTER.read_message(_answer({"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}})).content

    assert isinstance(block, ImageBlock)
    assert block.data == b"\x89PNG"


def test_a_picture_is_found_in_an_event() -> None:
    message = _answer({"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}})

    [event] = ADAPTER.normalize_message(message, 1)

    assert isinstance(event, AssistantMessage)
    assert event.opaque[0]["media_type"] == "image/png"


def test_neighbouring_texts_of_one_kind_are_one() -> None:
    parts = [{"text": "a", "thought": True}, {"text": "b", "thought": True}, {"text": "c"}, {"text": "d"}]

    answer = ADAPTER.read_message(_answer(*parts))

    assert [getattr(block, "text", None) for block in answer.content] == ["ab", "cd"]


def test_a_blocked_prompt_is_a_refusal() -> None:
    feedback = {"blockReason": "JAILBREAK", "blockReasonMessage": "Nice try."}
    message = {"promptFeedback": feedback, "modelVersion": "gemini", "usageMetadata": {"promptTokenCount": 3}}

    [said, refused] = ADAPTER.normalize_message(message, 1)

    assert isinstance(said, AssistantMessage)
    assert (said.content, said.usage) == ("", Usage(input=3))
    assert isinstance(refused, ContentRefused)
    assert refused.reason == "Nice try."
    reader = ADAPTER.stream()
    reader.feed(message)
    assert reader.close() == ADAPTER.read_message(message)


def test_an_answer_to_be_continued_is_paused() -> None:
    events = ADAPTER.normalize_message(whole("google", "pause"), 1)

    assert isinstance(events[-1], TurnPaused)


def test_an_answer_without_candidates_or_reason_is_malformed() -> None:
    with pytest.raises(MalformedAnswerError, match="neither candidates"):
        ADAPTER.read_message({"candidates": [], "usageMetadata": {"promptTokenCount": 3}})


def test_bare_content_is_read_as_an_answer() -> None:
    assert ADAPTER.read_message({"role": "model", "parts": [{"text": "Hi."}]}).content == (TextBlock(text="Hi."),)


def test_arguments_streamed_path_by_path_are_put_together() -> None:
    def piece(**call: Any) -> dict[str, Any]:
        return {"candidates": [{"content": {"parts": [{"functionCall": call}]}}]}

    reader = ADAPTER.stream()
    reader.feed(piece(name="order", id="fc1", willContinue=True))
    begun = {"jsonPath": "$.who", "stringValue": "AC", "willContinue": True}
    reader.feed(piece(partialArgs=[begun], willContinue=True))
    reader.feed(piece(partialArgs=[{"jsonPath": "$.who", "stringValue": "ME"}], willContinue=True))
    reader.feed(piece(partialArgs=[{"jsonPath": "$.lines[0].n", "numberValue": 3}], willContinue=True))
    reader.feed(piece(partialArgs=[{"jsonPath": "$['is new']", "boolValue": True}], willContinue=False))
    reader.feed(piece(name="list", id="fc2", args={}))
    reader.feed({"candidates": [{"finishReason": "STOP"}]})

    first, second = reader.close().tool_calls
    assert first.args == {"who": "ACME", "lines": [{"n": 3}], "is new": True}
    assert (second.id, second.args) == ("fc2", {})


def test_an_error_in_a_stream_is_raised() -> None:
    with pytest.raises(RateLimitedError, match="quota"):
        ADAPTER.stream().feed({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota"}})
