"""Gemini models, on Google's official SDK."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from batuta.events.adapters import GoogleAdapter
from batuta.kernel.errors import BatutaError
from batuta.kernel.extras import load_extra
from batuta.llm.client import Endpoint, ProviderModel
from batuta.llm.encoding.google import encode_request
from batuta.llm.failures import translate_google
from batuta.llm.model import ModelRequest
from batuta.llm.prices import DEFAULT_PRICES, Prices

ONE_ATTEMPT = {"attempts": 1}
"""Without options the SDK tries again by itself after a broken connection."""


class GoogleModel(ProviderModel):
    """A model of the Gemini API."""

    dialect = "google"
    adapter = GoogleAdapter()

    def __init__(
        self, name: str, endpoint: Endpoint, *, provider: str = "google", prices: Prices = DEFAULT_PRICES
    ) -> None:
        super().__init__(name, endpoint, provider=provider, prices=prices)
        self._sdk = load_extra("google.genai", extra="google", needed_for="Google's models")
        self._http = load_extra("aiohttp", extra="google", needed_for="Google's models")

    def encode(self, request: ModelRequest) -> dict[str, Any]:
        """The arguments of the SDK's call."""
        return encode_request(request, self.name)

    async def _send(self, body: dict[str, Any], request: ModelRequest) -> Any:
        opened = await self._client()
        return await opened.sdk.aio.models.generate_content(**_limited(body, request))

    async def _events(self, body: dict[str, Any], request: ModelRequest) -> AsyncIterator[Any]:
        opened = await self._client()
        async for chunk in await opened.sdk.aio.models.generate_content_stream(**_limited(body, request)):
            yield chunk

    def _open(self) -> Any:
        session = self._http.ClientSession(trust_env=True)
        client = self._sdk.Client(
            api_key=self._endpoint.api_key,
            http_options={
                "base_url": self._endpoint.base_url,
                "headers": dict(self._endpoint.headers) or None,
                "retry_options": ONE_ATTEMPT,
                "aiohttp_client": session,
            },
        )
        return _Opened(client, session)

    async def _shut(self, client: "_Opened") -> None:
        await client.session.close()
        client.sdk.close()

    def _translate(self, error: Exception) -> BatutaError:
        return translate_google(self._sdk, error)


@dataclass(frozen=True, slots=True)
class _Opened:
    """The SDK's client with the session it sends through, which is ours to close."""

    sdk: Any
    session: Any


def _limited(body: dict[str, Any], request: ModelRequest) -> dict[str, Any]:
    timeout_ms = int(request.settings.timeout.total_seconds() * 1000)
    return {**body, "config": {**body["config"], "http_options": {"timeout": timeout_ms}}}
