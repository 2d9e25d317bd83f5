"""Words of erased messages: taken out of the search index of an SQLite file for good.

FTS5 only notes that a row is gone; its words stay in the index until its parts are merged some day. So they are merged
when something was erased, what they leave is overwritten, and the write-ahead log is emptied.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from batuta.eventstore.audit import AuditStore, ChainHead, ChainRow, Erased
from batuta.kernel.ids import SessionId
from batuta.kernel.sqlite import overwriting
from batuta.server.database.engines import SqlitePlatformDatabase


class WordForgettingAudit:
    """An `AuditStore` whose erasures reach the index of words."""

    def __init__(self, audit: AuditStore, database: SqlitePlatformDatabase) -> None:
        self._audit = audit
        self._database = database

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
        return await self._forgetting(await self._audit.erase(user_id))

    async def erase_session(self, session_id: SessionId) -> Erased:
        """See `AuditStore.erase_session`."""
        return await self._forgetting(await self._audit.erase_session(session_id))

    async def _forgetting(self, erased: Erased) -> Erased:
        if erased.sessions:
            await self._database.write(_merge)
            await self._database.empty_log()
        return erased


def _merge(connection: sa.Connection) -> None:
    with overwriting(connection.exec_driver_sql):
        connection.exec_driver_sql("INSERT INTO message_words (message_words) VALUES ('optimize')")
