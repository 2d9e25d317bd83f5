"""One source of the schema: what the migrations make and what SQLite gets are what the models say."""

import asyncio
from typing import Any

import asyncpg
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, make_url, pool
from sqlalchemy.ext.asyncio import create_async_engine

from batuta.eventstore import migrations
from batuta.eventstore.migrations import configuration, migrate
from batuta.eventstore.models import metadata
from batuta.eventstore.postgres_database import SCHEMA_REVISION
from batuta.eventstore.readmodels import READ_MODELS
from batuta.eventstore.sqlite_database import SCHEMA_FILE
from batuta.eventstore.sqlite_ddl import schema


async def differences(url: str) -> list[Any]:
    def compared(connection: Connection) -> list[Any]:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        return list(compare_metadata(context, metadata))

    engine = create_async_engine(make_url(url).set(drivername="postgresql+asyncpg"), poolclass=pool.NullPool)
    async with engine.connect() as connection:
        found = await connection.run_sync(compared)
    await engine.dispose()
    return found


async def test_migrations_make_what_the_models_say(log_url: str) -> None:
    assert await differences(log_url) == []


async def test_a_missing_column_would_be_seen(postgres_url: str) -> None:
    """The comparison compares."""
    await migrate(postgres_url)

    connection = await asyncpg.connect(postgres_url)
    await connection.execute("ALTER TABLE turns DROP COLUMN wake_at")
    await connection.close()
    assert [change[0] for change in await differences(postgres_url)] == ["add_column"]


def test_the_file_for_sqlite_is_what_the_models_say() -> None:
    """Run `python -m batuta.eventstore.sqlite_ddl` after a change of the models."""
    assert SCHEMA_FILE.read_text() == schema()


def test_the_program_asks_for_the_newest_revision() -> None:
    scripts = ScriptDirectory.from_config(configuration("postgresql://nowhere"))
    assert scripts.get_current_head() == SCHEMA_REVISION == migrations.HEAD_REVISION


def test_every_read_model_has_a_table() -> None:
    assert set(READ_MODELS) <= set(metadata.tables)


async def test_migrating_twice_and_at_once_is_harmless(postgres_url: str) -> None:
    await asyncio.gather(migrate(postgres_url), migrate(postgres_url))
    await migrate(postgres_url)
    assert await differences(postgres_url) == []
