"""How an owner ends a turn that somebody stopped before its run could say so.

A stop may come before a run has begun, or when it has just decided to wait for somebody: then the run itself told no
end. Its owner tells it, and nobody is asked any more.
"""

from collections.abc import Sequence

from batuta.events.envelope import Event
from batuta.events.expiry import decision_key
from batuta.events.log import EventLog
from batuta.events.queue import Lease
from batuta.events.sink import EventSink, Recorder
from batuta.events.stopping import end_of_stopped_turn, refusals
from batuta.kernel.errors import IdempotencyConflictError

BY = "stop"
"""Who refuses what was still asked: the queue knows that a turn was stopped, not by whom."""


async def refuse_what_is_asked(log: EventLog, lease: Lease, told: Sequence[Event]) -> list[Event]:
    """Decide what nobody decided. Whoever did so at the last moment was first."""
    decided: list[Event] = []
    for refusal in refusals(told, by=BY):
        key = decision_key(refusal.approval_id)
        try:
            await log.append(str(lease.work.session_id), [refusal], fence=lease.fence, client_key=key)
        except IdempotencyConflictError:
            continue
        decided.append(refusal)
    return decided


async def tell_end(lease: Lease, told: Sequence[Event], recorder: Recorder, sink: EventSink | None) -> None:
    """Tell what the run would have told: its plan goes no further, and it is over."""
    for event in end_of_stopped_turn(told, session_id=str(lease.work.session_id), turn_id=lease.work.turn_id):
        recorded = await recorder.record(event)
        if sink is not None:
            sink.emit(recorded)
