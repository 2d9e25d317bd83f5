"""Where events go. One road: everything worth telling passes through an `EventSink`.

A sink handed to a run is synchronous and cheap. The one recording sink (`Recorder`) is awaited. Slow observers
stand behind a channel; an observer that turns out to block is moved to a thread of its own.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable
from typing import Protocol, runtime_checkable
from weakref import WeakValueDictionary

from batuta.events.envelope import Event

log = logging.getLogger("batuta.events")

SLOW_SECONDS = 0.05
BACKLOG = 10_000
IDLE_SECONDS = 60.0

_clock = time.perf_counter


@runtime_checkable
class EventSink(Protocol):
    """Takes every event of a run, in the order it is told. Must be cheap; what it raises is reported, not passed on."""

    def emit(self, event: Event) -> None:
        """Take one event."""
        ...


@runtime_checkable
class Recorder(Protocol):
    """The recording sink: awaited before the run goes on; its failure fails the step that told the event."""

    async def record(self, event: Event) -> Event:
        """Store one event and return it as stored (with its position)."""
        ...


class FanOutSink:
    """Hands each event to several sinks; one that raises does not keep it from the others."""

    def __init__(self, *sinks: EventSink) -> None:
        self._sinks = tuple(guarded(sink) for sink in sinks)

    def emit(self, event: Event) -> None:
        """Hand the event to every sink."""
        for sink in self._sinks:
            sink.emit(event)


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


class GuardedSink:
    """Keeps a run safe from its observer: what it raises is reported once, and if it blocks it gets its own thread."""

    __slots__ = ("__weakref__", "_emit", "_has_failed", "_lock", "_queue", "_sink", "_was_slow", "dropped")

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._emit = sink.emit
        self._queue: queue.Queue[Event] | None = None
        self._lock = threading.Lock()
        self._has_failed = False
        self._was_slow = False
        self.dropped = 0

    def emit(self, event: Event) -> None:
        """Hand the event on; never raises, never blocks more than twice in a row."""
        if self._queue is not None and self._enqueue(event):
            return
        started = _clock()
        try:
            self._emit(event)
        except Exception as error:
            self._report(event, error)
        if _clock() - started <= SLOW_SECONDS:
            self._was_slow = False
        elif self._was_slow:
            self._move_to_thread()
        else:
            self._was_slow = True  # once may be the machine's fault; twice in a row is the observer's

    def _report(self, event: Event, error: Exception) -> None:
        if not self._has_failed:
            self._has_failed = True
            log.error("observer %s raised on %s: %r", _name(self._sink), event.type, error, exc_info=error)

    def _move_to_thread(self) -> None:
        log.warning("observer %s blocks the run; it gets a thread of its own from now on", _name(self._sink))
        backlog: queue.Queue[Event] = queue.Queue(BACKLOG)
        self._queue = backlog
        _blocking[id(self._sink)] = self
        threading.Thread(target=self._drain, args=(backlog,), name=f"batuta-{_name(self._sink)}", daemon=True).start()

    def _enqueue(self, event: Event) -> bool:
        """Leave the event to the thread; says whether there is one."""
        with self._lock:
            if self._queue is None:
                return False
            try:
                self._queue.put_nowait(event)
            except queue.Full:
                self.dropped += 1
            return True

    def _drain(self, backlog: "queue.Queue[Event]") -> None:
        while (event := self._next(backlog)) is not None:
            try:
                self._emit(event)
            except Exception as error:
                self._report(event, error)

    def _next(self, backlog: "queue.Queue[Event]") -> Event | None:
        """The next event, or nothing when nobody told one for a while: then the thread ends."""
        try:
            return backlog.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            with self._lock:
                if backlog.empty():
                    self._queue = None
                    return None
            return backlog.get_nowait()


_blocking: "WeakValueDictionary[int, GuardedSink]" = WeakValueDictionary()
"""Observers that are known to block, by identity, as long as they have a thread: the next run uses the same one."""


def guarded(sink: EventSink) -> EventSink:
    """A sink that cannot harm a run; one that is guarded already stays as it is."""
    if isinstance(sink, (GuardedSink, FanOutSink)):
        return sink
    return _blocking.get(id(sink)) or GuardedSink(sink)


def _name(sink: EventSink) -> str:
    return type(sink).__name__
