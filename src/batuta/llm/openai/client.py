"""Models behind OpenAI's official SDK: chat completions, also of every compatible endpoint, and the Responses API."""

from typing import Any

from batuta.events.adapters import OpenAIChatAdapter, OpenAIResponsesAdapter
from batuta.llm.client import Endpoint
from batuta.llm.model import ModelRequest
from batuta.llm.openai import encode_chat, encode_responses
from batuta.llm.prices import DEFAULT_PRICES, Prices
from batuta.llm.providers import OPENAI, ChatDialect
from batuta.llm.stainless import StainlessClient, StainlessModel


class OpenAIConnection(StainlessClient):
    """OpenAI's SDK, for whatever is asked of it."""

    sdk, sdk_client = "openai", "AsyncOpenAI"

    def __init__(
        self, name: str, endpoint: Endpoint, *, provider: str = "openai", prices: Prices = DEFAULT_PRICES
    ) -> None:
        super().__init__(name, endpoint, provider=provider, prices=prices)


class OpenAIChatModel(OpenAIConnection, StainlessModel):
    """A model of a chat completions API."""

    dialect = "openai_chat"
    adapter = OpenAIChatAdapter()
    path = "/chat/completions"
    stream_fields = {"stream": True, "stream_options": {"include_usage": True}}

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        *,
        provider: str = "openai",
        prices: Prices = DEFAULT_PRICES,
        chat: ChatDialect = OPENAI,
    ) -> None:
        super().__init__(name, endpoint, provider=provider, prices=prices)
        self._chat = chat

    def encode(self, request: ModelRequest) -> dict[str, Any]:
        """The body of the request."""
        return encode_chat.encode_request(request, self.name, self._chat)


class OpenAIResponsesModel(OpenAIConnection, StainlessModel):
    """A model of the Responses API."""

    dialect = "openai_responses"
    adapter = OpenAIResponsesAdapter()
    path = "/responses"
    stream_fields = {"stream": True}

    def encode(self, request: ModelRequest) -> dict[str, Any]:
        """The body of the request."""
        return encode_responses.encode_request(request, self.name)
