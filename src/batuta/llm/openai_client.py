"""What the APIs of OpenAI share: the official SDK, sent plain bodies, its own retries off."""

from collections.abc import AsyncIterator
from typing import Any, ClassVar

from batuta.kernel.errors import BatutaError
from batuta.kernel.extras import load_extra
from batuta.kernel.outgoing import outgoing_headers
from batuta.llm.client import Endpoint, ProviderClient, ProviderModel, events_of, read_json
from batuta.llm.failures import translate_stainless
from batuta.llm.model import ModelRequest
from batuta.llm.prices import DEFAULT_PRICES, Prices
from batuta.llm.quotas import QUOTAS


class OpenAIConnection(ProviderClient):
    """OpenAI's SDK, for whatever is asked of it."""

    def __init__(
        self, name: str, endpoint: Endpoint, *, provider: str = "openai", prices: Prices = DEFAULT_PRICES
    ) -> None:
        super().__init__(name, endpoint, provider=provider, prices=prices)
        self._sdk = load_extra("openai", extra="openai", needed_for=f"models of {provider}")
        self._http = load_extra("httpx2", extra="openai", needed_for=f"models of {provider}")

    def _open(self) -> Any:
        return self._sdk.AsyncOpenAI(
            api_key=self._endpoint.api_key,
            base_url=self._endpoint.base_url,
            default_headers=dict(self._endpoint.headers),
            max_retries=0,
            http_client=self._sdk.DefaultAioHttpClient(),
        )

    def _translate(self, error: Exception) -> BatutaError:
        return translate_stainless(self._sdk, self.provider, error)


class OpenAIModel(OpenAIConnection, ProviderModel):
    """A model behind OpenAI's SDK."""

    path: ClassVar[str]
    stream_fields: ClassVar[dict[str, Any]]

    async def _send(self, body: dict[str, Any], request: ModelRequest) -> Any:
        client = await self._client()
        response = await client.post(self.path, cast_to=self._http.Response, body=body, options=_options(request))
        QUOTAS.note(self.provider, self.name, response.headers)
        return read_json(self.provider, response.content)

    async def _events(self, body: dict[str, Any], request: ModelRequest) -> AsyncIterator[Any]:
        client = await self._client()
        response = await client.post(
            self.path,
            cast_to=self._http.Response,
            body={**body, **self.stream_fields},
            options=_options(request),
            stream=True,
            stream_cls=self._sdk.AsyncStream,
        )
        QUOTAS.note(self.provider, self.name, response.headers)
        async for event in events_of(response):
            yield event


def _options(request: ModelRequest) -> dict[str, Any]:
    return {"timeout": request.settings.timeout.total_seconds(), "headers": outgoing_headers()}
