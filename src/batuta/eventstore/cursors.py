"""Positions of readers and of consumers: how every backend checks them, and what it answers a reader."""

from collections.abc import Sequence
from typing import Any

from batuta.events.log import Head, Stored, StoredPage
from batuta.kernel.errors import SequenceConflictError, StaleEpochError
from batuta.kernel.ids import SessionId

LARGEST = 2**63 - 1
"""The largest position a database can hold."""


def check_range(after: int, limit: int) -> None:
    """Refuse what no reader can mean."""
    if after < 0:
        raise ValueError(f"a position is 0 or more, got {after}")
    if limit < 1:
        raise ValueError(f"a limit is 1 or more, got {limit}")


def check_position(session_id: str, *, epoch: int, after: int, held: int | None) -> None:
    """Whether a reader's position is of this log; `held` is the epoch of what the log holds there, if anything."""
    if after and held != epoch:
        raise StaleEpochError(
            f"session {session_id} holds no position {after} of epoch {epoch}: read it again from the start"
        )


def page_of(session_id: SessionId, rows: Sequence[Any], *, after: int, epoch: int | None) -> StoredPage:
    """A page from what one statement found, so that all of it is of one moment.

    There is at least one row; each begins with the head (epoch, position, fence) and the epoch at the reader's
    position, and ends with a record (epoch, position, event id, content). All of them may be missing.
    """
    head_epoch, last_seq, fence, held = rows[0][:4]
    if epoch is not None:
        check_position(session_id, epoch=epoch, after=after, held=held)
    head = Head() if head_epoch is None else Head(epoch=head_epoch, last_seq=last_seq, fence=fence)
    records = () if rows[0][5] is None else tuple([Stored(*row[4:]) for row in rows])
    return StoredPage(session_id=session_id, records=records, head=head)


def check_advance(consumer: str, session_id: str, *, now: int, after: int, to: int, head: Head) -> None:
    """Whether a consumer that is at `now` may go from `after` to `to`."""
    if not after <= to <= head.last_seq:
        raise ValueError(f"{consumer} cannot be at {to}: that is not between {after} and the head {head.last_seq}")
    if now not in (after, to):
        raise SequenceConflictError(
            f"{consumer} is at {now} of session {session_id}, not at {after}: two of its kind work on it"
        )
