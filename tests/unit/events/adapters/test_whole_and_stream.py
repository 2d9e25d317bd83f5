"""E-12, E-13: the same events from an answer that comes at once and from one that comes in chunks, and none lost."""

import json
from collections.abc import Iterator
from datetime import UTC
from typing import Any

import pytest

from batuta.events import AssistantMessage, Event, Thinking, ToolRequest, encode
from batuta.events.adapters import adapter_for, events_of
from batuta.kernel.errors import MalformedAnswerError, ProviderUnavailableError
from tests.replay.wire_fixtures import CELLS, streamed, whole
from tests.unit.events.adapters.seen import read_stream, read_whole, seen

every_cell = pytest.mark.parametrize(("provider", "feature"), CELLS)


@every_cell
def test_stream_and_whole_answer_are_equal(provider: str, feature: str) -> None:
    """E-12."""
    assert read_stream(adapter_for(provider), streamed(provider, feature)) == read_whole(
        provider, whole(provider, feature)
    )


@every_cell
def test_stream_and_whole_answer_give_the_same_events(provider: str, feature: str) -> None:
    """E-12."""
    adapter = adapter_for(provider)

    told = events_of(read_stream(adapter, streamed(provider, feature)), 1)

    assert seen(told) == seen(adapter.normalize_message(whole(provider, feature), 1))


@every_cell
def test_every_block_is_found_again_in_some_event(provider: str, feature: str) -> None:
    """E-13: nothing dropped."""
    events = adapter_for(provider).normalize_message(whole(provider, feature), 1)

    told = [words for event in events for words in _words_in(json.loads(encode(event)))]
    lost = [words for words in _words_said(whole(provider, feature)) if not any(words in one for one in told)]
    assert not lost


@every_cell
def test_indexes_are_dense_from_the_given_one(provider: str, feature: str) -> None:
    """E-11."""
    events = adapter_for(provider).normalize_message(whole(provider, feature), 7)

    assert [event.original_index for event in events] == list(range(7, 7 + len(events)))


@every_cell
@pytest.mark.parametrize("index", [0, 7])
def test_each_event_has_an_id_and_a_time_of_its_own(provider: str, feature: str, index: int) -> None:
    """Numbered or not: nothing else stamps what is not emitted."""
    events = adapter_for(provider).normalize_message(whole(provider, feature), index)

    assert len({event.event_id for event in events} - {None}) == len(events)
    assert all(event.timestamp.tzinfo is UTC for event in events)


@every_cell
def test_exactly_one_event_carries_the_tokens(provider: str, feature: str) -> None:
    events = adapter_for(provider).normalize_message(whole(provider, feature), 1)

    assert [usage for event in events if (usage := _usage(event))] == [
        read_whole(provider, whole(provider, feature)).usage
    ]


@every_cell
def test_every_event_names_the_model_that_was_used(provider: str, feature: str) -> None:
    events = adapter_for(provider).normalize_message(whole(provider, feature), 1)

    models = {event.model for event in events if isinstance(event, AssistantMessage | Thinking | ToolRequest)}
    assert models == {read_whole(provider, whole(provider, feature)).model}
    assert "unknown" not in models


@every_cell
def test_deltas_add_up_to_what_was_said_and_thought(provider: str, feature: str) -> None:
    reader = adapter_for(provider).stream()
    deltas = [delta for chunk in streamed(provider, feature) for delta in reader.feed(chunk)]
    answer = reader.close()

    assert "".join(delta.text for delta in deltas if delta.kind == "text") == answer.text
    thought = "".join(delta.text for delta in deltas if delta.kind == "thinking")
    assert thought == answer.thinking.replace("\n\n", "")


@every_cell
def test_tool_call_deltas_name_the_tools_that_are_called(provider: str, feature: str) -> None:
    reader = adapter_for(provider).stream()
    deltas = [delta for chunk in streamed(provider, feature) for delta in reader.feed(chunk)]
    called = {call.name for call in reader.close().tool_calls if call.args}

    assert called <= {delta.tool_name for delta in deltas if delta.kind == "tool_call"}


@every_cell
def test_ft13_a_cut_stream_says_so_and_keeps_what_came(provider: str, feature: str) -> None:
    chunks = streamed(provider, feature)
    answer = read_whole(provider, whole(provider, feature))
    for length in range(len(chunks)):
        reader = adapter_for(provider).stream()
        for chunk in chunks[:length]:
            reader.feed(chunk)
        try:
            assert reader.close().content == answer.content, "a stream may close early only if all its blocks came"
        except ProviderUnavailableError:
            assert answer.text.startswith(reader.partial.text)


@pytest.mark.parametrize("provider", ["anthropic", "openai_chat", "openai_responses", "google"])
def test_a_stream_of_nothing_is_a_cut_stream(provider: str) -> None:
    reader = adapter_for(provider).stream()

    with pytest.raises(ProviderUnavailableError, match="broke off"):
        reader.close()
    assert reader.partial.content == ()


@pytest.mark.parametrize("provider", ["anthropic", "openai_chat", "openai_responses", "google"])
@pytest.mark.parametrize("chunk", [None, 7, "data: [DONE]", [], b"x"])
def test_a_chunk_that_is_no_object_is_malformed(provider: str, chunk: Any) -> None:
    with pytest.raises(MalformedAnswerError, match="a chunk"):
        adapter_for(provider).stream().feed(chunk)


@pytest.mark.parametrize("provider", ["anthropic", "openai_chat", "openai_responses", "google"])
@pytest.mark.parametrize("message", [None, 7, "text", [], {}, {"id": "x"}, {"content": 7, "choices": 7, "output": 7}])
def test_a_message_that_is_none_is_malformed(provider: str, message: Any) -> None:
    with pytest.raises(MalformedAnswerError) as caught:
        adapter_for(provider).read_message(message)
    assert caught.value.provider in provider


def _usage(event: Event) -> Any:
    return getattr(event, "usage", None)


_ABOUT = {"type", "role", "status", "id", "index", "thoughtSignature", "finish_reason", "language", "outcome", "domain"}
"""Fields that say something about a block and are no part of what it says."""


def _words_said(message: dict[str, Any]) -> Iterator[str]:
    """Every text inside the blocks of a whole answer."""
    candidates = message.get("candidates")
    beside = {name: candidates[0].get(name) for name in ("groundingMetadata", "citationMetadata")} if candidates else {}
    said = [candidate.get("content") for candidate in candidates or []]
    said += [choice["message"] for choice in message.get("choices", [])]
    return _words_in([message.get("content"), message.get("output"), said, beside])


def _words_in(value: Any) -> Iterator[str]:
    """Every text in a value, those of arguments in JSON as well."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name not in _ABOUT:
                yield from _words_in(json.loads(item) if name == "arguments" and isinstance(item, str) else item)
    elif isinstance(value, list):
        for item in value:
            yield from _words_in(item)
    elif isinstance(value, str) and value:
        yield value
