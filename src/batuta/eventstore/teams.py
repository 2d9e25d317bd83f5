"""A team's store in one object: the log, its queue of turns, and the desk at which the owner of a turn writes.

    async with open_team_store("team.db") as store:
        turn_id = await store.say(session_id, "Which invoices are late?")
        await TurnWorker.at(store, team).run_until_idle()

For a database of many processes: `TeamStore(log, PostgresTurnQueue(log))`.
"""

import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from batuta.events.conversation import UserMessage
from batuta.events.emitter import Stamp
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.queue import UNFINISHED, Lease, NewWork, TurnQueue, WorkStatus
from batuta.events.sink import Recorder
from batuta.events.stopping import end_of_stopped_turn
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.eventstore.journal import DurableJournal, events_of_turn
from batuta.eventstore.recorder import TurnRecorder
from batuta.eventstore.replay import session_events
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_turns import SqliteTurnQueue
from batuta.kernel.errors import ConflictError, IdempotencyConflictError
from batuta.kernel.ids import new_id, session_id
from batuta.pipelines.journal import Journal
from batuta.tools.approval import ApprovalDecision
from batuta.tools.context import ANYBODY, ToolUser


class TeamStore:
    """A log and its queue, with what people do to them: say something, decide, look."""

    def __init__(self, log: EventLog, queue: TurnQueue) -> None:
        self.log = log
        self.queue = queue

    def recorder(self, lease: Lease, told: Sequence[Event]) -> Recorder:
        """The recorder of one owner; `told` is what the log holds of the turn already."""
        return TurnRecorder(self.log, str(lease.work.session_id), fence=lease.fence, told=told)

    def journal(self, lease: Lease, recorder: Recorder, told: Sequence[Event]) -> Journal:
        """The journal of one owner."""
        work = lease.work
        stamp = Stamp(correlation_id=work.turn_id, session_id=work.session_id, turn_id=work.turn_id)
        return DurableJournal(self.log, recorder, stamp, events=told)

    async def say(
        self,
        session: str,
        text: str,
        *,
        target_agent_id: str | None = None,
        user: ToolUser = ANYBODY,
        client_key: str | None = None,
    ) -> str:
        """Accept a message: the turn is queued and the message is in the log, both or neither. The turn's id.

        The same `client_key` with the same text is the same turn, however often it is sent.
        """
        turn_id, owner = new_id(), session_id(session)
        message = UserMessage(
            content=text,
            session_id=owner,
            turn_id=turn_id,
            target_agent_id=target_agent_id,
            client_message_id=client_key,
        )
        payload = {"text": text, "target_agent_id": target_agent_id, "roles": sorted(user.roles)}
        work = NewWork(turn_id=turn_id, session_id=owner, payload=payload, user_id=user.id)
        accepted = await self.queue.accept(work, [message], client_key=client_key)
        return accepted.work.turn_id

    async def waiting(self, session: str) -> list[ApprovalRequested]:
        """The approvals of a session that nobody has decided yet."""
        events = await self.events(session)
        decided = {event.approval_id for event in events if isinstance(event, ApprovalResolved)}
        asked = {event.approval_id: event for event in events if isinstance(event, ApprovalRequested)}
        return [event for approval_id, event in asked.items() if approval_id not in decided]

    async def decide(self, asked: ApprovalRequested, decision: ApprovalDecision) -> None:
        """Decide about a call that waits, and queue its turn again. The same decision again is harmless.

        Raises `ConflictError` if somebody decided otherwise.
        """
        if asked.session_id is None or asked.turn_id is None:
            raise ConflictError("this approval belongs to no turn of this store; take it from `waiting`")
        resolved = ApprovalResolved(
            approval_id=asked.approval_id,
            decision=decision.verdict,
            args=decision.args or None,
            by=decision.by or "somebody",
            reason=decision.reason or None,
            session_id=asked.session_id,
            turn_id=asked.turn_id,
        )
        try:
            await self.log.append(asked.session_id, [resolved], client_key=f"approval/{asked.approval_id}")
        except IdempotencyConflictError as error:
            raise ConflictError(
                f"{asked.tool_name} was decided otherwise already; the first decision counts"
            ) from error
        await self.queue.resume(asked.turn_id, waiting_for=asked.approval_id)

    async def stop(self, turn_id: str, *, by: str = "somebody") -> bool:
        """Stop a turn, wherever it runs; what it has said is kept. Whether it was still to be stopped."""
        work = await self.queue.get(turn_id)
        if work is None or work.session_id is None or work.status not in UNFINISHED:
            return False
        if await self.queue.cancel(turn_id) is WorkStatus.CANCELLED:  # it has no owner who could tell its end
            told = await events_of_turn(self.log, work.session_id, work.turn_id)
            end = end_of_stopped_turn(told, session_id=work.session_id, turn_id=work.turn_id, by=by)
            with contextlib.suppress(IdempotencyConflictError):  # somebody else stopped it at the same time
                await self.log.append(work.session_id, end, client_key=f"stopped/{work.turn_id}")
        return True

    async def events(self, session: str) -> list[Event]:
        """Everything a session holds, in order."""
        return await session_events(self.log, session)


@asynccontextmanager
async def open_team_store(path: str | Path) -> AsyncIterator[TeamStore]:
    """A store in one SQLite file, opened and closed with the block. Other processes may use the file too."""
    async with SqliteEventLog(path) as log:
        yield TeamStore(log, SqliteTurnQueue(log))
