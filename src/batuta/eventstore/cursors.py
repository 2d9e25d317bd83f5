"""Checks that every backend makes of positions: of readers and of consumers."""

from batuta.events.log import Head
from batuta.kernel.errors import SequenceConflictError, StaleEpochError

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


def check_advance(consumer: str, session_id: str, *, now: int, after: int, to: int, head: Head) -> None:
    """Whether a consumer that is at `now` may go from `after` to `to`."""
    if not after <= to <= head.last_seq:
        raise ValueError(f"{consumer} cannot be at {to}: that is not between {after} and the head {head.last_seq}")
    if now not in (after, to):
        raise SequenceConflictError(
            f"{consumer} is at {now} of session {session_id}, not at {after}: two of its kind work on it"
        )
