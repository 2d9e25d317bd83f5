"""Messages go first: while one is being accepted, uploads and the jobs that read files wait for it (P-36).

One process does both in a small installation. A message takes few and short steps, and each of them would queue behind
those of every file that is under way; so whatever handles files asks before each step of its own.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

from batuta.server.database.engines import Database, Query, T
from batuta.server.policy import Priority

PATIENCE = timedelta(milliseconds=50)
"""How long one step waits at most: where messages never stop, files are read slowly and not never."""


class MessagePrecedence:
    """Lets the messages of a process go before its files."""

    def __init__(self, *, patience: timedelta = PATIENCE) -> None:
        self._patience = patience
        self._messages = 0
        self._is_free = asyncio.Event()
        self._is_free.set()

    @asynccontextmanager
    async def by_priority(self, priority: Priority) -> AsyncIterator[None]:
        """Handle a request of this priority within the block."""
        if priority is not Priority.FIRST:
            if priority is Priority.LATER:
                await self.give_way()
            yield
            return
        self._messages += 1
        self._is_free.clear()
        try:
            yield
        finally:
            self._messages -= 1
            if not self._messages:
                self._is_free.set()

    async def give_way(self) -> None:
        """Wait until no message is being accepted, or patience ends."""
        if not self._is_free.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._patience.total_seconds()):
                    await self._is_free.wait()


class YieldingDatabase:
    """A `Database` for work that can wait: every query gives way to messages."""

    def __init__(self, database: Database, precedence: MessagePrecedence) -> None:
        self._database = database
        self._precedence = precedence

    async def read(self, query: Query[T]) -> T:
        """See `Database.read`."""
        await self._precedence.give_way()
        return await self._database.read(query)

    async def look_up(self, query: Query[T]) -> T:
        """See `Database.look_up`."""
        await self._precedence.give_way()
        return await self._database.look_up(query)

    async def write(self, change: Query[T]) -> T:
        """See `Database.write`."""
        await self._precedence.give_way()
        return await self._database.write(change)

    async def close(self) -> None:
        """See `Database.close`."""
        await self._database.close()
