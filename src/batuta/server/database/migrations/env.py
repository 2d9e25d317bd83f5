"""Runs migrations on the connection it is given, inside its transaction; Alembic calls it."""

from alembic import context

from batuta.server.database.tables import metadata
from batuta.server.database.version import VERSION_TABLE

connection = context.config.attributes["connection"]
if not connection.in_transaction():
    connection.begin()  # Alembic joins a transaction that has begun; else it commits each migration by itself
context.configure(
    connection=connection,
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transaction_per_migration=False,
)
context.run_migrations()
