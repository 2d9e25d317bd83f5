"""Handing on: what this process has just stored goes to those who follow it as it is; nobody reads back from the log.

    log -> Grown -> Fresh, one for all followers -> Handover of each -> Told, shared by those who stand at one place

Only a follower that stands exactly before an event is handed it. Whoever stands elsewhere, fell behind, or heard of
something that nobody handed on reads the log, as do the followers of other processes: the log alone says what is told.
"""

import time
from collections.abc import Callable, Sequence

from batuta.events.admission import revive
from batuta.events.envelope import Event
from batuta.events.log import Grown, Position
from batuta.events.routing import Persistence
from batuta.events.stored import wire_of_new
from batuta.events.wire import to_wire_json

MOST_EVENTS, MOST_CHARACTERS = 64, 262_144
"""That wait for one follower; one that is slower reads them from the log when it is ready."""
KEPT_SECONDS = 1.0
"""What waited longer is read from the log: it may have been erased there meanwhile."""


class Told:
    """One event as a follower is given it, after the one it was given before."""

    __slots__ = ("_event", "_payload", "_wire", "epoch", "previous_sequence", "sequence_number")

    def __init__(self, event: Event, epoch: int, previous_sequence: int | None) -> None:
        self.epoch = epoch
        self.previous_sequence = previous_sequence
        self.sequence_number = event.sequence_number
        self._event = event
        self._payload: str | None = None
        """Its JSON as it is kept, if it was never read from the log: then `_event` is what the log was given."""
        self._wire: str | None = None

    @classmethod
    def handed(cls, fresh: "Fresh", previous_sequence: int) -> "Told":
        """What was stored a moment ago."""
        told = cls(fresh.event, fresh.epoch, previous_sequence)
        told.sequence_number = fresh.seq
        told._payload = fresh.payload
        return told

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
        """Its JSON on the wire, written once for all who are given it."""
        if self._wire is None:
            self._wire = self._spliced() or to_wire_json(
                self.event, epoch=self.epoch, previous_sequence=self.previous_sequence
            )
        return self._wire

    def _spliced(self) -> str | None:
        if self._payload is None or self.sequence_number is None:
            return None
        return wire_of_new(
            self._event,
            self._payload,
            seq=self.sequence_number,
            epoch=self.epoch,
            previous_sequence=self.previous_sequence,
        )


class Fresh:
    """An event that was stored a moment ago, for all who follow its session."""

    __slots__ = ("_told", "epoch", "event", "is_visible", "needs_rows", "payload", "seq")

    def __init__(self, epoch: int, seq: int, event: Event, payload: str) -> None:
        self.epoch = epoch
        self.seq = seq
        self.event = event
        """As it was given to the log: good for what kind it is and which ids it carries. What it says is told by
        `payload`, because a value may look different once it was kept as JSON."""
        self.payload = payload
        self.is_visible = event.is_visible
        self.needs_rows = event.persistence is Persistence.SYNC_REQUIRED
        self._told: Told | None = None

    def after(self, previous: int) -> Told:
        """As those are given it who were given `previous` before."""
        if self._told is None or self._told.previous_sequence != previous:
            self._told = Told.handed(self, previous)
        return self._told


def fresh_of(grown: Grown) -> list[Fresh]:
    """What was stored, at its places. Nothing if that is not known."""
    if grown.appended is None:
        return []
    epoch, first = grown.appended.epoch, grown.appended.first_seq
    pairs = zip(grown.events, grown.payloads, strict=True)
    return [Fresh(epoch, seq, event, payload) for seq, (event, payload) in enumerate(pairs, first)]


class Handover:
    """What one follower was handed and has not taken yet."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._fresh: list[Fresh] = []
        self._characters = 0
        self._since = 0.0
        self.must_look = True
        """Whether the log has to be read for what comes next."""
        self._at = Position(0, 0)
        self._monotonic = monotonic

    def stand(self, position: Position) -> None:
        """The follower was given everything up to here."""
        self._at = position

    def add(self, fresh: Sequence[Fresh]) -> None:
        """Keep it until it is taken; too much of it is left to the log."""
        if self.must_look:
            return  # whoever is about to read the log finds it there
        if not self._fresh:
            self._since = self._monotonic()
        self._fresh += fresh
        self._characters += sum([len(one.payload) for one in fresh])
        if len(self._fresh) > MOST_EVENTS or self._characters > MOST_CHARACTERS:
            self.look()

    def look(self) -> None:
        """There is something in the log that was not handed on."""
        self._forget()
        self.must_look = True

    def reaches(self, position: Position) -> bool:
        """Whether the follower has, or is about to take, everything up to a position."""
        last = self._fresh[-1] if self._fresh else self._at
        return last.epoch == position.epoch and position.seq <= last.seq

    def take(self) -> list[Fresh] | None:
        """What comes next for the follower, in order and without a hole; nothing if it has to read the log for that."""
        fresh, is_old = self._fresh, bool(self._fresh) and self._monotonic() - self._since > KEPT_SECONDS
        must_look, self.must_look = self.must_look, False
        self._forget()
        if must_look or is_old:
            return None
        epoch, seq = self._at
        found: list[Fresh] = []
        for one in fresh:
            if one.epoch == epoch and one.seq <= seq:
                continue  # it was read meanwhile
            if one.epoch != epoch or one.seq != seq + 1:
                return None
            found.append(one)
            seq += 1
        return found

    def _forget(self) -> None:
        self._fresh = []
        self._characters = 0
