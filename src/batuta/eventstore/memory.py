"""The event log in memory: the reference every other backend is compared with, and the store of tests."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from batuta.events.admission import Batch
from batuta.events.log import PAGE_SIZE, Appended, Durability, Head, Lag, Stored, StoredPage
from batuta.eventstore.base import LogOptions, StoreLog, check_advance, check_position, check_range
from batuta.eventstore.chain import GENESIS, ChainPlace, Sealed, fresh_salt, seal
from batuta.eventstore.decisions import Claim, Known, earlier_answer, head_after, next_positions
from batuta.eventstore.doorbells import Bells
from batuta.eventstore.readmodels import CONSUMER, Upsert
from batuta.kernel.failpoints import failpoint
from batuta.kernel.ids import SessionId, session_id

Row = dict[str, Any]


@dataclass(slots=True)
class StoredRow:
    """One record as it is kept."""

    epoch: int
    seq: int
    event_id: str
    type: str
    payload: str | None
    sealed: Sealed


@dataclass(slots=True)
class SessionRows:
    """Everything kept about one session."""

    head: Head = field(default_factory=Head)
    link: bytes = GENESIS
    rows: list[StoredRow] = field(default_factory=list)
    claims: dict[str, Claim] = field(default_factory=dict)


class MemoryStore:
    """What several logs of one process share, as several processes would share a database."""

    def __init__(self) -> None:
        self.sessions: dict[SessionId, SessionRows] = {}
        self.places: dict[str, tuple[SessionId, int]] = {}
        self.consumers: dict[str, dict[SessionId, int]] = {CONSUMER: {}}
        self.tables: dict[str, dict[tuple[Any, ...], Row]] = {}
        self.turns: dict[str, dict[str, Any]] = {}
        self.owners: dict[SessionId, str] = {}
        self.erased: set[SessionId] = set()
        self.bells = Bells()

    def session(self, owner: SessionId) -> SessionRows:
        """The rows of a session, made if it is new."""
        return self.sessions.setdefault(owner, SessionRows())

    def append(self, batch: Batch) -> Appended:
        """Decide about a batch and store it."""
        session = self.sessions.get(batch.session_id) or SessionRows()
        known = [self._known(entry.event_id) for entry in batch.entries if entry.event_id in self.places]
        claim = session.claims.get(batch.client_key) if batch.client_key is not None else None
        earlier = earlier_answer(batch, session.head.fence, known, claim)
        if earlier is not None:
            return earlier
        appended = next_positions(batch, session.head.epoch, session.head.last_seq)
        self.sessions[batch.session_id] = session
        self._store(session, batch, appended)
        return appended

    def apply(self, changes: Iterable[Upsert]) -> None:
        """Change the read models."""
        for change in changes:
            rows = self.tables.setdefault(change.table, {})
            row = rows.setdefault(tuple(change.key.values()), {**change.key, **change.initial})
            if change.only_while_null is not None and row.get(change.only_while_null) is not None:
                continue
            row |= change.values
            row |= {name: row.get(name, 0) + count for name, count in change.add.items()}

    def _known(self, event_id: str) -> Known:
        owner, seq = self.places[event_id]
        row = self.sessions[owner].rows[seq - 1]
        return Known(owner, row.epoch, seq, event_id, row.payload)

    def _store(self, session: SessionRows, batch: Batch, appended: Appended) -> None:
        owner = batch.session_id
        for seq, entry in enumerate(batch.entries, appended.first_seq):
            place = ChainPlace(owner, appended.epoch, seq, entry.event_id, entry.type)
            sealed = seal(session.link, place, entry.payload, fresh_salt())
            session.rows.append(StoredRow(appended.epoch, seq, entry.event_id, entry.type, entry.payload, sealed))
            session.link = sealed.link
            self.places[entry.event_id] = (owner, seq)
        session.head = head_after(batch, session.head, appended)
        if batch.client_key is not None:
            session.claims[batch.client_key] = Claim(batch.content, appended)


class MemoryEventLog(StoreLog):
    """An `EventLog` that forgets everything with its process."""

    never_waits = True
    """Nothing is awaited: `append_batch` needs no guard against a cancellation."""

    def __init__(self, store: MemoryStore | None = None, **options: Unpack[LogOptions]) -> None:
        self.store = store or MemoryStore()
        super().__init__(bells=self.store.bells, **options)

    async def append_batch(self, batch: Batch) -> Appended:
        """See `EventLog.append_batch`."""
        return await super().append_batch(batch)

    async def read_stored(
        self, session_id: str, *, after: int = 0, epoch: int | None = None, limit: int = PAGE_SIZE
    ) -> StoredPage:
        """See `EventLog.read_stored`."""
        owner = _session(session_id)
        check_range(after, limit)
        session = self.store.sessions.get(owner) or SessionRows()
        if epoch is not None:
            held = session.rows[after - 1].epoch if 0 < after <= len(session.rows) else None
            check_position(owner, epoch=epoch, after=after, held=held)
        rows = [Stored(row.epoch, row.seq, row.event_id, row.payload) for row in session.rows[after : after + limit]]
        return StoredPage(session_id=owner, records=tuple(rows), head=session.head)

    async def head(self, session_id: str) -> Head:
        """See `EventLog.head`."""
        session = self.store.sessions.get(_session(session_id))
        return session.head if session else Head()

    async def raise_fence(self, session_id: str, fence: int) -> None:
        """See `EventLog.raise_fence`."""
        session = self.store.session(_session(session_id))
        head = session.head
        session.head = Head(epoch=head.epoch, last_seq=head.last_seq, fence=max(head.fence, fence))

    async def begin_epoch(self, session_id: str) -> int:
        """See `EventLog.begin_epoch`."""
        session = self.store.session(_session(session_id))
        head = session.head
        session.head = Head(epoch=head.epoch + 1, last_seq=head.last_seq, fence=head.fence)
        return session.head.epoch

    async def sessions(self, *, after: str | None = None, limit: int = PAGE_SIZE) -> Sequence[SessionId]:
        """See `EventLog.sessions`."""
        found = sorted(owner for owner, session in self.store.sessions.items() if session.rows)
        return [owner for owner in found if after is None or owner > _session(after)][:limit]

    async def subscribe(self, consumer: str) -> None:
        """See `EventLog.subscribe`."""
        self.store.consumers.setdefault(consumer, {})

    async def behind(self, consumer: str, *, limit: int = PAGE_SIZE) -> Sequence[Lag]:
        """See `EventLog.behind`."""
        done = self.store.consumers[consumer]
        lags = (
            Lag(session_id=owner, after=done.get(owner, 0), last_seq=session.head.last_seq)
            for owner, session in self.store.sessions.items()
        )
        return [lag for lag in lags if lag.after < lag.last_seq][:limit]

    async def advance(self, consumer: str, session_id: str, *, after: int, to: int) -> None:
        """See `EventLog.advance`."""
        owner = _session(session_id)
        done = self.store.consumers[consumer]
        check_advance(consumer, owner, now=done.get(owner, 0), after=after, to=to, head=await self.head(owner))
        done[owner] = to

    async def durability(self) -> Durability:
        """See `EventLog.durability`."""
        return Durability(mode="memory", rpo_seconds=None, verified_at=self.clock.now())

    async def close(self) -> None:
        """See `EventLog.close`."""

    async def _store(self, batch: Batch) -> Appended:
        failpoint("log.append.before_commit")
        appended = self.store.append(batch)
        failpoint("log.append.after_commit")
        return appended

    async def heads(self, session_ids: Collection[str]) -> Mapping[SessionId, int]:
        """See `EventLog.heads`."""
        owners, sessions = map(_session, session_ids), self.store.sessions
        return {owner: session.head.last_seq for owner in owners if (session := sessions.get(owner)) and session.rows}

    def rows(self, table: str) -> list[Mapping[str, Any]]:
        """The rows of a read model, by key."""
        return [row for _, row in sorted(self.store.tables.get(table, {}).items())]


_session = session_id
"""The parameter of the methods has the same name as the function that reads it."""
