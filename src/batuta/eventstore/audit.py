"""The hash-chained audit of the log: verify what is stored, erase what a person may have erased, verify it still.

A record is chained to the one before it by a digest of its content under a salt of its own. `erase` takes contents
and salts away, the digests stay: the chain still proves that nothing was added, changed or left out.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from batuta.events.log import PAGE_SIZE, EventLog, Head
from batuta.eventstore.chain import GENESIS, ChainPlace, digest_of, link_of
from batuta.kernel.ids import SessionId, session_id

PROBLEMS_KEPT = 20


class ChainRow(NamedTuple):
    """A record as the store holds it."""

    seq: int
    epoch: int
    event_id: str
    type: str
    payload: str | None
    salt: bytes | None
    digest: bytes
    link: bytes


class ChainHead(NamedTuple):
    """Where a session stands, and the link its next record will be chained to."""

    head: Head
    link: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What an erasure took away."""

    sessions: tuple[SessionId, ...]
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What a verification found in one session."""

    session_id: SessionId
    records: int
    erased: int
    problems: tuple[str, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether everything is as it was stored."""
        return not self.problems


class ChainStore(Protocol):
    """What a chain keeps, for its verification."""

    async def chain(self, session_id: SessionId, *, after: int, limit: int) -> Sequence[ChainRow]:
        """Records as they are held, in order."""
        ...

    async def chain_head(self, session_id: SessionId) -> ChainHead:
        """Where the session stands."""
        ...


class AuditStore(ChainStore, Protocol):
    """What a store does for its audit."""

    async def assign(self, session_id: SessionId, user_id: str, *, tenant_id: str | None = None) -> None:
        """Note whose session it is. The first owner stays."""
        ...

    async def erase(self, user_id: str) -> Erased:
        """Take the contents of a user's sessions away: events, read models, messages in turns. For good.

        Token counts and costs that were projected stay, without content: project first. The user's unfinished turns
        are cancelled and their owners fenced, so that nothing comes back. The same call again finds nothing to do.
        """
        ...

    async def erase_session(self, session_id: SessionId) -> Erased:
        """Do the same to one session, of any owner."""
        ...


async def verify_session(store: AuditStore, session: str) -> Verified:
    """Check every record of a session against the chain, and the chain against the head."""
    return await verify_chain(store, session_id(session))


async def verify_chain(store: ChainStore, owner: SessionId) -> Verified:
    """Do the same for a chain of any name."""
    # First: what is appended while the records are read is behind this head and not looked at.
    head = await store.chain_head(owner)
    chain = _Chain(owner)
    async for row in _rows(store, owner, head.head.last_seq):
        chain.check(row)
    chain.check_end(head)
    return chain.verdict()


async def verify(log: EventLog, store: AuditStore) -> AsyncIterator[Verified]:
    """Check every session of the log."""
    after: SessionId | None = None
    while found := await log.sessions(after=after):
        for owner in found:
            yield await verify_session(store, owner)
        after = found[-1]


async def _rows(store: ChainStore, owner: SessionId, last: int) -> AsyncIterator[ChainRow]:
    after = 0
    while rows := await store.chain(owner, after=after, limit=PAGE_SIZE):
        for row in rows:
            if row.seq <= last:
                yield row
        after = rows[-1].seq


class _Chain:
    """Follows the links of a session."""

    def __init__(self, owner: SessionId) -> None:
        self._owner = owner
        self._link = GENESIS
        self._seq = 0
        self._records = self._erased = 0
        self._problems: list[str] = []

    def check(self, row: ChainRow) -> None:
        self._records += 1
        if row.seq != self._seq + 1:
            self._report(f"position {row.seq} follows {self._seq}: records are missing")
        if row.payload is None:
            self._erased += 1
        elif row.salt is None or digest_of(row.salt, row.payload) != row.digest:
            self._report(f"position {row.seq}: the content is not what was stored")
        place = ChainPlace(self._owner, row.epoch, row.seq, row.event_id, row.type)
        if link_of(self._link, place, row.digest) != row.link:
            self._report(f"position {row.seq}: it does not follow from the records before it")
        self._seq, self._link = row.seq, row.link

    def check_end(self, head: ChainHead) -> None:
        if self._seq != head.head.last_seq:
            self._report(f"the session stands at {head.head.last_seq}, its records end at {self._seq}")
        elif self._link != head.link:
            self._report("the last record is not the one the session ended with")

    def verdict(self) -> Verified:
        return Verified(
            session_id=self._owner, records=self._records, erased=self._erased, problems=tuple(self._problems)
        )

    def _report(self, problem: str) -> None:
        if len(self._problems) < PROBLEMS_KEPT:
            self._problems.append(problem)
