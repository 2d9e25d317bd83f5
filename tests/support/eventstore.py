"""Stores for tests: PostgreSQL with the schema of the log in it, emptied for each test."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from batuta.eventstore.migrations import migrate
from batuta.eventstore.models import metadata
from tests.support.servers import PostgresServer
from tests.support.stores import Opener, Store, memory_opener, postgres_opener, redis_opener, sqlite_opener


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


@pytest.fixture(params=["memory", "sqlite", "postgres", "redis"])
def opener(request: pytest.FixtureRequest) -> Opener:
    """Opens the same empty store as often as it is called, of each kind in turn."""
    if request.param == "memory":
        return memory_opener()
    if request.param == "sqlite":
        return sqlite_opener(str(request.getfixturevalue("tmp_path") / "team.db"))
    url = request.getfixturevalue("log_url")
    if request.param == "redis":
        return redis_opener(request.getfixturevalue("redis_url"), url)
    return postgres_opener(url)


@pytest.fixture
async def store(opener: Opener) -> AsyncIterator[Store]:
    """An empty store, of each kind in turn."""
    async with opener() as opened:
        yield opened
