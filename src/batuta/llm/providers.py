"""The providers Batuta knows: which API they speak, where they are, and which variables hold their keys."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from batuta.kernel.errors import ConfigurationError
from batuta.llm.settings import Dialect

OFFLINE_PROVIDER = "offline"
OFFLINE_NAME = "batuta-offline"
OFFLINE_MODEL = f"{OFFLINE_PROVIDER}:{OFFLINE_NAME}"
"""The built-in model, which has no provider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatDialect:
    """How an endpoint differs from OpenAI's own."""

    max_tokens_field: str = "max_completion_tokens"
    has_effort: bool = True
    """It knows `reasoning_effort`."""
    has_schema: bool = True
    """It can hold an answer to a JSON schema."""


OPENAI = ChatDialect()
MANY_SPEAK = ChatDialect(max_tokens_field="max_tokens")
"""The common ground of compatible endpoints: the older field, efforts and schemas where the model has them."""
NO_EFFORT = ChatDialect(max_tokens_field="max_tokens", has_effort=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """How models of one provider are reached."""

    api: Dialect
    key_variables: tuple[str, ...]
    """The first that is set is used."""
    base_url: str | None = None
    """`None` leaves it to the SDK."""
    base_url_variable: str | None = None
    needs_key: bool = True
    chat: ChatDialect = OPENAI
    path: str = ""
    """Added to a base URL given by variable, where that names the host alone."""


PROVIDERS: dict[str, Provider] = {
    "anthropic": Provider(
        api="anthropic", key_variables=("ANTHROPIC_API_KEY",), base_url_variable="ANTHROPIC_BASE_URL"
    ),
    "openai": Provider(api="openai_chat", key_variables=("OPENAI_API_KEY",), base_url_variable="OPENAI_BASE_URL"),
    "openai-chat": Provider(api="openai_chat", key_variables=("OPENAI_API_KEY",), base_url_variable="OPENAI_BASE_URL"),
    "openai-responses": Provider(
        api="openai_responses", key_variables=("OPENAI_API_KEY",), base_url_variable="OPENAI_BASE_URL"
    ),
    "google": Provider(
        api="google", key_variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"), base_url_variable="GOOGLE_GEMINI_BASE_URL"
    ),
    "azure": Provider(
        api="openai_chat",
        key_variables=("AZURE_OPENAI_API_KEY",),
        base_url_variable="AZURE_OPENAI_ENDPOINT",
        path="/openai/v1",
    ),
    "mistral": Provider(
        api="openai_chat",
        key_variables=("MISTRAL_API_KEY",),
        base_url="https://api.mistral.ai/v1",
        chat=NO_EFFORT,
    ),
    "groq": Provider(
        api="openai_chat",
        key_variables=("GROQ_API_KEY",),
        base_url="https://api.groq.com/openai/v1",
    ),
    "openrouter": Provider(
        api="openai_chat",
        key_variables=("OPENROUTER_API_KEY",),
        base_url="https://openrouter.ai/api/v1",
        chat=MANY_SPEAK,
    ),
    "deepseek": Provider(
        api="openai_chat",
        key_variables=("DEEPSEEK_API_KEY",),
        base_url="https://api.deepseek.com",
        chat=ChatDialect(max_tokens_field="max_tokens", has_effort=False, has_schema=False),
    ),
    "xai": Provider(
        api="openai_chat",
        key_variables=("XAI_API_KEY",),
        base_url="https://api.x.ai/v1",
    ),
    "cohere": Provider(
        api="openai_chat",
        key_variables=("CO_API_KEY",),
        base_url="https://api.cohere.ai/compatibility/v1",
        chat=NO_EFFORT,
    ),
    "huggingface": Provider(
        api="openai_chat",
        key_variables=("HF_TOKEN",),
        base_url="https://router.huggingface.co/v1",
        chat=NO_EFFORT,
    ),
    "ollama": Provider(
        api="openai_chat",
        key_variables=("OLLAMA_API_KEY",),
        base_url="http://localhost:11434/v1",
        base_url_variable="OLLAMA_BASE_URL",
        needs_key=False,
        chat=MANY_SPEAK,
    ),
    "vllm": Provider(
        api="openai_chat",
        key_variables=("VLLM_API_KEY",),
        base_url="http://localhost:8000/v1",
        base_url_variable="VLLM_BASE_URL",
        needs_key=False,
        chat=NO_EFFORT,
    ),
    "lmstudio": Provider(
        api="openai_chat",
        key_variables=("LMSTUDIO_API_KEY",),
        base_url="http://localhost:1234/v1",
        base_url_variable="LMSTUDIO_BASE_URL",
        needs_key=False,
        chat=NO_EFFORT,
    ),
}

ALIASES = {"gemini": "google", "google-gla": "google", "mistralai": "mistral", "azure-openai": "azure", "grok": "xai"}
"""Other spellings in use."""

CHOICES = ("anthropic:claude-sonnet-4-6", "openai:gpt-5.2", "google:gemini-2.5-flash")
"""What `default_model` chooses from: the first whose key is set."""
EMBEDDING_EXAMPLES = "openai:text-embedding-3-small, google:gemini-embedding-001 or ollama:bge-m3"
MAX_DIMENSIONS = 8_192


def parse_model(text: str) -> tuple[str, str]:
    """Provider and model of a string. The provider ends at the first `:` or `/`, whichever comes first.

    Raises `ConfigurationError`. Needs no key and loads no SDK, so that a name is checked where it is written.
    """
    cut = min((place for place in (text.find(":"), text.find("/")) if place > 0), default=0)
    spelt, model_name = text[:cut].lower().replace("_", "-"), text[cut + 1 :]
    provider = ALIASES.get(spelt, spelt)
    if not cut or not model_name:
        raise ConfigurationError(f"a model is named provider:model, such as anthropic:claude-sonnet-4-6; got {text!r}")
    if provider == OFFLINE_PROVIDER and model_name != OFFLINE_NAME:
        raise ConfigurationError(f"there is one offline model, {OFFLINE_MODEL}; got {text!r}")
    if provider not in PROVIDERS and provider != OFFLINE_PROVIDER:
        known = ", ".join(sorted([*PROVIDERS, OFFLINE_PROVIDER]))
        raise ConfigurationError(f"unknown provider {spelt!r} in {text!r}; known are {known}")
    return provider, model_name


def default_model(environment: Mapping[str, str] | None = None) -> str:
    """The model of the first provider whose key is set, else the built-in one, as a model string."""
    given = os.environ if environment is None else environment
    keys = {choice: PROVIDERS[parse_model(choice)[0]].key_variables for choice in CHOICES}
    return next((choice for choice in CHOICES if any(given.get(key) for key in keys[choice])), OFFLINE_MODEL)


def check_embedding_model(name: str) -> None:
    """Raise `ConfigurationError` if no provider could have such a model. Needs no key and loads no SDK."""
    provider, written = parse_model(name)
    _, mark, length = written.partition("#")
    if mark and not (length.isdecimal() and 1 <= int(length) <= MAX_DIMENSIONS):
        raise ConfigurationError(
            f"behind # stands a length from 1 to {MAX_DIMENSIONS}, such as openai:text-embedding-3-large#1024"
        )
    if provider not in PROVIDERS or PROVIDERS[provider].api == "anthropic":
        raise ConfigurationError(f"{provider} has no embedding models; name one such as {EMBEDDING_EXAMPLES}")
