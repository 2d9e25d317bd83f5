"""Live HTTP streams: each ends when its caller is no longer let in, and all of them when the server stops."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from batuta.kernel.ids import new_id
from batuta.server.ownership import Caller

T = TypeVar("T")


class Stream:
    """One response under way."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self._ended = asyncio.Event()

    def end(self) -> None:
        """Say nothing more."""
        self._ended.set()

    async def until_ended(self, source: AsyncIterator[T]) -> AsyncGenerator[T]:
        """What a source gives, until it or this stream ends."""
        ended = asyncio.create_task(self._ended.wait())
        coming: asyncio.Future[T | None] | None = None
        try:
            while not self._ended.is_set():
                coming = asyncio.ensure_future(anext(source, None))
                await asyncio.wait({coming, ended}, return_when=asyncio.FIRST_COMPLETED)
                item = coming.result() if coming.done() else None
                if item is None:
                    return
                yield item
        finally:
            await _cancelled(ended)
            if coming is not None:
                await _cancelled(coming)


class Streams:
    """All live HTTP streams of this process."""

    def __init__(self) -> None:
        self._streams: dict[str, Stream] = {}
        self._is_closed = False

    @property
    def callers(self) -> Mapping[str, Caller]:
        """Who listens, by the name of the stream."""
        return {name: stream.caller for name, stream in self._streams.items()}

    @contextmanager
    def open(self, caller: Caller) -> Iterator[Stream]:
        """A stream within the block."""
        name, stream = new_id(), Stream(caller)
        self._streams[name] = stream
        if self._is_closed:
            stream.end()
        try:
            yield stream
        finally:
            del self._streams[name]

    def end(self, names: frozenset[str]) -> None:
        """End some."""
        for name in names:
            if name in self._streams:
                self._streams[name].end()

    def close(self) -> None:
        """End all of them, and those that come."""
        self._is_closed = True
        self.end(frozenset(self._streams))


async def _cancelled(task: "asyncio.Future[Any]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
