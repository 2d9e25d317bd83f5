"""The turn queue beside the Redis log: turns are rows in PostgreSQL, their events are in Redis.

No transaction spans the two. A new turn's row comes first and carries the events with it: it is the acceptance.
Its next owner, or who stops it, appends what is missing, under ids that make a repetition harmless, before anything
else happens. A turn's end comes first in Redis, while its row is locked: a turn whose row does not say so yet is over
for its next owner.
"""

import json
from collections.abc import Collection, Sequence
from datetime import timedelta

import asyncpg

from batuta.events.admission import Batch, admit
from batuta.events.catalogue import decode
from batuta.events.envelope import Event
from batuta.events.log import Appended
from batuta.events.queue import LEASE, Accepted, Ending, Lease, NewWork, WorkStatus
from batuta.eventstore import work_rules as rules
from batuta.eventstore.journal import events_of_turn
from batuta.eventstore.postgres_append import Executor
from batuta.eventstore.postgres_turns import PostgresTurnQueue, insert_turn, now_at
from batuta.eventstore.redis import RedisEventLog
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.failpoints import failpoint

LEASE_ATTEMPTS = 3
"""How often a token that another owner overtook is replaced by a higher one; the next look at the queue goes on."""

_SELECT_PENDING = """
SELECT accepted_events, client_key FROM turns
WHERE turn_id = $1 AND accepted_seq IS NULL AND accepted_events IS NOT NULL"""
_NOTE_PLACE = """
UPDATE turns SET accepted_epoch = $2, accepted_seq = $3, accepted_count = $4, accepted_events = NULL
WHERE turn_id = $1"""
_SELECT = "SELECT * FROM turns WHERE turn_id = $1"


class RedisTurnQueue(PostgresTurnQueue):
    """A `TurnQueue` for a log in Redis, in the database it is shipped to."""

    def __init__(self, log: RedisEventLog, *, kinds: Collection[str] | None = None) -> None:
        super().__init__(log.database, kinds=kinds)
        self.limits = log.limits
        self.refusals = log.refusals
        self._redis = log

    async def lease(
        self, owner: str, *, length: timedelta = LEASE, kinds: Collection[str] | None = None
    ) -> Lease | None:
        """See `TurnQueue.lease`. The session's fence rises in Redis, and what was accepted is appended there."""
        for _ in range(LEASE_ATTEMPTS):
            lease = await super().lease(owner, length=length, kinds=kinds)
            if lease is None or lease.work.session_id is None:
                return lease
            if await self._redis.highest_fence(lease.work.session_id, lease.fence) == lease.fence:
                await self._append_accepted(lease.work.turn_id, lease.work.session_id)
                return lease
            # Redis saw a higher token between the look at it and now: this lease could append nothing.
            await self.release(lease)
        return None

    async def _accept(
        self, work: NewWork, events: Sequence[Event], batch: Batch | None, client_key: str | None
    ) -> Accepted:
        try:
            async with self._database.transaction() as connection:
                row = rules.new_row(work, events, client_key, await now_at(connection))
                row["accepted_events"] = None if batch is None else json.dumps([e.payload for e in batch.entries])
                answer = await insert_turn(connection, row, None)
        except asyncpg.UniqueViolationError as error:
            raise StoreUnavailableError(f"turn {work.turn_id} is being accepted elsewhere: send it again") from error
        failpoint("queue.accept.after_commit")
        if answer.work.session_id is not None:
            await self._append_accepted(answer.work.turn_id, answer.work.session_id)
        async with self._database.connection() as connection:
            (stored,) = await connection.fetch(_SELECT, answer.work.turn_id)
        return rules.accepted(dict(stored))

    async def cancel(self, turn_id: str, ending: Ending | None = None) -> WorkStatus | None:
        """See `TurnQueue.cancel`. What was accepted comes before the end."""
        if ending is not None and ending.work.session_id is not None:
            await self._append_accepted(ending.work.turn_id, ending.work.session_id)
        return await super().cancel(turn_id, ending)

    async def _history(self, session_id: str, turn_id: str) -> Sequence[Event]:
        """What was accepted comes before whatever is appended next."""
        await self._append_accepted(turn_id, session_id)
        return await events_of_turn(self._redis, session_id, turn_id)

    async def _append(self, connection: Executor, batches: Sequence[Batch]) -> Sequence[Appended | BaseException]:
        """In Redis, while the turn's row is locked; if the row cannot be changed then, the same events come again."""
        return await self._redis.append_together(batches)

    async def _fence_beside(self, session_id: str) -> int:
        """Redis is ahead of the database: a lease below its token would be refused at the first append."""
        return await self._redis.fence_in_redis(session_id)

    async def _append_accepted(self, turn_id: str, session_id: str) -> None:
        """Append what was accepted with a turn, if that has not been done yet."""
        async with self._database.connection() as connection:
            pending = await connection.fetchrow(_SELECT_PENDING, turn_id)
        if pending is None:
            return
        events = [decode(payload) for payload in json.loads(pending["accepted_events"])]
        batch = admit(session_id, events, client_key=pending["client_key"], limits=self.limits)
        appended = await self._redis.append_batch(batch)
        where = (appended.epoch, appended.first_seq, appended.count)
        async with self._database.connection() as connection:
            await connection.execute(_NOTE_PLACE, turn_id, *where)
