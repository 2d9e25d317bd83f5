"""Where one follower of a session stands: puts stored and live events into one order. Pure."""

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from batuta.events.conversation import AssistantMessage, Complete, Thinking
from batuta.events.envelope import Event
from batuta.events.log import FIRST_EPOCH, Page, Position
from batuta.server.live.stored_events import DeliveredEvent, StoredEvent

MAX_CLOSED = 1_000
"""Messages and turns a follower remembers as over: live events come late by seconds, a tab may stay open for weeks."""


@dataclass(slots=True)
class FeedCursor:
    """The position of one follower, and what it must not be shown any more."""

    after: int
    """The last sequence number it has dealt with."""
    previous: int
    """The last one it received: internal events are passed over."""
    epoch: int | None
    closed: OrderedDict[str | None, None] = field(default_factory=OrderedDict)
    """The last messages and turns whose live events are superseded."""
    held: list[Event] = field(default_factory=list)
    """Live events that belong after the pages read so far."""

    @property
    def checked_epoch(self) -> int | None:
        """The epoch to check against the log; a follower at the beginning has none."""
        return self.epoch if self.after else None

    @property
    def position(self) -> Position:
        """The place of the last event it has dealt with."""
        return Position(self.epoch or 0, self.after)

    def deliver(self, stored: Sequence[StoredEvent], live: Sequence[Event] = ()) -> list[DeliveredEvent]:
        """What was stored directly behind its position, and live events as in `merge`."""
        waiting = deque(live)
        batch: list[DeliveredEvent] = []
        for each in stored:
            self.after = each.seq
            if each.is_visible:
                while waiting and _is_before(waiting[0], each.event):
                    batch += self._unless_closed(waiting.popleft(), each.epoch)
                batch.append(each.after(self.previous))
                self.previous = each.seq
                self._close(each.event)
        for event in waiting:
            batch += self._unless_closed(event, self.epoch or FIRST_EPOCH)
        return batch

    def merge(self, page: Page, live: list[Event]) -> list[DeliveredEvent]:
        """Stored events in order, and live ones before the first stored one that was emitted after them."""
        waiting = deque([*self.held, *live])
        batch: list[DeliveredEvent] = []
        for record in page.records:
            self.after = record.seq
            self.epoch = record.epoch
            if record.event is None or not record.event.is_visible:
                continue
            while waiting and _is_before(waiting[0], record.event):
                batch += self._unless_closed(waiting.popleft(), record.epoch)
            batch.append(DeliveredEvent(record.event, record.epoch, self.previous))
            self.previous = record.seq
            self._close(record.event)
        self.held = [] if page.is_last else list(waiting)
        for event in waiting if page.is_last else ():
            batch += self._unless_closed(event, self.epoch or page.head.epoch)
        return batch

    def _unless_closed(self, event: Event, epoch: int) -> list[DeliveredEvent]:
        is_late = event.turn_id in self.closed or (event.message_id is not None and event.message_id in self.closed)
        return [] if is_late else [DeliveredEvent(event, epoch, self.previous)]

    def _close(self, event: Event) -> None:
        """A stored message supersedes its pieces; the end of a turn supersedes all of them."""
        if isinstance(event, Complete) and event.status != "paused":
            self.closed[event.turn_id] = None
        elif isinstance(event, (AssistantMessage, Thinking)) and event.message_id is not None:
            self.closed[event.message_id] = None
        if len(self.closed) > MAX_CLOSED:
            self.closed.popitem(last=False)


def _is_before(live: Event, stored: Event) -> bool:
    return live.turn_id == stored.turn_id and live.original_index < stored.original_index
