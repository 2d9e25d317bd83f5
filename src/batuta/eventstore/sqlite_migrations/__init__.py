"""The schema of an SQLite file, migration by migration: a file of any earlier version is brought up to date.

    upgrade(connection, path)     when the file is opened; several processes may do so at once

A migration is a file `DATE_what_it_does.sql` here. Its first lines may say `-- after: ID, ID`: what has to be there
before it. A file of the database keeps which ones it has seen, not how many: two that were written side by side do not
collide, whichever comes first (decision 0048). A migration that has been released is never changed.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

from batuta.kernel.errors import ConfigurationError

FOLDER = Path(__file__).parent
FIRST = "20261115_event_log"
"""The only one that a file may have seen without a note of it: then its `user_version` is 1."""

_AFTER = "-- after:"
_CREATE_NOTES = """
CREATE TABLE IF NOT EXISTS schema_migrations (
  id TEXT NOT NULL PRIMARY KEY,
  applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
)"""
_HAS_NOTES = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteMigration:
    """One step of the schema."""

    id: str
    after: tuple[str, ...]
    script: str


def migrations(folder: Path = FOLDER) -> tuple[SqliteMigration, ...]:
    """All of them, each behind those it needs; side by side, the older one first."""
    found = {path.stem: _read(path) for path in sorted(folder.glob("*.sql"))}
    for migration in found.values():
        if missing := set(migration.after) - found.keys():
            raise ConfigurationError(f"migration {migration.id} comes after {sorted(missing)}, which is not there")
    return tuple(found[name] for name in _in_order(found))


def upgrade(connection: sqlite3.Connection, path: Path, known: Sequence[SqliteMigration] | None = None) -> list[str]:
    """Apply what a file has not seen, in one transaction: all of it or nothing. The ids of what was applied.

    Raises:
        ConfigurationError: the file was written by a newer program.
    """
    known = migrations() if known is None else known
    if _seen(connection, path) == {migration.id for migration in known}:
        return []
    connection.execute("BEGIN IMMEDIATE")
    try:
        applied = _apply(connection, path, known)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return applied


def _apply(connection: sqlite3.Connection, path: Path, known: Sequence[SqliteMigration]) -> list[str]:
    seen = _seen(connection, path)  # again: another process may have been first
    if unknown := seen - {migration.id for migration in known}:
        raise ConfigurationError(
            f"{path} was written by a newer program: it has {', '.join(sorted(unknown))}; update batuta"
        )
    connection.execute(_CREATE_NOTES)
    connection.executemany("INSERT OR IGNORE INTO schema_migrations (id) VALUES (?)", [(name,) for name in seen])
    applied = [migration for migration in known if migration.id not in seen]
    for migration in applied:
        for statement in _statements(migration.script):
            connection.execute(statement)
        connection.execute("INSERT INTO schema_migrations (id) VALUES (?)", (migration.id,))
    # For programs from before there were notes: they know version 1 alone, and refuse a higher one.
    connection.execute(f"PRAGMA user_version={len(known)}")
    return [migration.id for migration in applied]


def _seen(connection: sqlite3.Connection, path: Path) -> set[str]:
    # The version first: it is committed with the notes, so a reader of the new one also finds them.
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if connection.execute(_HAS_NOTES).fetchone() is not None:
        return {row[0] for row in connection.execute("SELECT id FROM schema_migrations")}
    if version > 1:
        raise ConfigurationError(f"{path} has schema {version} and no notes of its migrations: update batuta")
    return {FIRST} if version == 1 else set()


def _read(path: Path) -> SqliteMigration:
    script = path.read_text(encoding="utf-8")
    needed = [line.removeprefix(_AFTER) for line in script.splitlines() if line.startswith(_AFTER)]
    after = tuple(name.strip() for line in needed for name in line.split(","))
    return SqliteMigration(id=path.stem, after=after, script=script)


def _in_order(found: Mapping[str, SqliteMigration]) -> Iterator[str]:
    sorter = TopologicalSorter({name: migration.after for name, migration in found.items()})
    sorter.prepare()
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        yield from ready
        sorter.done(*ready)


def _statements(script: str) -> Iterator[str]:
    """One by one: a script as a whole would end the transaction it is run in. A trigger holds statements of its own."""
    statement = ""
    for piece in script.split(";"):
        statement += f"{piece};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
