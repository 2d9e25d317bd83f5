"""Logging in and out. A login is a random token in a cookie, kept as its hash; a token without a row is refused."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.ids import new_id
from batuta.server.config import Settings
from batuta.server.database.engines import Database
from batuta.server.identity import login_limits, repository
from batuta.server.identity.login_limits import AttemptLimit, LoginAttempt
from batuta.server.identity.passwords import Passwords
from batuta.server.identity.repository import User
from batuta.server.policy import ROLES
from batuta.server.problems import (
    ConflictProblem,
    ForbiddenProblem,
    NotFoundProblem,
    UnauthorizedProblem,
)
from batuta.server.security.access_control import digest_of
from batuta.server.security.account_trail import PROGRAM, AccountActor, record

TOKEN_BYTES = 32
RESERVING_AT_ONCE = 2
SETUP_HOURS = 24
"""How long a token for creating the owner holds; the next start prints another."""
DEMO_EMAIL = "demo@localhost"
WRONG = "The e-mail address or the password is wrong."


@dataclass(frozen=True, slots=True)
class Login:
    """A user who just logged in, and the token their browser keeps."""

    user: User
    token: str = field(repr=False)
    device: str = field(default="", repr=False)
    """The secret by which the account knows this browser again, if it logged in with a password."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOwner:
    """The first account, as it is asked for."""

    email: str
    name: str
    password: str = field(repr=False)
    token: str = field(default="", repr=False)
    """What was printed at the start."""
    is_local: bool = False
    """Whether it is asked for on this machine itself, where a demo needs no token."""


class Identity:
    """Accounts and logins."""

    def __init__(
        self, database: Database, settings: Settings, passwords: Passwords, *, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self._database = database
        self._settings = settings
        self._passwords = passwords
        self._clock = clock
        window = timedelta(seconds=settings.login_window_seconds)
        self._reserving = asyncio.Semaphore(RESERVING_AT_ONCE)
        self._limit = AttemptLimit(attempts=settings.login_attempts, window=window)

    async def needs_setup(self) -> bool:
        """True if there is no account yet."""
        return not await self._database.read(repository.has_users)

    async def new_setup_token(self) -> str | None:
        """A token that creates the owner, once; None if there is one or the demo needs none."""
        if self._settings.is_demo or not await self.needs_setup():
            return None
        token, now = secrets.token_urlsafe(TOKEN_BYTES), self._clock.now()
        ends_at = now + timedelta(hours=SETUP_HOURS)
        await self._database.write(
            lambda connection: repository.add_setup_token(connection, digest_of(token), now, ends_at)
        )
        return token

    async def set_up(self, owner: NewOwner, by: AccountActor = PROGRAM) -> Login:
        """Create the owner. Works once, with a token of `new_setup_token`; a demo on this machine needs none."""
        if not await self.needs_setup():
            raise NotFoundProblem
        await self._database.read(lambda connection: self._check_setup_token(connection, owner))
        password_hash = await self._passwords.hash(owner.password)
        now = self._clock.now()

        def create(connection: sa.Connection) -> User:
            repository.hold_others_off(connection)
            if repository.has_users(connection):
                raise NotFoundProblem
            self._check_setup_token(connection, owner)
            repository.forget_setup_tokens(connection)
            workspace = repository.add_workspace(connection, owner.name, now)
            user = _person(workspace, owner.email, owner.name, ROLES, password_hash)
            return repository.add_user(connection, user, now, by)

        return await self.begin(await self._database.write(create))

    def _check_setup_token(self, connection: sa.Connection, owner: NewOwner) -> None:
        if self._settings.is_demo and owner.is_local:
            return
        if not repository.has_setup_token(connection, digest_of(owner.token), self._clock.now()):
            raise ForbiddenProblem(
                "The setup token is missing or wrong: the platform prints it when it starts.", code="SETUP_TOKEN"
            )

    async def create_user(
        self,
        email: str,
        name: str,
        password: str | None,
        *,
        roles: tuple[str, ...] = ("user",),
        workspace: str = "",
        by: AccountActor = PROGRAM,
    ) -> User:
        """Create an account, in the oldest workspace unless one is given. Raises `ConflictProblem`."""
        password_hash = None if password is None else await self._passwords.hash(password)
        now = self._clock.now()

        def create(connection: sa.Connection) -> User:
            repository.hold_others_off(connection)
            if repository.by_email(connection, email) is not None:
                raise ConflictProblem("There is an account with this e-mail address.", code="EMAIL_TAKEN")
            place = workspace or repository.any_workspace(connection) or repository.add_workspace(connection, name, now)
            return repository.add_user(connection, _person(place, email, name, roles, password_hash), now, by)

        return await self._database.write(create)

    async def log_in(self, attempt: LoginAttempt, password: str) -> Login:
        """Log in with a password. Raises `UnauthorizedProblem`, or `TooManyProblem` after too many failures."""
        started = self._clock.now()
        client = await self._reserve(attempt, started)
        user = await self.by_email(attempt.email)
        stored = None if user is None else user.password_hash
        if not await self._passwords.matches(stored, password) or user is None or user.is_disabled:
            raise UnauthorizedProblem(WRONG, code="WRONG_PASSWORD")
        known = LoginAttempt(
            email=attempt.email,
            address=attempt.address,
            device=attempt.device or secrets.token_urlsafe(TOKEN_BYTES),
        )

        def succeed(connection: sa.Connection) -> None:
            login_limits.succeed(connection, attempt, client, self._limit, started)
            login_limits.know(connection, user.user_id, user.workspace_id, known, started)

        await self._database.write(succeed)
        if stored is not None and self._passwords.is_outdated(stored):
            renewed = await self._passwords.hash(password)
            await self._database.write(lambda connection: repository.set_password(connection, user.user_id, renewed))
        login = await self.begin(user)
        return Login(login.user, login.token, known.device or "")

    async def _reserve(self, attempt: LoginAttempt, now: datetime) -> str:
        """Count an attempt before its password is checked. Few at a time: they wait for each other in the database,
        and each waiting one holds a connection.
        """
        async with self._reserving:
            await self._database.read(lambda connection: login_limits.check(connection, attempt, self._limit, now))
            return await self._database.write(
                lambda connection: login_limits.reserve(connection, attempt, self._limit, now)
            )

    async def demo(self, by: AccountActor = PROGRAM, *, is_local: bool) -> Login:
        """Log in as the demo person: only if the platform was started so, and only on this machine."""
        if not (self._settings.is_demo and is_local):
            raise NotFoundProblem
        user = await self.by_email(DEMO_EMAIL)
        if user is None:
            user = await self._create_demo(by)
        return await self.begin(user)

    async def begin(self, user: User) -> Login:
        """Log in a user who proved their identity, with a fresh token."""
        if user.is_disabled:
            raise ForbiddenProblem("This account is disabled.", code="DISABLED")
        token = secrets.token_urlsafe(TOKEN_BYTES)
        now = self._clock.now()
        ends_at = now + timedelta(hours=self._settings.login_hours)
        await self._database.write(
            lambda connection: repository.begin_login(connection, user, digest_of(token), now, ends_at)
        )
        return Login(user, token)

    async def log_out(self, token: str) -> None:
        """End a login."""
        await self._database.write(lambda connection: repository.end_login(connection, digest_of(token)))

    async def users(self) -> Sequence[User]:
        """All accounts, in the order of their addresses."""
        return await self._database.read(repository.all_users)

    async def by_email(self, email: str) -> User | None:
        """The person with this address."""
        return await self._database.read(lambda connection: repository.by_email(connection, email))

    async def change_roles(self, user_id: str, roles: tuple[str, ...], by: AccountActor = PROGRAM) -> None:
        """Give a person other roles; live connections learn of it within seconds."""

        def change(connection: sa.Connection) -> None:
            before = repository.by_id(connection, user_id)
            repository.set_roles(connection, user_id, roles)
            self._record(connection, "account.roles", before, by, before=sorted(before.roles), after=sorted(roles))

        await self._database.write(change)

    async def disable(self, user_id: str, by: AccountActor = PROGRAM) -> None:
        """Shut a person out; their logins are over for good, their keys wait."""

        def shut_out(connection: sa.Connection) -> None:
            repository.shut_out(connection, user_id)
            self._record(connection, "account.disabled", repository.by_id(connection, user_id), by)

        await self._database.write(shut_out)

    async def enable(self, user_id: str, by: AccountActor = PROGRAM) -> None:
        """Let a person in again."""

        def let_in(connection: sa.Connection) -> None:
            repository.set_disabled(connection, user_id, False)
            self._record(connection, "account.enabled", repository.by_id(connection, user_id), by)

        await self._database.write(let_in)

    async def note_export(self, user: User, by: AccountActor) -> None:
        """Record that everything of a person is given out."""
        await self._database.write(lambda connection: self._record(connection, "account.exported", user, by))

    async def close_workspace(self, workspace_id: str) -> None:
        """Lock all accounts of a workspace at once; nothing is deleted."""
        now = self._clock.now()
        await self._database.write(lambda c: repository.set_workspace_closed(c, workspace_id, now))

    async def open_workspace(self, workspace_id: str) -> None:
        """Let the people of a workspace in again."""
        await self._database.write(lambda c: repository.set_workspace_closed(c, workspace_id, None))

    async def set_password(self, user: User, password: str, by: AccountActor = PROGRAM) -> None:
        """Give a person a new password: logins with the old one end, and no lock-out stays."""
        password_hash = await self._passwords.hash(password)

        def change(connection: sa.Connection) -> None:
            repository.set_password(connection, user.user_id, password_hash)
            repository.end_logins(connection, user.user_id)
            login_limits.forget(connection, user.email)
            self._record(connection, "account.password", user, by)

        await self._database.write(change)

    def _record(self, connection: sa.Connection, action: str, user: User, by: AccountActor, **details: object) -> None:
        record(connection, repository.change_of(action, user, by, **details), self._clock.now())

    async def _create_demo(self, by: AccountActor) -> User:
        try:
            return await self.create_user(DEMO_EMAIL, "Demo", None, roles=ROLES, by=by)
        except ConflictProblem:  # two clicks at once
            user = await self.by_email(DEMO_EMAIL)
            assert user is not None
            return user


def _person(workspace: str, email: str, name: str, roles: tuple[str, ...], password_hash: str | None) -> User:
    return User(
        user_id=new_id(), workspace_id=workspace, email=email, name=name, roles=roles, password_hash=password_hash
    )
