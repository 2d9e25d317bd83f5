"""The preferences of a user: shown with their identity, kept by the settings."""

from typing import Literal, Protocol

from pydantic import BaseModel

Theme = Literal["light", "dark", "system"]
Language = Literal["en", "es"]


class Preferences(BaseModel):
    """All preferences of a user."""

    theme: Theme = "system"
    language: Language = "en"
    default_agent_id: str | None = None
    timezone: str = "UTC"
    enable_thinking: bool = False
    notifications: bool = False
    """Whether the page, when it is hidden, tells of turns that end or wait for the person."""
    model: str | None = None
    """One of the models that the operator offers; without it, or when it is offered no more, the first of them."""
    company: str | None = None
    """The id of the company of the ERP that questions are about; without it the first that the person may read."""


class PreferenceReader(Protocol):
    """Reads preferences; `server.settings` implements it."""

    async def get(self, user_id: str) -> Preferences:
        """The preferences of a user; defaults for what they never set."""
        ...
