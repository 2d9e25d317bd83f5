"""The turn queue in the SQLite file of the log: accepting work and appending its events is one transaction."""

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from batuta.events.admission import Batch
from batuta.events.envelope import Event
from batuta.events.log import Head
from batuta.events.queue import LEASE, Accepted, Lease, NewWork, Work, WorkStatus
from batuta.eventstore import sqlite_append
from batuta.eventstore import work_rules as rules
from batuta.eventstore.decisions import insist
from batuta.eventstore.journal import events_of_turn
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_append import SqliteAppends, adapted_row, stamp
from batuta.eventstore.turns import Rule, RuledTurnQueue, canonical, lease_of
from batuta.eventstore.work_rules import Row

_TIMES = ("not_before", "lease_until", "wake_at", "created_at", "updated_at")

_SELECT = "SELECT * FROM turns WHERE turn_id = ?"
_SELECT_EXISTING = "SELECT * FROM turns WHERE turn_id = ? OR (session_id = ? AND client_key = ?)"
_SELECT_READY = """
SELECT t.* FROM turns t LEFT JOIN json_each(?) s ON s.value = t.user_id WHERE t.ordinal IN (
  SELECT r.ordinal FROM turns r WHERE r.status = 'queued' AND r.not_before <= ? AND (? IS NULL OR r.kind IN ({}))
    AND NOT EXISTS (
      SELECT 1 FROM turns e WHERE e.session_id = r.session_id AND e.status IN ('queued', 'running', 'paused')
        AND (e.ordinal < r.ordinal OR e.status = 'running'))
  ORDER BY r.rank, r.ordinal LIMIT 1000)
ORDER BY t.rank, (SELECT count(*) FROM turns b WHERE b.status = 'running' AND b.user_id = t.user_id),
  COALESCE(s.key, -1), t.ordinal
LIMIT 1"""
_IS_ANY_QUEUED = "SELECT 1 FROM turns WHERE status = 'queued' LIMIT 1"
_SELECT_OVERDUE = "SELECT * FROM turns WHERE status = 'running' AND lease_until < ?"
_SELECT_LOST = f"{_SELECT_OVERDUE} AND attempts < max_attempts"
_SELECT_LOST_OFTEN = f"{_SELECT_OVERDUE} AND attempts >= max_attempts"
_SELECT_ASLEEP = """
SELECT t.* FROM turns t WHERE t.status IN ('queued', 'running', 'paused') AND t.status = 'paused' AND (
  t.wake_at <= ? OR EXISTS (
  SELECT 1 FROM approvals a
  WHERE a.session_id = t.session_id AND a.approval_id = t.waiting_for AND a.resolved_at IS NOT NULL))"""
_IS_ANY_TO_RECOVER = f"SELECT EXISTS ({_SELECT_OVERDUE}) OR EXISTS ({_SELECT_ASLEEP})"
_SELECT_STOPPED = "SELECT turn_id FROM turns WHERE turn_id IN ({}) AND is_cancelled"
_SELECT_IN_STATUS = "SELECT * FROM turns WHERE status IN ({}) ORDER BY turn_id DESC LIMIT ?"
_INSERT_OWNER = "INSERT OR IGNORE INTO session_owners (session_id, user_id, tenant_id) VALUES (?, ?, ?)"


class SqliteTurnQueue(RuledTurnQueue):
    """A `TurnQueue` in the file of a log."""

    def __init__(self, log: SqliteEventLog, *, kinds: Collection[str] | None = None) -> None:
        self.log = log
        self.kinds = kinds
        self.limits = log.limits
        self.refusals = log.refusals
        self._database = log.database
        self._clock = log.clock

    async def lease(
        self, owner: str, *, length: timedelta = LEASE, kinds: Collection[str] | None = None
    ) -> Lease | None:
        """See `TurnQueue.lease`."""
        now = self._clock.now()
        asked = self._wanted(kinds)
        wanted = None if asked is None else tuple(asked)
        if not await self._database.look_up(lambda connection: connection.execute(_IS_ANY_QUEUED).fetchone()):
            return None  # most looks find nothing: they need no transaction, and do not wait behind the writer
        served = json.dumps(self.served.in_order)
        lease = await self._database.write(lambda connection: _lease(connection, now, owner, length, wanted, served))
        return self.served.note(lease)

    async def _is_any_to_recover(self) -> bool:
        now = stamp(self._clock.now())
        found = await self._database.look_up(
            lambda connection: connection.execute(_IS_ANY_TO_RECOVER, (now, now)).fetchone()
        )
        return bool(found[0])

    async def _lost_often(self) -> Sequence[Work]:
        now = stamp(self._clock.now())
        rows = await self._database.read(lambda connection: _many(connection, _SELECT_LOST_OFTEN, now))
        return [rules.work_of(row) for row in rows]

    async def _requeue(self) -> tuple[str, ...]:
        now = self._clock.now()
        return await self._database.write(lambda connection: _requeue(connection, now))

    async def _history(self, session_id: str, turn_id: str) -> Sequence[Event]:
        return await events_of_turn(self.log, session_id, turn_id)

    async def now(self) -> datetime:
        """See `TurnQueue.now`."""
        return self._clock.now()

    async def get(self, turn_id: str) -> Work | None:
        """See `TurnQueue.get`."""
        wanted = canonical(turn_id)
        row = await self._database.look_up(lambda connection: _one(connection, _SELECT, wanted))
        return None if row is None else rules.work_of(row)

    async def stopped(self, turn_ids: Collection[str]) -> frozenset[str]:
        """See `TurnQueue.stopped`."""
        asked = [canonical(turn_id) for turn_id in turn_ids]
        query = _SELECT_STOPPED.format(",".join("?" * len(asked)))
        rows = await self._database.look_up(lambda connection: connection.execute(query, asked).fetchall())
        return frozenset(turn_id for (turn_id,) in rows)

    async def find(self, statuses: Collection[WorkStatus], *, limit: int) -> Sequence[Work]:
        """See `TurnQueue.find`."""
        query = _SELECT_IN_STATUS.format(",".join("?" * len(statuses)))
        asked = (*(status.value for status in statuses), limit)
        rows = await self._database.read(lambda connection: _many(connection, query, *asked))
        return [rules.work_of(row) for row in rows]

    async def depth(self) -> Mapping[WorkStatus, int]:
        """See `TurnQueue.depth`."""
        query = "SELECT status, count(*) FROM turns GROUP BY status"
        rows = await self._database.read(lambda connection: connection.execute(query).fetchall())
        return {WorkStatus(status): count for status, count in rows}

    async def _accept(
        self, work: NewWork, events: Sequence[Event], batch: Batch | None, client_key: str | None
    ) -> Accepted:
        row = rules.new_row(work, events, client_key, self._clock.now())
        answer = await self._database.write(
            lambda connection: _accept(connection, self.log.appends, row, batch), weight=max(1, len(events))
        )
        if batch is not None:
            self.log.bells.ring([batch.session_id])
        return answer

    async def _change(self, turn_id: str, rule: Rule, batches: Sequence[Batch] = ()) -> tuple[Row, bool] | None:
        now, wanted, appends = self._clock.now(), canonical(turn_id), self.log.appends
        changed = await self._database.write(
            lambda connection: _change(connection, appends, wanted, rule, batches, now)
        )
        self.log.bells.ring([batch.session_id for batch in batches])
        return changed


def _accept(connection: sqlite3.Connection, appends: SqliteAppends, row: Row, batch: Batch | None) -> Accepted:
    existing = _one(connection, _SELECT_EXISTING, row["turn_id"], row["session_id"], row["client_key"])
    if existing is not None:
        return rules.accepted_before(existing, row)
    appended = appends.append(connection, batch) if batch is not None else None
    row = rules.with_place(row, appended)
    marks = ", ".join("?" * len(row))
    values = adapted_row(row.values())
    connection.execute(f"INSERT INTO turns ({', '.join(row)}) VALUES ({marks})", values)  # noqa: S608 - our names
    if row["session_id"] is not None and row["user_id"] is not None:
        connection.execute(_INSERT_OWNER, (row["session_id"], row["user_id"], row["tenant_id"]))
    return rules.accepted(row)


def _lease(
    connection: sqlite3.Connection,
    now: datetime,
    owner: str,
    length: timedelta,
    kinds: tuple[str, ...] | None,
    served: str,
) -> Lease | None:
    query = _SELECT_READY.format(",".join("?" * len(kinds or ())))
    row = _one(connection, query, served, stamp(now), None if kinds is None else 1, *(kinds or ()))
    if row is None:
        return None
    fence = _next_fence(connection, row)
    changes, lease = lease_of(row, now, owner=owner, fence=fence, length=length)
    _update(connection, row, changes, now)
    return lease


def _next_fence(connection: sqlite3.Connection, row: Row) -> int:
    """A token no earlier owner had. For a turn the session's fence rises with it, which shuts earlier owners out."""
    if row["session_id"] is None:
        return int(row["fence"]) + 1
    state = sqlite_append.state_of(connection, row["session_id"])
    fence = state.head.fence + 1
    head = Head(epoch=state.head.epoch, last_seq=state.head.last_seq, fence=fence)
    sqlite_append.put_head(connection, row["session_id"], head, state.link)
    return fence


def _change(
    connection: sqlite3.Connection,
    appends: SqliteAppends,
    turn_id: str,
    rule: Rule,
    batches: Sequence[Batch],
    now: datetime,
) -> tuple[Row, bool] | None:
    row = _one(connection, _SELECT, turn_id)
    if row is None:
        return None
    changes = rule(row, now)
    if changes is None:
        return row, False
    if batches and rules.is_move(changes):
        insist(appends.append_all(connection, batches))
    _update(connection, row, changes, now)
    return {**row, **changes}, True


def _requeue(connection: sqlite3.Connection, now: datetime) -> tuple[str, ...]:
    lost = _many(connection, _SELECT_LOST, stamp(now))
    asleep = _many(connection, _SELECT_ASLEEP, stamp(now))
    after = [(row, rules.orphaned(row, now)) for row in lost] + [(row, rules.woken(row, now)) for row in asleep]
    for row, changes in after:
        _update(connection, row, changes, now)
    return tuple(row["turn_id"] for row, _ in after)


def _update(connection: sqlite3.Connection, row: Row, changes: Row, now: datetime) -> None:
    changes = {**changes, "updated_at": now}
    columns = ", ".join(f"{name} = ?" for name in changes)
    values = adapted_row(changes.values())
    connection.execute(f"UPDATE turns SET {columns} WHERE ordinal = ?", (*values, row["ordinal"]))  # noqa: S608


def _one(connection: sqlite3.Connection, query: str, *arguments: Any) -> Row | None:
    rows = _many(connection, query, *arguments)
    return rows[0] if rows else None


def _many(connection: sqlite3.Connection, query: str, *arguments: Any) -> list[Row]:
    cursor = connection.execute(query, arguments)
    names = [column[0] for column in cursor.description]
    return [_row(dict(zip(names, values, strict=True))) for values in cursor.fetchall()]


def _row(row: Row) -> Row:
    times = {name: datetime.fromisoformat(row[name]) for name in _TIMES if row[name] is not None}
    return {**row, **times}
