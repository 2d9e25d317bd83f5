"""How often a password may be tried: counted before it is checked, in the database, by every process alike.

    reserve(connection, attempt, …)   -> nothing, or `TooManyProblem`; the attempt counts as failed from here on
    succeed(connection, attempt)      -> it counts no more

Three counters hold an attempt back. One client (a browser that logged in before, otherwise an address) has
`login_attempts` for each account, an address ten times as many for all accounts together, and so has an account for
all clients that it does not know. So strangers use up their own attempts, never those of the account's owner. Who
reached a limit waits for the window; after that one attempt is free at a time, and every further failure doubles the
wait.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from batuta.server.database.tables import login_attempts, login_devices, users
from batuta.server.database.upserts import insert_missing
from batuta.server.problems import TooManyProblem
from batuta.server.security.access_control import digest_of

MANY_FACTOR = 10
"""An address may fail this many times as often as one client of an account: whole offices share one."""
LONGEST_WAIT = timedelta(days=1)
KNOWN_DAYS = 90
"""How long a client that logged in is known to the account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginAttempt:
    """A password that is about to be checked."""

    email: str
    address: str
    device: str | None = None
    """The secret of a browser that logged in before."""

    @property
    def account(self) -> str:
        """The counter of the account."""
        return f"account:{digest_of(self.email)}"

    @property
    def place(self) -> str:
        """The counter of the address."""
        return f"address:{digest_of(self.address)}"

    def client(self, *, is_known_device: bool) -> str:
        """The counter of this client of the account."""
        who = self.device if is_known_device and self.device else self.address
        return f"{client_prefix(self.email)}{digest_of(who)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptLimit:
    """How many attempts are free, and how long one waits after them."""

    attempts: int
    window: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptCount:
    """What a counter says."""

    attempts: int = 0
    blocked_until: datetime | None = None
    ends_at: datetime
    """When it is forgotten."""

    def wait(self, now: datetime) -> timedelta | None:
        """How long the next attempt has to wait."""
        return self.blocked_until - now if self.blocked_until is not None and self.blocked_until > now else None


def counted(before: AttemptCount | None, limit: AttemptLimit, now: datetime) -> AttemptCount:
    """The counter after one more attempt."""
    attempts = 1 + (before.attempts if before is not None and before.ends_at > now else 0)
    if attempts < limit.attempts:
        return AttemptCount(attempts=attempts, ends_at=now + limit.window)
    doublings = min(attempts - limit.attempts, 20)
    wait = min(limit.window * 2**doublings, LONGEST_WAIT)
    return AttemptCount(attempts=attempts, blocked_until=now + wait, ends_at=now + 2 * wait)


def check(connection: sa.Connection, attempt: LoginAttempt, limit: AttemptLimit, now: datetime) -> None:
    """Refuse an attempt that `reserve` would refuse, without waiting for other attempts. Raises `TooManyProblem`."""
    _, limits = _limits(connection, attempt, limit, now)
    query = sa.select(login_attempts).where(login_attempts.c.subject.in_(limits))
    _refuse_early([_count(row) for row in connection.execute(query)], now)


def reserve(connection: sa.Connection, attempt: LoginAttempt, limit: AttemptLimit, now: datetime) -> str:
    """Count an attempt on all of its counters, or on none. Returns the client's counter.

    Raises `TooManyProblem`.
    """
    client, limits = _limits(connection, attempt, limit, now)
    insert_missing(
        connection, login_attempts, [{"subject": subject, "attempts": 0, "ends_at": now} for subject in sorted(limits)]
    )
    # The rows are locked in the order of their names: attempts at the same account queue up here.
    query = sa.select(login_attempts).where(login_attempts.c.subject.in_(limits)).order_by(login_attempts.c.subject)
    counts = {row.subject: _count(row) for row in connection.execute(query.with_for_update())}
    _refuse_early(list(counts.values()), now)
    for subject, each in limits.items():
        after = counted(counts[subject], each, now)
        connection.execute(
            sa.update(login_attempts)
            .where(login_attempts.c.subject == subject)
            .values(attempts=after.attempts, blocked_until=after.blocked_until, ends_at=after.ends_at)
        )
    return client


def succeed(connection: sa.Connection, attempt: LoginAttempt, client: str, limit: AttemptLimit, now: datetime) -> None:
    """Take a reserved attempt back: the password was right. The client's failures before it are forgotten, too."""
    is_over = login_attempts.c.ends_at <= now - limit.window
    connection.execute(sa.delete(login_attempts).where((login_attempts.c.subject == client) | is_over))
    many = limit.attempts * MANY_FACTOR
    row = login_attempts.c
    connection.execute(
        sa.update(login_attempts)
        .where(row.subject.in_((attempt.account, attempt.place)), row.attempts > 0)
        .values(
            attempts=row.attempts - 1,
            blocked_until=sa.case((row.attempts <= many, None), else_=row.blocked_until),
        )
    )


def forget(connection: sa.Connection, email: str) -> None:
    """Lift every lock-out of an account."""
    mine = login_attempts.c.subject.startswith(client_prefix(email), autoescape=True)
    connection.execute(
        sa.delete(login_attempts).where(mine | (login_attempts.c.subject == f"account:{digest_of(email)}"))
    )


def know(connection: sa.Connection, user_id: str, workspace_id: str, attempt: LoginAttempt, now: datetime) -> None:
    """Remember the browser and the address of a person who logged in."""
    if attempt.device is None:
        return
    key = {"device_hash": digest_of(attempt.device), "user_id": user_id}
    connection.execute(sa.delete(login_devices).where(login_devices.c.seen_at <= now - timedelta(days=KNOWN_DAYS)))
    connection.execute(
        sa.delete(login_devices).where(
            login_devices.c.device_hash == key["device_hash"], login_devices.c.user_id == user_id
        )
    )
    seen = {"workspace_id": workspace_id, "address_hash": digest_of(attempt.address), "seen_at": now}
    insert_missing(connection, login_devices, [{**key, **seen}])


def _refuse_early(counts: Sequence[AttemptCount], now: datetime) -> None:
    waits = [wait for count in counts if (wait := count.wait(now)) is not None]
    if waits:
        raise TooManyProblem(
            "Too many failed logins. Wait some minutes.",
            code="LOCKED",
            headers={"Retry-After": str(int(max(waits).total_seconds()) + 1)},
        )


def client_prefix(email: str) -> str:
    """How the counters of an account's clients begin."""
    return f"client:{digest_of(email)}:"


def _limits(
    connection: sa.Connection, attempt: LoginAttempt, limit: AttemptLimit, now: datetime
) -> tuple[str, Mapping[str, AttemptLimit]]:
    """The counter of the client, and every counter that holds this attempt back."""
    is_known_device, is_known_address = _known(connection, attempt, now)
    many = AttemptLimit(attempts=limit.attempts * MANY_FACTOR, window=limit.window)
    client = attempt.client(is_known_device=is_known_device)
    limits = {client: limit}
    if not is_known_device:
        limits[attempt.place] = many
    if not (is_known_device or is_known_address):
        limits[attempt.account] = many
    return client, limits


def _known(connection: sa.Connection, attempt: LoginAttempt, now: datetime) -> tuple[bool, bool]:
    """Whether the account knows the browser, and whether it knows the address."""
    query = sa.select(login_devices.c.device_hash, login_devices.c.address_hash).where(
        users.c.email == attempt.email,
        login_devices.c.user_id == users.c.user_id,
        login_devices.c.seen_at > now - timedelta(days=KNOWN_DAYS),
    )
    rows = connection.execute(query).all()
    device = digest_of(attempt.device) if attempt.device else None
    return any(row.device_hash == device for row in rows), any(
        row.address_hash == digest_of(attempt.address) for row in rows
    )


def _count(row: sa.Row[tuple[object, ...]]) -> AttemptCount:
    return AttemptCount(attempts=row.attempts, blocked_until=row.blocked_until, ends_at=row.ends_at)
