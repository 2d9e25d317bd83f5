"""Which schema a database has, and which one this program knows: read without the tools that change it."""

from pathlib import Path

import sqlalchemy as sa

VERSION_TABLE = "platform_version"
MIGRATIONS = Path(__file__).with_name("migrations")


def latest_version() -> str:
    """The revision of the newest migration: they are numbered, and a file is named by its number."""
    return max(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def version_of(connection: sa.Connection) -> str | None:
    """The revision of a database; None if it has none of our tables."""
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    row = connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).first()  # noqa: S608 - a constant
    return None if row is None else str(row[0])
