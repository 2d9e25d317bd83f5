"""What to do with a batch, given what the log already holds: pure, so that every store decides alike.

the same events or client key again -> the first answer again
a stale fence                       -> refused, whatever else may be wrong
known events as something else      -> a conflict
otherwise                           -> the next positions
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from batuta.events.admission import Batch
from batuta.events.log import Appended, Head
from batuta.kernel.errors import FencedError, IdempotencyConflictError, SequenceConflictError


class Known(NamedTuple):
    """An event of the batch that the log holds already, and where."""

    session_id: str
    epoch: int
    seq: int
    event_id: str
    payload: str | None


class Claim(NamedTuple):
    """What a client key stands for."""

    content: bytes
    appended: Appended


def earlier_answer(batch: Batch, fence: int, known: Sequence[Known], claim: Claim | None) -> Appended | None:
    """The answer given to this batch before, if it is not new; `fence` is the highest token the session has seen.

    Raises the refusals of `EventLog.append`.
    """
    if claim is not None:
        return _answer_of_claim(batch, claim)
    if known and (first := _first_of_the_same(batch, known)) is not None:
        return Appended(epoch=first.epoch, first_seq=first.seq, count=len(batch.entries))
    if batch.fence is not None and batch.fence < fence:
        raise fenced(batch, fence)
    if known:
        raise sequence_conflict(batch, known)
    return None


def insist(answers: Iterable[Appended | BaseException]) -> None:
    """Raise the first refusal; a client key that is taken already is none: what it stands for stays."""
    for answer in answers:
        if isinstance(answer, BaseException) and not isinstance(answer, IdempotencyConflictError):
            raise answer


def next_positions(batch: Batch, epoch: int, last_seq: int) -> Appended:
    """Where a new batch goes."""
    return Appended(epoch=epoch, first_seq=last_seq + 1, count=len(batch.entries), is_new=True)


def head_after(batch: Batch, head: Head, appended: Appended) -> Head:
    """Where the session stands when the batch is stored."""
    return Head(epoch=head.epoch, last_seq=appended.last_seq, fence=max(head.fence, batch.fence or 0))


def overlap(batches: Sequence[Batch]) -> bool:
    """Whether two batches of a group claim one event id or one client key: then one has to see the other's outcome."""
    ids = [entry.event_id for batch in batches for entry in batch.entries]
    keys = [(batch.session_id, batch.client_key) for batch in batches if batch.client_key is not None]
    return len(set(ids)) < len(ids) or len(set(keys)) < len(keys)


def fenced(batch: Batch, fence: int) -> FencedError:
    """The refusal of a stale owner."""
    return FencedError(
        f"session {batch.session_id} is held with fence {fence}; nothing was stored for the owner with {batch.fence}"
    )


def key_conflict(batch: Batch) -> IdempotencyConflictError:
    """The refusal of a client key that stands for something else."""
    return IdempotencyConflictError(
        f"client key {batch.client_key!r} of session {batch.session_id} stands for another message: use a new key"
    )


def sequence_conflict(batch: Batch, known: Sequence[Known] = (), *, why: str = "") -> SequenceConflictError:
    """The refusal of event ids that stand for something else, or of a place that something else has taken."""
    where = why or ", ".join(f"{event.event_id} is at {event.session_id} position {event.seq}" for event in known[:3])
    return SequenceConflictError(
        f"events of a batch for session {batch.session_id} are in the log already as something else: {where}"
    )


def _answer_of_claim(batch: Batch, claim: Claim) -> Appended:
    if claim.content != batch.content:
        raise key_conflict(batch)
    return replace(claim.appended, is_new=False)


def _first_of_the_same(batch: Batch, known: Sequence[Known]) -> Known | None:
    """The first event of the batch, if the log holds exactly this batch, in this order, in one piece."""
    places = {event.event_id: event for event in known}
    first = places.get(batch.entries[0].event_id)
    if first is None:
        return None
    expected = [
        Known(batch.session_id, first.epoch, first.seq + offset, entry.event_id, entry.payload)
        for offset, entry in enumerate(batch.entries)
    ]
    return first if [places.get(entry.event_id) for entry in batch.entries] == expected else None
