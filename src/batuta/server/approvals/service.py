"""Decisions: each counts once, however often it is sent, and what runs is what was stored.

decide -> approval_resolved in the log, under a key of its own -> the turn goes on
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from batuta.events.expiry import decision_key
from batuta.events.log import EventLog
from batuta.events.queue import TurnQueue
from batuta.events.tools import ApprovalResolved
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import IdempotencyConflictError
from batuta.server.approvals import repository
from batuta.server.approvals.repository import Approval
from batuta.server.database.engines import Database
from batuta.server.live.feed import ReadModels
from batuta.server.live.notifications import Notification, NotificationBus
from batuta.server.problems import ConflictProblem, NotFoundProblem
from batuta.server.security.ownership import Caller

MOST = 200
STATES = {"approve": "approved", "reject": "rejected", "edit": "edited"}


class DecisionRequest(BaseModel):
    """What somebody decides."""

    model_config = ConfigDict(extra="forbid")

    decision: Literal["approve", "reject", "edit"]
    args: dict[str, Any] | None = None
    reason: str | None = Field(default=None, max_length=2_000)
    remember: Literal["session"] | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> "DecisionRequest":
        if (self.decision == "edit") != (self.args is not None):
            raise ValueError("args belong to the decision 'edit', and to no other")
        if self.decision == "reject" and self.remember is not None:
            raise ValueError("a rejection is not remembered: leave `remember` out, or approve")
        return self


class Approvals:
    """Takes decisions."""

    def __init__(
        self,
        database: Database,
        log: EventLog,
        queue: TurnQueue,
        read_models: ReadModels,
        bus: NotificationBus,
        *,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._database = database
        self._log = log
        self._queue = queue
        self._read_models = read_models
        self._bus = bus
        self._clock = clock

    async def for_caller(self, caller: Caller, state: str | None) -> Sequence[Approval]:
        """What the caller may answer, or could."""
        return await self._database.read(lambda c: repository.for_caller(c, caller, state, MOST))

    async def decide(self, caller: Caller, approval_id: str, decision: DecisionRequest) -> str:
        """The state after a decision. The same again is harmless; another one raises `ConflictProblem`."""
        approval = await self._get(approval_id)
        if approval.state != "pending":
            return _answer_again(approval, decision)
        if approval.expires_at is not None and approval.expires_at <= self._clock.now():
            await self._resolve(approval, "expired", by="clock")
            raise ConflictProblem("Nobody decided in time: it was rejected.", code="APPROVAL_EXPIRED")
        state = STATES[decision.decision]
        try:
            await self._resolve(
                approval,
                state,
                by=caller.user_id,
                args=decision.args,
                reason=decision.reason,
                remember=decision.remember,
            )
        except IdempotencyConflictError:  # somebody else was a moment earlier
            return _answer_again(await self._get(approval_id), decision)
        return state

    async def _resolve(self, approval: Approval, state: str, *, by: str, **facts: Any) -> None:
        work = None if approval.turn_id is None else await self._queue.get(approval.turn_id)
        envelope = {"session_id": approval.session_id, "turn_id": approval.turn_id}
        resolved = ApprovalResolved(
            **(envelope if work is None else {**envelope, **work.stamp.envelope()}),
            approval_id=approval.approval_id,
            decision=state,
            by=by,
            **facts,
        )
        appended = await self._log.append(
            approval.session_id, [resolved], client_key=decision_key(approval.approval_id)
        )
        await self._read_models.ensure(approval.session_id, appended.last_seq)
        if approval.turn_id is not None:
            await self._queue.resume(approval.turn_id, waiting_for=approval.approval_id)
        self._bus.publish(Notification("work"))

    async def _get(self, approval_id: str) -> Approval:
        found = await self._database.read(lambda connection: repository.get(connection, approval_id))
        if found is None:
            raise NotFoundProblem
        return found


def _answer_again(approval: Approval, decision: DecisionRequest) -> str:
    """The answer to a decision that comes after the first."""
    is_same = approval.state == STATES[decision.decision] and approval.decided_args == decision.args
    if not is_same:
        raise ConflictProblem(f"This was decided already: {approval.state}.", code="ALREADY_DECIDED")
    return approval.state
