"""The feed of a session: what its log holds after a position, and then whatever it gains, in order, each event once.

    async for batch in feed.follow(session_id, position): …

A follower is pulled: it goes on when its consumer has taken what it got, so a slow one costs no memory. What this
process stores is pushed to its followers; a notification from another process makes them read the log; and every so
often the heads of all followed sessions are compared, for notifications that got lost. Live events of the running turn
are put where they belong, from the beginning of their text on, and dropped once a stored event has superseded them.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Protocol

from batuta.events.conversation import Complete
from batuta.events.log import EventLog, Page, Position
from batuta.events.routing import Persistence
from batuta.events.wire import wire_of
from batuta.kernel.errors import StoreUnavailableError
from batuta.server.live.notifications import Notification, NotificationBus, NotificationHandlers
from batuta.server.live.sse import LiveStream
from batuta.server.live.stored_events import DeliveredEvent, stored_events
from batuta.server.live.subscription import FeedCursor, FeedSubscription

POLL_SECONDS = 0.3
"""How often the heads of followed sessions are compared."""
SETTLE_SECONDS = 0.02
"""A head that was found higher may be an append of this process that is about to be announced."""
GATHER_SECONDS = 0.04
"""Live events come to a follower this far apart; those in between go together, and with the next stored event."""
REST_FACTOR, MAX_REST_SECONDS = 2.0, 0.1
"""After a read a follower rests for twice the time it took: the busier the store, the more events one read fetches."""
ASK_SECONDS = 0.5
"""How often a text with missing characters is asked for again."""
PAGE = 500


class ReadModels(Protocol):
    """The tables that are projected from the log."""

    async def ensure(self, session: str, seq: int) -> None:
        """Return when the tables of a session hold everything up to a position."""
        ...


@dataclass(frozen=True, slots=True)
class WirePage:
    """Some events that a user may see, as JSON."""

    epoch: int
    items: list[bytes]
    last_sequence: int
    has_more: bool


class SessionFeed:
    """Delivers the logs of sessions to their followers. Live within `run`."""

    def __init__(self, log: EventLog, bus: NotificationBus, read_models: ReadModels) -> None:
        self._log = log
        self._bus = bus
        self._read_models = read_models
        self._subscriptions: defaultdict[str, list[FeedSubscription]] = defaultdict(list)
        self._heads: dict[str, int] = {}
        """The highest known position of each followed session."""
        self._asked_at: dict[str, float] = {}

    async def run(self) -> None:
        """Serve the followers until cancelled."""
        with self.receiving():
            while True:
                await asyncio.sleep(POLL_SECONDS)
                await self.compare_heads()

    @contextmanager
    def receiving(self) -> Iterator[None]:
        """Pass notifications on to the followers within the block."""
        handlers: NotificationHandlers = {
            "appended": self._on_appended,
            "deleted": self._on_deleted,
            "live": self._on_live,
        }
        with self._bus.subscribed(handlers):
            yield

    @contextmanager
    def subscribed(self, session_id: str) -> Iterator[FeedSubscription]:
        """A subscription to a session within the block."""
        subscription = FeedSubscription()
        self._subscriptions[session_id].append(subscription)
        self._ask_for_text(session_id)
        try:
            yield subscription
        finally:
            subscription.close()
            self._subscriptions[session_id].remove(subscription)
            if not self._subscriptions[session_id]:
                del self._subscriptions[session_id]
                self._heads.pop(session_id, None)
                self._asked_at.pop(session_id, None)

    async def follow(
        self, session_id: str, position: Position, *, stream: LiveStream | None = None, pause_seconds: float = 15.0
    ) -> AsyncGenerator[list[DeliveredEvent]]:
        """Batches of what comes after a position, until the session is deleted or the stream ends. An empty batch says
        that nothing came for a while.

        Raises `StaleEpochError` if the log does not hold the position: the client has to load the session again.
        """
        cursor = FeedCursor(after=position.seq, previous=position.seq, epoch=position.epoch)
        is_last, rested_at, gathered_at = False, 0.0, 0.0
        now = asyncio.get_running_loop().time
        with self.subscribed(session_id) as subscription:
            if stream is not None:
                stream.on_end(subscription.end)
            while not subscription.is_over:
                live, stored = subscription.take()
                if is_last and stored is not None:
                    if needed := [each.seq for each in stored if each.needs_rows]:
                        await self._read_models.ensure(session_id, needed[-1])
                    batch = cursor.deliver(stored, live)
                else:
                    began = now()
                    page = await self.read(session_id, after=cursor.after, epoch=cursor.checked_epoch)
                    rested_at = now() + min(MAX_REST_SECONDS, REST_FACTOR * (now() - began))
                    batch, is_last = cursor.merge(page, live), page.is_last
                    subscription.buffer.advance(cursor.position)
                    head = page.head.position
                    if head.seq > self._heads.get(session_id, -1):
                        self._heads[session_id] = head.seq
                        self._notify(session_id, head)  # the others need not wait for the next comparison
                subscription.buffer.advance(cursor.position)
                if batch:
                    yield batch
                if not is_last:
                    continue
                if live:
                    gathered_at = now() + GATHER_SECONDS
                if not await subscription.wait(pause_seconds):
                    yield []
                    continue
                await subscription.gather(gathered_at - now())
                if subscription.buffer.must_read:
                    await asyncio.sleep(rested_at - now())

    async def follow_turn(
        self, session_id: str, turn_id: str, position: Position, *, stream: LiveStream | None = None
    ) -> AsyncGenerator[list[DeliveredEvent]]:
        """The events of one turn, up to its end or its pause."""
        async with aclosing(self.follow(session_id, position, stream=stream)) as batches:
            async for batch in batches:
                own = [delivered for delivered in batch if delivered.turn_id == turn_id]
                end = next((index for index, delivered in enumerate(own) if delivered.is_a(Complete)), None)
                yield own if end is None else own[: end + 1]
                if end is not None:
                    return

    async def read(self, session_id: str, *, after: int, epoch: int | None = None, limit: int = PAGE) -> Page:
        """A page of the log that may be shown: the tables hold what people act on before it is returned."""
        page = await self._log.read(session_id, after=after, epoch=epoch, limit=limit)
        needed = [
            record.seq
            for record in page.records
            if record.event is not None and record.event.persistence is Persistence.SYNC_REQUIRED
        ]
        if needed:
            await self._read_models.ensure(session_id, needed[-1])
        return page

    async def read_wire(self, session_id: str, *, after: int, limit: int) -> WirePage:
        """A page of what users may see, as JSON: long sessions are opened without decoding every event."""
        page = await self._log.read_stored(session_id, after=after, limit=limit)
        shown, previous, needed = [], after, 0
        for record in page.records:
            wire = wire_of(page.session_id, record, epoch=page.head.epoch, previous_sequence=previous)
            if wire is not None:
                shown.append(wire)
                previous = record.seq
                needed = record.seq if _NEEDS_ROWS in wire else needed
        if needed:
            await self._read_models.ensure(session_id, needed)
        last = page.records[-1].seq if page.records else after
        return WirePage(page.head.epoch, shown, last, not page.is_last)

    async def compare_heads(self) -> None:
        """Notify the followers of sessions that grew, or lost events, without a notification."""
        if not self._subscriptions:
            return
        before = dict(self._heads)
        try:
            now = await self._log.heads(tuple(self._subscriptions))
        except StoreUnavailableError:
            return
        await asyncio.sleep(SETTLE_SECONDS)
        for session_id, last in now.items():
            has_grown = last > self._heads.get(session_id, -1)
            if session_id in self._subscriptions and (has_grown or last < before.get(session_id, -1)):
                self._heads[session_id] = last
                self._notify(session_id)

    def _on_appended(self, notification: Notification) -> None:
        subscriptions = self._subscriptions.get(notification.subject)
        if subscriptions is None:
            return
        grown = notification.grown
        if grown is None or grown.appended is None:
            self._notify(notification.subject, notification.position)
            return
        self._heads[grown.session_id] = max(grown.appended.last_seq, self._heads.get(grown.session_id, -1))
        stored = stored_events(grown)
        for subscription in subscriptions:
            subscription.push(stored)

    def _on_deleted(self, notification: Notification) -> None:
        for subscription in self._subscriptions.get(notification.subject, ()):
            subscription.end()

    def _on_live(self, notification: Notification) -> None:
        session_id, event = notification.subject, notification.event
        if event is None:
            return
        incomplete = [each for each in self._subscriptions.get(session_id, ()) if not each.add_live(event)]
        if incomplete and asyncio.get_running_loop().time() - self._asked_at[session_id] > ASK_SECONDS:
            self._ask_for_text(session_id)

    def _ask_for_text(self, session_id: str) -> None:
        """Ask the worker of a running turn to publish its text from the beginning."""
        self._asked_at[session_id] = asyncio.get_running_loop().time()
        self._bus.publish(Notification("followed", session_id))

    def _notify(self, session_id: str, position: Position | None = None) -> None:
        for subscription in self._subscriptions.get(session_id, ()):
            subscription.notify(position)


_NEEDS_ROWS = f'"persistence":"{Persistence.SYNC_REQUIRED}"'.encode()
