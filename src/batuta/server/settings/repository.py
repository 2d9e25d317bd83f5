"""Preferences as rows: one JSON object per person."""

import json
from typing import Any

import sqlalchemy as sa

from batuta.server.database.tables import user_settings

_OF_USER = sa.select(user_settings.c.content).where(user_settings.c.user_id == sa.bindparam("user", type_=sa.String))


def load(connection: sa.Connection, user_id: str) -> dict[str, Any]:
    """What a person set; nothing if they never did."""
    stored = connection.execute(_OF_USER, {"user": user_id}).scalar()
    content: dict[str, Any] = json.loads(stored) if stored is not None else {}
    return content


def save(connection: sa.Connection, user_id: str, workspace_id: str, content: dict[str, Any]) -> None:
    """Keep what a person set."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    changed = connection.execute(
        sa.update(user_settings).where(user_settings.c.user_id == user_id).values(content=text)
    )
    if changed.rowcount == 0:
        connection.execute(sa.insert(user_settings).values(user_id=user_id, workspace_id=workspace_id, content=text))
