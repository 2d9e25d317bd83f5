"""A team's store in one object: the log, its queue of turns, and the persistence of the turns that run.

    async with open_team_store("team.db") as store:
        turn_id = await store.say(session_id, "Which invoices are late?")
        await TurnWorker.at(store, team).run_until_idle()

For a database of many processes: `TeamStore(log, PostgresTurnQueue(log))`.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from batuta.events.conversation import UserMessage
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.queue import Lease, NewWork, TurnQueue
from batuta.events.sink import Recorder
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.events.turn_ends import decision_key, expiry_of, is_expired, undecided_in
from batuta.eventstore.journal import DurableJournal
from batuta.eventstore.recorder import TurnRecorder
from batuta.eventstore.replay import session_events
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_turns import SqliteTurnQueue
from batuta.eventstore.stopping import AskedIn, set_aside_turn, stop_turn
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import ConflictError, IdempotencyConflictError, LogicalError
from batuta.kernel.ids import session_id
from batuta.pipelines.journal import Journal
from batuta.tools.approval import ApprovalDecision
from batuta.tools.context import ANONYMOUS_USER, ToolUser


class TeamStore:
    """A log and its queue, with what people do to them: say something, decide, look."""

    def __init__(self, log: EventLog, queue: TurnQueue, *, clock: Clock = SYSTEM_CLOCK) -> None:
        self.log = log
        self.queue = queue
        self._clock = clock

    def recorder(self, lease: Lease, history: Sequence[Event]) -> TurnRecorder:
        """The recorder of one owner; `history` is what the log holds of the turn already."""
        return TurnRecorder(self.log, str(lease.work.session_id), fence=lease.fence, history=history)

    def journal(self, lease: Lease, recorder: Recorder, history: Sequence[Event]) -> Journal:
        """The journal of one owner."""
        return DurableJournal(self.log, recorder, lease.work.stamp, events=history, clock=self._clock)

    async def say(
        self,
        session: str,
        text: str,
        *,
        target_agent_id: str | None = None,
        bypass_routing: bool = True,
        user: ToolUser = ANONYMOUS_USER,
        client_key: str | None = None,
    ) -> str:
        """Accept a message: the turn is queued and the message is in the log, both or neither. The turn's id.

        The same `client_key` with the same text is the same turn, however often it is sent.
        Which agents there are only the team knows: a `target_agent_id` that it does not have fails the turn, with an
        error that names those it has. With `bypass_routing=False` the supervisor is asked, limited to that agent.
        """
        if not text.strip():
            raise LogicalError("a message says something; this one is empty")
        owner = session_id(session)
        payload = {
            "text": text,
            "target_agent_id": target_agent_id,
            "bypass_routing": bypass_routing,
            "roles": sorted(user.roles),
        }
        work = NewWork(session_id=owner, payload=payload, user_id=user.id)
        message = UserMessage(
            **work.stamp.envelope(), content=text, target_agent_id=target_agent_id, client_message_id=client_key
        )
        accepted = await self.queue.accept(work, [message], client_key=client_key)
        return accepted.work.turn_id

    async def waiting(self, session: str) -> list[ApprovalRequested]:
        """The undecided approvals of a session."""
        return undecided_in(await self.events(session))

    async def decide(
        self, asked: ApprovalRequested, decision: ApprovalDecision, *, remember: Literal["session"] | None = None
    ) -> None:
        """Decide about a call that waits, and queue its turn again. The same decision again is harmless.

        With `remember="session"` the tool is not asked about again in its session; a rejection cannot be remembered.
        An edit that the tool does not take is asked about again, with what is wrong. Raises `ConflictError` if this
        store asked no such question, if it was decided otherwise, or not in time.
        """
        if remember is not None and decision.verdict not in ("approved", "edited"):
            raise LogicalError("a rejection is not remembered: leave `remember` out, or approve")
        if not await self._has_asked(asked):
            raise ConflictError(f"approval {asked.approval_id} was asked for in no turn here; take it from `waiting`")
        if is_expired(asked, await self.queue.now()):
            await self._resolve(asked, expiry_of(asked))
            raise ConflictError(f"{asked.tool_name} was not decided in time; it was rejected")
        resolved = ApprovalResolved(
            approval_id=asked.approval_id,
            decision=decision.verdict,
            args=decision.args or None,
            by=decision.by or "unknown",
            reason=decision.reason or None,
            remember=remember,
            session_id=asked.session_id,
            turn_id=asked.turn_id,
            correlation_id=asked.correlation_id,
            trace_id=asked.trace_id,
        )
        await self._resolve(asked, resolved)

    async def _has_asked(self, asked: ApprovalRequested) -> bool:
        if asked.session_id is None or asked.turn_id is None:
            return False
        questions = (event for event in await self.events(asked.session_id) if isinstance(event, ApprovalRequested))
        return any((e.approval_id, e.turn_id) == (asked.approval_id, asked.turn_id) for e in questions)

    async def _resolve(self, asked: ApprovalRequested, resolved: ApprovalResolved) -> None:
        session, turn = str(asked.session_id), str(asked.turn_id)
        try:
            await self.log.append(session, [resolved], client_key=decision_key(asked.approval_id))
        except IdempotencyConflictError as error:
            decisions = [event for event in await self.events(session) if isinstance(event, ApprovalResolved)]
            first = next(event for event in decisions if event.approval_id == asked.approval_id)
            if (first.decision, first.args) != (resolved.decision, resolved.args):
                raise ConflictError(
                    f"{asked.tool_name} was decided otherwise already; the first decision counts"
                ) from error
        await self.queue.resume(turn, waiting_for=asked.approval_id)

    async def set_aside(self, asked: ApprovalRequested, *, words: str, by: str = "unknown") -> bool:
        """End the turn that waits for this approval without deciding it; its agent says `words`, nothing is executed.

        Whether it was still to be set aside: a turn that works on something else goes on.
        """
        if asked.turn_id is None:
            return False
        place = AskedIn(approval_id=asked.approval_id, turn_id=str(asked.turn_id))
        ended = await set_aside_turn(self.log, self.queue, place, by=by, reason=None, words=words)
        return ended is not None and ended.is_over

    async def stop(self, turn_id: str, *, by: str = "unknown") -> bool:
        """Stop a turn, wherever it runs; what it has said is kept. Whether it was still to be stopped."""
        return await stop_turn(self.log, self.queue, turn_id, by=by) is not None

    async def events(self, session: str) -> list[Event]:
        """Everything a session holds, in order."""
        return await session_events(self.log, session)


@asynccontextmanager
async def open_team_store(path: str | Path, *, clock: Clock = SYSTEM_CLOCK) -> AsyncIterator[TeamStore]:
    """A store in one SQLite file, opened and closed with the block. Other processes may use the file too.

    Leases go by `clock`: a test lets one run out without waiting for it.
    """
    async with SqliteEventLog(path, clock=clock) as log:
        yield TeamStore(log, SqliteTurnQueue(log), clock=clock)
