"""Write down the end of a turn that was stopped while nobody ran it."""

import contextlib
from collections.abc import Sequence

from batuta.events.envelope import Event
from batuta.events.expiry import decision_key
from batuta.events.log import EventLog
from batuta.events.stopping import end_of_stopped_turn, refusals
from batuta.eventstore.journal import events_of_turn
from batuta.kernel.errors import IdempotencyConflictError


async def tell_end_of_stopped_turn(log: EventLog, session_id: str, turn_id: str, *, by: str) -> Sequence[Event]:
    """What its owner would have told, as it is told now. Whoever decided or stopped it a moment earlier was first."""
    told = await events_of_turn(log, session_id, turn_id)
    for refusal in refusals(told, by=by):
        with contextlib.suppress(IdempotencyConflictError):
            await log.append(session_id, [refusal], client_key=decision_key(refusal.approval_id))
    end = end_of_stopped_turn(told, session_id=session_id, turn_id=turn_id)
    try:
        await log.append(session_id, end, client_key=f"stopped/{turn_id}")
    except IdempotencyConflictError:
        return ()
    return end
