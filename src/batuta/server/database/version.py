"""Which schema a database has, and which one this program knows: read without the tools that change it.

Beside the revision the version table says which programs may still come (`batuta.eventstore.schema_version`).
"""

from collections.abc import Mapping
from pathlib import Path

import sqlalchemy as sa

from batuta.eventstore.schema_version import OLDEST_COLUMN, SchemaVersion

VERSION_TABLE = "platform_version"
MIGRATIONS = Path(__file__).with_name("migrations")

TAKEN_AWAY: Mapping[str, str] = {}
"""Migrations that take away what an earlier program uses: by revision, the oldest one whose programs do not."""
FIRST_SIDE_BY_SIDE = "0013"
"""The first revision whose programs work on a newer schema; those before refuse every other than their own."""


def latest_version() -> str:
    """The revision of the newest migration: they are numbered, and a file is named by its number."""
    return max(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def oldest_program() -> str:
    """The oldest revision whose programs work on the schema of this one."""
    return max((FIRST_SIDE_BY_SIDE, *TAKEN_AWAY.values()))


def version_of(connection: sa.Connection) -> SchemaVersion | None:
    """What a database says of its schema; None if it has none of our tables."""
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    row = connection.execute(sa.text(f"SELECT * FROM {VERSION_TABLE}")).mappings().first()  # noqa: S608 - a constant
    return None if row is None else SchemaVersion(str(row["version_num"]), row.get(OLDEST_COLUMN))


def is_usable(found: SchemaVersion | None) -> bool:
    """Whether this program can work on a database."""
    return found is not None and found.suits(latest_version())


def note_oldest_program(connection: sa.Connection) -> None:
    """Say in the version table which programs may still come, beside the revision that Alembic wrote there."""
    columns = {column["name"] for column in sa.inspect(connection).get_columns(VERSION_TABLE)}
    if OLDEST_COLUMN not in columns:
        connection.execute(sa.text(f"ALTER TABLE {VERSION_TABLE} ADD COLUMN {OLDEST_COLUMN} TEXT"))
    found = version_of(connection)
    if found is not None and found.oldest_program == oldest_program():
        return
    statement = sa.text(f"UPDATE {VERSION_TABLE} SET {OLDEST_COLUMN} = :oldest")  # noqa: S608 - constants
    connection.execute(statement, {"oldest": oldest_program()})
