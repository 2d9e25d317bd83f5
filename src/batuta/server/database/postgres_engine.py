"""The platform's rows in PostgreSQL, each transaction under row-level security for its principal."""

from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from batuta.server.database.engines import Query, errors_as_ours
from batuta.server.database.principal import current_principal, declare

T = TypeVar("T")

POOL_SIZE = 8
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


def _declared(query: Query[T]) -> Query[T]:
    """The same for the principal of this task."""
    principal = current_principal()

    def run(connection: sa.Connection) -> T:
        declare(connection, principal)
        return query(connection)

    return run
