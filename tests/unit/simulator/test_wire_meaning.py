"""One neutral answer, told in each provider's words."""

from typing import Any

import pytest

from batuta.simulator import PROVIDERS, PlannedAnswer, Provider
from batuta.simulator.answers import Json, Pace
from batuta.simulator.wire import DIALECTS
from batuta.simulator.wire.dialect import WireFailure
from batuta.simulator.wire.turn import is_foreign_signature, signature_for
from tests.unit.simulator.rich_answers import rich, turn_for


def whole(provider: Provider, name: str) -> Json:
    return DIALECTS[provider].whole(rich(name), turn_for(provider))


def stop_of(provider: Provider, body: Json) -> Any:
    if provider == "anthropic":
        return body["stop_reason"]
    if provider == "openai_chat":
        return body["choices"][0]["finish_reason"]
    if provider == "openai_responses":
        return (body["incomplete_details"] or {}).get("reason") or body["status"]
    return body["candidates"][0]["finishReason"]


@pytest.mark.parametrize(
    ("name", "stops"),
    [
        ("text", ("end_turn", "stop", "completed", "STOP")),
        ("parallel calls", ("tool_use", "tool_calls", "completed", "STOP")),
        ("out of tokens", ("max_tokens", "length", "max_output_tokens", "MAX_TOKENS")),
        ("refusal", ("refusal", "stop", "completed", "SAFETY")),
        ("pause", ("pause_turn", "stop", "completed", "STOP")),
        ("stop sequence", ("stop_sequence", "stop", "completed", "STOP")),
    ],
)
def test_a_stop_has_each_providers_name(name: str, stops: tuple[str, ...]) -> None:
    assert tuple(stop_of(provider, whole(provider, name)) for provider in PROVIDERS) == stops


def test_anthropic_counts_cached_tokens_beside_the_input() -> None:
    usage = whole("anthropic", "usage")["usage"]

    assert (usage["input_tokens"], usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]) == (
        300,
        600,
        100,
    )
    assert usage["output_tokens_details"] == {"thinking_tokens": 150}


def test_openai_chat_counts_cached_tokens_within_the_prompt() -> None:
    usage = whole("openai_chat", "usage")["usage"]

    assert (usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"]) == (1000, 600)
    assert (usage["completion_tokens"], usage["completion_tokens_details"]["reasoning_tokens"]) == (200, 150)


def test_openai_responses_counts_reasoning_within_the_output() -> None:
    usage = whole("openai_responses", "usage")["usage"]

    assert (usage["output_tokens"], usage["output_tokens_details"]["reasoning_tokens"]) == (200, 150)


def test_google_counts_thoughts_beside_the_candidates() -> None:
    usage = whole("google", "usage")["usageMetadata"]

    assert (usage["candidatesTokenCount"], usage["thoughtsTokenCount"], usage["totalTokenCount"]) == (50, 150, 1200)


def test_usage_is_estimated_when_the_scenario_is_silent() -> None:
    usage = whole("openai_chat", "text")["usage"]

    assert usage["prompt_tokens"] > 0
    assert usage["completion_tokens"] > 10


def test_google_signs_the_first_of_parallel_calls_only() -> None:
    parts = whole("google", "parallel calls")["candidates"][0]["content"]["parts"]

    assert ["thoughtSignature" in part for part in parts] == [False, True, False]


def test_responses_keep_reasoning_closed_unless_encrypted_content_was_asked_for() -> None:
    turn = turn_for("openai_responses")
    asked = DIALECTS["openai_responses"].read({"model": "gpt-5", "input": "Hello"})
    silent = type(turn)(asked=asked, seed=0, number=1, created=0, pace=Pace())

    with_it = DIALECTS["openai_responses"].whole(rich("thinking"), turn)["output"][0]
    without = DIALECTS["openai_responses"].whole(rich("thinking"), silent)["output"][0]

    assert "encrypted_content" in with_it
    assert "encrypted_content" not in without


def test_a_chat_stream_counts_tokens_only_when_asked() -> None:
    asked = DIALECTS["openai_chat"].read({"model": "gpt-5", "messages": []})
    turn = type(turn_for("openai_chat"))(asked=asked, seed=0, number=1, created=0, pace=Pace())

    events = DIALECTS["openai_chat"].events(rich("text"), turn)

    assert all("usage" not in event.data for event in events[:-1])


def test_a_raw_block_reaches_only_the_provider_it_is_for() -> None:
    raw = {"type": "raw", "payloads": {"anthropic": {"type": "hologram", "beam": 1}}}
    answer = PlannedAnswer.model_validate({"blocks": [raw]})

    assert DIALECTS["anthropic"].whole(answer, turn_for("anthropic"))["content"] == [{"type": "hologram", "beam": 1}]
    assert DIALECTS["openai_responses"].whole(answer, turn_for("openai_responses"))["output"] == []
    assert DIALECTS["google"].whole(answer, turn_for("google"))["candidates"][0]["content"]["parts"] == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_raw_block_for_any_reaches_every_provider(provider: Provider) -> None:
    answer = PlannedAnswer.model_validate({"blocks": [{"type": "raw", "payloads": {"any": {"type": "hologram"}}}]})

    assert "hologram" in str(DIALECTS[provider].whole(answer, turn_for(provider)))
    assert "hologram" in str(DIALECTS[provider].events(answer, turn_for(provider)))


def test_arguments_that_are_not_json_are_streamed_as_written() -> None:
    call = {"type": "tool_call", "name": "find", "arguments_text": '{"number": '}
    answer = PlannedAnswer.model_validate({"blocks": [call]})

    message = DIALECTS["openai_chat"].whole(answer, turn_for("openai_chat"))["choices"][0]["message"]
    events = DIALECTS["anthropic"].events(answer, turn_for("anthropic"))
    deltas = [event.data["delta"] for event in events if event.name == "content_block_delta"]

    assert message["tool_calls"][0]["function"]["arguments"] == '{"number": '
    assert "".join(delta["partial_json"] for delta in deltas) == '{"number": '


def test_varied_chunks_join_to_the_text_and_differ_in_size() -> None:
    text = "abcdefghijklmnopqrstuvwxyz" * 4
    pieces = list(turn_for("anthropic", pace=Pace(chunk_chars=4, vary=True)).chunks(text))

    assert "".join(pieces) == text
    assert len({len(piece) for piece in pieces}) > 2


def test_a_signature_belongs_to_its_text_alone() -> None:
    signature = signature_for("one thought")

    assert not is_foreign_signature("one thought", signature)
    assert is_foreign_signature("another thought", signature)
    assert not is_foreign_signature("one thought", "c2lnbmVkIGVsc2V3aGVyZQ==")


@pytest.mark.parametrize(
    ("provider", "status", "words"),
    [
        ("anthropic", 429, "rate_limit_error"),
        ("anthropic", 500, "api_error"),
        ("anthropic", 529, "overloaded_error"),
        ("anthropic", 418, "invalid_request_error"),
        ("openai_chat", 429, "rate_limit_exceeded"),
        ("openai_chat", 503, "server_error"),
        ("openai_responses", 400, "invalid_request_error"),
        ("google", 429, "RESOURCE_EXHAUSTED"),
        ("google", 500, "INTERNAL"),
        ("google", 503, "UNAVAILABLE"),
    ],
)
def test_an_error_has_the_providers_words(provider: Provider, status: int, words: str) -> None:
    assert words in str(DIALECTS[provider].error(WireFailure(status=status, message="no")))


def test_google_tells_the_retry_delay_in_the_body() -> None:
    body = DIALECTS["google"].error(WireFailure(status=429, message="slow down", retry_after=2.5))

    assert body["error"]["details"][0]["retryDelay"] == "2.5s"
