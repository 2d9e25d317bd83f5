"""Refused access in the audit trail: who wanted what, when, from where, and the answer. Never a secret or a body.

    refusals.note(AccessRefusal(…))     at once, from memory: no request waits for the trail or fails with it
    await refusals.run(database)  beside the requests: the first refusal of its kind at once, repeats summed up

A flood must not fill the database. The same refusal again is counted and kept once a minute with the count; each
account, and all unknown callers together, have a budget of rows; what goes beyond it is counted in one row.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import StoreUnavailableError
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.database.tables import api_keys, login_sessions, users
from batuta.server.problems import Problem
from batuta.server.security.account_trail import AccountActor, AccountChange, record
from batuta.server.security.ownership import Caller, Credential

REFUSED = "access.refused"
"""The action of such rows in the trail."""
UNKNOWN = "unknown"
STATUSES = frozenset({401, 403, 404})
"""Not let in, not allowed, and not there for this caller."""
PAUSE_SECONDS = 1.0
WINDOW = timedelta(minutes=1)
"""How long repeats are counted before a row says how many."""
BURST, ROWS_PER_MINUTE = 30.0, 1.0
"""Rows of one account, or of all unknown callers: at once, and from then on."""
MOST_KINDS = 100
"""Refusals of one account that are kept apart in memory."""
MOST_ACCOUNTS = 1_000
MOST_HOLDERS = 10_000
OTHERS = "several others"
"""What was wanted, in the row for all that are not kept apart."""
CLOSING_SECONDS = 5.0
NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRefusal:
    """Something that was not allowed."""

    what: str
    """A route, or the event of a socket, as the policy names it."""
    status: int
    code: str
    origin: str
    caller: Caller | None = None
    credential: Credential | None = None
    """What was shown in place of a caller who is known."""
    who: str = ""
    """A name where callers have no account."""
    ids: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem, what: str, origin: str, **facts: Any) -> "AccessRefusal":
        """A problem as it was answered."""
        return cls(what=what, status=problem.status, code=problem.own_code, origin=origin, **facts)


class _Account(NamedTuple):
    """To whose account a refusal belongs."""

    user_id: str
    workspace_id: str | None
    name: str = ""
    """Where there is no account."""


_STRANGERS = _Account("", None, UNKNOWN)


class _Kind(NamedTuple):
    """What repeats have in common."""

    what: str
    status: int
    code: str
    origin: str
    credential: Credential | None = None
    """Of a caller who is not known yet."""


@dataclass(slots=True)
class _Count:
    """The refusals of a kind that are in no row yet."""

    count: int = 0
    first_at: datetime = NEVER
    last_at: datetime = NEVER
    ids: Mapping[str, str] = field(default_factory=dict)
    """Of the first of them."""
    due_at: datetime | None = None

    def add(self, now: datetime, ids: Mapping[str, str]) -> None:
        if not self.count:
            self.first_at, self.ids = now, ids
        self.count += 1
        self.last_at = now

    def is_due(self, now: datetime) -> bool:
        return self.due_at is None or self.due_at <= now


class _Row(NamedTuple):
    """Refusals as one row tells them, and the counts that they are taken from."""

    kind: _Kind
    sums: _Count
    taken: Sequence[tuple[_Count, int]]


@dataclass(slots=True)
class _Book:
    """What one account was refused."""

    refilled_at: float
    rows_left: float = BURST
    kinds: dict[_Kind, _Count] = field(default_factory=dict)

    def count_of(self, kind: _Kind) -> _Count:
        is_kept_apart = kind in self.kinds or len(self.kinds) < MOST_KINDS
        return self.kinds.setdefault(kind if is_kept_apart else _Kind(OTHERS, kind.status, kind.code, ""), _Count())

    def due(self, now: datetime, elapsed: float, *, is_last: bool) -> list[_Row]:
        """The rows that are due and within the budget; at the end all, those beyond it as one."""
        self.rows_left = min(BURST, self.rows_left + (elapsed - self.refilled_at) / 60 * ROWS_PER_MINUTE)
        self.refilled_at = elapsed
        open_counts = [(kind, each) for kind, each in self.kinds.items() if each.count]
        due = sorted((one for one in open_counts if is_last or one[1].is_due(now)), key=lambda one: one[1].first_at)
        single = due[: int(self.rows_left)]
        rows = [_Row(kind, replace(each), [(each, each.count)]) for kind, each in single]
        rest = [each for _, each in due[len(single) :]] if is_last else []
        if rest:
            sums = _Count(sum(each.count for each in rest), rest[0].first_at, max(each.last_at for each in rest))
            rows.append(_Row(_Kind(OTHERS, 0, "", ""), sums, [(each, each.count) for each in rest]))
        return rows

    def settle(self, rows: Sequence[_Row], now: datetime) -> None:
        """Note what is in the trail by now; meanwhile there may be more."""
        self.rows_left -= len(rows)
        for each, count in (one for row in rows for one in row.taken):
            each.count -= count
            each.first_at, each.due_at = now, now + WINDOW

    def forget(self, now: datetime) -> bool:
        """Forget the kinds that are over; whether nothing is left to know."""
        self.kinds = {kind: each for kind, each in self.kinds.items() if each.count or not each.is_due(now)}
        return not self.kinds and self.rows_left >= BURST


class AccessRefusals:
    """Brings refusals into the audit trail."""

    def __init__(self, clock: Clock = SYSTEM_CLOCK) -> None:
        self._clock = clock
        self._books: dict[_Account, _Book] = {}
        self._holders: OrderedDict[Credential, _Account] = OrderedDict()
        self._is_waiting = asyncio.Event()

    def remember(self, caller: Caller) -> None:
        """Note who holds a credential: a login that was ended is in no table any more when it is refused."""
        self._hold(caller.credential, _Account(caller.user_id, caller.workspace_id))

    def note(self, refusal: AccessRefusal) -> None:
        """Take a refusal; it is in the trail soon."""
        owner, credential = self._owner_of(refusal)
        if owner not in self._books and len(self._books) >= MOST_ACCOUNTS:
            owner = _STRANGERS
        book = self._books.setdefault(owner, _Book(self._clock.monotonic()))
        kind = _Kind(refusal.what, refusal.status, refusal.code, refusal.origin, credential)
        book.count_of(kind).add(self._clock.now(), refusal.ids)
        self._is_waiting.set()

    async def some(self) -> None:
        """Wait until there is a refusal to write."""
        await self._is_waiting.wait()

    async def run(self, database: Database) -> None:
        """Write until cancelled; an unavailable database is waited for."""
        try:
            while True:
                await self.some()
                with suppress(StoreUnavailableError):
                    await self.write(database)
                await asyncio.sleep(PAUSE_SECONDS)
        finally:
            await self.finish(database)

    async def finish(self, database: Database) -> None:
        """Write what is left, if the database takes it soon."""
        with suppress(StoreUnavailableError, TimeoutError):
            async with asyncio.timeout(CLOSING_SECONDS):
                await self.write(database, is_last=True)

    async def write(self, database: Database, *, is_last: bool = False) -> None:
        """Write what is due, or at the end all."""
        now, elapsed = self._clock.now(), self._clock.monotonic()
        due = {owner: book.due(now, elapsed, is_last=is_last) for owner, book in self._books.items()}
        due = {owner: rows for owner, rows in due.items() if rows}
        if due:
            found = await SystemDatabase(database).write(lambda connection: _record(connection, due, now))
            for credential, account in found.items():
                self._hold(credential, account)
        for owner, rows in due.items():
            self._books[owner].settle(rows, now)
        self._books = {owner: book for owner, book in self._books.items() if not book.forget(now)}
        if not any(each.count for book in self._books.values() for each in book.kinds.values()):
            self._is_waiting.clear()

    def _owner_of(self, refusal: AccessRefusal) -> tuple[_Account, Credential | None]:
        if refusal.caller is not None:
            return _Account(refusal.caller.user_id, refusal.caller.workspace_id), None
        if refusal.who:
            return _Account("", None, refusal.who), None
        known = self._holders.get(refusal.credential) if refusal.credential is not None else None
        return (known, None) if known is not None else (_STRANGERS, refusal.credential)

    def _hold(self, credential: Credential, account: _Account) -> None:
        self._holders[credential] = account
        self._holders.move_to_end(credential)
        if len(self._holders) > MOST_HOLDERS:
            self._holders.popitem(last=False)


def _record(
    connection: sa.Connection, due: Mapping[_Account, Sequence[_Row]], now: datetime
) -> Mapping[Credential, _Account]:
    """Add the rows to the trail; who holds the credentials that were not known."""
    asked = {row.kind.credential for rows in due.values() for row in rows if row.kind.credential is not None}
    found = {credential: account for credential in asked if (account := _holder(connection, credential)) is not None}
    for owner, rows in due.items():
        for row in rows:
            account = owner if row.kind.credential is None else found.get(row.kind.credential, owner)
            record(connection, _change(account, row), now)
    return found


def _change(account: _Account, row: _Row) -> AccountChange:
    details = {
        "what": row.kind.what,
        "status": row.kind.status,
        "code": row.kind.code,
        "ids": dict(row.sums.ids),
        "count": row.sums.count,
        "first_at": row.sums.first_at.isoformat(timespec="milliseconds"),
        "last_at": row.sums.last_at.isoformat(timespec="milliseconds"),
    }
    return AccountChange(
        action=REFUSED,
        user_id=account.user_id,
        workspace_id=account.workspace_id,
        by=AccountActor(who=account.user_id or account.name, origin=row.kind.origin or "several places"),
        details={name: value for name, value in details.items() if value},
    )


def _holder(connection: sa.Connection, credential: Credential) -> _Account | None:
    """Whose credential it was, if it is kept: a login that is over, the key of an account that was disabled."""
    kept = (
        (api_keys, api_keys.c.secret_hash)
        if credential.kind == "key"
        else (login_sessions, login_sessions.c.token_hash)
    )
    table, digest = kept
    query = sa.select(users.c.user_id, users.c.workspace_id).where(
        digest == credential.digest, users.c.user_id == table.c.user_id
    )
    row = connection.execute(query).first()
    return None if row is None else _Account(row.user_id, row.workspace_id)
