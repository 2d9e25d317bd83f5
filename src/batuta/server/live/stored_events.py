"""What a process has just stored goes to its own followers as it is, without being read back from the log.

    log -> StoredEvent, one for all followers -> SubscriberBuffer of each -> DeliveredEvent, shared by equal followers

Only a follower whose position is exactly before an event takes it from its buffer. One at another position, one that
fell behind, and every follower in another process reads the log: the log alone decides what is delivered.
"""

import time
from collections.abc import Callable, Sequence

from batuta.events.admission import revive
from batuta.events.envelope import Event
from batuta.events.log import Grown, Position
from batuta.events.routing import Persistence
from batuta.events.wire import to_wire_json, wire_of_new

MAX_BUFFERED_EVENTS, MAX_BUFFERED_CHARACTERS = 64, 262_144
"""Of one follower; a slower one reads the log when it is ready."""
MAX_BUFFERED_SECONDS = 1.0
"""What waited longer is read from the log: it may have been erased there meanwhile."""


class DeliveredEvent:
    """One event as a follower receives it, after the one it received before."""

    __slots__ = ("_event", "_payload", "_wire", "epoch", "previous_sequence", "sequence_number")

    def __init__(
        self, event: Event, epoch: int, previous_sequence: int | None, *, stored: "StoredEvent | None" = None
    ) -> None:
        self.epoch = epoch
        self.previous_sequence = previous_sequence
        self.sequence_number = event.sequence_number if stored is None else stored.seq
        self._event = event
        self._payload = None if stored is None else stored.payload
        """The stored JSON of an event that was not read from the log; `_event` is then what the log was given."""
        self._wire: str | None = None

    @property
    def event(self) -> Event:
        """The event as the log gives it."""
        if self._payload is None:
            return self._event
        assert self.sequence_number is not None
        return revive(str(self._event.session_id), self.sequence_number, self._event.event_id, self._payload)

    @property
    def turn_id(self) -> str | None:
        """The turn it belongs to."""
        return self._event.turn_id

    def is_a(self, kind: type[Event]) -> bool:
        """Whether it is an event of this kind."""
        return isinstance(self._event, kind)

    def wire(self) -> str:
        """Its JSON on the wire, written once for all who receive it."""
        if self._wire is None:
            epoch, previous = self.epoch, self.previous_sequence
            if self._payload is not None and self.sequence_number is not None:
                seq = self.sequence_number
                self._wire = wire_of_new(self._event, self._payload, seq=seq, epoch=epoch, previous_sequence=previous)
            self._wire = self._wire or to_wire_json(self.event, epoch=epoch, previous_sequence=previous)
        return self._wire


class StoredEvent:
    """An event that this process stored a moment ago, for all who follow its session."""

    __slots__ = ("_delivered", "epoch", "event", "is_visible", "needs_rows", "payload", "seq")

    def __init__(self, epoch: int, seq: int, event: Event, payload: str) -> None:
        self.epoch = epoch
        self.seq = seq
        self.event = event
        """As it was given to the log: good for its kind and its ids. Its content is `payload`, because a value may
        look different once it was kept as JSON."""
        self.payload = payload
        self.is_visible = event.is_visible
        self.needs_rows = event.persistence is Persistence.SYNC_REQUIRED
        self._delivered: DeliveredEvent | None = None

    def after(self, previous: int) -> DeliveredEvent:
        """For those who received `previous` before."""
        if self._delivered is None or self._delivered.previous_sequence != previous:
            self._delivered = DeliveredEvent(self.event, self.epoch, previous, stored=self)
        return self._delivered


def stored_events(grown: Grown) -> list[StoredEvent]:
    """What was stored, with its positions; nothing if those are not known."""
    if grown.appended is None:
        return []
    epoch, first = grown.appended.epoch, grown.appended.first_seq
    pairs = zip(grown.events, grown.payloads, strict=True)
    return [StoredEvent(epoch, seq, event, payload) for seq, (event, payload) in enumerate(pairs, first)]


class SubscriberBuffer:
    """Stored events that wait for one follower."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._waiting: list[StoredEvent] = []
        self._characters = 0
        self._since = 0.0
        self.must_read = True
        """Whether the log has to be read for what comes next."""
        self._position = Position(0, 0)
        self._monotonic = monotonic

    @property
    def has_news(self) -> bool:
        """Whether something was stored that the follower has not received."""
        return self.must_read or bool(self._waiting)

    def advance(self, position: Position) -> None:
        """The follower has received everything up to here."""
        self._position = position

    def push(self, stored: Sequence[StoredEvent]) -> None:
        """Keep events until they are taken; what is too much is left to the log."""
        if self.must_read:
            return  # the follower is about to read the log and finds them there
        if not self._waiting:
            self._since = self._monotonic()
        self._waiting += stored
        for each in stored:
            self._characters += len(each.payload)
        if len(self._waiting) > MAX_BUFFERED_EVENTS or self._characters > MAX_BUFFERED_CHARACTERS:
            self.require_read()

    def require_read(self) -> None:
        """The log holds something that was not pushed."""
        self._clear()
        self.must_read = True

    def reaches(self, position: Position) -> bool:
        """Whether the follower has, or is about to take, everything up to a position."""
        last = self._waiting[-1] if self._waiting else self._position
        return last.epoch == position.epoch and position.seq <= last.seq

    def take(self) -> list[StoredEvent] | None:
        """What comes next for the follower, in order and without a gap; None if it has to read the log for that."""
        waiting, must_read = self._waiting, self.must_read
        self.must_read = False
        if not waiting:
            return None if must_read else []
        is_old = self._monotonic() - self._since > MAX_BUFFERED_SECONDS
        self._clear()
        if must_read or is_old:
            return None
        epoch, seq = self._position
        found: list[StoredEvent] = []
        for each in waiting:
            if each.epoch == epoch and each.seq <= seq:
                continue  # it was read meanwhile
            if each.epoch != epoch or each.seq != seq + 1:
                return None
            found.append(each)
            seq += 1
        return found

    def _clear(self) -> None:
        self._waiting = []
        self._characters = 0
