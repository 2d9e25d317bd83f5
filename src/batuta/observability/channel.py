"""The event channel: one sink in front of any number of subscribers, none of which can hold up a run.

    producer -> EventChannel.emit -> a bounded buffer per subscriber -> its own thread, or an `async for`

Each subscriber says what it wants (types, a correlation id), how much may wait for it, and what happens when that is
full. Transient events may be dropped, and are counted. Persisted events are never dropped: a subscriber that cannot
keep up with those waits on disk (`SPILL`) or is disconnected, knows it, and can read the log from where it was.
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from types import TracebackType

from batuta.events.envelope import Event
from batuta.events.observers import CONTENTS, FanOutSink, asks_for_contents
from batuta.events.sink import EventSink
from batuta.observability.subscription import ChannelStats, Overflow, Subscription

__all__ = ["ChannelStats", "EventChannel", "Interest", "Overflow", "Subscription"]

log = logging.getLogger("batuta.observability")

CAPACITY = 10_000
MAX_WAIT = timedelta(milliseconds=10)
"""How long `emit` may wait for all subscribers together, once per stall; far below what makes a run slow."""
BATCH = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Interest:
    """What a subscriber wants to see; everything by default."""

    types: frozenset[str] | None = None
    correlation_id: str | None = None
    has_contents: bool = False
    """What models are given and say too; a sink that is attached says so itself (`wants_contents`)."""

    @classmethod
    def in_types(cls, types: Iterable[str | type[Event]], correlation_id: str | None = None) -> "Interest":
        """These types, given by name or model; who names the one that tells contents asks for them."""
        names = frozenset(kind if isinstance(kind, str) else kind.route.type for kind in types)
        return cls(types=names, correlation_id=correlation_id, has_contents=CONTENTS in names)

    def covers(self, event_type: str) -> bool:
        """Whether events of this type are wanted at all."""
        if event_type == CONTENTS and not self.has_contents:
            return False
        return self.types is None or event_type in self.types


EVERYTHING = Interest()


class EventChannel(FanOutSink):
    """Hands each event to the subscribers that want it and never waits longer than `max_wait`.

    It is a fan-out: it never raises and never blocks, so a run calls it directly, without a guard.

    with EventChannel() as channel:
        channel.attach(SpanSink(...), name="spans", overflow=Overflow.SPILL)
        await pipeline.run(request, sink=channel)
    """

    def __init__(self, *, max_wait: timedelta = MAX_WAIT) -> None:
        super().__init__()
        self._max_wait = max_wait.total_seconds()
        self._lock = threading.Lock()
        self._subscriptions: tuple[tuple[Interest, Subscription], ...] = ()
        self._wanted: dict[str, tuple[tuple[str | None, Callable[[Event], None]], ...]] = {}
        self._pumps: list[_Pump] = []
        self._counting = threading.Lock()
        self.emitted = 0
        """Events so far, by any number of threads."""

    @property
    def wants_contents(self) -> bool:
        """Whether a subscriber does."""
        return any(interest.covers(CONTENTS) for interest, _ in self._subscriptions)

    def disclose(self, event: Event) -> None:
        """Hand contents to the subscribers that ask for them."""
        self.emit(event)

    def emit(self, event: Event) -> None:
        """Hand the event to everyone who wants it."""
        with self._counting:
            self.emitted += 1
        wanted = self._wanted.get(event.type)
        for correlation_id, offer in self._who_wants(event.type) if wanted is None else wanted:
            if correlation_id is None or correlation_id == event.correlation_id:
                try:
                    offer(event)
                except Exception:
                    log.exception("a subscriber could not be offered a %s event", event.type)

    def attach(
        self,
        sink: EventSink,
        *,
        name: str,
        interest: Interest = EVERYTHING,
        capacity: int = CAPACITY,
        overflow: Overflow = Overflow.SPILL,
    ) -> Subscription:
        """Give a sink a thread of its own that hands it the events one by one."""
        subscription = Subscription(name, capacity=capacity, overflow=overflow, max_wait=self._max_wait)
        pump = _Pump(subscription, sink)
        with self._lock:
            self._pumps = [*self._pumps, pump]
        self._add(replace(interest, has_contents=interest.has_contents or asks_for_contents(sink)), subscription)
        pump.start()
        return subscription

    @contextlib.asynccontextmanager
    async def subscribe(
        self,
        *,
        name: str,
        interest: Interest = EVERYTHING,
        capacity: int = CAPACITY,
        overflow: Overflow = Overflow.DROP,
    ) -> AsyncIterator[AsyncIterator[Event]]:
        """Events as they come, in this event loop; the iteration ends with the channel or with a disconnection.

        Where the producer runs in the same loop, `BLOCK` could only wait in vain: it counts as `DISCONNECT`.
        """
        awaited = Overflow.DISCONNECT if overflow is Overflow.BLOCK else overflow
        subscription = Subscription(name, capacity=capacity, overflow=awaited, max_wait=self._max_wait)
        self._add(interest, subscription)
        try:
            yield _arriving(subscription)
        finally:
            self.detach(subscription)

    def detach(self, subscription: Subscription) -> None:
        """End a subscription; what waits for it is forgotten, and its sink is given nothing more.

        The one event that the sink is busy with is not waited for.
        """
        with self._lock:
            self._subscriptions = tuple(pair for pair in self._subscriptions if pair[1] is not subscription)
            self._pumps = [pump for pump in self._pumps if pump.subscription is not subscription]
            self._share_the_bound()
            self._wanted = {}
        subscription.close()

    def stats(self) -> list[ChannelStats]:
        """How each subscriber fares."""
        return [subscription.stats() for _, subscription in self._subscriptions]

    def drain(self, timeout: timedelta = timedelta(seconds=10)) -> bool:
        """Wait until every attached sink has seen what was emitted; whether that came true in time."""
        end = time.monotonic() + timeout.total_seconds()
        idle = [pump.subscription.wait_until_idle(end - time.monotonic()) for pump in self._pumps]
        return all(idle)

    def close(self, timeout: timedelta = timedelta(seconds=10)) -> None:
        """Let the attached sinks see what is left, then end everything. What was not seen in time is reported."""
        if not self.drain(timeout):
            late = [pump.subscription.name for pump in self._pumps if not pump.subscription.wait_until_idle(0)]
            log.warning("closed after %g s before all was seen by: %s", timeout.total_seconds(), ", ".join(late))
        for _, subscription in self._subscriptions:
            subscription.close()
        for pump in self._pumps:
            pump.join(1.0)

    def __enter__(self) -> "EventChannel":
        """Open as it is made."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close."""
        self.close()

    def _add(self, interest: Interest, subscription: Subscription) -> None:
        with self._lock:
            self._subscriptions = (*self._subscriptions, (interest, subscription))
            self._share_the_bound()
            self._wanted = {}

    def _share_the_bound(self) -> None:
        """Several subscribers that hang at once may not cost a producer the bound several times."""
        for _, subscription in self._subscriptions:
            subscription.max_wait = self._max_wait / len(self._subscriptions)

    def _who_wants(self, event_type: str) -> tuple[tuple[str | None, Callable[[Event], None]], ...]:
        with self._lock:
            found = tuple(
                (interest.correlation_id, subscription.offer)
                for interest, subscription in self._subscriptions
                if interest.covers(event_type)
            )
            self._wanted[event_type] = found
        return found


class _Pump(threading.Thread):
    """Hands what waits for a subscriber to its sink; a sink that raises is reported once and goes on."""

    def __init__(self, subscription: Subscription, sink: EventSink) -> None:
        super().__init__(name=f"batuta-{subscription.name}", daemon=True)
        self.subscription = subscription
        self._sink = sink
        self._has_failed = False

    def run(self) -> None:
        """Until the subscription ends."""
        while (batch := self.subscription.take(BATCH)) is not None:
            for event in batch:
                if self.subscription.is_closed:  # detached in the middle: its owner may have closed the sink
                    return
                try:
                    self._sink.emit(event)
                except Exception as error:
                    self._report(event, error)
            self.subscription.done(batch)

    def _report(self, event: Event, error: Exception) -> None:
        self.subscription.failures += 1
        if not self._has_failed:
            self._has_failed = True
            log.error("subscriber %s raised on %s: %r", self.subscription.name, event.type, error, exc_info=error)


async def _arriving(subscription: Subscription) -> AsyncIterator[Event]:
    loop = asyncio.get_running_loop()
    arrived = asyncio.Event()
    while True:
        arrived.clear()
        batch = subscription.take_now(BATCH, wake=lambda: loop.call_soon_threadsafe(arrived.set))
        if batch is None:
            return
        if not batch:
            await arrived.wait()
        for event in batch:
            yield event
        subscription.done(batch)
