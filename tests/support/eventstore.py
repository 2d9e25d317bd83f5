"""Stores for tests: PostgreSQL with the schema of the log in it, emptied for each test."""

import asyncio
from collections.abc import Iterator

import pytest

from batuta.eventstore.migrations import migrate
from batuta.eventstore.models import metadata
from tests.support.servers import PostgresServer


@pytest.fixture(scope="session")
def migrated_database(postgres_server: PostgresServer) -> str:
    """A database with the schema, shared by the tests of this process."""
    postgres_server.ensure_running()
    name = postgres_server.create_database()
    asyncio.run(migrate(postgres_server.url(name)))
    return name


@pytest.fixture
def log_url(postgres_server: PostgresServer, migrated_database: str) -> Iterator[str]:
    """A migrated database with nothing in it."""
    postgres_server.ensure_running()
    yield postgres_server.url(migrated_database)
    empty(postgres_server, migrated_database)


def empty(server: PostgresServer, database: str) -> None:
    """Forget everything, past the triggers that forbid it. Far quicker than a new database."""
    deletes = "".join(f"DELETE FROM {table.name};" for table in metadata.sorted_tables)
    server.execute(
        f"SET session_replication_role = replica; SET synchronous_commit = off; {deletes}"
        "INSERT INTO consumers VALUES ('read_models')",
        database,
    )
