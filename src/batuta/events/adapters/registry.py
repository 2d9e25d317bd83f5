"""Adapters by provider name, as messages and model strings spell it."""

from batuta.events.adapters.anthropic import AnthropicAdapter
from batuta.events.adapters.base import BaseAdapter
from batuta.events.adapters.google import GoogleAdapter
from batuta.events.adapters.openai_chat import OpenAIChatAdapter
from batuta.events.adapters.openai_responses import OpenAIResponsesAdapter
from batuta.kernel.errors import ConfigurationError

ADAPTERS: dict[str, type[BaseAdapter]] = {
    "anthropic": AnthropicAdapter,
    "openai": OpenAIChatAdapter,
    "openai_chat": OpenAIChatAdapter,
    "openai_responses": OpenAIResponsesAdapter,
    "azure": OpenAIChatAdapter,
    "azure_openai": OpenAIChatAdapter,
    "deepseek": OpenAIChatAdapter,
    "groq": OpenAIChatAdapter,
    "mistralai": OpenAIChatAdapter,
    "openrouter": OpenAIChatAdapter,
    "xai": OpenAIChatAdapter,
    "google": GoogleAdapter,
    "google_genai": GoogleAdapter,
    "google_vertexai": GoogleAdapter,
    "gemini": GoogleAdapter,
}
"""Either adapter of OpenAI reads LangChain messages of both its APIs."""


def adapter_for(name: str) -> BaseAdapter:
    """The adapter of a provider. Raises `ConfigurationError` for an unknown name."""
    adapter = ADAPTERS.get(name.lower().replace("-", "_"))
    if adapter is None:
        raise ConfigurationError(f"no adapter for provider {name!r}; there are {', '.join(sorted(ADAPTERS))}")
    return adapter()


def is_known(name: str) -> bool:
    """Whether a provider has an adapter."""
    return name.lower().replace("-", "_") in ADAPTERS
