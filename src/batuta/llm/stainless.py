"""What the SDKs of Anthropic and OpenAI have in common: one generator makes both.

They are sent plain bodies and give raw responses; their own retries are off.
"""

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


class StainlessClient(ProviderClient):
    """One of the two SDKs, for whatever is asked of it."""

    sdk: ClassVar[str]
    """The module of the SDK, which is also the name of its extra."""
    sdk_client: ClassVar[str]

    def __init__(self, name: str, endpoint: Endpoint, *, provider: str, prices: Prices = DEFAULT_PRICES) -> None:
        super().__init__(name, endpoint, provider=provider, prices=prices)
        self._sdk = load_extra(self.sdk, extra=self.sdk, needed_for=f"models of {provider}")
        self._http = load_extra("httpx2", extra=self.sdk, needed_for=f"models of {provider}")

    def _open(self) -> Any:
        return getattr(self._sdk, self.sdk_client)(
            api_key=self._endpoint.api_key,
            base_url=self._endpoint.base_url,
            default_headers=dict(self._endpoint.headers),
            max_retries=0,
            http_client=self._sdk.DefaultAioHttpClient(),
        )

    def _translate(self, error: Exception) -> BatutaError:
        return translate_stainless(self._sdk, self.provider, error)

    async def _post(self, path: str, body: dict[str, Any], *, seconds: float, **streaming: Any) -> Any:
        """The raw response to a request; what it says about the account's quota is noted."""
        client = await self._client()
        options = {"timeout": seconds, "headers": outgoing_headers()}
        response = await client.post(path, cast_to=self._http.Response, body=body, options=options, **streaming)
        QUOTAS.note(self.provider, self.name, response.headers)
        return response


class StainlessModel(StainlessClient, ProviderModel):
    """A language model behind one of the two SDKs."""

    path: ClassVar[str]
    stream_fields: ClassVar[dict[str, Any]]

    async def _send(self, body: dict[str, Any], request: ModelRequest) -> Any:
        response = await self._post(self.path, body, seconds=request.settings.timeout.total_seconds())
        return read_json(self.provider, response.content)

    async def _events(self, body: dict[str, Any], request: ModelRequest) -> AsyncIterator[Any]:
        response = await self._post(
            self.path,
            {**body, **self.stream_fields},
            seconds=request.settings.timeout.total_seconds(),
            stream=True,
            stream_cls=self._sdk.AsyncStream,
        )
        async for event in events_of(response):
            yield event
