"""The turn queue in the database of the log: accepting work and appending its events is one transaction.

Locks are taken in one order, the session's owner, the turn's row, the session's head, so that none waits for another
in a circle. Leases expire by the clock of the database, the only one all workers share.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import asyncpg

from batuta.events.admission import Batch
from batuta.events.envelope import Event
from batuta.events.log import Appended
from batuta.events.queue import LEASE, Accepted, Lease, NewWork, Work, WorkStatus
from batuta.eventstore import work_rules as rules
from batuta.eventstore.decisions import insist
from batuta.eventstore.fairness import LOOKED_AT
from batuta.eventstore.journal import events_of_turn
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_append import Executor, append_all, append_one
from batuta.eventstore.turns import Rule, RuledTurnQueue, canonical, lease_of
from batuta.eventstore.work_rules import Row
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.failpoints import failpoint

_NOW = "SELECT clock_timestamp()"
_SELECT = "SELECT * FROM turns WHERE turn_id = $1"
_SELECT_EXISTING = "SELECT * FROM turns WHERE turn_id = $1 OR (session_id = $2 AND client_key = $3)"
_IS_READY = """
SELECT true FROM turns t WHERE t.status = 'queued' AND t.not_before <= clock_timestamp()
  AND ($1::text[] IS NULL OR t.kind = ANY ($1)) LIMIT 1"""
_SELECT_READY = f"""
SELECT t.*, clock_timestamp() AS now FROM turns t WHERE t.status = 'queued' AND t.ordinal = ANY (ARRAY(
  SELECT r.ordinal FROM turns r WHERE r.status = 'queued' AND r.not_before <= clock_timestamp()
    AND ($1::text[] IS NULL OR r.kind = ANY ($1))
    AND NOT EXISTS (
      SELECT 1 FROM turns e WHERE e.session_id = r.session_id AND e.status IN ('queued', 'running', 'paused')
        AND (e.ordinal < r.ordinal OR e.status = 'running'))
  ORDER BY r.rank, r.ordinal LIMIT {LOOKED_AT}))
ORDER BY t.rank, (SELECT count(*) FROM turns b WHERE b.status = 'running' AND b.user_id = t.user_id),
  array_position($2::text[], t.user_id) NULLS FIRST, t.ordinal
LIMIT 1 FOR UPDATE OF t SKIP LOCKED"""  # noqa: S608 - a constant
_SELECT_LOST = """
SELECT * FROM turns WHERE status = 'running' AND lease_until < clock_timestamp() AND attempts < max_attempts
FOR UPDATE SKIP LOCKED"""
_SELECT_LOST_FOR_GOOD = """
SELECT * FROM turns WHERE status = 'running' AND lease_until < clock_timestamp() AND attempts >= max_attempts"""
_SELECT_ASLEEP = """
SELECT t.* FROM turns t WHERE t.status = 'paused' AND (t.wake_at <= clock_timestamp() OR EXISTS (
  SELECT 1 FROM approvals a
  WHERE a.session_id = t.session_id AND a.approval_id = t.waiting_for AND a.resolved_at IS NOT NULL))
FOR UPDATE OF t SKIP LOCKED"""
_SELECT_STOPPED = "SELECT turn_id FROM turns WHERE turn_id = ANY ($1) AND is_cancelled"
_SELECT_IN_STATUS = "SELECT * FROM turns WHERE status = ANY ($1) ORDER BY turn_id DESC LIMIT $2"
_NEXT_FENCE = """
INSERT INTO log_heads VALUES ($1, 1, 0, $2::bigint + 1, decode(repeat('00', 32), 'hex'))
ON CONFLICT (session_id) DO UPDATE SET fence = greatest(log_heads.fence, $2) + 1 RETURNING fence"""
_LOCK_TURN = "SELECT t.*, clock_timestamp() AS now FROM turns t WHERE turn_id = $1 FOR UPDATE"
_LOCK_SESSION = """
INSERT INTO log_heads VALUES ($1, 1, 0, 0, decode(repeat('00', 32), 'hex'))
ON CONFLICT (session_id) DO UPDATE SET fence = log_heads.fence"""
_INSERT_OWNER = """
INSERT INTO session_owners (session_id, user_id, tenant_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"""


class PostgresTurnQueue(RuledTurnQueue):
    """A `TurnQueue` in the database of a log."""

    def __init__(self, log: PostgresEventLog, *, kinds: Collection[str] | None = None) -> None:
        self.log = log
        self.kinds = kinds
        self.limits = log.limits
        self._database = log.database

    async def lease(
        self, owner: str, *, length: timedelta = LEASE, kinds: Collection[str] | None = None
    ) -> Lease | None:
        """See `TurnQueue.lease`."""
        wanted = self._wanted(kinds)
        chosen = None if wanted is None else list(wanted)
        async with self._database.connection() as connection:
            if not await connection.fetchval(_IS_READY, chosen):  # an idle look is one round trip and no transaction
                return None
            async with connection.transaction():
                lease = await self._lease_next(connection, chosen, owner, length)
        failpoint("queue.lease.after_commit")
        return self.served.note(lease)

    async def _lease_next(
        self, connection: Executor, kinds: list[str] | None, owner: str, length: timedelta
    ) -> Lease | None:
        found = await connection.fetchrow(_SELECT_READY, kinds, list(self.served.in_order))
        if found is None:
            return None
        row, now = _with_time(found)
        fence = await self._next_fence(connection, row)
        changes, lease = lease_of(row, now, owner=owner, fence=fence, length=length)
        await _update(connection, row, changes, now)
        return lease

    async def _lost_for_good(self) -> Sequence[Work]:
        async with self._database.connection() as connection:
            rows = await connection.fetch(_SELECT_LOST_FOR_GOOD)
        return [rules.work_of(dict(row)) for row in rows]

    async def _history(self, session_id: str, turn_id: str) -> Sequence[Event]:
        return await events_of_turn(self.log, session_id, turn_id)

    async def _requeue(self) -> tuple[str, ...]:
        async with self._database.transaction() as connection:
            now = await now_at(connection)
            lost = [dict(row) for row in await connection.fetch(_SELECT_LOST)]
            asleep = [dict(row) for row in await connection.fetch(_SELECT_ASLEEP)]
            after = [(row, rules.orphaned(row, now)) for row in lost]
            after += [(row, rules.woken(row, now)) for row in asleep]
            for row, changes in after:
                await _update(connection, row, changes, now)
        return tuple(row["turn_id"] for row, _ in after)

    async def get(self, turn_id: str) -> Work | None:
        """See `TurnQueue.get`."""
        async with self._database.connection() as connection:
            row = await connection.fetchrow(_SELECT, canonical(turn_id))
        return None if row is None else rules.work_of(dict(row))

    async def stopped(self, turn_ids: Collection[str]) -> frozenset[str]:
        """See `TurnQueue.stopped`."""
        async with self._database.connection() as connection:
            rows = await connection.fetch(_SELECT_STOPPED, [canonical(turn_id) for turn_id in turn_ids])
        return frozenset(row["turn_id"] for row in rows)

    async def find(self, statuses: Collection[WorkStatus], *, limit: int) -> Sequence[Work]:
        """See `TurnQueue.find`."""
        async with self._database.connection() as connection:
            rows = await connection.fetch(_SELECT_IN_STATUS, [status.value for status in statuses], limit)
        return [rules.work_of(dict(row)) for row in rows]

    async def depth(self) -> Mapping[WorkStatus, int]:
        """See `TurnQueue.depth`."""
        async with self._database.connection() as connection:
            rows = await connection.fetch("SELECT status, count(*) AS n FROM turns GROUP BY status")
        return {WorkStatus(row["status"]): row["n"] for row in rows}

    async def _accept(
        self, work: NewWork, events: Sequence[Event], batch: Batch | None, client_key: str | None
    ) -> Accepted:
        try:
            async with self._database.transaction() as connection:
                row = rules.new_row(work, events, client_key, await now_at(connection))
                answer = await insert_turn(connection, row, batch)
        except asyncpg.UniqueViolationError as error:
            # Two processes accepted the same turn id at once; the other one was first.
            raise StoreUnavailableError(f"turn {work.turn_id} is being accepted elsewhere: send it again") from error
        failpoint("queue.accept.after_commit")
        if batch is not None:
            self.log.bells.ring([batch.session_id])
        return answer

    async def _change(self, turn_id: str, rule: Rule, batches: Sequence[Batch] = ()) -> tuple[Row, bool] | None:
        async with self._database.transaction() as connection:
            found = await connection.fetchrow(_LOCK_TURN, canonical(turn_id))
            if found is None:
                return None
            row, now = _with_time(found)
            changes = rule(row, now)
            if changes is None:
                return row, False
            if batches and rules.is_move(changes):
                insist(await self._append(connection, batches))
            await _update(connection, row, changes, now)
            failpoint("queue.change.before_commit")
        failpoint("queue.change.after_commit")
        self.log.bells.ring([batch.session_id for batch in batches])
        return {**row, **changes}, True

    async def _append(self, connection: Executor, batches: Sequence[Batch]) -> Sequence[Appended | BaseException]:
        """Append within the transaction that changes the turn."""
        return await append_all(connection, batches)

    async def _next_fence(self, connection: Executor, row: Row) -> int:
        """A token no earlier owner had. For a turn the session's fence rises too, which shuts earlier owners out."""
        if row["session_id"] is None:
            return int(row["fence"]) + 1
        seen = await self._fence_beside(row["session_id"])
        fence: int = await connection.fetchval(_NEXT_FENCE, row["session_id"], seen)
        return fence

    async def _fence_beside(self, session_id: str) -> int:
        """The highest token of a session that its log has seen and the database may not know yet."""
        return 0


async def insert_turn(connection: Executor, row: Row, batch: Batch | None) -> Accepted:
    """Insert the row, and append its events, unless the work was accepted before."""
    if row["session_id"] is not None:
        if row["user_id"] is not None:
            await connection.execute(_INSERT_OWNER, row["session_id"], row["user_id"], row["tenant_id"])
        # Also for work without events: the order of numbers must be the order of commits within a session.
        await connection.execute(_LOCK_SESSION, row["session_id"])
    existing = await connection.fetchrow(_SELECT_EXISTING, row["turn_id"], row["session_id"], row["client_key"])
    if existing is not None:
        return rules.accepted_before(dict(existing), row)
    appended = await append_one(connection, batch) if batch is not None else None
    row = rules.with_place(row, appended)
    marks = ", ".join(f"${number}" for number in range(1, len(row) + 1))
    await connection.execute(f"INSERT INTO turns ({', '.join(row)}) VALUES ({marks})", *row.values())  # noqa: S608
    return rules.accepted(row)


def _with_time(found: asyncpg.Record) -> tuple[Row, datetime]:
    """A turn's row, and the time of the database when it was read."""
    row = dict(found)
    now: datetime = row.pop("now")
    return row, now


async def now_at(connection: Executor) -> datetime:
    """The time of the database."""
    now: datetime = await connection.fetchval(_NOW)
    return now


async def _update(connection: Executor, row: Row, changes: Row, now: datetime) -> None:
    changes = {**changes, "updated_at": now}
    columns = ", ".join(f"{name} = ${number}" for number, name in enumerate(changes, 2))
    values: tuple[Any, ...] = tuple(changes.values())
    await connection.execute(f"UPDATE turns SET {columns} WHERE ordinal = $1", row["ordinal"], *values)  # noqa: S608
