"""The rules of the turn queue: what each operation makes of a row. Pure, so that every store follows the same.

A rule gets the row and the time and returns the columns that change, or nothing; a store runs it in a transaction.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from batuta.events.admission import content_digest
from batuta.events.envelope import Event
from batuta.events.log import Appended
from batuta.events.queue import UNFINISHED, Accepted, Ending, Lease, NewWork, Outcome, Work, WorkStatus
from batuta.kernel.errors import FencedError, IdempotencyConflictError
from batuta.kernel.ids import canonical_id, session_id

Row = dict[str, Any]
"""A row of the table `turns`, by column."""


def new_row(work: NewWork, events: Sequence[Event], client_key: str | None, now: datetime) -> Row:
    """The row of work that was just accepted."""
    if events and work.session_id is None:
        raise ValueError("events belong to a session: give the work one")
    if work.max_attempts < 1:
        raise ValueError(f"work is tried at least once, got max_attempts={work.max_attempts}")
    if _CONTEXT in work.payload:
        raise ValueError(f"{_CONTEXT!r} is a name of the queue's own: call that field of the payload otherwise")
    payload = _json(work.payload)
    said = f"{work.kind}\n{payload}\n".encode("utf-8", "surrogatepass")
    return {
        "turn_id": canonical_id(work.turn_id),
        "session_id": None if work.session_id is None else session_id(work.session_id),
        "kind": work.kind,
        "payload": _json({**work.payload, _CONTEXT: dict(work.context)}) if work.context else payload,
        "client_key": client_key,
        "content": hashlib.sha256(said + content_digest(events)).digest(),
        "user_id": work.user_id,
        "tenant_id": work.tenant_id,
        "status": WorkStatus.QUEUED,
        "rank": -work.priority,
        "attempts": 0,
        "max_attempts": work.max_attempts,
        "not_before": now + work.delay,
        "fence": 0,
        "owner": None,
        "lease_until": None,
        "waiting_for": None,
        "wake_at": None,
        "resumed_by": None,
        "error": None,
        "is_cancelled": False,
        "accepted_epoch": None,
        "accepted_seq": None,
        "accepted_count": None,
        "accepted_events": None,
        "created_at": now,
        "updated_at": now,
    }


def with_place(row: Row, appended: Appended | None) -> Row:
    """The row that also says where its events are."""
    if appended is None:
        return row
    where = {"epoch": appended.epoch, "seq": appended.first_seq, "count": appended.count}
    return {**row, **{f"accepted_{name}": value for name, value in where.items()}}


def accepted_before(existing: Row, row: Row) -> Accepted:
    """The answer to work that was sent again. Raises `IdempotencyConflictError` if it is other work."""
    if existing["content"] != row["content"]:
        raise IdempotencyConflictError(
            f"turn {existing['turn_id']} (client key {existing['client_key']!r}) stands for other work: use a new key"
        )
    return accepted(existing)


def accepted(row: Row) -> Accepted:
    """The answer to accepted work, as it was then: it does not change because the work went on meanwhile."""
    fresh = replace(
        work_of(row),
        status=WorkStatus.QUEUED,
        attempts=0,
        waiting_for=None,
        resumed_by=None,
        error=None,
        is_cancelled=False,
        fence=0,
        not_before=row["created_at"],
    )
    if row["accepted_seq"] is None:
        return Accepted(work=fresh, appended=None)
    where = Appended(epoch=row["accepted_epoch"], first_seq=row["accepted_seq"], count=row["accepted_count"])
    return Accepted(work=fresh, appended=where)


def work_of(row: Row) -> Work:
    """The work a row tells of."""
    payload = json.loads(row["payload"])
    context = payload.pop(_CONTEXT, {})
    return Work(
        turn_id=row["turn_id"],
        session_id=row["session_id"],
        kind=row["kind"],
        payload=payload,
        context=context,
        user_id=row["user_id"],
        tenant_id=row["tenant_id"],
        priority=-row["rank"],
        status=WorkStatus(row["status"]),
        attempts=row["attempts"],
        max_attempts=row["max_attempts"],
        not_before=row["not_before"],
        waiting_for=row["waiting_for"],
        resumed_by=row["resumed_by"],
        error=row["error"],
        is_cancelled=bool(row["is_cancelled"]),
        fence=row["fence"],
    )


def leased(row: Row, now: datetime, *, owner: str, fence: int, length: timedelta) -> Row:
    """It has an owner."""
    return {
        "status": WorkStatus.RUNNING,
        "owner": owner,
        "fence": fence,
        "lease_until": now + length,
        "attempts": row["attempts"] + 1,
        "waiting_for": None,
        "wake_at": None,
    }


def kept(row: Row, now: datetime, lease: Lease) -> Row:
    """Its owner is alive."""
    _check_owner(row, lease)
    return {"lease_until": now + lease.length}


def finished(row: Row, now: datetime, lease: Lease, outcome: Outcome, error: str) -> Row | None:
    """It is over."""
    if _was_done(row, lease, WorkStatus(outcome)):
        return None
    _check_owner(row, lease)
    return {"status": WorkStatus(outcome), "error": error or None, "lease_until": None}


def retried(row: Row, now: datetime, lease: Lease, error: str, delay: timedelta, is_last: bool) -> Row | None:
    """It failed in a way that may pass."""
    if _was_done(row, lease, WorkStatus.QUEUED) or _was_done(row, lease, WorkStatus.DEAD):
        return None
    _check_owner(row, lease)
    if is_last:
        return {"status": WorkStatus.DEAD, "error": error, "lease_until": None}
    return {**_queued("retried"), "error": error, "not_before": now + delay}


def released(row: Row, now: datetime, lease: Lease, delay: timedelta) -> Row | None:
    """Its owner gives it back unharmed."""
    if _was_done(row, lease, WorkStatus.QUEUED):
        return None
    _check_owner(row, lease)
    later = {"not_before": now + delay} if delay else {}
    return {**_queued("recovered"), "attempts": row["attempts"] - 1, **later}


def paused(row: Row, now: datetime, lease: Lease, waiting_for: str, wake_at: datetime | None) -> Row | None:
    """It waits for a decision; waiting does not count as an attempt. A turn to be stopped does not wait."""
    if _was_done(row, lease, WorkStatus.PAUSED):
        return None
    _check_owner(row, lease)
    if row["is_cancelled"]:
        return None
    return {
        "status": WorkStatus.PAUSED,
        "waiting_for": waiting_for,
        "wake_at": wake_at,
        "lease_until": None,
        "attempts": row["attempts"] - 1,
    }


def resumed(row: Row, now: datetime, waiting_for: str) -> Row | None:
    """What it waited for came."""
    if row["status"] != WorkStatus.PAUSED or row["waiting_for"] != waiting_for:
        return None
    return {**_queued("decided"), "not_before": now}


def cancelled(row: Row, now: datetime, ending: Ending | None = None) -> Row | None:
    """A stop was requested. Without an owner it ends here, also if its last owner was asked in vain."""
    if row["status"] not in UNFINISHED:
        return None
    if row["status"] == WorkStatus.RUNNING:
        return None if row["is_cancelled"] else {"is_cancelled": True}
    if ending is not None and not _is_as_seen(row, ending.work):
        return None
    return {"is_cancelled": True, "status": WorkStatus.CANCELLED}


def is_move(changes: Row) -> bool:
    """Whether work stands elsewhere from now on: then the events of the change are written."""
    return "status" in changes


def orphaned(row: Row, now: datetime) -> Row:
    """Its owner's lease ran out, and another one may try."""
    return {**_queued("recovered"), "not_before": now}


def given_up(row: Row, now: datetime, seen: Work, error: str) -> Row | None:
    """Its last owner's lease ran out, unless that owner came back since the look."""
    return {"status": WorkStatus.DEAD, "error": error, "lease_until": None} if _is_lost(row, now, seen) else None


def spared(row: Row, now: datetime, seen: Work) -> Row | None:
    """The same of work whose owners made progress: another one may try."""
    return orphaned(row, now) if _is_lost(row, now, seen) else None


def woken(row: Row, now: datetime) -> Row:
    """It was decided without being resumed, or has slept long enough."""
    return {**_queued("decided"), "not_before": now}


def revived(row: Row, now: datetime) -> Row | None:
    """A person gives a dead one another chance."""
    if row["status"] != WorkStatus.DEAD:
        return None
    return {**_queued("retried"), "attempts": 0, "not_before": now, "error": None}


def _queued(reason: str) -> Row:
    return {"status": WorkStatus.QUEUED, "resumed_by": reason, "lease_until": None}


def _is_lost(row: Row, now: datetime, seen: Work) -> bool:
    """True if its owner's lease ran out, and that owner did not come back since the look."""
    return bool(row["status"] == WorkStatus.RUNNING and row["fence"] == seen.fence and row["lease_until"] < now)


def _is_as_seen(row: Row, seen: Work) -> bool:
    """True if no owner can have written more of the turn since the look."""
    return seen.status != WorkStatus.RUNNING and seen.fence == row["fence"]


def _check_owner(row: Row, lease: Lease) -> None:
    if row["status"] != WorkStatus.RUNNING or row["fence"] != lease.fence or row["owner"] != lease.owner:
        raise FencedError(
            f"{lease.owner} no longer owns turn {row['turn_id']}: it is {row['status']} with fence {row['fence']}, "
            f"the lease has {lease.fence}"
        )


def _was_done(row: Row, lease: Lease, status: WorkStatus) -> bool:
    """Whether this very owner did it already, and only its answer got lost."""
    return bool(row["status"] == status and row["fence"] == lease.fence and row["owner"] == lease.owner)


_CONTEXT = "@context"
"""Under this name the context is kept beside the payload; no payload has a field of this name."""


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, allow_nan=False, sort_keys=True, default=_refuse)


def _refuse(value: object) -> Any:
    raise ValueError(f"a payload is JSON; {type(value).__name__} is not")


LOOKED_AT = 1_000
REMEMBERED_USERS = 1_000


class ServedUsers:
    """The users a process served last, the latest at the end: they take turns, so that one with a hundred turns delays
    another by one at most.

    Of equally urgent work, that of the user with the fewest running turns is first, then that of the user served
    longest ago by this process, then the oldest. A look goes over the oldest `LOOKED_AT` pieces of work, so that a
    very long queue costs no more than a long one.
    """

    def __init__(self) -> None:
        self._served: dict[str, None] = {}

    def note(self, lease: Lease | None) -> Lease | None:
        """Remember whose work was given out; the same lease again."""
        if lease is not None and lease.work.user_id is not None:
            self._served.pop(lease.work.user_id, None)
            self._served[lease.work.user_id] = None
            if len(self._served) > REMEMBERED_USERS:
                del self._served[next(iter(self._served))]
        return lease

    @property
    def in_order(self) -> Sequence[str]:
        """Who was served longest ago first."""
        return list(self._served)
