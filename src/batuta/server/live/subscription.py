"""One follower of a session: the stored events that wait for it, the live ones, the wait for either, and
the cursor that puts both into one order.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from batuta.events.conversation import AssistantMessage, Complete, Thinking
from batuta.events.envelope import Event
from batuta.events.log import FIRST_EPOCH, Page, Position
from batuta.events.progress import ContentDelta, StreamDiscarded, ThinkingDelta
from batuta.server.live.live_text import Key, joined, key_of
from batuta.server.live.stored_events import DeliveredEvent, StoredEvent, SubscriberBuffer

K = TypeVar("K")
V = TypeVar("V")

MAX_LIVE_EVENTS = 512
MAX_REMEMBERED = 1_000


class LiveEventQueue:
    """Live events that wait for one follower: each character of a text once, neighbouring pieces as one."""

    def __init__(self) -> None:
        self._waiting: deque[Event] = deque()
        self._expected: OrderedDict[Key, int] = OrderedDict()
        """How many characters of each text were taken."""
        self._seen: OrderedDict[str, None] = OrderedDict()
        """The ids of the last other events: they may be published again for another follower."""

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, event: Event) -> bool:
        """Queue a live event; False if characters are missing before it and its text is needed again."""
        if not isinstance(event, (ContentDelta, ThinkingDelta)) or event.offset is None:
            if isinstance(event, StreamDiscarded):
                for key in [key for key in self._expected if key[2] == event.message_id]:
                    del self._expected[key]
            if event.event_id not in self._seen:
                _remember(self._seen, event.event_id, None)
                self._append(event)
            return True
        key = key_of(event)
        expected = self._expected.get(key, 0)
        if event.offset > expected:
            return False
        rest = event.delta[expected - event.offset :]
        if rest:
            _remember(self._expected, key, expected + len(rest))
            is_whole = event.offset == expected
            self._append(event if is_whole else event.model_copy(update={"delta": rest, "offset": expected}))
        return True

    def take(self) -> list[Event]:
        """The events since the last call."""
        events = list(self._waiting)
        self._waiting.clear()
        return events

    def _append(self, event: Event) -> None:
        last = self._waiting[-1] if self._waiting else None
        if (
            isinstance(event, (ContentDelta, ThinkingDelta))
            and isinstance(last, (ContentDelta, ThinkingDelta))
            and key_of(last) == key_of(event)
        ):
            self._waiting[-1] = joined(last, event)
        else:
            self._waiting.append(event)
        if len(self._waiting) > MAX_LIVE_EVENTS:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        """Drop the oldest event; of a text everything from there on, so that it is asked for again."""
        dropped = self._waiting.popleft()
        if isinstance(dropped, (ContentDelta, ThinkingDelta)) and dropped.offset is not None:
            key = key_of(dropped)
            self._expected[key] = dropped.offset
            self._waiting = deque(event for event in self._waiting if key_of(event) != key)


class FeedSubscription:
    """What one follower has not received yet, and its wait for more."""

    def __init__(self) -> None:
        self.is_over = False
        self.buffer = SubscriberBuffer(monotonic=asyncio.get_running_loop().time)
        self.live = LiveEventQueue()
        self._is_awake = False
        self._is_gathering = False
        self._waiter: asyncio.Future[bool] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = 0.0

    def notify(self, position: Position | None = None) -> None:
        """The log may hold more: up to a position, where that is known."""
        if position is None or not self.buffer.reaches(position):
            self.buffer.require_read()
            self._wake()

    def push(self, stored: Sequence[StoredEvent]) -> None:
        """Events were stored in this process."""
        self.buffer.push(stored)
        self._wake()

    def add_live(self, event: Event) -> bool:
        """A live event was published; False if characters are missing before it."""
        is_taken = self.live.add(event)
        if self.live and not self._is_gathering:
            self._wake()
        return is_taken

    def end(self) -> None:
        """There is nothing more to follow."""
        self.is_over = True
        self._wake()

    def close(self) -> None:
        """The follower has gone."""
        if self._timer is not None:
            self._timer.cancel()

    def take(self) -> tuple[list[Event], list[StoredEvent] | None]:
        """The live events, and the stored ones unless the log has to be read."""
        self._is_awake = False
        return self.live.take() if self.live else [], self.buffer.take()

    async def wait(self, seconds: float) -> bool:
        """Return when there is something to take (True), or after so many seconds (False)."""
        if self._is_awake:
            return True
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        self._deadline = loop.time() + seconds
        if self._timer is None or self._timer.when() > self._deadline:
            self._set_timer(loop)
        try:
            return await self._waiter
        finally:
            self._waiter = None

    async def gather(self, seconds: float) -> None:
        """Let live events come together for so long, unless something was stored: that waits for nothing."""
        if seconds <= 0 or self.is_over or not self.live or self.buffer.has_news:
            return
        self._is_awake, self._is_gathering = False, True
        try:
            await self.wait(seconds)
        finally:
            self._is_awake, self._is_gathering = True, False

    def _wake(self) -> None:
        self._is_awake = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(True)

    def _set_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        # One timer that is set again when it fires too early, instead of one per wait: hardly any wait lasts to its
        # end, and making and cancelling a timer costs as much as the rest of the wait.
        self.close()
        self._timer = loop.call_at(self._deadline, self._on_timer, loop)

    def _on_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        if self._waiter is None or self._waiter.done():
            return  # the next wait sets it again
        if loop.time() < self._deadline:
            self._set_timer(loop)
        else:
            self._waiter.set_result(False)


def _remember(recent: OrderedDict[K, V], key: K, value: V) -> None:
    recent[key] = value
    if len(recent) > MAX_REMEMBERED:
        recent.popitem(last=False)


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
