"""The tables: one source, migrations that say the same, both databases alike (S, P-3)."""

import asyncio
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from batuta.kernel.errors import ConfigurationError, StoreUnavailableError
from batuta.server.backends import migrate
from batuta.server.config import Settings
from batuta.server.database import upgrade
from batuta.server.database.engines import Database, SqlitePlatformDatabase, SystemDatabase, closing
from batuta.server.database.postgres_engine import PostgresPlatformDatabase
from batuta.server.database.principal import SYSTEM, acting_as
from batuta.server.database.tables import metadata, workspaces
from batuta.server.database.version import VERSION_TABLE, version_of
from batuta.server.wiring import open_platform
from tests.support.platform import Stage, settings_for
from tests.support.servers import PostgresServer

MIGRATE = """
import asyncio, os
from batuta.server.config import load_settings
from batuta.server.backends import migrate
asyncio.run(migrate(load_settings(os.environ)))
"""
MOMENT = datetime(2026, 3, 1, 12, 30, 0, 5, tzinfo=UTC)


@pytest.fixture(params=["embedded", "distributed"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """The settings of each mode in turn; the role is the owner of the tables, who migrates."""
    if request.param == "embedded":
        return settings_for(tmp_path)
    return settings_for(tmp_path, database_url=request.getfixturevalue("postgres_url"))


def opened(settings: Settings) -> Database:
    if settings.database_url is None:
        return SqlitePlatformDatabase(settings.database_file)
    return SystemDatabase(PostgresPlatformDatabase(settings.database_url.get_secret_value()))


def differences(connection: sa.Connection) -> list[object]:
    options = {"version_table": VERSION_TABLE, "include_name": _is_ours, "compare_server_default": False}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


def _is_ours(name: str | None, kind: str, parents: object) -> bool:
    return kind != "table" or name in metadata.tables


async def test_migrations_make_exactly_the_tables_of_the_models(settings: Settings) -> None:
    await migrate(settings)
    async with closing(opened(settings)) as database:
        assert await database.read(differences) == []


async def test_migrating_again_and_at_once_is_harmless(settings: Settings) -> None:
    """Several processes start together."""
    url = settings.database_url
    environ = {"BATUTA_DATA_DIR": str(settings.data_dir)}
    environ |= {} if url is None else {"BATUTA_DATABASE_URL": url.get_secret_value()}
    command = (sys.executable, "-c", MIGRATE)
    started = [
        await asyncio.create_subprocess_exec(*command, env={**os.environ, "PYTHONPATH": "src", **environ})
        for _ in range(2)
    ]
    async with asyncio.timeout(110):
        assert [await process.wait() for process in started] == [0, 0]
    await migrate(settings)
    async with closing(opened(settings)) as database:
        assert await database.read(differences) == []


async def test_a_migration_that_fails_leaves_the_tables_as_they_were(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several are one change, so two processes never see half of each other's work."""
    upgrade_all = upgrade._upgrade

    def fail_at_the_end(connection: sa.Connection) -> None:
        upgrade_all(connection)
        raise RuntimeError("the last migration failed")

    monkeypatch.setattr(upgrade, "_upgrade", fail_at_the_end)
    with pytest.raises(RuntimeError, match="last migration"):
        await migrate(settings)
    async with closing(opened(settings)) as database:
        assert await database.read(version_of) is None


async def test_a_server_without_tables_says_what_to_do(postgres_url: str, tmp_path: Path) -> None:
    """P-3: in distributed mode an operator migrates."""
    with pytest.raises(ConfigurationError, match="migrate"):
        async with open_platform(settings_for(tmp_path, database_url=postgres_url), Stage().team()):
            pass


async def test_a_write_is_kept_whole_or_not_at_all(settings: Settings) -> None:
    await migrate(settings)

    def half(connection: sa.Connection) -> None:
        connection.execute(sa.insert(workspaces).values(workspace_id="W", name="W", created_at=MOMENT))
        raise RuntimeError("half-way")

    async with closing(opened(settings)) as database:
        with pytest.raises(RuntimeError, match="half-way"):
            await database.write(half)
        assert await database.read(lambda connection: connection.execute(sa.select(workspaces)).all()) == []


async def test_a_time_comes_back_as_it_was_given(settings: Settings) -> None:
    await migrate(settings)
    row = {"workspace_id": "W", "name": "W", "created_at": MOMENT}
    async with closing(opened(settings)) as database:
        await database.write(lambda connection: connection.execute(sa.insert(workspaces).values(row)))
        kept = await database.read(lambda connection: connection.execute(sa.select(workspaces.c.created_at)).scalar())
    assert (kept, kept and kept.tzinfo) == (MOMENT, UTC)


async def test_concurrent_writers_wait_for_one_another(settings: Settings) -> None:
    """A counter that is read and written in one transaction loses nothing."""
    await migrate(settings)

    def count(connection: sa.Connection) -> None:
        connection.execute(
            sa.update(workspaces).values(name=sa.cast(sa.cast(workspaces.c.name, sa.Integer) + 1, sa.Text))
        )

    async with closing(opened(settings)) as database:
        row = {"workspace_id": "W", "name": "0", "created_at": MOMENT}
        await database.write(lambda connection: connection.execute(sa.insert(workspaces).values(row)))
        await asyncio.gather(*(database.write(count) for _ in range(20)))
        assert await database.read(lambda c: c.execute(sa.select(workspaces.c.name)).scalar()) == "20"


async def test_an_absent_server_is_unavailable_and_its_address_stays_secret() -> None:
    async with closing(PostgresPlatformDatabase("postgresql://batuta:hunter2@127.0.0.1:9/none")) as database:
        with pytest.raises(StoreUnavailableError) as caught:
            await database.read(lambda connection: connection.execute(sa.select(1)).scalar())
    assert "hunter2" not in str(caught.value)


async def test_a_server_that_never_answers_is_waited_for_no_longer_than_allowed(
    private_postgres: PostgresServer,
) -> None:
    async with closing(PostgresPlatformDatabase(private_postgres.url(), command_seconds=0.5)) as database:
        with acting_as(SYSTEM):
            assert await database.read(lambda connection: connection.execute(sa.text("SELECT 1")).scalar()) == 1
            private_postgres.pause()
            async with asyncio.timeout(60):
                with pytest.raises(StoreUnavailableError):
                    await database.read(lambda connection: connection.execute(sa.text("SELECT 1")).scalar())
            private_postgres.resume()
            assert await database.read(lambda connection: connection.execute(sa.text("SELECT 1")).scalar()) == 1
