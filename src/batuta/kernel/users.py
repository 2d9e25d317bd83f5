"""On whose behalf something runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUser:
    """The person on whose behalf an agent acts."""

    id: str | None = None
    roles: frozenset[str] = frozenset()


ANONYMOUS_USER = ToolUser()
"""An anonymous user: holds no role."""

TIME_ZONE_SERVICE = "timezone"
"""The name under which a run may say the user's time zone."""
LANGUAGE_SERVICE = "language"
"""The name under which a run may say the language that the user reads."""

OWN_TABLES_SERVICE = "own_tables"
"""The tables that a person brought to a conversation; as a text, their outlines (see `batuta.datasets.outlines`)."""
OWN_DOCUMENTS_SERVICE = "own_documents"
"""The words of a message that one passage of the person's own documents has; as a text, with blanks between them."""
ATTACHED_TABLES_SERVICE = "attached_tables"
"""The files with tables that came with a message; as a text, their outline (see `batuta.datasets.attached`)."""
