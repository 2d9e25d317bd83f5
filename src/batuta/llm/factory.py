"""From a model string to a model: `model("anthropic:claude-sonnet-4-6")`, or `provider/model`.

Keys come from the provider's usual variables, read when a model is made and never on import. The model that comes
back is protected (`ResilientModel`); `client` gives it bare. `offline:batuta-offline` is the built-in model, which
needs no key and no network.
"""

import importlib
import os
from collections.abc import Mapping
from functools import cache

from batuta.kernel.errors import ConfigurationError
from batuta.llm.anthropic.client import AnthropicModel
from batuta.llm.client import Endpoint, ProviderModel
from batuta.llm.google.client import GoogleModel
from batuta.llm.model import Model
from batuta.llm.openai.client import OpenAIChatModel, OpenAIResponsesModel
from batuta.llm.prices import DEFAULT_PRICES, Prices
from batuta.llm.providers import OFFLINE_PROVIDER, PROVIDERS, Provider, parse_model
from batuta.llm.resilient import Protection, ResilientModel
from batuta.llm.settings import Dialect

CLIENTS: dict[Dialect, type[ProviderModel]] = {
    "anthropic": AnthropicModel,
    "openai_chat": OpenAIChatModel,
    "openai_responses": OpenAIResponsesModel,
    "google": GoogleModel,
}
BUILT_IN = "batuta.offline.model:OfflineModel"
NO_KEY = "none"
"""Sent to servers that ask for no key: the SDK insists on one."""


@cache
def shared_protection() -> Protection:
    """The protection of all models of this process that are given none: their breakers count together."""
    return Protection()


def model(
    name: str,
    *,
    api_key: str | None = None,
    base_url: str | None = None,
    headers: Mapping[str, str] | None = None,
    prices: Prices = DEFAULT_PRICES,
    protection: Protection | None = None,
) -> ResilientModel:
    """The protected model of a string such as `openai:gpt-5.2`.

    Raises `ConfigurationError` for an unknown provider or a missing key, `MissingExtraError` for a missing SDK.
    """
    if parse_model(name)[0] == OFFLINE_PROVIDER:
        bare: Model = built_in_model()
    else:
        bare = client(name, api_key=api_key, base_url=base_url, headers=headers, prices=prices)
    return ResilientModel(bare, protection or shared_protection())


def built_in_model() -> Model:
    """The model that needs no provider. It lies above this layer, as it reads tools and plans: loaded by its name."""
    module, _, name = BUILT_IN.partition(":")
    made: Model = getattr(importlib.import_module(module), name)()
    return made


@cache
def named_model(name: str) -> ResilientModel:
    """The model of a string, the same object each time: agents that name it share its connections and its breaker."""
    return model(name)


def client(
    name: str,
    *,
    api_key: str | None = None,
    base_url: str | None = None,
    headers: Mapping[str, str] | None = None,
    prices: Prices = DEFAULT_PRICES,
) -> ProviderModel:
    """The bare client of a provider's model, for those who protect it themselves. Raises as `model` does."""
    provider_name, model_name = parse_model(name)
    if provider_name == OFFLINE_PROVIDER:
        raise ConfigurationError(f"{name!r} has no provider and so no client; ask `model` for it")
    return _client(model_name, endpoint_of(provider_name, api_key, base_url, headers), provider_name, prices)


def endpoint_of(
    provider_name: str, api_key: str | None, base_url: str | None, headers: Mapping[str, str] | None = None
) -> Endpoint:
    """Where a provider is reached: as given, else as the environment says. Raises `ConfigurationError`."""
    provider = PROVIDERS[provider_name]
    return Endpoint(
        api_key=api_key or _key(provider_name, provider),
        base_url=base_url or _base_url(provider_name, provider),
        headers=tuple((headers or {}).items()),
    )


def _client(name: str, endpoint: Endpoint, provider_name: str, prices: Prices) -> ProviderModel:
    provider = PROVIDERS[provider_name]
    known_as = "openai" if provider_name.startswith("openai-") else provider_name
    if provider.api == "openai_chat":
        return OpenAIChatModel(name, endpoint, provider=known_as, prices=prices, chat=provider.chat)
    return CLIENTS[provider.api](name, endpoint, provider=known_as, prices=prices)


def _key(name: str, provider: Provider) -> str:
    found = next((value for variable in provider.key_variables if (value := os.environ.get(variable))), None)
    if found is None and provider.needs_key:
        variables = " or ".join(provider.key_variables)
        raise ConfigurationError(f"no key for {name}: set {variables}, or pass api_key")
    return found or NO_KEY


def _base_url(name: str, provider: Provider) -> str | None:
    given = os.environ.get(provider.base_url_variable) if provider.base_url_variable else None
    if not given and provider.path:
        raise ConfigurationError(f"no address for {name}: set {provider.base_url_variable}, or pass base_url")
    if not given:
        return provider.base_url
    has_path = not provider.path or given.rstrip("/").endswith(provider.path)
    return given if has_path else given.rstrip("/") + provider.path
