"""Read models and audit behind the Redis log: both work on the database, after what Redis holds was shipped there."""

import asyncio
from collections.abc import Sequence
from typing import Any

from redis.exceptions import ResponseError

from batuta.eventstore.audit import ChainHead, ChainRow, Erased
from batuta.eventstore.postgres_audit import PostgresAudit
from batuta.eventstore.postgres_projections import PostgresProjections
from batuta.eventstore.projectors import Projector
from batuta.eventstore.redis import RedisEventLog
from batuta.eventstore.redis_connection import Call, errors_as_ours
from batuta.kernel.ids import SessionId
from batuta.kernel.ids import session_id as _session

REWRITE_SECONDS = 60.0
REWRITE_PAUSE = 0.05


class ShippingProjector(Projector):
    """A projector that ships first."""

    def __init__(self, log: RedisEventLog, **options: Any) -> None:
        super().__init__(PostgresProjections(log.database), **options)
        self._shipper = log.shipper

    async def run_once(self) -> int:
        """Ship and project what is due now. How many events."""
        await self._shipper.ship_all()
        return await super().run_once()

    async def ensure(self, session: str, seq: int) -> None:
        """Bring the read models of a session up to a position, now."""
        await self._shipper.ship(_session(session))
        await super().ensure(session, seq)


class RedisAudit(PostgresAudit):
    """The audit of a log in Redis: the chain is computed in the database, so it ships before it looks."""

    def __init__(self, log: RedisEventLog) -> None:
        super().__init__(log.database)
        self._log = log

    async def chain(self, session_id: SessionId, *, after: int, limit: int) -> Sequence[ChainRow]:
        """See `AuditStore.chain`."""
        await self._log.shipper.ship(session_id)
        return await super().chain(session_id, after=after, limit=limit)

    async def chain_head(self, session_id: SessionId) -> ChainHead:
        """See `AuditStore.chain_head`."""
        await self._log.shipper.ship(session_id)
        return await super().chain_head(session_id)

    async def erase(self, user_id: str) -> Erased:
        """See `AuditStore.erase`. Redis forgets the sessions too, and rewrites its file without them."""
        await self._log.shipper.ship_all()
        return await self._forget(await super().erase(user_id))

    async def erase_session(self, session_id: SessionId) -> Erased:
        """See `AuditStore.erase_session`."""
        await self._log.shipper.ship(session_id)
        return await self._forget(await super().erase_session(session_id))

    async def _forget(self, erased: Erased) -> Erased:
        for owner in erased.sessions:
            head = await self._log.database.head(owner)
            await self._log.connection.run_one(Call("forget", [self._log.keys.head(owner)], [owner, head.fence]))
        if erased.sessions:
            with errors_as_ours():
                await self._rewrite_file()
        return erased

    async def _rewrite_file(self) -> None:
        """Ask for a rewrite that begins now: one that is running may have begun with what is to be forgotten."""
        async with asyncio.timeout(REWRITE_SECONDS):
            while True:
                try:
                    await self._log.connection.client.bgrewriteaof()
                except ResponseError as error:
                    if "in progress" not in str(error):
                        raise
                    await asyncio.sleep(REWRITE_PAUSE)
                else:
                    return
