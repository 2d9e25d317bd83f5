"""What `ModelSettings.extra` adds to a request, and what it cannot replace."""

from collections.abc import Callable
from typing import Any

import pytest

from batuta.kernel.errors import SettingsError
from batuta.llm.anthropic import encode as anthropic
from batuta.llm.google import encode as google
from batuta.llm.model import ModelSettings
from batuta.llm.openai import encode_chat as openai_chat
from batuta.llm.openai import encode_responses as openai_responses
from tests.unit.llm.encoding.conversations import FIND, asked, with_settings

ENCODERS: dict[str, Callable[..., dict[str, Any]]] = {
    "anthropic": anthropic.encode_request,
    "openai_chat": openai_chat.encode_request,
    "openai_responses": openai_responses.encode_request,
    "google": lambda request, model: google.encode_request(request, model)["config"],
}
SEARCH = {"type": "web_search"}


@pytest.mark.parametrize("provider", ENCODERS)
def test_tools_of_the_provider_join_those_of_the_agent(provider: str) -> None:
    """None of the agent's own is dropped."""
    encode = ENCODERS[provider]
    own = encode(asked(tools=(FIND,)), "m")["tools"]
    both = encode(asked(tools=(FIND,), settings=ModelSettings(extra={"tools": [SEARCH]})), "m")["tools"]
    assert both == [*own, SEARCH]


@pytest.mark.parametrize("provider", ENCODERS)
@pytest.mark.parametrize("name", ["messages", "model", "system"])
def test_what_makes_the_request_cannot_be_replaced(provider: str, name: str) -> None:
    with pytest.raises(SettingsError, match=f"cannot replace {name}"):
        ENCODERS[provider](with_settings(extra={name: []}), "m")
