"""The platform's rows in PostgreSQL, each query and transaction under row-level security for its principal."""

from typing import Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from batuta.server.database.engines import Query, errors_as_ours
from batuta.server.database.principal import Principal, current_principal, declare

T = TypeVar("T")

POOL_SIZE = 8
_PRINCIPAL = "principal"
COMMAND_SECONDS = 30.0
"""How long an answer of PostgreSQL is waited for."""


class PostgresPlatformDatabase:
    """A `Database` in PostgreSQL."""

    def __init__(self, url: str, *, command_seconds: float | None = COMMAND_SECONDS) -> None:
        address = sa.make_url(url).set(drivername="postgresql+asyncpg")
        self.engine = create_async_engine(
            address,
            pool_size=POOL_SIZE,
            max_overflow=0,
            pool_timeout=10,
            connect_args={"command_timeout": command_seconds, "timeout": 10.0},
        )
        # A read of one statement then is one exchange with the server, not three: nothing begins and nothing ends.
        self._reading = self.engine.execution_options(isolation_level="AUTOCOMMIT")

    async def read(self, query: Query[T]) -> T:
        """See `Database.read`."""
        run = _reading_as(current_principal(), query)
        with errors_as_ours():
            try:
                return await self._read(run)
            except sa.exc.DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            return await self._read(run)  # a connection that was closed while it was idle; the next one is new

    async def look_up(self, query: Query[T]) -> T:
        """See `Database.look_up`."""
        return await self.read(query)

    async def write(self, change: Query[T]) -> T:
        """See `Database.write`."""
        run = _WritingAs(current_principal(), change)
        with errors_as_ours():
            try:
                return await self._write(run)
            except sa.exc.DBAPIError as error:
                if run.has_begun or not error.connection_invalidated:
                    raise
            return await self._write(run)  # as above: nothing of it had reached the server

    async def close(self) -> None:
        """See `Database.close`."""
        await self.engine.dispose()

    async def _read(self, run: Query[T]) -> T:
        async with self._reading.connect() as connection:
            return await connection.run_sync(run)

    async def _write(self, run: Query[T]) -> T:
        async with self.engine.begin() as connection:
            return await connection.run_sync(run)


def _reading_as(principal: Principal, query: Query[T]) -> Query[T]:
    """The same for a principal. A connection keeps the principal of its last read, and changes it for another one."""

    def run(connection: sa.Connection) -> T:
        if connection.info.get(_PRINCIPAL) != principal:
            connection.info.pop(_PRINCIPAL, None)  # until it is certain, nothing is read as the one before
            declare(connection, principal, is_lasting=True)
            connection.info[_PRINCIPAL] = principal
        return query(connection)

    return run


class _WritingAs(Generic[T]):
    """A change for a principal, whose transaction knows no other; and whether it was begun."""

    def __init__(self, principal: Principal, change: Query[T]) -> None:
        self._principal = principal
        self._change = change
        self.has_begun = False

    def __call__(self, connection: sa.Connection) -> T:
        declare(connection, self._principal)
        self.has_begun = True
        return self._change(connection)
