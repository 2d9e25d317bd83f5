"""Claude models, on Anthropic's official SDK."""

from typing import Any

from batuta.events.adapters import AnthropicAdapter
from batuta.llm.anthropic.encode import encode_request
from batuta.llm.client import Endpoint
from batuta.llm.model import ModelRequest
from batuta.llm.prices import DEFAULT_PRICES, Prices
from batuta.llm.stainless import StainlessModel


class AnthropicModel(StainlessModel):
    """A model of Anthropic's Messages API."""

    sdk, sdk_client = "anthropic", "AsyncAnthropic"
    dialect = "anthropic"
    adapter = AnthropicAdapter()
    path = "/v1/messages"
    stream_fields = {"stream": True}

    def __init__(
        self, name: str, endpoint: Endpoint, *, provider: str = "anthropic", prices: Prices = DEFAULT_PRICES
    ) -> None:
        super().__init__(name, endpoint, provider=provider, prices=prices)

    def encode(self, request: ModelRequest) -> dict[str, Any]:
        """The body of the request."""
        return encode_request(request, self.name)
