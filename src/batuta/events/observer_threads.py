r"""The threads that observers are called on: one for all, and one more whenever all there are were held up.

serve -> queue -> a worker: observer.work()
             \-> the watch: no waiter was served for a while -> one thread more
"""

import logging
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Protocol

log = logging.getLogger("batuta.events")

MAX_THREADS = 32
"""More observers than this that block at the same time share their threads."""
HELD_UP_SECONDS = 0.005
"""After so long without a waiter being served, a thread is added."""
IDLE_SECONDS = 5.0
"""A thread that has had nothing to do for so long ends."""


class Works(Protocol):
    """A mailbox that needs a thread for a while."""

    def work(self) -> None:
        """Use it; never raises."""
        ...


class ObserverThreads:
    """Assigns threads to mailboxes, in the order they ask."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Without threads: at first, and in a forked child."""
        self._ready: SimpleQueue[Works] = SimpleQueue()
        self._lock = threading.Lock()
        self._bell = threading.Event()
        self._is_watched = False
        self._count = 0
        self._busy = 0
        self._served = 0

    @property
    def are_used_up(self) -> bool:
        """Whether all are at work and there will be no more."""
        return self._busy >= self._count >= MAX_THREADS

    def serve(self, who: Works) -> None:
        """Queue a mailbox for a thread."""
        self._ready.put(who)
        self.see_to_it()

    def see_to_it(self) -> None:
        """Ensure that waiters are served: at once by the first thread, or by a further one if all are blocked."""
        if self._count == 0:
            self._grow()
        if self._busy >= self._count:
            self._call_watch()

    def _grow(self) -> None:
        """One thread more, if all are held up."""
        with self._lock:
            if self._busy < self._count or self._count >= MAX_THREADS:
                return
            self._count += 1
        if not _has_begun(self._work):
            with self._lock:
                self._count -= 1

    def _work(self) -> None:
        while (who := self._next()) is not None:
            who.work()
            with self._lock:
                self._busy -= 1

    def _next(self) -> Works | None:
        """The next waiter, or None after a quiet while: then the thread ends."""
        while True:
            try:
                who = self._ready.get(timeout=IDLE_SECONDS)
            except Empty:
                with self._lock:
                    if self._ready.empty():
                        self._count -= 1
                        return None
            else:
                with self._lock:
                    self._busy += 1
                    self._served += 1
                if self._busy >= self._count and not self._ready.empty():
                    self._call_watch()
                return who

    def _call_watch(self) -> None:
        """Start the watch that checks whether waiters are served."""
        self._bell.set()
        with self._lock:
            if self._is_watched:
                return
            self._is_watched = True
        if not _has_begun(self._watch):
            with self._lock:
                self._is_watched = False

    def _watch(self) -> None:
        while True:
            is_called = self._bell.wait(IDLE_SECONDS)
            with self._lock:
                if not is_called and not self._bell.is_set():
                    self._is_watched = False
                    return
                self._bell.clear()
            while not self._ready.empty():
                served = self._served
                time.sleep(IDLE_SECONDS if self.are_used_up else HELD_UP_SECONDS)
                if served == self._served:
                    self._grow()


def _has_begun(work: Callable[[], None]) -> bool:
    """Whether there is a thread for it: a process that ends, or that has too many, gets none."""
    try:
        threading.Thread(target=work, name="batuta-observers", daemon=True).start()
    except RuntimeError as error:
        log.error("no thread for observers, they see nothing until there is one: %s", error)  # noqa: TRY400
        return False
    return True
