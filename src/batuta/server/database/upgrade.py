"""Brings a database up to the schema of this version, and lets the role of the platform use it.

await migrate_server(url, grant_to="batuta_app")      PostgreSQL: the event store's tables, then the platform's
await migrate_file(path)                               embedded: the platform's tables of a SQLite file
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from batuta.eventstore.migrations import migrate as migrate_event_store
from batuta.eventstore.postgres_database import reach
from batuta.kernel.errors import ConfigurationError
from batuta.server.database.engines import Database, SqlitePlatformDatabase, errors_as_ours
from batuta.server.database.postgres_engine import PostgresPlatformDatabase
from batuta.server.database.principal import SYSTEM, acting_as
from batuta.server.database.version import MIGRATIONS, is_usable, latest_version, note_oldest_program, version_of


async def migrate_file(path: Path) -> None:
    """Bring the platform's tables of a file up to date. The event store does so for its own when it opens the file."""
    database = SqlitePlatformDatabase(path)
    try:
        await database.write(_upgrade)
    finally:
        await database.close()


async def migrate_server(url: str, *, grant_to: str | None = None) -> None:
    """Bring a PostgreSQL database up to date: the event store's tables, then the platform's.

    If a role is named, it may then do what the platform does, and no more.
    """
    await reach(url)
    database = PostgresPlatformDatabase(url, command_seconds=None)  # a migration waits for as long as it takes
    try:
        async with _alone(database):
            await migrate_event_store(url)
            with acting_as(SYSTEM):
                await database.write(_upgrade)
                if grant_to is not None:
                    await database.write(lambda connection: _grant(connection, grant_to))
    finally:
        await database.close()


async def require_migrated(database: Database) -> None:
    """Raise `ConfigurationError` unless this program can work on the platform's tables."""
    found = await database.read(version_of)
    if is_usable(found):
        return
    if found is not None and found.is_newer_than(latest_version()):
        raise ConfigurationError(_too_new(found.revision))
    raise ConfigurationError("the database lacks the platform's tables of this version: run `batuta migrate`")


def migration_settings(connection: sa.Connection) -> Config:
    """Alembic's configuration for an open connection."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: sa.Connection) -> None:
    """Bring the tables up to date. A newer schema that this program can work on is left as it is."""
    found = version_of(connection)
    if found is not None and found.is_newer_than(latest_version()):
        if not is_usable(found):
            raise ConfigurationError(_too_new(found.revision))
        return
    command.upgrade(migration_settings(connection), "head")
    note_oldest_program(connection)


def _too_new(revision: str) -> str:
    return (
        f"the database has the platform's tables of version {revision}, and this program works with those up to "
        f"{latest_version()}: update batuta"
    )


@asynccontextmanager
async def _alone(database: PostgresPlatformDatabase) -> AsyncIterator[None]:
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
