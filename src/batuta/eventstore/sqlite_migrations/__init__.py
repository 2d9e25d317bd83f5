"""The schema of an SQLite file, migration by migration: a file of any earlier version is brought up to date.

    upgrade(connection, path)     when the file is opened; several processes may do so at once

A migration is a file `DATE_what_it_does.sql` here. Its first lines may say `-- after: ID, ID`: what has to be there
before it, and `-- additive`: programs that do not know it work on as before (decision 0133). A file of the database
keeps which ones it has seen, not how many: two that were written side by side do not collide, whichever comes first
(decision 0048). A migration that has been released is never changed.
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

_AFTER, _ADDITIVE = "-- after:", "-- additive"
_CREATE_NOTES = """
CREATE TABLE IF NOT EXISTS schema_migrations (
  id TEXT NOT NULL PRIMARY KEY,
  applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  is_additive INTEGER NOT NULL DEFAULT 0
)"""
_ADD_KIND = "ALTER TABLE schema_migrations ADD COLUMN is_additive INTEGER NOT NULL DEFAULT 0"
_HAS_NOTES = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteMigration:
    """One step of the schema."""

    id: str
    after: tuple[str, ...]
    script: str
    is_additive: bool = False
    """Whether programs that do not know it work on as before."""


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
        ConfigurationError: a newer program has taken something away from the file.
    """
    known = migrations() if known is None else known
    seen = _seen(connection, path)
    if seen.keys() == {migration.id for migration in known}:
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
    unknown = seen.keys() - {migration.id for migration in known}
    if breaking := sorted(name for name in unknown if not seen[name]):
        raise ConfigurationError(f"{path} was written by a newer program: it has {', '.join(breaking)}; update batuta")
    applied = [migration for migration in known if migration.id not in seen]
    if not applied:
        return []
    _keep_notes(connection, seen)
    for migration in applied:
        for statement in _statements(migration.script):
            connection.execute(statement)
        note = (migration.id, migration.is_additive)
        connection.execute("INSERT INTO schema_migrations (id, is_additive) VALUES (?, ?)", note)
    # For programs from before there were notes: they know version 1 alone, and refuse a higher one.
    connection.execute(f"PRAGMA user_version={len(seen) + len(applied)}")
    return [migration.id for migration in applied]


def _keep_notes(connection: sqlite3.Connection, seen: Mapping[str, bool]) -> None:
    """Make room for the notes, in files of every age."""
    connection.execute(_CREATE_NOTES)
    if not _has_kinds(connection):
        connection.execute(_ADD_KIND)
    connection.executemany("INSERT OR IGNORE INTO schema_migrations (id) VALUES (?)", [(name,) for name in seen])


def _has_kinds(connection: sqlite3.Connection) -> bool:
    return any(row[1] == "is_additive" for row in connection.execute("PRAGMA table_info(schema_migrations)"))


def _seen(connection: sqlite3.Connection, path: Path) -> dict[str, bool]:
    """The migrations that a file has seen, and whether a program may do without each."""
    # The version first: it is committed with the notes, so a reader of the new one also finds them.
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if connection.execute(_HAS_NOTES).fetchone() is not None:
        kind = "is_additive" if _has_kinds(connection) else "0"
        rows = connection.execute(f"SELECT id, {kind} FROM schema_migrations")  # noqa: S608 - our names
        return {name: bool(is_additive) for name, is_additive in rows}
    if version > 1:
        raise ConfigurationError(f"{path} has schema {version} and no notes of its migrations: update batuta")
    return {FIRST: False} if version == 1 else {}


def _read(path: Path) -> SqliteMigration:
    script = path.read_text(encoding="utf-8")
    needed = [line.removeprefix(_AFTER) for line in script.splitlines() if line.startswith(_AFTER)]
    after = tuple(name.strip() for line in needed for name in line.split(","))
    is_additive = any(line.strip() == _ADDITIVE for line in script.splitlines())
    return SqliteMigration(id=path.stem, after=after, script=script, is_additive=is_additive)


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
