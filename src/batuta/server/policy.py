"""Who may do what: one table for every route, socket event and job. Nothing happens without a row here.

A row says who is let in (`Access`), what an API key must be allowed (`scope`) and which role is needed. Whose thing
it is is asked of every id in the path or the event, by the same rules (`ownership`): a foreign id is answered like a
missing one. A route without a row does not come up, work of a kind without one is neither queued nor done, and a test
walks the router and the sockets for rows that lead nowhere.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

Scope = str

CHAT: Final = "chat"
READ: Final = "read"
APPROVE: Final = "approve"
METRICS: Final = "metrics"
SCOPES: Final = (READ, CHAT, APPROVE, METRICS)
"""What an API key can be allowed; `read` goes with every other one but `metrics`."""

ADMIN: Final = "admin"
ROLES: Final = ("user", "approver", "analyst", ADMIN)

SCOPE_ROLES: Final = {METRICS: ADMIN}
"""Scopes that only keys of people with a role can have: what they show is not one tenant's alone."""


class Access(Enum):
    """Who is let in."""

    PUBLIC = "public"
    """Every caller."""
    USER = "user"
    """A logged-in user."""
    PERSON = "person"
    """A user logged in in a browser: not a program with a key."""
    OPERATOR = "operator"
    """A probe on this machine, somebody with the role, or any caller if `is_metrics_public` is set."""
    SYSTEM = "system"
    """No caller from outside: work of the platform itself, on behalf of the user it was queued for."""


class Priority(Enum):
    """What a request waits for, where one process does everything."""

    FIRST = "first"
    """Nothing: a person has sent a message and looks at the page."""
    ANY = "any"
    """Nothing, and nothing waits for it."""
    LATER = "later"
    """The messages that are being accepted just now."""


@dataclass(frozen=True, slots=True)
class AccessRule:
    """One row."""

    access: Access
    scope: Scope | None = None
    role: str | None = None
    is_streamed: bool = False
    """The body is bytes that the handler takes as they come, up to `max_upload_bytes`: it is not read before."""
    priority: Priority = Priority.ANY


_PUBLIC = AccessRule(Access.PUBLIC)
_PERSON = AccessRule(Access.PERSON)
_READ = AccessRule(Access.USER, READ)
_CHAT = AccessRule(Access.USER, CHAT)
_MESSAGE = AccessRule(Access.USER, CHAT, priority=Priority.FIRST)
_APPROVE = AccessRule(Access.USER, APPROVE)
_ANNOUNCEMENT = AccessRule(Access.USER, CHAT, priority=Priority.LATER)
_UPLOAD = AccessRule(Access.USER, CHAT, is_streamed=True, priority=Priority.LATER)

ROUTES: dict[str, AccessRule] = {
    "GET /healthz": _PUBLIC,
    "GET /readyz": _PUBLIC,
    "GET /metrics": AccessRule(Access.OPERATOR, METRICS, role=ADMIN),
    "GET /openapi.json": _PUBLIC,
    "GET /{path:path}": _PUBLIC,
    "GET /api/{path:path}": _PUBLIC,
    "GET /api/meta": _PUBLIC,
    # identity
    "POST /api/auth/setup": _PUBLIC,
    "POST /api/auth/login": _PUBLIC,
    "POST /api/auth/demo": _PUBLIC,
    "POST /api/auth/logout": _PUBLIC,
    "GET /api/auth/oidc/{provider_id}/login": _PUBLIC,
    "GET /api/auth/oidc/{provider_id}/callback": _PUBLIC,
    "GET /api/me": _READ,
    # what belongs to a person
    "GET /api/settings": _READ,
    "PATCH /api/settings": _PERSON,
    "GET /api/keys": _PERSON,
    "POST /api/keys": _PERSON,
    "DELETE /api/keys/{key_id}": _PERSON,
    "GET /api/agents": _READ,
    # sessions
    "GET /api/sessions": _READ,
    "POST /api/sessions": _CHAT,
    "GET /api/sessions/{session_id}": _READ,
    "PATCH /api/sessions/{session_id}": _CHAT,
    "DELETE /api/sessions/{session_id}": _CHAT,
    "GET /api/sessions/{session_id}/events": _READ,
    "GET /api/sessions/{session_id}/messages": _READ,
    "GET /api/sessions/{session_id}/export": _READ,
    "GET /api/sessions/{session_id}/usage": _READ,
    "GET /api/sessions/{session_id}/source": _READ,
    "GET /api/sessions/{session_id}/turns/{turn_id}/timeline": _READ,
    "POST /api/sessions/{session_id}/feedback": _CHAT,
    "GET /api/sessions/{session_id}/datasets": _READ,
    "GET /api/sessions/{session_id}/datasets/{dataset_id}": _READ,
    "GET /api/sessions/{session_id}/datasets/{dataset_id}/rows": _READ,
    "GET /api/sessions/{session_id}/datasets/{dataset_id}/file": _READ,
    "GET /api/sessions/{session_id}/datasets/{dataset_id}/chart": _READ,
    "GET /api/sessions/{session_id}/datasets/{dataset_id}/picture": _READ,
    "GET /api/search": _READ,
    # boards
    "GET /api/boards": _READ,
    "POST /api/boards": _CHAT,
    "GET /api/boards/{board_id}": _READ,
    "PATCH /api/boards/{board_id}": _CHAT,
    "DELETE /api/boards/{board_id}": _CHAT,
    "POST /api/boards/{board_id}/pins/{session_id}/{dataset_id}": _CHAT,
    "PATCH /api/boards/{board_id}/tiles/{tile_id}": _CHAT,
    "DELETE /api/boards/{board_id}/tiles/{tile_id}": _CHAT,
    "POST /api/boards/{board_id}/tiles/{tile_id}/refresh": _CHAT,
    # files and jobs
    "GET /api/files": _READ,
    "POST /api/files": _ANNOUNCEMENT,
    "GET /api/files/{file_id}": _READ,
    "PATCH /api/files/{file_id}": _CHAT,
    "DELETE /api/files/{file_id}": _CHAT,
    "HEAD /api/files/{file_id}/upload": _CHAT,
    "PATCH /api/files/{file_id}/upload": _UPLOAD,
    "POST /api/files/{file_id}/process": _CHAT,
    "GET /api/files/{file_id}/content": _READ,
    "GET /api/files/{file_id}/text": _READ,
    "GET /api/documents/search": _READ,
    "GET /api/documents/text": _READ,
    "GET /api/documents/page": _READ,
    "GET /api/jobs": _READ,
    "GET /api/jobs/{job_id}": _READ,
    "POST /api/jobs/{job_id}/cancel": _CHAT,
    "POST /api/jobs/{job_id}/retry": _CHAT,
    # turns
    "POST /api/sessions/{session_id}/messages": _MESSAGE,
    "POST /api/sessions/{session_id}/stop": _CHAT,
    "DELETE /api/sessions/{session_id}/turns/{turn_id}": _CHAT,
    "GET /api/sessions/{session_id}/stream": _READ,
    "GET /api/approvals": _READ,
    "GET /api/approvals/{approval_id}/context": _READ,
    "POST /api/approvals/{approval_id}": _APPROVE,
    "POST /api/agui": _MESSAGE,
    # the ERP
    "GET /api/erp/companies": _READ,
    "GET /api/erp/records/{entity}/{record_key}": _READ,
}
"""By method and path as the router writes it."""

EVENTS: dict[str, AccessRule] = {
    "session:join": _READ,
    "session:leave": _READ,
    "chat:message": _MESSAGE,
    "chat:stop": _CHAT,
    "approval:resolve": _APPROVE,
}
"""By the name a client sends."""

JOBS: dict[str, AccessRule] = {"turn": AccessRule(Access.SYSTEM), "file_index": AccessRule(Access.SYSTEM)}
"""By the kind of work: the platform's queue takes and gives out no other."""

FREE_PARAMETERS: Final = frozenset({"path", "provider_id", "entity", "record_key"})
"""Parts of a path that name nothing that has an owner. Every other one is the id of something that has an owner."""

UNSAFE: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
