"""Connections to PostgreSQL: those that read, those kept for group commits, and foreign errors turned into ours."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, TypeAlias

from batuta.eventstore.driver_errors import is_passing
from batuta.eventstore.schema_version import OLDEST_COLUMN, SchemaVersion
from batuta.kernel.errors import ConfigurationError, MissingExtraError, StoreUnavailableError

try:
    import asyncpg
except ImportError as missing:
    raise MissingExtraError("postgres", needed_for="PostgreSQL") from missing

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

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
        self._command_seconds = command_seconds
        self._opening = asyncio.Lock()
        self._readers = _Connections(self._connect, pool_size, command_seconds)
        self._writers = _Connections(partial(self._connect, lock_timeout=str(LOCK_MS)), WRITERS, command_seconds)
        self._is_open = False
        self._is_closed = False

    async def open(self) -> None:
        """Connect, once, and check schema and durability."""
        async with self._opening:
            if self._is_closed:
                raise StoreUnavailableError("the store is closed")
            if not self._is_open:
                with refusals_as_ours():
                    async with self._readers.one() as connection:
                        try:
                            await _check_schema(connection)
                        except BaseException:
                            connection.terminate()  # a store that did not open is not closed by its user
                            raise
                self._is_open = True

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A connection of the pool; statements outside a transaction commit one by one.

        Holding one, do not ask for a second: enough callers that do would wait for one another. No one waits
        longer for a connection than for an answer.
        """
        if not self._is_open or self._is_closed:
            await self.open()
        with errors_as_ours():
            async with self._readers.one() as connection:
                yield connection

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """A connection inside a transaction that commits at the end of the block."""
        async with self.connection() as connection, connection.transaction():
            yield connection

    @asynccontextmanager
    async def writer(self) -> AsyncIterator[Connection]:
        """A connection kept for group commits.

        As with `connection`: a caller that holds one must not ask for a second.
        """
        if not self._is_open or self._is_closed:
            await self.open()
        with errors_as_ours():
            async with self._writers.one() as connection:
                yield connection

    async def settings(self) -> dict[str, str]:
        """What the server says about its durability."""
        async with self.connection() as connection:
            return {name: await connection.fetchval(f"SHOW {name}") for name in (*DURABLE, "synchronous_commit")}

    async def close(self) -> None:
        """Let go of all connections; one that is in use is let go of by its user."""
        if self._is_closed:
            return
        self._is_closed = True
        await self._writers.close()
        await self._readers.close()

    async def _connect(self, **settings: str) -> Connection:
        return await asyncpg.connect(
            self._url,
            command_timeout=self._command_seconds,
            timeout=10.0,
            server_settings={**SETTINGS, **settings},
        )


class _Connections:
    """Connections that are used one after the other, so many at once at most; one that failed is not used again.

    The driver's own pool makes two tasks for every use, which costs as much as a statement does.
    """

    def __init__(self, connect: Callable[[], Awaitable[Connection]], most: int, patience_seconds: float) -> None:
        self._connect = connect
        self._patience_seconds = patience_seconds
        self._places = asyncio.Semaphore(most)
        self._free: list[Connection] = []
        self._is_closed = False

    @asynccontextmanager
    async def one(self) -> AsyncIterator[Connection]:
        """One that no one else uses."""
        if self._places.locked():
            async with asyncio.timeout(self._patience_seconds):
                await self._places.acquire()
        else:
            await self._places.acquire()
        try:
            connection = await self._next()
            is_sound = False
            try:
                yield connection
                is_sound = True
            except Exception as error:
                is_sound = not is_passing(error)  # it was refused something; the connection is as good as before
                raise
            finally:
                if not connection.is_closed():  # of a closed one the driver cannot say whether it is in a transaction
                    if is_sound and not self._is_closed and not connection.is_in_transaction():
                        self._free.append(connection)
                    else:
                        connection.terminate()
        finally:
            self._places.release()

    async def close(self) -> None:
        """Let go of those that are free, in good order unless this is cut off."""
        self._is_closed = True
        try:
            for connection in self._free:
                await _within_bounds(connection.close(timeout=5))
        finally:
            for connection in self._free:
                if not connection.is_closed():
                    connection.terminate()
            self._free.clear()

    async def _next(self) -> Connection:
        while self._free:
            connection = self._free.pop()
            if not connection.is_closed():  # as after a restart of the server
                return connection
        return await self._connect()


async def _check_schema(connection: Connection) -> None:
    exists = await connection.fetchval("SELECT to_regclass('alembic_version')")
    row = await connection.fetchrow("SELECT * FROM alembic_version") if exists else None
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
