"""One source of the schema: what the migrations make and what SQLite gets are what the models say."""

import asyncio
from typing import Any

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, make_url, pool
from sqlalchemy.ext.asyncio import create_async_engine

from batuta.eventstore import migrations
from batuta.eventstore.audit import verify
from batuta.eventstore.migrations import configuration, migrate
from batuta.eventstore.models import metadata
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_audit import PostgresAudit
from batuta.eventstore.postgres_database import SCHEMA_REVISION
from batuta.eventstore.readmodels import READ_MODELS
from batuta.kernel.errors import SequenceConflictError
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import said, words


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


def test_the_program_asks_for_the_newest_revision() -> None:
    scripts = ScriptDirectory.from_config(configuration("postgresql://nowhere"))
    assert scripts.get_current_head() == SCHEMA_REVISION == migrations.HEAD_REVISION


def test_every_read_model_has_a_table() -> None:
    assert set(READ_MODELS) <= set(metadata.tables)


async def test_migrating_twice_and_at_once_is_harmless(postgres_url: str) -> None:
    await asyncio.gather(migrate(postgres_url), migrate(postgres_url))
    await migrate(postgres_url)
    assert await differences(postgres_url) == []


PARTITIONED = """
ALTER TABLE message_events RENAME TO whole_events;
CREATE TABLE message_events (LIKE whole_events INCLUDING DEFAULTS, PRIMARY KEY (session_id, seq))
  PARTITION BY HASH (session_id);
CREATE TABLE events_0 PARTITION OF message_events FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE events_1 PARTITION OF message_events FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE INDEX events_by_id ON message_events (event_id);
CREATE TRIGGER message_events_only_lose_content BEFORE UPDATE OR DELETE ON message_events
  FOR EACH ROW EXECUTE FUNCTION batuta_guard_events();
INSERT INTO message_events SELECT * FROM whole_events;
DROP TABLE whole_events CASCADE"""


async def test_the_log_works_on_partitions_by_session(postgres_url: str) -> None:
    """What is in it moves, and everything goes on without a change of the program."""
    await migrate(postgres_url)
    sessions, batch = [new_id() for _ in range(8)], [said("a"), said("b")]
    async with PostgresEventLog(postgres_url) as before:
        await before.append(sessions[0], batch)
    connection = await asyncpg.connect(postgres_url)
    await connection.execute(PARTITIONED)
    async with PostgresEventLog(postgres_url, on_alarm=lambda alarm: None) as log:
        assert (await log.append(sessions[0], batch)).first_seq == 1
        await asyncio.gather(*(log.append(session, [said("c")], client_key="m") for session in sessions))
        with pytest.raises(SequenceConflictError):
            await log.append(sessions[1], batch)
        assert await words(log, sessions[0]) == ["a", "b", "c"]
        audit = PostgresAudit(log)
        assert [found.is_sound async for found in verify(log, audit)] == [True] * 8
    counts = [await connection.fetchval(f"SELECT count(*) FROM events_{number}") for number in range(2)]
    assert sum(counts) == 10
    assert min(counts) > 0
    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="append-only"):
        await connection.execute("DELETE FROM message_events")
    await connection.close()
