"""Runs migrations; Alembic calls it. The functions of the log are written anew after every upgrade."""

import asyncio
from pathlib import Path

from alembic import context
from sqlalchemy import Connection, inspect, make_url, pool, text
from sqlalchemy.ext.asyncio import create_async_engine

from batuta.eventstore.models import metadata
from batuta.eventstore.postgres_database import OLDEST_PROGRAM, SCHEMA_REVISION
from batuta.eventstore.schema_version import OLDEST_COLUMN, SchemaVersion
from batuta.kernel.errors import ConfigurationError

FUNCTIONS = Path(__file__).parents[1] / "postgres_functions.sql"
ONE_AT_A_TIME = 0x6261_7475_7461
"""Advisory lock under which processes that start together migrate one after another."""


def run(connection: Connection) -> bool:
    """Migrate in one transaction, so that a failure leaves the database as it was.

    Says whether the tables are those of this program: a newer schema that it can work on is left as it is.
    """
    context.configure(connection=connection, target_metadata=metadata, compare_server_default=True)
    with context.begin_transaction():
        connection.execute(text(f"SELECT pg_advisory_xact_lock({ONE_AT_A_TIME})"))
        if (found := _version_of(connection)) is not None and found.is_newer_than(SCHEMA_REVISION):
            if not found.suits(SCHEMA_REVISION):
                raise ConfigurationError(f"the database has the tables of version {found.revision}: update batuta")
            return False
        context.run_migrations()
        connection.execute(text(f"ALTER TABLE alembic_version ADD COLUMN IF NOT EXISTS {OLDEST_COLUMN} TEXT"))
        connection.execute(text(f"UPDATE alembic_version SET {OLDEST_COLUMN} = '{OLDEST_PROGRAM}'"))  # noqa: S608
    return True


def _version_of(connection: Connection) -> SchemaVersion | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    row = connection.execute(text("SELECT * FROM alembic_version")).mappings().first()
    return None if row is None else SchemaVersion(row["version_num"], row.get(OLDEST_COLUMN))


async def run_online(url: str) -> None:
    """Connect and migrate."""
    engine = create_async_engine(make_url(url).set(drivername="postgresql+asyncpg"), poolclass=pool.NullPool)
    async with engine.connect() as connection:
        is_ours = await connection.run_sync(run)
        await connection.commit()
        if is_ours:
            raw = await connection.get_raw_connection()
            await raw.driver_connection.execute(  # type: ignore[union-attr]
                f"BEGIN; SELECT pg_advisory_xact_lock({ONE_AT_A_TIME}); {FUNCTIONS.read_text()} COMMIT;"
            )
    await engine.dispose()


asyncio.run(run_online(context.config.attributes["url"]))
