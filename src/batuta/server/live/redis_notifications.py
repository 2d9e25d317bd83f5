"""Notifications between processes: Redis pub/sub. While Redis is away, each process hears only itself.

Write access to Redis does not make a sender trusted. A message is signed with a key that only the platform's database
knows, has a version, a size that is checked before anything is read of it, a time and a number that lets it count
once. What does not fit is dropped and counted, and the reader goes on.
"""

import asyncio
import contextlib
import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from batuta.events.catalogue import decode
from batuta.events.log import Position
from batuta.kernel.errors import BatutaError
from batuta.kernel.ids import new_id
from batuta.server.live.message_seal import LARGEST_MESSAGE, MessageSeal
from batuta.server.live.notifications import (
    KINDS,
    LocalNotificationBus,
    Notification,
    NotificationHandlers,
    NotificationKind,
)
from batuta.server.supervision import NotReadyError

log = logging.getLogger("batuta.server")

CHANNEL = "batuta:notifications:1"
BACKLOG = 10_000
GATHER_SECONDS = 0.01
"""Messages go out this far apart; what is published in between goes together."""
URGENT: frozenset[NotificationKind] = frozenset({"work", "stop"})
"""What goes out at once: a turn waits for it."""
RECONNECT_SECONDS = 1.0
CANCEL_SECONDS = 0.1
LARGEST_PART = LARGEST_MESSAGE // 2


class RedisNotificationBus:
    """A `NotificationBus` over Redis. Sends and receives within `running()`."""

    def __init__(self, url: str, key: bytes) -> None:
        self._seal = MessageSeal(key)
        self._is_receiving = False
        self.dropped = 0
        """Messages that were not ours, or could not be read."""
        self._redis: Redis = Redis.from_url(url, socket_connect_timeout=2, health_check_interval=10)
        self._local = LocalNotificationBus()
        self._origin = new_id()
        self._outgoing: deque[Notification] = deque(maxlen=BACKLOG)
        self._has_outgoing, self._is_urgent = asyncio.Event(), asyncio.Event()

    def publish(self, notification: Notification) -> None:
        """See `NotificationBus.publish`."""
        self._local.publish(notification)
        self._outgoing.append(notification._replace(grown=None))
        self._has_outgoing.set()
        if notification.kind in URGENT:
            self._is_urgent.set()

    def subscribed(self, handlers: NotificationHandlers) -> AbstractContextManager[None]:
        """See `NotificationBus.subscribed`."""
        return self._local.subscribed(handlers)

    async def ping(self) -> None:
        """Raise unless Redis answers and the reader listens."""
        await self._redis.ping()
        if not self._is_receiving:
            raise NotReadyError("the reader of notifications is connecting")

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Send and receive within the block."""
        tasks = [asyncio.create_task(self._send()), asyncio.create_task(self._receive())]
        try:
            yield
        finally:
            await _cancel(tasks)
            await self._redis.aclose()

    async def _send(self) -> None:
        while True:
            await self._has_outgoing.wait()
            self._has_outgoing.clear()
            self._is_urgent.clear()
            gathered = [self._outgoing.popleft() for _ in range(len(self._outgoing))]
            notifications = [_dump(each) for each in coalesced(gathered)]
            for part in _parts(notifications):
                message = self._seal.sealed({"origin": self._origin, "notifications": part})
                with contextlib.suppress(RedisError, OSError):  # hints; other processes also look by time
                    await self._redis.publish(CHANNEL, message)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GATHER_SECONDS):
                    await self._is_urgent.wait()

    async def _receive(self) -> None:
        while True:
            try:
                async with self._redis.pubsub() as channel:
                    await channel.subscribe(CHANNEL)
                    self._is_receiving = True
                    async for message in channel.listen():
                        self._take(message)
            except Exception as error:  # whatever it is, a process that receives nothing is worse
                log.warning("notifications lost Redis and try again: %s", type(error).__name__)
            finally:
                self._is_receiving = False
            await asyncio.sleep(RECONNECT_SECONDS)

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("type") != "message":
            return
        try:
            content = self._seal.opened(message["data"])
            if content["origin"] == self._origin:
                return
            notifications = [_load(each) for each in content["notifications"]]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, BatutaError):
            self._drop()
            return
        for each in notifications:
            self._local.publish(each)

    def _drop(self) -> None:
        """Count a rejected message; logs the first, the second, the fourth …"""
        self.dropped += 1
        if self.dropped & (self.dropped - 1) == 0:
            log.warning("%d messages from Redis were not ours or could not be read, and were dropped", self.dropped)


def coalesced(notifications: Iterable[Notification]) -> list[Notification]:
    """The growth of a session once, up to its last position; everything else as it is.

    If one of several appends is of unknown extent, so is the whole: the follower then reads the log.
    """
    found: list[Notification] = []
    growth: dict[str, int] = {}
    for each in notifications:
        index = growth.get(each.subject) if each.kind == "appended" else None
        if index is None:
            if each.kind == "appended":
                growth[each.subject] = len(found)
            found.append(each)
        elif found[index].position is not None:
            found[index] = each
    return found


async def _cancel(tasks: Collection[asyncio.Task[None]]) -> None:
    """Cancel until all have ended: the client of Redis loses a cancellation that comes while it connects."""
    while running := [task for task in tasks if not task.done()]:
        for task in running:
            task.cancel()
        await asyncio.wait(running, timeout=CANCEL_SECONDS)


def _parts(notifications: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Cut what goes out together so that no message is too large to be taken; one that is too large alone is left out,
    as its followers find it in the log.
    """
    part: list[dict[str, Any]] = []
    size = 0
    for each in notifications:
        length = len(json.dumps(each))
        if length > LARGEST_PART:
            continue
        if part and size + length > LARGEST_PART:
            yield part
            part, size = [], 0
        part.append(each)
        size += length
    if part:
        yield part


def _dump(notification: Notification) -> dict[str, Any]:
    fields = {name: value for name, value in notification._asdict().items() if value}
    if notification.event is not None:
        fields["event"] = notification.event.model_dump(mode="json")
    return fields


def _load(fields: dict[str, Any]) -> Notification:
    if fields["kind"] not in KINDS:
        raise ValueError("there is no such kind of notification")
    event = decode(fields["event"]) if "event" in fields else None
    position = Position(*fields["position"]) if "position" in fields else None
    return Notification(
        fields["kind"],
        fields.get("subject", ""),
        position=position,
        event=event,
        name=fields.get("name", ""),
        content=fields.get("content"),
    )
