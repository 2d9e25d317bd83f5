"""The platform's own rows, in the database that also holds the log: one SQLite file, or PostgreSQL.

    await database.read(lambda connection: connection.execute(query).all())

Repositories are plain functions of a SQLAlchemy connection. SQLite runs them in threads of its own, PostgreSQL on
asyncpg; they cannot tell the difference. See docs/decisions/0040.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from contextlib import closing as closing_now
from pathlib import Path
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa

from batuta.eventstore.driver_errors import is_passing
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.sqlite import empty_write_ahead_log, prepare, write_lock
from batuta.server.database.principal import SYSTEM, acting_as
from batuta.server.database.words import fold

T = TypeVar("T")
Query = Callable[[sa.Connection], T]

BUSY_SECONDS = 10.0
READERS = 4


class Database(Protocol):
    """Runs functions of a connection."""

    async def read(self, query: Query[T]) -> T:
        """Run something that changes nothing."""
        ...

    async def look_up(self, query: Query[T]) -> T:
        """Read a few rows by their keys: so little that SQLite is asked without a thread."""
        ...

    async def write(self, change: Query[T]) -> T:
        """Run something in a transaction: all of it is kept, or nothing."""
        ...

    async def close(self) -> None:
        """Let go of all connections."""
        ...


class SqlitePlatformDatabase:
    """A `Database` in a file: one thread writes, several read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.engine = _sqlite_engine(path)
        self._write_lock = write_lock(path)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="batuta-platform-writer")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="batuta-platform-reader")
        self._looking: sa.Connection | None = None
        """The connection of the event loop's own thread, which takes no slot of the readers."""

    async def read(self, query: Query[T]) -> T:
        """See `Database.read`."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._run, query, False)

    async def look_up(self, query: Query[T]) -> T:
        """See `Database.look_up`. What fails for the moment, as a locked file does, is left to a thread that waits."""
        connection = self._looking or self._look()
        try:
            return query(connection)
        except Exception as error:
            if not is_passing(error):
                raise
        finally:
            connection.rollback()
        return await self.read(query)

    async def write(self, change: Query[T]) -> T:
        """See `Database.write`."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._write, change)

    async def empty_log(self) -> None:
        """Bring everything into the file, and empty the write-ahead log if it has no reader just now."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._empty_log)

    async def close(self) -> None:
        """See `Database.close`."""
        for threads in (self._writer, self._readers):
            await asyncio.to_thread(threads.shutdown)
        if self._looking is not None:
            self._looking.close()
        self.engine.dispose()

    def _look(self) -> sa.Connection:
        with errors_as_ours():
            self._looking = self.engine.connect().execution_options(is_looking=True)
            self._looking.exec_driver_sql("PRAGMA busy_timeout=0")
        return self._looking

    def _empty_log(self) -> None:
        with self._write_lock, errors_as_ours(), closing_now(self.engine.raw_connection()) as connection:
            assert connection.driver_connection is not None
            empty_write_ahead_log(connection.driver_connection)

    def _write(self, change: Query[T]) -> T:
        with self._write_lock:
            return self._run(change, True)

    def _run(self, query: Query[T], is_writing: bool) -> T:
        with errors_as_ours(), self.engine.connect().execution_options(is_writing=is_writing) as connection:
            answer = query(connection)
            connection.commit()
            return answer


class SystemDatabase:
    """A `Database` for the platform's own work: logins, ownership, projections."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, query: Query[T]) -> T:
        """See `Database.read`."""
        with acting_as(SYSTEM):
            return await self._database.read(query)

    async def look_up(self, query: Query[T]) -> T:
        """See `Database.look_up`."""
        with acting_as(SYSTEM):
            return await self._database.look_up(query)

    async def write(self, change: Query[T]) -> T:
        """See `Database.write`."""
        with acting_as(SYSTEM):
            return await self._database.write(change)

    async def close(self) -> None:
        """See `Database.close`."""
        await self._database.close()


@contextmanager
def errors_as_ours() -> Iterator[None]:
    """Turn the want of a database into `StoreUnavailableError`, without what was asked of it."""
    try:
        yield
    except Exception as error:
        if not is_passing(error):
            raise
        raise StoreUnavailableError(f"the database did not do it: {type(error).__name__}") from error


@asynccontextmanager
async def closing(database: Database) -> AsyncIterator[Database]:
    """Close it at the end of the block."""
    try:
        yield database
    finally:
        await database.close()


def _sqlite_engine(path: Path) -> sa.Engine:
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)),
        connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS},
        pool_size=READERS + 2,  # the writer, and the event loop's own
        max_overflow=0,
    )
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    prepare(connection, timeout_seconds=BUSY_SECONDS)
    connection.create_function("batuta_fold", 1, _fold, deterministic=True)


def _fold(text: str | None) -> str | None:
    """What PostgreSQL has as a function of the same name."""
    return None if text is None else fold(text)


def _begin(connection: sa.Connection) -> None:
    # A reader that becomes a writer half-way fails when another wrote; a writer says so at once.
    options = connection.get_execution_options()
    if not options.get("is_looking"):  # a row found by its key needs no snapshot that others share
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("is_writing") else "BEGIN")
