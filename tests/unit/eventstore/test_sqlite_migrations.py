"""Migrations of the embedded store: a file of any earlier version is brought up to what the models say."""

import itertools
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_migrations import FIRST, SqliteMigration, migrations, upgrade
from batuta.kernel.errors import ConfigurationError
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import said, words
from tools.sqlite_ddl import schema

VERSION_1 = Path(__file__).parent / "fixtures" / "version_1.sql"
"""What the program created before there were migrations."""

COLOUR = SqliteMigration(
    id="20270101_colour", after=(FIRST,), script="ALTER TABLE turns ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';"
)
SIZE = SqliteMigration(id="20270102_size", after=(FIRST,), script="ALTER TABLE turns ADD COLUMN size BIGINT;")
BOTH = SqliteMigration(
    id="20260101_both",
    after=("20270101_colour", "20270102_size"),
    script="CREATE INDEX ix_both ON turns (colour, size);",
)


def connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=10)


def shape(connection: sqlite3.Connection) -> dict[str, object]:
    """Tables with their columns, keys and indexes, and triggers: however they came about."""
    found: dict[str, object] = {}
    things = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND name <> 'schema_migrations'"
    for kind, name, sql in connection.execute(things).fetchall():
        is_table = kind == "table"
        found[name] = sorted(connection.execute(f"PRAGMA table_xinfo({name})")) if is_table else " ".join(sql.split())
        if is_table:
            found[f"{name} indexes"] = sorted(row[1:] for row in connection.execute(f"PRAGMA index_list({name})"))
    return found


def notes(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute("SELECT id FROM schema_migrations ORDER BY rowid")]


def test_the_migrations_lead_to_what_the_models_say(tmp_path: Path) -> None:
    """Whoever changes the models writes a migration: `python -m tools.sqlite_ddl` prints what it has to lead to."""
    migrated, declared = connected(tmp_path / "migrated.db"), connected(tmp_path / "declared.db")
    upgrade(migrated, tmp_path)
    declared.executescript(schema())
    assert shape(migrated) == shape(declared)


async def test_a_file_from_before_there_were_migrations_goes_on(tmp_path: Path) -> None:
    """Also with what it holds: the version is kept as it was created then."""
    path, session = tmp_path / "old.db", new_id()
    old = connected(path)
    old.executescript(f"BEGIN;{VERSION_1.read_text()}PRAGMA user_version=1;COMMIT;")
    old.execute("INSERT INTO consumers VALUES ('mine')")
    old.close()
    async with SqliteEventLog(path) as log:
        await log.append(session, [said("hello")])
        assert await words(log, session) == ["hello"]
        assert [lag.last_seq for lag in await log.behind("mine")] == [1]
    fresh = connected(tmp_path / "fresh.db")
    upgrade(fresh, tmp_path)
    assert shape(connected(path)) == shape(fresh)


@pytest.mark.parametrize("newest", migrations(), ids=lambda migration: migration.id)
def test_each_migration_takes_a_file_of_the_version_before_it(newest: SqliteMigration, tmp_path: Path) -> None:
    """With everything else that did not need it applied already."""
    connection = connected(tmp_path / "before.db")
    dependent = {newest.id}
    for migration in migrations():
        dependent |= {migration.id} if dependent & set(migration.after) else set()
    upgrade(connection, tmp_path, [one for one in migrations() if one.id not in dependent])
    assert upgrade(connection, tmp_path)[0] == newest.id
    fresh = connected(tmp_path / "fresh.db")
    upgrade(fresh, tmp_path)
    assert shape(connection) == shape(fresh)


@pytest.mark.parametrize("first", [COLOUR, SIZE], ids=["colour first", "size first"])
def test_two_that_were_written_side_by_side_do_not_collide(first: SqliteMigration, tmp_path: Path) -> None:
    """One program knew only one of them; the next one knows both, whichever was there first."""
    connection = connected(tmp_path / "a.db")
    upgrade(connection, tmp_path, [*migrations(), first])
    other = SIZE if first is COLOUR else COLOUR
    assert upgrade(connection, tmp_path, [*migrations(), COLOUR, SIZE]) == [other.id]
    columns = {row[1] for row in connection.execute("PRAGMA table_info(turns)")}
    assert {"colour", "size"} <= columns


def test_a_row_that_was_there_gets_the_new_column(tmp_path: Path) -> None:
    connection = connected(tmp_path / "a.db")
    upgrade(connection, tmp_path)
    noted = SqliteMigration(
        id="20270103_note", after=(FIRST,), script="ALTER TABLE consumers ADD COLUMN note TEXT NOT NULL DEFAULT 'none';"
    )
    upgrade(connection, tmp_path, [*migrations(), noted])
    assert connection.execute("SELECT name, note FROM consumers").fetchall() == [("read_models", "none")]


def test_what_needs_others_comes_after_them_whatever_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "migrations"
    folder.mkdir()
    for migration in (COLOUR, SIZE, BOTH):
        after = ", ".join(name for name in migration.after if name != FIRST)
        heading = f"-- after: {after}\n" if after else ""
        (folder / f"{migration.id}.sql").write_text(heading + migration.script)
    assert [migration.id for migration in migrations(folder)] == [COLOUR.id, SIZE.id, BOTH.id]


def test_a_migration_that_needs_what_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "20270101_lost.sql").write_text("-- after: 20260101_nowhere\nSELECT 1;")
    with pytest.raises(ConfigurationError, match="20260101_nowhere"):
        migrations(tmp_path)


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    connection = connected(tmp_path / "a.db")
    upgrade(connection, tmp_path)
    before = shape(connection)
    broken = SqliteMigration(
        id="20280101_broken", after=(), script="CREATE TABLE x (y TEXT); INSERT INTO nowhere VALUES (1);"
    )
    with pytest.raises(sqlite3.OperationalError):
        upgrade(connection, tmp_path, [*migrations(), COLOUR, broken])
    assert (shape(connection), notes(connection)) == (before, [FIRST])


def test_a_file_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    connection = connected(tmp_path / "a.db")
    upgrade(connection, tmp_path, [*migrations(), COLOUR])
    with pytest.raises(ConfigurationError, match=r"20270101_colour; update batuta"):
        upgrade(connection, tmp_path)


def test_processes_that_open_a_file_at_once_migrate_it_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connected(path).execute("PRAGMA journal_mode=WAL")

    def opened(_: int) -> list[str]:
        connection = connected(path)
        applied = upgrade(connection, path, [*migrations(), COLOUR])
        connection.close()
        return applied

    with ThreadPoolExecutor(4) as threads:
        applied: Sequence[list[str]] = list(threads.map(opened, range(8)))
    assert sorted(itertools.chain.from_iterable(applied)) == sorted([FIRST, COLOUR.id])


def test_a_file_migrated_while_it_is_being_looked_at_is_not_taken_for_a_newer_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connected(path).execute("PRAGMA journal_mode=WAL")
    reader, statements = connected(path), itertools.count(1)

    def migrate_before_the_second_statement(_: str) -> None:
        if next(statements) == 2:
            upgrade(connected(path), path, [*migrations(), COLOUR])

    reader.set_trace_callback(migrate_before_the_second_statement)
    assert upgrade(reader, path, [*migrations(), COLOUR]) == []
