"""Stop a turn: its owner ends it, or, if no worker has it, it ends here, in one step with its events. A turn that
waits for a decision can also be set aside: nothing is decided, and the conversation goes on.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.queue import UNFINISHED, Ending, TurnQueue, Work, WorkStatus
from batuta.events.tools import ApprovalResolved
from batuta.events.turn_ends import decision_key, end_in, end_of_set_aside_turn, end_of_stopped_turn, refusals
from batuta.eventstore.journal import events_of_turn
from batuta.kernel.errors import IdempotencyConflictError


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """What stopping a turn came to."""

    is_over: bool
    """It had no owner and has ended; otherwise its owner was asked to end it."""
    events: tuple[Event, ...] = ()
    """The end that was written here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedIn:
    """An approval, and the turn that waits for it."""

    approval_id: str
    turn_id: str


async def stop_turn(log: EventLog, queue: TurnQueue, turn_id: str, *, by: str) -> Stopped | None:
    """Stop a turn, wherever it is; nothing if there is no such turn or it is over.

    An owner may take the turn up, or let go of it, while its end is being written: then it is looked at again.
    """
    while True:
        work = await queue.get(turn_id)
        if work is None or work.session_id is None or work.status not in UNFINISHED:
            return None
        ending = await _ending(log, work, work.session_id, by)
        if ending is None:
            return None
        status = await queue.cancel(turn_id, ending)
        if status is WorkStatus.CANCELLED:
            return Stopped(is_over=True, events=tuple(ending.events.get(_end_key(work), ())))
        if status is WorkStatus.RUNNING:
            return Stopped(is_over=False)


async def set_aside_turn(
    log: EventLog, queue: TurnQueue, asked: AskedIn, *, by: str, reason: str | None, words: str
) -> Stopped | None:
    """End a turn that waits for a decision without taking it: its approvals are set aside, and the agent says `words`.

    Nothing if the turn is over or the approval is decided. `Stopped.is_over` is false while the turn still works on
    something else: it is not interrupted.
    """
    end: Sequence[Event] = ()
    while True:
        work = await queue.get(asked.turn_id)
        if work is None or work.session_id is None or work.status not in UNFINISHED:
            return None
        if work.status is WorkStatus.RUNNING:
            return Stopped(is_over=False)
        history = await _closed_history(log, work, work.session_id)
        if not end:
            if not await _claim(log, asked, refusals(history, by=by, decision="set_aside", reason=reason)):
                return None
            end = end_of_set_aside_turn(history, session_id=work.session_id, turn_id=work.turn_id, words=words)
        ending = Ending(work=work, events={_end_key(work): end})
        if await queue.cancel(asked.turn_id, ending) is WorkStatus.CANCELLED:
            return Stopped(is_over=True, events=tuple(end))


async def _claim(log: EventLog, asked: AskedIn, decisions: Sequence[ApprovalResolved]) -> bool:
    """Close the open requests of a turn. False if the one that is meant was decided, or is being decided elsewhere.

    Before the turn ends, and by the key that every decision has: a turn whose call was approved is not set aside. If
    this process dies before the turn has ended, it goes on as after a rejection.
    """
    meant = [each for each in decisions if each.approval_id == asked.approval_id]
    others = [each for each in decisions if each.approval_id != asked.approval_id]
    try:
        for each in meant:
            await log.append(str(each.session_id), [each], client_key=decision_key(each.approval_id))
    except IdempotencyConflictError:
        return False
    for each in others if meant else ():
        with suppress(IdempotencyConflictError):  # that decision stays, and comes to nothing
            await log.append(str(each.session_id), [each], client_key=decision_key(each.approval_id))
    return bool(meant)


async def _ending(log: EventLog, work: Work, session_id: str, by: str) -> Ending | None:
    """The events its owner would have written: open requests are closed, and it is over.

    Nothing for a turn whose end is in the log: its owner could not tell the queue, and the next one does.
    """
    if work.status is WorkStatus.RUNNING:
        return Ending(work=work, events={})
    history = await _closed_history(log, work, session_id)
    if end_in(history) is not None:
        return None
    refused = {decision_key(refusal.approval_id): [refusal] for refusal in refusals(history, by=by)}
    end = end_of_stopped_turn(history, session_id=session_id, turn_id=work.turn_id)
    return Ending(work=work, events={**refused, _end_key(work): end})


async def _closed_history(log: EventLog, work: Work, session_id: str) -> list[Event]:
    """What there is of a turn without an owner. Its last owner may have sent something that is still on its way: it
    would come after the end, so it is shut out first.
    """
    if work.fence:
        await log.raise_fence(session_id, work.fence + 1)
    return await events_of_turn(log, session_id, work.turn_id)


def _end_key(work: Work) -> str:
    """A turn that is stopped twice at once has one end."""
    return f"stopped/{work.turn_id}"
