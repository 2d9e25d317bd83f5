"""Connections to the tables of an index in PostgreSQL: each transaction declares the owners it acts for."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

import asyncpg

from batuta.kernel.errors import StoreUnavailableError

POOL_SIZE = 4
COMMAND_SECONDS = 30.0


async def _left_as_it_is(_: object) -> None:
    """Between two uses: what a transaction sets ends with it, so that the question to the server can be saved."""


class OwnerConnections:
    """A pool that connects when it is first used. Row-level security shows a transaction its owners and no others."""

    def __init__(self, url: str, *, pool_size: int = POOL_SIZE) -> None:
        self._url = url
        self._pool_size = pool_size
        self._pool: asyncpg.Pool[Any] | None = None
        self._opening = asyncio.Lock()

    @asynccontextmanager
    async def within(self, owners: Sequence[str], *, is_reading: bool = False) -> AsyncIterator[Any]:
        """A transaction that sees what these owners have; one that reads sees one state of it."""
        isolation: Literal["repeatable_read", "read_committed"] = "repeatable_read" if is_reading else "read_committed"
        try:
            pool = await self.opened()
            async with pool.acquire() as db, db.transaction(isolation=isolation, readonly=is_reading):
                await db.execute("SELECT set_config('batuta.knowledge_owners', $1, true)", "\n".join(owners))
                yield db
        except (OSError, TimeoutError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError) as error:
            raise StoreUnavailableError(f"the index of documents cannot be reached: {error}") from error

    async def opened(self) -> "asyncpg.Pool[Any]":
        """The pool itself, for what is no transaction."""
        async with self._opening:
            if self._pool is None:
                self._pool = await asyncpg.create_pool(
                    self._url,
                    min_size=0,
                    max_size=self._pool_size,
                    command_timeout=COMMAND_SECONDS,
                    reset=_left_as_it_is,
                )
            return self._pool

    async def close(self) -> None:
        """Close every connection."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()
