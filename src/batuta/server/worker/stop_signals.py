"""Stop requests for running turns, from notifications."""

import asyncio
from collections import defaultdict

from batuta.server.live.notifications import Notification


class NotifiedStopSignals:
    """`StopSignals` of a worker: wakes a turn when a `stop` notification names it."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def on_stop(self, notification: Notification) -> None:
        """Handle a `stop` notification."""
        for event in self._waiting.get(notification.subject, ()):
            event.set()

    async def wait(self, turn_id: str) -> None:
        """Return when a stop of this turn was requested."""
        event = asyncio.Event()
        self._waiting[turn_id].add(event)
        try:
            await event.wait()
        finally:
            self._waiting[turn_id].discard(event)
            if not self._waiting[turn_id]:
                del self._waiting[turn_id]
