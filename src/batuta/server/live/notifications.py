"""News between the parts of the platform, in one process or many: hints that may get lost.

    grown   sessions may have new events            -> whoever follows them looks into the log
    live    a transient event of a running turn     -> shown to whoever follows the session
    joined  somebody follows sessions from now on   -> whoever tells a text in them tells it again from its beginning
    gone    sessions were deleted                   -> whoever follows or lists them lets go of them
    stop    somebody wants a turn stopped           -> its worker looks sooner than at its next heartbeat
    work    there may be something to do            -> a worker looks at the queue

What counts is in the log and in the queue; everybody also looks there by time.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, Protocol

from batuta.events.envelope import Event
from batuta.events.log import Position

log = logging.getLogger("batuta.server")


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """Something that may be of interest."""

    kind: Literal["grown", "live", "joined", "gone", "stop", "work"]
    ids: frozenset[str] = frozenset()
    """Sessions that have grown, are followed or were deleted, or turns to stop."""
    at: Mapping[str, Position] = field(default_factory=lambda: MappingProxyType({}))
    """How far sessions have grown, of those where it is known: whoever is there need not look."""
    event: Event | None = None


Listener = Callable[[News], None]


class Bus(Protocol):
    """Passes news on, at once and without waiting."""

    def publish(self, news: News) -> None:
        """Tell everybody who listens, here and elsewhere."""
        ...

    def listening(self, listener: Listener) -> AbstractContextManager[None]:
        """Hear everything within the block. A listener is quick and raises nothing."""
        ...


class LocalBus:
    """A `Bus` within this process."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def publish(self, news: News) -> None:
        """See `Bus.publish`."""
        for listener in tuple(self._listeners):
            try:
                listener(news)
            except Exception:
                log.exception("a listener of the bus failed on %s", news.kind)

    @contextmanager
    def listening(self, listener: Listener) -> Iterator[None]:
        """See `Bus.listening`."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)
