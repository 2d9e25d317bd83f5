"""Delivery: reads the log and hands it to whoever follows a session, in order, each event once.

    follow(session, position) -> what was missed, then what comes

The reader is pulled: it reads on when its consumer has taken what it got, so a slow one costs no memory. News only
wake it; every so often the heads of all followed sessions are looked at, for news that got lost. Transient pieces of
the running turn are slipped in where they belong, from the beginning of their text on, and dropped when a stored event
has superseded them.
"""

import asyncio
import time
from collections import OrderedDict, defaultdict, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

from batuta.events.conversation import AssistantMessage, Complete, Thinking
from batuta.events.envelope import Event
from batuta.events.log import EventLog, Grown, GrowthListener, Page, Position
from batuta.events.routing import Persistence
from batuta.events.stored import wire_of
from batuta.kernel.errors import StoreUnavailableError
from batuta.server.live.buffer import Fresh, Told, fresh_of
from batuta.server.live.live_text import Watch
from batuta.server.live.notifications import Bus, News

LOOK_SECONDS = 0.3
SETTLE_SECONDS = 0.02
"""What was found by looking may be on its way: stored by this process, and told in a moment."""
GATHER_SECONDS = 0.04
"""Pieces of a running answer that come within this time are delivered together."""
REST_FACTOR, LONGEST_REST = 2.0, 0.1
"""After a read a follower rests for twice the time it took: the busier the store, the more events one read fetches."""
ASK_SECONDS = 0.5
"""How often a text with a hole is asked for again."""
PAGE = 500
MOST_CLOSED = 1_000
"""Messages and turns a follower remembers as over: pieces come late by seconds, a tab may stay open for weeks."""

Heads = Callable[[Collection[str]], Awaitable[Mapping[Any, int]]]
"""The last position of each of these sessions, from the store."""
Hearing = Callable[[GrowthListener], AbstractContextManager[None]]
"""Has somebody hear what this process appends, within a block."""


class Hub:
    """Wakes the followers of sessions."""

    def __init__(self, bus: Bus, heads: Heads, hearing: Hearing | None = None) -> None:
        self._bus = bus
        self._heads = heads
        self._hearing = hearing or nullcontext
        self._watches: defaultdict[str, list[Watch]] = defaultdict(list)
        self._seen: dict[str, int] = {}
        self._asked: dict[str, float] = {}

    async def run(self) -> None:
        """Pass on news and what is stored here, and look at the heads by time, until cancelled."""
        with self._bus.listening(self._take), self._hearing(self.hear):
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                await self._look()

    @contextmanager
    def watch(self, session_id: str) -> Iterator[Watch]:
        """Be woken for a session within the block."""
        watch = Watch()
        self._watches[session_id].append(watch)
        self._ask(session_id)
        try:
            yield watch
        finally:
            watch.close()
            self._watches[session_id].remove(watch)
            if not self._watches[session_id]:
                del self._watches[session_id]
                self._seen.pop(session_id, None)
                self._asked.pop(session_id, None)

    def hear(self, grown: Grown) -> None:
        """Hand what this process has just stored to those who follow it."""
        watches = self._watches.get(grown.session_id)
        if watches is None:
            return
        if grown.appended is None:
            self._wake(grown.session_id)
            return
        self._seen[grown.session_id] = max(grown.appended.last_seq, self._seen.get(grown.session_id, -1))
        fresh = fresh_of(grown)
        for watch in watches:
            watch.hand(fresh)

    def note(self, session_id: str, head: Position) -> None:
        """Somebody has read that a session goes up to here: whoever follows it learns of it, and nobody has to look."""
        if head.seq > self._seen.get(session_id, -1):
            self._seen[session_id] = head.seq
            self._wake(session_id, head)

    def _take(self, news: News) -> None:
        if news.kind == "grown":
            for session_id in news.ids:
                self._wake(session_id, news.at.get(session_id))
        elif news.kind == "gone":
            for session_id in news.ids:
                for watch in self._watches.get(session_id, ()):
                    watch.end()
        elif news.kind == "live" and news.event is not None:
            self._show(str(news.event.session_id), news.event)

    def _show(self, session_id: str, event: Event) -> None:
        holed = [watch for watch in self._watches.get(session_id, ()) if not watch.add(event)]
        if holed and asyncio.get_running_loop().time() - self._asked[session_id] > ASK_SECONDS:
            self._ask(session_id)

    def _ask(self, session_id: str) -> None:
        """Ask whoever tells a text in this session to tell it from its beginning."""
        self._asked[session_id] = asyncio.get_running_loop().time()
        self._bus.publish(News(kind="joined", ids=frozenset({session_id})))

    def _wake(self, session_id: str, position: Position | None = None) -> None:
        for watch in self._watches.get(session_id, ()):
            watch.wake(position)

    async def _look(self) -> None:
        """Wake the followers of sessions that grew without anybody telling, or of which something was lost."""
        if not self._watches:
            return
        before = dict(self._seen)
        try:
            now = await self._heads(tuple(self._watches))
        except StoreUnavailableError:
            return
        await asyncio.sleep(SETTLE_SECONDS)
        for session_id, last in now.items():
            has_grown = last > self._seen.get(session_id, -1)
            if session_id in self._watches and (has_grown or last < before.get(session_id, -1)):
                self._seen[session_id] = last
                self._wake(session_id)


class Projected(Protocol):
    """Whoever brings the read models of a session up to a position."""

    async def ensure(self, session: str, seq: int) -> None:
        """Return when they are there."""
        ...


@dataclass(frozen=True, slots=True)
class WirePage:
    """Some events that a user may see, as JSON."""

    epoch: int
    items: list[bytes]
    last_sequence: int
    has_more: bool


class Delivery:
    """Hands the log of sessions to those who follow them."""

    def __init__(self, log: EventLog, hub: Hub, projected: Projected) -> None:
        self._log = log
        self._hub = hub
        self._projected = projected

    async def read(self, session_id: str, *, after: int, epoch: int | None = None, limit: int = PAGE) -> Page:
        """A page of the log that may be shown: whoever acts on it finds the rows of what it must act on."""
        page = await self._log.read(session_id, after=after, epoch=epoch, limit=limit)
        needed = [record.seq for record in page.records if _needs_rows(record.event)]
        if needed:
            await self._projected.ensure(session_id, needed[-1])
        return page

    async def read_wire(self, session_id: str, *, after: int, limit: int) -> "WirePage":
        """A page of what users may see, as JSON: long sessions are opened without reading every event of them."""
        page = await self._log.read_stored(session_id, after=after, limit=limit)
        shown, previous, needed = [], after, 0
        for record in page.records:
            wire = wire_of(page.session_id, record, epoch=page.head.epoch, previous_sequence=previous)
            if wire is not None:
                shown.append(wire)
                previous = record.seq
                needed = record.seq if _NEEDS_ROWS in wire else needed
        if needed:
            await self._projected.ensure(session_id, needed)
        last = page.records[-1].seq if page.records else after
        return WirePage(page.head.epoch, shown, last, not page.is_last)

    async def follow(
        self, session_id: str, position: Position, *, pause_seconds: float = 15.0
    ) -> AsyncGenerator[list[Told]]:
        """Batches of what comes after a position, until the session is deleted. An empty one says that nothing came for
        a while.

        Raises `StaleEpochError` if the log does not hold the position: the client has to load the session again.
        """
        reader = _Reader(after=position.seq, previous=position.seq, epoch=position.epoch)
        is_last, ready = False, 0.0
        with self._hub.watch(session_id) as watch:
            while not watch.is_over:
                pieces, fresh = watch.take(), watch.handed.take()
                if is_last and fresh is not None and not pieces:
                    if needed := [one.seq for one in fresh if one.needs_rows]:
                        await self._projected.ensure(session_id, needed[-1])
                    batch = reader.handed(fresh)
                else:
                    began = time.monotonic()
                    page = await self.read(session_id, after=reader.after, epoch=reader.checked_epoch)
                    ready = time.monotonic() + min(LONGEST_REST, REST_FACTOR * (time.monotonic() - began))
                    batch, is_last = reader.merged(page, pieces), page.is_last
                    watch.handed.stand(reader.position)
                    self._hub.note(session_id, page.head.position)
                watch.handed.stand(reader.position)
                if batch:
                    yield batch
                if is_last and not await watch.wait(pause_seconds):
                    yield []
                elif is_last and (watch.has_pieces or watch.handed.must_look):
                    await asyncio.sleep(GATHER_SECONDS if watch.has_pieces else ready - time.monotonic())

    async def follow_turn(self, session_id: str, turn_id: str, position: Position) -> AsyncGenerator[list[Told]]:
        """What one turn tells, up to its end or its pause."""
        async with aclosing(self.follow(session_id, position)) as batches:
            async for batch in batches:
                own = [told for told in batch if told.turn_id == turn_id]
                end = next((index for index, told in enumerate(own) if told.is_a(Complete)), None)
                yield own if end is None else own[: end + 1]
                if end is not None:
                    return


@dataclass(slots=True)
class _Reader:
    """Where one follower is, and what it was shown."""

    after: int
    previous: int
    epoch: int | None
    closed: OrderedDict[str | None, None] = field(default_factory=OrderedDict)
    """The last messages and turns of which nothing transient is shown any more."""
    held: list[Event] = field(default_factory=list)
    """Pieces of what comes after the pages read so far."""

    @property
    def checked_epoch(self) -> int | None:
        """The epoch the position belongs to: asked about until the log has confirmed it once."""
        return self.epoch if self.after else None

    @property
    def position(self) -> Position:
        """The place of the last event it was given, or had nothing to be given of."""
        return Position(self.epoch or 0, self.after)

    def handed(self, fresh: Sequence[Fresh]) -> list[Told]:
        """What was stored just behind where it is."""
        batch: list[Told] = []
        for one in fresh:
            self.after = one.seq
            if one.is_visible:
                batch.append(one.after(self.previous))
                self.previous = one.seq
                self._close(one.event)
        return batch

    def merged(self, page: Page, pieces: list[Event]) -> list[Told]:
        """Stored events in order, and transient ones before the first stored one that was told after them."""
        waiting = deque([*self.held, *pieces])
        batch: list[Told] = []
        for record in page.records:
            self.after = record.seq
            self.epoch = record.epoch
            if record.event is None or not record.event.is_visible:
                continue
            while waiting and _is_before(waiting[0], record.event):
                batch += self._shown(waiting.popleft(), record.epoch)
            batch.append(Told(record.event, record.epoch, self.previous))
            self.previous = record.seq
            self._close(record.event)
        self.held = [] if page.is_last else list(waiting)
        for piece in waiting if page.is_last else ():
            batch += self._shown(piece, self.epoch or page.head.epoch)
        return batch

    def _shown(self, piece: Event, epoch: int) -> list[Told]:
        is_late = piece.turn_id in self.closed or (piece.message_id is not None and piece.message_id in self.closed)
        return [] if is_late else [Told(piece, epoch, self.previous)]

    def _close(self, event: Event) -> None:
        """A stored message supersedes its pieces; the end of a turn supersedes all of them."""
        if isinstance(event, Complete) and event.status != "paused":
            self.closed[event.turn_id] = None
        elif isinstance(event, (AssistantMessage, Thinking)) and event.message_id is not None:
            self.closed[event.message_id] = None
        if len(self.closed) > MOST_CLOSED:
            self.closed.popitem(last=False)


_NEEDS_ROWS = f'"persistence":"{Persistence.SYNC_REQUIRED}"'.encode()


def _needs_rows(event: Event | None) -> bool:
    return event is not None and event.persistence is Persistence.SYNC_REQUIRED


def _is_before(piece: Event, stored: Event) -> bool:
    return piece.turn_id == stored.turn_id and piece.original_index < stored.original_index
