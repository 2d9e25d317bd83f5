"""The audit trail of accounts: who changed one or was refused something (`refusals`), when, what, and from where. Only
ids; never a password or a key.

    record(connection, AccountChange(…), now)     in the transaction of the change itself: both are kept, or neither

The rows are chained as the log is (`batuta.eventstore.chain`), so that `batuta audit verify` proves them, too. They are
no events of a session: those may live in another store, and could not be kept together with the change.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from batuta.events.log import FIRST_EPOCH, Head
from batuta.eventstore.audit import ChainHead, ChainRow
from batuta.eventstore.chain import ChainPlace, fresh_salt, seal
from batuta.kernel.ids import SessionId, new_id
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.database.principal import SYSTEM, declared
from batuta.server.database.tables import account_changes, account_trail

TRAIL = SessionId("accounts")
"""Under which name the rows are chained."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountActor:
    """Who changes an account, and from where."""

    who: str | None = None
    """A user id, or an operator's name; the account's own person if none is named."""
    origin: str


PROGRAM = AccountActor(who="program", origin="program")
"""Code that works on accounts and says nothing else about itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountChange:
    """What happened to an account."""

    action: str
    user_id: str
    """Whose account it is."""
    workspace_id: str | None
    by: AccountActor
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAccountChange:
    """A change as the trail tells it."""

    seq: int
    at: str
    who: str
    action: str
    user_id: str
    workspace_id: str | None
    origin: str
    details: Mapping[str, Any]


def record(connection: sa.Connection, change: AccountChange, now: datetime) -> None:
    """Add a change to the trail. The last act of a transaction: the next one waits for its end."""
    with declared(connection, SYSTEM):
        head = connection.execute(sa.select(account_trail).with_for_update()).one()
        place = ChainPlace(TRAIL, FIRST_EPOCH, head.last_seq + 1, new_id(), change.action)
        content = _content(change, now)
        sealed = seal(head.link, place, content, fresh_salt())
        row = {"seq": place.seq, "change_id": place.event_id, "action": place.type, "content": content}
        connection.execute(sa.insert(account_changes).values(**row, **sealed._asdict()))
        connection.execute(sa.update(account_trail).values(last_seq=place.seq, link=sealed.link))


def _content(change: AccountChange, now: datetime) -> str:
    facts = {
        "at": now.isoformat(timespec="microseconds"),
        "who": change.by.who or change.user_id,
        "user_id": change.user_id,
        "workspace_id": change.workspace_id,
        "origin": change.by.origin,
        "details": dict(change.details),
    }
    return json.dumps(facts, ensure_ascii=False, sort_keys=True)


class AccountTrail:
    """Reads the trail, and gives its chain to be verified."""

    def __init__(self, database: Database) -> None:
        self._database = SystemDatabase(database)

    async def changes(self, *, after: int = 0, limit: int) -> Sequence[RecordedAccountChange]:
        """What was changed, in order."""
        rows = await self._rows(after, limit)
        return [RecordedAccountChange(seq=row.seq, action=row.action, **json.loads(row.content)) for row in rows]

    async def chain(self, session_id: SessionId, *, after: int, limit: int) -> Sequence[ChainRow]:
        """See `ChainStore.chain`."""
        return [
            ChainRow(row.seq, FIRST_EPOCH, row.change_id, row.action, row.content, row.salt, row.digest, row.link)
            for row in await self._rows(after, limit)
        ]

    async def chain_head(self, session_id: SessionId) -> ChainHead:
        """See `ChainStore.chain_head`."""
        row = await self._database.read(lambda connection: connection.execute(sa.select(account_trail)).one())
        return ChainHead(Head(epoch=FIRST_EPOCH, last_seq=row.last_seq, fence=0), row.link)

    async def _rows(self, after: int, limit: int) -> Sequence[sa.Row[Any]]:
        query = sa.select(account_changes).where(account_changes.c.seq > after)
        ordered = query.order_by(account_changes.c.seq).limit(limit)
        return await self._database.read(lambda connection: connection.execute(ordered).all())
