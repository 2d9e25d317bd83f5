"""Platforms to test: embedded on SQLite, distributed on PostgreSQL, both with real sockets."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from batuta.server.config import Settings
from tests.support.platform import Running, running, settings_for


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
