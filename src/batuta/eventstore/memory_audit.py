"""The audit of a log in memory."""

from collections.abc import Sequence

from batuta.events.log import Head
from batuta.events.queue import UNFINISHED, WorkStatus
from batuta.eventstore.audit import ChainHead, ChainRow, Erased
from batuta.eventstore.erasure import EMPTIED
from batuta.eventstore.memory import MemoryEventLog, SessionRows
from batuta.eventstore.readmodels import CONSUMER
from batuta.kernel.ids import SessionId


class MemoryAudit:
    """An `AuditStore` beside a log in memory."""

    def __init__(self, log: MemoryEventLog) -> None:
        self._store = log.store

    async def chain(self, session_id: SessionId, *, after: int, limit: int) -> Sequence[ChainRow]:
        """See `AuditStore.chain`."""
        rows = self._session(session_id).rows[after : after + limit]
        return [ChainRow(row.seq, row.epoch, row.event_id, row.type, row.payload, *row.sealed) for row in rows]

    async def chain_head(self, session_id: SessionId) -> ChainHead:
        """See `AuditStore.chain_head`."""
        session = self._session(session_id)
        return ChainHead(session.head, session.link)

    async def assign(self, session_id: SessionId, user_id: str, *, tenant_id: str | None = None) -> None:
        """See `AuditStore.assign`."""
        self._store.owners.setdefault(session_id, user_id)

    async def erase(self, user_id: str) -> Erased:
        """See `AuditStore.erase`."""
        owned = [owner for owner, user in self._store.owners.items() if user == user_id]
        return self._erase(owned)

    async def erase_session(self, session_id: SessionId) -> Erased:
        """See `AuditStore.erase_session`."""
        return self._erase([session_id])

    def _erase(self, owners: Sequence[SessionId]) -> Erased:
        chosen = tuple(sorted(owner for owner in owners if owner not in self._store.erased))
        events = sum(self._erase_events(self._session(owner)) for owner in chosen)
        for owner in chosen:
            self._erase_traces(owner)
        self._store.erased.update(chosen)
        return Erased(sessions=chosen, events=events)

    def _session(self, owner: SessionId) -> SessionRows:
        return self._store.sessions.get(owner) or SessionRows()

    def _erase_events(self, session: SessionRows) -> int:
        for row in session.rows:
            row.payload = None
            row.sealed = row.sealed._replace(salt=None)
        session.claims.clear()
        head = session.head
        session.head = Head(epoch=head.epoch, last_seq=head.last_seq, fence=head.fence + 1)
        return len(session.rows)

    def _erase_traces(self, owner: SessionId) -> None:
        for table in EMPTIED:
            rows = self._store.tables.get(table, {})
            for key in [key for key, row in rows.items() if row["session_id"] == owner]:
                del rows[key]
        for row in self._store.tables.get("audit", {}).values():
            if row["session_id"] == owner:
                row |= {"actor": "erased", "target": None}
        for turn in self._store.turns.values():
            if turn["session_id"] == owner:
                status = WorkStatus.CANCELLED if turn["status"] in UNFINISHED else turn["status"]
                turn.update(status=status, payload="{}", error=None, user_id=None, client_key=None, content=b"")
        self._store.consumers[CONSUMER][owner] = self._session(owner).head.last_seq
