"""A model around a model: what all wrappers share."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

from batuta.kernel.messages import Answer, Delta
from batuta.llm.model import Model, ModelRequest

T = TypeVar("T")


class Served(Protocol):
    """What a provider serves under a name: a model of either kind."""

    @property
    def provider(self) -> str:
        """Who serves it."""
        ...

    @property
    def name(self) -> str:
        """Its name there."""
        ...


InnerT = TypeVar("InnerT", bound=Served)


class Wrapper(Generic[InnerT]):
    """Around a language model or an embedding model: known as the one inside, and closed with it."""

    def __init__(self, inner: InnerT) -> None:
        self.inner = inner

    @property
    def provider(self) -> str:
        """Who serves the model inside."""
        return self.inner.provider

    @property
    def name(self) -> str:
        """The name of the model inside."""
        return self.inner.name

    async def aclose(self) -> None:
        """Close the model inside, if it holds anything open."""
        close = getattr(self.inner, "aclose", None)
        if close is not None:
            await close()

    async def __aenter__(self) -> Self:
        """Use it as a block; it is closed at the end."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.aclose()


class WrappedModel(Wrapper[Model]):
    """Passes everything on to the model inside; subclasses change what they are for."""

    async def generate(self, request: ModelRequest) -> Answer:
        """Answer once."""
        return await self.inner.generate(request)

    def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """Answer piece by piece."""
        return self.inner.stream(request)


@asynccontextmanager
async def closing(items: AsyncIterator[T]) -> AsyncGenerator[AsyncIterator[T], None]:
    """Close a stream when its reader leaves, however that happens, so that its connection is closed there and then."""
    try:
        yield items
    finally:
        close = getattr(items, "aclose", None)
        if close is not None:
            await close()
