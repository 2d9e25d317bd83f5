"""Messages as LangChain's own packages make them of the wire fixtures: real models, with the wire plugged in below."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import anthropic
import httpx
import httpx2
from google.ai.generativelanguage_v1beta.types import GenerateContentResponse
from langchain_anthropic import ChatAnthropic
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessageChunk
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from tests.replay.wire_fixtures import streamed, whole

KEY = SecretStr("none")


def _wire(feature_of: str, feature: str, http: Any) -> Any:
    """An HTTP client that answers every request with a fixture."""

    def answer(request: Any) -> Any:
        if not json.loads(request.content).get("stream"):
            return http.Response(200, json=whole(feature_of, feature))
        lines = [
            f"event: {chunk.get('type')}\ndata: {json.dumps(chunk)}\n\n" for chunk in streamed(feature_of, feature)
        ]
        end = ["data: [DONE]\n\n"] if feature_of == "openai_chat" else []
        return http.Response(200, text="".join(lines + end), headers={"content-type": "text/event-stream"})

    return http.Client(transport=http.MockTransport(answer))


def anthropic_model(feature: str) -> BaseChatModel:
    model = ChatAnthropic(model_name="claude-sonnet-4-5", api_key=KEY, max_tokens_to_sample=1000)  # type: ignore[call-arg]
    model.__dict__["_client"] = anthropic.Client(api_key="none", http_client=_wire("anthropic", feature, httpx2))
    return model


def chat_model(feature: str) -> BaseChatModel:
    wire = _wire("openai_chat", feature, httpx)
    return ChatOpenAI(model="gpt-4o", api_key=KEY, http_client=wire, stream_usage=True)


def responses_model(feature: str, output_version: str | None = None) -> BaseChatModel:
    wire = _wire("openai_responses", feature, httpx)
    return ChatOpenAI(
        model="gpt-5-mini", api_key=KEY, http_client=wire, use_responses_api=True, output_version=output_version
    )


class _GoogleWire:
    """Stands where the package has Google's client, and answers with a fixture."""

    def __init__(self, feature: str) -> None:
        self._feature = feature

    def generate_content(self, **_: Any) -> Any:
        return self._read(whole("google", self._feature))

    def stream_generate_content(self, **_: Any) -> Iterable[Any]:
        return map(self._read, streamed("google", self._feature))

    def _read(self, answer: Any) -> Any:
        return GenerateContentResponse.from_json(json.dumps(answer), ignore_unknown_fields=True)


def google_model(feature: str) -> BaseChatModel:
    model = ChatGoogleGenerativeAI(model="gemini-2.5-flash", google_api_key=KEY)
    model.client = _GoogleWire(feature)
    return model


def at_once(model: BaseChatModel) -> AIMessage:
    """The message of a call."""
    return model.invoke("hello")


def in_chunks(model: BaseChatModel) -> AIMessageChunk:
    """The sum of the chunks of a streamed call."""
    total: BaseMessageChunk | None = None
    for chunk in model.stream("hello"):
        total = chunk if total is None else total + chunk
    assert isinstance(total, AIMessageChunk)
    return total


Form = tuple[str, Callable[[str], AIMessage]]

FORMS: dict[str, Form] = {
    "anthropic": ("anthropic", lambda feature: at_once(anthropic_model(feature))),
    "anthropic streamed": ("anthropic", lambda feature: in_chunks(anthropic_model(feature))),
    "chat": ("openai_chat", lambda feature: at_once(chat_model(feature))),
    "chat streamed": ("openai_chat", lambda feature: in_chunks(chat_model(feature))),
    "responses": ("openai_responses", lambda feature: at_once(responses_model(feature))),
    "responses streamed": ("openai_responses", lambda feature: in_chunks(responses_model(feature))),
    "responses v0": ("openai_responses", lambda feature: at_once(responses_model(feature, "v0"))),
    "responses v1": ("openai_responses", lambda feature: at_once(responses_model(feature, "v1"))),
    "google": ("google", lambda feature: at_once(google_model(feature))),
    "google streamed": ("google", lambda feature: in_chunks(google_model(feature))),
}
"""Every form, with the provider whose fixtures it is made of."""
