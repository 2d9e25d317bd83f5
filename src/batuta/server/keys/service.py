"""API keys: made once, shown once, revoked at once."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.ids import new_id
from batuta.server.database.engines import Database
from batuta.server.keys import repository
from batuta.server.keys.repository import Key
from batuta.server.policy import APPROVE, CHAT, READ, SCOPE_ROLES
from batuta.server.problems import ConflictProblem, ForbiddenProblem
from batuta.server.security.access_control import KEY_PREFIX, digest_of
from batuta.server.security.account_trail import PROGRAM, AccountActor, AccountChange, record
from batuta.server.security.ownership import Caller

DEFAULT_SCOPES = (READ, CHAT, APPROVE)
MOST_KEYS = 50


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key and its secret, which cannot be read again."""

    key: Key
    secret: str = field(repr=False)


class ApiKeys:
    """The API keys of all users."""

    def __init__(self, database: Database, *, clock: Clock = SYSTEM_CLOCK) -> None:
        self._database = database
        self._clock = clock

    async def for_caller(self, caller: Caller) -> Sequence[Key]:
        """The caller's keys."""
        return await self._database.read(lambda connection: repository.of_user(connection, caller.user_id))

    async def create(self, caller: Caller, name: str, scopes: Sequence[str], *, origin: str = PROGRAM.origin) -> NewKey:
        """A new key for the caller; without scopes it may do what a user does."""
        secret = KEY_PREFIX + secrets.token_urlsafe(32)
        allowed = tuple(scopes) or DEFAULT_SCOPES
        for scope in allowed:
            if SCOPE_ROLES.get(scope, "user") not in {"user", *caller.roles}:
                raise ForbiddenProblem(f"A key with the scope {scope!r} needs the role {SCOPE_ROLES[scope]!r}.")
        key = Key(key_id=new_id(), name=name, scopes=allowed, created_at=self._clock.now())

        def add(connection: sa.Connection) -> None:
            if len(repository.of_user(connection, caller.user_id)) >= MOST_KEYS:
                raise ConflictProblem(f"You have {MOST_KEYS} keys already; delete one first.", code="TOO_MANY_KEYS")
            repository.add(connection, key, caller.user_id, caller.workspace_id, digest_of(secret))
            self._record(connection, "key.created", caller, origin, key_id=key.key_id, scopes=sorted(allowed))

        await self._database.write(add)
        return NewKey(key, secret)

    async def revoke(self, caller: Caller, key_id: str, *, origin: str = PROGRAM.origin) -> None:
        """End a key of the caller's."""

        def end(connection: sa.Connection) -> None:
            if repository.remove(connection, key_id):
                self._record(connection, "key.revoked", caller, origin, key_id=key_id)

        await self._database.write(end)

    def _record(self, connection: sa.Connection, action: str, caller: Caller, origin: str, **details: object) -> None:
        change = AccountChange(
            action=action,
            user_id=caller.user_id,
            workspace_id=caller.workspace_id,
            by=AccountActor(origin=origin),
            details={**details, "credential": caller.credential.kind},
        )
        record(connection, change, self._clock.now())
