"""What the encoders write is what the official SDKs' own types describe, with no field they do not know."""

from typing import Any

import pytest
from anthropic.types import Message, RawMessageStreamEvent
from google.genai.types import GenerateContentResponse
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import BaseModel, TypeAdapter

from batuta.simulator import PROVIDERS, Provider
from batuta.simulator.wire import DIALECTS
from tests.unit.simulator.rich_answers import RICH, rich, turn_for

WHOLE: dict[Provider, TypeAdapter[Any]] = {
    "anthropic": TypeAdapter(Message),
    "openai_chat": TypeAdapter(ChatCompletion),
    "openai_responses": TypeAdapter(Response),
    "google": TypeAdapter(GenerateContentResponse),
}
EVENT: dict[Provider, TypeAdapter[Any]] = {
    "anthropic": TypeAdapter(RawMessageStreamEvent),
    "openai_chat": TypeAdapter(ChatCompletionChunk),
    "openai_responses": TypeAdapter(ResponseStreamEvent),
    "google": TypeAdapter(GenerateContentResponse),
}
# Sent by the services, not yet described by the SDKs.
UNDESCRIBED = {"store", "annotations"}


def unknown_fields(value: object) -> set[str]:
    if isinstance(value, BaseModel):
        own = set(value.model_extra or {})
        return own.union(*(unknown_fields(item) for item in vars(value).values()))
    if isinstance(value, list):
        return set().union(*(unknown_fields(item) for item in value))
    return set()


@pytest.mark.parametrize("name", RICH)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_whole_body_is_what_the_sdk_describes(provider: Provider, name: str) -> None:
    """F-46"""
    body = DIALECTS[provider].whole(rich(name), turn_for(provider))

    parsed = WHOLE[provider].validate_python(body)

    assert unknown_fields(parsed) <= UNDESCRIBED


@pytest.mark.parametrize("name", RICH)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_event_is_what_the_sdk_describes(provider: Provider, name: str) -> None:
    """F-46"""
    events = [event.data for event in DIALECTS[provider].events(rich(name), turn_for(provider))]
    described = [data for data in events if data != "[DONE]" and data.get("type") != "ping"]

    parsed = [EVENT[provider].validate_python(data) for data in described]

    assert parsed
    assert unknown_fields(parsed) <= UNDESCRIBED


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_same_seed_writes_the_same_bytes(provider: Provider) -> None:
    first, second = (DIALECTS[provider].events(rich("parallel calls"), turn_for(provider, seed=3)) for _ in range(2))

    assert [event.encode() for event in first] == [event.encode() for event in second]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_another_seed_gives_other_ids(provider: Provider) -> None:
    first, second = (DIALECTS[provider].whole(rich("text"), turn_for(provider, seed=seed)) for seed in (1, 2))
    key = "responseId" if provider == "google" else "id"

    assert first[key] != second[key]
