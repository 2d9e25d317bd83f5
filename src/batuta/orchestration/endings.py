"""How an owner ends a turn that was stopped before its run could say so.

A stop may come before a run has begun, or when it has just decided to wait for a decision: then the run itself wrote no
end. Its owner writes it, and closes the open requests.
"""

from collections.abc import Sequence

from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.queue import Lease
from batuta.events.sink import EventSink, Recorder
from batuta.events.turn_ends import decision_key, end_of_stopped_turn, refusals
from batuta.kernel.errors import IdempotencyConflictError

BY = "stop"
"""Who refuses what was still asked: the queue knows that a turn was stopped, not by whom."""


async def refuse_what_is_asked(log: EventLog, lease: Lease, history: Sequence[Event]) -> list[Event]:
    """Refuse what is undecided. A decision made at the last moment stands."""
    decided: list[Event] = []
    for refusal in refusals(history, by=BY):
        key = decision_key(refusal.approval_id)
        try:
            await log.append(str(lease.work.session_id), [refusal], fence=lease.fence, client_key=key)
        except IdempotencyConflictError:
            continue
        decided.append(refusal)
    return decided


async def write_end(lease: Lease, history: Sequence[Event], recorder: Recorder, sink: EventSink | None) -> None:
    """Write what the run would have emitted: its plan goes no further, and it is over."""
    for event in end_of_stopped_turn(history, session_id=str(lease.work.session_id), turn_id=lease.work.turn_id):
        recorded = await recorder.record(event)
        if sink is not None:
            sink.emit(recorded)
