"""Decisions: each counts once, however often it is sent, and what runs is what was stored.

decide -> approval_resolved in the log, under a key of its own -> the turn goes on
set aside -> approval_resolved under the same key, then the end of the turn -> the conversation goes on
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal
from weakref import WeakValueDictionary

from pydantic import BaseModel, ConfigDict, Field, model_validator

from batuta.events.conversation import AssistantMessage, UserMessage
from batuta.events.datasets import DatasetStored
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.queue import TurnQueue, WorkStatus
from batuta.events.sink import EventSink
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.events.turn_ends import decision_key
from batuta.events.wire import events_in
from batuta.eventstore.journal import events_of_turn
from batuta.eventstore.stopping import AskedIn, Stopped, set_aside_turn
from batuta.kernel.errors import IdempotencyConflictError
from batuta.server.approvals import repository
from batuta.server.approvals.repository import Approval
from batuta.server.approvals.wording import set_aside_words
from batuta.server.database.engines import Database
from batuta.server.live.feed import ReadModels
from batuta.server.live.notifications import Notification, NotificationBus
from batuta.server.problems import ConflictProblem, ForbiddenProblem, NotFoundProblem
from batuta.server.security.ownership import Caller
from batuta.server.security.source_rights import RequestRights

MOST = 200
PAGE = 1_000
SPOKEN = frozenset(model.route.type for model in (UserMessage, AssistantMessage))
STATES = {"approve": "approved", "reject": "rejected", "edit": "edited", "set_aside": "set_aside"}
EARLIER_TURNS = 3
"""How much of the conversation before a request an approver reads with it."""
RUNNING_LOOKS = 20
RUNNING_LOOK_SECONDS = 0.1
"""How long a turn that waits, and still does something else, is waited for before it can be set aside."""


class DecisionRequest(BaseModel):
    """A decision about an approval."""

    model_config = ConfigDict(extra="forbid")

    decision: Literal["approve", "reject", "edit", "set_aside"]
    """`set_aside`: decide nothing, execute nothing, and let the conversation go on."""
    args: dict[str, Any] | None = None
    reason: str | None = Field(default=None, max_length=2_000)
    remember: Literal["session"] | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> "DecisionRequest":
        if (self.decision == "edit") != (self.args is not None):
            raise ValueError("args belong to the decision 'edit', and to no other")
        if self.decision in ("reject", "set_aside") and self.remember is not None:
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
        people: Database,
        rights: RequestRights,
        observer: EventSink,
    ) -> None:
        """`people` reads the names of users, which `database` shows only to themselves."""
        self._rights = rights
        self._people = people
        self._observer = observer
        self._database = database
        self._log = log
        self._queue = queue
        self._read_models = read_models
        self._bus = bus
        self._deciding: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def for_caller(self, caller: Caller, state: str | None) -> Sequence[Approval]:
        """What the caller may answer, or could."""
        found = await self._database.read(lambda c: repository.for_caller(c, caller, state, MOST))
        return [one for one in found if await self._may_see(caller, one)]

    async def names(self, user_ids: Collection[str]) -> Mapping[str, str]:
        """What the people of approvals are called, by their id."""
        return await self._people.read(lambda connection: repository.names_of(connection, user_ids))

    async def required_roles(self, waiting: Sequence[Approval]) -> Mapping[str, str]:
        """The role that a decision needs, by the id of the approval, for those that need one."""
        found: dict[str, str] = {}
        for approval in waiting:
            asked = await self._asked(approval) if approval.state == "pending" else None
            if asked is not None and asked.required_role is not None:
                found[approval.approval_id] = asked.required_role
        return found

    async def context(self, caller: Caller, approval_id: str) -> tuple[int, list[Event]]:
        """What an approver reads before deciding: the turn that asks, and what was said in the few before it.

        One who may read some companies only gets the turn that asks, without what it brought of the others. Raises
        `NotFoundProblem` for a request that the caller may not see.
        """
        approval = await self._get(approval_id)
        if not await self._may_see(caller, approval):
            raise NotFoundProblem
        found: list[Event] = []
        after, epoch = 0, 0
        while True:
            page = await self._log.read_stored(approval.session_id, after=after, limit=PAGE)
            epoch = page.head.epoch
            found += events_in(page, types=SPOKEN, turn_id=approval.turn_id or "")
            if page.is_last:
                break
            after = page.records[-1].seq
        is_own = approval.owner_id == caller.user_id
        if not is_own and not await self._rights.may_read_all(caller):
            found = await self._readable(caller, [one for one in found if one.turn_id == approval.turn_id])
        return epoch, context_of(found, approval.turn_id)

    async def _may_see(self, caller: Caller, approval: Approval) -> bool:
        """Whether the caller may read what a request shows; one's own is read in its conversation anyway."""
        is_own = approval.owner_id == caller.user_id
        return is_own or await self._rights.may_see_request(caller, approval.tool_name, approval.args)

    async def _readable(self, caller: Caller, turn: list[Event]) -> list[Event]:
        """The events of a turn; only what was asked if it brought rows that the caller may not read."""
        brought = [event.provenance for event in turn if isinstance(event, DatasetStored)]
        try:
            await self._rights.check_sources(caller, brought)
        except ForbiddenProblem:
            return [event for event in turn if isinstance(event, (UserMessage, ApprovalRequested))]
        return turn

    async def decide(self, caller: Caller, approval_id: str, decision: DecisionRequest) -> str:
        """The state after a decision. The same again is harmless; another one raises `ConflictProblem`."""
        # Setting aside ends the turn beside the log's own check: two decisions of one process come one by one.
        async with self._deciding.setdefault(approval_id, asyncio.Lock()):
            return await self._decide(caller, approval_id, decision)

    async def _decide(self, caller: Caller, approval_id: str, decision: DecisionRequest) -> str:
        approval = await self._get(approval_id)
        if not await self._may_see(caller, approval):
            raise NotFoundProblem
        if approval.state != "pending":
            return _answer_again(approval, decision)
        if approval.expires_at is not None and approval.expires_at <= await self._queue.now():
            await self._resolve(approval, "expired", by="clock")
            raise ConflictProblem("It was not decided in time: it was rejected.", code="APPROVAL_EXPIRED")
        state = STATES[decision.decision]
        if decision.decision in ("approve", "edit"):
            await self._require_role(caller, approval)
            if approval.owner_id != caller.user_id:
                args = approval.args if decision.args is None else decision.args
                await self._rights.check_decision(caller, approval.tool_name, args)
        if decision.decision == "set_aside":
            return await self._set_aside(caller, approval, decision)
        try:
            await self._resolve(
                approval,
                state,
                by=caller.user_id,
                key_id=await self._database.read(lambda connection: repository.key_of(connection, caller)),
                args=decision.args,
                reason=decision.reason,
                remember=decision.remember,
            )
        except IdempotencyConflictError:  # another decision was a moment earlier
            await self._caught_up(approval.session_id)
            return _answer_again(await self._get(approval_id), decision)
        work = None if approval.turn_id is None else await self._queue.get(approval.turn_id)
        if decision.decision != "reject" and work is not None and work.status is WorkStatus.CANCELLED:
            raise ConflictProblem("The turn was ended a moment earlier: nothing was executed.", code="TURN_ENDED")
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

    async def _require_role(self, caller: Caller, approval: Approval) -> None:
        """Raises `ForbiddenProblem` if the request names a role that the caller does not hold."""
        asked = await self._asked(approval)
        role = None if asked is None else asked.required_role
        if role is not None and role not in caller.roles:
            raise ForbiddenProblem(f"This request can only be approved with the role {role!r}.")

    async def _asked(self, approval: Approval) -> ApprovalRequested | None:
        """The request as the turn made it; the last one, if it was made again."""
        if approval.turn_id is None:
            return None
        history = await events_of_turn(self._log, approval.session_id, approval.turn_id)
        asked = [event for event in history if isinstance(event, ApprovalRequested)]
        return next((event for event in reversed(asked) if event.approval_id == approval.approval_id), None)

    async def _set_aside(self, caller: Caller, approval: Approval, decision: DecisionRequest) -> str:
        if approval.turn_id is None:
            await self._resolve(approval, "set_aside", by=caller.user_id, reason=decision.reason)
            return "set_aside"
        history = await events_of_turn(self._log, approval.session_id, approval.turn_id)
        place = AskedIn(approval_id=approval.approval_id, turn_id=approval.turn_id)
        ended = await self._ended(place, caller, decision.reason, set_aside_words(history))
        if ended is None:
            await self._caught_up(approval.session_id)
            return _answer_again(await self._get(approval.approval_id), decision)
        for event in ended.events:
            self._observer.emit(event)
        await self._caught_up(approval.session_id)
        self._bus.publish(Notification("work"))
        return "set_aside"

    async def _ended(self, place: AskedIn, caller: Caller, reason: str | None, words: str) -> Stopped | None:
        """End the turn; one that waits, and still does something else, is given a moment. Raises `ConflictProblem`."""
        for _ in range(RUNNING_LOOKS):
            ended = await set_aside_turn(self._log, self._queue, place, by=caller.user_id, reason=reason, words=words)
            if ended is None or ended.is_over:
                return ended
            await asyncio.sleep(RUNNING_LOOK_SECONDS)
        raise ConflictProblem(
            "Another part of this answer is still being worked on. Wait for it, or stop it.", code="TURN_RUNNING"
        )

    async def _caught_up(self, session_id: str) -> None:
        await self._read_models.ensure(session_id, (await self._log.head(session_id)).last_seq)

    async def _get(self, approval_id: str) -> Approval:
        found = await self._database.read(lambda connection: repository.get(connection, approval_id))
        if found is None:
            raise NotFoundProblem
        return found


def context_of(events: Sequence[Event], turn_id: str | None) -> list[Event]:
    """The visible events of a turn and of the last turns before it, in their order."""
    visible = [event for event in events if event.is_visible]
    turns: list[str | None] = list(dict.fromkeys(event.turn_id for event in visible))
    place = turns.index(turn_id) if turn_id in turns else len(turns) - 1
    shown = frozenset(turns[max(0, place - EARLIER_TURNS) : place + 1])
    return [event for event in visible if event.turn_id in shown]


def _answer_again(approval: Approval, decision: DecisionRequest) -> str:
    """The answer to a decision that comes after the first."""
    is_same = approval.state == STATES[decision.decision] and approval.decided_args == decision.args
    if not is_same:
        raise ConflictProblem(f"This was decided already: {approval.state}.", code="ALREADY_DECIDED")
    return approval.state
