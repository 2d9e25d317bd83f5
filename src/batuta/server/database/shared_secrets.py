"""Secrets that the processes of a platform share: made up by whichever asks first, kept in the database."""

import secrets

import sqlalchemy as sa

from batuta.server.database.engines import Database
from batuta.server.database.tables import shared_secrets
from batuta.server.database.upserts import insert_missing

SECRET_BYTES = 32


async def shared_secret(database: Database, name: str) -> bytes:
    """The secret of this name; the same in every process. The database acts for the system."""
    made_up = secrets.token_hex(SECRET_BYTES)

    def keep(connection: sa.Connection) -> str:
        insert_missing(connection, shared_secrets, [{"name": name, "value": made_up}])
        query = sa.select(shared_secrets.c.value).where(shared_secrets.c.name == name)
        return str(connection.execute(query).scalar_one())

    return bytes.fromhex(await database.write(keep))
