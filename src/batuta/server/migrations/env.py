"""Runs migrations on the connection it is given, inside its transaction; Alembic calls it."""

from alembic import context

from batuta.server.database import VERSION_TABLE
from batuta.server.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transaction_per_migration=False,
)
context.run_migrations()
