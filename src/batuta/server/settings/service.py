"""Preferences, kept as one JSON object per person: every one has a default, a change touches only what it names."""

import json
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any
from zoneinfo import available_timezones

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field, field_validator

from batuta.server.database.engines import Database
from batuta.server.database.tables import user_settings
from batuta.server.problems import FieldProblem, InvalidProblem
from batuta.server.security.preferences import Language, Preferences, Theme

_OF_USER = sa.select(user_settings.c.content).where(user_settings.c.user_id == sa.bindparam("user", type_=sa.String))


class PreferenceChange(BaseModel):
    """The preferences to change; absent ones stay as they are."""

    model_config = ConfigDict(extra="forbid")

    theme: Theme = "system"
    language: Language = "en"
    default_agent_id: str | None = Field(default=None, max_length=100)
    timezone: str = "UTC"
    enable_thinking: bool = False
    notifications: bool = False
    model: str | None = Field(default=None, max_length=200)
    company: str | None = Field(default=None, max_length=200)

    @field_validator("timezone")
    @classmethod
    def _exists(cls, value: str) -> str:
        if value not in _zones():
            raise ValueError("there is no such time zone; use a name such as Europe/Madrid")
        return value


class UserPreferences:
    """The preferences of all users: a `PreferenceReader` that can change them."""

    def __init__(
        self, database: Database, *, models: Sequence[str] = (), agents: Collection[str] | None = None
    ) -> None:
        self._database = database
        self._models = models
        self._agents = agents

    async def get(self, user_id: str) -> Preferences:
        """See `PreferenceReader.get`. A default agent that left the team counts as unset."""
        found = Preferences(**await self._database.look_up(lambda connection: _load(connection, user_id)))
        if self._agents is None or found.default_agent_id in self._agents:
            return found
        return found.model_copy(update={"default_agent_id": None})

    async def change(self, user_id: str, workspace_id: str, changes: PreferenceChange) -> Preferences:
        """Change some, and return all.

        Raises `InvalidProblem` for a model that is not offered and for an agent that is not in the team.
        """
        chosen = changes.default_agent_id
        if chosen is not None and self._agents is not None and chosen not in self._agents:
            raise InvalidProblem(fields=[FieldProblem(field="default_agent_id", message="there is no such agent")])
        if changes.model is not None and changes.model not in self._models:
            message = (
                f"it is not offered here; choose from {', '.join(self._models)}"
                if self._models
                else "there is no choice"
            )
            raise InvalidProblem(fields=[FieldProblem(field="model", message=message)])
        wanted = changes.model_dump(exclude_unset=True)

        def merge(connection: sa.Connection) -> dict[str, Any]:
            content = {**_load(connection, user_id), **wanted}
            _save(connection, user_id, workspace_id, content)
            return content

        return Preferences(**await self._database.write(merge))


def _load(connection: sa.Connection, user_id: str) -> dict[str, Any]:
    """What a person set; nothing if they never did."""
    stored = connection.execute(_OF_USER, {"user": user_id}).scalar()
    content: dict[str, Any] = json.loads(stored) if stored is not None else {}
    return content


def _save(connection: sa.Connection, user_id: str, workspace_id: str, content: dict[str, Any]) -> None:
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    changed = connection.execute(
        sa.update(user_settings).where(user_settings.c.user_id == user_id).values(content=text)
    )
    if changed.rowcount == 0:
        connection.execute(sa.insert(user_settings).values(user_id=user_id, workspace_id=workspace_id, content=text))


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())
