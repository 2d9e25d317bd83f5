"""Keeps the session lists of connected people in step: `session:changed` whenever a summary is not what it was, and
`session:deleted` when there is none any more.

A session that grew is looked at at once and again a little later, because its read models and its turn may lag
behind its log; one with a turn under way is looked at until the turn has ended.
"""

import asyncio
from collections import OrderedDict
from itertools import islice

from batuta.kernel.errors import StoreUnavailableError
from batuta.server.database.principal import SYSTEM, acting
from batuta.server.live.notifications import Bus, News
from batuta.server.live.sockets import Sockets
from batuta.server.sessions.api import summary_view
from batuta.server.sessions.repository import Summary
from batuta.server.sessions.service import Sessions

LOOK_SECONDS = 0.25
LOOKS = 3
MOST_AT_ONCE = 500
MOST_REMEMBERED = 10_000


class Announcements:
    """Tells people about their sessions."""

    def __init__(self, bus: Bus, sessions: Sessions, sockets: Sockets) -> None:
        self._bus = bus
        self._sessions = sessions
        self._sockets = sockets
        self._looks: dict[str, int] = {}
        self._gone: set[str] = set()
        self._told: OrderedDict[str, Summary] = OrderedDict()

    async def run(self) -> None:
        """Look and tell until cancelled."""
        with self._bus.listening(self._take):
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                await self._tell_gone()
                await self._look()

    def _take(self, news: News) -> None:
        if news.kind == "grown" and self._sockets.callers:
            self._looks |= dict.fromkeys(news.ids, LOOKS)
        elif news.kind == "gone" and self._sockets.callers:
            self._gone |= news.ids

    async def _look(self) -> None:
        """All of them by one query, however many there are."""
        looks = {session_id: self._looks.pop(session_id) for session_id in tuple(islice(self._looks, MOST_AT_ONCE))}
        if not looks:
            return
        try:
            with acting(SYSTEM):
                found = await self._sessions.some(looks)
        except StoreUnavailableError:
            self._looks = looks | self._looks
            return
        for summary in found:
            await self._tell(summary)
            self._look_again(summary, looks[summary.session_id] - 1)

    async def _tell_gone(self) -> None:
        for session_id in tuple(self._gone):
            try:
                with acting(SYSTEM):
                    user_id = await self._sessions.owner_of(session_id)
            except StoreUnavailableError:
                return
            self._gone.discard(session_id)
            self._looks.pop(session_id, None)
            self._told.pop(session_id, None)
            if user_id is not None:
                await self._sockets.tell_user(user_id, "session:deleted", {"session_id": session_id})

    async def _tell(self, summary: Summary) -> None:
        if self._told.get(summary.session_id) == summary or not self._sockets.is_present(summary.user_id):
            return
        self._told[summary.session_id] = summary
        self._told.move_to_end(summary.session_id)
        if len(self._told) > MOST_REMEMBERED:
            self._told.popitem(last=False)
        await self._sockets.tell_user(summary.user_id, "session:changed", summary_view(summary).model_dump(mode="json"))

    def _look_again(self, summary: Summary, left: int) -> None:
        is_present = self._sockets.is_present(summary.user_id)
        is_under_way = summary.status in ("running", "queued")
        if is_present and (left > 0 or is_under_way):
            self._looks.setdefault(summary.session_id, max(left, 1))
