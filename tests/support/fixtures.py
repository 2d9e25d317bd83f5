"""Fixtures of the real servers. One of each per test process, started by the first test that asks.

A test gets a database, or an emptied Redis, of its own. One that kills or freezes takes a whole server of its own.
"""

import asyncio
from collections.abc import Iterator

import pytest

from batuta.server.database.upgrade import migrate_server
from tests.support.servers import APP_ROLE, PostgresServer, RedisServer


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """PostgreSQL shared by the tests of this process."""
    server = PostgresServer()
    server.start()
    yield server
    server.discard()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """An empty database, gone after the test."""
    postgres_server.ensure_running()
    database = postgres_server.create_database()
    yield postgres_server.url(database)
    postgres_server.ensure_running()
    postgres_server.drop_database(database)


@pytest.fixture
def private_postgres() -> Iterator[PostgresServer]:
    """PostgreSQL of this test alone, to kill and freeze."""
    server = PostgresServer()
    server.start()
    yield server
    server.discard()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """Redis shared by the tests of this process."""
    server = RedisServer()
    server.start()
    yield server
    server.discard()


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    """Redis with nothing in it."""
    redis_server.ensure_running()
    redis_server.flush()
    return redis_server.url()


@pytest.fixture
def private_redis() -> Iterator[RedisServer]:
    """Redis of this test alone, to kill and freeze."""
    server = RedisServer()
    server.start()
    yield server
    server.discard()


@pytest.fixture(scope="session")
def platform_template(postgres_server: PostgresServer) -> str:
    """A database with all tables, to copy."""
    postgres_server.ensure_running()
    name = postgres_server.create_database()
    postgres_server.create_role(APP_ROLE)
    asyncio.run(migrate_server(postgres_server.url(name), grant_to=APP_ROLE))
    return name


@pytest.fixture
def platform_url(postgres_server: PostgresServer, platform_template: str) -> Iterator[str]:
    """A migrated database of this test alone, used by a role that owns nothing: row-level security holds for it."""
    postgres_server.ensure_running()
    name = postgres_server.create_database(platform_template)
    yield postgres_server.url(name, role=APP_ROLE)
    postgres_server.drop_database(name)
