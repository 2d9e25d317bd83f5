"""What waits for one subscriber of the channel: a bounded buffer, and what happens when it is full."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from batuta.events.catalogue import decode_any
from batuta.events.envelope import Event
from batuta.events.observers import CONTENTS
from batuta.events.routing import Persistence
from batuta.observability.spill import Spill

log = logging.getLogger("batuta.observability")

MAX_CONTENTS = 64
"""How many events with contents may wait: each holds a whole conversation, and a span without it is still a span."""
MAX_SPILL_BYTES = 1 << 30
"""How much may wait in a file; who is further behind is disconnected."""


class Overflow(StrEnum):
    """What happens when a subscriber's buffer is full. Transient events give way first, whatever is chosen."""

    DROP = "drop"
    """Transient events are dropped, oldest first; a buffer full of persisted ones disconnects."""
    DISCONNECT = "disconnect"
    """The subscriber is disconnected at once, transient or not: who shows every word wants all or nothing."""
    SPILL = "spill"
    """Persisted events wait in a file until the subscriber has caught up, written by a thread of its own; transient
    ones are dropped."""
    BLOCK = "block"
    """The producer waits for room, at most the channel's bound and once per stall; then as `DROP`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelStats:
    """How one subscriber fares."""

    name: str
    depth: int
    """Events that wait, those in the file included."""
    delivered: int
    dropped: int
    """Transient events that gave way. Of persisted ones there are none, ever."""
    spilled: int
    waits: int
    """How often a producer waited for room."""
    failures: int
    """How often the sink raised."""
    state: Literal["connected", "disconnected", "closed"]
    missed: int
    """Events emitted after a disconnection."""
    last_sequence_number: int | None
    """The last position of the log handed over: where to read on from after a disconnection."""


class Subscription:
    """One subscriber's buffer. Offered by producers, taken by one consumer; safe between threads."""

    def __init__(self, name: str, *, capacity: int, overflow: Overflow, max_wait: float) -> None:
        if capacity < 1:
            raise ValueError(f"subscriber {name!r}: a buffer holds at least one event, got capacity={capacity}")
        self.name = name
        self.failures = 0
        self._capacity = capacity
        self._overflow = overflow
        self.max_wait = max_wait
        """Seconds a producer may wait here; the channel shares its bound among those that make producers wait."""
        self._buffer: deque[Event | bytes] = deque()
        self._spill: Spill | None = None
        self._changed = threading.Condition(threading.Lock())
        self._consumer_waits = False
        self._producer_waits = False
        self._wake: Callable[[], object] | None = None
        self._is_stalled = False
        self._state: Literal["connected", "disconnected", "closed"] = "connected"
        self._contents = 0
        """How many of those that wait carry what models were given and said."""
        self._accepted = self._delivered = self._dropped = self._spilled = self._waits = self._missed = 0
        self._last: int | None = None

    @property
    def is_closed(self) -> bool:
        """Whether it was ended by its owner: nothing is to be handed over any more."""
        return self._state == "closed"

    # producers

    def offer(self, event: Event) -> None:
        """Take an event for the subscriber, or let it go by as its policy says."""
        with self._changed:
            if self._state != "connected":
                self._missed += 1
                return
            if event.type == CONTENTS and self._contents >= MAX_CONTENTS:
                self._dropped += 1
            elif self._spill is not None or len(self._buffer) >= self._capacity:
                self._offer_to_a_full_buffer(event)
            else:
                self._accept(event)

    def _accept(self, event: Event) -> None:
        self._buffer.append(event)
        self._contents += event.type == CONTENTS
        self._accepted += 1
        self._announce()

    def _announce(self) -> None:
        if self._consumer_waits:
            self._consumer_waits = False
            self._changed.notify_all()
        if self._wake is not None:
            wake, self._wake = self._wake, None
            wake()

    def _offer_to_a_full_buffer(self, event: Event) -> None:
        if self._overflow is Overflow.BLOCK and not self._is_stalled and self._wait_for_room():
            self._accept(event)
        elif self._overflow is Overflow.DISCONNECT:
            self._disconnect()
        elif event.persistence is Persistence.TRANSIENT:
            self._dropped += 1
        elif self._overflow is Overflow.SPILL:
            self._write(event)
        elif self._make_room():
            self._accept(event)
        else:
            self._disconnect()

    def _wait_for_room(self) -> bool:
        """Wait within the bound. One wait per stall: a hanging subscriber costs a run this much once, not per event."""
        self._waits += 1
        end = time.monotonic() + self.max_wait
        while len(self._buffer) >= self._capacity and (left := end - time.monotonic()) > 0:
            self._producer_waits = True
            self._changed.wait(left)
        self._is_stalled = len(self._buffer) >= self._capacity
        return not self._is_stalled

    def _make_room(self) -> bool:
        """Drop the oldest transient event, if there is one."""
        for position, event in enumerate(self._buffer):
            if isinstance(event, Event) and event.persistence is Persistence.TRANSIENT:
                del self._buffer[position]
                self._contents -= event.type == CONTENTS
                self._dropped += 1
                self._accepted -= 1
                return True
        return False

    def _write(self, event: Event) -> None:
        if self._spill is None and (spill := self._new_spill()) is not None:
            self._spill = spill
        if self._spill is None or self._spill.size >= MAX_SPILL_BYTES or not self._spill.put(event, self.max_wait):
            self._disconnect()
            return
        self._spilled += 1
        self._accepted += 1
        self._announce()

    def _new_spill(self) -> Spill | None:
        try:
            return Spill(self.name)
        except OSError as error:
            log.error("subscriber %s lags and there is no place for a file: %s", self.name, error)  # noqa: TRY400
            return None

    def _disconnect(self) -> None:
        """What was accepted is still handed over; what comes from now on is not."""
        self._state = "disconnected"
        self._missed += 1
        self._announce()

    # the consumer

    def take(self, limit: int) -> list[Event] | None:
        """Up to `limit` events, waiting for the first; `None` at the end."""
        with self._changed:
            while not self._has_events():
                if self._state != "connected":
                    return None
                self._consumer_waits = True
                self._changed.wait()
            taken = self._next(limit)
        return _read(taken)

    def take_now(self, limit: int, *, wake: Callable[[], object]) -> list[Event] | None:
        """Like `take` without waiting: where there is nothing, `wake` is called when there is something."""
        with self._changed:
            if not self._has_events():
                if self._state != "connected":
                    return None
                self._wake = wake
                return []
            taken = self._next(limit)
        return _read(taken)

    def done(self, batch: list[Event]) -> None:
        """Say that the events taken were dealt with."""
        with self._changed:
            self._delivered += len(batch)
            if batch and batch[-1].sequence_number is not None:
                self._last = batch[-1].sequence_number
            if self._delivered >= self._accepted:
                self._changed.notify_all()

    def _has_events(self) -> bool:
        return bool(self._buffer) or (self._spill is not None and len(self._spill) > 0)

    def _next(self, limit: int) -> list[Event | bytes]:
        if self._spill is not None:
            self._refill(limit)
        taken = [self._buffer.popleft() for _ in range(min(limit, len(self._buffer)))]
        if self._contents:
            self._contents -= sum(isinstance(event, Event) and event.type == CONTENTS for event in taken)
        self._is_stalled = False
        if self._producer_waits:
            self._producer_waits = False
            self._changed.notify_all()
        return taken

    def _refill(self, limit: int) -> None:
        """Bring back what waits in the file, in order; once it is empty the buffer takes over again."""
        assert self._spill is not None
        waiting = len(self._spill)
        taken = self._spill.take(max(limit - len(self._buffer), 0))
        self._buffer.extend(taken)
        if lost := waiting - len(self._spill) - len(taken):
            self._accepted -= lost
            self._missed += lost - 1
            self._disconnect()
        if not len(self._spill):
            self._spill.close()
            self._spill = None

    # both

    def wait_until_idle(self, seconds: float) -> bool:
        """Whether everything accepted so far was dealt with within this time."""
        end = time.monotonic() + seconds
        with self._changed:
            while self._delivered < self._accepted and (left := end - time.monotonic()) > 0:
                self._changed.wait(left)
            return self._delivered >= self._accepted

    def close(self) -> None:
        """End it; what waits is forgotten."""
        with self._changed:
            self._state = "closed"
            self._buffer.clear()
            if self._spill is not None:
                self._spill.close()
                self._spill = None
            self._accepted = self._delivered
            self._announce()
            self._changed.notify_all()

    def stats(self) -> ChannelStats:
        """How it fares."""
        with self._changed:
            return ChannelStats(
                name=self.name,
                depth=len(self._buffer) + (len(self._spill) if self._spill is not None else 0),
                delivered=self._delivered,
                dropped=self._dropped,
                spilled=self._spilled,
                waits=self._waits,
                failures=self.failures,
                state=self._state,
                missed=self._missed,
                last_sequence_number=self._last,
            )


def _read(taken: list[Event | bytes]) -> list[Event]:
    """Those that waited in the file are read outside the lock: producers must not wait for that."""
    return [decode_any(event) if isinstance(event, bytes) else event for event in taken]
