"""A conversation that moves from one provider to another takes its words along, not its signatures (F-27, F-40).

Answers are read as they come over the wire, and sent on to each of the others.
"""

from typing import Any

import pytest

from batuta.events.adapters import (
    AnthropicAdapter,
    BaseAdapter,
    GoogleAdapter,
    OpenAIChatAdapter,
    OpenAIResponsesAdapter,
)
from batuta.kernel.messages import Message
from batuta.llm.anthropic import encode as anthropic
from batuta.llm.google import encode as google
from batuta.llm.model import ModelRequest
from batuta.llm.openai import encode_chat as openai_chat
from batuta.llm.openai import encode_responses as openai_responses

SIGNATURE = "c2lnbmF0dXJl"
RAW = b"signature"

ANSWERS: dict[str, tuple[BaseAdapter, dict[str, Any]]] = {
    "anthropic": (
        AnthropicAdapter(),
        {
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": SIGNATURE},
                {"type": "redacted_thinking", "data": SIGNATURE},
                {"type": "text", "text": "Seven."},
            ],
            "stop_reason": "end_turn",
        },
    ),
    "google": (
        GoogleAdapter(),
        {
            "candidates": [
                {
                    "content": {
                        "parts": [
                            {"text": "hm", "thought": True, "thoughtSignature": SIGNATURE},
                            {"text": "Seven.", "thoughtSignature": SIGNATURE},
                        ]
                    },
                    "finishReason": "STOP",
                }
            ]
        },
    ),
    "openai_responses": (
        OpenAIResponsesAdapter(),
        {
            "object": "response",
            "status": "completed",
            "model": "gpt-5",
            "output": [
                {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": SIGNATURE},
                {
                    "type": "message",
                    "id": "msg_1",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "Seven.", "annotations": []}],
                },
            ],
        },
    ),
    "openai_chat": (
        OpenAIChatAdapter(),
        {
            "object": "chat.completion",
            "model": "router/model",
            "choices": [
                {
                    "finish_reason": "stop",
                    "message": {
                        "role": "assistant",
                        "content": "Seven.",
                        "reasoning_details": [{"type": "reasoning.encrypted", "data": SIGNATURE}],
                    },
                }
            ],
        },
    ),
}
ENCODERS = {
    "anthropic": anthropic.encode_request,
    "google": google.encode_request,
    "openai_responses": openai_responses.encode_request,
    "openai_chat": openai_chat.encode_request,
}
TAKES_ITS_OWN_BACK = ("anthropic", "google", "openai_responses")


@pytest.mark.parametrize("target", ENCODERS)
@pytest.mark.parametrize("source", ANSWERS)
def test_a_signature_goes_back_only_to_whom_it_came_from(source: str, target: str) -> None:
    adapter, message = ANSWERS[source]
    answer = adapter.read_message(message).as_message()
    request = ModelRequest(messages=(Message.user("How many?"), answer, Message.user("Sure?")))
    body = str(ENCODERS[target](request, "model"))
    assert "Seven." in body
    is_own = source == target and target in TAKES_ITS_OWN_BACK
    assert (SIGNATURE in body or str(RAW) in body) is is_own
