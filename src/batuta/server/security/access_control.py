"""The gate: authentication, policy and ownership, asked once for every request and every socket event.

credential -> caller (401) -> its key's scope and role (403) -> every id it names (404)
"""

import hashlib
import hmac
import json
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.ids import canonical_id
from batuta.server.database.engines import Database
from batuta.server.database.tables import api_keys, login_sessions, users, workspaces
from batuta.server.policy import METRICS, READ, Access, AccessRule
from batuta.server.problems import ForbiddenProblem, NotFoundProblem, UnauthorizedProblem
from batuta.server.security.ownership import Caller, Credential, is_there
from batuta.server.security.refusals import AccessRefusals

COOKIE = "batuta_session"
KEY_PREFIX = "btk_"
SEEN_EVERY = timedelta(minutes=5)
AT_ONCE = 1_000
"""Credentials looked up by one query."""


class AccessControl:
    """Lets callers in, or says why not."""

    def __init__(
        self, database: Database, refusals: AccessRefusals, *, idle: timedelta, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self._database = database
        self._refusals = refusals
        self._idle = idle
        self._clock = clock

    async def admit(self, rule: AccessRule, secret: str | None, ids: Mapping[str, str]) -> Caller:
        """The caller, if it may do this with all of these.

        Raises `UnauthorizedProblem`, `ForbiddenProblem` or `NotFoundProblem`.
        """
        names = {name: canonical_id(value) for name, value in ids.items()}
        now = self._clock.now()
        credential = credential_of(secret)

        def look(connection: sa.Connection) -> tuple[Caller, bool, bool]:
            caller, seen_at = _caller(connection, credential, now, self._idle)
            self._refusals.remember(caller)
            _check_rule(rule, caller)
            return caller, is_there(connection, caller, names), seen_at is None or now - seen_at > SEEN_EVERY

        caller, is_found, is_due = await self._database.look_up(look)
        if is_due:
            await self._database.write(lambda connection: _mark_seen(connection, credential, now))
        if not is_found:
            raise NotFoundProblem
        return _with_csrf(caller, secret)

    async def check(self, rule: AccessRule, caller: Caller, ids: Mapping[str, str]) -> Caller:
        """Check again a caller who was let in before: what changed meanwhile counts at once."""
        names = {name: canonical_id(value) for name, value in ids.items()}
        now = self._clock.now()

        def look(connection: sa.Connection) -> tuple[Caller, bool]:
            current, _ = _caller(connection, caller.credential, now, self._idle)
            _check_rule(rule, current)
            return current, is_there(connection, current, names)

        current, is_found = await self._database.look_up(look)
        if not is_found:
            raise NotFoundProblem
        return current

    async def still_valid(self, callers: Mapping[str, Caller]) -> frozenset[str]:
        """Which of these (by any name) are still let in with the same roles and scopes."""
        now = self._clock.now()

        def look(connection: sa.Connection) -> frozenset[str]:
            held = {caller.credential for caller in callers.values()}
            current = {credential: caller for credential, (caller, _) in _holders(connection, held, now, self._idle)}
            return frozenset(
                name for name, caller in callers.items() if _is_unchanged(caller, current.get(caller.credential))
            )

        return await self._database.read(look) if callers else frozenset()


def credential_of(secret: str | None) -> Credential:
    """How a secret is looked up. Raises `UnauthorizedProblem` if there is none."""
    credential = shown_credential(secret)
    if credential is None:
        raise UnauthorizedProblem
    return credential


def shown_credential(secret: str | None) -> Credential | None:
    """The same; None if there is none."""
    if not secret or len(secret) > 200:
        return None
    return Credential(kind="key" if secret.startswith(KEY_PREFIX) else "login", digest=digest_of(secret))


def digest_of(secret: str) -> str:
    """A random secret as it is kept: it has too much entropy to be guessed from its hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def csrf_token_of(token: str) -> str:
    """The token that unsafe requests of a login must bring: known only to who knows the login's own."""
    return hmac.new(token.encode("utf-8", "surrogatepass"), b"csrf", "sha256").hexdigest()


def _with_csrf(caller: Caller, secret: str | None) -> Caller:
    if caller.credential.kind == "key" or secret is None:
        return caller
    return Caller(
        user_id=caller.user_id,
        workspace_id=caller.workspace_id,
        email=caller.email,
        name=caller.name,
        roles=caller.roles,
        credential=caller.credential,
        csrf_token=csrf_token_of(secret),
    )


def _caller(
    connection: sa.Connection, credential: Credential, now: datetime, idle: timedelta
) -> tuple[Caller, datetime | None]:
    """Who it is, and when its credential was last noted as used. Raises `UnauthorizedProblem`."""
    for _, found in _holders(connection, {credential}, now, idle):
        return found
    raise UnauthorizedProblem


def _holders(
    connection: sa.Connection, credentials: Collection[Credential], now: datetime, idle: timedelta
) -> Iterator[tuple[Credential, tuple[Caller, datetime | None]]]:
    """Accepted credentials, with their user and when they were last noted as used."""
    logins = [credential.digest for credential in credentials if credential.kind == "login"]
    keys = [credential.digest for credential in credentials if credential.kind == "key"]
    for begin in range(0, len(logins), AT_ONCE):
        asked = {"digests": logins[begin : begin + AT_ONCE], "now": now, "used_after": now - idle}
        for row in connection.execute(_LOGINS, asked):
            credential = Credential(kind="login", digest=row.digest)
            yield credential, (_caller_of(row, credential, None), row.seen_at)
    for begin in range(0, len(keys), AT_ONCE):
        for row in connection.execute(_KEYS, {"digests": keys[begin : begin + AT_ONCE]}):
            credential = Credential(kind="key", digest=row.digest)
            yield credential, (_caller_of(row, credential, _scopes(row.scopes)), row.seen_at)


def _caller_of(row: Any, credential: Credential, scopes: frozenset[str] | None) -> Caller:
    return Caller(
        user_id=row.user_id,
        workspace_id=row.workspace_id,
        email=row.email,
        name=row.name,
        roles=frozenset(json.loads(row.roles)),
        credential=credential,
        scopes=scopes,
    )


_IS_ACTIVE = (
    users.c.is_disabled.is_(False),
    workspaces.c.workspace_id == users.c.workspace_id,
    workspaces.c.closed_at.is_(None),
)
"""Accounts that may log in."""


_LOGINS = sa.select(users, login_sessions.c.seen_at, login_sessions.c.token_hash.label("digest")).where(
    login_sessions.c.token_hash.in_(sa.bindparam("digests", expanding=True)),
    login_sessions.c.ends_at > sa.bindparam("now"),
    login_sessions.c.seen_at > sa.bindparam("used_after"),
    users.c.user_id == login_sessions.c.user_id,
    *_IS_ACTIVE,
)
_KEYS = sa.select(
    users, api_keys.c.scopes, api_keys.c.last_used_at.label("seen_at"), api_keys.c.secret_hash.label("digest")
).where(
    api_keys.c.secret_hash.in_(sa.bindparam("digests", expanding=True)),
    users.c.user_id == api_keys.c.user_id,
    *_IS_ACTIVE,
)
"""Asked with every request: a query that is put together once needs no compiling, and no key to its compiled form."""


def _scopes(stored: str) -> frozenset[str]:
    scopes = frozenset(json.loads(stored))
    return scopes | {READ} if scopes - {METRICS} else scopes


def _check_rule(rule: AccessRule, caller: Caller) -> None:
    if rule.access is Access.PERSON and caller.credential.kind != "login":
        raise ForbiddenProblem("This needs a person who is logged in, not an API key.")
    if not caller.may(rule.scope):
        raise ForbiddenProblem(f"This API key lacks the scope {rule.scope!r}.")
    if rule.role is not None and rule.role not in caller.roles:
        raise ForbiddenProblem(f"This needs the role {rule.role!r}.")


def _is_unchanged(caller: Caller, current: Caller | None) -> bool:
    return current is not None and (current.roles, current.scopes) == (caller.roles, caller.scopes)


def _mark_seen(connection: sa.Connection, credential: Credential, now: datetime) -> None:
    if credential.kind == "login":
        mine = login_sessions.c.token_hash == credential.digest
        connection.execute(sa.update(login_sessions).where(mine).values(seen_at=now))
    else:
        mine = api_keys.c.secret_hash == credential.digest
        connection.execute(sa.update(api_keys).where(mine).values(last_used_at=now))
