"""Sinks made of sinks: one event for several, or only some events."""

from collections.abc import Callable, Iterable

from batuta.events.envelope import Event
from batuta.events.observers import Watcher, watching
from batuta.events.sink import EventSink


class FanOutSink(Watcher):
    """Hands each event to several sinks; one that raises or blocks does not keep it from the others."""

    def __init__(self, *sinks: EventSink) -> None:
        self._watchers = tuple(watching(sink) for sink in sinks)

    def emit(self, event: Event) -> None:
        """Hand the event to every sink."""
        for watcher in self._watchers:
            watcher.emit(event)

    def settle(self) -> None:
        """Each has its moment."""
        for watcher in self._watchers:
            watcher.settle()


class FilterSink:
    """Lets through only what a predicate accepts, or only the given types."""

    def __init__(self, sink: EventSink, accepts: Callable[[Event], bool] | Iterable[type[Event]]) -> None:
        self._sink = sink
        if callable(accepts):
            self._accepts: Callable[[Event], bool] = accepts
        else:
            types = tuple(accepts)
            self._accepts = lambda event: isinstance(event, types)

    def emit(self, event: Event) -> None:
        """Pass the event on if it is wanted."""
        if self._accepts(event):
            self._sink.emit(event)
