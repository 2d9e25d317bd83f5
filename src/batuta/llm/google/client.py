"""Models of the Gemini API, on Google's official SDK."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.request import getproxies

from pydantic_core import from_json

from batuta.events.adapters import GoogleAdapter
from batuta.kernel.errors import BatutaError
from batuta.kernel.extras import load_extra
from batuta.kernel.outgoing import outgoing_headers
from batuta.llm.client import Endpoint, ProviderClient, ProviderModel, read_json
from batuta.llm.failures import translate_google
from batuta.llm.google.encode import encode_request
from batuta.llm.model import ModelRequest
from batuta.llm.prices import DEFAULT_PRICES, Prices
from batuta.llm.watch import ResponseWatch, trace_config

ONE_ATTEMPT = {"attempts": 1}
"""Without options the SDK tries again by itself after a broken connection."""
SAME_EITHER_WAY = {"automatic_function_calling": {"disable": True}, "automatic_continuation": False}
"""What the SDK would do by itself in one of its two calls and not in the other."""
NOT_SAID = {"sdk_http_response"}
ONLY_CONTENT = frozenset({"content", "index"})
ONLY_WORDS = frozenset({"text", "thought"})


class GoogleConnection(ProviderClient):
    """Google's SDK, for whatever is asked of it."""

    dialect = "google"

    def __init__(
        self, name: str, endpoint: Endpoint, *, provider: str = "google", prices: Prices = DEFAULT_PRICES
    ) -> None:
        super().__init__(name, endpoint, provider=provider, prices=prices)
        self._sdk = load_extra("google.genai", extra="google", needed_for="Google's models")
        self._http = load_extra("aiohttp", extra="google", needed_for="Google's models")

    def _open(self) -> Any:
        # Looking for proxies takes two hops through a thread with each request: only where there are some.
        session = self._http.ClientSession(trust_env=bool(getproxies()), trace_configs=[trace_config(self._http)])
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


class GoogleModel(GoogleConnection, ProviderModel):
    """A model of the Gemini API."""

    adapter = GoogleAdapter()

    def encode(self, request: ModelRequest) -> dict[str, Any]:
        """The arguments of the SDK's call."""
        return encode_request(request, self.name)

    async def _send(self, body: dict[str, Any], request: ModelRequest) -> Any:
        opened = await self._client()
        arguments = self._typed(body, should_return_http_response=True)
        async with asyncio.timeout(request.settings.timeout.total_seconds()):
            answer = await opened.sdk.aio.models.generate_content(**arguments)
        return read_json(self.provider, answer.sdk_http_response.body)

    async def _events(self, body: dict[str, Any], request: ModelRequest) -> AsyncIterator[Any]:
        opened = await self._client()
        async with ResponseWatch(request.settings.timeout.total_seconds()) as watch:
            async with watch.opening():
                chunks = await opened.sdk.aio.models.generate_content_stream(**self._typed(body))
                first = await anext(chunks, None)
            if first is not None:
                yield _words_alone(first) or _as_sent(first)
            async for chunk in chunks:
                yield _words_alone(chunk) or _as_sent(chunk)

    def _typed(self, body: dict[str, Any], **config: Any) -> dict[str, Any]:
        # The SDK looks for the raw response in an object only, not in a dict.
        if carried := outgoing_headers():
            config["http_options"] = {"headers": carried}
        settings = self._sdk.types.GenerateContentConfig(**body["config"], **SAME_EITHER_WAY, **config)
        return {**body, "config": settings}


@dataclass(frozen=True, slots=True)
class _Opened:
    """The SDK's client with the session it sends through, which is ours to close."""

    sdk: Any
    session: Any


def _as_sent(chunk: Any) -> Any:
    """A chunk as it came over the wire."""
    return from_json(chunk.model_dump_json(by_alias=True, exclude_unset=True, exclude=NOT_SAID))


def _words_alone(chunk: Any) -> dict[str, Any] | None:
    """A chunk that only adds words, as nearly all do, taken by hand: writing it out again costs as much as reading it.

    What else it carries (model, id, usage so far) comes again with the last chunk.
    """
    candidates = chunk.candidates
    if not candidates or len(candidates) > 1 or not candidates[0].model_fields_set <= ONLY_CONTENT:
        return None
    parts = candidates[0].content.parts if candidates[0].content else None
    if not parts or len(parts) > 1 or not parts[0].model_fields_set <= ONLY_WORDS:
        return None
    return {"candidates": [{"content": {"parts": [{"text": parts[0].text, "thought": parts[0].thought}]}}]}
