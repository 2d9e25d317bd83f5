"""Connections to PostgreSQL: a pool, one more for the writer, and foreign errors turned into ours."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from batuta.eventstore.driver_errors import is_passing
from batuta.eventstore.schema_version import OLDEST_COLUMN, SchemaVersion
from batuta.kernel.errors import ConfigurationError, MissingExtraError, StoreUnavailableError

try:
    import asyncpg
except ImportError as missing:
    raise MissingExtraError("postgres", needed_for="PostgreSQL") from missing

SCHEMA_REVISION = "0002"
OLDEST_PROGRAM = "0002"
"""The oldest revision whose programs work on this schema: raised by a migration that takes away what they use."""
POOL_SIZE = 8
COMMAND_SECONDS = 30.0
WRITERS = 4
"""Connections kept for group commits, and for sessions that are seeded in Redis."""
LOCK_MS = 2_000
"""How long a group commit waits for a session held elsewhere; then each of the group waits for itself."""
SETTINGS = {"timezone": "UTC", "batuta.scope": "system"}
"""The store works for all users; where rows are guarded (the platform does so), its connections say it."""

DURABLE = {"fsync": "on", "full_page_writes": "on"}
SYNCHRONOUS = ("on", "remote_write", "remote_apply")
"""Values of `synchronous_commit` under which an acknowledged commit is on this server's disk."""

_HOW_TO_MIGRATE = "run `batuta migrate` (from Python: batuta.eventstore.migrations.migrate)"
_REFUSALS = (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError)
"""What a server says to an address that is wrong: an unknown user, password or database."""


@contextmanager
def errors_as_ours() -> Iterator[None]:
    """Turn what the driver raises for want of a server into `StoreUnavailableError`."""
    try:
        yield
    except Exception as error:
        if not is_passing(error):
            raise
        raise StoreUnavailableError(f"PostgreSQL did not do it: {type(error).__name__}: {error}") from error


@contextmanager
def refusals_as_ours() -> Iterator[None]:
    """Turn what a first connection may end with into ours: a wrong address can only be mended by people."""
    try:
        with errors_as_ours():
            yield
    except _REFUSALS as error:
        raise ConfigurationError(f"PostgreSQL refuses the connection: {error}") from error


async def reach(url: str) -> None:
    """Connect once. Raises `StoreUnavailableError`, or `ConfigurationError` if the address is wrong."""
    with refusals_as_ours():
        connection = await asyncpg.connect(url, timeout=10.0)
        await connection.close()


class PostgresPool:
    """Opens connections at the first use and checks that the database is fit for them."""

    def __init__(self, url: str, *, pool_size: int = POOL_SIZE, command_seconds: float = COMMAND_SECONDS) -> None:
        self._url = url
        self._pool_size = pool_size
        self._command_seconds = command_seconds
        self._opening = asyncio.Lock()
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._writers: list[asyncpg.Connection[asyncpg.Record]] = []
        self._free_writers = asyncio.Semaphore(WRITERS)
        self._is_closed = False

    async def open(self) -> None:
        """Connect, once, and check schema and durability."""
        async with self._opening:
            if self._is_closed:
                raise StoreUnavailableError("the store is closed")
            if self._pool is None:
                self._pool = await self._connected_pool()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator["asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"]:
        """A connection of the pool; statements outside a transaction commit one by one.

        Holding one, do not ask for a second: enough callers that do would wait for one another. No one waits
        longer for a connection than for an answer.
        """
        if self._pool is None or self._is_closed:
            await self.open()
        assert self._pool is not None
        with errors_as_ours():
            async with self._pool.acquire(timeout=self._command_seconds) as connection:
                yield connection

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator["asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"]:
        """A connection inside a transaction that commits at the end of the block."""
        async with self.connection() as connection, connection.transaction():
            yield connection

    @asynccontextmanager
    async def writer(self) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
        """A connection kept for group commits; one that failed is not used again.

        As with `connection`: a caller that holds one must not ask for a second.
        """
        if self._pool is None or self._is_closed:
            await self.open()
        with errors_as_ours():
            if self._free_writers.locked():
                async with asyncio.timeout(self._command_seconds):
                    await self._free_writers.acquire()
            else:
                await self._free_writers.acquire()
            try:
                connection = await self._next_writer()
                try:
                    yield connection
                except BaseException:
                    connection.terminate()
                    raise
                if self._is_closed:
                    connection.terminate()
                else:
                    self._writers.append(connection)
            finally:
                self._free_writers.release()

    async def settings(self) -> dict[str, str]:
        """What the server says about its durability."""
        async with self.connection() as connection:
            return {name: await connection.fetchval(f"SHOW {name}") for name in (*DURABLE, "synchronous_commit")}

    async def close(self) -> None:
        """Let go of all connections."""
        if self._is_closed:
            return
        self._is_closed = True
        for connection in self._writers:
            await _within_bounds(connection.close(timeout=5))
        if self._pool is not None:
            is_closed = await _within_bounds(asyncio.wait_for(self._pool.close(), 10))
            if not is_closed:
                self._pool.terminate()

    async def _connected_pool(self) -> "asyncpg.Pool[asyncpg.Record]":
        with refusals_as_ours():
            pool = await asyncpg.create_pool(
                self._url, min_size=1, max_size=self._pool_size, reset=_nothing_to_reset, **self._connect_options()
            )
        try:
            await _check_schema(pool)
        except BaseException:
            pool.terminate()
            raise
        return pool

    async def _next_writer(self) -> "asyncpg.Connection[asyncpg.Record]":
        while self._writers:
            connection = self._writers.pop()
            if not connection.is_closed():  # as after a restart of the server
                return connection
        return await asyncpg.connect(self._url, **self._connect_options(lock_timeout=str(LOCK_MS)))

    def _connect_options(self, **settings: str) -> dict[str, Any]:
        server_settings = {**SETTINGS, **settings}
        return {"command_timeout": self._command_seconds, "timeout": 10.0, "server_settings": server_settings}


async def _nothing_to_reset(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """No session state is ever set, so handing a connection back needs no round trip."""


async def _check_schema(pool: "asyncpg.Pool[asyncpg.Record]") -> None:
    with errors_as_ours():
        exists = await pool.fetchval("SELECT to_regclass('alembic_version')")
        row = await pool.fetchrow("SELECT * FROM alembic_version") if exists else None
    found = None if row is None else SchemaVersion(row["version_num"], row.get(OLDEST_COLUMN))
    if found is not None and found.suits(SCHEMA_REVISION):
        return
    held = "no tables" if found is None else f"the tables of version {found.revision}"
    is_newer = found is not None and found.is_newer_than(SCHEMA_REVISION)
    raise ConfigurationError(
        f"the database has {held}, this program needs those of version {SCHEMA_REVISION}: "
        + ("update batuta" if is_newer else _HOW_TO_MIGRATE)
    )


async def _within_bounds(closing: Any) -> bool:
    """Whether something closed in good order; at shutdown a server that is gone is not waited for."""
    try:
        await closing
    except Exception as error:
        if not is_passing(error):
            raise
        return False
    return True
