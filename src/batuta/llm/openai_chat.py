"""Models that speak OpenAI's chat completions: OpenAI's own and those of every compatible endpoint."""

from typing import Any

from batuta.events.adapters import OpenAIChatAdapter
from batuta.llm.client import Endpoint
from batuta.llm.encoding.openai_chat import OPENAI, ChatDialect, encode_request
from batuta.llm.model import ModelRequest
from batuta.llm.openai_client import OpenAIModel
from batuta.llm.prices import DEFAULT_PRICES, Prices


class OpenAIChatModel(OpenAIModel):
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
        return encode_request(request, self.name, self._chat)
