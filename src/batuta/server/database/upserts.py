"""Insert rows unless they exist: one statement in both databases, without a race between look and write."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite


def insert_missing(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert those rows whose key is not there yet."""
    values = [dict(row) for row in rows]
    if connection.dialect.name == "postgresql":
        connection.execute(postgresql.insert(table).values(values).on_conflict_do_nothing())
    else:
        connection.execute(sqlite.insert(table).values(values).on_conflict_do_nothing())
