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
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import create_async_engine

from batuta.eventstore.migrations import migrate as migrate_event_store
from batuta.eventstore.postgres_database import reach
from batuta.kernel.errors import ConfigurationError, StoreUnavailableError
from batuta.server.behalf import SYSTEM, acting, current, declare
from batuta.server.words import fold

T = TypeVar("T")
Query = Callable[[sa.Connection], T]

VERSION_TABLE = "platform_version"
MIGRATIONS = Path(__file__).with_name("migrations")
BUSY_SECONDS = 10.0
READERS = 4
POOL_SIZE = 8
COMMAND_SECONDS = 30.0
"""How long anybody waits for an answer of PostgreSQL."""


class Database(Protocol):
    """Runs functions of a connection."""

    async def read(self, query: Query[T]) -> T:
        """Run something that changes nothing."""
        ...

    async def write(self, change: Query[T]) -> T:
        """Run something in a transaction: all of it is kept, or nothing."""
        ...

    async def close(self) -> None:
        """Let go of all connections."""
        ...


class SqliteDatabase:
    """A `Database` in a file: one thread writes, several read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.engine = _sqlite_engine(path)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="batuta-platform-writer")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="batuta-platform-reader")

    async def read(self, query: Query[T]) -> T:
        """See `Database.read`."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._run, query, False)

    async def write(self, change: Query[T]) -> T:
        """See `Database.write`."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._run, change, True)

    async def empty_log(self) -> None:
        """Bring everything into the file, and empty the write-ahead log if nobody reads in it just now."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._empty_log)

    async def close(self) -> None:
        """See `Database.close`."""
        for threads in (self._writer, self._readers):
            await asyncio.to_thread(threads.shutdown)
        self.engine.dispose()

    def _empty_log(self) -> None:
        with errors_as_ours(), closing_now(self.engine.raw_connection()) as connection:
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _run(self, query: Query[T], is_writing: bool) -> T:
        with errors_as_ours(), self.engine.connect().execution_options(is_writing=is_writing) as connection:
            answer = query(connection)
            connection.commit()
            return answer


class PostgresDatabase:
    """A `Database` in PostgreSQL."""

    def __init__(self, url: str, *, command_seconds: float | None = COMMAND_SECONDS) -> None:
        address = sa.make_url(url).set(drivername="postgresql+asyncpg")
        self.engine = create_async_engine(
            address,
            pool_size=POOL_SIZE,
            max_overflow=0,
            pool_timeout=10,
            pool_pre_ping=True,
            connect_args={"command_timeout": command_seconds, "timeout": 10.0},
        )

    async def read(self, query: Query[T]) -> T:
        """See `Database.read`."""
        with errors_as_ours():
            async with self.engine.connect() as connection:
                return await connection.run_sync(_declared(query))

    async def write(self, change: Query[T]) -> T:
        """See `Database.write`."""
        with errors_as_ours():
            async with self.engine.begin() as connection:
                return await connection.run_sync(_declared(change))

    async def close(self) -> None:
        """See `Database.close`."""
        await self.engine.dispose()


class SystemDatabase:
    """A `Database` for the platform's own work: whoever may log in, what belongs to whom, what has grown."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, query: Query[T]) -> T:
        """See `Database.read`."""
        with acting(SYSTEM):
            return await self._database.read(query)

    async def write(self, change: Query[T]) -> T:
        """See `Database.write`."""
        with acting(SYSTEM):
            return await self._database.write(change)

    async def close(self) -> None:
        """See `Database.close`."""
        await self._database.close()


def _declared(query: Query[T]) -> Query[T]:
    """The same for whoever this task acts for."""
    behalf = current()

    def run(connection: sa.Connection) -> T:
        declare(connection, behalf)
        return query(connection)

    return run


@contextmanager
def errors_as_ours() -> Iterator[None]:
    """Turn the want of a database into `StoreUnavailableError`, without what was asked of it."""
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeoutError, OSError) as error:
        raise StoreUnavailableError(f"the database did not do it: {type(error).__name__}") from error
    except DBAPIError as error:
        if error.connection_invalidated:
            raise StoreUnavailableError("the connection to the database was lost") from error
        raise


async def migrate_file(path: Path) -> None:
    """Bring the platform's tables of a file up to date. The event store does so for its own when it opens the file."""
    database = SqliteDatabase(path)
    try:
        await database.write(_upgrade)
    finally:
        await database.close()


async def migrate_server(url: str, *, grant_to: str | None = None) -> None:
    """Bring a PostgreSQL database up to date: the event store's tables, then the platform's.

    If a role is named, it may then do what the platform does, and no more.
    """
    await reach(url)
    database = PostgresDatabase(url, command_seconds=None)  # whoever migrates waits for as long as it takes
    try:
        async with _alone(database):
            await migrate_event_store(url)
            with acting(SYSTEM):
                await database.write(_upgrade)
                if grant_to is not None:
                    await database.write(lambda connection: _grant(connection, grant_to))
    finally:
        await database.close()


async def require_migrated(database: Database) -> None:
    """Raise `ConfigurationError` unless the platform's tables are those of this program."""
    if await database.read(_version) != ScriptDirectory(str(MIGRATIONS)).get_current_head():
        raise ConfigurationError("the database lacks the platform's tables of this version: run `batuta migrate`")


@asynccontextmanager
async def closing(database: Database) -> AsyncIterator[Database]:
    """Close it at the end of the block."""
    try:
        yield database
    finally:
        await database.close()


def migration_settings(connection: sa.Connection) -> Config:
    """Alembic's configuration for an open connection."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _version(connection: sa.Connection) -> str | None:
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    return context.get_current_revision()


def _upgrade(connection: sa.Connection) -> None:
    command.upgrade(migration_settings(connection), "head")


@asynccontextmanager
async def _alone(database: PostgresDatabase) -> AsyncIterator[None]:
    """Hold off other processes that migrate: both parts lock the same tables."""
    with errors_as_ours():
        async with database.engine.connect() as connection:
            await connection.execute(sa.text("SELECT pg_advisory_lock(420042)"))
            try:
                yield
            finally:
                await connection.execute(sa.text("SELECT pg_advisory_unlock(420042)"))


GRANTS = (
    "GRANT USAGE ON SCHEMA public TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role}",
    # The log only grows; what erasure takes away are contents and their salts.
    "REVOKE UPDATE, DELETE ON message_events FROM {role}",
    "GRANT UPDATE (payload, salt) ON message_events TO {role}",
    # So does the trail of accounts; where it stands is moved on, never taken away.
    "REVOKE UPDATE, DELETE ON account_changes FROM {role}",
    "REVOKE INSERT, DELETE ON account_trail FROM {role}",
)
"""What the role of web and worker processes needs; it owns nothing."""


def _grant(connection: sa.Connection, role: str) -> None:
    name = connection.dialect.identifier_preparer.quote_identifier(role)
    for statement in GRANTS:
        connection.execute(sa.text(statement.format(role=name)))


def is_exempt(connection: sa.Connection) -> bool:
    """Whether the role of this connection sees through row-level security."""
    query = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    return connection.dialect.name == "postgresql" and bool(connection.execute(sa.text(query)).scalar())


def _sqlite_engine(path: Path) -> sa.Engine:
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)),
        connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS},
        pool_size=READERS + 1,
        max_overflow=0,
    )
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    # The driver's own transactions begin too late to hold a read and a write together.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
    connection.create_function("batuta_fold", 1, _fold, deterministic=True)


def _fold(text: str | None) -> str | None:
    """What PostgreSQL has as a function of the same name."""
    return None if text is None else fold(text)


def _begin(connection: sa.Connection) -> None:
    # A reader that becomes a writer half-way fails when somebody else wrote; a writer says so at once.
    is_writing = connection.get_execution_options().get("is_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")
