"""Observers watch a run from beside it: whatever one does, raise, dawdle or never come back, the run goes on.

    run -> Observer.emit -> its mailbox -> a thread that is free -> sink.emit, one event after the other

A few threads serve all observers. One that blocks keeps the thread it is on and nothing else: another takes over the
rest. A sink that promises never to block (`never_blocks = True` beside its `emit`) is called in line instead, on the
loop of the run. When a run ends it gives its observers the moment they need to have seen everything, so that a list
of events is complete when `run` returns; one that takes longer is not waited for.
"""

import atexit
import logging
import os
import threading
import time
from collections import deque
from queue import Empty, SimpleQueue
from weakref import WeakValueDictionary

from batuta.events.envelope import Event
from batuta.events.sink import EventSink

log = logging.getLogger("batuta.events")

PATIENCE_SECONDS = 0.02
"""How long the end of a run waits for an observer that is at work."""
PATIENCE_PER_EVENT = 0.0001
"""What it waits more for each event the observer has before it: enough for a list, a counter, a log line."""
START_SECONDS = 0.5
"""How long it waits for a thread to come to the observer at all: that is the machine's fault, not the observer's."""
EXIT_SECONDS = 2.0
"""How long a process that ends waits for observers that are behind."""
BACKLOG = 10_000
"""How many events may wait for one observer; what comes beyond that is counted and let go."""
MAX_THREADS = 32
"""More observers than this that block at the same time share their threads."""
HELD_UP_SECONDS = 0.005
"""After this wait for a thread, one more is begun."""
IDLE_SECONDS = 5.0

_clock = time.monotonic


class Watcher:
    """A sink that cannot harm the run it watches."""

    __slots__ = ()

    def emit(self, event: Event) -> None:
        """Take one event; never raises, never blocks."""
        raise NotImplementedError

    def settle(self) -> None:
        """At the end of a run: wait a moment for an observer that is about to be done."""


def watching(sink: EventSink) -> Watcher:
    """The sink as a run may use it; the same observer for all runs that are given the same sink."""
    if isinstance(sink, Watcher):
        return sink
    if promises_not_to_block(sink):
        return InLine(sink)
    return _observers.get(id(sink)) or Observer(sink)


def promises_not_to_block(sink: EventSink) -> bool:
    """Whether the promise stands beside the `emit` that will be called; a subclass with its own has to promise anew."""
    for kind in type(sink).__mro__:
        if "emit" in vars(kind):
            return bool(vars(kind).get("never_blocks", False))
    return False


class InLine(Watcher):
    """Calls a sink where the run is; what it raises is reported once."""

    __slots__ = ("_emit", "_has_failed", "name")

    def __init__(self, sink: EventSink) -> None:
        self.name = type(sink).__name__
        self._emit = sink.emit
        self._has_failed = False

    def emit(self, event: Event) -> None:
        """Hand the event on."""
        try:
            self._emit(event)
        except Exception as error:
            self._report(event, error)

    def _report(self, event: Event, error: Exception) -> None:
        if not self._has_failed:
            self._has_failed = True
            log.error("observer %s raised on %s: %r", self.name, event.type, error, exc_info=error)


class Observer(InLine):
    """Keeps what a sink has not seen yet; one thread at a time works it off."""

    __slots__ = (
        "__weakref__",
        "_asked_at",
        "_is_behind",
        "_is_scheduled",
        "_lock",
        "_mail",
        "_sink",
        "dropped",
    )

    def __init__(self, sink: EventSink) -> None:
        super().__init__(sink)
        self._sink = sink
        self.dropped = 0
        self.begin_anew()
        _observers[id(sink)] = self

    def begin_anew(self) -> None:
        """With an empty mailbox and no thread: at first, and in a forked child, which has its parent's events not."""
        self._mail: deque[Event | _Mark] = deque()
        self._lock = threading.Lock()
        self._is_scheduled = False
        self._is_behind = False
        self._asked_at: float | None = None

    def emit(self, event: Event) -> None:
        """Leave the event in the mailbox."""
        if len(self._mail) >= BACKLOG:
            self._let_go(event)
            return
        self._mail.append(event)
        if not self._is_scheduled:  # read after the mail was left: see `_is_done`
            self._schedule()
        elif self._asked_at is not None and _clock() - self._asked_at > HELD_UP_SECONDS:
            _threads.grow()

    def settle(self) -> None:
        """Wait until what lies in the mailbox was seen; not for an observer that is slow or stuck."""
        if self._is_scheduled and not self._is_behind:
            patience = PATIENCE_SECONDS + PATIENCE_PER_EVENT * len(self._mail)
            if not self.catches_up(patience):
                self._is_behind = True
                log.warning("observer %s is slow: the run does not wait, it sees the rest afterwards", self.name)

    def catches_up(self, patience: float) -> bool:
        """Wait for it, so long at most; whether it has seen everything now."""
        mark = _Mark()
        self._mail.append(mark)
        self._schedule()
        unserved = START_SECONDS
        while patience > 0 and unserved > 0:
            if mark.is_reached_within(HELD_UP_SECONDS):
                return True
            if self._asked_at is None:
                patience -= HELD_UP_SECONDS
            else:
                unserved -= HELD_UP_SECONDS
                _threads.grow()
        return False

    def work(self) -> None:
        """Hand the sink what waits for it, until nothing does."""
        self._asked_at = None
        while True:
            try:
                mail = self._mail.popleft()
            except IndexError:
                if self._is_done():
                    return
                continue
            if isinstance(mail, _Mark):
                mail.reach()
            else:
                super().emit(mail)

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
            if self._is_scheduled:
                return
            self._is_scheduled = True
            self._asked_at = _clock()
        _threads.serve(self)

    def _let_go(self, event: Event) -> None:
        if not self.dropped:
            log.error("observer %s is %d events behind; it misses %s and more", self.name, BACKLOG, event.type)
        self.dropped += 1


class _Mark:
    """A place in a mailbox that somebody waits for."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def reach(self) -> None:
        self._lock.release()

    def is_reached_within(self, seconds: float) -> bool:
        return self._lock.acquire(timeout=seconds)


class _Threads:
    """One thread for all observers, and one more for each that blocks."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Without threads: at first, and in a forked child."""
        self._ready: SimpleQueue[Observer] = SimpleQueue()
        self._lock = threading.Lock()
        self._count = 0
        self._busy = 0

    def serve(self, observer: Observer) -> None:
        """Bring an observer to a thread."""
        self._ready.put(observer)
        if self._count == 0:
            self.grow()

    def grow(self) -> None:
        """One thread more, if all are held up."""
        with self._lock:
            if self._busy < self._count or self._count >= MAX_THREADS:
                return
            self._count += 1
        threading.Thread(target=self._work, name="batuta-observers", daemon=True).start()

    def _work(self) -> None:
        while (observer := self._next()) is not None:
            observer.work()
            with self._lock:
                self._busy -= 1

    def _next(self) -> Observer | None:
        """Whoever waits next, or nobody when it was quiet for a while: then the thread ends."""
        while True:
            try:
                observer = self._ready.get(timeout=IDLE_SECONDS)
            except Empty:
                with self._lock:
                    if self._ready.empty():
                        self._count -= 1
                        return None
            else:
                with self._lock:
                    self._busy += 1
                return observer


_threads = _Threads()
_observers: "WeakValueDictionary[int, Observer]" = WeakValueDictionary()
"""By the identity of the sink, as long as a run or a thread has it."""


def _catch_up_before_exit() -> None:
    patience = EXIT_SECONDS
    for observer in list(_observers.values()):
        started = _clock()
        if patience > 0:
            observer.catches_up(patience)
        patience -= _clock() - started


def _begin_anew_in_child() -> None:
    _threads.begin_anew()
    for observer in list(_observers.values()):
        observer.begin_anew()


atexit.register(_catch_up_before_exit)
os.register_at_fork(after_in_child=_begin_anew_in_child)
