"""API keys as rows: the secret is kept as its hash."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from batuta.server.database.tables import api_keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """An API key without its secret."""

    key_id: str
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    last_used_at: datetime | None = None


def of_user(connection: sa.Connection, user_id: str) -> Sequence[Key]:
    """The keys of a person, oldest first."""
    query = sa.select(api_keys).where(api_keys.c.user_id == user_id).order_by(api_keys.c.key_id)
    return [
        Key(
            key_id=row.key_id,
            name=row.name,
            scopes=tuple(json.loads(row.scopes)),
            created_at=row.created_at,
            last_used_at=row.last_used_at,
        )
        for row in connection.execute(query)
    ]


def add(connection: sa.Connection, key: Key, user_id: str, workspace_id: str, secret_hash: str) -> None:
    """Keep a new key."""
    connection.execute(
        sa.insert(api_keys).values(
            key_id=key.key_id,
            user_id=user_id,
            workspace_id=workspace_id,
            name=key.name,
            secret_hash=secret_hash,
            scopes=json.dumps(key.scopes),
            created_at=key.created_at,
        )
    )


def remove(connection: sa.Connection, key_id: str) -> bool:
    """A key is worth nothing from now on. Whether there was one."""
    removed = connection.execute(sa.delete(api_keys).where(api_keys.c.key_id == key_id))
    return removed.rowcount > 0
