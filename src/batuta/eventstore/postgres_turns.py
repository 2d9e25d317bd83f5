"""The turn queue in the database of the log: accepting work and appending its events is one transaction.

Locks are taken in one order, the session's owner, the turn's row, the session's head, so that none waits for another
in a circle. Leases expire by the clock of the database, the only one all workers share.

A round trip costs both sides more than most statements do, so the common case of each operation is one statement that
commits by itself. Where a rule has to look at a row first, the row is changed only if it is still the version that the
rule saw (`xmin`); whatever else there may be is decided in a transaction that holds the row.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

import asyncpg

from batuta.events.admission import Batch
from batuta.events.envelope import Event
from batuta.events.log import Appended
from batuta.events.queue import LEASE, Accepted, Lease, NewWork, Outcome, Work, WorkStatus
from batuta.eventstore import work_rules as rules
from batuta.eventstore.decisions import insist
from batuta.eventstore.journal import events_of_turn
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_append import ARGUMENTS, Executor, append_all, append_one, arguments_of
from batuta.eventstore.turns import Rule, RuledTurnQueue, canonical, lease_of
from batuta.eventstore.work_rules import LOOKED_AT, Row
from batuta.kernel.errors import FencedError, StoreUnavailableError
from batuta.kernel.failpoints import failpoint

_NOW = "SELECT clock_timestamp()"
_SELECT = "SELECT * FROM turns WHERE turn_id = $1"
_SELECT_EXISTING = "SELECT * FROM turns WHERE turn_id = $1 OR (session_id = $2 AND client_key = $3)"
_SELECT_READY = f"""
SELECT t.*, t.xmin::text AS version, clock_timestamp() AS now FROM turns t
WHERE t.status = 'queued' AND t.ordinal = ANY (ARRAY(
  SELECT r.ordinal FROM turns r WHERE r.status = 'queued' AND r.not_before <= clock_timestamp()
    AND ($1::text[] IS NULL OR r.kind = ANY ($1)) AND r.ordinal <> ALL ($3::bigint[])
    AND NOT EXISTS (
      SELECT 1 FROM turns e WHERE e.session_id = r.session_id AND e.status IN ('queued', 'running', 'paused')
        AND (e.ordinal < r.ordinal OR e.status = 'running'))
  ORDER BY r.rank, r.ordinal LIMIT {LOOKED_AT}))
ORDER BY t.rank, (SELECT count(*) FROM turns b WHERE b.status = 'running' AND b.user_id = t.user_id),
  array_position($2::text[], t.user_id) NULLS FIRST, t.ordinal
LIMIT 1"""  # noqa: S608 - a constant
_SELECT_OVERDUE = "SELECT * FROM turns t WHERE t.status = 'running' AND t.lease_until < clock_timestamp()"
_SELECT_LOST = f"{_SELECT_OVERDUE} AND t.attempts < t.max_attempts"
_SELECT_LOST_OFTEN = f"{_SELECT_OVERDUE} AND t.attempts >= t.max_attempts"
_SELECT_ASLEEP = """
SELECT t.* FROM turns t WHERE t.status = 'paused' AND (t.wake_at <= clock_timestamp() OR EXISTS (
  SELECT 1 FROM approvals a
  WHERE a.session_id = t.session_id AND a.approval_id = t.waiting_for AND a.resolved_at IS NOT NULL))"""
_IS_ANY_TO_RECOVER = f"SELECT EXISTS ({_SELECT_OVERDUE}) OR EXISTS ({_SELECT_ASLEEP})"
_LOCKED = " FOR UPDATE OF t SKIP LOCKED"
_SELECT_STOPPED = "SELECT turn_id FROM turns WHERE turn_id = ANY ($1) AND is_cancelled"
_SELECT_IN_STATUS = "SELECT * FROM turns WHERE status = ANY ($1) ORDER BY turn_id DESC LIMIT $2"
_TAKEN = "SELECT ordinal FROM turns WHERE ordinal = $1 AND xmin = $2::text::xid FOR UPDATE SKIP LOCKED"
_NEXT_FENCE = """
INSERT INTO log_heads (session_id, epoch, last_seq, fence, link)
SELECT $3, 1, 0, $4::bigint + 1, decode(repeat('00', 32), 'hex') FROM taken
ON CONFLICT (session_id) DO UPDATE SET fence = greatest(log_heads.fence, $4) + 1 RETURNING fence"""
_FINISH = """
UPDATE turns SET status = $4, error = $5, lease_until = NULL, updated_at = clock_timestamp()
WHERE turn_id = $1 AND status = 'running' AND fence = $2 AND owner = $3 RETURNING true"""
_SELECT_VERSION = "SELECT t.*, t.xmin::text AS version, clock_timestamp() AS now FROM turns t WHERE turn_id = $1"
_LOCK_TURN = "SELECT t.*, clock_timestamp() AS now FROM turns t WHERE turn_id = $1 FOR UPDATE"
_LOCK_SESSION = """
INSERT INTO log_heads (session_id, epoch, last_seq, fence, link)
VALUES ($1, 1, 0, 0, decode(repeat('00', 32), 'hex'))
ON CONFLICT (session_id) DO UPDATE SET fence = log_heads.fence"""
_INSERT_OWNER = """
INSERT INTO session_owners (session_id, user_id, tenant_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"""
_TIMES_OF_ACCEPTANCE = ("created_at", "updated_at", "not_before")
_PLACE = ("accepted_epoch", "accepted_seq")
_ACCEPT = """
WITH owned AS (
  INSERT INTO session_owners (session_id, user_id, tenant_id)
  SELECT $10::text, $11::text, $12::text WHERE $11::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING session_id),
-- The session's owner comes first: its row is locked before the session's head, here as everywhere.
appended AS (
  SELECT a.* FROM (SELECT count(*) AS n FROM owned) o,
    LATERAL batuta_append(CASE WHEN o.n >= 0 THEN $1::text[] END, $2, $3, $4, $5, $6, $7, $8, $9) a)
INSERT INTO turns ({columns}, created_at, updated_at, not_before, accepted_epoch, accepted_seq)
SELECT {marks}, now.at, now.at, now.at + $13::interval, appended.at_epoch, appended.at_seq
FROM appended, (SELECT clock_timestamp() AS at) now WHERE appended.verdict = 'appended'
RETURNING created_at, updated_at, not_before, accepted_epoch, accepted_seq"""


class PostgresTurnQueue(RuledTurnQueue):
    """A `TurnQueue` in the database of a log."""

    def __init__(self, log: PostgresEventLog, *, kinds: Collection[str] | None = None) -> None:
        self.log = log
        self.kinds = kinds
        self.limits = log.limits
        self.refusals = log.refusals
        self._database = log.database

    async def lease(
        self, owner: str, *, length: timedelta = LEASE, kinds: Collection[str] | None = None
    ) -> Lease | None:
        """See `TurnQueue.lease`."""
        wanted = self._wanted(kinds)
        chosen = None if wanted is None else list(wanted)
        lost: list[int] = []
        lease = None
        async with self._database.connection() as connection:
            while lease is None:
                found = await connection.fetchrow(_SELECT_READY, chosen, list(self.served.in_order), lost)
                if found is None:
                    return None
                row, now = _with_time(found)
                lost.append(row["ordinal"])  # if another worker takes it meanwhile
                lease = await self._take(connection, row, now, owner, length)
        failpoint("queue.lease.after_commit")
        return self.served.note(lease)

    async def _take(self, connection: Executor, row: Row, now: datetime, owner: str, length: timedelta) -> Lease | None:
        """Lease a row that is still as it was found, with a token that no earlier owner had.

        For a turn the session's fence rises too, which shuts earlier owners out.
        """
        version, session_id = row.pop("version"), row["session_id"]
        changes = {**rules.leased(row, now, owner=owner, fence=row["fence"] + 1, length=length), "updated_at": now}
        if session_id is None:
            is_taken = await _update_version(connection, row["ordinal"], version, changes)
            return lease_of(row, now, owner=owner, fence=changes["fence"], length=length)[1] if is_taken else None
        del changes["fence"]
        seen = await self._fence_beside(session_id)
        fence = await connection.fetchval(
            f"WITH taken AS ({_TAKEN}), fenced AS ({_NEXT_FENCE}) "  # noqa: S608 - names of our own
            f"UPDATE turns t SET {_assignments(changes, 5)}, fence = fenced.fence FROM taken, fenced "
            "WHERE t.ordinal = taken.ordinal RETURNING t.fence",
            row["ordinal"],
            version,
            session_id,
            seen,
            *changes.values(),
        )
        return None if fence is None else lease_of(row, now, owner=owner, fence=fence, length=length)[1]

    async def finish(self, lease: Lease, outcome: Outcome, events: Sequence[Event] = (), *, error: str = "") -> None:
        """See `TurnQueue.finish`. Its owner finishes a turn by one statement; what else there may be, the rule says."""
        if events or not await self._finish_own(lease, outcome, error):
            await super().finish(lease, outcome, events, error=error)

    async def _finish_own(self, lease: Lease, outcome: Outcome, error: str) -> bool:
        asked = (canonical(lease.work.turn_id), lease.fence, lease.owner, WorkStatus(outcome).value, error or None)
        failpoint("queue.change.before_commit")
        async with self._database.connection() as connection:
            is_finished = bool(await connection.fetchval(_FINISH, *asked))
        failpoint("queue.change.after_commit")
        return is_finished

    async def _lost_often(self) -> Sequence[Work]:
        async with self._database.connection() as connection:
            rows = await connection.fetch(_SELECT_LOST_OFTEN)
        return [rules.work_of(dict(row)) for row in rows]

    async def _history(self, session_id: str, turn_id: str) -> Sequence[Event]:
        return await events_of_turn(self.log, session_id, turn_id)

    async def _is_any_to_recover(self) -> bool:
        async with self._database.connection() as connection:
            return bool(await connection.fetchval(_IS_ANY_TO_RECOVER))

    async def _requeue(self) -> tuple[str, ...]:
        async with self._database.transaction() as connection:
            now = await now_at(connection)
            lost = [dict(row) for row in await connection.fetch(_SELECT_LOST + _LOCKED)]
            asleep = [dict(row) for row in await connection.fetch(_SELECT_ASLEEP + _LOCKED)]
            after = [(row, rules.orphaned(row, now)) for row in lost]
            after += [(row, rules.woken(row, now)) for row in asleep]
            for row, changes in after:
                await _update(connection, row, changes, now)
        return tuple(row["turn_id"] for row, _ in after)

    async def now(self) -> datetime:
        """See `TurnQueue.now`."""
        async with self._database.connection() as connection:
            return await now_at(connection)

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
            answer = None if batch is None else await self._accept_new(work, events, batch)
            if answer is None:
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

    async def _accept_new(self, work: NewWork, events: Sequence[Event], batch: Batch) -> Accepted | None:
        """Accept work that was not accepted before, in one statement; nothing is done if it may have been."""
        row = rules.new_row(work, events, batch.client_key, self.log.clock.now())
        for name in (*_TIMES_OF_ACCEPTANCE, *_PLACE):
            del row[name]
        row["accepted_count"] = len(batch.entries)
        given = (row["session_id"], row["user_id"], row["tenant_id"], work.delay)
        begin = ARGUMENTS + len(given) + 1
        marks = ", ".join(f"${number}" for number in range(begin, begin + len(row)))
        async with self._database.connection() as connection:
            try:
                found = await connection.fetchrow(
                    _ACCEPT.format(columns=", ".join(row), marks=marks),
                    *arguments_of([batch]),
                    *given,
                    *row.values(),
                )
            except asyncpg.UniqueViolationError:
                return None
        return None if found is None else rules.accepted({**row, **found})

    async def _change(self, turn_id: str, rule: Rule, batches: Sequence[Batch] = ()) -> tuple[Row, bool] | None:
        if not batches and (changed := await self._change_version(turn_id, rule)) is not None:
            return changed, True
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

    async def _change_version(self, turn_id: str, rule: Rule) -> Row | None:
        """Apply a rule to a row that no one changes at the moment. Nothing is done, and nothing said, otherwise."""
        async with self._database.connection() as connection:
            found = await connection.fetchrow(_SELECT_VERSION, canonical(turn_id))
            if found is None:
                return None
            row, now = _with_time(found)
            version = row.pop("version")
            try:
                changes = rule(row, now)
            except FencedError:
                return None
            if changes is None:
                return None
            failpoint("queue.change.before_commit")
            if not await _update_version(connection, row["ordinal"], version, {**changes, "updated_at": now}):
                return None
        failpoint("queue.change.after_commit")
        return {**row, **changes}

    async def _append(self, connection: Executor, batches: Sequence[Batch]) -> Sequence[Appended | BaseException]:
        """Append within the transaction that changes the turn."""
        return await append_all(connection, batches)

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
    statement = f"UPDATE turns SET {_assignments(changes, 2)} WHERE ordinal = $1"  # noqa: S608 - names of our own
    await connection.execute(statement, row["ordinal"], *changes.values())


async def _update_version(connection: Executor, ordinal: int, version: str, changes: Row) -> bool:
    """Change a row if it is still this version of it; says whether it was."""
    statement = (
        f"UPDATE turns SET {_assignments(changes, 3)} "  # noqa: S608 - names of our own
        "WHERE ordinal = $1 AND xmin = $2::text::xid RETURNING true"
    )
    return bool(await connection.fetchval(statement, ordinal, version, *changes.values()))


def _assignments(changes: Row, first: int) -> str:
    return ", ".join(f"{name} = ${number}" for number, name in enumerate(changes, first))
