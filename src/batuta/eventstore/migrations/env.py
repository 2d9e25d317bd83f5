"""Runs migrations; Alembic calls it. The functions of the log are written anew after every upgrade."""

import asyncio
from pathlib import Path

from alembic import context
from sqlalchemy import Connection, make_url, pool, text
from sqlalchemy.ext.asyncio import create_async_engine

from batuta.eventstore.models import metadata

FUNCTIONS = Path(__file__).parents[1] / "postgres_functions.sql"
ONE_AT_A_TIME = 0x6261_7475_7461
"""Advisory lock under which processes that start together migrate one after another."""


def run(connection: Connection) -> None:
    """Migrate in one transaction, so that a failure leaves the database as it was."""
    context.configure(connection=connection, target_metadata=metadata, compare_server_default=True)
    with context.begin_transaction():
        connection.execute(text(f"SELECT pg_advisory_xact_lock({ONE_AT_A_TIME})"))
        context.run_migrations()


async def run_online(url: str) -> None:
    """Connect and migrate."""
    engine = create_async_engine(make_url(url).set(drivername="postgresql+asyncpg"), poolclass=pool.NullPool)
    async with engine.connect() as connection:
        await connection.run_sync(run)
        await connection.commit()
        raw = await connection.get_raw_connection()
        await raw.driver_connection.execute(  # type: ignore[union-attr]
            f"BEGIN; SELECT pg_advisory_xact_lock({ONE_AT_A_TIME}); {FUNCTIONS.read_text()} COMMIT;"
        )
    await engine.dispose()


asyncio.run(run_online(context.config.attributes["url"]))
