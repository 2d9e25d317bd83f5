"""Platforms to test: embedded on SQLite, distributed on PostgreSQL, both with real sockets."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from batuta.server.config import Settings
from batuta.server.database.upgrade import migrate_server
from tests.support.platform import Running, running, settings_for
from tests.support.servers import APP_ROLE, PostgresServer


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


@pytest.fixture(params=["embedded", "distributed"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """The settings of each mode in turn."""
    if request.param == "embedded":
        return settings_for(tmp_path)
    return settings_for(tmp_path, database_url=request.getfixturevalue("platform_url"))


@pytest.fixture
async def site(settings: Settings) -> AsyncIterator[Running]:
    """A platform of each mode in turn."""
    async with running(settings) as found:
        yield found


@pytest.fixture
async def embedded(tmp_path: Path) -> AsyncIterator[Running]:
    """A platform on SQLite, where the mode makes no difference."""
    async with running(settings_for(tmp_path)) as found:
        yield found


@pytest.fixture
async def distributed(platform_url: str, tmp_path: Path) -> AsyncIterator[Running]:
    """A platform on PostgreSQL, where only that one is meant."""
    async with running(settings_for(tmp_path, database_url=platform_url)) as found:
        yield found
