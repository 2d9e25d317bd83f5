"""The turn queue in memory: the reference, and the queue of tests."""

import contextlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from batuta.events.admission import Batch
from batuta.events.envelope import Event
from batuta.events.log import Head
from batuta.events.queue import LEASE, UNFINISHED, Accepted, Lease, NewWork, Work, WorkStatus
from batuta.eventstore import work_rules as rules
from batuta.eventstore.journal import events_of_turn
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.turns import Rule, RuledTurnQueue, canonical, lease_of
from batuta.eventstore.work_rules import Row
from batuta.kernel.errors import IdempotencyConflictError
from batuta.kernel.ids import SessionId


class MemoryTurnQueue(RuledTurnQueue):
    """A `TurnQueue` beside a log in memory."""

    def __init__(self, log: MemoryEventLog, *, kinds: Collection[str] | None = None) -> None:
        self.log = log
        self.kinds = kinds
        self.limits = log.limits
        self.refusals = log.refusals
        self._clock = log.clock
        self._rows = log.store.turns

    async def lease(
        self, owner: str, *, length: timedelta = LEASE, kinds: Collection[str] | None = None
    ) -> Lease | None:
        """See `TurnQueue.lease`."""
        now = self._clock.now()
        ready = [row for row in self._ready(self._wanted(kinds)) if row["not_before"] <= now]
        if not ready:
            return None
        running = Counter(row["user_id"] for row in self._rows.values() if row["status"] == WorkStatus.RUNNING)
        served = {user_id: place for place, user_id in enumerate(self.served.in_order)}

        def urgency(row: Row) -> tuple[int, int, int]:
            user_id = row["user_id"]
            return row["rank"], 0 if user_id is None else running[user_id], served.get(user_id, -1)

        row = min(ready, key=urgency)  # the first of the most urgent: rows keep their order
        changes, lease = lease_of(row, now, owner=owner, fence=self._next_fence(row), length=length)
        row |= changes
        return self.served.note(lease)

    async def _is_any_to_recover(self) -> bool:
        return True  # to look for it costs as much as to do it

    async def _lost_often(self) -> Sequence[Work]:
        return [rules.work_of(row) for row in self._lost() if row["attempts"] >= row["max_attempts"]]

    def _lost(self) -> list[Row]:
        now = self._clock.now()
        return [row for row in self._rows.values() if row["status"] == WorkStatus.RUNNING and row["lease_until"] < now]

    async def _history(self, session_id: str, turn_id: str) -> Sequence[Event]:
        return await events_of_turn(self.log, session_id, turn_id)

    async def _requeue(self) -> tuple[str, ...]:
        now = self._clock.now()
        lost = [row for row in self._lost() if row["attempts"] < row["max_attempts"]]
        asleep = [row for row in self._rows.values() if row["status"] == WorkStatus.PAUSED]
        for row in lost:
            row.update(rules.orphaned(row, now))
        awake = [row for row in asleep if (row["wake_at"] and row["wake_at"] <= now) or self._knows_decision(row)]
        for row in awake:
            row.update(rules.woken(row, now))
        return tuple(row["turn_id"] for row in (*lost, *awake))

    async def now(self) -> datetime:
        """See `TurnQueue.now`."""
        return self._clock.now()

    async def get(self, turn_id: str) -> Work | None:
        """See `TurnQueue.get`."""
        row = self._rows.get(canonical(turn_id))
        return None if row is None else rules.work_of(row)

    async def stopped(self, turn_ids: Collection[str]) -> frozenset[str]:
        """See `TurnQueue.stopped`."""
        asked = {canonical(turn_id) for turn_id in turn_ids} & self._rows.keys()
        return frozenset(turn_id for turn_id in asked if self._rows[turn_id]["is_cancelled"])

    async def find(self, statuses: Collection[WorkStatus], *, limit: int) -> Sequence[Work]:
        """See `TurnQueue.find`."""
        found = [rules.work_of(row) for row in self._rows.values() if row["status"] in statuses]
        return sorted(found, key=lambda work: work.turn_id, reverse=True)[:limit]

    async def depth(self) -> Mapping[WorkStatus, int]:
        """See `TurnQueue.depth`."""
        return Counter(WorkStatus(row["status"]) for row in self._rows.values())

    async def _accept(
        self, work: NewWork, events: Sequence[Event], batch: Batch | None, client_key: str | None
    ) -> Accepted:
        row = rules.new_row(work, events, client_key, self._clock.now())
        existing = self._existing(row)
        if existing is not None:
            return rules.accepted_before(existing, row)
        appended = self.log.store.append(batch) if batch is not None else None
        self._rows[row["turn_id"]] = rules.with_place(row, appended)
        if row["session_id"] is not None and row["user_id"] is not None:
            self.log.store.owners.setdefault(row["session_id"], row["user_id"])
        if batch is not None:
            self.log.store.bells.ring([batch.session_id])
        return rules.accepted(self._rows[row["turn_id"]])

    async def _change(self, turn_id: str, rule: Rule, batches: Sequence[Batch] = ()) -> tuple[Row, bool] | None:
        row = self._rows.get(canonical(turn_id))
        if row is None:
            return None
        changes = rule(dict(row), self._clock.now())
        if changes is not None:
            if rules.is_move(changes):
                self._append(batches)
            row |= changes
        return row, changes is not None

    def _append(self, batches: Sequence[Batch]) -> None:
        for batch in batches:
            with contextlib.suppress(IdempotencyConflictError):  # what its key stands for already stays
                self.log.store.append(batch)
        self.log.store.bells.ring([batch.session_id for batch in batches])

    def _knows_decision(self, row: Row) -> bool:
        decided = self.log.store.tables.get("approvals", {}).get((row["session_id"], row["waiting_for"]))
        return decided is not None and decided.get("resolved_at") is not None

    def _existing(self, row: Row) -> Row | None:
        if row["turn_id"] in self._rows:
            return self._rows[row["turn_id"]]
        claim = (row["session_id"], row["client_key"])
        return (
            next((other for other in self._rows.values() if (other["session_id"], other["client_key"]) == claim), None)
            if None not in claim
            else None
        )

    def _ready(self, kinds: Collection[str] | None) -> Iterator[Row]:
        """Queued work with nothing unfinished before it in its session, in the order it was accepted."""
        busy = {row["session_id"] for row in self._rows.values() if row["status"] == WorkStatus.RUNNING} - {None}
        for row in self._rows.values():
            if row["status"] not in UNFINISHED or row["session_id"] in busy:
                continue
            if row["session_id"] is not None:
                busy.add(row["session_id"])
            if row["status"] == WorkStatus.QUEUED and (kinds is None or row["kind"] in kinds):
                yield row

    def _next_fence(self, row: Row) -> int:
        if row["session_id"] is None:
            return int(row["fence"]) + 1
        session = self.log.store.session(SessionId(row["session_id"]))
        head = session.head
        session.head = Head(epoch=head.epoch, last_seq=head.last_seq, fence=head.fence + 1)
        return session.head.fence
