"""What the user of a turn may do at this moment: asked before the turn, while it runs, and before each tool call.

A turn can wait for hours in the queue or for a decision. Meanwhile accounts are disabled, roles taken away, keys
revoked, conversations deleted and workspaces closed; what was true when the message came says nothing about now.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import sqlalchemy as sa

from batuta.events.queue import Lease
from batuta.kernel.approvals import ApprovalDecision
from batuta.kernel.errors import StoreUnavailableError, ToolRefusedError
from batuta.kernel.ids import is_uuid
from batuta.kernel.users import ToolUser
from batuta.orchestration.approvals import SESSION_POLICY
from batuta.server.database.engines import Database
from batuta.server.database.tables import api_keys, user_sessions, users, workspaces
from batuta.server.policy import APPROVE, CHAT
from batuta.server.security.ownership import APPROVER

T = TypeVar("T")
PAUSES_SECONDS = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)
"""More patience than a recorder has with its store: an outage that outlives this has broken the run already, and its
next owner asks again.
"""
KEY_CONTEXT = "api_key"
"""Under which name the context of a turn says which API key brought its message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRights:
    """The rights of one turn, read from the database whenever they are asked for."""

    database: Database
    user_id: str
    session_id: str
    key_digest: str | None = None
    asks_undeclared_writes: bool = True

    @classmethod
    def of(cls, lease: Lease, database: Database) -> "TurnRights":
        """The rights of a leased turn; its database acts for the system."""
        work = lease.work
        return cls(
            database=database,
            user_id=work.user_id or "",
            session_id=work.session_id or "",
            key_digest=work.context.get(KEY_CONTEXT),
        )

    async def loss(self) -> str | None:
        """Why nothing may be done for this turn any more, if so."""
        found = await self.database.look_up(self._current)
        return found if isinstance(found, str) else None

    async def current_user(self, user: ToolUser) -> ToolUser:
        """See `CallGuard.current_user`."""
        found = await _patiently(lambda: self.database.look_up(self._current))
        if isinstance(found, str):
            raise ToolRefusedError(found)
        return ToolUser(id=user.id, roles=found)

    async def check_decision(self, decision: ApprovalDecision, role: str | None) -> None:
        """See `CallGuard.check_decision`. Rules of the program, which have no account, stay as they are."""
        decider = decision.by.removeprefix(SESSION_POLICY)
        if not is_uuid(decider):
            return

        def look(connection: sa.Connection) -> bool:
            is_held = not decision.key_id or _is_approving_key(connection, decision.key_id, decider)
            return is_held and self._may_decide(connection, decider, role)

        if not await _patiently(lambda: self.database.read(look)):
            raise ToolRefusedError("the approver has lost the right to decide about it")

    def _current(self, connection: sa.Connection) -> frozenset[str] | str:
        """The roles the user holds, or why they may do nothing."""
        ids = {"user_id": self.user_id, "session_id": self.session_id, "key_digest": self.key_digest}
        found = connection.execute(_CURRENT, ids).first()
        if found is None:
            return "the account was disabled, deleted, or its workspace closed"
        if not found.has_session:
            return "the conversation was deleted"
        if self.key_digest is not None and (found.scopes is None or CHAT not in json.loads(found.scopes)):
            return "the API key was revoked"
        return frozenset(json.loads(found.roles))

    def _may_decide(self, connection: sa.Connection, decider: str, role: str | None) -> bool:
        account, owner = _account(connection, decider), _account(connection, self.user_id)
        if account is None or owner is None:
            return False
        roles = frozenset(json.loads(account.roles))
        is_near = decider == self.user_id or (APPROVER in roles and account.workspace_id == owner.workspace_id)
        return is_near and (role is None or role in roles)


async def _patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Wait for a database that is away: a call that was not begun must fail of nothing that passes."""
    for seconds in PAUSES_SECONDS:
        try:
            return await ask()
        except StoreUnavailableError:
            await asyncio.sleep(seconds)
    return await ask()


_USER = sa.bindparam("user_id", type_=sa.String)
_IS_ACTIVE = sa.and_(
    users.c.user_id == _USER,
    users.c.is_disabled.is_(False),
    workspaces.c.workspace_id == users.c.workspace_id,
    workspaces.c.closed_at.is_(None),
)
_ACCOUNT = sa.select(users.c.roles, users.c.workspace_id).where(_IS_ACTIVE)
_HAS_SESSION = sa.exists().where(
    user_sessions.c.session_id == sa.bindparam("session_id", type_=sa.String),
    user_sessions.c.user_id == _USER,
    user_sessions.c.deleted_at.is_(None),
)
_SCOPES = sa.select(api_keys.c.scopes).where(
    api_keys.c.secret_hash == sa.bindparam("key_digest", type_=sa.String), api_keys.c.user_id == _USER
)
_CURRENT = sa.select(users.c.roles, _HAS_SESSION.label("has_session"), _SCOPES.scalar_subquery().label("scopes")).where(
    _IS_ACTIVE
)
"""All that a turn's rights depend on, in one question: it is asked before every turn and every tool call."""


def _is_approving_key(connection: sa.Connection, key_id: str, owner: str) -> bool:
    mine = sa.and_(api_keys.c.key_id == key_id, api_keys.c.user_id == owner)
    scopes = connection.execute(sa.select(api_keys.c.scopes).where(mine)).scalar()
    return scopes is not None and APPROVE in json.loads(scopes)


def _account(connection: sa.Connection, user_id: str) -> sa.Row[Any, Any] | None:
    return connection.execute(_ACCOUNT, {"user_id": user_id}).first()
