"""Live HTTP streams: each ends when its caller is no longer let in, and all of them when the server stops."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from batuta.kernel.ids import new_id
from batuta.server.security.ownership import Caller

T = TypeVar("T")


class Stream:
    """One response under way."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self._is_ended = False
        self._waiting: asyncio.Task[object] | None = None
        """The task that waits for the source, while it does."""
        self._is_called_off = False

    def end(self) -> None:
        """Say nothing more."""
        self._is_ended = True
        if self._waiting is not None and not self._is_called_off:
            self._is_called_off = self._waiting.cancel()

    async def until_ended(self, source: AsyncIterator[T]) -> AsyncGenerator[T]:
        """What a source gives, until it or this stream ends.

        The source is waited for here and not in a task of its own: whoever ends the response finds it at rest, and an
        item costs no task. It is called off as `asyncio.timeout` does it, whose price for each item would be a third of
        what the item costs.
        """
        while not self._is_ended:
            task = asyncio.current_task()
            assert task is not None
            self._waiting, cancelled_before = task, task.cancelling()
            try:
                item = await anext(source, None)
            except asyncio.CancelledError:
                if not self._is_called_off or task.cancelling() - 1 > cancelled_before:
                    raise  # somebody else wants more than this source to end
                return
            finally:
                self._waiting = None
                if self._is_called_off:
                    task.uncancel()
            if item is None:
                return
            yield item


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
