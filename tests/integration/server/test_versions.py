"""Versions side by side: a process of this version runs, restarts and takes over on the schema of the next one.

The next version is this one with a migration more in each of its chains.
"""

import re
import shutil
import sqlite3
from contextlib import closing as closing_now
from pathlib import Path

import asyncpg
import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from batuta.eventstore.models import metadata
from batuta.eventstore.sqlite_migrations import SqliteMigration, migrations, upgrade
from batuta.kernel.errors import ConfigurationError
from batuta.server.backends import migrate
from batuta.server.config import Settings
from batuta.server.database import upgrade as platform_upgrade
from batuta.server.database import version
from batuta.server.database.engines import Database, SqlitePlatformDatabase, SystemDatabase, closing
from batuta.server.database.postgres_engine import PostgresPlatformDatabase
from tests.support.platform import Running, has_ended, running
from tests.support.servers import APP_ROLE, PostgresServer

NEXT = '''"""What the next version adds."""
import sqlalchemy as sa
from alembic import op
revision, down_revision, branch_labels, depends_on = "9000", "{before}", None, None
def upgrade():
    op.add_column("user_sessions", sa.Column("mood", sa.Text(), nullable=True))
    op.add_column("users", sa.Column("nickname", sa.Text(), nullable=True, server_default="none"))
    op.create_table("moods", sa.Column("mood", sa.Text(), primary_key=True))
'''
NEXT_STORE = tuple(f"ALTER TABLE {table.name} ADD COLUMN mood TEXT" for table in metadata.sorted_tables)
ON_SERVERS_ALONE = "shared_state"


async def migrate_to_the_next(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What `batuta migrate` of the next version does, in both chains."""
    folder = tmp_path / "next"
    shutil.copytree(version.MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "9000_next.py").write_text(NEXT.format(before=version.latest_version()))
    with monkeypatch.context() as patched:
        for module in (version, platform_upgrade):
            patched.setattr(module, "MIGRATIONS", folder)
        await migrate(settings)
    if settings.database_url is None:
        script = ";\n".join(statement for statement in (*NEXT_STORE, "") if ON_SERVERS_ALONE not in statement)
        added = SqliteMigration(id="99991231_next", after=(), script=script, is_additive=True)
        with closing_now(sqlite3.connect(settings.database_file, isolation_level=None)) as connection:
            assert upgrade(connection, settings.database_file, [*migrations(), added]) == [added.id]
        return
    server = await asyncpg.connect(settings.database_url.get_secret_value())
    await server.execute(";".join((*NEXT_STORE, "UPDATE alembic_version SET version_num = '9000'")))
    await server.close()


@pytest.fixture
def owned(settings: Settings, postgres_server: PostgresServer) -> Settings:
    """The same place, for the role that migrates."""
    if settings.database_url is None:
        return settings
    name = settings.database_url.get_secret_value().rpartition("/")[2]
    return settings.model_copy(update={"database_url": SecretStr(postgres_server.url(name))})


async def answers(site: Running, email: str) -> None:
    """Somebody logs in, asks, decides, and reads it again."""
    person = await site.person(email)
    session = await person.session()
    told = await person.ask(session, "hello")
    assert [event["type"] for event in told].count("complete") == 1
    turn = await person.say(session, "book Monday")
    approval = await person.pending()
    answer = await person.http.post(f"/api/approvals/{approval['approval_id']}", json={"decision": "approve"})
    assert answer.status_code == 200, answer.text
    await person.until(session, lambda events: has_ended(events, turn["turn_id"]))
    assert site.stage.booked[-1:] == ["Monday"]
    assert (await person.http.get("/readyz")).status_code == 200


async def test_a_process_goes_on_while_and_after_the_next_version_migrates(
    settings: Settings, owned: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Rolling upgrade: processes of both versions share the database until the last old one is replaced."""
    async with running(settings) as site:
        site.stage.gate.set()
        await answers(site, "before@example.com")
        await migrate_to_the_next(owned, monkeypatch, tmp_path)
        await answers(site, "after@example.com")


async def test_after_a_rollback_the_version_before_starts_and_works(
    settings: Settings, owned: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its `batuta migrate`, as start scripts run it, leaves the newer schema as it is."""
    await migrate(owned)
    await migrate_to_the_next(owned, monkeypatch, tmp_path)
    for number in range(2):
        await migrate(owned, grant_to=APP_ROLE if owned.database_url is not None else None)
        async with running(settings) as site:
            site.stage.gate.set()
            await answers(site, f"{number}@example.com")
    async with closing(opened(owned)) as database:
        found = await database.read(version.version_of)
        assert found is not None
        assert found.revision == "9000"


@pytest.mark.parametrize("part", ["platform", "event store"])
async def test_a_schema_that_lacks_what_this_program_uses_is_refused(
    settings: Settings, owned: Settings, part: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The next version but one took something away and said so."""
    await migrate(owned)
    await migrate_to_the_next(owned, monkeypatch, tmp_path)
    await raise_the_floor(owned, part)
    with pytest.raises(ConfigurationError, match="update batuta"):
        async with running(settings):
            pass
    with pytest.raises(ConfigurationError, match="update batuta"):
        await migrate(owned)


async def raise_the_floor(settings: Settings, part: str) -> None:
    statement = f"UPDATE {version.VERSION_TABLE} SET oldest_program = '9000'"
    if part == "event store":
        statement = "UPDATE alembic_version SET oldest_program = '9000'"
        if settings.database_url is None:
            statement = "UPDATE schema_migrations SET is_additive = 0"
    async with closing(opened(settings)) as database:
        await database.write(lambda connection: connection.execute(sa.text(statement)))


def opened(settings: Settings) -> Database:
    if settings.database_url is None:
        return SqlitePlatformDatabase(settings.database_file)
    return SystemDatabase(PostgresPlatformDatabase(settings.database_url.get_secret_value()))


TAKES_AWAY = re.compile(
    r"op\.drop_|op\.rename_|op\.alter_column|op\.create_(unique|check)_constraint|\bDROP\b|\bRENAME\b|SET NOT NULL",
    re.IGNORECASE,
)
OF_THE_BEGINNING = "0013"


def takes_away(script: str) -> bool:
    """Whether a migration changes something that programs of the version before may use."""
    upgraded = script.partition("def downgrade")[0]
    needs_value = re.search(r"add_column\([^\n]*nullable=False(?![^\n]*server_default)", upgraded)
    return bool(TAKES_AWAY.search(upgraded) or needs_value)


def test_a_migration_that_takes_something_away_names_the_programs_that_can_do_without() -> None:
    """Additive first: a column goes in the version after the last one that used it."""
    for path in sorted((version.MIGRATIONS / "versions").glob("[0-9]*.py")):
        revision = path.name.partition("_")[0]
        if revision > OF_THE_BEGINNING and takes_away(path.read_text()):
            assert revision in version.TAKEN_AWAY, f"{path.name} takes something away: add it to TAKEN_AWAY"
    assert all(oldest <= version.latest_version() for oldest in version.TAKEN_AWAY.values())


@pytest.mark.parametrize(
    ("script", "is_additive"),
    [
        ('op.add_column("files", sa.Column("a", sa.Text(), nullable=True))', True),
        ('op.add_column("files", sa.Column("a", sa.Text(), nullable=False, server_default=""))', True),
        ('op.create_table("a")\ndef downgrade():\n    op.drop_table("a")', True),
        ('op.add_column("files", sa.Column("a", sa.Text(), nullable=False))', False),
        ('op.drop_column("files", "a")', False),
        ('op.execute("ALTER TABLE files RENAME a TO b")', False),
    ],
)
def test_what_takes_something_away_is_seen(script: str, is_additive: bool) -> None:
    assert takes_away(script) is not is_additive
