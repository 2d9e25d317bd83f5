"""The bus between processes: Redis pub/sub. While Redis is away, each process hears only itself and looks by time."""

import asyncio
import contextlib
import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Collection
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from batuta.events.catalogue import decode
from batuta.events.log import Position
from batuta.kernel.errors import BatutaError
from batuta.kernel.ids import new_id
from batuta.server.live.notifications import Listener, LocalBus, News

log = logging.getLogger("batuta.server")

CHANNEL = "batuta:news"
BACKLOG = 10_000
GATHER_SECONDS = 0.02
"""What is told within this time goes out as one message."""
RECONNECT_SECONDS = 1.0
CANCEL_SECONDS = 0.1


class RedisBus:
    """A `Bus` over Redis. Runs within `running()`."""

    def __init__(self, url: str) -> None:
        self._redis: Redis = Redis.from_url(url, socket_connect_timeout=2, health_check_interval=10)
        self._local = LocalBus()
        self._origin = new_id()
        self._outgoing: deque[News] = deque(maxlen=BACKLOG)
        self._has_outgoing = asyncio.Event()

    def publish(self, news: News) -> None:
        """See `Bus.publish`."""
        self._local.publish(news)
        self._outgoing.append(news)
        self._has_outgoing.set()

    def listening(self, listener: Listener) -> AbstractContextManager[None]:
        """See `Bus.listening`."""
        return self._local.listening(listener)

    async def ping(self) -> None:
        """Ask whether Redis is there. Raises if not."""
        await self._redis.ping()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Send and receive within the block."""
        tasks = [asyncio.create_task(self._send()), asyncio.create_task(self._receive())]
        try:
            yield
        finally:
            await _end(tasks)
            await self._redis.aclose()

    async def _send(self) -> None:
        while True:
            await self._has_outgoing.wait()
            await asyncio.sleep(GATHER_SECONDS)
            self._has_outgoing.clear()
            news = [self._outgoing.popleft() for _ in range(len(self._outgoing))]
            message = json.dumps({"origin": self._origin, "news": [_dump(one) for one in news]})
            with contextlib.suppress(RedisError, OSError):  # hints; the others look by time
                await self._redis.publish(CHANNEL, message)

    async def _receive(self) -> None:
        while True:
            try:
                async with self._redis.pubsub() as channel:
                    await channel.subscribe(CHANNEL)
                    async for message in channel.listen():
                        self._take(message)
            except (RedisError, OSError) as error:
                log.warning("the bus lost Redis and tries again: %s", type(error).__name__)
            await asyncio.sleep(RECONNECT_SECONDS)

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("type") != "message":
            return
        try:
            content = json.loads(message["data"])
            if content["origin"] == self._origin:
                return
            news = [_load(one) for one in content["news"]]
        except (ValueError, KeyError, TypeError, BatutaError):
            log.warning("the bus dropped a message it cannot read")
            return
        for one in news:
            self._local.publish(one)


async def _end(tasks: Collection[asyncio.Task[None]]) -> None:
    """Cancel them until they have ended: the client of Redis loses a cancellation that comes while it connects."""
    while running := [task for task in tasks if not task.done()]:
        for task in running:
            task.cancel()
        await asyncio.wait(running, timeout=CANCEL_SECONDS)


def _dump(news: News) -> dict[str, Any]:
    event = None if news.event is None else news.event.model_dump(mode="json")
    return {"kind": news.kind, "ids": sorted(news.ids), "at": dict(news.at), "event": event}


def _load(fields: dict[str, Any]) -> News:
    event = None if fields["event"] is None else decode(fields["event"])
    at = {session_id: Position(*place) for session_id, place in fields.get("at", {}).items()}
    return News(kind=fields["kind"], ids=frozenset(fields["ids"]), at=at, event=event)
