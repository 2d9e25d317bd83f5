"""Files go with their owner: an audit store whose erasure of a person reaches their files, texts and jobs."""

from collections.abc import Sequence

from batuta.eventstore.audit import AuditStore, ChainHead, ChainRow, Erased
from batuta.kernel.ids import SessionId
from batuta.server.files.removal import FileRemoval


class FileErasingAudit:
    """An `AuditStore` that takes the files of an erased person away before their events.

    Before them, because the file of an embedded platform is compacted at the end: names of files leave it then, too.
    """

    def __init__(self, audit: AuditStore, removal: FileRemoval) -> None:
        self._audit = audit
        self._removal = removal

    async def chain(self, session_id: SessionId, *, after: int, limit: int) -> Sequence[ChainRow]:
        """See `AuditStore.chain`."""
        return await self._audit.chain(session_id, after=after, limit=limit)

    async def chain_head(self, session_id: SessionId) -> ChainHead:
        """See `AuditStore.chain_head`."""
        return await self._audit.chain_head(session_id)

    async def assign(self, session_id: SessionId, user_id: str, *, tenant_id: str | None = None) -> None:
        """See `AuditStore.assign`."""
        await self._audit.assign(session_id, user_id, tenant_id=tenant_id)

    async def erase(self, user_id: str) -> Erased:
        """See `AuditStore.erase`."""
        await self._removal.erase_user(user_id)
        return await self._audit.erase(user_id)

    async def erase_session(self, session_id: SessionId) -> Erased:
        """See `AuditStore.erase_session`. Files belong to a person, not to a session: they stay."""
        return await self._audit.erase_session(session_id)
