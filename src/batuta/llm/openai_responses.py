"""Models that speak OpenAI's Responses API."""

from typing import Any

from batuta.events.adapters import OpenAIResponsesAdapter
from batuta.llm.encoding.openai_responses import encode_request
from batuta.llm.model import ModelRequest
from batuta.llm.openai_client import OpenAIModel


class OpenAIResponsesModel(OpenAIModel):
    """A model of the Responses API."""

    dialect = "openai_responses"
    adapter = OpenAIResponsesAdapter()
    path = "/responses"
    stream_fields = {"stream": True}

    def encode(self, request: ModelRequest) -> dict[str, Any]:
        """The body of the request."""
        return encode_request(request, self.name)
