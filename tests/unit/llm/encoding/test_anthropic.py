"""Requests of Anthropic's Messages API."""

import pytest

from batuta.kernel.messages import (
    ContentBlock,
    Message,
    OpaqueBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from batuta.llm.anthropic.encode import DEFAULT_MAX_TOKENS, encode_request
from batuta.llm.model import ModelRequest, ModelSettings
from batuta.simulator import validate_request
from tests.unit.llm.encoding.conversations import (
    ATTACHMENTS,
    CALL,
    EVERYTHING,
    FIND,
    FOREIGN,
    HOLLOW,
    PERSON,
    RESULT,
    TOOL_LOOP,
    asked,
    with_settings,
)

MODEL = "claude-haiku-4-5"
ADAPTIVE = "claude-sonnet-5"


@pytest.mark.parametrize("kind", EVERYTHING)
def test_every_conversation_is_accepted(kind: str) -> None:
    assert validate_request("anthropic", encode_request(EVERYTHING[kind], MODEL)) == []


def test_a_plain_request_says_no_more_than_it_must() -> None:
    assert encode_request(asked(), MODEL) == {
        "model": MODEL,
        "max_tokens": DEFAULT_MAX_TOKENS,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
    }


def test_results_and_the_next_question_share_a_turn_with_the_results_first() -> None:
    turn = encode_request(TOOL_LOOP, MODEL)["messages"][2]
    assert turn["role"] == "user"
    assert turn["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "found"},
        {"type": "tool_result", "tool_use_id": "c2", "content": "not JSON", "is_error": True},
        {"type": "text", "text": "and now?"},
    ]


def test_a_result_comes_first_even_if_words_stand_before_it() -> None:
    said_and_brought = Message(role="user", content=(TextBlock(text="here:"), RESULT))
    request = asked(Message.user("hi"), Message.assistant([CALL]), said_and_brought, tools=(FIND,))
    body = encode_request(request, MODEL)
    assert [block["type"] for block in body["messages"][2]["content"]] == ["tool_result", "text"]


def test_arguments_that_were_no_json_become_an_empty_object() -> None:
    assert encode_request(TOOL_LOOP, MODEL)["messages"][1]["content"][2]["input"] == {}


def test_signed_and_redacted_thinking_goes_back_unchanged() -> None:
    thoughts = [ThinkingBlock(text="hm", signature="sig"), ThinkingBlock(text="", redacted="xyz")]
    request = asked(Message.user("hi"), Message.assistant([*thoughts, TextBlock(text="yes")]), Message.user("go on"))
    assert encode_request(request, MODEL)["messages"][1]["content"][:2] == [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "redacted_thinking", "data": "xyz"},
    ]


def test_thinking_without_a_signature_or_of_another_provider_stays_here() -> None:
    unsigned = asked(
        Message.user("hi"), Message.assistant([ThinkingBlock(text="hm"), TextBlock(text="yes")]), Message.user("go on")
    )
    for request in (unsigned, FOREIGN):
        assert encode_request(request, MODEL)["messages"][1]["content"] == [{"type": "text", "text": "yes"}]


def test_what_the_provider_did_itself_goes_back_in_its_own_words() -> None:
    raw_call = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    raw_result = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    blocks: list[ContentBlock] = [
        ToolCallBlock(id="s1", name="web_search", is_server_side=True, extra={"anthropic": raw_call}),
        ToolResultBlock(tool_use_id="s1", content="", is_server_side=True, extra={"anthropic": raw_result}),
        OpaqueBlock(provider="anthropic", data={"type": "container_upload", "file_id": "f"}),
    ]
    request = asked(Message.user("hi"), Message.assistant(blocks), Message.user("go on"))
    content = encode_request(request, MODEL)["messages"][1]["content"]
    assert content == [raw_call, raw_result, {"type": "container_upload", "file_id": "f"}]


def test_attachments_by_content_and_by_address() -> None:
    content = encode_request(ATTACHMENTS, MODEL)["messages"][0]["content"]
    assert [block.get("source", {}).get("type") for block in content] == [None, "base64", "url", "base64", "text"]
    assert content[3]["title"] == "a.pdf"
    assert content[4]["source"]["data"] == "hello"


def test_hollow_messages_leave_no_trace_and_system_messages_join_the_prompt() -> None:
    body = encode_request(HOLLOW, MODEL)
    assert body["system"] == "Be brief."
    assert [block["text"] for block in body["messages"][0]["content"]] == ["hi", "hello?"]


def test_a_budget_turns_thinking_on_and_leaves_room_for_the_answer() -> None:
    body = encode_request(with_settings(thinking_budget_tokens=2_000), MODEL)
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2_000}
    assert body["max_tokens"] == DEFAULT_MAX_TOKENS + 2_000


def test_newer_models_get_an_effort_instead_of_a_budget() -> None:
    body = encode_request(with_settings(thinking_budget_tokens=5_000), ADAPTIVE)
    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert body["output_config"] == {"effort": "medium"}


@pytest.mark.parametrize(
    ("model", "is_adaptive"),
    [
        ("claude-sonnet-4-5-20250929", False),
        ("claude-opus-4-5", False),
        ("claude-opus-4-20250514", False),
        ("claude-haiku-4-5", False),
        ("claude-opus-4-6", True),
        ("claude-sonnet-5", True),
        ("claude-opus-5-5", True),
        ("claude-mythos-5", True),
    ],
)
def test_which_models_think_as_they_see_fit(model: str, is_adaptive: bool) -> None:
    thinking = encode_request(with_settings(thinking_budget_tokens=5_000), model)["thinking"]
    assert (thinking["type"] == "adaptive") is is_adaptive


def test_a_tool_loop_that_began_without_thinking_goes_on_without() -> None:
    request = asked(
        Message.user("hi"),
        Message.assistant([CALL]),
        Message.tool([RESULT]),
        tools=(FIND,),
        settings=ModelSettings(thinking_budget_tokens=2_000, max_tokens=9_000),
    )
    body = encode_request(request, MODEL)
    assert "thinking" not in body
    assert validate_request("anthropic", body) == []


def test_the_prompt_and_the_tools_are_marked_for_the_cache() -> None:
    request = asked(system="Long.", tools=(FIND, FIND), settings=ModelSettings(caches_prompt=True))
    body = encode_request(request, MODEL)
    assert body["system"] == [{"type": "text", "text": "Long.", "cache_control": {"type": "ephemeral"}}]
    assert ["cache_control" in tool for tool in body["tools"]] == [False, True]


@pytest.mark.parametrize(
    ("choice", "expected"), [("auto", None), ("required", {"type": "any"}), ("none", {"type": "none"})]
)
def test_the_choice_of_tools(choice: str, expected: dict[str, str] | None) -> None:
    assert encode_request(asked(tools=(FIND,), tool_choice=choice), MODEL).get("tool_choice") == expected


def test_structured_output_is_native() -> None:
    schema = encode_request(asked(output=PERSON), MODEL)["output_config"]["format"]["schema"]
    assert (schema["additionalProperties"], schema["required"]) == (False, ["name"])


def test_everything_else_is_passed_on() -> None:
    request = ModelRequest(
        messages=(Message.user("hi"),),
        metadata={"user": "u1"},
        settings=ModelSettings(temperature=0.2, top_p=0.9, stop=("END",), max_tokens=7, extra={"service_tier": "auto"}),
    )
    body = encode_request(request, MODEL)
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.2, 0.9, 7)
    assert (body["stop_sequences"], body["metadata"], body["service_tier"]) == (["END"], {"user_id": "u1"}, "auto")
