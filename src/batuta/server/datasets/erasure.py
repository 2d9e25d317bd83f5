"""Datasets go with their session, boards with their owner: an audit store whose erasures reach them."""

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from batuta.eventstore.audit import AuditStore, ChainHead, ChainRow, Erased
from batuta.kernel.ids import SessionId
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.datasets import repository
from batuta.server.datasets.storage import TableStorage
from batuta.server.datasets.store import erase_files

EraseOfUser = Callable[[sa.Connection, str], None]
"""Takes what a person keeps beside their sessions away."""


class DatasetErasingAudit:
    """An `AuditStore` that takes the datasets of an erased session away with its events."""

    def __init__(
        self, audit: AuditStore, database: Database, *, erase_more: EraseOfUser, files: TableStorage | None = None
    ) -> None:
        self._audit = audit
        self._erase_more = erase_more
        self._database = SystemDatabase(database)
        self._files = files

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

        def take_away(connection: sa.Connection) -> None:
            self._erase_more(connection, user_id)
            repository.erase_of_user(connection, user_id)

        await erase_files(self._database, self._files, repository.of_user(user_id))
        await self._database.write(take_away)
        return await self._with_datasets(await self._audit.erase(user_id))

    async def erase_session(self, session_id: SessionId) -> Erased:
        """See `AuditStore.erase_session`."""
        # Before the events: an erasure that was interrupted finds the session erased, and asks for it no more.
        await erase_files(self._database, self._files, repository.of_sessions([session_id]))
        await self._database.write(lambda connection: repository.erase(connection, [session_id]))
        return await self._with_datasets(await self._audit.erase_session(session_id))

    async def _with_datasets(self, erased: Erased) -> Erased:
        if erased.sessions:
            await erase_files(self._database, self._files, repository.of_sessions(erased.sessions))
            await self._database.write(lambda connection: repository.erase(connection, erased.sessions))
        return erased
