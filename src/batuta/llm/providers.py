"""The providers Batuta knows: which API they speak, where they are, and which variables hold their keys."""

from dataclasses import dataclass

from batuta.kernel.errors import ConfigurationError
from batuta.llm.encoding.openai_chat import OPENAI, ChatDialect
from batuta.llm.settings import Dialect

OFFLINE_PROVIDER = "offline"
OFFLINE_NAME = "batuta-offline"
OFFLINE_MODEL = f"{OFFLINE_PROVIDER}:{OFFLINE_NAME}"
"""The built-in model, which has no provider."""

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
