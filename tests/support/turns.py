"""What a worker needs of a store, for tests and measurements that run turns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from batuta.events.conversation import UserMessage
from batuta.events.emitter import Stamp
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.queue import MAX_ATTEMPTS, Lease, NewWork, TurnQueue
from batuta.events.sink import Recorder
from batuta.eventstore.journal import DurableJournal
from batuta.eventstore.recorder import TurnRecorder
from batuta.kernel.ids import new_id
from batuta.pipelines.journal import Journal


@dataclass(frozen=True)
class TurnPersistence:
    """Where owners of turns write: the log itself."""

    log: EventLog

    def recorder(self, lease: Lease, history: Sequence[Event]) -> TurnRecorder:
        return TurnRecorder(self.log, str(lease.work.session_id), fence=lease.fence, history=history)

    def journal(self, lease: Lease, recorder: Recorder, history: Sequence[Event]) -> Journal:
        work = lease.work
        stamp = Stamp(correlation_id=work.turn_id, session_id=work.session_id, turn_id=work.turn_id)
        return DurableJournal(self.log, recorder, stamp, events=history)


async def say(queue: TurnQueue, session_id: str, text: str, *, max_attempts: int = MAX_ATTEMPTS, **payload: Any) -> str:
    """A person's message becomes a turn that waits for a worker; returns its id."""
    turn_id = new_id()
    message = UserMessage(content=text, session_id=session_id, turn_id=turn_id)
    asked = {"text": text, **payload}
    work = NewWork(turn_id=turn_id, session_id=session_id, payload=asked, max_attempts=max_attempts)
    await queue.accept(work, [message], client_key=turn_id)
    return turn_id
