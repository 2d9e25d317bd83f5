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
        """Ship some of what is noted and project what is due then, until there is something or nothing is left.

        How many events.
        """
        while True:
            notes = await self._shipper.run_once()
            events = await super().run_once()
            if events or not notes:
                return events

    async def catch_up(self) -> int:
        """Project what Redis and the database hold now. How many events."""
        await self._shipper.ship_all()
        return await super().catch_up()

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
        """Erase also what owners appended before they were shut out in Redis, then forget all of it there."""
        if not erased.sessions:
            return erased
        for owner in erased.sessions:
            await self._shut_out(owner)
            await self._log.shipper.ship(owner)
        late = await self._erase_again(erased.sessions)
        keys = self._log.keys
        for owner in erased.sessions:
            last = (await self._log.database.head(owner)).last_seq
            call = Call("forget", [keys.log(owner), keys.claims(owner), keys.ids], [last])
            await self._log.connection.run_one(call)
        with errors_as_ours():
            await self._rewrite_file()
        return Erased(sessions=erased.sessions, events=erased.events + late)

    async def _shut_out(self, owner: SessionId) -> None:
        """Raise the fence in Redis above that of every owner. A session it does not know has none there."""
        fence = (await self._log.database.head(owner)).fence
        seen = await self._log.fence_in_redis(owner)
        call = Call("raise", [self._log.keys.head(owner)], [max(fence, seen + 1), 0])
        await self._log.connection.run_one(call)

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
