"""Doorbells: who waits for news of a session is woken, in this process at once, from others by looking.

A bell is a hint. What counts is read from the log; listeners in this process learn what was stored, and where.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager

from batuta.events.admission import Batch
from batuta.events.log import Appended, Grown, GrowthListener
from batuta.kernel.ids import SessionId

log = logging.getLogger("batuta.eventstore")

POLL_SECONDS = 0.25

Heads = Callable[[Collection[SessionId]], Awaitable[Mapping[SessionId, int]]]
"""Gives the last position of each of these sessions, from the store."""


class LocalDoorbell:
    """Wakes one waiter of this process."""

    def __init__(self, watched: frozenset[SessionId] | None) -> None:
        self.watched = watched
        self._rung: set[SessionId] = set()
        self._event = asyncio.Event()

    def ring(self, session_ids: Iterable[SessionId]) -> None:
        """Remember the sessions among these that the waiter cares for."""
        news = set(session_ids) if self.watched is None else self.watched.intersection(session_ids)
        if news:
            self._rung |= news
            self._event.set()

    async def wait(self, timeout: float) -> frozenset[SessionId]:  # noqa: ASYNC109 - an empty answer, not an error
        """The sessions it rang for; empty if none in time."""
        if not self._rung and timeout > 0:
            try:
                async with asyncio.timeout(timeout):
                    await self._event.wait()
            except TimeoutError:
                return frozenset()
        return self._take()

    def _take(self) -> frozenset[SessionId]:
        rung = frozenset(self._rung)
        self._rung.clear()
        self._event.clear()
        return rung


class PollingDoorbell:
    """Also looks at the store now and then, for what other processes wrote."""

    def __init__(self, local: LocalDoorbell, heads: Heads) -> None:
        self._local = local
        self._heads = heads
        self._seen: dict[SessionId, int] | None = None

    async def wait(self, timeout: float) -> frozenset[SessionId]:  # noqa: ASYNC109 - an empty answer, not an error
        """The sessions it rang for; empty if none in time."""
        deadline = asyncio.get_running_loop().time() + timeout
        while True:
            left = deadline - asyncio.get_running_loop().time()
            rung = await self._local.wait(min(max(left, 0), POLL_SECONDS))
            rung |= await self._grown()
            if rung or left <= 0:
                return rung

    async def _grown(self) -> frozenset[SessionId]:
        """Sessions that have more events than at the last look; at the first look, none."""
        if self._local.watched is None:
            return frozenset()
        now = dict(await self._heads(self._local.watched))
        before = now if self._seen is None else self._seen
        self._seen = now
        return frozenset(session for session, last in now.items() if last > before.get(session, 0))


class Bells:
    """All doorbells and listeners of one process on one store."""

    def __init__(self) -> None:
        self._bells: set[LocalDoorbell] = set()
        self._listeners: list[GrowthListener] = []

    def ring(self, session_ids: Collection[SessionId]) -> None:
        """Ring every bell that cares for one of these sessions, of which it is not known how far they grew."""
        for bell in self._bells:
            bell.ring(session_ids)
        for session_id in session_ids if self._listeners else ():
            self._notify(Grown(session_id))

    def announce(self, batch: Batch, appended: Appended) -> None:
        """A batch is durable: ring, and hand it to those who listen, if it was stored just now.

        One that came again may name other ids than the log holds, or say what was erased there.
        """
        if not appended.is_new:
            self.ring((batch.session_id,))
            return
        for bell in self._bells:
            bell.ring((batch.session_id,))
        if self._listeners:
            payloads = tuple([entry.payload for entry in batch.entries])
            self._notify(Grown(batch.session_id, appended, batch.events, payloads))

    @contextmanager
    def listening(self, listener: GrowthListener) -> Iterator[None]:
        """See `EventLog.listening`."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def _notify(self, grown: Grown) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(grown)
            except Exception:
                log.exception("a listener failed on the growth of session %s", grown.session_id)

    @contextmanager
    def hung(self, watched: frozenset[SessionId] | None) -> Iterator[LocalDoorbell]:
        """A bell for these sessions, or for all, that rings within the block."""
        bell = LocalDoorbell(watched)
        self._bells.add(bell)
        try:
            yield bell
        finally:
            self._bells.discard(bell)
