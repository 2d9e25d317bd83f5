"""Fixtures of the real servers. One of each per test process, started by the first test that asks.

A test gets a database, or an emptied Redis, of its own. One that kills or freezes takes a whole server of its own.
"""

from collections.abc import Iterator

import pytest

from tests.support.servers import PostgresServer, RedisServer


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
