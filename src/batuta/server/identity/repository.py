"""Users and logins, as rows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa

from batuta.kernel.ids import new_id
from batuta.server.database.tables import (
    account_trail,
    login_sessions,
    oidc_identities,
    oidc_logins,
    setup_tokens,
    users,
    workspaces,
)
from batuta.server.problems import NotFoundProblem
from batuta.server.security.account_trail import AccountActor, AccountChange, record


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person."""

    user_id: str
    workspace_id: str
    email: str
    name: str
    roles: tuple[str, ...]
    is_disabled: bool = False
    password_hash: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingLogin:
    """A login that went to an identity provider and may come back."""

    provider_id: str
    nonce: str = field(repr=False)
    code_verifier: str = field(repr=False)


def has_users(connection: sa.Connection) -> bool:
    """True if there is an account."""
    return connection.execute(sa.select(users.c.user_id).limit(1)).first() is not None


def hold_others_off(connection: sa.Connection) -> None:
    """Lock the accounts until the end of this transaction."""
    connection.execute(sa.select(account_trail).with_for_update())


def add_setup_token(connection: sa.Connection, token_hash: str, now: datetime, ends_at: datetime) -> None:
    """From now on this token creates the owner."""
    connection.execute(sa.delete(setup_tokens).where(setup_tokens.c.ends_at <= now))
    connection.execute(sa.insert(setup_tokens).values(token_hash=token_hash, ends_at=ends_at))


def has_setup_token(connection: sa.Connection, token_hash: str, now: datetime) -> bool:
    """Whether this token creates the owner."""
    query = sa.select(setup_tokens.c.token_hash).where(
        setup_tokens.c.token_hash == token_hash, setup_tokens.c.ends_at > now
    )
    return connection.execute(query).first() is not None


def forget_setup_tokens(connection: sa.Connection) -> None:
    """There is an owner."""
    connection.execute(sa.delete(setup_tokens))


def add_workspace(connection: sa.Connection, name: str, now: datetime) -> str:
    """A new workspace."""
    workspace_id = new_id()
    connection.execute(sa.insert(workspaces).values(workspace_id=workspace_id, name=name, created_at=now))
    return workspace_id


def set_workspace_closed(connection: sa.Connection, workspace_id: str, closed_at: datetime | None) -> None:
    """Lock or unlock all accounts of a workspace."""
    mine = workspaces.c.workspace_id == workspace_id
    if connection.execute(sa.update(workspaces).where(mine).values(closed_at=closed_at)).rowcount == 0:
        raise NotFoundProblem


def any_workspace(connection: sa.Connection) -> str | None:
    """The oldest workspace: the one of the person who set the platform up."""
    query = sa.select(workspaces.c.workspace_id).order_by(workspaces.c.created_at, workspaces.c.workspace_id)
    return connection.execute(query.limit(1)).scalar()


def add_user(connection: sa.Connection, user: User, now: datetime, by: AccountActor) -> User:
    """Keep a new person, and who made the account."""
    connection.execute(
        sa.insert(users).values(
            user_id=user.user_id,
            workspace_id=user.workspace_id,
            email=user.email,
            name=user.name,
            password_hash=user.password_hash,
            roles=json.dumps(sorted(user.roles)),
            created_at=now,
        )
    )
    record(connection, change_of("account.created", user, by, roles=sorted(user.roles)), now)
    return user


def by_id(connection: sa.Connection, user_id: str) -> User:
    """The person with this id. Raises `NotFoundProblem`."""
    found = _user(connection.execute(sa.select(users).where(users.c.user_id == user_id)).first())
    if found is None:
        raise NotFoundProblem
    return found


def by_email(connection: sa.Connection, email: str) -> User | None:
    """The person with this address."""
    return _user(connection.execute(sa.select(users).where(users.c.email == email)).first())


def all_users(connection: sa.Connection) -> Sequence[User]:
    """All accounts, by address."""
    return [user for row in connection.execute(sa.select(users).order_by(users.c.email)) if (user := _user(row))]


def by_identity(connection: sa.Connection, issuer: str, subject: str) -> User | None:
    """The person a provider knows under this subject."""
    query = sa.select(users).where(
        oidc_identities.c.issuer == issuer,
        oidc_identities.c.subject == subject,
        users.c.user_id == oidc_identities.c.user_id,
    )
    return _user(connection.execute(query).first())


def add_identity(
    connection: sa.Connection, user: User, issuer: str, subject: str, now: datetime, by: AccountActor
) -> None:
    """Remember under which subject a provider knows a person: from now on it lets them in."""
    connection.execute(
        sa.insert(oidc_identities).values(
            issuer=issuer, subject=subject, user_id=user.user_id, workspace_id=user.workspace_id, created_at=now
        )
    )
    record(connection, change_of("account.linked", user, by, issuer=issuer), now)


def change_of(action: str, user: User, by: AccountActor, **details: object) -> AccountChange:
    """What the trail keeps of a change of an account."""
    return AccountChange(action=action, user_id=user.user_id, workspace_id=user.workspace_id, by=by, details=details)


def set_password(connection: sa.Connection, user_id: str, password_hash: str) -> None:
    """Keep a new hash."""
    connection.execute(sa.update(users).where(users.c.user_id == user_id).values(password_hash=password_hash))


def set_roles(connection: sa.Connection, user_id: str, roles: Sequence[str]) -> None:
    """Give a person other roles."""
    connection.execute(sa.update(users).where(users.c.user_id == user_id).values(roles=json.dumps(sorted(roles))))


def set_disabled(connection: sa.Connection, user_id: str, is_disabled: bool) -> None:
    """Shut a person out, or let them in again."""
    connection.execute(sa.update(users).where(users.c.user_id == user_id).values(is_disabled=is_disabled))


def begin_login(connection: sa.Connection, user: User, token_hash: str, now: datetime, ends_at: datetime) -> None:
    """A person is logged in from now on; what has ended is swept away."""
    connection.execute(sa.delete(login_sessions).where(login_sessions.c.ends_at <= now))
    connection.execute(
        sa.insert(login_sessions).values(
            token_hash=token_hash,
            user_id=user.user_id,
            workspace_id=user.workspace_id,
            created_at=now,
            seen_at=now,
            ends_at=ends_at,
        )
    )


def end_login(connection: sa.Connection, token_hash: str) -> None:
    """The login is over."""
    connection.execute(sa.delete(login_sessions).where(login_sessions.c.token_hash == token_hash))


def shut_out(connection: sa.Connection, user_id: str) -> None:
    """Disable an account, if it is there, and end its logins."""
    set_disabled(connection, user_id, True)
    end_logins(connection, user_id)


def end_logins(connection: sa.Connection, user_id: str) -> None:
    """All logins of a person are over."""
    connection.execute(sa.delete(login_sessions).where(login_sessions.c.user_id == user_id))


def add_pending(
    connection: sa.Connection, state_hash: str, pending: PendingLogin, now: datetime, ends_at: datetime
) -> None:
    """Remember a login that goes to a provider."""
    connection.execute(sa.delete(oidc_logins).where(oidc_logins.c.ends_at <= now))
    connection.execute(
        sa.insert(oidc_logins).values(
            state_hash=state_hash,
            provider_id=pending.provider_id,
            nonce=pending.nonce,
            code_verifier=pending.code_verifier,
            ends_at=ends_at,
        )
    )


def take_pending(connection: sa.Connection, state_hash: str, now: datetime) -> PendingLogin | None:
    """The login that comes back; it can come back once."""
    query = sa.delete(oidc_logins).where(oidc_logins.c.state_hash == state_hash).returning(*oidc_logins.c)
    row = connection.execute(query).first()
    if row is None or row.ends_at <= now:
        return None
    return PendingLogin(provider_id=row.provider_id, nonce=row.nonce, code_verifier=row.code_verifier)


def _user(row: sa.Row[tuple[object, ...]] | None) -> User | None:
    if row is None:
        return None
    return User(
        user_id=row.user_id,
        workspace_id=row.workspace_id,
        email=row.email,
        name=row.name,
        roles=tuple(json.loads(row.roles)),
        is_disabled=row.is_disabled,
        password_hash=row.password_hash,
    )
