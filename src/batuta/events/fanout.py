"""Sinks made of sinks: one event for several, or only some events."""

import asyncio
from collections.abc import Callable, Iterable

from batuta.events.envelope import Event
from batuta.events.observers import InLine, Observer, Watcher, asks_for_contents, watching
from batuta.events.sink import EventSink

CONTENTS = "llm.exchanged"
"""The events that only sinks get that ask for contents."""


class FanOutSink(Watcher):
    """Hands each event to several sinks; one that raises or blocks does not keep it from the others."""

    def __init__(self, *sinks: EventSink) -> None:
        self._watchers = tuple(watching(sink) for sink in sinks)

    @property
    def wants_contents(self) -> bool:
        """Whether one of them does."""
        return any(watcher.wants_contents for watcher in self._watchers)

    def emit(self, event: Event) -> None:
        """Hand the event to every sink; contents only to those that ask for them."""
        if event.type == CONTENTS:
            self.disclose(event)
            return
        for watcher in self._watchers:
            watcher.emit(event)

    def disclose(self, event: Event) -> None:
        """Hand the event to those who ask for contents."""
        for watcher in self._watchers:
            watcher.disclose(event)

    def is_settled(self) -> bool:
        """Whether all of them have seen everything."""
        return all(watcher.is_settled() for watcher in self._watchers)

    async def settle(self) -> None:
        """Wait a moment for all of them at once."""
        await asyncio.gather(*(watcher.settle() for watcher in self._watchers if not watcher.is_settled()))


class FilterSink(Watcher):
    """Lets through only what a predicate accepts, or only the given types.

    What passes reaches the sink as without the filter: in line if it promises not to block, else on a thread, where
    the predicate is asked too.
    """

    def __init__(self, sink: EventSink, accepts: Callable[[Event], bool] | Iterable[type[Event]]) -> None:
        self._behind = watching(sink)
        if callable(accepts) and isinstance(self._behind, Observer):
            self._filter: Watcher = watching(_Filter(sink, accepts))
            self._behind = self._filter
        else:
            self._filter = InLine(_Filter(self._behind, accepts if callable(accepts) else _of_types(accepts)))

    @property
    def wants_contents(self) -> bool:
        """As the sink says; contents pass the filter like anything else."""
        return self._behind.wants_contents

    def emit(self, event: Event) -> None:
        """Pass the event on if it is wanted."""
        self._filter.emit(event)

    def is_settled(self) -> bool:
        """Whether the sink has seen everything."""
        return self._behind.is_settled()

    async def settle(self) -> None:
        """The sink has its moment."""
        await self._behind.settle()


class _Filter:
    def __init__(self, sink: EventSink, accepts: Callable[[Event], bool]) -> None:
        self.wants_contents = asks_for_contents(sink)
        self._sink = sink
        self._accepts = accepts

    def emit(self, event: Event) -> None:
        if self._accepts(event):
            self._sink.emit(event)


def _of_types(types: Iterable[type[Event]]) -> Callable[[Event], bool]:
    wanted = tuple(types)
    return lambda event: isinstance(event, wanted)
