"""How a request looks on each of the four wires, with a model that understands it."""

from collections.abc import Callable
from typing import Any

from batuta.llm.anthropic import encode as anthropic
from batuta.llm.google import encode as google
from batuta.llm.model import ModelRequest
from batuta.llm.openai import encode_chat as openai_chat
from batuta.llm.openai import encode_responses as openai_responses
from batuta.simulator import Provider

ENCODERS: dict[Provider, tuple[Callable[[ModelRequest, str], dict[str, Any]], str]] = {
    "anthropic": (anthropic.encode_request, "claude-sonnet-4-5"),
    "openai_chat": (openai_chat.encode_request, "gpt-5"),
    "openai_responses": (openai_responses.encode_request, "gpt-5"),
    "google": (google.encode_request, "gemini-2.5-flash"),
}
