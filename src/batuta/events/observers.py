"""Observers watch a run from beside it: whatever one does, raise, dawdle or never come back, the run goes on.

    run -> Observer.emit -> its mailbox -> a thread that is free -> sink.emit, one event after the other

A few threads serve all observers (`observer_threads`). One that blocks keeps the thread it is on and nothing else:
another takes over the rest. A sink that promises never to block (`never_blocks = True` beside its `emit`) is called in
line instead, on the loop of the run. When a run ends it gives its observers the moment they need to have seen
everything, so that a list of events is complete when `run` returns; one that takes longer is not waited for. The loop
is free for other runs meanwhile.

`FanOutSink` and `FilterSink` are made of other sinks: one event for several, or only some events.
"""

import asyncio
import atexit
import logging
import os
import threading
import time
from collections import deque
from functools import lru_cache
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from batuta.events.observer_threads import ObserverThreads
from batuta.events.sink import EventSink
from batuta.kernel.errors import ConfigurationError
from batuta.kernel.tasks import promises

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from batuta.events.envelope import Event

log = logging.getLogger("batuta.events")

AT_ONCE_SECONDS = 0.001
"""How long the end of a run holds the loop for an observer that is about to be done."""
LOOK_SECONDS = 0.005
"""How often it looks again after that, with the loop free."""
PATIENCE_SECONDS = 0.02
"""How long it waits for an observer that gets nothing done."""
PATIENCE_PER_EVENT = 0.0001
"""What it waits more for each event of one that goes on: enough for a list, a counter, a log line."""
START_SECONDS = 0.5
"""How long it waits for a thread to come to the observer at all: that is the machine's fault, not the observer's."""
EXIT_SECONDS = 2.0
"""How long a process that ends waits for observers that are behind."""
BACKLOG = 10_000
"""How many events may wait for one observer; what comes beyond that is counted and let go."""


class Watcher:
    """A sink that cannot harm the run it watches."""

    __slots__ = ()

    @property
    def wants_contents(self) -> bool:
        """Whether it asks for what models are given and say."""
        return False

    def emit(self, event: "Event") -> None:
        """Take one event; never raises, never blocks."""
        raise NotImplementedError

    def disclose(self, event: "Event") -> None:
        """Take one event that is only for those who ask for contents."""
        if self.wants_contents:
            self.emit(event)

    def is_settled(self) -> bool:
        """At the end of a run: whether all was seen, now or within the blink of an eye; else `settle` is due."""
        return True

    async def settle(self) -> None:
        """Wait a moment for an observer that is at work."""


def watching(sink: EventSink) -> Watcher:
    """The sink as a run may use it; the same observer for all runs that are given the same sink."""
    if isinstance(sink, Watcher):
        return sink
    emit = getattr(sink, "emit", None)
    if not callable(emit) or isinstance(sink, type):
        raise ConfigurationError(f"a sink is an object with a method emit(event), got {sink!r}")
    if _is_async(getattr(emit, "__func__", emit)):
        raise ConfigurationError(
            f"{type(sink).__name__}.emit is async and would not be awaited: write `def emit`, which is called on a "
            "thread of its own and may block"
        )
    if promises_not_to_block(sink):
        return InLine(sink)
    with _registering:
        observer = _observers.get(id(sink))
        if observer is None:
            observer = _observers[id(sink)] = Observer(sink)
        return observer


_is_async = lru_cache(maxsize=256)(iscoroutinefunction)  # every run with a sink asks


def promises_not_to_block(sink: EventSink) -> bool:
    """Whether the promise stands beside the `emit` that will be called; a subclass with its own has to promise anew."""
    return promises(sink, "never_blocks", of="emit")


def asks_for_contents(sink: EventSink) -> bool:
    """Whether a sink says that it wants what models are given and say."""
    return getattr(sink, "wants_contents", False) is True


class InLine(Watcher):
    """Calls a sink where the run is; what it raises is reported once."""

    __slots__ = ("_emit", "_has_failed", "_wants_contents", "name")

    def __init__(self, sink: EventSink) -> None:
        self.name = type(sink).__name__
        self._emit = sink.emit
        self._has_failed = False
        self._wants_contents = asks_for_contents(sink)

    @property
    def wants_contents(self) -> bool:
        """As its sink says."""
        return self._wants_contents

    def emit(self, event: "Event") -> None:
        """Hand the event on."""
        try:
            self._emit(event)
        except (Exception, asyncio.CancelledError) as error:  # nothing is awaited here: it is not the run's own
            self._report(event, error)

    def _report(self, event: "Event", error: BaseException) -> None:
        if not self._has_failed:
            self._has_failed = True
            log.error("observer %s raised on %s: %r", self.name, event.type, error, exc_info=error)


class Observer(InLine):
    """Keeps what a sink has not seen yet; one thread at a time works it off."""

    __slots__ = (
        "__weakref__",
        "_is_behind",
        "_is_scheduled",
        "_lock",
        "_mail",
        "_sink",
        "dropped",
        "seen",
        "waits_for_thread",
    )

    def __init__(self, sink: EventSink) -> None:
        super().__init__(sink)
        self._sink = sink
        self.dropped = 0
        self.seen = 0
        self.begin_anew()

    def begin_anew(self) -> None:
        """With an empty mailbox and no thread: at first, and in a forked child, which has its parent's events not."""
        self._mail: deque[Event | _Mark] = deque()
        self._lock = threading.Lock()
        self._is_scheduled = False
        self._is_behind = False
        self.waits_for_thread = False

    @property
    def is_at_work(self) -> bool:
        """Whether there is something it has not seen."""
        return self._is_scheduled

    def emit(self, event: "Event") -> None:
        """Leave the event in the mailbox."""
        if len(self._mail) >= BACKLOG:
            self._let_go(event)
            return
        self._mail.append(event)
        if not self._is_scheduled:  # read after the mail was left: see `_is_done`
            self._schedule()

    def is_settled(self) -> bool:
        """Whether it has seen everything; one that is known to be behind is not waited for again."""
        return not self._is_scheduled or self._is_behind or self.catches_up(AT_ONCE_SECONDS)

    async def settle(self) -> None:
        """Wait until what lies in the mailbox was seen; not for an observer that is slow or stuck."""
        mark, patience = self._marked(), _Patience(self, len(self._mail))
        while not mark.is_reached_within(0):
            if not patience.lasts(LOOK_SECONDS):
                self._is_behind = True
                log.warning("observer %s is slow: the run does not wait, it sees the rest afterwards", self.name)
                return
            await asyncio.sleep(LOOK_SECONDS)

    def catches_up(self, seconds: float) -> bool:
        """Hold this thread until it has seen everything, so long at most; whether it has."""
        return self._marked().is_reached_within(seconds)

    def work(self) -> None:
        """Hand the sink what waits for it, until nothing does. Called on one thread at a time."""
        self.waits_for_thread = False
        while True:
            try:
                mail = self._mail.popleft()
            except IndexError:
                if self._is_done():
                    return
                continue
            if isinstance(mail, _Mark):
                mail.reach()
                continue
            try:
                self._emit(mail)
            except BaseException as error:  # whatever it is, the thread belongs to all observers
                self._report(mail, error)
            self.seen += 1

    def _marked(self) -> "_Mark":
        mark = _Mark()
        self._mail.append(mark)
        self._schedule()
        return mark

    def _is_done(self) -> bool:
        """Give the thread back. Mail left before the flag fell is seen here, mail left after it schedules anew."""
        with self._lock:
            self._is_scheduled = False
            if self._mail:
                self._is_scheduled = True
                return False
            self._is_behind = False
            return True

    def _schedule(self) -> None:
        with self._lock:
            is_new, self._is_scheduled = not self._is_scheduled, True
            if is_new:
                self.waits_for_thread = True
        if is_new:
            _threads.serve(self)
        elif self.waits_for_thread:
            _threads.see_to_it()

    def _let_go(self, event: "Event") -> None:
        if not self.dropped:
            log.error("observer %s is %d events behind; it misses %s and more", self.name, BACKLOG, event.type)
        self.dropped += 1


class _Mark:
    """A place in a mailbox that a caller waits for."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def reach(self) -> None:
        self._lock.release()

    def is_reached_within(self, seconds: float) -> bool:
        return self._lock.acquire(timeout=seconds)


class _Patience:
    """How long the end of a run waits: counted in looks, so that a busy machine is not taken for a slow observer."""

    __slots__ = ("_for_all", "_for_next", "_for_thread", "_observer", "_seen")

    def __init__(self, observer: Observer, events: int) -> None:
        self._observer = observer
        self._seen = observer.seen
        self._for_next = PATIENCE_SECONDS
        self._for_all = PATIENCE_SECONDS + PATIENCE_PER_EVENT * events
        self._for_thread = START_SECONDS

    def lasts(self, seconds: float) -> bool:
        """Whether it is worth to wait so long once more."""
        if self._observer.waits_for_thread and not _threads.are_used_up:
            self._for_thread -= seconds
            return self._for_thread > 0
        if self._seen != self._observer.seen:
            self._seen, self._for_next = self._observer.seen, PATIENCE_SECONDS
        self._for_next -= seconds
        self._for_all -= seconds
        return self._for_next > 0 and self._for_all > 0


_threads = ObserverThreads()
_registering = threading.Lock()
_observers: "WeakValueDictionary[int, Observer]" = WeakValueDictionary()
"""By the identity of the sink, as long as a run or a thread has it."""


def _catch_up_before_exit() -> None:
    end = time.monotonic() + EXIT_SECONDS
    for observer in list(_observers.values()):
        if observer.is_at_work:
            observer.catches_up(max(0, end - time.monotonic()))


def _begin_anew_in_child() -> None:
    global _registering  # noqa: PLW0603 - the parent may have held it
    _registering = threading.Lock()
    _threads.begin_anew()
    for observer in list(_observers.values()):
        observer.begin_anew()


atexit.register(_catch_up_before_exit)
os.register_at_fork(after_in_child=_begin_anew_in_child)


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

    def emit(self, event: "Event") -> None:
        """Hand the event to every sink; contents only to those that ask for them."""
        if event.type == CONTENTS:
            self.disclose(event)
            return
        for watcher in self._watchers:
            watcher.emit(event)

    def disclose(self, event: "Event") -> None:
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

    def __init__(self, sink: EventSink, accepts: "Callable[[Event], bool] | Iterable[type[Event]]") -> None:
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

    def emit(self, event: "Event") -> None:
        """Pass the event on if it is wanted."""
        self._filter.emit(event)

    def is_settled(self) -> bool:
        """Whether the sink has seen everything."""
        return self._behind.is_settled()

    async def settle(self) -> None:
        """The sink has its moment."""
        await self._behind.settle()


class _Filter:
    def __init__(self, sink: EventSink, accepts: "Callable[[Event], bool]") -> None:
        self.wants_contents = asks_for_contents(sink)
        self._sink = sink
        self._accepts = accepts

    def emit(self, event: "Event") -> None:
        if self._accepts(event):
            self._sink.emit(event)


def _of_types(types: "Iterable[type[Event]]") -> "Callable[[Event], bool]":
    wanted = tuple(types)
    return lambda event: isinstance(event, wanted)
