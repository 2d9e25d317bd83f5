"""The fixtures themselves: complete, as generated, and what the providers' SDKs call an answer."""

import json
import sys
from typing import Any

import pytest
from anthropic.lib.streaming._messages import accumulate_event
from anthropic.types import Message, RawMessageStreamEvent
from google.genai.types import GenerateContentResponse
from jsonschema import Draft202012Validator
from openai import omit
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.lib.streaming.responses._responses import ResponseStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import BaseModel, TypeAdapter

from batuta.events.adapters import adapter_for
from tests.replay.make_wire_fixtures import fixtures
from tests.replay.wire_fixtures import CELLS, WIRE, streamed, whole
from tests.replay.written_wire import FEATURES, PROVIDERS
from tests.unit.events.adapters.seen import facts, read_whole, without_nulls

SDK_ANSWERS: dict[str, type[BaseModel]] = {
    "anthropic": Message,
    "openai_chat": ChatCompletion,
    "openai_responses": Response,
    "google": GenerateContentResponse,
}
SDK_CHUNKS: dict[str, TypeAdapter[Any]] = {
    "anthropic": TypeAdapter(RawMessageStreamEvent),
    "openai_chat": TypeAdapter(ChatCompletionChunk),
    "openai_responses": TypeAdapter(ResponseStreamEvent),
    "google": TypeAdapter(GenerateContentResponse),
}
BEYOND_THE_SDK = {
    (provider, f"{source}unknown_block")
    for provider in ("anthropic", "openai_responses")
    for source in ("", "recorded/")
}
"""Their unknown blocks are unknown to the SDKs too, which take them without validation."""

VALID_CELLS = [cell for cell in CELLS if cell not in BEYOND_THE_SDK]


FORMS = {
    "written": ("{}.whole.json", "{}.stream.json"),
    "recorded": ("recorded/{}.whole.json", "recorded/{}.stream.sse"),
}


def test_the_matrix_has_no_empty_cell() -> None:
    """Feature × provider × whole/stream, written and recorded; run with `-s` to see it."""
    missing = []
    rows = [f"\n{'':18}" + "".join(f"{provider:>34}" for provider in PROVIDERS)]
    for feature in FEATURES:
        row = f"{feature:18}"
        for provider in PROVIDERS:
            cell = {source: _found(provider, feature, forms) for source, forms in FORMS.items()}
            row += f"{' · '.join(source + ' ' + '+'.join(found) for source, found in cell.items() if found):>34}"
            missing += [(provider, feature, source) for source, found in cell.items() if found != ["W", "S"]]
        rows.append(row)
    sys.stdout.write("\n".join([*rows, "W whole, S stream"]) + "\n")
    assert not missing


def _found(provider: str, feature: str, forms: tuple[str, str]) -> list[str]:
    files = [WIRE / provider / form.format(feature) for form in forms]
    return [sign for sign, file in zip("WS", files, strict=True) if file.is_file() and file.stat().st_size]


def test_the_stored_fixtures_are_what_the_generator_makes() -> None:
    stored = {str(path.relative_to(WIRE)): path.read_bytes().decode() for path in WIRE.rglob("*.*")}
    recordings = {path: text for path, text in stored.items() if "/recorded/" in path and "canonical" not in path}

    assert stored == fixtures(recordings)


def test_every_event_of_every_fixture_validates_against_the_schema() -> None:
    """E-1: in Python; the TypeScript suite does the same with the same files."""
    schema = json.loads((WIRE.parents[2] / "docs/reference/events.schema.json").read_text())
    validator = Draft202012Validator(schema)
    for provider, feature in CELLS:
        for event in json.loads((WIRE / provider / f"{feature}.canonical.json").read_text())["events"]:
            validator.validate(event)


@pytest.mark.parametrize(("provider", "feature"), VALID_CELLS)
def test_a_whole_fixture_is_an_answer_to_the_sdk(provider: str, feature: str) -> None:
    SDK_ANSWERS[provider].model_validate(whole(provider, feature))


@pytest.mark.parametrize(("provider", "feature"), VALID_CELLS)
def test_every_chunk_of_a_stream_fixture_is_one_to_the_sdk(provider: str, feature: str) -> None:
    for chunk in streamed(provider, feature):
        if chunk.get("type") != "ping":
            SDK_CHUNKS[provider].validate_python(chunk)


@pytest.mark.parametrize(("provider", "feature"), VALID_CELLS)
def test_an_sdk_object_is_read_like_its_wire_form(provider: str, feature: str) -> None:
    """E-10: adapters read objects of the SDK by what they hold, without importing it."""
    message = whole(provider, feature)

    answer = read_whole(provider, SDK_ANSWERS[provider].model_validate(message))

    assert facts(answer) == facts(read_whole(provider, message))


@pytest.mark.parametrize(("provider", "feature"), VALID_CELLS)
def test_sdk_stream_objects_are_read_like_their_wire_form(provider: str, feature: str) -> None:
    reader = adapter_for(provider).stream()
    for chunk in streamed(provider, feature):
        if chunk.get("type") != "ping":
            reader.feed(SDK_CHUNKS[provider].validate_python(chunk))

    assert facts(reader.close()) == facts(read_whole(provider, whole(provider, feature)))


@pytest.mark.parametrize("feature", [feature for feature in FEATURES if feature != "unknown_block"])
def test_anthropics_accumulator_ends_with_the_whole_message(feature: str) -> None:
    snapshot: Any = None
    buffers: dict[int, bytes] = {}
    for chunk in streamed("anthropic", feature):
        if chunk["type"] != "ping":
            event = SDK_CHUNKS["anthropic"].validate_python(chunk)
            snapshot = accumulate_event(event=event, current_snapshot=snapshot, json_bufs=buffers)

    accumulated = json.loads(snapshot.model_dump_json(exclude_none=True, warnings=False))
    assert accumulated == without_nulls(whole("anthropic", feature))


@pytest.mark.parametrize("feature", FEATURES)
def test_openais_chat_accumulator_ends_with_the_whole_completion(feature: str) -> None:
    state: ChatCompletionStreamState[None] = ChatCompletionStreamState()
    for chunk in streamed("openai_chat", feature):
        state.handle_chunk(ChatCompletionChunk.model_validate(chunk))

    accumulated = read_whole("openai_chat", state.current_completion_snapshot)
    assert accumulated == read_whole("openai_chat", whole("openai_chat", feature))


COMPLETED = [
    feature
    for provider, feature in VALID_CELLS
    if provider == "openai_responses" and whole(provider, feature)["status"] == "completed"
]
"""The SDK's state gives a final response only for those."""


@pytest.mark.parametrize("feature", COMPLETED)
def test_openais_responses_accumulator_ends_with_the_whole_response(feature: str) -> None:
    state: ResponseStreamState[Any] = ResponseStreamState(input_tools=omit, text_format=omit)
    for chunk in streamed("openai_responses", feature):
        state.handle_event(SDK_CHUNKS["openai_responses"].validate_python(chunk))

    accumulated = read_whole("openai_responses", state._completed_response)
    assert accumulated.content == read_whole("openai_responses", whole("openai_responses", feature)).content
