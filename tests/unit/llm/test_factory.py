"""From a string to a model (F-41)."""

import os
import subprocess
import sys

import pytest

from batuta.kernel.errors import ConfigurationError, MissingExtraError
from batuta.llm.client import Endpoint, ProviderModel
from batuta.llm.factory import CLIENTS, client, model
from batuta.llm.model import Model
from batuta.llm.providers import ALIASES, PROVIDERS, parse_model
from batuta.llm.resilient import ResilientModel


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS.values():
        for variable in (*provider.key_variables, provider.base_url_variable):
            if variable:
                monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("anthropic:claude-sonnet-5", ("anthropic", "claude-sonnet-5")),
        ("anthropic/claude-sonnet-5", ("anthropic", "claude-sonnet-5")),
        ("ollama:llama3.2:3b", ("ollama", "llama3.2:3b")),
        ("openrouter:meta-llama/llama-4", ("openrouter", "meta-llama/llama-4")),
        ("openrouter/meta-llama/llama-4:free", ("openrouter", "meta-llama/llama-4:free")),
        ("Gemini:gemini-3-pro", ("google", "gemini-3-pro")),
        ("openai_responses:gpt-5", ("openai-responses", "gpt-5")),
    ],
)
def test_provider_and_model_are_told_apart_in_either_form(text: str, expected: tuple[str, str]) -> None:
    assert parse_model(text) == expected


@pytest.mark.parametrize("text", ["gpt-5", "", ":gpt-5", "openai:", "/x"])
def test_a_string_without_provider_or_model_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigurationError, match="provider:model, such as"):
        parse_model(text)


def test_an_unknown_provider_is_named_with_those_that_are_known() -> None:
    with pytest.raises(ConfigurationError, match=r"'acme'.*anthropic.*openai"):
        parse_model("acme:model-1")


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_provider_makes_a_model_with_a_key_and_an_address(name: str) -> None:
    made = client(f"{name}:some-model", api_key="secret", base_url="http://localhost:1/v1")
    assert isinstance(made, Model)
    assert isinstance(made, CLIENTS[PROVIDERS[name].api])
    assert (made.name, made.provider) == ("some-model", name.removesuffix("-chat").removesuffix("-responses"))


@pytest.mark.parametrize("name", [name for name, provider in PROVIDERS.items() if provider.needs_key])
def test_a_missing_key_names_the_variable_to_set(name: str) -> None:
    with pytest.raises(ConfigurationError, match=PROVIDERS[name].key_variables[0]):
        client(f"{name}:some-model", base_url="http://localhost:1")


@pytest.mark.parametrize("name", ["ollama", "vllm", "lmstudio"])
def test_local_servers_need_no_key(name: str) -> None:
    assert client(f"{name}:some-model").provider == name


@pytest.mark.parametrize("variable", ["GOOGLE_API_KEY", "GEMINI_API_KEY"])
def test_a_key_comes_from_any_of_the_usual_variables(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "from-the-environment")
    assert _endpoint(client("google:gemini-3-pro")).api_key == "from-the-environment"


def test_an_address_comes_from_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://gpu:11434/v1")
    assert _endpoint(client("ollama:llama")).base_url == "http://gpu:11434/v1"


@pytest.mark.parametrize("given", ["https://x.openai.azure.com/", "https://x.openai.azure.com/openai/v1"])
def test_azure_takes_the_address_of_the_resource(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", given)
    made = client("azure:my-deployment", api_key="secret")
    assert _endpoint(made).base_url == "https://x.openai.azure.com/openai/v1"


def test_azure_without_an_address_names_the_variable() -> None:
    with pytest.raises(ConfigurationError, match="AZURE_OPENAI_ENDPOINT"):
        client("azure:my-deployment", api_key="secret")


def test_a_model_is_protected_and_those_of_one_process_share_their_breakers() -> None:
    first, second = model("ollama:a"), model("ollama:b")
    assert isinstance(first, ResilientModel)
    assert first._protection is second._protection


def test_a_key_is_never_shown() -> None:
    assert "secret" not in repr(_endpoint(client("anthropic:x", api_key="secret")))


@pytest.mark.parametrize(("name", "extra"), [("anthropic", "anthropic"), ("openai", "openai"), ("google", "google")])
def test_a_missing_sdk_names_the_extra_that_brings_it(monkeypatch: pytest.MonkeyPatch, name: str, extra: str) -> None:
    for module in ("anthropic", "openai", "google.genai"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"batuta-ai\[{extra}\]"):
        client(f"{name}:x", api_key="secret")


def test_aliases_lead_to_providers() -> None:
    assert set(ALIASES.values()) <= set(PROVIDERS)


def test_importing_the_factory_loads_no_sdk_and_reads_no_environment() -> None:
    program = """
import os, sys
import pydantic, zoneinfo
read = []
class Watched(dict):
    def get(self, key, default=None): read.append(key)
    def __getitem__(self, key): read.append(key); raise KeyError(key)
    def __contains__(self, key): read.append(key); return False
os.environ = Watched()
import batuta.llm.factory, batuta.llm.roles, batuta.llm.interceptors, batuta.llm.masking, batuta.llm.budgeted
heavy = {"anthropic", "openai", "google.genai", "httpx", "httpx2", "aiohttp", "genai_prices", "tiktoken"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
assert not [name for name in read if "PYTHON" not in name and "PYDANTIC" not in name], read
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert done.returncode == 0, done.stderr


def _endpoint(made: ProviderModel) -> Endpoint:
    return made._endpoint
