"""What the clients of all providers do alike: check, encode, send, translate errors, read, price.

generate: check -> encode -> _send   -> adapter.read_message      -> cost
stream:   check -> encode -> _events -> reader.feed … reader.close -> cost
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, ClassVar, Self

from pydantic_core import from_json

from batuta.events.adapters import BaseAdapter
from batuta.kernel.errors import BatutaError
from batuta.kernel.messages import Answer, Delta
from batuta.kernel.usage import NO_USAGE
from batuta.llm.connections import CONNECTIONS
from batuta.llm.failures import TranslatedErrors, of_transport
from batuta.llm.model import ModelRequest
from batuta.llm.prices import DEFAULT_PRICES, Prices
from batuta.llm.providers import PROVIDERS
from batuta.llm.settings import Dialect, check_settings
from batuta.llm.sse import SseDecoder
from batuta.llm.wrapper import closing

DONE = b"[DONE]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a provider is reached, and with what key."""

    api_key: str = field(repr=False)
    base_url: str | None = None
    headers: tuple[tuple[str, str], ...] = ()


class ProviderClient(ABC):
    """What is reached through a provider's official SDK, whose own retries are off.

    Clients of one endpoint share their connections within an event loop. `aclose` gives them back.
    """

    dialect: ClassVar[Dialect]

    def __init__(self, name: str, endpoint: Endpoint, *, provider: str, prices: Prices = DEFAULT_PRICES) -> None:
        self._name = name
        self._endpoint = endpoint
        self._provider = provider
        self._prices = prices
        # The price list takes a fifth of a second to load: better now than in the middle of a run.
        prices.cost(provider, name, NO_USAGE)

    @property
    def provider(self) -> str:
        """Who serves it."""
        return self._provider

    @property
    def name(self) -> str:
        """The model's name at its provider."""
        return self._name

    @property
    def service(self) -> str:
        """The service that answers: what breakers and limits count, apart from its other APIs and addresses."""
        usual = PROVIDERS.get(self._provider)
        api = self._provider if usual is None or usual.api == self.dialect else f"{self._provider} ({self.dialect})"
        address = self._endpoint.base_url
        return api if address is None or (usual is not None and address == usual.base_url) else f"{api} at {address}"

    @property
    def prices(self) -> Prices:
        """What its tokens cost."""
        return self._prices

    async def aclose(self) -> None:
        """Give its connections back; those that no other model uses are closed."""
        await CONNECTIONS.release(self)

    async def __aenter__(self) -> Self:
        """Use it as a block; it is closed at the end."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.aclose()

    @abstractmethod
    def _open(self) -> Any:
        """A new client of the SDK. Nothing is sent."""

    @abstractmethod
    def _translate(self, error: Exception) -> BatutaError:
        """One of our errors for one of the SDK's."""

    async def _client(self) -> Any:
        key = (type(self), self._provider, self._endpoint)
        return await CONNECTIONS.client(key, self, make=self._open, close=self._shut)

    async def _shut(self, client: Any) -> None:
        await client.close()

    def _translated(self) -> AbstractContextManager[None]:
        return TranslatedErrors(self._translate)


class EmbeddingClient(ProviderClient):
    """A client of an embedding model, beside the connection of its provider (`EmbeddingModel`)."""

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        *,
        provider: str,
        prices: Prices = DEFAULT_PRICES,
        dimensions: int | None = None,
    ) -> None:
        super().__init__(name, endpoint, provider=provider, prices=prices)
        self._dimensions = dimensions

    @property
    def dimensions(self) -> int | None:
        """The length of vectors that was asked for; `None` leaves it to the model."""
        return self._dimensions


class ProviderModel(ProviderClient):
    """A language model behind a provider's SDK."""

    adapter: ClassVar[BaseAdapter]

    async def generate(self, request: ModelRequest) -> Answer:
        """Answer once."""
        body = self._prepared(request)
        with self._translated():
            answer = self.adapter.read_message(await self._send(body, request))
        return self._priced(answer)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """Answer piece by piece. Leaving the stream closes its connection."""
        body = self._prepared(request)
        reader = self.adapter.stream()
        events = self._events(body, request)
        translating = self._translated()
        async with closing(events):
            while True:
                with translating:
                    event = await anext(events, None)
                    deltas = None if event is None else reader.feed(event)
                if deltas is None:
                    break
                for delta in deltas:
                    yield delta
        with translating:
            answer = reader.close()
        yield self._priced(answer)

    @abstractmethod
    def encode(self, request: ModelRequest) -> dict[str, Any]:
        """The provider's own request."""

    @abstractmethod
    async def _send(self, body: dict[str, Any], request: ModelRequest) -> Any:
        """Ask for a whole answer."""

    @abstractmethod
    def _events(self, body: dict[str, Any], request: ModelRequest) -> AsyncIterator[Any]:
        """Ask for a stream, and give its events one by one."""

    def _prepared(self, request: ModelRequest) -> dict[str, Any]:
        check_settings(self.dialect, request)
        return self.encode(request)

    def _priced(self, answer: Answer) -> Answer:
        cost = None
        if answer.usage is not None:
            cost = self._prices.cost(self._provider, answer.model, answer.usage)
            if cost is None and answer.model != self._name:
                cost = self._prices.cost(self._provider, self._name, answer.usage)
        return answer.model_copy(update={"provider": self._provider, "cost": cost})


async def events_of(response: Any) -> AsyncIterator[Any]:
    """The JSON events of a streamed response of httpx; the response is closed when the reader leaves."""
    decoder = SseDecoder()
    try:
        async for data in response.aiter_bytes():
            for payload in decoder.feed(data):
                if payload != DONE:
                    yield from_json(payload)
        for payload in decoder.close():
            if payload != DONE:
                yield from_json(payload)
    finally:
        await response.aclose()


def read_json(provider: str, data: bytes | str) -> Any:
    """The body of an answer. Raises `ProviderUnavailableError` if it is no JSON: a proxy's page, half an answer."""
    try:
        return from_json(data)
    except ValueError as error:
        raise of_transport(provider, error) from error
