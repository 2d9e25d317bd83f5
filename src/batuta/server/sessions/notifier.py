"""Keeps the lists of connected users up to date: `session:changed` and `session:deleted` over their sockets, and
`approvals:changed` to those who may decide when something begins or ceases to wait.

A session that grew is read at once and again a little later, because its read models and its turn may lag behind its
log; one with a running turn is read until the turn has ended.
"""

import asyncio
from collections import OrderedDict
from itertools import islice

from batuta.kernel.errors import StoreUnavailableError
from batuta.server.database.principal import SYSTEM, acting_as
from batuta.server.live.notifications import Notification, NotificationBus, NotificationHandlers
from batuta.server.live.sockets import SocketServer
from batuta.server.sessions.api import summary_view
from batuta.server.sessions.repository import Summary
from batuta.server.sessions.service import Sessions

READ_SECONDS = 0.25
READS = 3
MAX_AT_ONCE = 500
MAX_REMEMBERED = 10_000


class SessionListNotifier:
    """Sends changed summaries to the users whose sessions they are."""

    def __init__(self, bus: NotificationBus, sessions: Sessions, sockets: SocketServer) -> None:
        self._bus = bus
        self._sessions = sessions
        self._sockets = sockets
        self._reads_left: dict[str, int] = {}
        self._deleted: set[str] = set()
        self._sent: OrderedDict[str, Summary] = OrderedDict()
        self._pending: dict[str, int] = {}

    async def run(self) -> None:
        """Read and send until cancelled."""
        handlers: NotificationHandlers = {
            "appended": self._on_change,
            "changed": self._on_change,
            "deleted": self._on_deleted,
        }
        with self._bus.subscribed(handlers):
            while True:
                await asyncio.sleep(READ_SECONDS)
                await self._send_deleted()
                await self._send_changed()

    def _on_change(self, notification: Notification) -> None:
        if self._sockets.has_connections:
            self._reads_left[notification.subject] = READS

    def _on_deleted(self, notification: Notification) -> None:
        if self._sockets.has_connections:
            self._deleted.add(notification.subject)

    async def _send_changed(self) -> None:
        """Read the sessions that may have changed, all by one query."""
        reads_left = {
            session_id: self._reads_left.pop(session_id) for session_id in tuple(islice(self._reads_left, MAX_AT_ONCE))
        }
        if not reads_left:
            return
        try:
            with acting_as(SYSTEM):
                found = await self._sessions.some(reads_left)
        except StoreUnavailableError:
            self._reads_left = reads_left | self._reads_left
            return
        for summary in found:
            await self._send(summary)
            await self._send_pending(summary)
            self._read_again(summary, reads_left[summary.session_id] - 1)

    async def _send_deleted(self) -> None:
        for session_id in tuple(self._deleted):
            try:
                with acting_as(SYSTEM):
                    user_id = await self._sessions.owner_of(session_id)
            except StoreUnavailableError:
                return
            self._deleted.discard(session_id)
            self._reads_left.pop(session_id, None)
            self._sent.pop(session_id, None)
            if user_id is not None:
                await self._sockets.emit_to_user(user_id, "session:deleted", {"session_id": session_id})

    async def _send(self, summary: Summary) -> None:
        if self._sent.get(summary.session_id) == summary or not self._sockets.is_connected(summary.user_id):
            return
        self._sent[summary.session_id] = summary
        self._sent.move_to_end(summary.session_id)
        if len(self._sent) > MAX_REMEMBERED:
            self._sent.popitem(last=False)
        await self._sockets.emit_to_user(
            summary.user_id, "session:changed", summary_view(summary).model_dump(mode="json")
        )

    async def _send_pending(self, summary: Summary) -> None:
        if self._pending.get(summary.session_id, 0) == summary.pending_approvals:
            return
        self._pending[summary.session_id] = summary.pending_approvals
        if summary.pending_approvals == 0:
            del self._pending[summary.session_id]
        for user_id in {summary.user_id, *self._sockets.approvers(summary.workspace_id)}:
            await self._sockets.emit_to_user(user_id, "approvals:changed", {})

    def _read_again(self, summary: Summary, left: int) -> None:
        is_connected = self._sockets.is_connected(summary.user_id) or self._sockets.approvers(summary.workspace_id)
        is_under_way = summary.status in ("running", "queued")
        if is_connected and (left > 0 or is_under_way):
            self._reads_left.setdefault(summary.session_id, max(left, 1))
